"""What to train trees on, and which domains to hold out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import lightgbm

from scrapy_semtext.training.datasets import SPLIT_SEED, may_ship, read_all, split_side
from scrapy_semtext.utils.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scrapy_semtext.training.datasets import AnnotatedPage
    from scrapy_semtext.training.pair_pages import PairPage


@dataclass(frozen=True, slots=True)
class TreeTrainingJob:
    """What to train, as `scrapy_semtext.training.run.TrainingJob`, but only the test side of the split is held out."""

    data: tuple[Path, ...]
    out: Path
    seed: int = 1
    any_licence: bool = False
    test_share: float = 0.2
    test_fold: int = 0

    def keeps_out(self, page: AnnotatedPage | PairPage) -> bool:
        """Whether the domain of a page is on the test side."""
        return split_side(page.domain, test_share=self.test_share, test_fold=self.test_fold) == "test"

    def pages(self, *, tests: bool = False) -> Iterator[AnnotatedPage]:
        """Yield the pages whose licence allows to learn from them; without ``tests`` none of the test side."""
        for page in read_all(self.data):
            if (self.any_licence or may_ship(page)) and (tests or not self.keeps_out(page)):
                yield page

    def record(self) -> dict[str, Any]:
        """The common part of training records: date, versions, and the domains held out."""
        return {
            "date": datetime.now(timezone.utc).date().isoformat(),
            "version": __version__,
            "lightgbm": lightgbm.__version__,
            "seed": self.seed,
            "any_licence": self.any_licence,
            "split": {
                "by": "registered domain",
                "seed": SPLIT_SEED,
                "test_share": self.test_share,
                "test_fold": self.test_fold,
            },
        }
