"""Mean scores of annotated pages by group: ``semtext dev evaluate``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from tqdm import tqdm

from scrapy_semtext.extractor import Extractor, Source
from scrapy_semtext.text.languages import language_of_text, primary_language
from scrapy_semtext.training.folds import Fold, held_out_pages
from scrapy_semtext.training.scoring import PRF, mean_prf, word_prf

if TYPE_CHECKING:
    from scrapy_semtext.training.datasets import AnnotatedPage

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
