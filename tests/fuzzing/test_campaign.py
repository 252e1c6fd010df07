"""A short campaign, and its parts: small pages in batches, the largest pages, every encoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from research.fuzzing.campaign import Campaign
from research.fuzzing.extremes import extremes
from research.fuzzing.mutations import ENCODINGS
from research.fuzzing.targets import BATCHES, Input, Reader
from scrapy_semtext.words.decoding import FOREIGN_ENCODINGS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGE = "<html><body>" + "".join(f"<p>Paragraph {number} of a page about rain.</p>" for number in range(20))


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    reader = Reader()
    yield reader
    reader.close()


@pytest.mark.slow
def test_every_encoding_with_a_false_label(reader: Reader) -> None:
    pages = [Input(html, label) for _, html, label in extremes(PAGE) if label is not None]
    assert len(pages) == len(ENCODINGS) + len(FOREIGN_ENCODINGS) + 4  # megabytes of no encoding and of a false one
    assert [*reader.batch(pages, BATCHES[1], keep=True)] == []
    assert [*reader.differing(pages, BATCHES[1])] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "beginning",
    [
        "<ul><li>",
        "900 attributes",
        "100,000 attributes",
        "itemref",
        "JSON-LD, answers",
        "the number",
        "a circle",
        "300 items",
    ],
)
def test_some_of_the_largest_pages(beginning: str, reader: Reader) -> None:
    pages = [Input(html, made_by=[name]) for name, html, _ in extremes(PAGE) if name.startswith(beginning)]
    assert pages
    assert [violation for page in pages for violation in reader.violations(page, compare=False)] == []


@pytest.mark.slow
@pytest.mark.crawl
def test_a_campaign_reads_each_input_in_every_way(tmp_path: Path) -> None:
    campaign = Campaign(7, tmp_path, [PAGE])
    campaign.run(minutes=2, inputs=100)
    assert campaign.tried["alone"] == campaign.tried["in two further batches"] == campaign.tried["in a batch"] == 64
    assert campaign.tried["without extensions"] > 0
    assert not campaign.found
    assert "inputs: 128 with" in campaign.report()
