from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from labeled_pages import labeled, labels_in

from scrapy_semtext.labeling.session import LabelFile, page_key

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "labels.jsonl"


def test_the_file_has_a_line_for_each_page_and_is_complete_after_each_save(path: Path) -> None:
    file = LabelFile(path)
    file.save(labeled("http://a/", "+one", "two"))
    file.save(labeled("http://b/", "drei \ud800 ü"))
    assert [*labels_in(path)] == ["http://a/", "http://b/"]
    file.save(labeled("http://a/", "one", "+two", done=True))
    assert [*labels_in(path)] == ["http://a/", "http://b/"], "in the place of its earlier line"
    assert [block.by for block in labels_in(path)["http://a/"].blocks] == ["model", "person"]
    assert labels_in(path)["http://b/"].blocks[0].text == "drei \ud800 ü"
    assert (len(file), file.done()) == (2, 1)


def test_a_page_without_address_is_known_by_its_html(path: Path) -> None:
    file = LabelFile(path)
    file.save(labeled(None, "one", html="<p>one"))
    file.save(labeled(None, "two", html="<p>two"))
    file.save(labeled(None, "+two", html="<p>two"))
    assert len(LabelFile(path)) == 2
    assert LabelFile(path).get(page_key(None, "<p>two")) == labeled(None, "+two", html="<p>two")


def test_files_may_be_joined_and_a_page_that_is_done_goes_first(path: Path) -> None:
    pages = [labeled("http://a/", "+one", done=True), labeled("http://a/", "one"), labeled("http://b/", "two")]
    path.write_text("\n".join(page.to_json() for page in pages), encoding="utf-8")  # no newline at the end
    file = LabelFile(path)
    assert file.get("http://a/") == pages[0]
    file.save(labeled("http://c/", "three"))
    assert [*labels_in(path)] == ["http://a/", "http://b/", "http://c/"]


def test_a_full_disk_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = LabelFile(path)
    file.save(labeled("http://a/", "+one"))
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            file.save(labeled("http://b/", "+two"))
    assert path.read_bytes() == before
    assert [*path.parent.iterdir()] == [path]
    file.save(labeled("http://b/", "+two"))
    assert len(labels_in(path)) == 2


_SAVE_FOREVER = """
import sys
from pathlib import Path
from labeled_pages import labeled
from scrapy_semtext.labeling.session import LabelFile
file = LabelFile(Path(sys.argv[1]))
for number in range(10**9):
    file.save(labeled(f"http://{number % 7}/", *["+text"] * 2000))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by a signal")
def test_a_process_that_is_killed_in_the_middle_of_saving_leaves_a_complete_file(path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen([sys.executable, "-c", _SAVE_FOREVER, str(path)], env=environment)
    deadline = time.monotonic() + 30
    while not (path.exists() and len(path.read_bytes()) > 500_000) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    pages = labels_in(path)
    assert pages
    assert all(len(page.blocks) == 2000 for page in pages.values())
    LabelFile(path).save(labeled("http://new/", "+one"))
    assert len(labels_in(path)) == len(pages) + 1
