"""The network on a GPU, or any device of torch: what `CpuNetwork` gives, for devices made for large padded batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from scrapy_semtext.model.collate import collate
from scrapy_semtext.model.network import network_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from scrapy_semtext.model.config import NetworkConfig
    from scrapy_semtext.model.inputs import PageInput
    from scrapy_semtext.model.vectors import Vectors
    from scrapy_semtext.model.weights import Weights


class DeviceNetwork:
    """A trained network on a device, by the name that torch has for it."""

    def __init__(self, weights: Weights, config: NetworkConfig, vectors: Vectors, device: str) -> None:
        self._device = torch.device(device)
        self._network = network_of(weights, config).to(self._device)
        self._vectors = vectors

    def run(self, pages: Sequence[PageInput]) -> list[NDArray[np.float64]]:
        """Read pages as `CpuNetwork.run` does."""
        with torch.inference_mode():
            output = self._network(collate(pages, self._vectors, self._device))
            odds = (output.emissions[:, :, 1] - output.emissions[:, :, 0]).double().cpu().numpy()
        return [odds[row, : len(page)] for row, page in enumerate(pages)]
