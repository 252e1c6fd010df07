"""Parsing: any text gives an html element with all of the page's text in it."""

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_semtext.limits import TooManyAttributesError
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.parsing import MAX_ATTRIBUTES, MAX_DEPTH, base_url, language, parse


def element(attributes: int, value: str = "") -> str:
    return f"<p {' '.join(f'a{number}{value}' for number in range(attributes))}>x</p>"


MANY = element(MAX_ATTRIBUTES + 1)


def text_of(html: str) -> str:
    return "".join(str(text) for text in parse(html).itertext())


def depth_of(html: str) -> int:
    deepest = 0
    for element in parse(html).iter():
        if len(element) == 0:
            deepest = max(deepest, sum(1 for _ in element.iterancestors()) + 1)
    return deepest


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        (" \n\t ", ""),
        ("\x00\x00", ""),
        (" \x00 ", ""),
        ("<!-- nothing --><!-- here -->", ""),
        ("<!DOCTYPE html>", ""),
        ("plain words", "plain words"),
        ("<p>nul\x00l</p>", "null"),
        ("<p>one<p>two<li>three<b>four<table><td>five", "onetwothreefourfive"),
        ('<?xml version="1.0" encoding="utf-16"?><p>日本 é', "日本 é"),
        ('<?xml version="1.0" encoding="latin-1"?><meta charset="shift_jis"><p>日本 é', "日本 é"),
        ("<p>lone \ud800 half", "lone � half"),
        ("<p>\ud83d\ude00 joined", "😀 joined"),
        ("\ufeff<html><p>after a byte order mark", "after a byte order mark"),
        ('{"json": 1}', '{"json": 1}'),
        ("<" * 5, "<<<<<"),
        ("<p>&#xD800; &#0; &bogus; &amp", "� � &bogus; &"),
    ],
)
def test_any_text_gives_an_html_element(html: str, text: str) -> None:
    root = parse(html)
    assert root.tag == "html"
    assert text_of(html) == text


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(["<p>", "</html>", "<body>", "</div>", "<table", " a='", ">", "<!--", "x", "<svg>", "<title>"])
        | st.text(st.characters(categories=["L", "N", "P", "Cc", "Cs", "Co", "Cn"]), max_size=5)
    ).map("".join)
)
def test_no_content_raises(html: str) -> None:
    assert parse(html, "http://example.com/").tag == "html"


def test_the_tree_knows_its_address() -> None:
    assert parse("<p>text", "http://example.com/a").base == "http://example.com/a"
    assert parse("<div>" * 3000, "http://example.com/a").base == "http://example.com/a"


@pytest.mark.smoke
def test_text_after_the_end_of_html_belongs_to_the_body() -> None:
    root = parse("<html><body><p>one</p></body></html> two <p>three</p><html><body>four<p>five</p>six</body></html>")
    body = root.find("body")
    assert body is not None
    assert [(child.tag, child.text, child.tail) for child in body] == [
        ("p", "one", "two "),
        ("p", "three", "four"),
        ("p", "five", "six"),
    ]


def test_a_title_that_nothing_closes_does_not_swallow_the_page() -> None:
    root = parse(
        "<html><head><TITLE lang=en>News\n<meta name=a></head><body><p>one</p><p>two &amp; three</p></body></html>"
    )
    assert [p.text for p in root.iter("p")] == ["one", "two & three"]
    assert (root.findtext("head/title") or "").strip() == "News"


def test_a_closed_title_is_all_there_is_of_a_page_without_a_body() -> None:
    root = parse("<title>How <b> works</title>")
    assert root.findtext("head/title") == "How <b> works"
    assert root.find("body") is None


def test_a_title_may_name_an_element() -> None:
    root = parse("<title>The <table> element, </table> and all</title><p>one</p>")
    assert root.findtext("head/title") == "The <table> element, </table> and all"
    assert [element.tag for element in root.iter()] == ["html", "head", "title", "body", "p"]


