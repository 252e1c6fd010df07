"""Labeled pages as examples, read once by the model, and what a correction gains on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.dom.scope_tree import block_places
from scrapy_semtext.site.page_rule import PageRule, SiteRule, log_odds
from scrapy_semtext.text.tokens import word_counts
from scrapy_semtext.utils.bootstrap import Estimate, Resamples, estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.extractor import Annotation, Extractor
    from scrapy_semtext.site.labeled import LabeledPage
    from scrapy_semtext.utils.arrays import Bools, Floats

#: More pages than this are held out in so many parts instead of one by one.
MOST_PARTS = 20


class ExampleError(ValueError):
    """A labeled page cannot be used; the message says which, and why."""


@dataclass(slots=True)
class TuningExample:
    """A labeled page as the model reads it.

    ``main``: (blocks,), whether a person takes a block for main content; ``kept``: (blocks,), whether the model does;
    ``log_odds``: (blocks,), those of the model; ``words``: (blocks,), the number of words; ``places``: those of
    `block_places` for each block.
    """

    annotation: Annotation
    main: Bools
    kept: Bools
    log_odds: Floats
    words: Floats
    places: list[tuple[str, ...]]

    @property
    def blocks(self) -> list[TextBlock]:
        """The text blocks of the page."""
        return self.annotation.text_blocks


def examples_of(pages: Iterable[LabeledPage], extractor: Extractor) -> list[TuningExample]:
    """Read labeled pages; raise ExampleError for one whose blocks are not those that this version cuts it into."""
    return [_example(page, extractor) for page in pages]


def _example(page: LabeledPage, extractor: Extractor) -> TuningExample:
    annotation = extractor.annotate(page.html, page.url)
    reading = annotation.reading
    texts = [block.text for block in annotation.text_blocks]
    if reading is None or texts != [block.text for block in page.blocks]:
        name = page.url or page.id
        raise ExampleError(f"the blocks of {name} are not those of this version; open its labels with `semtext label`")
    kept = [block.is_main for block in extractor.relabeled(annotation, None)]
    return TuningExample(
        annotation,
        np.array([block.label == "main" for block in page.blocks], np.bool_),
        np.array(kept, np.bool_),
        log_odds(reading.scores),
        word_counts(texts),
        block_places(annotation.text_blocks),
    )


def kept_with(example: TuningExample, rule: SiteRule, extractor: Extractor) -> Bools:
    """Return which blocks of a page are main content with a rule, (blocks,)."""
    blocks = extractor.relabeled(example.annotation, PageRule(rule, example.annotation.root))
    return np.array([block.is_main for block in blocks], np.bool_)


def word_f1(example: TuningExample, kept: Bools) -> float:
    """Return the F1 over the words of the blocks that are kept and those that should be, 0 to 1; 1 if both are none."""
    both = example.words[kept].sum() + example.words[example.main].sum()
    return float(2 * example.words[kept & example.main].sum() / both) if both else 1.0


@dataclass(frozen=True, slots=True)
class Gain:
    """The word F1 of held-out pages ``before`` and ``after`` a correction, (pages,) each, from 0 to 1.

    F1 compares the words of the blocks that are kept with those of the blocks that a person took for main content.
    """

    before: Floats
    after: Floats

    @property
    def mean(self) -> float:
        """The mean gain."""
        return float((self.after - self.before).mean())

    @property
    def lower(self) -> float:
        """The mean gain less its standard error."""
        gains = self.after - self.before
        return self.mean - float(gains.std(ddof=1) / np.sqrt(len(gains)))

    @property
    def is_better(self) -> bool:
        """Whether the correction is better on pages that it was not made from, by more than the standard error."""
        return self.lower > 0

    def interval(self) -> Estimate:
        """Return the mean gain and its 95 % interval, by bootstrap over the pages."""
        gains = self.after - self.before
        return estimate(Resamples(len(gains)).mean(gains[:, None])[:, 0])


def validated(
    examples: Sequence[TuningExample], correct: Callable[[Sequence[TuningExample]], SiteRule], extractor: Extractor
) -> Gain:
    """Return the gain on each page by the correction that ``correct`` makes from the pages of the other parts.

    A part is one page; of more than MOST_PARTS pages, every MOST_PARTS-th. There have to be two pages at least.
    """
    parts = min(len(examples), MOST_PARTS)
    after = np.zeros(len(examples))
    for part in range(parts):
        others = [example for place, example in enumerate(examples) if place % parts != part]
        rule = correct(others)
        for place in range(part, len(examples), parts):
            after[place] = word_f1(examples[place], kept_with(examples[place], rule, extractor))
    return Gain(np.array([word_f1(example, example.kept) for example in examples]), after)
