"""The network on a CPU: computes the same as `SemTextNetwork`, without torch and with less work.

Tag and name strings repeat within a page and across the pages of a site, so the contribution of each string to the
LSTM's gates is cached, as are the words (see `string_encoder`). Pages are not padded (see `layers`). Only the
difference between the scores of the two labels, the log-odds, is computed, because a CRF of two labels needs no more.
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import ThreadpoolController

from scrapy_semtext.inference.layers import BatchLayout, Recurrence, can_pack, empty_aligned, pack, sums_of_rows
from scrapy_semtext.inference.string_encoder import StringTable
from scrapy_semtext.utils.extensions import network

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scrapy_semtext.inference.block_inputs import PageInput
    from scrapy_semtext.inference.config import NetworkConfig
    from scrapy_semtext.inference.storage import Weights
    from scrapy_semtext.inference.vectors import Vectors
    from scrapy_semtext.utils.arrays import Bools, Floats, Ints, Singles

    Pass = Callable[[Sequence[float]], Iterator[float]]


class CpuNetwork:
    """A trained network for inference, in single precision. Not thread-safe."""

    def __init__(self, weights: Weights, config: NetworkConfig, vectors: Vectors) -> None:
        self._recurrence = Recurrence(weights)
        self._strings = StringTable(weights, config, vectors, self._recurrence)
        self._features = _Standardizer(weights, config)
        self._summary = _Summary(weights) if config.page_vector else None
        # sums are computed in double precision
        weight, bias = (weights[f"emission.{part}"].astype(np.float64) for part in ("weight", "bias"))
        difference = weight[1] - weight[0]
        hidden = self._recurrence.hidden
        # (2, hidden), by direction; halved because the states are twice those of torch
        self._emission_weight: Singles = (difference[: 2 * hidden].reshape(2, hidden) / 2).astype(np.float32)
        self._summary_weight = difference[2 * hidden :]  # (page_vector,)
        self._bias = float(bias[1] - bias[0])
        self._threads = ThreadpoolController()
        self._packed_weight: Singles | None = None
        if can_pack(hidden):
            self._packed_feature_weight = pack(self._strings.feature_weight)
            self._packed_weight = empty_aligned(2, self._recurrence.weight[0].size)
            self._packed_weight[:] = [pack(weight) for weight in self._recurrence.weight]

    def run(self, pages: Sequence[PageInput]) -> list[Floats]:
        """Return the emissions of pages, each with at least one block: the log-odds, (blocks,), of each page."""
        with self._threads.limit(limits=1):  # threads slow down products of small matrices
            return self._run(pages)

    def _run(self, pages: Sequence[PageInput]) -> list[Floats]:
        lengths = np.array([len(page) for page in pages], dtype=np.int64)
        ids = self._strings.ids(pages)  # (3, blocks)
        features = self._features.standardized(pages)  # (blocks, features)
        run_lstm = self._lstm_numpy if self._packed_weight is None else self._lstm_compiled
        emissions = run_lstm(ids, features, lengths)  # (2, blocks)
        log_odds = emissions[0].astype(np.float64) + emissions[1] + self._bias
        if self._summary is not None:
            vectors = self._summary.vectors(self._strings.encodings, ids, features, lengths)
            log_odds += np.repeat(vectors @ self._summary_weight, lengths)
        return np.split(log_odds, np.cumsum(lengths)[:-1])

    def _lstm_numpy(self, ids: Ints, features: Singles, lengths: Ints) -> Singles:
        """Return the contribution of each LSTM direction to each block's emission, (2, blocks).

        ``ids``: (3, blocks), rows of the string table; ``features``: (blocks, features); ``lengths``: (pages,).
        """
        layout = BatchLayout.of(lengths)
        rows = np.vstack([ids, self._strings.add_features(features)]) if features.shape[1] else ids
        by_direction = np.empty((len(rows), 2 * rows.shape[1]), dtype=np.int64)
        by_direction[:, layout.forward] = 2 * rows  # each row of the table has the gates of both directions
        by_direction[:, layout.backward] = 2 * rows + 1
        table = self._strings.gates
        gates = sums_of_rows(table.reshape(2 * len(table), -1), by_direction)  # (2 * blocks, 4 * hidden)
        emissions = self._recurrence.run(gates, layout) @ self._emission_weight.T  # (2 * blocks, 2)
        return np.stack([emissions[layout.forward, 0], emissions[layout.backward, 1]])

    def _lstm_compiled(self, ids: Ints, features: Singles, lengths: Ints) -> Singles:
        """Return the same, using the compiled kernel."""
        order = np.argsort(-lengths, kind="stable")
        begins = np.cumsum(lengths) - lengths
        emissions = np.empty((2, ids.shape[1]), dtype=np.float32)
        table = self._strings.gates.reshape(len(self._strings.gates), 2, -1)
        weights = (self._packed_feature_weight, self._packed_weight, self._emission_weight)
        network.bilstm(table, ids, features, *weights, begins[order], lengths[order], emissions)
        return emissions


class _Standardizer:
    """Scales block features to mean 0 and variance 1 on the training pages, or drops them if the network has none."""

    def __init__(self, weights: Weights, config: NetworkConfig) -> None:
        none = np.zeros(0, dtype=np.float32)
        self._mean, self._deviation = (weights["mean"], weights["deviation"]) if config.numbers else (none, none)

    def standardized(self, pages: Sequence[PageInput]) -> Singles:
        """Return the features of all blocks, (blocks, features)."""
        features = np.concatenate([page.features[:, : len(self._mean)] for page in pages])
        standardized: Singles = (features - self._mean) / self._deviation
        return standardized


class _Summary:
    """The page vector of `PageSummary`."""

    def __init__(self, weights: Weights) -> None:
        self._weight, self._bias = weights["summary.vector.weight"].T, weights["summary.vector.bias"]

    def vectors(self, encodings: Singles, ids: Ints, features: Singles, lengths: Ints) -> Floats:
        """Return the vector of each page, (pages, size).

        ``encodings``: (rows, filters), ``ids``: (3, blocks), rows of it; ``features``: (blocks, features).
        """
        parts = [(encodings, rows) for rows in ids]
        if features.shape[1]:
            parts.append((features, np.arange(len(features))))
        pooled = [_sum_and_max(table, rows, np.cumsum(lengths)) for table, rows in parts]
        means, maxima = (np.concatenate(each, axis=1) for each in zip(*pooled, strict=True))  # (pages, inputs)
        means /= lengths[:, None].astype(np.float32)
        vector: Singles = np.tanh(np.concatenate([means, maxima], axis=1) @ self._weight + self._bias)
        return vector.astype(np.float64)


def _sum_and_max(table: Singles, rows: Ints, ends: Ints) -> tuple[Singles, Singles]:
    """Return the sums and the maxima over the blocks of each page, (pages, columns) each.

    ``rows``: (blocks,), indexes into ``table``; ``ends``: (pages,), where each page ends in ``rows``.
    """
    if network is not None:
        sums, maxima = (np.empty((len(ends), table.shape[1]), dtype=np.float32) for _ in range(2))
        network.sum_and_max(table, rows, ends, sums, maxima)
        return sums, maxima
    pages = np.split(table[rows], ends[:-1])
    return np.array([page.sum(0) for page in pages]), np.array([page.max(0) for page in pages])


# Log-odds and transition scores are clipped to this magnitude, which is practically certain and keeps exp() finite.
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
        """Return the log-odds of the marginal probabilities of label 1, (blocks,).

        ``emissions``: (blocks,); ``ends``: (pages,), where each page (a separate chain) ends in it.
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

    def viterbi(self, emissions: Floats, ends: Ints) -> Bools:
        """Return where the best label sequence of each page has label 1, (blocks,); arguments as in `marginals`.

        A label is in the best sequence if the best sequence through it has the highest score; ties go to label 0.
        """
        if network is None:
            forward, backward = _by_page(emissions, ends, self._forward_maxima, self._backward_maxima)
        else:
            forward, backward = np.empty((2, len(emissions)))
            network.chain_maxima(emissions, ends, self._transitions, self._start, self._end, forward, backward)
        best: Bools = forward + backward > 0
        return best

    def _forward_sums(self, odds: Sequence[float]) -> Iterator[float]:
        """Yield the forward variables as odds: sums over all prefixes that end at each block, including the block."""
        a, b, c, d = exp(self._t01), exp(self._t11), exp(self._t00), exp(self._t10)
        value = None
        for emission in odds:
            value = emission * (exp(self._start) if value is None else (a + b * value) / (c + d * value))
            yield value

    def _backward_sums(self, odds: Sequence[float]) -> Iterator[float]:
        """Yield the backward variables as odds, from the last block to the first: sums over all suffixes after each."""
        a, b, c, d = exp(self._t10), exp(self._t11), exp(self._t00), exp(self._t01)
        value = exp(self._end)
        for emission in reversed(odds):
            yield value
            value *= emission
            value = (a + b * value) / (c + d * value)

    def _forward_maxima(self, emissions: Sequence[float]) -> Iterator[float]:
        """Yield the forward variables with maxima instead of sums, in logarithms."""
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
    """Run one pass forward and one backward over each page; return the values at each block, (blocks,)."""
    pages = [page.tolist() for page in np.split(values, ends[:-1])]
    return (
        np.array([value for page in pages for value in forward(page)]),
        np.array([value for page in pages for value in reversed([*backward(page)])]),
    )
