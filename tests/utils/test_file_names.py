"""For any URL of a page, its file has a plain and unique name in its folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_semtext.cli.row_files import Target, writing
from scrapy_semtext.utils.address import file_slug
from scrapy_semtext.viewer.folder import view_name

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = [
    "http://a.test/../../etc/passwd",
    "http://a.test/%2e%2e/%2e%2e/etc/passwd",
    "http://../..",
    "../../../root/.ssh/id",
    "..",
    "",
    "\x00",
    "http://a.test/a\x00b\nc\rd",
    "http://a.test/C:\\Windows\\system32",
    "C:\\Windows\\x:stream",
    "http://[",
    "http://a.test/" + "x" * 5_000,
    "http://a.test/" + "北" * 5_000,
    "http://a.test/\ud800\ud801",
    "http://con",
    "http://nul.txt/",
    "LPT1",
    "http://a.test/-rf?--help=1",
    "http://a.test/$(id)`id`;|&<>*?\"'",
    "http://a.test/\u202egpj.exe",
    "http://a.test/ .",
]


@pytest.mark.parametrize("url", HOSTILE)
def test_a_hostile_address_gives_a_file_in_the_folder(url: str, tmp_path: Path) -> None:
    for name in (f"{file_slug(url) or 'page'}.md", view_name(1, url), view_name(1, None, url)):
        path = tmp_path / name
        assert path.parent == tmp_path
        assert path.resolve().parent == tmp_path.resolve()
        assert name[0] not in "-."
        assert name.isprintable()
        assert not set(name) & set('/\\:*?"<>|')
        assert len(name.encode()) < 200
        assert name.partition(".")[0].lower() not in ("con", "nul", "lpt1")
        path.write_text("x", encoding="utf-8")
        assert len([*tmp_path.iterdir()]) == 1
        path.unlink()


def test_no_two_pages_share_a_file(tmp_path: Path) -> None:
    urls = ["http://a.test/b", "http://a.test/b/", "http://a.test/b-2", "http://a.test/B", "http://a.test/b.html"]
    target = Target(str(tmp_path), "markdown-folder", "pages")
    with writing(target, ()) as writer:
        assert writer.add({"url": url, "main_text": url} for url in urls) == len(urls)
    texts = {path.name: path.read_text(encoding="utf-8").splitlines()[-1] for path in tmp_path.iterdir()}
    names = ["a-test-b.md", "a-test-b-2.md", "a-test-b-2-2.md", "a-test-b-3.md", "a-test-b-4.md"]
    assert texts == dict(zip(names, urls, strict=True))
