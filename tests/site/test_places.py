from __future__ import annotations

import re
from collections import Counter
from math import inf

import pytest
import shipped
from template_sites import HOST, STYLES, forum, help_centre, pairs, questions, threads, unsigned

from scrapy_semtext.extractor import Extractor, Source
from scrapy_semtext.features.table import describe
from scrapy_semtext.page import Page
from scrapy_semtext.read.threads import SURE
from scrapy_semtext.site.places import PAGES, PagePlaces, PageTemplate, PageTemplates, PageVotes, Read, sampled

_ITEMS = ("/b/bread/", "/kb/")


@pytest.fixture
def extractor() -> Extractor:
    return shipped.extractor()


def read(extractor: Extractor, site: dict[str, str], *, learns: bool = True, order: int = 1) -> list[Page]:
    """Return the items of a site, read with its templates; ``order`` is -1 to learn from the last page first."""
    sources = [Source(html, f"{HOST}{path}") for path, html in site.items() if path.startswith(_ITEMS)]
    try:
        if learns:
            extractor.templates = PageTemplates.learn(extractor, lambda: sources[::order])
        found = extractor.read_many(sources)
    finally:
        extractor.templates = None
    return [page for page in found if isinstance(page, Page)]


def found_in(pages: list[Page]) -> list[tuple[str, str]]:
    return sorted((pair.question, pair.answer) for page in pages for pair in page.qa_pairs)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("order", [1, -1])
def test_short_threads_are_read_as_their_template_shows(extractor: Extractor, style: str, order: int) -> None:
    found = found_in(read(extractor, forum(style), order=order))
    if style == "plain":  # too few of its pages are threads by themselves to tell signatures
        found = sorted((unsigned(question), unsigned(answer)) for question, answer in found)
    assert found == pairs()


def test_without_templates_each_page_is_read_alone(extractor: Extractor) -> None:
    site = forum("plain")
    before = read(extractor, site, learns=False)
    read(extractor, site)
    assert found_in(read(extractor, site, learns=False)) == found_in(before) != pairs()


@pytest.mark.parametrize("style", STYLES)
def test_where_three_pages_show_only_furniture_the_only_post_is_no_answer(extractor: Extractor, style: str) -> None:
    site = {path: html for path, html in forum(style).items() if path.endswith(("/83", "/85", "/92"))}
    assert {(page.url or "")[-2:] for page in read(extractor, site) if page.qa_pairs} <= {"83"}


def test_two_pages_show_no_template(extractor: Extractor) -> None:
    site = dict([*forum("table").items()][2:4])
    assert found_in(read(extractor, site)) == found_in(read(extractor, site, learns=False))


def test_a_title_is_what_differs_if_all_pages_have_the_name_of_the_site(extractor: Extractor) -> None:
    assert [page.title for page in read(extractor, help_centre())] == questions()


def test_the_text_of_links_names_the_place_of_the_title(extractor: Extractor) -> None:
    site = {path: html.replace("topic", f"topic{path[-1]}") for path, html in help_centre().items()}
    site = {
        path: html.replace("<div class", "<div>All about your mail since 19" + path[-1] + "1</div><div class", 1)
        for path, html in site.items()
    }
    sources = [Source(html, f"{HOST}{path}") for path, html in site.items() if path != "/"]
    links = dict(zip([source.url for source in sources], questions(), strict=True))
    extractor.templates = PageTemplates.learn(extractor, lambda: sources, lambda url: [links[url]])
    titles = [page.title for page in extractor.read_many(sources) if isinstance(page, Page)]
    extractor.templates = None
    assert titles == questions()


