from __future__ import annotations

import pickle
from functools import lru_cache

import pytest
from gate.quality import GatePage, read_sample
from timing import growth

from scrapy_semtext.extractor import Extractor, Options, Source
from scrapy_semtext.features.table import ParsedPage, describe
from scrapy_semtext.page import Page, Record
from scrapy_semtext.read.records import load_record_models, read_records

URL = "https://example.com/topics/"
MODELS = load_record_models()


@lru_cache(maxsize=1)
def extractor() -> Extractor:
    return Extractor.load(options=Options(records=True, kinds=False))


@lru_cache(maxsize=1)
def gate_pages() -> dict[str, GatePage]:
    return {page.id: page for page in read_sample()}


def read_gate_page(number: str) -> Page:
    page = gate_pages()[number]
    return extractor().read(page.html, page.url)


def row(number: int) -> str:
    return (
        f"<li class=item-{number}><h3><a href=/topics/topic-of-number-{number}>Topic of number {number}</a></h3>"
        f"<img src=/i/{number}.png><p>By <a href=/users/{number % 50}>Ann</a> on 2024-01-{number % 28 + 1:02}</p>"
        f"<span>{number} replies</span></li>"
    )


def listing(count: int) -> ParsedPage:
    return describe(f"<h1>Topics</h1><ul>{''.join(map(row, range(count)))}</ul>", URL)


def nested(count: int) -> ParsedPage:
    """Each topic in boxes of its own, and the boxes in each other as far as parsing allows."""
    topics = (f"{'<div>' * 20}<a href=/topics/{i}>Topic of number {i}</a>{'</div>' * 20}" for i in range(count))
    return describe("<div class=outer>" * 200 + "".join(topics) + "</div>" * 200, URL)


@pytest.mark.smoke
def test_a_record() -> None:
    found = read_records(listing(12), MODELS)
    assert len(found.records) == 12
    assert found.records[2] == Record(
        title="Topic of number 2",
        url="https://example.com/topics/topic-of-number-2",
        text="By Ann on 2024-01-03\n2 replies",
        date="2024-01-03",
        author="Ann",
        image="https://example.com/i/2.png",
        numbers={"replies": 2},
    )
    assert found.next_page is None
    assert pickle.loads(pickle.dumps(found.records)) == found.records


def test_a_page_without_links_has_no_records() -> None:
    assert read_records(describe("<h1>Nothing</h1><p>Nothing was found.", URL), MODELS) == ([], None)
    assert read_records(describe("", URL), MODELS).records == []


def test_the_news_of_a_university() -> None:
    """A real page, of a domain that the models did not learn from."""
    page = read_gate_page("0082")
    assert page.is_overview
    assert len(page.records) == 10
    last = page.records[-1]
    assert last.title.startswith("Virtual tutoring is here to stay")
    assert last.url.startswith("https://nssa.stanford.edu/news/virtual-tutoring-here-stay")
    assert all(record.date and record.text for record in page.records)
    assert page.next_page == "https://nssa.stanford.edu/news?page=1"


def test_a_site_of_hardware_news_has_all_its_stories() -> None:
    page = read_gate_page("3030")
    urls = {record.url for record in page.records}
    assert "https://www.phoronix.com/news/Linux-7.0-epoll-Zen-2-Opt" in urls
    assert len(urls) == len(page.records) >= 50


def thread(number: int) -> str:
    return (
        f"<div class='structItem js-threadListItem-{number}'><div class=structItem-title>"
        f"<a href=/threads/sharpening-chisels.{number}/>How do you sharpen a chisel of size {number}?</a></div>"
        f"<ul><li><a class=username href=/members/ann-{number}>Ann{number}</a></li>"
        f"<li><time datetime=2024-03-{number % 28 + 1:02}>March</time></li></ul>"
        f"<dl><dt>Replies</dt><dd>{number}</dd></dl><dl><dt>Views</dt><dd>{number * 7}</dd></dl>"
        f"<a href=/threads/{number}/latest>Today at 3:04 PM</a><a href=/members/bob-{number}>Bob{number}</a></div>"
    )


