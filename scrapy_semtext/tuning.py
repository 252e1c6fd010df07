"""The model of one site, learned from pages that a person has labeled.

It is a logistic regression on the places of blocks, with the log-odds of the frozen model as offset. Neither torch nor
a compiler is needed. The shipped models are not changed; each page is scored once, and the effect of a site model is
computed from its scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.models.scores import probabilities_of
from scrapy_semtext.options import Source
from scrapy_semtext.site.places import PageTemplates
from scrapy_semtext.site.rules import PageRule, SiteRule, TunedModel, log_odds
from scrapy_semtext.tree.scopes import block_places
from scrapy_semtext.utils import UserError
from scrapy_semtext.words.characters import word_counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.extractor import Annotation, Extractor
    from scrapy_semtext.site.labeled_pages import LabeledPage
    from scrapy_semtext.tree.segmentation import TextBlock
    from scrapy_semtext.utils.arrays import Bools, Floats, Ints


#: If there are more pages than this, they are held out in this many parts instead of one by one.
MAX_PARTS = 20

_NORMAL = 1.96  # standard errors to both sides of a mean that have 95 % of a normal distribution

#: The sum of the weights of a page's blocks. The penalty is relative to it: evidence grows with the number of pages,
#: not with their length.
PAGE_WEIGHT = 100.0

#: The candidate penalties on squared shifts, and the one for a single page, where no choice is possible.
PENALTIES = (0.1, 0.3, 1.0, 3.0)
PENALTY = 1.0

_ITERATIONS = 150
_NEGLIGIBLE = 0.01  # smaller shifts are dropped


class ExampleError(UserError):
    """A labeled page cannot be used; the message says which, and why."""


@dataclass(slots=True)
class TuningExample:
    """A labeled page with the model's results.

    ``main``: (blocks,), whether a person labeled each block as main content; ``kept``: (blocks,), whether the model
    does; ``log_odds``: (blocks,), the model's; ``words``: (blocks,), the number of words; ``places``: the
    `block_places` of each block.
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


def examples_of(pages: Sequence[LabeledPage], extractor: Extractor, *, templates: bool = False) -> list[TuningExample]:
    """Convert labeled pages, with ``templates`` as these show them to be.

    Raises ExampleError for one whose blocks differ from this version's segmentation.
    """
    if templates:
        extractor.templates = PageTemplates.learn(extractor, lambda: [Source(page.html, page.url) for page in pages])
    try:
        return [_example(page, extractor) for page in pages]
    finally:
        extractor.templates = None


def _example(page: LabeledPage, extractor: Extractor) -> TuningExample:
    """Return a labeled page with the model's results, without the rule of its site.

    Raises ExampleError if its blocks have changed.
    """
    annotation = extractor.annotate(page.html, page.url)
    reading = annotation.reading
    texts = [block.text for block in annotation.text_blocks]
    if reading is None or texts != [block.text for block in page.blocks]:
        name = page.url or page.id
        raise ExampleError(f"the blocks of {name} are not those of this version; open its labels with `semtext label`")
    kept = [block.is_main for block in extractor.relabeled(annotation, rule=None)]
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


def kept_f1(example: TuningExample, kept: Bools) -> float:
    """Return the F1 over the words of the kept blocks and those that should be kept, 0 to 1; 1 if there are none."""
    both = example.words[kept].sum() + example.words[example.main].sum()
    return float(2 * example.words[kept & example.main].sum() / both) if both else 1.0


@dataclass(frozen=True, slots=True)
class Gain:
    """The word F1 of held-out pages ``before`` and ``after`` tuning, (pages,) each, from 0 to 1.

    F1 compares the words of the kept blocks with those of the blocks that a person labeled as main content.
    """

    before: Floats
    after: Floats

    @property
    def mean(self) -> float:
        """The mean gain."""
        return float((self.after - self.before).mean())

    @property
    def error(self) -> float:
        """The standard error of the mean gain."""
        gains = self.after - self.before
        return float(gains.std(ddof=1) / np.sqrt(len(gains)))

    @property
    def lower(self) -> float:
        """The mean gain minus its standard error."""
        return self.mean - self.error

    @property
    def is_better(self) -> bool:
        """Whether the mean gain on pages that the model was not fitted to exceeds its standard error."""
        return self.lower > 0

    def interval(self) -> tuple[float, float, float]:
        """Return the mean gain and the ends of its 95 % interval, in the normal approximation."""
        return self.mean, self.mean - _NORMAL * self.error, self.mean + _NORMAL * self.error


