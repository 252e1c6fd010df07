"""Pages mutated to break something, read in every way: a small part of `research.fuzzing`."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from crawling import Answer, crawl

from research.fuzzing import __main__ as campaigns
from research.fuzzing.extremes import extremes
from research.fuzzing.mutations import ENCODINGS, MUTATIONS, mutated
from research.fuzzing.reading import BATCHES, URLS, Input, Reader, violations
from scrapy_semtext.extractor import Extractor
from scrapy_semtext.words.decoding import FOREIGN_ENCODINGS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

PAGE = "<html><body>" + "".join(f"<p>Paragraph {number} of a page about rain.</p>" for number in range(20))


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    reader = Reader()
    yield reader
    reader.close()


@pytest.fixture(scope="module")
def pages() -> list[str]:
    return [html[:8_000] for html in campaigns.gate_pages()]


def grown(pages: list[str], seed: int) -> Input:
    random = Random(seed)  # noqa: S311  to be repeated
    html, names = mutated(random, pages, 60_000)
    return Input(html, None, random.choice(URLS), names)


def test_pages_grown_from_real_ones(reader: Reader, pages: list[str]) -> None:
    inputs = [grown(pages, seed) for seed in range(40)]
    assert [violation for page in inputs for violation in reader.violations([page])] == []
    assert [*reader.differing(inputs)] == []
    assert [*reader.differing_uncompiled(inputs[:10])] == []


@pytest.mark.parametrize("name", MUTATIONS)
def test_each_kind_of_page(name: str, reader: Reader, pages: list[str]) -> None:
    random = Random(3)  # noqa: S311
    html = MUTATIONS[name][0](random, pages[0], pages[1])[:150_000]
    assert [*reader.violations([Input(html, made_by=[name])])] == []


def test_every_encoding_with_a_false_label(reader: Reader) -> None:
    inputs = [Input(html, label) for _, html, label in extremes(PAGE) if label is not None]
    assert len(inputs) == len(ENCODINGS) + len(FOREIGN_ENCODINGS) + 4  # megabytes of no encoding and of a false one
    assert [*reader.violations(inputs, BATCHES[1])] == []
    assert [*reader.differing(inputs, BATCHES[1])] == []


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
    inputs = [Input(html, made_by=[name]) for name, html, _ in extremes(PAGE) if name.startswith(beginning)]
    assert inputs
    assert [violation for page in inputs for violation in reader.violations([page])] == []


def test_a_campaign_keeps_what_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaigns, "_BATCH", 4)
    campaign = campaigns.Campaign(7, tmp_path, [PAGE])
    campaign.run(minutes=2, batches=2)
    assert campaign.report().endswith("violations: 0\n")
    assert campaign.reader.inputs == 4 + 4 + 4 + 2, "the first batch also page by page, and a large page after each"
    monkeypatch.setattr(Extractor, "read_many", lambda *_: [ZeroDivisionError("broken")] * 4)
    campaign.read([Input(PAGE, None, None)] * 4, 1)
    assert "4 times: reading fails: ZeroDivisionError" in campaign.report()
    assert len([*tmp_path.glob("*.html")]) == 3
    campaign.reader.close()


@pytest.mark.crawl
def test_a_crawl_gives_an_item_for_each_page(pages: list[str], caplog: pytest.LogCaptureFixture) -> None:
    bodies = [str(grown(pages, seed).html).encode("utf-8", "surrogatepass") for seed in range(40)]
    site = {f"http://site.test/{number}": Answer(body) for number, body in enumerate(bodies)}
    done = crawl(site, settings={"SEMTEXT_EXTRACTOR": None})
    assert done.count("items/filled") == len(site)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_what_is_wrong_is_seen(reader: Reader) -> None:
    annotation = reader.extractor.annotate("<p>One text.</p><div>Another text.</div>")
    annotation.page.blocks.reverse()
    assert any("not those of its tree" in violation for violation in violations(annotation))
