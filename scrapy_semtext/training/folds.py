"""The fold of the domains that the training of a bundle held out, and sets of bundles with one bundle for each fold.

`semtext train labels --test-fold K` holds the domains of fold K out of everything: word vectors, weights, early
stopping and calibration. With a bundle for each fold, every page can be read by one that was trained without its
domain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy_semtext.labelers.registry import LabelerName, training_of
from scrapy_semtext.labelers.structure_trees import load_structure
from scrapy_semtext.training.datasets import SPLIT_SEED, split_side
from scrapy_semtext.training.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class FoldError(UserError):
    """Bundles without held-out pages; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Fold:
    """The domains that a training held out: ``share`` of all domains, ``number`` the fold of that size (from 0)."""

    share: float
    number: int

    def keeps_out(self, domain: str) -> bool:
        """Whether no page of the domain was trained on."""
        return split_side(domain, test_share=self.share, test_fold=self.number) == "test"


def fold_of(bundle: Path | None, labeller: LabelerName = "semtext") -> Fold:
    """The fold that the training of a bundle's labeller (of the shipped bundle by default) kept out, as it says itself.

    Raises FoldError if it does not say, was split by another seed, or is of parts that kept out different domains;
    BundleError for a bundle that cannot be read.
    """
    name = str(bundle or "the shipped bundle")
    fold = stated_fold(training_of(labeller, bundle), name)
    if labeller == "semtext" and (structure := load_structure(bundle)) is not None:
        trees = stated_fold(structure.training, f"the structure trees of {name}")
        if trees != fold:
            raise FoldError(
                f"The network of {name} kept out fold {fold.number}, its structure trees fold {trees.number}: what one "
                "never saw the other learned. Fit the trees again with `semtext train structure`."
            )
    return fold


def stated_fold(training: dict[str, Any], name: str) -> Fold:
    """The fold that a training record states as held out; ``name`` is used in errors. Raises FoldError."""
    split = training.get("split")
    if not isinstance(split, dict) or "test_share" not in split:
        raise FoldError(f"{name} does not say which domains its training kept out. Use --all-domains for every page.")
    if split.get("seed", SPLIT_SEED) != SPLIT_SEED:
        raise FoldError(f"{name} was trained on a split by the seed {split['seed']}, this release has {SPLIT_SEED}.")
    return Fold(float(split["test_share"]), int(split.get("test_fold", 0)))


def kept_out(bundle: Path | None, labeller: LabelerName) -> tuple[Fold, ...]:
    """The fold to measure a labeller by; that of the network for one that is not trained, to have the same pages.

    Raises FoldError, BundleError.
    """
    return (fold_of(bundle, labeller if training_of(labeller, bundle) else "semtext"),)


def folds_of(bundles: Sequence[Path], labeller: LabelerName = "semtext") -> list[Fold]:
    """The folds of bundles that together are to read all domains, each domain by the one that kept it out.

    Raises FoldError if two kept out the same fold, if the folds are of different sizes, or if one is missing.
    """
    return checked(bundles, [fold_of(bundle, labeller) for bundle in bundles])


def checked(bundles: Sequence[Path], folds: list[Fold]) -> list[Fold]:
    """Return the folds of bundles if they make up all domains; raise FoldError as `folds_of` does if not."""
    shares = sorted({fold.share for fold in folds})
    if len(shares) > 1:
        raise FoldError(f"The bundles kept out different shares of the domains: {', '.join(map(str, shares))}.")
    for place, fold in enumerate(folds):
        if fold in folds[:place]:
            other = bundles[folds.index(fold)]
            raise FoldError(f"{other} and {bundles[place]} both kept out fold {fold.number}. Give one bundle a fold.")
    needed = range(round(1 / shares[0]))
    if missing := sorted(set(needed) - {fold.number for fold in folds}):
        numbers = ", ".join(map(str, missing))
        remedy = f"Train it with `semtext train labels --test-fold {missing[0]}`."
        raise FoldError(f"No bundle kept out fold {numbers} (of 0 to {needed[-1]}). {remedy}")
    return folds