def test_deeper_elements_are_laid_side_by_side() -> None:
    html = "<div>a " * 2100 + '<p class="x">b <i>c</i> d<br>e</p><script>1 < 2</script>' + "</div>" * 2100 + "after"
    root = parse(html)
    assert depth_of(html) == MAX_DEPTH + 1
    assert text_of(html) == "a " * 2100 + "b c de1 < 2after"
    (paragraph,) = root.iter("p")
    assert (paragraph.get("class"), paragraph.text) == ("x", "b ")
    assert [element.tag for element in paragraph.itersiblings()] == ["i", "br", "script"]
    body = root.find("body")
    assert body is not None
    assert body[-1].tail == "after"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<html lang="de"><p>x', "de"),
        ('<html xml:lang="pt_BR"><p>x', "pt-BR"),
        ('<html lang=" en-US "><meta http-equiv="content-language" content="fr">', "en-US"),
        ('<html lang="EN-us"><p>x', "en-US"),
        ('<html lang="zh_hant_tw"><p>x', "zh-Hant-TW"),
        ('<html lang=""><meta http-equiv="Content-Language" content="fr, en">', "fr"),
        ('<html lang="{{lang}}"><p>x', None),
        ("<p lang=de>x", None),
        ("", None),
    ],
)
def test_language(html: str, expected: str | None) -> None:
    assert language(parse(html)) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>x", "http://example.com/a/b"),
        ('<base href="/c/"><p>x', "http://example.com/c/"),
        ('<base target="_blank"><base href="https://cdn.example/">', "https://cdn.example/"),
        ('<base href="http://[bad"><p>x', "http://example.com/a/b"),
    ],
)
def test_base_url(html: str, expected: str) -> None:
    assert base_url(parse(html), "http://example.com/a/b") == expected


@pytest.fixture(params=["compiled", "fallback"])
def look(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "fallback":
        monkeypatch.setattr(parsing, "walk", None)


@pytest.mark.usefixtures("look")
@pytest.mark.parametrize(
    "html",
    [
        MANY,
        MANY.replace(" ", "/"),
        MANY.replace(" ", "\x00\n"),
        element(MAX_ATTRIBUTES + 1, "='>'"),
        element(MAX_ATTRIBUTES + 1, '="<b>"').replace('" ', '"'),
        element(MAX_ATTRIBUTES + 1, " = x"),
        '<!--"-->' + element(MAX_ATTRIBUTES + 1, '=">"'),
        "<script>'<a b=\"</script>" + element(MAX_ATTRIBUTES + 1, '=">"'),
        f"<title>{MANY}",
        f"<noframes>{MANY}</noframes>",
        "<b>" * (MAX_DEPTH * 5) + MANY,
    ],
)
def test_an_element_with_too_many_attributes_is_not_parsed(html: str) -> None:
    with pytest.raises(TooManyAttributesError, match="a <p> has 1,001 attributes, more than 1,000"):
        parse(html)


@pytest.mark.usefixtures("look")
@pytest.mark.parametrize(
    "html",
    [
        element(MAX_ATTRIBUTES, "='>'"),
        element(MAX_ATTRIBUTES) * 3,
        f"<script>{MANY}</script>",
        f"<!--{MANY}-->",
        f"<p title='{MANY}'>",
        "<p>" + "1 <a 2 b = c " * 5_000,
        MANY.replace("<p", "</p"),
        "<p " + "a " * 5_000 + ">",
    ],
)
def test_many_attributes_that_are_none_or_in_many_elements_are_read(html: str) -> None:
    assert parse(html).tag == "html"


def test_the_time_to_find_many_attributes_is_linear() -> None:
    begin = time.process_time()
    for html in (element(100_000), '<a x="' * 200_000, "<b/y=" * 200_000, "<a " * 300_000, "<" * 1_000_000):
        with contextlib.suppress(TooManyAttributesError):
            parse(html)
    assert time.process_time() - begin < 2
