"""The network on a CPU: computes what `SemTextNetwork` does, without torch and with less work.

Tag and name strings repeat within a page and across the pages of a site, so what each string adds to the LSTM's gates
is cached (see `string_table`), and so are the words (see `string_encoder`). Pages are not padded (see `lstm`). Of the
scores of the two labels only the difference, the log-odds, is computed, which is all that a CRF of two labels needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import ThreadpoolController

from scrapy_semtext.inference.lstm import BatchLayout, Recurrence
from scrapy_semtext.inference.packed_linear import can_pack, empty_aligned, pack, sums_of_rows
from scrapy_semtext.inference.string_table import StringTable
from scrapy_semtext.utils.extensions import network

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.inference.config import NetworkConfig
    from scrapy_semtext.inference.inputs import PageInput
    from scrapy_semtext.inference.vectors import Vectors
    from scrapy_semtext.inference.weights import Weights

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]


class CpuNetwork:
    """A trained network for inference, in single precision. Not thread-safe."""

    def __init__(self, weights: Weights, config: NetworkConfig, vectors: Vectors) -> None:
        self._recurrence = Recurrence(weights)
        self._strings = StringTable(weights, config, vectors, self._recurrence)
        self._features = _Standardizer(weights, config)
        self._summary = _Summary(weights) if config.page_vector else None
        # what is summed is computed in double precision
        weight, bias = (weights[f"emission.{part}"].astype(np.float64) for part in ("weight", "bias"))
        difference = weight[1] - weight[0]
        hidden = self._recurrence.hidden
        # (2, hidden), of each direction; halved because the states are twice those of torch
        self._emission_weight: Floats = (difference[: 2 * hidden].reshape(2, hidden) / 2).astype(np.float32)
        self._summary_weight = difference[2 * hidden :]  # (page_vector,)
        self._bias = float(bias[1] - bias[0])
        self._threads = ThreadpoolController()
        self._packed_weight: Floats | None = None
        if can_pack(hidden):
            self._packed_feature_weight = pack(self._strings.feature_weight)
            self._packed_weight = empty_aligned(2, self._recurrence.weight[0].size)
            self._packed_weight[:] = [pack(weight) for weight in self._recurrence.weight]

    def run(self, pages: Sequence[PageInput]) -> list[NDArray[np.float64]]:
        """Return the emissions of pages, each with at least one block: of each page the log-odds, (blocks,)."""
        with self._threads.limit(limits=1):  # threads only slow down products of small matrices
            return self._run(pages)

    def _run(self, pages: Sequence[PageInput]) -> list[NDArray[np.float64]]:
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

    def _lstm_numpy(self, ids: Ints, features: Floats, lengths: Ints) -> Floats:
        """What each direction of the LSTM adds to the emission of each block, (2, blocks).

        ``ids``: (3, blocks), rows of the string table; ``features``: (blocks, features); ``lengths``: (pages,).
        """
        layout = BatchLayout.of(lengths)
        rows = np.vstack([ids, self._strings.add_features(features)]) if features.shape[1] else ids
        by_direction = np.empty((len(rows), 2 * rows.shape[1]), dtype=np.int64)
        by_direction[:, layout.forward] = 2 * rows  # a row of the table has the gates of both directions
        by_direction[:, layout.backward] = 2 * rows + 1
        table = self._strings.gates
        gates = sums_of_rows(table.reshape(2 * len(table), -1), by_direction)  # (2 * blocks, 4 * hidden)
        emissions = self._recurrence.run(gates, layout) @ self._emission_weight.T  # (2 * blocks, 2)
        return np.stack([emissions[layout.forward, 0], emissions[layout.backward, 1]])

    def _lstm_compiled(self, ids: Ints, features: Floats, lengths: Ints) -> Floats:
        """The same by the compiled kernel."""
        order = np.argsort(-lengths, kind="stable")
        begins = np.cumsum(lengths) - lengths
        emissions = np.empty((2, ids.shape[1]), dtype=np.float32)
        table = self._strings.gates.reshape(len(self._strings.gates), 2, -1)
        weights = (self._packed_feature_weight, self._packed_weight, self._emission_weight)
        network.bilstm(table, ids, features, *weights, begins[order], lengths[order], emissions)
        return emissions


class _Standardizer:
    """Scales block features to mean 0 and variance 1 over the training pages; drops them if the network has none."""

    def __init__(self, weights: Weights, config: NetworkConfig) -> None:
        none = np.zeros(0, dtype=np.float32)
        self._mean, self._deviation = (weights["mean"], weights["deviation"]) if config.numbers else (none, none)

    def standardized(self, pages: Sequence[PageInput]) -> Floats:
        """The features of all blocks, (blocks, features)."""
        features = np.concatenate([page.features[:, : len(self._mean)] for page in pages])
        standardized: Floats = (features - self._mean) / self._deviation
        return standardized


class _Summary:
    """The page vector of `PageSummary`."""

    def __init__(self, weights: Weights) -> None:
        self._weight, self._bias = weights["summary.vector.weight"].T, weights["summary.vector.bias"]

    def vectors(self, encodings: Floats, ids: Ints, features: Floats, lengths: Ints) -> NDArray[np.float64]:
        """The vector of each page, (pages, size).

        ``encodings``: (rows, filters), ``ids``: (3, blocks), rows of it; ``features``: (blocks, features).
        """
        parts = [(encodings, rows) for rows in ids]
        if features.shape[1]:
            parts.append((features, np.arange(len(features))))
        pooled = [_sum_and_max(table, rows, np.cumsum(lengths)) for table, rows in parts]
        means, maxima = (np.concatenate(each, axis=1) for each in zip(*pooled, strict=True))  # (pages, inputs)
        means /= lengths[:, None].astype(np.float32)
        vector: Floats = np.tanh(np.concatenate([means, maxima], axis=1) @ self._weight + self._bias)
        return vector.astype(np.float64)


def _sum_and_max(table: Floats, rows: Ints, ends: Ints) -> tuple[Floats, Floats]:
    """The sums and the maxima over the blocks of each page, (pages, columns) each.

    ``rows``: (blocks,), of ``table``; ``ends``: (pages,), where each page ends in it.
    """
    if network is not None:
        sums, maxima = (np.empty((len(ends), table.shape[1]), dtype=np.float32) for _ in range(2))
        network.sum_and_max(table, rows, ends, sums, maxima)
        return sums, maxima
    pages = np.split(table[rows], ends[:-1])
    return np.array([page.sum(0) for page in pages]), np.array([page.max(0) for page in pages])
