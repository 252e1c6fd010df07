"""What a correction gains on labelled pages that it was not made from (leave-one-out cross-validation)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.tuning.examples import kept_with, word_f1
from scrapy_semtext.utils.bootstrap import Resamples, estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.site.page_rule import SiteRule
    from scrapy_semtext.tuning.examples import Example
    from scrapy_semtext.utils.bootstrap import Estimate

#: More pages than this are held out in so many parts instead of one by one.
MOST_PARTS = 20


@dataclass(frozen=True, slots=True)
class Gain:
    """The word F1 of held-out pages ``before`` and ``after`` a correction, (pages,) each, from 0 to 1.

    F1 compares the words of the blocks that are kept with those of the blocks that a person took for main content.
    """

    before: NDArray[np.float64]
    after: NDArray[np.float64]

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
    examples: Sequence[Example], correct: Callable[[Sequence[Example]], SiteRule], extractor: Extractor
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
