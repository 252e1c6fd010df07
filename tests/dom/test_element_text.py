from __future__ import annotations

from scrapy_semtext.dom.element_text import all_text, rough_text, shown_text, text_line, text_of
from scrapy_semtext.dom.tree import parse

PAGE = parse(
    "<div>One <b>bold</b><!-- left\nout -->\n word<?pi gone?><i>by</i>"
    "<script>code()</script><noscript>again</noscript><p>line</p></div>behind"
)


def test_the_ways_to_read_an_element() -> None:
    element = PAGE.find(".//div")
    assert all_text(element) == "One bold\n wordbycode()againline"
    assert text_line(element) == "One bold wordbycode()againline"
    assert rough_text(element) == "One bold word by code() again line"
    assert shown_text(element) == "One bold wordby line"
    assert text_of(element) == "One bold wordby\nagain\nline"


def test_an_element_without_text() -> None:
    element = PAGE.makeelement("p")
    assert [read(element) for read in (all_text, text_line, rough_text, shown_text)] == [""] * 4
