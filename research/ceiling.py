"""The upper bound of any labeling of the blocks: the word F1 of blocks labeled from the true text.

python -m research.ceiling DATA...
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from research.data_command import run_command
from scrapy_semtext.cli.annotated_pages import DataCommand, write_table
from scrapy_semtext.dom.joining import segment
from scrapy_semtext.dom.tree import parse
from scrapy_semtext.training.corpus import label_blocks
from scrapy_semtext.training.datasets import read_pages
from scrapy_semtext.training.evaluate import by_group, group_of
from scrapy_semtext.training.scoring import PRF, mean_prf, word_prf

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path


def oracle_text(blocks: Sequence[str], truth: str) -> str:
    """Return the main text that perfect labels would give: the true content blocks, one per line."""
    labels = label_blocks(blocks, truth)
    return "\n".join(block for block, is_content in zip(blocks, labels, strict=True) if is_content)


def ceiling(paths: Iterable[str | Path], progress: bool = True) -> dict[str, dict[str, Any]]:
    """Return the upper bound of any labeling, a mean over all pages ("all") and over those of each page type.

    It measures segmentation and alignment, and the annotation: text that is loaded by scripts, and words that
    annotators added or left out within a block, are lost to every labeler. Each value holds ``precision``, ``recall``
    and ``f1`` of the true blocks and ``present``, the share of the true words in any block (0 to 1), and the number of
    ``pages``. Raises DatasetError for a set that cannot be read.
    """

    def rows() -> Iterator[tuple[str, tuple[PRF, PRF]]]:
        pages = (page for path in paths for page in read_pages(path))
        for page in tqdm(pages, unit=" pages", disable=not progress):
            blocks = [block.text for block in segment(parse(page.html, page.url))]
            texts = oracle_text(blocks, page.text), "\n".join(blocks)
            yield group_of(page), (word_prf(texts[0], page.text), word_prf(texts[1], page.text))

    return by_group(rows(), _ceiling_summary)


def _ceiling_summary(rows: list[tuple[PRF, PRF]]) -> dict[str, Any]:
    best, present = zip(*rows, strict=True)
    return {**mean_prf(best)._asdict(), "present": mean_prf(present).recall}


def _work(arguments: argparse.Namespace, *, progress: bool) -> None:
    write_table(ceiling(arguments.data, progress=progress))


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    return run_command("research.ceiling", DataCommand(_work, __doc__ or ""), words)


if __name__ == "__main__":
    sys.exit(main())
