"""Table II of the paper: forum and Q&A pages, by models trained without and with such pages.

Both are trained on the articles of the given sets; the second also on forum and Q&A pages of other engines and other
sites than those tested. Engines are divided into two folds, so that all forum and Q&A pages are tested.
The paper added 50 of its own 250 pages, regardless of their engine.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from research.engine_folds import assign_folds, is_community
from research.experiment import main
from research.measuring import SystemScores
from research.side_by_side import page_score
from research.trials import required
from research.unknown_engines import UnknownEngines
from scrapy_semtext.inference.config import COMPACT
from scrapy_semtext.labelers.bundle import load_labeler
from scrapy_semtext.labelers.structure_trees import AveragedLabeler
from scrapy_semtext.training.datasets import AnnotatedPage, read_all, split_side
from scrapy_semtext.training.pair_pages import engine_of
from scrapy_semtext.training.structure_fit import fit_structure
from scrapy_semtext.training.trainer import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from research.measuring import PageScore
    from research.trials import Trials
    from scrapy_semtext.labelers.bundle import NetworkLabeler

SETTINGS_USED = replace(SETTINGS["compact"], epochs=5, batch_pages=4, repeats=1, vector_epochs=3)

_FOLDS = 2
# Folds of the engines for trees and models of posts.
_PARTS = 3


def run(paths: Sequence[Path], trials: Trials) -> dict[str, SystemScores]:
    """Train before and after, and test. Raises ExperimentError without articles or without forum and Q&A pages."""
    community: list[AnnotatedPage] = []
    others: list[AnnotatedPage] = []
    for page in read_all(paths):
        (community if is_community(page) else others).append(page)
    articles = required((page for page in others if page.page_type == "article"), "articles")
    where = assign_folds([_engine(page) for page in required(community, "forum and Q&A pages")], _FOLDS)
    tested = {page.domain for page in community}
    articles = [page for page in articles if page.domain not in tested]
    learned = [page for page in articles if split_side(page.domain) != "valid"]
    base = trials.examples(learned[:: trials.every], COMPACT)
    checking = required((page for page in articles if split_side(page.domain) == "valid"), "articles")
    checked = trials.examples(checking, COMPACT, scored=True)
    vectors = trials.vectors(base, COMPACT, SETTINGS_USED)
    bundle = trials.train("before", COMPACT, SETTINGS_USED, vectors, base, checked)
    order = sorted(range(len(community)), key=where.__getitem__)
    before = trials.test(bundle, [community[i] for i in order])
    after, networks = SystemScores("after", []), []
    for fold in range(_FOLDS):
        test = [page for page, place in zip(community, where, strict=True) if place == fold]
        domains = {page.domain for page in test}
        added = [p for p, place in zip(community, where, strict=True) if place != fold and p.domain not in domains]
        training = [*base, *trials.examples(added[:: trials.every], COMPACT)]
        bundle = trials.train(f"after-{fold}", COMPACT, SETTINGS_USED, vectors, training, checked)
        networks.append(load_labeler(bundle, device=trials.device))
        after.scores.extend(trials.test(bundle, test).scores)
        trials.notes.append(
            f"fold {fold}: {len(training) - len(base)} pages added to {len(base)} articles, {len(test)} tested"
        )
    pages = [*community, *others[:: trials.every]]
    read = _whole(pages, [networks[place] for place in where], trials)
    return {"before": before, "after": after, "after, trees and posts": SystemScores("", [read[i] for i in order])}


def _whole(pages: Sequence[AnnotatedPage], networks: Sequence[NetworkLabeler], trials: Trials) -> dict[int, PageScore]:
    """The scores of the first pages, by their number, each read with its own network."""
    unknown = UnknownEngines(pages, parts=_PARTS, progress=trials.progress)
    scores: dict[int, PageScore] = {}
    for part in range(_PARTS):
        trees = fit_structure(unknown.known(part), trials.seed)
        for number in unknown.left_out(part):
            described = unknown.described(number)
            unknown.find_posts(number, described)
            (found,) = AveragedLabeler(networks[number], trees).score([described])
            scores[number] = page_score(pages[number], described, found, "expected-f1")
    trials.notes.append(f"trees and posts: {len(pages)} pages, {_PARTS} folds of the engines")
    return scores


def _engine(page: AnnotatedPage) -> str:
    stated = page.extra.get("engine")
    return engine_of(page.html, stated if isinstance(stated, str) else None, page.domain)


if __name__ == "__main__":
    sys.exit(main(run, __doc__))
