"""Which system processes which page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import pytest

from research.systems import Own, find_systems, read_with, unseen
from scrapy_semtext import Extractor, Page, Source
from scrapy_semtext.models.storage import SHIPPED
from scrapy_semtext.train.datasets import AnnotatedPage
from scrapy_semtext.train.evaluate import Fold
from scrapy_semtext.utils import UserError

if TYPE_CHECKING:
    from pathlib import Path

DOMAINS = [f"site{number}.com" for number in range(40)]


def bundle(folder: Path, test_fold: int) -> Path:
    """Create a bundle that consists only of its description."""
    folder.mkdir()
    described = json.loads((SHIPPED / "bundle.json").read_text(encoding="utf-8"))
    described["training"]["split"]["test_fold"] = test_fold
    (folder / "bundle.json").write_text(json.dumps(described), encoding="utf-8")
    return folder


def test_unknown_and_repeated_names_are_refused() -> None:
    with pytest.raises(UserError, match=r"no system 'lynx'\. There are semtext, .*, trafilatura"):
        find_systems(["lynx"], Own())
    with pytest.raises(UserError, match="trafilatura is named twice"):
        find_systems(["trafilatura", "trafilatura"], Own())


def test_pages_are_those_that_no_single_bundle_was_trained_on(tmp_path: Path) -> None:
    one, other = bundle(tmp_path / "1", test_fold=1), bundle(tmp_path / "2", test_fold=2)
    five = [bundle(tmp_path / f"f{number}", test_fold=number) for number in range(5)]
    own = Own((one,))
    assert unseen(find_systems(["semtext"], own), own) == (Fold(0.2, 1),)
    assert unseen(find_systems(["semtext", f"semtext:{other}"], own), own) == (Fold(0.2, 1), Fold(0.2, 2))
    assert unseen(find_systems(["trafilatura"], own), own) == (Fold(0.2, 1),)
    folds = Own(tuple(five))
    assert unseen(find_systems(["semtext", "semtext:viterbi"], folds), folds) == ()
    assert unseen(find_systems(["semtext", f"semtext:{other}"], folds), folds) == (Fold(0.2, 2),)


def test_each_page_is_read_by_the_bundle_that_kept_it_out() -> None:
    class Reader:
        def __init__(self, number: int) -> None:
            self.number = number

        def read_many(self, sources: list[Source]) -> list[Page | Exception]:
            return [Page(main_text=f"{self.number} {source.html}") for source in sources]

    folds = [Fold(0.5, 0), Fold(0.5, 1)]
    pages = [AnnotatedPage(d, "set", None, None, None, d, "", d) for d in DOMAINS]
    readers = cast("list[Extractor]", [Reader(0), Reader(1)])
    found = [reading.text for reading in read_with(readers, folds, pages) if not isinstance(reading, Exception)]
    assert found == [f"{0 if folds[0].keeps_out(domain) else 1} {domain}" for domain in DOMAINS]
    assert {text[0] for text in found} == {"0", "1"}
