"""CPU time is at most proportional to the size of a page.

Each input is processed at two sizes, one eight times the other: the CPU time of a linear algorithm grows by 8, that of
a quadratic one by 64.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from chunking import page_in_chunks
from kettle_threads import kettle_thread, read_pairs_of
from rendering import page_html, page_markdown
from timing import growth

from scrapy_semtext.details import Details, Person
from scrapy_semtext.extractor import Annotation
from scrapy_semtext.features.table import describe
from scrapy_semtext.page import Block, Page
from scrapy_semtext.read.chunks import ChunkOptions, read_chunks
from scrapy_semtext.read.faq import candidates_of_pages
from scrapy_semtext.read.faq_features import FaqPage, features_of_pages
from scrapy_semtext.read.images import main_images
from scrapy_semtext.read.markdown import render_page
from scrapy_semtext.read.markup import qa_pairs_from_markup
from scrapy_semtext.read.metadata import Metadata, details_of, markup_of, metadata_of
from scrapy_semtext.tree.nodes import PageNodes
from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import segment
from scrapy_semtext.viewer import view_page

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_semtext.tree.segmentation import TextBlock

pytestmark = pytest.mark.slow

LIMIT = 24.0  # three times linear growth


class Case(NamedTuple):
    """How to create an input of ``size`` and of eight times that size, and the function that processes it."""

    make: Callable[[int], Any]
    read: Callable[[Any], object]
    size: int


def check(case: Case) -> None:
    ratio = growth(case.read, lambda: case.make(case.size), lambda: case.make(8 * case.size))
    assert ratio < LIMIT


# --- parsing and segmentation ----------------------------------------------------------------------------------------


def text_behind_the_page(size: int) -> str:
    return "<body><p>one </p></body></html>" + "".join(f"piece {number} of a text </html>" for number in range(size))


@pytest.mark.parametrize("unit", ["<p>some words</p>", "<ul><li>a<li>b</ul>", "<div>a<p>b</p></div>", "a<br>"])
def test_segmentation(unit: str) -> None:
    check(Case(lambda size: parse(unit * size), segment, 5_000))


@pytest.mark.parametrize("unit", ["<div>", "<div>text ", "<font><b>text ", "<table><tr><td>text "])
def test_parsing_of_nested_elements(unit: str) -> None:
    check(Case(lambda size: unit * size, parse, 10_000))


def test_parsing_of_text_behind_the_page() -> None:
    check(Case(text_behind_the_page, parse, 5_000))


# --- output ----------------------------------------------------------------------------------------------------------


def annotated(html: str) -> Annotation:
    root = parse(html)
    text_blocks = segment(root)
    blocks = [Block(block.text, "main", 0.9, block.scope.tag, block.scope.names) for block in text_blocks]
    return Annotation(root, text_blocks, Page(blocks=blocks))


def json_ld(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


def thread_in_json_ld(posts: int) -> str:
    comments = [{"text": f"<p>Post {number}</p>"} for number in range(posts)]
    return json_ld(json.dumps({"@type": "DiscussionForumPosting", "headline": "Which?", "comment": comments}))


def thread_in_microdata(posts: int) -> str:
    answer = '<div itemprop="suggestedAnswer" itemscope><p itemprop="text">Post {}</p></div>'
    answers = "".join(answer.format(number) for number in range(posts))
    return f'<div itemscope itemtype="x/Question"><h1 itemprop="name">Q</h1>{answers}</div>'


FAQ = '{"@type": "Question", "name": "Why?", "acceptedAnswer": {"@type": "Answer", "text": "So."}}'
BROKEN_JSON: dict[str, Callable[[int], str]] = {
    "string": lambda size: '{"a": "' + '\\"' * size,
    "comments": lambda size: "/* " * size,
    "nested": lambda size: '{"a": [' * 400 + "1, " * size,
    "openings": lambda size: '{ "' * size,
}


def test_view() -> None:
    check(Case(lambda size: annotated("<body>" + "<p>some <i>content</i> $here" * size), view_page, 2_500))


@pytest.mark.parametrize("thread", [thread_in_json_ld, thread_in_microdata])
def test_threads_in_markup(thread: Callable[[int], str]) -> None:
    check(Case(lambda size: parse(thread(size)), qa_pairs_from_markup, 500))


@pytest.mark.parametrize("waste", BROKEN_JSON)
def test_broken_json_ld(waste: str) -> None:
    make = BROKEN_JSON[waste]
    check(Case(lambda size: parse(json_ld(f"{FAQ} {make(size)}")), qa_pairs_from_markup, 12_500))


@pytest.mark.parametrize("unit", ["<p>1.{}.3 fixes issue 45</p>", "<!-- -->x{}"], ids=["versions", "comments"])
def test_dates(unit: str) -> None:
    pytest.importorskip("py3langid")

    def make(size: int) -> Any:
        return parse(f"<p>{''.join(unit.format(number) for number in range(size))}<p>Posted on 2024-03-05.")

    check(Case(make, lambda root: metadata_of(root, "", "https://knives.example/how-to"), 2_500))


DETAILS = {
    "trails": "<div class=breadcrumb><a href=/>Home</a>",
    "trails beside each other": "<div class=breadcrumb>Home</div>",
    "dates": "<p>Posted on March 5, 2024</p>",
    "authors": "<a rel=author href=/ann>Ann Lee</a> ",
    "images by reference": json_ld('{"@type": "Article", "image": {"@id": "#a{}"}}'),
    "products": json_ld('{"@type": "Product", "name": "Knife {}"}'),
}


@pytest.mark.parametrize("unit", DETAILS.values(), ids=DETAILS)
def test_details(unit: str) -> None:
    pytest.importorskip("py3langid")
    found = Metadata(author="Ann Lee", published="2024-04-06", people=[Person("Ann Lee", "Ann Lee")])

    def read(root: Any) -> Details:
        return details_of(root, found, list(markup_of(root)), "Knives", None)

    check(Case(lambda size: parse("".join(unit.replace("{}", str(number)) for number in range(size))), read, 600))


@pytest.mark.parametrize("unit", ["<div><img src=a{}.png>", "<p>Words of a page.</p><img src=a{}.png>"])
def test_images(unit: str) -> None:
    def make(size: int) -> tuple[Any, list[TextBlock]]:
        root = parse("<p>Words of a page.</p>" + "".join(unit.replace("{}", str(number)) for number in range(size)))
        return root, segment(root)

    def read(page: tuple[Any, list[TextBlock]]) -> str:
        root, texts = page
        blocks = [Block(text.text, "main", 0.9) for text in texts]
        images = main_images(root, texts, blocks, "https://knives.example/")
        return render_page(Page(blocks=blocks), texts, None, "html", images=images)

    check(Case(make, read, 500))


@pytest.mark.parametrize("tag", ["b", "blockquote", "ul><li", "table><tr><td"])
@pytest.mark.parametrize("render", [page_html, page_markdown])
def test_rendering_of_nested_elements(tag: str, render: Callable[[list[TextBlock]], str]) -> None:
    check(Case(lambda size: segment(parse(f"<{tag}>word " * size)), render, 1_000))


UNITS_OF_CHUNKS = {
    "paragraphs": "<p>Sentence {} has words. It has more of them.</p>",
    "sentence": "Sentence {} has words. ",
    "words": "word{} ",
    "letters": "x",
    "dots": "...",
    "code": "<pre>line {}\n  line</pre>",
    "table": "<tr><td>{}</td><td>cell</td></tr>",
    "tables": "<table><tr><td>a<td>b<tr><td>{}",
    "headings": "<h2>Title {}</h2>",
    "sections": "<h2>Title {}</h2><p>Some text.</p>",
}


@pytest.mark.parametrize("unit", UNITS_OF_CHUNKS)
def test_chunks(unit: str) -> None:
    def make(size: int) -> Any:
        html = "".join(UNITS_OF_CHUNKS[unit].format(number) for number in range(size))
        html = f"<table>{html}</table>" if unit == "table" else html
        return page_in_chunks(html, None), describe(html, None)

    check(Case(make, lambda page: read_chunks(page[0], page[1], page[0].sections, ChunkOptions(overlap=50)), 1_000))


# --- pairs -----------------------------------------------------------------------------------------------------------


def nodes_of(html: str) -> PageNodes:
    root = parse(html)
    return PageNodes.of_page(root)


@pytest.mark.parametrize("unit", ["<h3>Why {}?</h3><p>So.</p>", "<p><b>Why {}?</b> So.</p>", "<div>Why {}?"])
def test_lists_of_questions(unit: str) -> None:
    def make(size: int) -> PageNodes:
        return nodes_of("".join(unit.format(number) for number in range(size)))

    def read(nodes: PageNodes) -> None:
        features_of_pages([FaqPage(nodes, None, None, candidates_of_pages([nodes])[0])])

    check(Case(make, read, 2_000))


def test_pairs_of_a_thread() -> None:
    check(Case(kettle_thread, lambda html: read_pairs_of(html, "https://example.com/forum/1"), 250))


# --- training --------------------------------------------------------------------------------------------------------
