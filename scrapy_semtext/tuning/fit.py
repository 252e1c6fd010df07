"""Fits a site model: a logistic regression on the places of blocks, with the log-odds of the frozen model as offset."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.inference.scores import probabilities_of
from scrapy_semtext.site.page_rule import SiteRule
from scrapy_semtext.site.tuned import TunedModel
from scrapy_semtext.tuning.examples import validated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.tuning.examples import Example, Gain
    from scrapy_semtext.utils.arrays import Floats, Ints


#: The sum of the weights of a page's blocks. The penalty is relative to it: evidence grows with the number of pages,
#: not with their length.
PAGE_WEIGHT = 100.0

#: The penalties on squared shifts to choose from, and that for a single page, which leaves nothing to choose by.
PENALTIES = (0.1, 0.3, 1.0, 3.0)
PENALTY = 1.0

_ITERATIONS = 150
_NEGLIGIBLE = 0.01  # a smaller shift is left out


def tune(examples: Sequence[Example], extractor: Extractor) -> tuple[TunedModel, Gain | None]:
    """Fit a site model with the penalty that is best on held-out pages; return it with the gain on these.

    The best is that of the largest mean gain less its standard error. The gain is None for a single page. As it is
    that of the best of several penalties, it is slightly optimistic.
    """
    if len(examples) < 2:
        return fit_site_model(examples), None
    found = {penalty: validated(examples, partial(_rule, penalty=penalty), extractor) for penalty in PENALTIES}
    best = max(PENALTIES, key=lambda penalty: found[penalty].lower)
    return fit_site_model(examples, best), found[best]


def _rule(examples: Sequence[Example], penalty: float) -> SiteRule:
    return SiteRule("tuned", tuned=fit_site_model(examples, penalty))


def fit_site_model(examples: Sequence[Example], penalty: float = PENALTY) -> TunedModel:
    """Return the shifts of log-odds by place that explain the labels of pages best.

    The logistic loss of a block is weighted by the square root of its words. ``penalty`` is that on the squares of the
    shifts; they are 0 where the model needs none.
    """
    places = [block for example in examples for block in example.places]
    number = {name: index for index, name in enumerate(dict.fromkeys(name for block in places for name in block))}
    if not number:
        return TunedModel({})
    columns = np.array([[number[name] for name in block] for block in places], np.int64)  # (blocks, places of each)
    target = np.concatenate([example.main for example in examples]).astype(np.float64)
    offset = np.concatenate([example.log_odds for example in examples])
    weights = np.concatenate([_weights(example) for example in examples])
    shifts = _minimum(columns, offset, target, weights, penalty)
    return TunedModel(
        {name: round(float(shift), 4) for name, shift in zip(number, shifts, strict=True) if abs(shift) > _NEGLIGIBLE}
    )


def _weights(example: Example) -> Floats:
    """The weights of a page's blocks, (blocks,)."""
    roots: Floats = np.sqrt(np.maximum(example.words, 1.0))
    scaled: Floats = PAGE_WEIGHT * roots / roots.sum()
    return scaled


def _minimum(columns: Ints, offset: Floats, target: Floats, weights: Floats, penalty: float) -> Floats:
    """Minimise the penalised loss by accelerated gradient descent (Nesterov 1983); return the shifts, (places,).

    ``columns``: (blocks, n), the places of each block; all other arrays (blocks,). Steps are bounded for each place by
    the largest curvature that its blocks can have, so that they need no search.
    """
    count, each = int(columns.max()) + 1, columns.shape[1]
    flat = columns.ravel()

    def collected(values: Floats) -> Floats:
        sums: Floats = np.bincount(flat, weights=np.repeat(values, each), minlength=count).astype(np.float64)
        return sums

    step = 1 / (penalty + 0.25 * each * collected(weights))  # the logistic loss curves by a quarter at the most
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
