"""Labels on forum engines that nobody showed the models: ``python -m ... wcxb_dev.jsonl.xz qa_dev.jsonl.xz ...``.

Structure trees learn from all pages but those of some engines, and read the threads of these: as if there were no
models of posts; told of the posts that these find, which were fitted without the engines, too; and with what the posts
add to the log-odds beside. The network has no part in it. Printed are the mean word F1 of the community pages of each
set, and the precision, recall and F1 of their blocks, over all blocks and as means of the pages.
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

from scrapy_semtext.features.post_features import POST_COLUMNS, post_columns, post_logit_adjustment
from scrapy_semtext.features.structure_features import COLUMNS
from scrapy_semtext.inference.scores import Scores
from scrapy_semtext.training.datasets import read_all
from scrapy_semtext.training.experiments.readings import page_score
from scrapy_semtext.training.experiments.unknown import UnknownEngines
from scrapy_semtext.training.scoring import BlockCounts, mean_prf, prf
from scrapy_semtext.training.structure_fit import fit_structure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.labelers.structure_trees import StructureTrees
    from scrapy_semtext.training.datasets import AnnotatedPage
    from scrapy_semtext.training.measuring import PageScore
    from scrapy_semtext.training.structure_fit import StructureExample

WAYS = ("without posts", "told of posts", "and evidence")


def run(pages: Sequence[AnnotatedPage], *, progress: bool = True) -> dict[str, dict[str, list[PageScore]]]:
    """The scores of the community pages, by the set that each is in and by the way that it was read."""
    unknown = UnknownEngines(pages, progress=progress)
    scores: dict[str, dict[str, list[PageScore]]] = defaultdict(lambda: defaultdict(list))
    for part in tqdm(range(unknown.parts), desc="folds", disable=not progress):
        known = unknown.known(part)
        told, untold = fit_structure(known), fit_structure([_without_posts(example) for example in known])
        for number in unknown.left_out(part):
            for way, score in zip(WAYS, _scores(unknown, number, untold, told), strict=True):
                scores[pages[number].dataset][way].append(score)
    return scores


def table(scores: dict[str, dict[str, list[PageScore]]]) -> str:
    """The means and, of blocks, the values over all pages of a set, in percent."""
    columns = ("pages", "way", "word F1", "block precision", "recall", "F1, pooled", "precision", "recall", "F1, mean")
    lines = [f"| {' | '.join(columns)} |", "|---|---|" + "--:|" * (len(columns) - 2)]
    for name, ways in sorted(scores.items()):
        for way, found in ways.items():
            counts = [score.blocks or BlockCounts(0, 0, 0) for score in found]
            pooled = prf(*(sum(column) for column in zip(*counts, strict=True)))
            values = (mean_prf(s.words for s in found).f1, *pooled, *mean_prf(prf(*count) for count in counts))
            lines.append(f"| {name} ({len(found)}) | {way} | " + " | ".join(f"{100 * v:.1f}" for v in values) + " |")
    return "\n".join(lines)


def _without_posts(example: StructureExample) -> StructureExample:
    """The example of a page on which nobody looked for posts."""
    rows = example.rows.copy()
    rows[:, len(COLUMNS) : len(COLUMNS) + len(POST_COLUMNS)] = post_columns(
        [None], np.zeros(len(rows)), np.array([0, len(rows)])
    ).T
    return replace(example, rows=rows)


def _scores(
    unknown: UnknownEngines, number: int, untold: StructureTrees, told: StructureTrees
) -> tuple[PageScore, ...]:
    """The scores of a page in each of WAYS."""
    described = unknown.described(number)
    without = untold.log_odds([described])[0]
    unknown.find_posts(number, described)
    odds = told.log_odds([described])[0]
    evidence = 0.0 if described.posts is None else post_logit_adjustment(described.posts, 1 / (1 + np.exp(-odds)))
    page = unknown.pages[number]
    return tuple(page_score(page, described, _by(o), "expected-f1") for o in (without, odds, odds + evidence))


def _by(odds: NDArray[np.float64]) -> Scores:
    return Scores(1 / (1 + np.exp(-odds)), odds > 0)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", type=Path)
    sys.stdout.write(table(run(list(read_all(parser.parse_args().data)))) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
