"""Table II of the paper: forum and Q&A pages, by a model that learned from none and by one that learned from some.

Both learn from the articles of the given sets; the second also from the forum and Q&A pages of other forum engines than
those it is tested by, and of other sites. Engines are dealt into two folds, so that all forum and Q&A pages are tested.
The paper added 50 of its own 250 pages, whichever engine they were from.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy_semtext.model.config import COMPACT
from scrapy_semtext.training.comparison import Measured
from scrapy_semtext.training.datasets import TruthPage, read_all, side_of
from scrapy_semtext.training.engines import deal, engine_of
from scrapy_semtext.training.experiments.trials import required
from scrapy_semtext.training.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy_semtext.training.experiments.trials import Trials

SETTINGS_USED = replace(SETTINGS["compact"], epochs=5, batch_pages=4, repeats=1, vector_epochs=3)

_KINDS = frozenset(("forum", "thread", "qa"))
_FOLDS = 2


def run(paths: Sequence[Path], trials: Trials) -> dict[str, Measured]:
    """Train before and after, and test. Raises ExperimentError without articles or without forum and Q&A pages."""
    articles: list[TruthPage] = []
    community: list[TruthPage] = []
    for page in read_all(paths):
        if page.page_type in _KINDS:
            community.append(page)
        elif page.page_type == "article":
            articles.append(page)
    required(articles, "articles")
    where = deal([_engine(page) for page in required(community, "forum and Q&A pages")], _FOLDS)
    tested = {page.domain for page in community}
    articles = [page for page in articles if page.domain not in tested]
    learned = [page for page in articles if side_of(page.domain) != "valid"]
    base = trials.examples(learned[:: trials.every], COMPACT)
    checking = required((page for page in articles if side_of(page.domain) == "valid"), "articles")
    checked = trials.examples(checking, COMPACT, scored=True)
    vectors = trials.vectors(base, COMPACT, SETTINGS_USED)
    bundle = trials.train("before", COMPACT, SETTINGS_USED, vectors, base, checked)
    order = sorted(range(len(community)), key=where.__getitem__)
    before = trials.test(bundle, [community[i] for i in order])
    after = Measured("after", [])
    for fold in range(_FOLDS):
        test = [page for page, place in zip(community, where, strict=True) if place == fold]
        domains = {page.domain for page in test}
        added = [p for p, place in zip(community, where, strict=True) if place != fold and p.domain not in domains]
        training = [*base, *trials.examples(added[:: trials.every], COMPACT)]
        bundle = trials.train(f"after-{fold}", COMPACT, SETTINGS_USED, vectors, training, checked)
        after.scores.extend(trials.test(bundle, test).scores)
        trials.notes.append(
            f"fold {fold}: {len(training) - len(base)} pages added to {len(base)} articles, {len(test)} tested"
        )
    return {"before": before, "after": after}


def _engine(page: TruthPage) -> str:
    stated = page.extra.get("engine")
    return engine_of(page.html, stated if isinstance(stated, str) else None, page.domain)
