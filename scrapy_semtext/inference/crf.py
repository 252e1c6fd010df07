"""The linear-chain CRF of two labels in closed form, for inference; training uses `torch_crf`.

With two labels only the odds of label 1 against label 0 matter, and the odds at a block follow from those at its
neighbour by one linear fraction. In double precision this takes a few operations a block.
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.utils.extensions import network

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.inference.weights import Weights
    from scrapy_semtext.utils.arrays import Floats, Ints

    Pass = Callable[[Sequence[float]], Iterator[float]]

# Log-odds and transition scores are clipped to these: as good as certain, and exp() of their sum is finite.
_MAX_EMISSION = 400.0
_MAX_TRANSITION = 100.0


class TwoLabelChain:
    """A trained CRF of two labels. Emissions are log-odds, (blocks,): the score of label 1 minus that of label 0.

    ``weights``: "crf.transitions", (2, 2), "crf.start" and "crf.end", (2,). Raises ValueError for another number of
    labels.
    """

    def __init__(self, weights: Weights) -> None:
        transitions = np.clip(weights["crf.transitions"].astype(np.float64), -_MAX_TRANSITION, _MAX_TRANSITION)
        if transitions.shape != (2, 2):
            raise ValueError(f"the chain has two labels, not {len(transitions)}")
        self._transitions = transitions
        (self._t00, self._t01), (self._t10, self._t11) = transitions.tolist()
        (start, end) = (np.diff(weights[name].astype(np.float64)) for name in ("crf.start", "crf.end"))
        self._start = float(start.clip(-_MAX_TRANSITION, _MAX_TRANSITION)[0])
        self._end = float(end.clip(-_MAX_TRANSITION, _MAX_TRANSITION)[0])

    def marginals(self, emissions: Floats, ends: Ints) -> Floats:
        """The log-odds of the marginal probabilities of label 1, (blocks,).

        ``emissions``: (blocks,); ``ends``: (pages,), where each page, a chain of its own, ends in it.
        """
        odds = np.exp(np.clip(emissions, -_MAX_EMISSION, _MAX_EMISSION))
        if network is None:
            forward, backward = _by_page(odds, ends, self._forward_sums, self._backward_sums)
        else:
            forward, backward = np.empty((2, len(odds)))
            factors = np.exp(self._transitions)
            network.chain_sums(odds, ends, factors, exp(self._start), exp(self._end), forward, backward)
        log_odds: Floats = np.log(forward) + np.log(backward)
        return log_odds

    def viterbi(self, emissions: Floats, ends: Ints) -> NDArray[np.bool_]:
        """Where the best label sequence of each page has label 1, (blocks,); ``emissions`` and ``ends`` as above.

        A label belongs to the best sequence if the best sequence through it has the highest score; ties go to label 0.
        """
        if network is None:
            forward, backward = _by_page(emissions, ends, self._forward_maxima, self._backward_maxima)
        else:
            forward, backward = np.empty((2, len(emissions)))
            network.chain_maxima(emissions, ends, self._transitions, self._start, self._end, forward, backward)
        best: NDArray[np.bool_] = forward + backward > 0
        return best

    def _forward_sums(self, odds: Sequence[float]) -> Iterator[float]:
        """The forward variables as odds: sums over all prefixes that end at each block, the block included."""
        a, b, c, d = exp(self._t01), exp(self._t11), exp(self._t00), exp(self._t10)
        value = None
        for emission in odds:
            value = emission * (exp(self._start) if value is None else (a + b * value) / (c + d * value))
            yield value

    def _backward_sums(self, odds: Sequence[float]) -> Iterator[float]:
        """The backward variables as odds, from the last block to the first: sums over all suffixes behind each."""
        a, b, c, d = exp(self._t10), exp(self._t11), exp(self._t00), exp(self._t01)
        value = exp(self._end)
        for emission in reversed(odds):
            yield value
            value *= emission
            value = (a + b * value) / (c + d * value)

    def _forward_maxima(self, emissions: Sequence[float]) -> Iterator[float]:
        """The same with maxima for sums, in logarithms."""
        t00, t01, t10, t11 = self._t00, self._t01, self._t10, self._t11
        value = None
        for emission in emissions:
            value = emission + (self._start if value is None else max(t01, t11 + value) - max(t00, t10 + value))
            yield value

    def _backward_maxima(self, emissions: Sequence[float]) -> Iterator[float]:
        t00, t01, t10, t11 = self._t00, self._t01, self._t10, self._t11
        value = self._end
        for emission in reversed(emissions):
            yield value
            value += emission
            value = max(t10, t11 + value) - max(t00, t01 + value)


def _by_page(values: Floats, ends: Ints, forward: Pass, backward: Pass) -> tuple[Floats, Floats]:
    """Run a pass from the first block of each page on and one from the last; the values at each block, (blocks,)."""
    pages = [page.tolist() for page in np.split(values, ends[:-1])]
    return (
        np.array([value for page in pages for value in forward(page)]),
        np.array([value for page in pages for value in reversed([*backward(page)])]),
    )
