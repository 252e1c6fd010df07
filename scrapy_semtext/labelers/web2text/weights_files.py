"""Web2Text's weights on disk, in the folder of a bundle: ``web2text.json`` and ``web2text.safetensors``.

They are the parameters of both networks, with the mean and deviation of each feature.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy_semtext.inference.scores import DECISIONS, Decision
from scrapy_semtext.inference.storage import SHIPPED, BundleError, ModelFiles
from scrapy_semtext.labelers.bundle import usable_device
from scrapy_semtext.labelers.web2text.features import BLOCK_FEATURES, EDGE_FEATURES
from scrapy_semtext.utils.extras import MissingExtraError, load_extra

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_semtext.labelers.web2text.labeler import Web2TextLabeler, Web2TextNetworks

_FILES = ModelFiles("web2text", "web2text", 1, "semtext dev train labels --labeler web2text")
_FEATURES = {"block": [each.name for each in BLOCK_FEATURES], "edge": [each.name for each in EDGE_FEATURES]}


@dataclass(frozen=True, slots=True)
class Web2TextManifest:
    """The contents of ``web2text.json``. ``training`` has data, seed, dates and scores, for information."""

    decision: Decision
    training: dict[str, Any] = field(default_factory=dict)


def save_web2text(folder: Path, networks: Web2TextNetworks, manifest: Web2TextManifest) -> None:
    """Write the weights into the folder of a bundle, which is created if necessary."""
    arrays = {name: tensor.detach().cpu().contiguous().numpy() for name, tensor in networks.state_dict().items()}
    _FILES.save(folder, arrays, {"features": _FEATURES, "decision": manifest.decision, "training": manifest.training})


def read_web2text_manifest(folder: Path | None = None) -> Web2TextManifest:
    """Read and check ``web2text.json`` (the shipped one by default) without loading torch. Raises BundleError."""
    return _FILES.describe(folder or SHIPPED, _manifest)


def load_web2text(folder: Path | None = None, *, device: str = "auto") -> Web2TextLabeler:
    """Load the weights (the shipped ones by default) onto a device: "auto", "cpu", "cuda" or another torch device name.

    Raises BundleError if a file is missing, broken, foreign or of another version, or torch is not installed.
    """
    try:
        torch = load_extra("torch", "torch")
    except MissingExtraError as error:
        raise BundleError(f"The labeler 'web2text' cannot be used: {error}") from error
    from scrapy_semtext.labelers.web2text.labeler import Web2TextLabeler, Web2TextNetworks

    def networks_of(description: dict[str, Any], arrays: dict[str, Any]) -> Web2TextNetworks:
        _manifest(description)
        networks = Web2TextNetworks()
        try:
            networks.load_state_dict({name: torch.from_numpy(values) for name, values in arrays.items()})
        except RuntimeError as error:
            raise ValueError(f"it does not hold Web2Text's two networks: {error}") from error
        return networks

    return Web2TextLabeler(_FILES.load(folder or SHIPPED, networks_of), usable_device(device))


def _manifest(description: dict[str, Any]) -> Web2TextManifest:
    if description["features"] != _FEATURES:
        raise ValueError("the networks were trained on other features than this release computes")
    if description["decision"] not in DECISIONS or not isinstance(description["training"], dict):
        raise ValueError("it has no decision or no training record")
    return Web2TextManifest(description["decision"], description["training"])
