"""The compiled looks through a tree find what those in Python find."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest
from gate.quality import read_sample
from lxml import etree

from scrapy_semtext import elements
from scrapy_semtext.compiled import elements as compiled
from scrapy_semtext.compiled import kinds as compiled_kinds
from scrapy_semtext.compiled import tables as compiled_tables
from scrapy_semtext.describe import describe
from scrapy_semtext.elements import COUNTED, Links, elements_of
from scrapy_semtext.kinds import groups, numbers
from scrapy_semtext.model import decision
from scrapy_semtext.questions import nodes
from scrapy_semtext.questions.nodes import PageNodes
from scrapy_semtext.reading import markup
from scrapy_semtext.segment import search
from scrapy_semtext.tree import parse

needs_compiler = pytest.mark.skipif(compiled is None, reason="not compiled")

ADDRESSES = [
    *(
        "",
        " ",
        "#top",
        "#",
        "tel:1",
        "mailto:me",
        "javascript:void(0)",
        "JavaScript:",
        "/",
        "/a",
        "/a/",
        "/a/b",
        "/a/b/",
    ),
    *(
        "/a/b/c?page=2",
        "/a/b/d/page/3",
        "?p=4",
        "c",
        "//site.example",
        "//www.site.example/a/b/c",
        "http://",
        "https:///a",
    ),
    *("https://site.example/a/b/c", "http://www.site.example?x", "https://www.other.example/a/b/c", "https://www./a"),
    *(
        "\u00a0/a/c\u3000",
        "\x1f/a/d\x1c",
        "/\u4e2d?\u6587",
        "&amp;&nope;\U0001f600",
        "/a/b/c",
        "/a/b/c",
        "http://site.examplex/",
    ),
]
PAGES = [
    "",
    "text",
    "<!-- c --><a>no address<a href><a href=''>",
    "".join(f"<a class=x href='{address}'>y</a>" for address in ADDRESSES),
    "<title>T</title><meta name=A content=b><meta property=P name=n><meta property='' name=M><link rel=Next>",
    "<html><head><title>a</title></head><head><meta name=late></head><body><svg><title>b</title></svg><h1>c</h1><meta>",
    "<html><head><noscript><meta name=in><img></noscript></head><title>behind</title><body><title>body</title>",
    "<div><title>deep</title><img><video></video><iframe></iframe></div><svg><img/></svg><select><option><option></select>",
    "".join(f"<x{number}><img></x{number}>" for number in range(300)) + "<code><img>",
    "<p>one</p><frameset><noframes><a href=/x>y</a><h1>z</h1></noframes></frameset>",
    "<div>" * 3000 + "<h1>deep</h1><a href=/a/b/c>x</a>",
]
URLS = [
    None,
    "",
    "https://www.site.example/a/b",
    "https://site.example/",
    "http://[x",
    "https://s\x00.example/\ud800/b/c",
]


@needs_compiler
@pytest.mark.parametrize("html", PAGES)
@pytest.mark.parametrize("url", URLS)
def test_elements_of_odd_pages(monkeypatch: pytest.MonkeyPatch, html: str, url: str | None) -> None:
    root = parse(html)
    found = elements_of(root, url)
    monkeypatch.setattr(elements, "compiled", None)
    assert found == elements_of(root, url)


def test_links_are_told_by_where_they_lead() -> None:
    hrefs = ["/a/b/c", "/a/d", "/a/d", "https://other.example/a/b/c", "//site.example/x?page=2", "#", "", "#"]
    root = parse("".join(f"<a href='{href}'>x</a>" for href in hrefs))
    assert elements_of(root, "https://www.site.example/a/b").links == Links(4, 1, 1, 1, 1, 1, 1, 1, 2)


@needs_compiler
def test_elements_and_numbers_of_real_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    roots = [(parse(page.html, page.url), page.url) for page in islice(read_sample(), 30)]
    pages = [PageNodes(root, search(root)) for root, _ in roots]
    found = [elements_of(root, url) for root, url in roots], [page.elements.tolist() for page in pages]
    monkeypatch.setattr(elements, "compiled", None)
    monkeypatch.setattr(nodes, "compiled_elements", None)
    pages = [PageNodes(root, search(root)) for root, _ in roots]
    assert found == ([elements_of(root, url) for root, url in roots], [page.elements.tolist() for page in pages])


STATING = [
    "<div itemtype='https://schema.org/Question'>",
    "<div itemtype='x'><svg><g itemType='a DiscussionForumPosting'></svg>",
    "<div itemtype='question'><div itemtype><div itemprop='Question' data-itemtype='Question'>",
    "<p itemtype='&#81;uestion &amp; more'>",
    "<script type='Application/LD+JSON; x'>{'@type': 'Question'}</script>",
    "<script type='application/ld+json'></script><script type='application/ld+json'>…DiscussionForumPosting",
    "<script>Question</script><script type='application/json'>Question</script><p>Question</p><style>Question</style>",
    "<script type='application/ld+json'><!-- {'@type': 'Question'} --></script>",
]


@needs_compiler
@pytest.mark.parametrize("html", [*STATING, *PAGES])
def test_pages_that_state_pairs(monkeypatch: pytest.MonkeyPatch, html: str) -> None:
    root = parse(html)
    found = markup._states_pairs(root)
    monkeypatch.setattr(markup, "compiled", None)
    assert found == markup._states_pairs(root)


@needs_compiler
@pytest.mark.parametrize("html", PAGES)
def test_elements_with_images(monkeypatch: pytest.MonkeyPatch, html: str) -> None:
    every = [element for element in parse(html).iter() if isinstance(element.tag, str)][:200]
    found = groups._with_images(every)
    monkeypatch.setattr(groups, "compiled", None)
    assert found == groups._with_images(every)


@needs_compiler
@pytest.mark.parametrize("html", PAGES)
def test_elements_inside_nodes_of_odd_pages(monkeypatch: pytest.MonkeyPatch, html: str) -> None:
    root = parse(f"{html}<ul><li>one <time>now</time><li>two<p>three <img><li>four</ul>")
    blocks = search(root)
    found = PageNodes(root, blocks).elements
    monkeypatch.setattr(nodes, "compiled_elements", None)
    assert np.array_equal(found, PageNodes(root, blocks).elements)


@pytest.mark.skipif(compiled_tables is None, reason="not compiled")
def test_the_choice_by_expected_f1(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    pages = [(rng.random(count) ** 3, rng.integers(0, 40, count)) for count in range(100)]
    pages += [(np.round(likely), words) for likely, words in pages]
    found = [decision.expected_f1_choice(*page).tolist() for page in pages]
    monkeypatch.setattr(decision, "tables", None)
    assert found == [decision.expected_f1_choice(*page).tolist() for page in pages]


@pytest.mark.skipif(compiled_kinds is None, reason="not compiled")
def test_sums_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = "<p>x?</p>" * 3 + "<h1>\u4e2d?</h1><a href=x>A link, of words</a>" * 2 + "<p>Prose, of a length. </p>" * 4
    pages = [describe(page.html, page.url) for page in islice(read_sample(), 30)]
    pages = [page for page in (*pages, describe(odd, None), describe("x", None)) if page.text_blocks]
    found = [numbers._Table(page)._sums() for page in pages]
    monkeypatch.setattr(numbers, "compiled", None)
    for page, sums in zip(pages, found, strict=True):
        assert sums == pytest.approx(numbers._Table(page)._sums(), rel=1e-12)


@needs_compiler
def test_elements_of_a_namespace_are_others() -> None:
    root = etree.fromstring("<x xmlns:n='m'><img/><n:img/><a n:href='y'/><n:a href='z'/></x>")
    assert elements_of(root, None).counts[COUNTED.index("img")] == 1
    assert elements_of(root, None).links == Links(0, 0, 0, 0, 1, 0, 0, 0, 0)


@needs_compiler
def test_what_does_not_fit_is_refused() -> None:
    root, counts = parse("<p><img></p><div></div>"), np.zeros((3, 1), dtype=np.int64)
    numbers = {b"img": 0}
    no_elements: list[Any] = [None, "p", type(root)()]
    for wrong in no_elements:
        with pytest.raises(TypeError):
            compiled.looked_through(wrong, numbers, b"", b"", b"", counts[0])
        with pytest.raises(TypeError):
            compiled.counted_inside(root, [wrong], numbers, counts)
        with pytest.raises(TypeError):
            compiled.holding([wrong], b"img")
    paragraph, division = root.find(".//p"), root.find(".//div")
    for holders in ([division, paragraph], [root, etree.Element("p")]):
        with pytest.raises(ValueError, match="order"):
            compiled.counted_inside(root, holders, numbers, counts)
