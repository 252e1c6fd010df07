"""Memory kept between pages is bounded in bytes: pages with megabytes of names leave nothing."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from scrapy_semtext.extractor import Extractor, Options, Source

ALL = Options(metadata=True, markdown=True, records=True, chunks=True, details=True, main_html=True)
PAGES, LENGTH = 3, 60_000


def page(number: int, form: str) -> str:
    long = (f"word{number}-a b{number} " * LENGTH)[:LENGTH]
    text = f"Some words that are new here, in place {number}, and that form the text of a page."
    post = f"<p>{text}</p><b>Ann{number}</b> <i>3 May 2004</i>"
    forms = {
        "class": f"<div class='{long}'><p class='{long}x'>{text}</div>" + f"<div class='post {long}'>{post}</div>" * 3,
        "id": f"<div id='{long}'><p>{text}</p><p id='x{long}'>{text}</div>",
        "tag": f"<x{long.replace(' ', '')}>{text}</x>",
        "style": f"<p style='{long}'>{text}</p><font size='{long}'>{text}</font>",
        "text": f"<p>By {long}</p><p>{long} said on 3 May 2004</p><p>{long.replace(' ', '')}</p>",
    }
    return f"<html><title>Page {number}</title><body>{forms[form]}</body></html>"


@pytest.mark.slow
@pytest.mark.parametrize("form", ["class", "id", "tag", "style", "text"])
def test_long_names_are_not_remembered(form: str) -> None:
    extractor = Extractor.load(device="cpu")

    def read(first: int) -> None:
        for number in range(first, first + PAGES):
            (found,) = extractor.read_many([Source(page(number, form), "http://site.test/1", ALL)])
            assert not isinstance(found, Exception)

    read(0)
    gc.collect()
    tracemalloc.start()
    try:
        read(PAGES)
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < LENGTH * PAGES / 2
