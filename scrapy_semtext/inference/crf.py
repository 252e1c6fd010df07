"""The CRF of two labels in closed form, for reading; training uses `scrapy_semtext.inference.torch_crf`.

Of two labels only the odds of one against the other matter, and a block's odds follow from its neighbour's by one
fraction of linear terms. That is a handful of operations on plain numbers a block, in double precision: less than any
tensor library needs to begin.
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

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]
    Pass = Callable[[Sequence[float]], Iterator[float]]

# Scores beyond these are as good as certain, and exp() of their sum is still a double.
_SURE = 400.0
_STRONG = 100.0


class TwoLabelChain:
    """A trained CRF of two labels; ``emissions`` are log-odds, (blocks,): the score of label 1 less that of label 0.

    Of ``weights`` those that begin with "crf." are read.
    """

    def __init__(self, weights: Weights) -> None:
        transitions = np.clip(weights["crf.transitions"].astype(np.float64), -_STRONG, _STRONG)
        if transitions.shape != (2, 2):
            raise ValueError(f"the chain has two labels, not {len(transitions)}")
        self._transitions = transitions
        (self._t00, self._t01), (self._t10, self._t11) = transitions.tolist()
        (start, end) = (np.diff(weights[name].astype(np.float64)) for name in ("crf.start", "crf.end"))
        self._start = float(start.clip(-_STRONG, _STRONG)[0])
        self._end = float(end.clip(-_STRONG, _STRONG)[0])

    def marginals(self, emissions: Floats, ends: Places) -> Floats:
        """Log-odds of the marginal probabilities of label 1, (blocks,).

        ``ends``: (pages,) of each page in it: each is a chain of its own.
        """
        odds = np.exp(np.clip(emissions, -_SURE, _SURE))
        if network is None:
            onward, back = _by_page(odds, ends, self._sums_onward, self._sums_back)
        else:
            onward, back = np.empty((2, len(odds)))
            network.chain_sums(odds, ends, np.exp(self._transitions), exp(self._start), exp(self._end), onward, back)
        logs: Floats = np.log(onward) + np.log(back)
        return logs

    def viterbi(self, emissions: Floats, ends: Places) -> NDArray[np.bool_]:
        """Where the best label sequence of each page has label 1, (blocks,); ``ends`` as above.

        A label belongs to the best sequence if the best sequence through it scores most; 0 wins ties.
        """
        if network is None:
            onward, back = _by_page(emissions, ends, self._best_onward, self._best_back)
        else:
            onward, back = np.empty((2, len(emissions)))
            network.chain_best(emissions, ends, self._transitions, self._start, self._end, onward, back)
        best: NDArray[np.bool_] = onward + back > 0
        return best

    def _sums_onward(self, odds: Sequence[float]) -> Iterator[float]:
        """Odds of the sums over all beginnings that end at each block, the block included."""
        a, b, c, d = exp(self._t01), exp(self._t11), exp(self._t00), exp(self._t10)
        before = None
        for own in odds:
            before = own * (exp(self._start) if before is None else (a + b * before) / (c + d * before))
            yield before

    def _sums_back(self, odds: Sequence[float]) -> Iterator[float]:
        """Odds of the sums over all ends that follow each block, from the last block to the first."""
        a, b, c, d = exp(self._t10), exp(self._t11), exp(self._t00), exp(self._t01)
        behind = exp(self._end)
        for own in reversed(odds):
            yield behind
            behind *= own
            behind = (a + b * behind) / (c + d * behind)

    def _best_onward(self, scores: Sequence[float]) -> Iterator[float]:
        t00, t01, t10, t11 = self._t00, self._t01, self._t10, self._t11
        before = None
        for own in scores:
            before = own + (self._start if before is None else max(t01, t11 + before) - max(t00, t10 + before))
            yield before

    def _best_back(self, scores: Sequence[float]) -> Iterator[float]:
        t00, t01, t10, t11 = self._t00, self._t01, self._t10, self._t11
        behind = self._end
        for own in reversed(scores):
            yield behind
            behind += own
            behind = max(t10, t11 + behind) - max(t00, t01 + behind)


def _by_page(values: Floats, ends: Places, onward: Pass, back: Pass) -> tuple[Floats, Floats]:
    """What two passes give for the values of each page, (blocks,) each; the second goes from the last to the first."""
    pages = [page.tolist() for page in np.split(values, ends[:-1])]
    return (
        np.array([found for page in pages for found in onward(page)]),
        np.array([found for page in pages for found in reversed([*back(page)])]),
    )