def validated(examples: Sequence[TuningExample], penalty: float, extractor: Extractor) -> Gain:
    """Return the gain on each page from the site model that is fitted to the pages of the other parts.

    A part is one page or, for more than MAX_PARTS pages, every MAX_PARTS-th. At least two pages are required.
    """
    parts = min(len(examples), MAX_PARTS)
    after = np.zeros(len(examples))
    for part in range(parts):
        others = [example for place, example in enumerate(examples) if place % parts != part]
        rule = SiteRule("tuned", tuned=fit_site_model(others, penalty))
        for place in range(part, len(examples), parts):
            after[place] = kept_f1(examples[place], kept_with(examples[place], rule, extractor))
    return Gain(np.array([kept_f1(example, example.kept) for example in examples]), after)


def tune(examples: Sequence[TuningExample], extractor: Extractor) -> tuple[TunedModel, Gain | None]:
    """Fit a site model with the penalty that is best on held-out pages; return it with the gain on these.

    The best penalty has the greatest mean gain minus its standard error. The gain is None for a single page. Because it
    is the best of several penalties, it is slightly optimistic.
    """
    if len(examples) < 2:
        return fit_site_model(examples), None
    found = {penalty: validated(examples, penalty, extractor) for penalty in PENALTIES}
    best = max(PENALTIES, key=lambda penalty: found[penalty].lower)
    return fit_site_model(examples, best), found[best]


def fit_site_model(examples: Sequence[TuningExample], penalty: float = PENALTY) -> TunedModel:
    """Return the shifts of log-odds by place that explain the labels of pages best.

    The logistic loss of a block is weighted by the square root of its words. ``penalty`` applies to the squares of the
    shifts, which are 0 where the model needs no correction.
    """
    places = [block for example in examples for block in example.places]
    names = [*dict.fromkeys(chain.from_iterable(places))]
    if not names:
        return TunedModel({})
    number = {name: index for index, name in enumerate(names)}
    columns = np.array([[*map(number.__getitem__, block)] for block in places], np.int64)  # (blocks, places of each)
    target, offset, weights = map(
        np.concatenate, zip(*((each.main, each.log_odds, _weights(each)) for each in examples), strict=True)
    )
    shifts = _minimum(columns, offset, target, weights, penalty).tolist()
    return TunedModel(
        {name: round(shift, 4) for name, shift in zip(names, shifts, strict=True) if abs(shift) > _NEGLIGIBLE}
    )


def _weights(example: TuningExample) -> Floats:
    """Return the weights of a page's blocks, (blocks,)."""
    roots: Floats = np.sqrt(np.maximum(example.words, 1.0))
    scaled: Floats = PAGE_WEIGHT * roots / roots.sum()
    return scaled


def _minimum(columns: Ints, offset: Floats, target: Floats, weights: Floats, penalty: float) -> Floats:
    """Minimize the penalized loss by accelerated gradient descent (Nesterov 1983); return the shifts, (places,).

    ``columns``: (blocks, n), the places of each block; all other arrays (blocks,). Step sizes are bounded for each
    place by the greatest possible curvature of its blocks, so that no line search is needed.
    """
    count, each = int(columns.max()) + 1, columns.shape[1]
    flat = columns.ravel()

    def collected(values: Floats) -> Floats:
        sums: Floats = np.bincount(flat, weights=np.repeat(values, each), minlength=count).astype(np.float64)
        return sums

    step = 1 / (penalty + 0.25 * each * collected(weights))  # the second derivative of the logistic loss is at most 1/4
    shifts = ahead = np.zeros(count)
    momentum = 1.0
    for _ in range(_ITERATIONS):
        odds = offset + ahead[columns].sum(axis=1)
        error = weights * (probabilities_of(odds) - target)
        following = ahead - step * (collected(error) + penalty * ahead)
        grown = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = following + (momentum - 1) / grown * (following - shifts)
        shifts, momentum = following, grown
    return shifts
