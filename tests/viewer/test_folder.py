from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from labeled_pages import long_blocks

from scrapy_semtext.extractor import Source
from scrapy_semtext.viewer.folder import ViewFolder, ViewFolderError, ViewWriter, is_view_folder, rows_in

if TYPE_CHECKING:
    from pathlib import Path

HTML = "<title>Bread</title><p>Mix flour and water and salt, then wait.<p>Imprint"


def add(folder: ViewFolder, url: str) -> bool:
    name = folder.new_name(url)
    source = Source(HTML, url, on_read=ViewWriter(folder.path / name))
    (page,) = long_blocks().read_many([source])
    assert not isinstance(page, Exception)
    return folder.add(name, source, page)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "pages.jsonl").read_text(encoding="utf-8").splitlines()]


def test_a_folder_has_views_pages_and_an_overview(tmp_path: Path) -> None:
    folder = ViewFolder(tmp_path / "a" / "views")
    assert add(folder, "http://a.test/bread")
    assert not folder.add(folder.new_name("http://a.test/gone"), Source("", "http://a.test/gone"), "ValueError: gone")
    folder.close()
    assert names(folder.path) == ["00001-a-test-bread.html", "index.html", "pages.jsonl"]
    assert [(row["url"], row["html"]) for row in rows(folder.path)] == [
        ("http://a.test/bread", HTML),
        ("http://a.test/gone", ""),
    ]
    index = (folder.path / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'href="([^"]+)"', index) == ["00001-a-test-bread.html"]
    assert "ValueError: gone" in index
    view = (folder.path / "00001-a-test-bread.html").read_text(encoding="utf-8")
    assert 'href="index.html"' in view
    assert "Mix flour" in view


def test_a_new_crawl_replaces_what_the_one_before_it_left(tmp_path: Path) -> None:
    for urls in (["http://a.test/1", "http://a.test/2"], ["http://b.test/1"]):
        folder = ViewFolder(tmp_path)
        for url in urls:
            add(folder, url)
        folder.close()
    assert names(tmp_path) == ["00001-b-test-1.html", "index.html", "pages.jsonl"]


def test_a_crawl_that_goes_on_adds_to_the_folder(tmp_path: Path) -> None:
    folder = ViewFolder(tmp_path)
    add(folder, "http://a.test/1")
    folder.close()
    with (tmp_path / "pages.jsonl").open("ab") as file:
        file.write(b'{"name": "00002-a-test-2.html", "ht')  # killed in the middle of a line
    folder = ViewFolder(tmp_path, resume=True)
    add(folder, "http://a.test/3")
    folder.close()
    assert [row["name"] for row in rows(tmp_path)] == ["00001-a-test-1.html", "00002-a-test-3.html"]
    assert (tmp_path / "index.html").read_text(encoding="utf-8").count("http://a.test/") == 2


@pytest.mark.parametrize(
    ("name", "view"),
    [
        ("00001-/../../x", {}),
        ("00001-a.html/../../../x", {}),
        ("../x.html", {}),
        ("x.html", {}),
        (f"{'1' * 5_000}.html", {}),
        (None, {}),
        ("00001.html", {"href": "javascript:alert(1)"}),
        ("00001.html", {"href": "../x.html"}),
        ("00001.html", {"words": "<script>alert(1)</script>"}),
        ("00001.html", {"confidence": "1"}),
        ("00001.html", {"title": ["x"]}),
        ("00001.html", {"unknown": 1}),
    ],
)
def test_a_line_that_was_tampered_with_is_refused(tmp_path: Path, name: str | None, view: dict[str, Any]) -> None:
    path, other = tmp_path / "views", tmp_path / "x"
    path.mkdir()
    (path / "00001-").mkdir()
    other.write_text("stays", encoding="utf-8")
    line = {"name": name, "id": None, "html": "", "view": {"href": None, "url": None, "title": None, **view}}
    (path / "pages.jsonl").write_text(f"{json.dumps(line)}\n", encoding="utf-8")
    with pytest.raises(ViewFolderError, match=r"pages\.jsonl has a line that this package does not write"):
        ViewFolder(path, resume=True)
    with pytest.raises(ViewFolderError):
        rows_in(path)
    assert other.read_text(encoding="utf-8") == "stays"


@pytest.mark.parametrize("file", ["index.html", "pages.jsonl", "00001.html"])
def test_a_folder_with_other_files_is_left_alone(tmp_path: Path, file: str) -> None:
    (tmp_path / file).write_text('{"url": "http://a.test/", "html": "<p>"}\n', encoding="utf-8")
    assert not is_view_folder(tmp_path)
    with pytest.raises(ViewFolderError, match="has other files"):
        ViewFolder(tmp_path)
    with pytest.raises(ViewFolderError, match="cannot be used: File exists"):
        ViewFolder(tmp_path / file)
    assert names(tmp_path) == [file]


def test_a_view_that_cannot_be_written_does_not_cost_the_page(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = ViewFolder(tmp_path)
    name = folder.new_name("http://a.test/")
    source = Source(HTML, "http://a.test/", on_read=ViewWriter(tmp_path / "gone" / name))
    (page,) = long_blocks().read_many([source])
    assert not isinstance(page, Exception)
    assert not folder.add(name, source, page)
    folder.close()
    assert "the view could not be written" in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "The view of http://a.test/ could not be written" in caplog.text
