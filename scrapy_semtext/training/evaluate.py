"""The score of an extractor on pages with ground truth."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from scrapy_semtext.extractor import Source
from scrapy_semtext.training.datasets import read_all, side_of
from scrapy_semtext.training.scoring import PRF, mean_prf, word_prf

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from scrapy_semtext.extractor import Extractor, Options
    from scrapy_semtext.training.datasets import Side, TruthPage

_BATCH = 16


def evaluate(
    paths: Iterable[Path],
    extractor: Extractor,
    *,
    side: Side | None = "test",
    test_share: float = 0.2,
    test_fold: int = 0,
    options: Options | None = None,
    progress: bool = True,
) -> dict[str, dict[str, Any]]:
    """Mean word precision, recall and F1 (0 to 1) of the main text, over all pages ("all") and by page type.

    ``side`` names the domains that are used: those kept out of training ("test") by default, None for all;
    ``test_share`` and ``test_fold`` say which domains the training of the model kept out. A page that cannot be read
    counts as an empty text, and is counted in ``errors``. Raises DatasetError for a set that cannot be read.
    """
    failed: Counter[str] = Counter()
    rows: defaultdict[str, list[PRF]] = defaultdict(list)
    pages = sided(read_all(paths), side, test_share, test_fold)
    with tqdm(desc="evaluating", unit=" pages", disable=not progress) as bar:
        while batch := list(islice(pages, _BATCH)):
            sources = [Source(page.html, page.url, options) for page in batch]
            for page, read in zip(batch, extractor.read_many(sources), strict=True):
                score = word_prf("" if isinstance(read, Exception) else read.main_text, page.text)
                for name in ("all", page.page_type or "untyped"):
                    rows[name].append(score)
                    failed[name] += isinstance(read, Exception)
            bar.update(len(batch))
    return {
        name: {**mean_prf(scores)._asdict(), "pages": len(scores), "errors": failed[name]}
        for name, scores in rows.items()
    }


def sided(
    pages: Iterable[TruthPage], side: Side | None, test_share: float = 0.2, test_fold: int = 0
) -> Iterator[TruthPage]:
    """Yield the pages whose domain is on one side of the split; all of them for None."""
    return (
        page
        for page in pages
        if side is None or side_of(page.domain, test_share=test_share, test_fold=test_fold) == side
    )
