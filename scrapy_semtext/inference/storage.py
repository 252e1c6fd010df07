"""The folder of the shipped models, the parameters in it, and the error for an unusable one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import safetensors.numpy

from scrapy_semtext.inference.config import PAGE_KINDS, NetworkConfig
from scrapy_semtext.utils.arrays import Singles

#: The folder of the bundle that ships with the package.
SHIPPED = Path(__file__).parent.parent / "bundle"


class BundleError(ValueError):
    """A bundle cannot be used; the message names the file, the problem and what to do."""


#: The parameters by their names in torch's state dict.
Weights = Mapping[str, Singles]


def read_weights(path: Path, config: NetworkConfig, features: int) -> Weights:
    """Read the parameters of a network of this configuration from a file of safetensors.

    Raises ValueError if one is missing, unknown or of another shape, OSError if the file cannot be read.
    """
    weights = safetensors.numpy.load(path.read_bytes())
    expected = shapes_of(config, features)
    for name in sorted({*weights, *expected}):
        found, wanted = weights.get(name), expected.get(name)
        if wanted is None:
            raise ValueError(f"{name} has no place in it.")
        if found is None:
            raise ValueError(f"{name} is missing.")
        if found.shape != wanted:
            raise ValueError(f"{name} is {_size(found.shape)}, not {_size(wanted)}.")
    return {name: values.astype(np.float32) for name, values in weights.items()}


def shapes_of(config: NetworkConfig, features: int) -> dict[str, tuple[int, ...]]:
    """The shapes of the parameters of `SemTextNetwork` by name; ``features``: the number of block features."""
    shapes: dict[str, tuple[int, ...]] = {}
    for strings in range(3):
        for layer, (width, filters) in enumerate(zip(config.widths, config.filters, strict=True)):
            name = f"encoders.{strings}.convolutions.{layer}"
            shapes |= _layer(name, filters, config.dim, width)
    size = 3 * sum(config.filters) + (features if config.numbers else 0)
    gates = 4 * config.hidden
    for direction in ("onward", "backward_"):
        name = f"lstm.{direction}"
        shapes |= {f"{name}.weight_ih_l0": (gates, size), f"{name}.weight_hh_l0": (gates, config.hidden)}
        shapes |= {f"{name}.bias_ih_l0": (gates,), f"{name}.bias_hh_l0": (gates,)}
    if config.page_vector:
        shapes |= _layer("summary.vector", config.page_vector, 2 * size)
        shapes |= _layer("summary.kind", len(PAGE_KINDS), config.page_vector)
    shapes |= _layer("emission", 2, 2 * config.hidden + config.page_vector)
    shapes |= {"crf.transitions": (2, 2), "crf.start": (2,), "crf.end": (2,)}
    return shapes | {"mean": (features,), "deviation": (features,)}


def _layer(name: str, outputs: int, *inputs: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (outputs, *inputs), f"{name}.bias": (outputs,)}


def _size(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))
