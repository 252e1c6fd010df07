"""Labels on forum engines that nobody showed the models: ``python -m ... wcxb_dev.jsonl.xz qa_dev.jsonl.xz ...``.

Structure trees learn from all pages but those of some engines, and read the threads of these: as if there were no
models of posts; told of the posts that these find, which were fitted without the engines, too; and with what the posts
add to the log-odds beside. The network has no part in it. Printed is the mean word F1 of the community pages of each
set.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tqdm import tqdm

from scrapy_semtext.describe import describe
from scrapy_semtext.model.decision import word_counts
from scrapy_semtext.model.scores import Scores
from scrapy_semtext.questions.evidence import evident_log_odds
from scrapy_semtext.questions.reader import find_posts_of
from scrapy_semtext.reading.joining import main_text
from scrapy_semtext.structure.post_columns import POST_COLUMNS, post_columns
from scrapy_semtext.training.crossed_posts import CrossedPosts
from scrapy_semtext.training.datasets import may_ship, read_all
from scrapy_semtext.training.engines import deal, engine_of
from scrapy_semtext.training.pair_pages import is_community
from scrapy_semtext.training.scoring import word_prf
from scrapy_semtext.training.structure_fit import fit_structure, structure_example

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.describe import Described
    from scrapy_semtext.structure.trees import StructureTrees
    from scrapy_semtext.training.datasets import TruthPage
    from scrapy_semtext.training.structure_fit import StructureExample

_FOLDS = 6
WAYS = ("without posts", "told of posts", "and evidence")


def run(pages: Sequence[TruthPage], *, progress: bool = True) -> dict[str, dict[str, list[float]]]:
    """The word F1 of each community page, by the set that it is in and by the way that it was read."""
    community = [number for number, page in enumerate(pages) if is_community(page)]
    engines = {n: engine_of(pages[n].html, pages[n].extra.get("engine"), pages[n].domain) for n in community}
    folds = dict(zip(community, deal(list(engines.values()), _FOLDS), strict=True))
    crossed = CrossedPosts([page for page in pages if may_ship(page)], progress=progress)
    bar = tqdm(pages, desc="preparing pages", unit=" pages", disable=not progress)
    examples = [structure_example(page, crossed(page)) if may_ship(page) else None for page in bar]
    scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for out in tqdm(range(_FOLDS), desc="folds", disable=not progress):
        left = [n for n in community if folds[n] == out]
        domains = {pages[n].domain for n in left}
        known = [
            example
            for n, example in enumerate(examples)
            if example is not None and folds.get(n) != out and pages[n].domain not in domains
        ]
        told, untold = fit_structure(known), fit_structure([_without_posts(example) for example in known])
        for n in left:
            for way, score in zip(WAYS, _scores(pages[n], crossed, untold, told), strict=True):
                scores[pages[n].dataset][way].append(score)
    return scores


def _without_posts(example: StructureExample) -> StructureExample:
    """The example of a page on which nobody looked for posts."""
    rows = example.rows.copy()
    rows[:, -len(POST_COLUMNS) :] = post_columns(None, np.zeros(len(rows)))
    return replace(example, rows=rows)


def _scores(page: TruthPage, crossed: CrossedPosts, untold: StructureTrees, told: StructureTrees) -> list[float]:
    """The word F1 of a page in each of WAYS."""
    described = describe(page.html, page.url)
    if not described.text_blocks:
        return [word_prf("", page.text).f1] * len(WAYS)
    without = untold.log_odds(described)
    find_posts_of(described, crossed(page))
    odds = told.log_odds(described)
    posts = described.posts
    evidence = 0.0 if posts is None else evident_log_odds(posts, 1 / (1 + np.exp(-odds)))
    return [_f1(described, each, page.text) for each in (without, odds, odds + evidence)]


def _f1(page: Described, odds: NDArray[np.float64], truth: str) -> float:
    counts = word_counts([block.text for block in page.text_blocks])
    keep = Scores(1 / (1 + np.exp(-odds)), odds > 0).labels("expected-f1", counts)
    return word_prf(main_text(page.text_blocks, keep.tolist()), truth).f1


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", type=Path)
    scores = run(list(read_all(parser.parse_args().data)))
    lines = ["| pages | " + " | ".join(WAYS) + " |", "|---|" + "--:|" * len(WAYS)]
    for name, ways in sorted(scores.items()):
        means = " | ".join(f"{100 * sum(ways[way]) / len(ways[way]):.1f}" for way in WAYS)
        lines.append(f"| {name} ({len(ways[WAYS[0]])}) | {means} |")
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
