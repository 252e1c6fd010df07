"""The gain of a site model, fitted to a few labeled pages, on the other pages of their site.

    python -m research.site_correction DATA... --out results.json

For each site with at least eight pages, some pages count as labeled by a person: a site model is fitted like `semtext
tune` does, used only if the command would write it, and the word F1 of the site's other pages is measured without and
with it. With a single labeled page, validation is impossible, so it is used untested. Labels are simulated: the blocks
whose text is in the true text. Prints a table in Markdown.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tqdm import tqdm

from scrapy_semtext.extractor import Extractor, Options
from scrapy_semtext.site.labeled_pages import LabeledBlock, LabeledPage
from scrapy_semtext.site.rules import SiteRule
from scrapy_semtext.train.corpus import aligned_shares, word_prf
from scrapy_semtext.train.datasets import read_all
from scrapy_semtext.tree.scopes import block_paths
from scrapy_semtext.tuning import examples_of, kept_with, tune

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.train.datasets import AnnotatedPage
    from scrapy_semtext.tuning import TuningExample

#: Domains whose pages are of many sites with templates of their own.
NOT_ONE_SITE = frozenset(("blogspot.com", "archive.org", "substack.com", "wordpress.com"))

_LABELS, _LEAST = (1, 3, 5, 10), 8  # numbers of labeled pages; pages that a site needs

#: The word F1 of sites that leave little to gain.
GOOD = 0.95

#: What is certain about a block by the share of its text that is in the true text; between, the better label is used.
_CERTAIN = (0.15, 0.95)


@dataclass(slots=True)
class Site:
    """A site with the word F1 of its pages, and for each number of labels (F1 before, tuned)."""

    name: str
    dataset: str
    pages: int
    scores: dict[int, list[float]]


@cache
def _extractor() -> Extractor:
    return Extractor.load(device="cpu", options=Options(pairs=False, sections=False, kinds=False))


def labels_of(texts: Sequence[str], truth: str) -> NDArray[np.bool_]:
    """Return which blocks a person who wants the true text would label as main content, (blocks,).

    These have more than half of their text in the true text; partly contained blocks get the label with the better F1.
    """
    shares = np.array(aligned_shares(texts, truth))
    main = shares >= 0.5
    best = _f1(texts, main, truth)
    for place in np.flatnonzero((shares > _CERTAIN[0]) & (shares < _CERTAIN[1])):
        main[place] ^= True
        found = _f1(texts, main, truth)
        if found > best:
            best = found
        else:
            main[place] ^= True
    return main


def _f1(texts: Sequence[str], kept: NDArray[np.bool_], truth: str) -> float:
    return word_prf("\n".join(text for text, is_kept in zip(texts, kept, strict=True) if is_kept), truth).f1


def _labeled(page: AnnotatedPage) -> LabeledPage:
    annotation = _extractor().annotate(page.html, page.url)
    texts = [block.text for block in annotation.text_blocks]
    blocks = [
        LabeledBlock(block.text, path, "main" if main else "boilerplate", block.probability)
        for block, path, main in zip(
            annotation.page.blocks, block_paths(annotation.text_blocks), labels_of(texts, page.text), strict=True
        )
    ]
    return LabeledPage(page.id, page.url, page.html, blocks, done=True)


def score_site(pages: Sequence[AnnotatedPage], labels: Sequence[int], repeats: int, most: int) -> Site:
    """Score a site: means over ``repeats`` random choices of the labeled pages, and over ``most`` other pages each."""
    examples = examples_of([_labeled(page) for page in pages], _extractor())
    truths = {id(example): page.text for example, page in zip(examples, pages, strict=True)}
    scores: dict[int, list[float]] = {}
    for count in labels:
        if len(examples) < count + 2:
            continue
        rows = []
        for repeat in range(repeats):
            shuffled = random.Random(f"{pages[0].domain}{repeat}").sample(examples, len(examples))  # noqa: S311
            rows += _scores(shuffled[:count], shuffled[count : count + most], truths)
        scores[count] = np.mean(rows, axis=0).round(4).tolist()
    return Site(pages[0].domain, pages[0].dataset, len(pages), scores)


def _scores(
    chosen: Sequence[TuningExample], others: Sequence[TuningExample], truths: dict[int, str]
) -> list[list[float]]:
    """The word F1 of each other page without and with the site model, which is empty if it would not be written."""
    model, gain = tune(chosen, _extractor())
    rule = SiteRule("tuned", tuned=model if gain is None or gain.is_better else None)
    rows = []
    for example in others:
        texts, truth = [block.text for block in example.blocks], truths[id(example)]
        masks = [example.kept, kept_with(example, rule, _extractor())]
        rows.append([_f1(texts, mask, truth) for mask in masks])
    return rows


def _line(sites: Sequence[Site], count: int) -> str:
    """The means over sites with this number of labeled pages, as a row of the table."""
    rows = np.array([site.scores[count] for site in sites if count in site.scores])
    low = rows[rows[:, 0] < GOOD]
    lost = int((rows[:, 1] < rows[:, 0] - 0.005).sum())
    before, tuned = (" | ".join(f"{value:.3f}" for value in each.mean(0)) for each in (rows, low))
    return f"| {count} ({len(rows)} sites) | {before} | {tuned} ({len(low)} sites) | {lost} |"


def main(words: Sequence[str] | None = None) -> int:
    """Run the experiment."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+", type=Path, metavar="DATA", help="page sets")
    parser.add_argument("--repeats", type=int, default=5, help="choices of the labeled pages (%(default)s)")
    parser.add_argument("--most", type=int, default=20, help="other pages that are measured (%(default)s)")
    parser.add_argument("--workers", type=int, default=2, help="processes (%(default)s)")
    parser.add_argument("--out", type=Path, help="the scores as JSON")
    arguments = parser.parse_args(words)
    grouped = defaultdict(list)
    for page in read_all(arguments.data):
        grouped[page.dataset, page.domain].append(page)
    chosen = [pages for (_, name), pages in grouped.items() if len(pages) >= _LEAST and name not in NOT_ONE_SITE]
    score = partial(score_site, labels=_LABELS, repeats=arguments.repeats, most=arguments.most)
    with ProcessPoolExecutor(arguments.workers) as pool:
        sites = list(tqdm(pool.map(score, chosen), total=len(chosen), disable=not sys.stderr.isatty()))
    if arguments.out:
        rows = [{"site": each.name, "set": each.dataset, "pages": each.pages, **each.scores} for each in sites]
        arguments.out.write_text(json.dumps(rows, indent=1))
    head = "| labeled pages | all sites | tuned | below 0.95 | tuned | sites that lose more than 0.005 |"
    lines = [head, "|--:" * 6 + "|", *(_line(sites, count) for count in _LABELS)]
    sys.stdout.write("\n".join([*lines, ""]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
