"""What reading asks of Python's interpreter, and gives back."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from scrapy_semtext import extractor
from scrapy_semtext.describe import Described, describe
from scrapy_semtext.extractor import Source
from scrapy_semtext.interpreter import garbage_left_alone

if TYPE_CHECKING:
    from scrapy_semtext.model.scores import Scores


def test_garbage_is_collected_again_after_reading() -> None:
    assert gc.isenabled()
    with garbage_left_alone():
        assert not gc.isenabled()
        with garbage_left_alone():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_an_error_leaves_the_collector_as_it_was() -> None:
    with pytest.raises(ZeroDivisionError), garbage_left_alone():
        raise ZeroDivisionError
    assert gc.isenabled()


def test_a_collector_that_is_off_stays_off() -> None:
    gc.disable()
    try:
        with garbage_left_alone():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_pages_are_cut_without_collecting_and_labelled_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def watching(html: str, url: str | None) -> Described:
        seen.append(gc.isenabled())
        return describe(html, url)

    class Watching:
        def score(self, pages: object) -> list[Scores]:
            seen.append(gc.isenabled())
            raise RuntimeError

    monkeypatch.setattr(extractor, "describe", watching)
    extractor.Extractor(Watching(), "viterbi").read_many([Source("<p>One.</p>")])
    assert seen == [False, True]
    assert gc.isenabled()


def test_pages_leave_no_cycles_behind() -> None:
    reader = extractor.Extractor.load(device="cpu")
    reader.read_many([Source("<p>One.</p>")])
    gc.collect()
    gc.disable()
    try:
        reader.read_many([Source(f"<div><p>Number {n}?</p><p>Yes.</p></div>") for n in range(20)])
        assert gc.collect() < 200
    finally:
        gc.enable()
