"""The score of an extractor on pages with ground truth."""

from __future__ import annotations

from collections import defaultdict, deque
from functools import partial
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from scrapy_semtext.training.folds import Fold
from scrapy_semtext.training.grouping import group_of
from scrapy_semtext.training.measurement import PageScore, Selection, score_pages
from scrapy_semtext.training.scoring import mean_prf
from scrapy_semtext.training.systems import BATCH, read_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.training.datasets import AnnotatedPage
    from scrapy_semtext.training.grouping import By


def evaluate(
    paths: Iterable[Path],
    extractor: Extractor,
    *,
    folds: tuple[Fold, ...] = (Fold(0.2, 0),),
    by: By = "type",
    progress: bool = True,
) -> dict[str, dict[str, Any]]:
    """Mean word precision, recall and F1 (0 to 1) of the main text, over all pages ("all") and by group.

    ``folds`` restrict the domains: by default to those held out of training, () for all. ``by`` is the criterion of
    groups (see `group_of`). A page that cannot be read counts as an empty text, and is counted in
    ``errors``. Raises DatasetError for a set that cannot be read.
    """
    rows: defaultdict[str, list[PageScore]] = defaultdict(list)
    groups: deque[str] = deque()  # of the pages being read

    def pages() -> Iterator[AnnotatedPage]:
        for page in Selection(tuple(paths), folds).pages():
            groups.append(group_of(page, by))
            yield page

    reader = partial(read_with, [extractor], ())
    for score in tqdm(score_pages(reader, pages(), BATCH), desc="evaluating", unit=" pages", disable=not progress):
        for name in ("all", groups.popleft()):
            rows[name].append(score)
    return {
        name: {
            **mean_prf(score.words for score in scores)._asdict(),
            "pages": len(scores),
            "errors": sum(score.error is not None for score in scores),
        }
        for name, scores in rows.items()
    }
