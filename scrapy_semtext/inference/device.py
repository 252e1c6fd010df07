"""The network on a GPU or another torch device: computes the same as `CpuNetwork`, in large padded batches.

Word vectors are cached on the device; word ids are copied asynchronously, so that the host only waits for emissions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from scrapy_semtext.inference.torch_network import collate, network_of, to_device

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from scrapy_semtext.inference.block_inputs import PageInput
    from scrapy_semtext.inference.config import NetworkConfig
    from scrapy_semtext.inference.storage import Weights
    from scrapy_semtext.inference.vectors import Vectors
    from scrapy_semtext.utils.arrays import Floats

#: The maximum number of words cached on the device; above it, the cache is emptied before a batch. A word takes 256
#: bytes in `compact`.
MAX_CACHED_WORDS = 200_000


class DeviceNetwork:
    """A trained network on a device, given by its torch name. Not thread-safe."""

    def __init__(self, weights: Weights, config: NetworkConfig, vectors: Vectors, device: str) -> None:
        self._device = torch.device(device)
        self._network = network_of(weights, config).to(self._device)
        self._vectors = DeviceVectors(vectors, self._device)

    def run(self, pages: Sequence[PageInput]) -> list[Floats]:
        """Return the emissions of pages like `CpuNetwork.run`."""
        with torch.inference_mode():
            emissions = self._network(collate(pages, self._vectors, self._device)).emissions  # (pages, blocks, 2)
        log_odds = (emissions[:, :, 1].double() - emissions[:, :, 0].double()).cpu().numpy()
        return [log_odds[row, : len(page)] for row, page in enumerate(pages)]


class DeviceVectors:
    """Word vectors, cached on the device."""

    def __init__(self, vectors: Vectors, device: torch.device) -> None:
        self._vectors = vectors
        self._device = device
        self._rows: dict[str, int] = {}
        self._table = torch.empty(0, vectors.dim, device=device)

    def of(self, words: Sequence[str]) -> Tensor:
        """Return the vectors of the words, (words, dim) float32."""
        if len(self._rows) > MAX_CACHED_WORDS:
            self._rows, self._table = {}, self._table[:0]
        if new := [word for word in words if word not in self._rows]:
            self._rows.update(zip(new, range(len(self._rows), len(self._rows) + len(new)), strict=True))
            self._table = torch.cat([self._table, to_device(self._vectors.matrix(new), self._device)])
        rows = np.array([self._rows[word] for word in words], dtype=np.int64)
        return self._table[to_device(rows, self._device)]
