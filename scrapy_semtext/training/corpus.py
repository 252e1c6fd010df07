"""Training examples from annotated pages: the input of a labeler, with the true labels of the blocks."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
from tqdm import tqdm

from scrapy_semtext.features.block_features import FEATURES
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.inference.config import PageInput
from scrapy_semtext.text.tokens import word_counts
from scrapy_semtext.training.alignment import label_blocks
from scrapy_semtext.training.scoring import prf, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.training.datasets import AnnotatedPage

_Input = TypeVar("_Input")

# Pages with less of their true text than this would teach that main content is boilerplate: they are rendered by
# scripts, or the saved page is truncated.
_LEAST_RECALL = 0.5

_LINK_SHARE = FEATURES.index("link_share")
# Elements around navigation, and elements of a page's heading.
_NAVIGATION, _HEADING = frozenset({"nav", "footer", "form"}), frozenset({"h1", "h2"})


@dataclass(slots=True)
class PageExample(Generic[_Input]):
    """A training page.

    ``input``: the input of the labeler; ``labels``: (blocks,) bool, whether each block is main content; ``known``:
    (blocks,) bool, whether this is known; ``words``: (blocks,) the number of words; ``block_words`` and ``truth``: the
    words of each block and of the true text, only kept for pages that are scored.
    """

    id: str
    dataset: str
    kind: str | None
    input: _Input
    labels: NDArray[np.bool_]
    known: NDArray[np.bool_]
    words: NDArray[np.float64]
    block_words: list[list[str]] | None = None
    truth: list[str] | None = None

    def f1(self, keep: NDArray[np.bool_]) -> float:
        """Return the word F1 of the page if these blocks, (blocks,), were kept."""
        if self.block_words is None or self.truth is None:
            raise ValueError(f"page {self.id} was prepared without its words")
        found = [word for block, kept in zip(self.block_words, keep, strict=True) if kept for word in block]
        return prf((Counter(found) & Counter(self.truth)).total(), len(found), len(self.truth)).f1


#: An example for the network.
Example = PageExample[PageInput]


def prepare(
    pages: Iterable[AnnotatedPage],
    read: Callable[[ParsedPage], _Input],
    *,
    scored: bool,
    workers: int = 1,
    progress: bool = False,
) -> list[PageExample[_Input]]:
    """Segment, label and describe pages, in several processes; unusable pages are skipped.

    ``read`` creates the input of a labeler. ``scored`` keeps the words for `PageExample.f1`, and all pages with blocks
    whose labels are all known. Otherwise, pages with less than half of their true text are skipped as well.
    """
    found: list[PageExample[_Input]] = []
    remaining = iter(pages)
    bar = tqdm(desc="preparing pages", unit=" pages", disable=not progress)
    with bar, ProcessPoolExecutor(workers) as pool:
        while portion := list(islice(remaining, 200)):  # a pool would read all pages ahead
            for example in pool.map(partial(prepare_page, read=read, scored=scored), portion, chunksize=10):
                bar.update()
                if example is not None:
                    found.append(example)
    return found


def prepare_page(
    page: AnnotatedPage, read: Callable[[ParsedPage], _Input], *, scored: bool
) -> PageExample[_Input] | None:
    """Create an example from a page; None if it has no blocks or, unless ``scored``, too little of its true text.

    If ``scored``, also None if the labels of some blocks are unknown.
    """
    described = describe(page.html, page.url)
    if not described.text_blocks:
        return None
    texts = [block.text for block in described.text_blocks]
    counts = word_counts(texts)
    labels = np.array(label_blocks(texts, page.text))
    truth = words(page.text)
    if not scored and counts[labels].sum() < _LEAST_RECALL * len(truth):
        return None
    known = _known(described, page, labels)
    example = PageExample(page.id, page.dataset, page.page_type, read(described), labels, known, counts)
    if scored and not known.all():
        return None
    if scored:
        example.block_words, example.truth = [words(text) for text in texts], truth
    return example


def _known(described: ParsedPage, page: AnnotatedPage, labels: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for which blocks, (blocks,), the true text determines whether they are main content.

    The true text of a recipe is its ingredients and steps; only links and navigation in the rest are certainly
    boilerplate. The true text of search results is the records, without a heading of the page.
    """
    tags = [frozenset(block.tags) for block in described.text_blocks]
    known: NDArray[np.bool_] = labels.copy()
    if page.page_type == "recipe":
        known |= described.block_features()[:, _LINK_SHARE] > 0.5
        known |= np.array([bool(around & _NAVIGATION) for around in tags])
    elif page.page_type == "search_results":
        known |= np.array([not around & _HEADING for around in tags])
    else:
        known[:] = True
    return known


def word_lines(examples: Iterable[Example]) -> Iterator[tuple[str, ...]]:
    """Yield the word strings of the blocks, for training word vectors: every text, and each page's distinct paths."""
    for example in examples:
        yield from (string for string in example.input.text if string)
        yield from {string for string in example.input.tags if string}
        yield from {string for string in example.input.names if string}
