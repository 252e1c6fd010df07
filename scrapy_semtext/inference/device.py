"""The network on a GPU, or any device of torch: what `CpuNetwork` gives, for devices made for large padded batches.

On a GPU the convolution, the LSTM and the summary are in half precision, the emissions in single. Vectors stay there:
what is sent are numbers of words, out of pinned memory, and nothing waits before the scores are fetched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from scrapy_semtext.inference.collate import collate, sent
from scrapy_semtext.inference.torch_network import network_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from scrapy_semtext.inference.config import NetworkConfig
    from scrapy_semtext.inference.inputs import PageInput
    from scrapy_semtext.inference.vectors import Vectors
    from scrapy_semtext.inference.weights import Weights

#: How many words the device remembers; it forgets all before a batch when there are more. A word takes 256 bytes in
#: `compact`.
REMEMBERED_WORDS = 200_000


def precision_of(device: torch.device) -> torch.dtype | None:
    """What a device computes in: bfloat16 on a GPU that can, else float16; None, which is float32, on anything else."""
    if device.type != "cuda":
        return None
    return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float16


class DeviceNetwork:
    """A trained network on a device, by the name that torch has for it. Not for several threads at once.

    ``precision``: what `precision_of` the device says, unless another is given.
    """

    def __init__(
        self,
        weights: Weights,
        config: NetworkConfig,
        vectors: Vectors,
        device: str,
        precision: torch.dtype | None = None,
    ) -> None:
        self._device = torch.device(device)
        self._precision = precision or precision_of(self._device)
        self._network = network_of(weights, config).to(self._device)
        self._vectors = DeviceVectors(vectors, self._device)

    def run(self, pages: Sequence[PageInput]) -> list[NDArray[np.float64]]:
        """Read pages as `CpuNetwork.run` does."""
        half = self._precision is not None
        with torch.inference_mode(), torch.autocast(self._device.type, self._precision, enabled=half):
            output = self._network(collate(pages, self._vectors, self._device))
        odds = (output.emissions[:, :, 1].double() - output.emissions[:, :, 0].double()).cpu().numpy()
        return [odds[row, : len(page)] for row, page in enumerate(pages)]


class DeviceVectors:
    """Word vectors that stay on the device once they were asked for."""

    def __init__(self, vectors: Vectors, device: torch.device) -> None:
        self._vectors = vectors
        self._device = device
        self._rows: dict[str, int] = {}
        self._table = torch.empty(0, vectors.dim, device=device)

    def of(self, words: Sequence[str]) -> Tensor:
        """The vectors of the words, (words, dim) float32."""
        if len(self._rows) > REMEMBERED_WORDS:
            self._rows, self._table = {}, self._table[:0]
        if new := [word for word in words if word not in self._rows]:
            self._rows.update(zip(new, range(len(self._rows), len(self._rows) + len(new)), strict=True))
            self._table = torch.cat([self._table, sent(self._vectors.matrix(new), self._device)])
        rows = np.array([self._rows[word] for word in words], dtype=np.int64)
        return self._table[sent(rows, self._device)]
