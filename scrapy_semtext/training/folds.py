"""The domains held out of trainings, and the pages for evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrapy_semtext.labelers.registry import LabelerName, training_of
from scrapy_semtext.labelers.structure_trees import load_structure
from scrapy_semtext.training.datasets import SPLIT_SEED, AnnotatedPage, read_measured, split_side
from scrapy_semtext.training.errors import UserError


@dataclass(frozen=True, slots=True)
class Fold:
    """The domains held out of a training: ``share`` of all domains, ``number`` the fold of that size (from 0)."""

    share: float
    number: int

    def keeps_out(self, domain: str) -> bool:
        """Return whether no page of the domain was used for training."""
        return split_side(domain, test_share=self.share, test_fold=self.number) == "test"


def fold_of(bundle: Path | None, labeler: LabelerName = "semtext") -> Fold:
    """Return the fold held out of the training of a bundle's labeler (the shipped bundle by default), as recorded.

    Raises UserError if it is not recorded, was split by another seed, or differs between the labeler's parts;
    BundleError for a bundle that cannot be read.
    """
    name = str(bundle or "the shipped bundle")
    fold = stated_fold(training_of(labeler, bundle), name)
    if labeler == "semtext" and (structure := load_structure(bundle)) is not None:
        trees = stated_fold(structure.training, f"the structure trees of {name}")
        if trees != fold:
            raise UserError(
                f"The network of {name} kept out fold {fold.number}, its structure trees fold {trees.number}: what one "
                "never saw the other learned. Fit the trees again with `semtext dev train structure`."
            )
    return fold


def stated_fold(training: dict[str, Any], name: str) -> Fold:
    """Return the held-out fold in a training record; ``name`` is used in errors. Raises UserError."""
    split = training.get("split")
    if not isinstance(split, dict) or "test_share" not in split:
        raise UserError(f"{name} does not say which domains its training kept out. Use --all-domains for every page.")
    if split.get("seed", SPLIT_SEED) != SPLIT_SEED:
        raise UserError(f"{name} was trained on a split by the seed {split['seed']}, this release has {SPLIT_SEED}.")
    return Fold(float(split["test_share"]), int(split.get("test_fold", 0)))


def kept_out(bundle: Path | None, labeler: LabelerName) -> tuple[Fold, ...]:
    """Return the fold to evaluate a labeler on; for an untrained one that of the network, to use the same pages.

    Raises UserError, BundleError.
    """
    return (fold_of(bundle, labeler if training_of(labeler, bundle) else "semtext"),)


def held_out_pages(paths: Iterable[Path], folds: Sequence[Fold]) -> Iterator[AnnotatedPage]:
    """Yield the pages whose domains are held out by every one of ``folds``, in order. Raises DatasetError."""
    return (page for page in read_measured(paths) if all(fold.keeps_out(page.domain) for fold in folds))
