"""A full disk, for every format and state file, gives a clear error, and earlier data is complete."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from crawling import crawl as crawl_here
from crawling import page_with
from faulty_crawls import URL, Outcome, limit_files, outcome, site, start
from generated_sites import blog, forum, serving
from harvesting import command, environment, lines_of, run

from scrapy_semtext import QAPair

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.slow,
    pytest.mark.crawl,
    pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix"),
]

PAGES, ROOM = 40, 20_000
FIELDS = {name: name for name in ("main_text", "qa_pairs", "chunks")}


def export(form: str, path: Path, room: int = ROOM, **feed: Any) -> Outcome:
    """Crawl into a feed whose files may have ``room`` bytes each."""
    feeds = {str(path): {"format": form, "encoding": "utf8", **feed}}
    settings = {"FEEDS": feeds, "PAGES": PAGES, "SEMTEXT_FIELDS": FIELDS, "CONCURRENT_REQUESTS": 1}
    done = outcome(start(settings, limit_files(room)))
    assert done.status == 0, done.log
    assert sorted(done.items) == sorted(site(PAGES))  # every item went through the pipelines
    return done


@pytest.mark.parametrize("form", ["semtext-messages", "semtext-chunks"])
def test_lines_are_whole(form: str, tmp_path: Path) -> None:
    path = tmp_path / "feed.jsonl"
    path.write_text('{"yesterday": 1}\n')
    done = export(form, path)
    first, *rows = lines_of(path)  # each of them is JSON
    assert first == {"yesterday": 1}
    assert 10 < len(rows) < PAGES
    assert done.stats["feedexport/success_count/FileFeedStorage"] == 1
    assert f"File too large; what was written before is whole: '{path}'" in done.log


def test_what_was_written_stays_as_it_was(tmp_path: Path) -> None:
    code = (
        "import sys; from faulty_crawls import limit_files; from scrapy_semtext.utils.replacing import append_whole\n"
        "limit_files(10)(); file = open(sys.argv[1], 'wb'); file.write(b'12345'); append_whole(file, b'67')\n"
        "try: append_whole(file, b'89012')\n"
        "except OSError as error: print(error)\n"
        "append_whole(file, b'8'); file.write(b'9'); file.close()"
    )
    path = tmp_path / "file"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True, env=environment()
    )
    assert done.stdout == f"[Errno 27] File too large; what was written before is whole: '{path}'\n"
    assert path.read_bytes() == b"123456789"


# The state of a job.


def no_room(*_: Any, **__: Any) -> None:
    raise OSError(28, "No space left on device")


def test_pairs_of_before_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("datasketch")
    settings = {"SEMTEXT_QA": {"dedup": True}, "JOBDIR": str(tmp_path)}
    pages = [{f"{URL}{n}": page_with(QAPair(f"What is {n} of all?", "Nobody knows."))} for n in range(2)]
    crawl_here(pages[0], settings=settings)
    before = (tmp_path / "semtext-pairs.npy").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("numpy.save", no_room)
        crawl_here(pages[1], settings=settings)
    assert "The pairs of this run cannot be saved" in caplog.text
    assert (tmp_path / "semtext-pairs.npy").read_bytes() == before
    done = crawl_here({f"{URL}again": pages[0][f"{URL}0"]}, settings=settings)
    assert done.count("pairs/dropped/duplicate") == 1


def test_a_full_disk_for_views_costs_no_item(tmp_path: Path) -> None:
    views = tmp_path / "views"
    settings = {"SEMTEXT_VIEW_DIR": views, "SEMTEXT_EXTRACTOR": "scrapy_semtext.extractor.Extractor", "PAGES": 12}
    done = outcome(start(settings, limit_files(15_000)))
    assert done.status == 0, done.log
    assert len(done.items) == 12
    assert done.stats["semtext/views/errors"] > 0
    whole = (views / "pages.jsonl").read_bytes().splitlines(keepends=True)
    assert all(json.loads(line) for line in whole if line.endswith(b"\n"))
    again = outcome(start({**settings, "JOBDIR": tmp_path / "job"}))
    assert len([json.loads(line) for line in (views / "pages.jsonl").read_bytes().splitlines()]) >= 12, again.log


# Commands.


def limited(room: int, *arguments: str) -> str:
    """Run `semtext crawl` with files of at most ``room`` bytes; return its output."""
    done = subprocess.run(
        command(*arguments),
        check=False,
        capture_output=True,
        text=True,
        env=environment(),
        timeout=180,
        preexec_fn=limit_files(room),
    )
    assert done.returncode == 1, done.stderr
    return done.stderr


# Not conversations: their languages are told by py3langid, which needs room for a temporary file of its own.
@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet", "out.jsonl.gz"])
def test_outputs_of_a_crawl_stay_as_they_were(name: str, tmp_path: Path) -> None:
    output = tmp_path / name
    output.write_text("yesterday")
    with serving(forum()) as served:
        printed = limited(1_000, served.url, "-o", str(output), "--qa", "--max-items", "5")
    assert printed == f"semtext crawl: {output} cannot be written: File too large\n"
    assert output.read_text() == "yesterday"
    assert list(tmp_path.iterdir()) == [output]


def test_a_folder_of_a_crawl_has_whole_files(tmp_path: Path) -> None:
    with serving(blog()) as served:
        printed = limited(1_700, served.url, "-o", str(tmp_path / "posts"), "--to", "markdown-folder")
        assert printed == f"semtext crawl: {tmp_path / 'posts'} cannot be written: File too large\n"
        texts = [path.read_text("utf-8") for path in (tmp_path / "posts").iterdir()]
        assert all(text.startswith("---\nurl:") and text.endswith("\n") for text in texts)


@pytest.mark.parametrize("room", [20_000, 150_000])
def test_a_job_ends_and_goes_on_when_there_is_room(room: int, tmp_path: Path) -> None:
    output, job = tmp_path / "out.jsonl", tmp_path / "job"
    output.write_text("yesterday")
    with serving(blog()) as served:
        given = (served.url, "-o", str(output), "--job", str(job))
        printed = limited(room, *given)
        assert f"{job}/semtext-crawl.sqlite cannot be used: disk I/O error (make sure that the disk has free" in printed
        assert output.read_text() == "yesterday"
        run(*given)
    urls = [item["url"] for item in lines_of(output)]
    assert len(urls) == len({*urls}) == 18


def test_a_file_that_is_no_job_is_told_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "semtext-crawl.sqlite").write_bytes(b"tampered with" * 1000)
    printed = run("http://127.0.0.1:9/", "-o", str(tmp_path / "out"), "--job", str(tmp_path / "job"), status=1)
    assert printed == (
        f"semtext crawl: {tmp_path}/job/semtext-crawl.sqlite cannot be used: file is not a database (it is damaged or"
        " not the file of a crawl: name another folder)\n"
    )
