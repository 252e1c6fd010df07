"""Mean scores of annotated pages by group: ``semtext dev evaluate``.

By default these are the pages of the domains that were held out of the training.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeVar

from tqdm import tqdm

from scrapy_semtext.extractor import Extractor, Source
from scrapy_semtext.labelers.bundle import LabelerName, training_of
from scrapy_semtext.labelers.structure_trees import load_structure
from scrapy_semtext.train.corpus import PRF, mean_prf, word_prf
from scrapy_semtext.train.datasets import SPLIT_SEED, AnnotatedPage, read_measured, split_side
from scrapy_semtext.utils import UserError
from scrapy_semtext.words.words import language_of_text, primary_language


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


#: The number of pages that are processed at a time.
BATCH = 16

#: The criteria of `group_of`.
By = Literal["type", "lang"]

# Characters of the true text that are used to detect its language.
_ENOUGH = 2000

_Row = TypeVar("_Row")


def by_group(
    rows: Iterable[tuple[str, _Row]], summary: Callable[[list[_Row]], dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Return the summaries of all rows ("all"), and of each group; each row comes with the name of its group."""
    groups: defaultdict[str, list[_Row]] = defaultdict(list)
    for group, row in rows:
        groups["all"].append(row)
        groups[group].append(row)
    return {name: {**summary(own), "pages": len(own)} for name, own in groups.items()}


def group_of(page: AnnotatedPage, by: By = "type") -> str:
    """Return the group of a page.

    By "lang" it is the two-letter ISO 639 code stated by the page set, or else detected by py3langid from the true
    text; "unknown" if the text is too short. Raises MissingExtraError if py3langid is needed and not installed.
    """
    if by == "type":
        return page.page_type or "untyped"
    if page.lang:
        return primary_language(page.lang)
    return language_of_text(page.text[:_ENOUGH]) or "unknown"


def evaluate(
    paths: Iterable[Path],
    extractor: Extractor,
    *,
    folds: tuple[Fold, ...] = (Fold(0.2, 0),),
    by: By = "type",
    progress: bool = True,
) -> dict[str, dict[str, Any]]:
    """Return mean word precision, recall and F1 (0 to 1) of the main text, over all pages ("all") and by group.

    ``folds`` restrict the domains: by default to those held out of training, () for all. ``by`` is the criterion of
    groups (see `group_of`). A page that cannot be read counts as an empty text, and is counted in ``errors``. Raises
    DatasetError for a set that cannot be read.
    """

    def rows() -> Iterator[tuple[str, tuple[PRF, bool]]]:
        pages = iter(tqdm(held_out_pages(paths, folds), desc="evaluating", unit=" pages", disable=not progress))
        while batch := list(islice(pages, BATCH)):
            read = extractor.read_many([Source(page.html, page.url) for page in batch])
            for page, result in zip(batch, read, strict=True):
                text = "" if isinstance(result, Exception) else result.main_text
                yield group_of(page, by), (word_prf(text, page.text), isinstance(result, Exception))

    return by_group(rows(), _text_summary)


def _text_summary(rows: list[tuple[PRF, bool]]) -> dict[str, Any]:
    scores, failed = zip(*rows, strict=True)
    return {**mean_prf(scores)._asdict(), "errors": sum(failed)}
