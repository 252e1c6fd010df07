"""The real pages that parts are measured on: those of the quality gate, which are bundled with the tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scrapy_semtext import Extractor, Source
from scrapy_semtext.features.parsed_page import ParsedPage, describe

sys.path.insert(0, str(Path(__file__).parent.parent))

#: Which pages, counted by size: a small one (52 KB), the middle one (174 KB), a large one (592 KB).
_PLACES = {"small": 0.1, "middle": 0.5, "large": 0.95}


@pytest.fixture(scope="session")
def pages() -> list[Source]:
    from gate.quality import read_sample

    return sorted((Source(page.html, page.url) for page in read_sample()), key=lambda page: len(page.html))


@pytest.fixture(scope="session")
def batch(pages: list[Source]) -> list[Source]:
    """Sixteen pages of all sizes."""
    return pages[::5]


@pytest.fixture(params=_PLACES)
def page(request: pytest.FixtureRequest, pages: list[Source]) -> Source:
    return pages[int(_PLACES[request.param] * len(pages))]


@pytest.fixture
def described(page: Source) -> ParsedPage:
    return describe(page.html, page.url)


@pytest.fixture(scope="session")
def extractor() -> Extractor:
    return Extractor.load(device="cpu")