def test_a_page_beside_threads_has_pairs_only_if_these_are_sure(extractor: Extractor) -> None:
    sources = [Source(html, f"{HOST}{path}") for path, html in forum("named").items() if path.startswith(_ITEMS)]
    templates = PageTemplates.learn(extractor, lambda: sources)
    listed = "".join(f"<dt>{title}<dd>{posts[0][3]}" for title, posts in threads())
    found = [
        templates.of_page(describe(f"<body><h1>Bread</h1>{html}</body>", f"{HOST}/x"))
        for html in (f"<dl>{listed}</dl>", "<p>Be kind.</p>")
    ]
    assert [
        each and each.least_score for each in (*found, templates.of_page(describe(sources[0].html, sources[0].url)))
    ] == [
        inf,
        SURE,
        0.0,
    ]


def _votes(page: int, place: int, opening: int) -> PageVotes:
    """Return the votes of a page with four posts read at a place; each has one part at place 2."""
    posts = [Read((place,), frozenset({10 * page + number}), frozenset({2})) for number in range(4)]
    nodes = Counter({1: 4, 2: 4, 3: 20, 4: 1})
    asked = Read((opening,), frozenset({page}), frozenset())
    return PageVotes(nodes, posts, 0.9, asked, True, frozenset({"ann", "bob"}), frozenset())


@pytest.mark.parametrize(("opening", "is_told"), [(1, True), (3, False), (4, True)])
def test_places_of_posts_and_of_the_question_are_told_from_others(opening: int, is_told: bool) -> None:
    places = [PagePlaces(f"{HOST}/{page}", {}, {}, frozenset(), ()) for page in range(6)]
    template = PageTemplate(places)
    template.learn([_votes(page, 2 if page < 2 else 1, opening) for page in range(6)])
    assert template.posts == pytest.approx({1: 16 / 24, 2: 0.85})
    assert template.has_opening == is_told
    assert template.opening == (opening if is_told else None)


def test_a_text_that_is_a_whole_post_stays(extractor: Extractor) -> None:
    thanks = "Thank you all, that was it."
    site = {path: html.replace(_answer(path), thanks) for path, html in forum("named").items()}
    answers = [answer for _, answer in found_in(read(extractor, site))]
    assert answers.count(thanks) == sum(len(posts) > 1 for _, posts in threads())


@pytest.mark.parametrize(("count", "title"), [(4, "Post Office Help"), (5, None)])
def test_a_title_that_five_pages_share_is_none(extractor: Extractor, count: int, title: str | None) -> None:
    long = {path: re.sub("<p>(.*?)</p>", r"<p>\1 \1 \1 \1</p>", html) for path, html in help_centre().items()}
    site = {path: re.sub('<div class="topic">.*?</div>', "", html) for path, html in [*long.items()][1 : count + 1]}
    assert [page.title for page in read(extractor, site)] == [title] * count


@pytest.mark.parametrize(("texts", "left"), [(2, 2), (3, 0)])
def test_what_ends_three_texts_of_an_author_is_a_signature(extractor: Extractor, texts: int, left: int) -> None:
    end, site, signed = "Greetings from the hills", forum("table"), 0
    for path, html in site.items():
        site[path], added = re.subn("(petra.k</a>.*?)</p>", rf"\1<br>{end}</p>", html, count=1)
        signed += added
        if signed == texts:
            break
    found = read(extractor, site)
    bodies = {
        (page.url, text) for page in found for pair in page.qa_pairs for text in (pair.answer, pair.question_body)
    }
    assert sum((text or "").endswith(end) for _, text in bodies) == left


def _answer(path: str) -> str:
    """Return the first answer of a thread."""
    number = path.rpartition("/")[2]
    posts = [*threads()][int(number) - 80][1] if number.isdecimal() else []
    return posts[1][3] if len(posts) > 1 else "\0"


def test_the_sample_of_a_site_depends_on_its_urls_alone() -> None:
    urls = [f"{HOST}/thread/{number}" for number in range(500)] + [f"{HOST}/?about={number}" for number in range(9)]
    found = sampled(urls)
    assert found == sampled(reversed(urls)) == sorted(found)
    assert sum("thread" in url for url in found) == PAGES
    assert sum("about" in url for url in found) == 9
