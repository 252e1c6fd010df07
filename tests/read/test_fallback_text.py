"""Pages that display next to no text before their scripts run: the text is extracted from the scripts' data."""

from __future__ import annotations

import json
from html import escape
from typing import Any

import pytest
from shipped import extractor

from scrapy_semtext import Options
from scrapy_semtext.read.main_text import fallback_text, main_text_from_state
from scrapy_semtext.tree.parsing import parse

FIRST = "The harbour was built in 1874, and its two piers are still those of that year."
SECOND = "A lamp on the northern one is lit by hand, every evening from October to March."
THIRD = "Boats of more than forty feet have to wait for the tide before they can come in."
BOTH = f"{FIRST}\n{SECOND}"
ARTICLE = {"title": "The harbour", "views": 12, "body": f"<p>{FIRST}</p><p>{SECOND}</p>", "footer": f"{THIRD}"}
POSTS = {"posts": [{"id": 1, "cooked": f"<p>{FIRST}</p>"}, {"id": 2, "cooked": f"<p>{SECOND}</p>"}], "about": THIRD}
SHELL = "<title>Harbours</title><div id=root>Please enable JavaScript.</div>{}"


def script(text: str, attributes: str = "") -> str:
    return f"<script {attributes}>{text}</script>"


def rows(*rows: str) -> str:
    return "".join(script(f"self.__next_f.push([1, {json.dumps(row)}])") for row in rows)


@pytest.mark.parametrize(
    "html",
    [
        script(json.dumps({"props": {"page": ARTICLE}}), 'id="__NEXT_DATA__" type="application/json"'),
        script(f"var a = 1; window.__STATE__ = {json.dumps(ARTICLE)}; (function () {{ return a }})()"),
        script(f"window.state = JSON.parse({json.dumps(json.dumps(ARTICLE))});"),
        script(f"let o = {{unquoted: 1, broken: [}}; start({json.dumps([POSTS])})"),
        script(f'a=(function(a,b){{return {{x:b}}}}("{THIRD[:9]}",{json.dumps(f"<p>{FIRST}</p><p>{SECOND}</p>")}))'),
        f'<div data-preloaded="{escape(json.dumps({"topic": json.dumps(POSTS)}))}"></div>',
        f'<div data-page="{escape(json.dumps(ARTICLE))}"></div>',
        rows(f'5:["$", "div", null, {{"children": {json.dumps([FIRST, SECOND])}}}]\n6:I["chunk.js"]\n'),
        rows("7:T9f,", f"<p>{FIRST}</p><p>{SECOND}</p>"),
        rows(f'7:T9f,{FIRST}\n{SECOND}8:["$"]\n9:{{"a": "x"}}'.replace("8:", "\n8:")),
    ],
    ids=[
        "script",
        "assigned",
        "parsed",
        "called",
        "literals",
        "attribute, nested",
        "attribute",
        "rows",
        "chunks",
        "text rows",
    ],
)
def test_running_text_is_put_together_by_its_key(html: str) -> None:
    assert main_text_from_state(parse(SHELL.format(html))) == BOTH


@pytest.mark.parametrize(
    "html",
    [
        "",
        script("if (a = {b: 1}) { c(" * 3_000),
        script('x = {"a": ' * 3_000),
        script("x = [" + "[" * 100_000),
        script(json.dumps({"menu": ["Home", "About us", "Contact"], "css": "body { color: red }"})),
        script(json.dumps({"@type": "Article", "articleBody": FIRST}), 'type="application/ld+json"'),
    ],
)
def test_what_is_no_running_text_gives_none(html: str) -> None:
    assert main_text_from_state(parse(SHELL.format(html))) is None


def state(value: Any) -> str:
    return SHELL.format(script(json.dumps(value), "type=application/json"))


def test_text_takes_the_place_of_few_words_alone() -> None:
    root = parse(state(ARTICLE))
    assert fallback_text(root, "Please enable JavaScript.", 3, markup=True) == BOTH
    assert fallback_text(root, "Seven words of what the page shows.", 7, markup=True) is None  # 32 are not 35
    assert fallback_text(root, "", 20, markup=True) == BOTH
    assert fallback_text(root, "The page itself.", 300, markup=True) is None


