"""The report of `semtext crawl`."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import pytest
from generated_sites import THREADS, forum, serving
from harvesting import run
from template_sites import forum as small_forum

from scrapy_semtext.viewer.folder import rows_in

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.crawl]


def plain(html: str) -> str:
    """Return the text of a document, with a space for each tag."""
    return " ".join(re.sub(r"<[^>]*>", " ", html.partition("<main>")[2]).split())


def test_a_report_says_what_was_harvested_what_was_left_and_why(tmp_path: Path) -> None:
    site = forum()
    site["/robots.txt"] = lambda _: "User-agent: *\nDisallow: /user/"
    folder = tmp_path / "report"
    with serving(site) as served:
        given = (served.url, f"{served.url}missing", f"{served.url}user/1/", "-o", str(tmp_path / "out.jsonl"), "--qa")
        printed = run(*given, "--report", str(folder), "-s", "SEMTEXT_VIEW_MAX=9")
        assert f"report: {folder / 'index.html'}" in printed
        assert "failed: 1 robots.txt, 1 status 404" in printed
        run(*given, "--max-pages", "5", "--report", str(folder))
        host = served.url.split("/")[2]
        again = plain((folder / "index.html").read_text(encoding="utf-8"))
    assert re.search(rf"{host}/thread/#/ \d+ not reached before the crawl ended \(max_pages\)", again)
    assert (tmp_path / "out.jsonl").is_file()


def test_only_the_first_pages_are_shown(tmp_path: Path) -> None:
    folder = tmp_path / "report"
    with serving(forum()) as served:
        given = (served.url, "-o", str(tmp_path / "out.jsonl"), "--qa", "--report", str(folder))
        printed = run(*given, "-s", "SEMTEXT_VIEW_MAX=9")
        host = served.url.split("/")[2]
    text = plain((folder / "index.html").read_text(encoding="utf-8"))
    fetched = int(re.findall(r"(\d+) pages", printed)[0])
    assert f"The first 9 of {fetched} pages, each with its text blocks colored" in text
    assert f"Crawl of {host} From http://{host}/ items {THREADS}" in text
    assert f"{host}/thread/#/?reply=# 48 links that log in, print, reply, sort or the like" in text
    rows = rows_in(folder)
    assert sorted(path.name for path in folder.glob("0*.html")) == sorted(row.href or "" for row in rows)
    assert len(rows) == 9


def test_threads_without_pairs_are_counted_and_not_written(tmp_path: Path) -> None:
    out, folder = tmp_path / "out.jsonl", tmp_path / "report"
    with serving(forum()) as served:
        given = (served.url, "-o", str(out), "--qa", "--report", str(folder))
        for chosen in (("--accepted-only",), ("-s", 'SEMTEXT_QA={"accepted_only": true}')):
            printed = run(*given, *chosen)
            assert not out.read_bytes()
            assert re.search(rf"threads without pairs: {THREADS}, such as http://\S+/thread/\d+/", printed)
            assert "not in the output" not in printed
            text = plain((folder / "index.html").read_text(encoding="utf-8"))
            assert f"items 0 pairs 0 threads without pairs {THREADS} " in text
            assert len(re.findall(r"http://\S+/thread/\d+/ ", text.partition("Threads without pairs")[2])) >= THREADS


def test_a_report_says_what_to_trust(tmp_path: Path) -> None:
    folder, pages = tmp_path / "report", small_forum("plain")
    pages["/"] = pages["/"].replace("</table>", '<tr><td><a href="/b/bread/7">Lost</a></td></tr></table>')
    with serving({path: partial(lambda html, _: html, html) for path, html in pages.items()}) as served:
        printed = run(served.url, "-o", str(tmp_path / "out.jsonl"), "--qa", "--report", str(folder))
        host = served.url.split("/")[2]
    text = plain((folder / "index.html").read_text(encoding="utf-8"))
    assert f"pairs on 18 of 21 linked pages like {host}/b/bread/#, 2 without pairs, 1 failed" in printed
    assert f"{host}/b/bread/# 21 18 2 1 0 Threads without pairs" in text
    assert f'in no pair, as all pages like http://{host}/b/bread/80 have it (20 pages): "This site stores' in printed
    assert re.search(
        rf"taken for furniture http://{host}/b/bread/80 20 This site stores \S+ .* \| Log in to reply\.", text
    )
    least = text.partition("The least sure pairs")[2]
    scores = [float(score) for score in re.findall(r" (\d\.\d\d) My ", least)]
    assert len(scores) == 34
    assert scores == sorted(scores)
    assert f"{host}/w 2 links that log in, print, reply, sort or the like http://{host}/ask" in text
    assert f"not fetched: 2 like http://{host}/ask: links that log in" in printed


def test_a_folder_with_other_files_is_refused_before_the_crawl(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    printed = run("http://site.test/", "-o", str(tmp_path / "o.jsonl"), "--report", str(tmp_path), status=1)
    assert "has other files; name a new or an empty folder" in printed
