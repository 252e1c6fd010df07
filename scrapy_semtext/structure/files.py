"""The structure trees on disk, beside the network of a bundle: trees as safetensors, columns and words as JSON."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError
from safetensors.numpy import load, save

from scrapy_semtext.model.bundle import SHIPPED, BundleError
from scrapy_semtext.model.trees import TreeEnsemble
from scrapy_semtext.structure.trees import StructureTrees

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = "scrapy-semtext structure trees"
VERSION = 1
_DESCRIPTION, _TREES = "structure.json", "structure.safetensors"
_REPAIR = "Install scrapy-semtext again, or fit the trees again with `semtext train-structure`."


@dataclass(frozen=True, slots=True)
class StructureModel:
    """The trees, and what they were fitted to (``training``: data, seed, dates), for the reader."""

    trees: StructureTrees
    training: dict[str, Any] = field(default_factory=dict)


def save_structure(folder: Path, model: StructureModel) -> None:
    """Write the trees into the folder of a bundle, which is made if need be."""
    data = save(model.trees.trees.arrays("structure"))
    description = {
        "format": FORMAT,
        "version": VERSION,
        "sha256": hashlib.sha256(data).hexdigest(),
        "columns": list(model.trees.columns),
        "words": list(model.trees.words),
        "training": model.training,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _TREES).write_bytes(data)
    text = json.dumps(description, ensure_ascii=False, indent=1)
    (folder / _DESCRIPTION).write_text(text + "\n", encoding="utf-8")


def require_structure(folder: Path | None = None) -> StructureModel:
    """Load the trees as `load_structure` does. Raises BundleError if the bundle has none, too."""
    model = load_structure(folder)
    if model is None:
        raise BundleError(f"The bundle in {folder or SHIPPED} has no structure trees. {_REPAIR}")
    return model


def load_structure(folder: Path | None = None) -> StructureModel | None:
    """Load the trees from the folder of a bundle (the shipped one by default); None if it has none.

    Raises BundleError if a file is broken, foreign or of another version.
    """
    folder = folder or SHIPPED
    path = folder / _DESCRIPTION
    if not path.exists():
        return None
    try:
        description = json.loads(path.read_text(encoding="utf-8"))
        data = (folder / _TREES).read_bytes()
    except (OSError, ValueError) as error:
        raise BundleError(f"The structure trees in {folder} cannot be read: {error}. {_REPAIR}") from error
    if not isinstance(description, dict) or (description.get("format"), description.get("version")) != (
        FORMAT,
        VERSION,
    ):
        raise BundleError(f"{path} does not describe {FORMAT} of version {VERSION}. {_REPAIR}")
    if hashlib.sha256(data).hexdigest() != description.get("sha256"):
        raise BundleError(f"{folder / _TREES} is not the file that {path.name} describes. {_REPAIR}")
    try:
        ensemble = TreeEnsemble.from_arrays(load(data), "structure")
        trees = StructureTrees(ensemble, tuple(description["columns"]), tuple(description["words"]))
        return StructureModel(trees, description["training"])
    except (KeyError, TypeError, ValueError, SafetensorError) as error:
        raise BundleError(f"{path} is broken, or was made for another release: {error}. {_REPAIR}") from error
