"""The structure trees on disk, beside the network of a bundle."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy_semtext.inference.storage import SHIPPED, BundleError
from scrapy_semtext.inference.tree_storage import TreeFiles
from scrapy_semtext.inference.trees import TreeEnsemble
from scrapy_semtext.labelers.structure_trees import StructureTrees

if TYPE_CHECKING:
    from pathlib import Path

_FILES = TreeFiles("structure", "structure trees", 1, "semtext train structure")


@dataclass(frozen=True, slots=True)
class StructureModel:
    """The trees, and what they were fitted to (``training``: data, seed, dates), for the reader."""

    trees: StructureTrees
    training: dict[str, Any] = field(default_factory=dict)


def save_structure(folder: Path, model: StructureModel) -> None:
    """Write the trees into the folder of a bundle, which is made if need be."""
    trees = model.trees
    about = {"columns": list(trees.columns), "words": list(trees.words), "training": model.training}
    _FILES.save(folder, trees.trees.arrays("structure"), about)


def require_structure(folder: Path | None = None) -> StructureModel:
    """Load the trees as `load_structure` does. Raises BundleError if the bundle has none, too."""
    model = load_structure(folder)
    if model is None:
        raise BundleError(f"The bundle in {folder or SHIPPED} has no structure trees. {_FILES.repair}")
    return model


def load_structure(folder: Path | None = None) -> StructureModel | None:
    """Load the trees from the folder of a bundle (the shipped one by default); None if it has none.

    Raises BundleError if a file is broken, foreign or of another version.
    """
    folder = folder or SHIPPED
    return _FILES.load(folder, _model) if _FILES.are_in(folder) else None


def _model(description: dict[str, Any], arrays: dict[str, Any]) -> StructureModel:
    ensemble = TreeEnsemble.from_arrays(arrays, "structure")
    trees = StructureTrees(ensemble, tuple(description["columns"]), tuple(description["words"]))
    return StructureModel(trees, description["training"])
