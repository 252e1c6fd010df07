"""The model of kinds of page on disk, beside the network of a bundle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_semtext.inference.storage import BundleError
from scrapy_semtext.inference.tree_storage import TreeFiles
from scrapy_semtext.inference.trees import TreeEnsemble
from scrapy_semtext.page_kinds.model import KINDS, KindModel

if TYPE_CHECKING:
    from pathlib import Path

_FILES = TreeFiles("kinds", "model of page kinds", 2, "semtext train kinds")


def save_kinds(folder: Path, model: KindModel) -> None:
    """Write the model into the folder of a bundle, which is made if need be."""
    about = {
        "kinds": list(KINDS),
        "parts": model.parts,
        "columns": list(model.columns),
        "words": list(model.words),
        "offsets": list(model.offsets),
        "threshold": model.threshold,
        "training": model.training,
    }
    _FILES.save(folder, model.trees.arrays("kinds"), about)


def load_kinds(folder: Path | None = None) -> KindModel:
    """Load the model from the folder of a bundle, or the shipped one where it has none.

    Raises BundleError if a file is missing, broken, foreign or of another version.
    """
    return _FILES.load_or_shipped(folder, _model)


def require_kinds(folder: Path) -> KindModel:
    """Load the model of a bundle itself. Raises BundleError if it has none, too."""
    if not _FILES.are_in(folder):
        raise BundleError(f"The bundle in {folder} has no model of page kinds. {_FILES.repair}")
    return load_kinds(folder)


def _model(description: dict[str, Any], arrays: dict[str, Any]) -> KindModel:
    if description["kinds"] != list(KINDS):
        raise ValueError("the model was fitted to other kinds of page")
    return KindModel(
        TreeEnsemble.from_arrays(arrays, "kinds"),
        int(description["parts"]),
        tuple(description["columns"]),
        tuple(description["words"]),
        tuple(map(float, description["offsets"])),
        float(description["threshold"]),
        description["training"],
    )
