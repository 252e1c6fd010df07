"""Labelled pages as examples: read once by the model, to be labelled again with any correction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.dom.paths import block_places
from scrapy_semtext.site.page_rule import PageRule
from scrapy_semtext.site.tuned import log_odds
from scrapy_semtext.text.tokens import word_counts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.extractor import Annotation, Extractor
    from scrapy_semtext.site.labelled import LabelledPage
    from scrapy_semtext.site.page_rule import SiteRule

    Mask = NDArray[np.bool_]


class ExampleError(ValueError):
    """A labelled page cannot be used; the message says which, and why."""


@dataclass(slots=True)
class Example:
    """A labelled page as the model reads it.

    ``main``: (blocks,), whether a person takes a block for main content; ``kept``: (blocks,), whether the model does;
    ``log_odds``: (blocks,), those of the model; ``words``: (blocks,), the number of words; ``places``: those of
    `block_places` for each block.
    """

    page: LabelledPage
    annotation: Annotation
    main: Mask
    kept: Mask
    log_odds: NDArray[np.float64]
    words: NDArray[np.float64]
    places: list[tuple[str, ...]]

    @property
    def blocks(self) -> list[TextBlock]:
        """The text blocks of the page."""
        return self.annotation.text_blocks

    @property
    def root(self) -> object:
        """The tree of the page."""
        return self.annotation.root


def examples_of(pages: Iterable[LabelledPage], extractor: Extractor) -> list[Example]:
    """Read labelled pages; raise ExampleError for one whose blocks are not those that this version cuts it into."""
    return [_example(page, extractor) for page in pages]


def _example(page: LabelledPage, extractor: Extractor) -> Example:
    annotation = extractor.annotate(page.html, page.url)
    reading = annotation.reading
    texts = [block.text for block in annotation.text_blocks]
    if reading is None or texts != [block.text for block in page.blocks]:
        name = page.url or page.id
        raise ExampleError(f"the blocks of {name} are not those of this version; open its labels with `semtext label`")
    kept = [block.is_main for block in extractor.relabelled(annotation, None)]
    return Example(
        page,
        annotation,
        np.array([block.label == "main" for block in page.blocks], np.bool_),
        np.array(kept, np.bool_),
        log_odds(reading.scores),
        word_counts(texts),
        block_places(annotation.text_blocks),
    )


def kept_with(example: Example, rule: SiteRule, extractor: Extractor) -> Mask:
    """Return which blocks of a page are main content with a rule, (blocks,)."""
    blocks = extractor.relabelled(example.annotation, PageRule(rule, example.root))
    return np.array([block.is_main for block in blocks], np.bool_)


def word_f1(example: Example, kept: Mask) -> float:
    """Return the F1 over the words of the blocks that are kept and those that should be, 0 to 1; 1 if both are none."""
    both = example.words[kept].sum() + example.words[example.main].sum()
    return float(2 * example.words[kept & example.main].sum() / both) if both else 1.0
