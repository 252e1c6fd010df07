"""The contract of readers: their order, which are run, and that no result depends on which others are asked for."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest
from kettle_threads import kettle_thread

from scrapy_semtext.extractor import READERS, Extractor, Options, Source
from scrapy_semtext.features.table import describe
from scrapy_semtext.page import Page
from scrapy_semtext.reading import Reader, Reading, by_needs, reader, wanted_of
from scrapy_semtext.results import RESULTS

if TYPE_CHECKING:
    from scrapy_semtext.labelers.bundle import LabelerName
    from scrapy_semtext.reading import Models


def step(sets: str, needs: str = "", uses: str = "", *, asked: bool = False) -> Reader:
    return Reader(sets, lambda _, __, pages: [sets for _ in pages], frozenset(needs), frozenset(uses), lambda _: asked)


def test_readers_come_after_what_they_need_or_use() -> None:
    ordered = by_needs([step("a", needs="c"), step("b", uses="a"), step("c"), step("d")])
    assert [each.sets for each in ordered] == ["c", "a", "b", "d"]


@pytest.mark.parametrize(
    ("readers", "message"),
    [
        ([step("a", needs="x")], "^x: needed by a reader, but no reader sets it$"),
        ([step("a", uses="x")], "^x: needed by a reader"),
        ([step("a"), step("a")], "^a: set by several readers"),
        ([step("a", needs="b"), step("b", needs="a"), step("c")], "^readers need each other: a, b$"),
    ],
)
def test_readers_that_have_no_order_are_refused(readers: list[Reader], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        by_needs(readers)


def test_only_what_is_asked_for_or_needed_is_read() -> None:
    readers = [step("a"), step("b", needs="a"), step("c"), step("d", needs="b", uses="c", asked=True)]
    assert wanted_of(readers, Options()) == {"a", "b", "d"}


def test_a_reader_sets_its_field_on_the_pages_that_want_it() -> None:
    read: list[str | None] = []

    @reader("title")
    def title(reading: Reading, _: Models) -> str:
        read.append(reading.source.url)
        return "A title"

    readings = [Reading(Source("<p>", url), Options(), wanted=frozenset(w)) for url, w in (("a", {"title"}), ("b", ()))]
    for reading in readings:
        reading.parsed = describe("<p>", None)
    title.run(Extractor.load(device="cpu", labeler="textsweeper"), readings)
    assert read == ["a"]
    assert [reading.page.title for reading in readings] == ["A title", None]


@pytest.mark.smoke
def test_each_result_is_set_by_a_reader() -> None:
    found = {name for each in READERS for name in each.fields}
    assert RESULTS.keys() - {"url"} <= found
    assert found <= {each.name for kind in (Page, Reading) for each in fields(kind)}


@pytest.mark.parametrize("labeler", ["semtext", "cascade", "trees", "textsweeper"])
def test_the_main_text_does_not_depend_on_what_else_is_asked_for(labeler: LabelerName) -> None:
    extractor, html = Extractor.load(device="cpu", labeler=labeler), kettle_thread(9)
    only_text: dict[str, Any] = {"labeler": labeler, "pairs": False, "comments": False, "kinds": False}
    whole = extractor.read(html, options=Options(labeler=labeler))
    assert whole.qa_pairs
    for more in ({}, {"pairs": True}, {"comments": True}, {"records": True}, {"chunks": 60}):
        page = extractor.read(html, options=Options(**{**only_text, **more}))
        assert (page.main_text, page.blocks) == (whole.main_text, whole.blocks), more


def test_the_cascade_reads_main_text_without_searching_for_posts(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[object] = []
    monkeypatch.setattr("scrapy_semtext.read.threads.find_posts", searched.append)
    only_text = Options(labeler="cascade", pairs=False, comments=False, kinds=False)
    page = Extractor.load(device="cpu", labeler="cascade").read(kettle_thread(9), options=only_text)
    assert page.main_text
    assert not searched


def test_the_kind_and_chunks_of_a_thread_do_not_depend_on_whether_pairs_are_asked_for() -> None:
    extractor = Extractor.load(device="cpu", labeler="trees")
    with_pairs, without = (
        extractor.read(kettle_thread(9), options=Options(labeler="trees", chunks=60, pairs=each, comments=each))
        for each in (True, False)
    )
    assert with_pairs.page_kind == without.page_kind == "forum"
    assert with_pairs.page_kind_probability == without.page_kind_probability
    assert with_pairs.chunks == without.chunks
