"""``semtext view`` with several pages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commanding import install, serving
from labeled_pages import real_pages

from scrapy_semtext.cli import main


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of three real pages, "saved" in the current folder."""
    install(monkeypatch)
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "saved"
    folder.mkdir()
    for name, html in real_pages(3):
        (folder / name).write_text(html, encoding="utf-8")
    return folder


def links(path: Path) -> list[str]:
    """Return the links of a document outside the copy of the page, which has none."""
    return re.findall(r'<a [^>]*href="([^"]+)"', path.read_text(encoding="utf-8"))


def test_a_folder_becomes_a_folder_of_views(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", "saved", "-o", "views"]) == 0
    views = sorted(path.name for path in Path("views").glob("0*.html"))
    assert len(views) == 3
    assert sorted(links(Path("views/index.html"))) == views
    assert [links(Path("views", view)) for view in views] == [["index.html"]] * 3
    assert "3 pages, 0 with an error: file://" in capsys.readouterr().err


def test_the_folder_can_be_read_again(saved: Path) -> None:
    assert main(["view", "saved", "-o", "views"]) == 0
    assert main(["view", "views", "-o", "again"]) == 0
    assert {path.name for path in Path("again").iterdir()} == {path.name for path in Path("views").iterdir()}
    assert main(["batch", "views", "out.jsonl"]) == 0
    rows = [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == [f"saved/{path.name}" for path in sorted(saved.iterdir())]


def test_pages_that_fail_are_in_the_overview(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [{"url": "http://a/", "html": "<p>explosive"}, {"url": "http://b/"}, {"url": "http://c/", "html": "<p>c"}]
    Path("pages.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    with serving() as address:
        assert main(["view", "pages.jsonl", f"{address}/page", f"{address}/pdf", "-o", "views"]) == 0
    index = Path("views/index.html").read_text(encoding="utf-8")
    assert "MemoryError: boom" in index
    assert "http://b/: html is missing: the keys are url; " in index
    assert "/pdf is application/pdf, not an HTML page." in index
    assert len(links(Path("views/index.html"))) == 2
    assert "2 pages, 3 with an error" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["saved", "-o", "view.html"], "view.html is for one page. For several, name a folder: -o views/"),
        (["saved", "saved", "-o", "-"], "- is for one page"),
        (["saved"], "without -o, one page is shown. For several, name a folder: -o views/"),
        (["saved", "-o", "saved"], "saved is in saved, whose files are replaced"),
        (["saved", "-o", "."], "saved is in ., whose files are replaced"),
        (["saved", "-o", "other"], "has other files; name a new or an empty folder"),
        (["gone.html", "-o", "views"], "gone.html: No such file or directory"),
        (["saved", "saved", "-o", "views", "--url", "http://a/"], "--url is the URL of one page"),
    ],
)
def test_errors_leave_everything_as_it_was(
    saved: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("other").mkdir()
    Path("other/index.html").write_text("mine", encoding="utf-8")
    before = sorted(path for path in Path().rglob("*"))
    assert main(["view", *words]) == 1
    assert message in capsys.readouterr().err
    assert sorted(path for path in Path().rglob("*")) == before


def test_one_address_does_not_go_with_several_pages_of_a_file(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("two.jsonl").write_text('{"html": "<p>"}\n' * 2, encoding="utf-8")
    assert main(["view", "two.jsonl", "-o", "views", "--url", "http://a/"]) == 1
    assert "--url is the URL of one page, and two.jsonl has several" in capsys.readouterr().err
