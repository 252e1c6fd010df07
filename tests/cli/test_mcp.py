"""`semtext mcp`, called by the official client: in a separate process, and in this one without the model."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
from commanding import ARTICLE, install, serving
from example.bundled import bundled_pages

from scrapy_semtext.cli import build_parser, main
from scrapy_semtext.cli import mcp as command
from scrapy_semtext.details import Details
from scrapy_semtext.page import Page, QAPair, Record
from scrapy_semtext.utils import extras

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters

from scrapy_semtext.cli.mcp import server

if TYPE_CHECKING:
    from collections.abc import Iterator

THREAD = "/pages/forums.docker.com-confusing-resolver-structure.html"
LISTING = "/pages/engineering.atspotify.com.html"
LINES = "".join(f"<p>Line {number} of a page that has more words than a label has.</p>" for number in range(40))

Calls = list[tuple[str, dict[str, Any]]]


async def _ask(server: Any, calls: Calls) -> list[Any]:
    async with Client(server) as client:
        return [await client.call_tool(name, arguments) for name, arguments in calls]


def ask(*calls: tuple[str, dict[str, Any]], options: str = "") -> list[Any]:
    """Return the results of calls to a server in this process."""
    arguments = build_parser().parse_args(["mcp", *options.split()])
    return asyncio.run(_ask(command.build_server(arguments), list(calls)))


def refusals(*arguments: dict[str, Any], options: str = "") -> list[str]:
    """Return what the client receives for calls that fail."""
    results = ask(*(("extract", each) for each in arguments), options=options)
    assert all(result.is_error for result in results)
    return [str(result.content[0].text).removeprefix("Error executing tool extract: ") for result in results]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Any:
    return install(monkeypatch)


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with serving() as address:
        yield address


@pytest.mark.slow
def test_a_client_reads_pages_by_a_process() -> None:
    env = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    server = StdioServerParameters(command=sys.executable, args=["-m", "scrapy_semtext", "mcp"], env=env)
    thread, listing = (bundled_pages()[path].html() for path in (THREAD, LISTING))
    calls: Calls = [
        ("extract", {"html": thread}),
        ("pairs", {"html": thread}),
        ("records", {"html": listing, "url": "https://engineering.atspotify.com/"}),
    ]

    async def talk() -> tuple[Any, list[Any]]:
        async with Client(server) as client:
            return await client.list_tools(), [await client.call_tool(*call) for call in calls]

    listed, (extracted, pairs, records) = asyncio.run(talk())
    assert [tool.name for tool in listed.tools] == ["extract", "pairs", "records"]
    assert all(tool.output_schema and tool.annotations.read_only_hint for tool in listed.tools)
    assert not any(result.is_error for result in (extracted, pairs, records))

    content = extracted.structured_content
    assert content["title"] == "Confusing resolver structure"
    assert content["kind"] == "forum"
    assert content["language"] == "en"
    assert content["text"].startswith("# Confusing resolver structure\n\nI am just getting back in to using Docker")
    assert content["note"] is None
    assert pairs.structured_content["total"] == len(pairs.structured_content["pairs"]) >= 2
    assert pairs.structured_content["pairs"][0]["author"] == "rimelek"
    first = records.structured_content["records"][0]
    assert first["url"] == "https://engineering.atspotify.com/2026/2/how-we-release-the-spotify-app-part-2"


def test_the_model_is_loaded_once(fake: Any) -> None:
    results = ask(
        ("extract", {"html": ARTICLE, "format": "text"}), ("extract", {"html": ARTICLE}), ("pairs", {"html": ARTICLE})
    )
    assert len(fake.calls) == 1
    assert fake.batches == [1, 1, 1]
    assert results[0].structured_content["text"].startswith("How to bake good bread at your own home\nTake flour")
    assert results[1].structured_content["text"].startswith("# How to bake good bread")
    assert results[2].structured_content == {
        "url": None,
        "title": "How to bake good bread at your own home",
        "kind": results[0].structured_content["kind"],
        "note": None,
        "pairs": [],
        "total": 0,
    }


def test_long_content_is_cut_and_continued(fake: Any) -> None:
    call = {"html": LINES, "format": "text"}
    first, second, none = ask(
        ("extract", call),
        ("extract", {**call, "start": 1000}),
        ("extract", {**call, "start": 5000}),
        options="--max-characters 1000",
    )
    content = first.structured_content
    length = int(content["note"].split(" of ")[1].split(".")[0])
    end = len(content["text"])
    assert content["note"] == f"Characters 0 to {end} of {length}. Call again with start={end} for more."
    assert 990 < len(first.content[0].text) <= 1000
    (whole,) = ask(("extract", call))
    assert content["text"] == whole.structured_content["text"][:end]
    following = second.structured_content["text"]
    assert following == whole.structured_content["text"][1000:][: len(following)]
    assert none.structured_content["text"] == ""
    assert none.structured_content["note"].startswith("There is nothing after character 5000")


LONG = '"\u0001é\\' * 100_000
RECORD = Record(LONG, LONG, LONG, LONG, LONG, LONG, dict.fromkeys([LONG, *map(str, range(9000))], LONG))
HOSTILE = Page(
    LONG,
    title=LONG,
    main_text=LONG,
    author=LONG,
    published=LONG,
    language=LONG,
    site_name=LONG,
    description=LONG,
    page_kind="forum",
    next_page=LONG,
    qa_pairs=[QAPair(LONG, LONG, author=LONG, date=LONG)] * 2 + [QAPair("Why?", "So.", author=LONG)] * 900,
    records=[RECORD] * 2 + [Record("Bread", "/bread", "Good.", author=LONG)] * 900,
    details=Details(published=LONG),
)


@pytest.mark.parametrize(("start", "most"), [(1, 1000), (3, 20_000), (902, 1000), (903, 20_000), (10**6, 1000)])
def test_no_value_makes_an_answer_longer_than_the_limit(start: int, most: int) -> None:
    content = server.extracted(HOSTILE, "text", start, most)
    assert start == 10**6 or content.text == LONG[start : start + len(content.text)] != ""
    lists: list[Any] = [server.pairs_of(HOSTILE, start, most), server.records_of(HOSTILE, start, most)]
    for answer in (content, *lists):
        assert len(answer.model_dump_json(indent=2)) <= most
        assert "Long values are cut." in answer.note
    pairs, records = lists
    assert bool(pairs.pairs) == bool(records.records) == (start < 903)
    if start < 3:
        assert min(len(pairs.pairs[0].answer), len(records.records[0].text)) > most // 200
    if start == 3:
        assert len(pairs.pairs) >= most // 2500


@pytest.mark.slow
def test_a_long_author_and_address_from_a_client(fake: Any) -> None:
    authors = [{"@type": "Person", "name": f"Ann {number}{'x' * 60}"} for number in range(2_000)]
    markup = json.dumps({"@context": "https://schema.org", "@type": "Article", "author": authors})
    html = ARTICLE.replace("<body>", f'<script type="application/ld+json">{markup}</script><body>')
    calls = [(name, {"html": html, "url": f"https://example.com/{LONG}"}) for name in ("extract", "pairs", "records")]
    for result in ask(*calls, options="--max-characters 20000"):
        assert not result.is_error
        assert len(result.content[0].text) <= 20_000
    (refused,) = refusals({"url": "ftp://" + "x" * 10_000}, options="--allow-network")
    assert len(refused) < 1100


def test_nothing_is_fetched_by_default(fake: Any, site: str) -> None:
    refused, nothing, binary = refusals({"url": f"{site}/page"}, {}, {"html": "%PDF-1.7\x00\x01\x02\x00"})
    assert refused.startswith("This server does not fetch pages: give the page as html")
    assert nothing == "Give the page as html."
    assert binary == "This is not a page but a PDF: take its text with a PDF reader such as pypdf."


OPTIONS = "--allow-network --allow-private"


def test_a_page_is_fetched(fake: Any, site: str) -> None:
    (page,) = ask(("extract", {"url": f"{site}/moved"}), options=OPTIONS)
    assert page.structured_content["url"] == f"{site}/page"
    assert page.structured_content["title"] == "How to bake good bread at your own home"


def test_what_is_not_fetched(fake: Any, site: str) -> None:
    reasons = {
        f"{site}/none": "was answered with 404",
        f"{site}/bomb": "is larger than 1 MiB",
        f"{site}/pdf": "is application/pdf, not an HTML page",
        f"{site}/slow": "took longer than 1 seconds",
        f"{site}/to-file": "Redirection to url 'file:///etc/passwd' is not allowed",
        "file:///etc/passwd": "only http and https URLs can be fetched",
    }
    told = refusals(*({"url": url} for url in reasons), options=f"{OPTIONS} --timeout 1 --max-size 1")
    assert [reason in text for reason, text in zip(reasons.values(), told, strict=True)] == [True] * len(reasons)
    assert refusals({}, options=OPTIONS) == ["Give the page as html, or its URL as url."]


def test_a_crash_tells_the_client_nothing(fake: Any) -> None:
    html = "<p>explosive words of which there are more than six"
    assert refusals({"html": html}) == ["Error executing tool extract"]


def test_wrong_options_and_missing_libraries(
    fake: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["mcp", "--allow-private"]) == 1
    assert "--allow-private goes with --allow-network" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["mcp", "--max-characters", "999"])
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    assert main(["mcp"]) == 1
    assert "pip install 'scrapy-semtext[mcp]'" in capsys.readouterr().err
