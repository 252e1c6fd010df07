"""What reading asks of Python's interpreter, and gives back."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from scrapy_semtext.extractor import Extractor, Source, default_extractor
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


def test_pages_are_read_without_collecting() -> None:
    seen = []

    class Watching:
        def score(self, pages: object) -> list[Scores]:
            seen.append(gc.isenabled())
            raise RuntimeError

    Extractor(Watching(), "viterbi").read_many([Source("<p>One.</p>")])
    assert seen == [False]
    assert gc.isenabled()


def test_pages_leave_no_cycles_behind() -> None:
    extractor = default_extractor()
    extractor.read_many([Source("<p>One.</p>")])
    gc.collect()
    gc.disable()
    try:
        extractor.read_many([Source(f"<div><p>Number {n}?</p><p>Yes.</p></div>") for n in range(20)])
        assert gc.collect() < 200
    finally:
        gc.enable()
