"""Sets of bundles that together read all pages: each page is read by the bundle whose training left its domain out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.utils import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy_semtext.train.evaluate import Fold


def checked(bundles: Sequence[Path], folds: list[Fold]) -> list[Fold]:
    """Return the folds of bundles that together read all domains, each domain by the bundle that left it out.

    Raises UserError if two bundles left out the same fold, if the folds differ in size, or if a fold is missing.
    """
    shares = sorted({fold.share for fold in folds})
    if len(shares) > 1:
        raise UserError(f"The bundles kept out different shares of the domains: {', '.join(map(str, shares))}.")
    for place, fold in enumerate(folds):
        if fold in folds[:place]:
            other = bundles[folds.index(fold)]
            raise UserError(f"{other} and {bundles[place]} both kept out fold {fold.number}. Give one bundle a fold.")
    needed = range(round(1 / shares[0]))
    if missing := sorted(set(needed) - {fold.number for fold in folds}):
        numbers = ", ".join(map(str, missing))
        remedy = f"Train it with `semtext dev train labels --test-fold {missing[0]}`."
        raise UserError(f"No bundle kept out fold {numbers} (of 0 to {needed[-1]}). {remedy}")
    return folds
