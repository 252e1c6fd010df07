"""Training examples from annotated pages: the features of blocks, with their true labels."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from tqdm import tqdm

from scrapy_semtext.features.block_words import page_input
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.text.tokens import word_counts
from scrapy_semtext.training.alignment import CONTENT_SHARE, aligned_shares
from scrapy_semtext.training.scoring import prf, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.inference.config import NetworkConfig
    from scrapy_semtext.inference.inputs import PageInput
    from scrapy_semtext.training.datasets import AnnotatedPage

_T = TypeVar("_T")

# Pages that hold less of their true text than this teach that main content is boilerplate: they are rendered by
# script, or the saved page is cut short.
_LEAST_RECALL = 0.5


@dataclass(slots=True)
class Example:
    """A training page.

    ``labels``: (blocks,) bool, whether a block is main content; ``words``: (blocks,) how many words each has;
    ``block_words`` and ``truth``: the words of each block and of the true text, kept for pages that are only scored.
    """

    id: str
    dataset: str
    kind: str | None
    input: PageInput
    labels: NDArray[np.bool_]
    words: NDArray[np.float64]
    block_words: list[list[str]] | None = None
    truth: list[str] | None = None

    def word_f1(self, keep: NDArray[np.bool_]) -> float:
        """Word F1 of the page if these blocks, (blocks,), were kept."""
        if self.block_words is None or self.truth is None:
            raise ValueError(f"page {self.id} was prepared without its words")
        return kept_word_f1(self.block_words, self.truth, keep)

    def block_f1(self, keep: NDArray[np.bool_]) -> float:
        """F1 of the page's blocks if these, (blocks,), were kept; blocks have equal weights."""
        return prf(float((keep & self.labels).sum()), float(keep.sum()), float(self.labels.sum())).f1


@dataclass(slots=True)
class Labelled:
    """A segmented page with true labels; the attributes are those of `Example`."""

    described: ParsedPage
    labels: NDArray[np.bool_]
    words: NDArray[np.float64]
    block_words: list[list[str]]
    truth: list[str]


def kept_word_f1(block_words: Sequence[list[str]], truth: Sequence[str], keep: NDArray[np.bool_]) -> float:
    """Word F1 of a page with these words in its blocks and in its true text, if some blocks, (blocks,), were kept."""
    found = [word for block, kept in zip(block_words, keep, strict=True) if kept for word in block]
    return prf((Counter(found) & Counter(truth)).total(), len(found), len(truth)).f1


def prepare(
    pages: Iterable[AnnotatedPage], config: NetworkConfig, *, scored: bool, workers: int = 1, progress: bool = False
) -> list[Example]:
    """Segment, label and describe pages, in several processes; unusable pages are left out.

    ``scored`` keeps the words that `Example.word_f1` needs, and every page that has blocks. Otherwise pages that hold
    less than half of their true text are left out as well.
    """
    return map_pages(partial(prepare_page, config=config, scored=scored), pages, workers=workers, progress=progress)


def map_pages(
    work: Callable[[AnnotatedPage], _T | None],
    pages: Iterable[AnnotatedPage],
    *,
    workers: int = 1,
    progress: bool = False,
) -> list[_T]:
    """The results of ``work`` for each page, in several processes; None is left out."""
    found: list[_T] = []
    bar = tqdm(desc="preparing pages", unit=" pages", disable=not progress)
    with bar, ProcessPoolExecutor(workers) as pool:
        for portion in _portions(pages, 200):
            for example in pool.map(work, portion, chunksize=10):
                bar.update()
                if example is not None:
                    found.append(example)
    return found


def prepare_page(page: AnnotatedPage, config: NetworkConfig, *, scored: bool) -> Example | None:
    """Make an example of a page; None if it has no blocks or, unless ``scored``, too little of its true text."""
    labelled = labelled_page(page, scored=scored)
    if labelled is None:
        return None
    described = labelled.described
    return Example(
        page.id,
        page.dataset,
        page.page_type,
        page_input(described, config),
        labelled.labels,
        labelled.words,
        labelled.block_words if scored else None,
        labelled.truth if scored else None,
    )


def labelled_page(page: AnnotatedPage, *, scored: bool) -> Labelled | None:
    """Segment and label a page; None as in `prepare_page`."""
    described = describe(page.html, page.url)
    if not described.text_blocks:
        return None
    texts = [block.text for block in described.text_blocks]
    counts = word_counts(texts)
    labels = np.array([share >= CONTENT_SHARE for share in aligned_shares(texts, page.text)])
    truth = words(page.text)
    if not scored and counts[labels].sum() < _LEAST_RECALL * len(truth):
        return None
    return Labelled(described, labels, counts, [words(text) for text in texts], truth)


def word_lines(examples: Iterable[Example]) -> Iterator[tuple[str, ...]]:
    """Yield the word strings of the blocks, for training word vectors: every text, and each page's different paths."""
    for example in examples:
        yield from (string for string in example.input.text if string)
        yield from {string for string in example.input.tags if string}
        yield from {string for string in example.input.names if string}


def _portions(pages: Iterable[AnnotatedPage], size: int) -> Iterator[list[AnnotatedPage]]:
    """Divide the pages into lists, so that a pool does not read all of them ahead."""
    iterator = iter(pages)
    while portion := list(islice(iterator, size)):
        yield portion
