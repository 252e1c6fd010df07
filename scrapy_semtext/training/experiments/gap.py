"""Where the blocks are that a bundle labels wrongly: ``python -m ... cleaneval_final.jsonl.xz [--bundle DIR]``.

Printed are block precision, recall and F1 of the labels; of labels that are told from the truth by the alignment that
training goes by, which shows what a perfect model would reach; and of the best cut through the order that the model
puts each page's blocks in, chosen by the truth. Then the errors by the words of a block, and on the worst pages.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tqdm import tqdm

from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.labelers.registry import Labelers
from scrapy_semtext.qa.models import load_pair_models
from scrapy_semtext.qa.reader import find_page_posts
from scrapy_semtext.text.tokens import word_counts
from scrapy_semtext.training.alignment import label_blocks
from scrapy_semtext.training.datasets import read_measured
from scrapy_semtext.training.scoring import PRF, block_labels, mean_prf, prf

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.training.datasets import AnnotatedPage

#: Blocks of fewer words than each of these, and of more than the one before.
SIZES = (4, 10, 30)
WORST = 25
WAYS = ("labels", "labels by alignment", "best cut of each page")


@dataclass(slots=True)
class Labels:
    """The labels of a page's blocks, (blocks,) bool each, in each of WAYS; the true ones; and the words of each."""

    ways: tuple[NDArray[np.bool_], ...]
    truth: NDArray[np.bool_]
    words: NDArray[np.float64]

    @property
    def errors(self) -> NDArray[np.bool_]:
        """Which blocks the model labels wrongly."""
        wrong: NDArray[np.bool_] = self.ways[0] != self.truth
        return wrong


def labelled(pages: Iterable[AnnotatedPage], bundle: Path | None = None, *, progress: bool = True) -> list[Labels]:
    """Label the blocks of pages by a bundle, the shipped one by default."""
    loaded = Labelers(bundle).get("semtext")
    models = load_pair_models(bundle).posts
    found = []
    for page in tqdm(pages, unit=" pages", disable=not progress):
        described = describe(page.html, page.url)
        find_page_posts(described, models)
        (scores,) = loaded.labeller.score([described])
        texts = [block.text for block in described.text_blocks]
        counts = word_counts(texts)
        truth = np.array(block_labels(texts, page.text), dtype=np.bool_)
        aligned = np.array(label_blocks(texts, page.text), dtype=np.bool_)
        ways = (scores.labels(loaded.decision, counts), aligned, best_cut(scores.probabilities, truth))
        found.append(Labels(ways, truth, counts))
    return found


def best_cut(probabilities: NDArray[np.float64], truth: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The likeliest blocks, (blocks,) bool, so many that their F1 is the highest there is."""
    order = np.argsort(-probabilities, kind="stable")
    hits = np.concatenate([[0], np.cumsum(truth[order])])
    sizes = np.arange(len(truth) + 1) + truth.sum()
    keep = np.zeros(len(truth), dtype=np.bool_)
    keep[order[: int(np.argmax(2 * hits / np.maximum(sizes, 1)))]] = True
    return keep


def report(pages: Sequence[Labels]) -> str:
    """The tables, in percent."""
    lines = ["| | precision | recall | F1, pooled | precision | recall | F1, mean of pages |", "|---|" + "--:|" * 6]
    for place, way in enumerate(WAYS):
        counts = [_counts(page.ways[place], page.truth) for page in pages]
        pooled = prf(*(sum(column) for column in zip(*counts, strict=True)))
        lines.append(_row(way, pooled, mean_prf(prf(*count) for count in counts)))
    words = np.concatenate([page.words for page in pages])
    truth, wrong = (np.concatenate(parts) for parts in zip(*((p.truth, p.errors) for p in pages), strict=True))
    lines += ["", "| words of a block | blocks | main content | wrong |", "|---|--:|--:|--:|"]
    for low, high in zip((0, *SIZES), (*SIZES, np.inf), strict=True):
        chosen = (words >= low) & (words < high)
        name = f"{low} and more" if high == np.inf else f"{low} to {int(high) - 1}"
        lines.append(f"| {name} | {chosen.sum()} | {truth[chosen].sum()} | {wrong[chosen].sum()} |")
    worst = sorted((int(page.errors.sum()) for page in pages), reverse=True)
    share = sum(worst[:WORST]) / max(sum(worst), 1)
    lines += ["", f"{100 * share:.0f} % of the errors are on {min(WORST, len(pages))} of {len(pages)} pages."]
    return "\n".join(lines)


def _counts(keep: NDArray[np.bool_], truth: NDArray[np.bool_]) -> tuple[int, int, int]:
    return int((keep & truth).sum()), int(keep.sum()), int(truth.sum())


def _row(name: str, *scores: PRF) -> str:
    return f"| {name} | " + " | ".join(f"{100 * value:.1f}" for score in scores for value in score) + " |"


def main() -> int:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--bundle", type=Path)
    arguments = parser.parse_args()
    sys.stdout.write(report(labelled(read_measured(arguments.data), arguments.bundle)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