def test_a_page_that_shows_text_is_not_read_from_the_data_of_its_scripts() -> None:
    assert fallback_text(parse(state(ARTICLE)), "", 300, markup=True) is None
    stated = {"@context": "https://schema.org", "@type": "Article", "articleBody": THIRD}
    root = parse(state(ARTICLE) + script(json.dumps(stated), "type=application/ld+json"))
    assert fallback_text(root, "", 300, markup=True) == THIRD


def test_json_ld_is_read_beside_it_if_markup_is_wanted() -> None:
    stated = {"@context": "https://schema.org", "@type": "Article", "articleBody": f"{BOTH} {THIRD}"}
    root = parse(state(ARTICLE) + script(json.dumps(stated), "type=application/ld+json"))
    assert fallback_text(root, "", 0, markup=True) == f"{BOTH} {THIRD}"
    assert fallback_text(root, "", 0, markup=False) == BOTH


@pytest.mark.slow
def test_an_extractor_reads_a_page_that_waits_for_its_scripts() -> None:
    page = extractor().read(state(ARTICLE), options=Options(markdown=True))
    assert page.main_text == BOTH
    assert [section.text for section in page.sections] == [BOTH]
    assert page.markdown == f"# Harbours\n\n{FIRST}\n\n{SECOND}"
    assert not any(block.is_main for block in page.blocks)


def test_lone_surrogates_of_json_are_replaced() -> None:
    state = {"body": f"<p>{FIRST} \ud800</p><p>{SECOND}</p>"}
    html = SHELL.format(script(json.dumps(state), 'type="application/json"'))
    assert main_text_from_state(parse(html)) == f"{FIRST} \ufffd\n{SECOND}"


BODY = (
    f"{FIRST} {SECOND} {THIRD} The harbour master keeps a list of all of them, which hangs in the window of his office."
)
SUBSCRIBE = "<aside><h3>Read on</h3><p>Two euros a week, cancel at any time. Have an account? Log in.</p></aside>"
MENU = "".join(f"<li><a href=/{n}>Section {n} of the paper</a>" for n in range(30))


@pytest.mark.parametrize(
    "data",
    [
        {"@context": "https://schema.org", "@type": "NewsArticle", "articleBody": BODY},
        {"@type": "NewsArticle", "articleBody": BODY},
        {"@type": ["BlogPosting", "Report"], "text": BODY},
        {"@graph": [{"@type": "WebSite", "name": "Harbours"}, {"@type": "Article", "articleBody": f"<p>{BODY}</p>"}]},
        [{"@type": "WebSite", "name": "Harbours"}, {"@type": "Article", "articleBody": BODY.split("  ")}],
        {"@type": "WebPage", "mainEntity": {"@type": "Article", "articleBody": {"@value": BODY}}},
    ],
)
@pytest.mark.parametrize("menu", ["", f"<nav><ul>{MENU}</ul></nav>"])
@pytest.mark.parametrize("teaser", [FIRST, f"{FIRST[:60]}…"])
def test_a_beginning_is_replaced_by_the_whole_that_json_ld_states(data: Any, menu: str, teaser: str) -> None:
    head = script(json.dumps(data), 'type="application/ld+json"')
    html = f"<title>Harbours</title>{head}{menu}<article><h1>The harbour</h1><p>{teaser}</p>{SUBSCRIBE}</article>"
    page = extractor().read(html)
    assert "which hangs in the window of his office." in page.main_text
    assert "cancel at any time" not in page.main_text


def test_what_is_shown_is_not_replaced_by_other_texts() -> None:
    html = f"<p>{FIRST}</p><p>{SECOND}</p><p>{THIRD}</p>"
    for body in (BODY, "Another page is about the lamps of the town. " * 8, f"{FIRST} {SECOND}"):
        data = {"@type": "Article", "articleBody": body}
        root = parse(script(json.dumps(data), 'type="application/ld+json"') + html)
        assert fallback_text(root, FIRST, 80, markup=True, texts=[FIRST, SECOND, THIRD]) is None
