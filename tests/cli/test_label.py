"""``semtext label`` from the command line to the file; tests/labeling tests its parts."""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import Request, url2pathname, urlopen

import pytest
from commanding import install, serving
from labeled_pages import labels_in, real_pages

from scrapy_semtext.cli import main
from scrapy_semtext.labeling.server import LabelServer

if TYPE_CHECKING:
    from collections.abc import Callable

    from commanding import Loaded


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loaded:
    """A folder "saved" with three real pages, in the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("saved").mkdir()
    for name, html in real_pages(3):
        Path("saved", name).write_text(html, encoding="utf-8")
    return install(monkeypatch)


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[str], Any]], list[Any]]:
    """Call a function with the URL of the server, which is then interrupted as by Ctrl-C."""

    def call(do: Callable[[str], Any]) -> list[Any]:
        results: list[Any] = []

        def wait(server: LabelServer) -> None:
            results.append(do(server.url))
            raise KeyboardInterrupt

        monkeypatch.setattr(LabelServer, "wait", wait)
        return results

    return call


def get(url: str) -> str:
    with urlopen(url) as answer:  # noqa: S310  the server's
        return str(answer.read(), "utf-8")


def post_all_main(url: str, *, done: bool) -> None:
    """Save page 1 with all its blocks as main content."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', get(f"{url}1"))
    assert found
    count = len(json.loads(found[1])["labels"])
    body = json.dumps({"labels": ["main"] * count, "by": ["person"] * count, "done": done}).encode()
    request = Request(f"{url}1/labels", body, {"Content-Type": "application/json"})  # noqa: S310
    with urlopen(request) as answer:  # noqa: S310
        assert answer.status == 200


def test_labels_are_saved_until_the_command_is_interrupted(
    loaded: Loaded, meanwhile: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    meanwhile(lambda url: post_all_main(url, done=True))
    assert main(["label", "saved", "-o", "labels.jsonl", "--no-browser"]) == 0
    (page,) = labels_in(Path("labels.jsonl")).values()
    assert page.done
    assert {block.label for block in page.blocks} == {"main"}
    assert Path(page.id).read_bytes().decode() == page.html
    said = capsys.readouterr().err
    assert "3 pages, 0 of them done. Ctrl-C ends. Open:\nhttp://127.0.0.1:" in said
    assert "Pages with labels in labels.jsonl: 1, done: 1. Next:\n  semtext tune labels.jsonl -o site-model/" in said
    assert (loaded.calls[0][2].pairs, loaded.calls[0][2].sections) == (False, False)


def test_the_browser_is_opened_unless_it_is_not_wanted(
    loaded: Loaded, meanwhile: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[tuple[str, str, int, int]] = []

    def open_browser(address: str) -> None:
        path = Path(url2pathname(address.removeprefix("file://")))
        modes = path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777
        opened.append((address, path.read_text(encoding="utf-8"), *modes))

    monkeypatch.setattr("webbrowser.open", open_browser)
    meanwhile(get)
    assert main(["label", "saved", "-o", "labels.jsonl", "--no-browser"]) == 0
    assert opened == []
    assert main(["label", "saved", "-o", "labels.jsonl"]) == 0
    printed = capsys.readouterr().err.rpartition("Ctrl-C ends. Open:\nhttp")[2].split()[0]
    ((address, document, mode, folder_mode),) = opened
    assert f'<meta http-equiv="refresh" content="0; url=http{printed}">' in document
    assert printed.strip("/").rpartition("/")[2] not in address, "all users can read the browser's command line"
    if sys.platform != "win32":
        assert (mode, folder_mode) == (0o600, 0o700)
    assert not Path(url2pathname(address.removeprefix("file://"))).parent.exists()
    assert not Path("labels.jsonl").exists()


def test_the_same_command_goes_on_and_out_may_be_in_the_folder_of_pages(
    loaded: Loaded, meanwhile: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    meanwhile(lambda url: post_all_main(url, done=True))
    words = ["label", "saved", "-o", "saved/labels.jsonl", "--no-browser"]
    assert main(words) == 0
    assert main(words) == 0
    assert "3 pages, 1 of them done" in capsys.readouterr().err
    assert len(Path("saved/labels.jsonl").read_bytes().splitlines()) == 2
    assert main(["label", "-o", "saved/labels.jsonl", "--no-browser"]) == 0
    assert "2 pages, 2 of them done" in capsys.readouterr().err


def test_pages_from_a_crawl_and_the_web(loaded: Loaded, meanwhile: Any, capsys: pytest.CaptureFixture[str]) -> None:
    items = [{"url": f"http://site.test/{n}", "html": html, "title": "x"} for n, (_, html) in enumerate(real_pages(2))]
    Path("items.jsonl").write_text("".join(f"{json.dumps(item)}\n" for item in items), encoding="utf-8")
    overviews = meanwhile(get)
    with serving() as address:
        words = ["label", "items.jsonl", f"{address}/page", f"{address}/gone", "-o", "labels.jsonl", "--no-browser"]
        assert main(words) == 0
    assert all(url in overviews[0] for url in ("http://site.test/0", "http://site.test/1", f"{address}/page"))
    said = capsys.readouterr().err
    assert "3 pages, 0 of them done" in said
    assert f"{address}/gone: {address}/gone was answered with 404" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "labels.jsonl"], "there are no pages: name files, folders or URLs"),
        (["saved", "-o", "items.jsonl"], "items.jsonl, line 1 is not a labeled page: 'blocks'; it is left as it is"),
        (["saved", "-o", "saved"], "saved cannot be written: it is a folder"),
        (["gone.html", "-o", "labels.jsonl"], "gone.html: No such file or directory"),
        (["empty.html", "-o", "labels.jsonl"], "none of the pages can be labeled"),
    ],
)
def test_errors(loaded: Loaded, words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("items.jsonl").write_text('{"url": "http://a/", "html": "<p>"}\n', encoding="utf-8")
    Path("empty.html").write_text("<p>", encoding="utf-8")
    assert main(["label", *words, "--no-browser"]) == 1
    assert message in capsys.readouterr().err
    assert Path("items.jsonl").read_text(encoding="utf-8") == '{"url": "http://a/", "html": "<p>"}\n'
    assert not Path("labels.jsonl").exists()


def test_a_save_in_progress_is_complete_before_the_command_ends(
    loaded: Loaded, meanwhile: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = threading.Event()

    def slowly(path: Path, parts: Any) -> None:
        begun.set()
        time.sleep(0.3)
        path.write_bytes(b"".join(parts))

    monkeypatch.setattr("scrapy_semtext.labeling.session.replace_file", slowly)

    def save_and_leave(url: str) -> None:
        threading.Thread(target=post_all_main, args=(url,), kwargs={"done": True}, daemon=True).start()
        assert begun.wait(10)

    meanwhile(save_and_leave)
    assert main(["label", "saved", "-o", "labels.jsonl", "--no-browser"]) == 0
    assert len(labels_in(Path("labels.jsonl"))) == 1