def test_the_index_of_a_forum() -> None:
    html = (
        "<html class=forum-index><title>General discussion | Woodworking forum</title><body class='p-body forum_view'>"
        "<nav><a href=/>Home</a><a href=/forums/>Forums</a></nav><h1>General discussion</h1>"
        f"<div class=structItemContainer>{''.join(map(thread, range(20)))}</div>"
        "<nav class=pageNavWrapper><a class=pageNav-jump--next href=/forums/general/page-2>Next</a></nav></body>"
    )
    page = extractor().read(html, "https://forum.wood.example.com/forums/general/")
    assert page.page_kind in ("forum", "listing")
    assert page.qa_pairs == [], "titles of threads are no posts"
    assert len(page.records) == 20
    assert page.records[3].author == "Ann3"
    assert page.records[3].date == "2024-03-04"
    assert page.records[3].numbers == {"replies": 3, "views": 21}
    assert page.next_page == "https://forum.wood.example.com/forums/general/page-2"


def test_records_are_read_only_if_asked_for() -> None:
    page = gate_pages()["0082"]
    (found,) = extractor().read_many([Source(page.html, page.url, Options())])
    assert isinstance(found, Page)
    assert found.records == []
    assert "records" not in found.to_dict()
    assert found.to_dict(records=True)["next_page"] is None


def entries(form: str, around: str = "{}") -> str:
    days = [f"{number + 1} March 2024" for number in range(5)]
    titles = (f"<a href=/topics/{number}>The topic of day {number}</a>" for number in range(5))
    rows = [form.format(title=title, day=day, lead="A lead.") for title, day in zip(titles, days, strict=True)]
    return f"<p>Welcome.</p>{around.format(''.join(rows))}<p>Older topics</p>"


@pytest.mark.parametrize(
    "html",
    [
        entries("<p>{day}</p><h3>{title}</h3><p>{lead}</p>"),
        entries("<h3>{title}</h3><p>{lead}</p><p>{day}</p>"),
        entries("<div>Bob, {day}</div><h3>{title}</h3><p>{lead}</p><hr>"),
        entries("<dt>{day}</dt><dd>{title}</dd>", "<dl>{}</dl>"),
        entries("<dt>{title}</dt><dd>{day}</dd>", "<dl>{}</dl>"),
        entries("<li>{day}</li><li>{title}</li>", "<ul>{}</ul>") * 2,  # two lists, the second of which repeats URLs
        entries("<tr><td>{day}</td></tr><tr><td>{title}<br>{lead}</td></tr>", "<table>{}</table>"),
    ],
)
def test_dates_before_and_behind_titles_that_no_element_contains(html: str) -> None:
    records = read_records(describe(html, URL), MODELS).records
    assert [record.date for record in records] == [f"2024-03-0{number + 1}" for number in range(5)]
    assert not any("Older" in record.text or "Welcome" in record.text for record in records)


@pytest.mark.parametrize("title", ["<p>{}</p>", "<h3>{}</h3>"])
def test_an_empty_link_that_covers_a_record(title: str) -> None:
    names = [f"The topic of day {number}" for number in range(5)]
    rows = (f"<li><a href='/topics/{n}' aria-label='{n}'></a>{title.format(n)}<p>A lead.</p></li>" for n in names)
    records = read_records(describe(f"<ul>{''.join(rows)}</ul>", URL), MODELS).records
    assert [(record.title, record.text) for record in records] == [(name, "A lead.") for name in names]


def test_a_label_that_the_record_does_not_show_is_no_title() -> None:
    rows = (f"<li><h3>Topic {n}</h3><p>Lead</p><a href=/t/{n} aria-label='link to topic {n}'></a></li>" for n in "abcd")
    records = read_records(describe(f"<ul>{''.join(rows)}</ul>", URL), MODELS).records
    assert [record.title for record in records] == [f"Topic {n}" for n in "abcd"]


def test_records_of_a_page_that_may_be_an_overview_if_they_are_most_of_it() -> None:
    html, options = (
        f"<h1>Topics</h1><ul>{''.join(map(row, range(12)))}</ul>",
        Options(records=True, overview_threshold=1),
    )
    page = extractor().read(html, URL, options=options)
    assert not page.is_overview
    assert len(page.records) == 12
    assert extractor().read(f"{html}<p>{'One long text beside. ' * 99}", URL, options=options).records == []


@pytest.mark.slow
@pytest.mark.parametrize("page", [listing, nested])
def test_time_is_linear(page: object) -> None:
    """Four times the records take about four times as long, not sixteen times."""
    make = listing if page is listing else nested
    assert growth(lambda each: read_records(each, MODELS), lambda: make(2000), lambda: make(8000)) < 8
