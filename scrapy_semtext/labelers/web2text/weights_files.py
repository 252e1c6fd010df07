"""Web2Text's weights on disk, in the folder of a bundle: safetensors, and JSON that says what they are.

``web2text.json`` has format version, features, decision, checksum and training; ``web2text.safetensors`` the parameters
of both networks, with the mean and deviation of each feature. Neither holds code.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError

from scrapy_semtext.inference.scores import DECISIONS, Decision
from scrapy_semtext.inference.storage import SHIPPED, BundleError
from scrapy_semtext.labelers.bundle import usable_device
from scrapy_semtext.labelers.web2text.features import BLOCK_FEATURES, EDGE_FEATURES
from scrapy_semtext.utils.extras import MissingExtraError, load_extra

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_semtext.labelers.web2text.labeler import Web2TextLabeler, Web2TextNetworks

FORMAT = "scrapy-semtext web2text"
VERSION = 1
_DESCRIPTION, _WEIGHTS = "web2text.json", "web2text.safetensors"
_REPAIR = "Install scrapy-semtext again, or train it again with `semtext dev train labels --labeler web2text`."
_FEATURES = {"block": [each.name for each in BLOCK_FEATURES], "edge": [each.name for each in EDGE_FEATURES]}


@dataclass(frozen=True, slots=True)
class Web2TextManifest:
    """What ``web2text.json`` says. ``training`` holds data, seed, dates and scores, for the reader."""

    decision: Decision
    training: dict[str, Any] = field(default_factory=dict)


def save_web2text(folder: Path, networks: Web2TextNetworks, manifest: Web2TextManifest) -> None:
    """Write the weights into the folder of a bundle, which is made if need be."""
    from safetensors.torch import save

    data = save({name: tensor.detach().cpu().contiguous() for name, tensor in networks.state_dict().items()})
    description = {
        "format": FORMAT,
        "version": VERSION,
        "features": _FEATURES,
        "decision": manifest.decision,
        "sha256": hashlib.sha256(data).hexdigest(),
        "training": manifest.training,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _WEIGHTS).write_bytes(data)
    text = json.dumps(description, indent=2, ensure_ascii=False)
    (folder / _DESCRIPTION).write_text(text + "\n", encoding="utf-8")


def read_web2text_manifest(folder: Path | None = None) -> Web2TextManifest:
    """Read and check ``web2text.json`` (the shipped one by default) without loading torch. Raises BundleError."""
    folder = folder or SHIPPED
    return _manifest(_description(folder), folder)


def load_web2text(folder: Path | None = None, *, device: str = "auto") -> Web2TextLabeler:
    """Load the weights (the shipped ones by default) onto a device: "auto", "cpu", "cuda" or another of torch's names.

    Raises BundleError if a file is missing, broken, foreign or of another version, or torch is not installed.
    """
    try:
        load_extra("torch", "torch")
    except MissingExtraError as error:
        raise BundleError(f"The labeler 'web2text' cannot be used: {error}") from error
    from safetensors.torch import load

    from scrapy_semtext.labelers.web2text.labeler import Web2TextLabeler, Web2TextNetworks

    folder = folder or SHIPPED
    description = _description(folder)
    _manifest(description, folder)
    path = folder / _WEIGHTS
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BundleError(f"{path} cannot be read: {error}. {_REPAIR}") from error
    if hashlib.sha256(data).hexdigest() != description.get("sha256"):
        raise BundleError(
            f"{path} is not the file that {_DESCRIPTION} describes: it was changed or cut short. {_REPAIR}"
        )
    networks = Web2TextNetworks()
    try:
        networks.load_state_dict(load(data))
    except (RuntimeError, SafetensorError) as error:
        raise BundleError(f"{path} does not hold Web2Text's two networks: {error} {_REPAIR}") from error
    return Web2TextLabeler(networks, usable_device(device))


def _description(folder: Path) -> dict[str, Any]:
    path = folder / _DESCRIPTION
    try:
        description = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise BundleError(f"There are no weights of Web2Text in {folder}: {path.name} is missing. {_REPAIR}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise BundleError(f"{path} cannot be read: {error}. {_REPAIR}") from error
    if not isinstance(description, dict) or (description.get("format"), description.get("version")) != (
        FORMAT,
        VERSION,
    ):
        raise BundleError(f"{path} does not describe {FORMAT} of version {VERSION}. {_REPAIR}")
    return description


def _manifest(description: dict[str, Any], folder: Path) -> Web2TextManifest:
    path = folder / _DESCRIPTION
    if description.get("features") != _FEATURES:
        raise BundleError(f"{path} was trained on other features than this release computes. {_REPAIR}")
    if description.get("decision") not in DECISIONS or not isinstance(description.get("training"), dict):
        raise BundleError(f"{path} is broken: it has no decision or no training record. {_REPAIR}")
    return Web2TextManifest(description["decision"], description["training"])
