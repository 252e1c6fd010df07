"""Sessions of labeling, and their file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from harvesting import environment
from labeled_pages import labeled, labels_in, long_blocks, real_pages, session_of

from scrapy_semtext.labeling.session import LabelFile, LabelsError, page_key, take_over
from scrapy_semtext.site.labeled_pages import LabeledBlock
from scrapy_semtext.tree.scopes import block_paths

if TYPE_CHECKING:
    from pathlib import Path


PAGES = [(f"http://site.test/{name}", html) for name, html in real_pages(3)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "labels.jsonl"


def values_of(page: Any, *, turned: int | None = None, done: bool = False) -> dict[str, Any]:
    """Return what the script of a page sends, with one block's label changed."""
    labels, by = [block.label for block in page.blocks], [block.by for block in page.blocks]
    if turned is not None:
        labels[turned] = "boilerplate" if labels[turned] == "main" else "main"
        by[turned] = "person"
    return {"labels": labels, "by": by, "done": done}


def test_a_page_begins_with_the_labels_of_the_model(path: Path) -> None:
    session = session_of(path, PAGES)
    assert sorted(entry.url or "" for entry in session.entries) == sorted(url for url, _ in PAGES)
    for position, entry in enumerate(session.entries):
        read = long_blocks().annotate(dict(PAGES)[entry.url or ""], entry.url)
        page = session.open(position).labeled
        assert [(block.text, block.label, block.by) for block in page.blocks] == [
            (block.text, block.label, "model") for block in read.page.blocks
        ]
        assert [block.path for block in page.blocks] == block_paths(read.text_blocks)
    assert not path.exists(), "nobody has labeled anything"


@pytest.mark.smoke
def test_labels_are_saved_and_taken_up_again(path: Path) -> None:
    session = session_of(path, PAGES)
    first = session.entries[0].url
    session.save(0, values_of(session.open(0).labeled, turned=2, done=True))
    session.save(1, values_of(session.open(1).labeled, turned=0))
    assert (session.done, [entry.corrected for entry in session.entries]) == (1, [1, 1, 0])
    assert labels_in(path)[first].blocks[2].by == "person"

    again = session_of(path, PAGES)
    assert again.entries[-1].url == first, "what is done comes last"
    assert [(entry.done, entry.corrected) for entry in again.entries][-1] == (True, 1)
    assert again.open(2).labeled == labels_in(path)[first]
    without_pages = session_of(path, [])
    assert {entry.url for entry in without_pages.entries} == set(labels_in(path))


def test_a_page_that_has_changed_is_shown_as_it_was_labeled(path: Path) -> None:
    session = session_of(path, PAGES[:1])
    session.save(0, values_of(session.open(0).labeled, turned=2))
    again = session_of(path, [(PAGES[0][0], "<p>Another page today.")])
    assert again.open(0).labeled == labels_in(path)[PAGES[0][0]]


def test_labels_of_blocks_that_are_no_more_are_reported(path: Path) -> None:
    session = session_of(path, PAGES[:1])
    session.save(0, values_of(session.open(0).labeled, turned=2, done=True))
    page = labels_in(path)[PAGES[0][0]]
    page.blocks[2] = replace(page.blocks[2], text="cut by an earlier version")
    path.write_text(page.to_json() + "\n", encoding="utf-8")
    again = session_of(path, PAGES)
    (problem,) = again.problems
    assert "cut into other blocks than when it was labeled, and 1 of its labels belong to none: 'cut by" in problem
    assert not any(entry.done for entry in again.entries)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": ["main"]}, "'labels' has to have a value for each of the 2 blocks; it has 1"),
        ({"by": None}, "'by' has to have a value for each of the 2 blocks; it has none"),
        ({"labels": ["main", "other"]}, "'labels' may have the values main and boilerplate only"),
        ({"by": ["person", ["model"]]}, "'by' may have the values model and person only"),
        ({"done": 1}, "'done' has to be true or false"),
    ],
)
def test_labels_that_do_not_fit_are_refused(path: Path, change: dict[str, Any], message: str) -> None:
    session = session_of(path, [("http://a/", "<h1>One</h1><p>Two.")])
    with pytest.raises(LabelsError) as raised:
        session.save(0, {**values_of(session.open(0).labeled), **change})
    assert str(raised.value).startswith(message)
    assert len(LabelFile(path)) == 0


def model(text: str, path: str = "html>body>p") -> LabeledBlock:
    return LabeledBlock(text, path, "boilerplate", 0.1)


def labels(blocks: list[LabeledBlock]) -> list[tuple[str, str]]:
    return [(block.label, block.by) for block in blocks]


def test_labels_by_a_person_stay_and_those_of_the_model_are_new() -> None:
    earlier = labeled(None, "+a", "b")
    now = [model("a"), LabeledBlock("b", "html>body>p", "main", 0.9)]
    found, lost = take_over(earlier, now)
    assert labels(found.blocks) == [("main", "person"), ("main", "model")]
    assert [block.probability for block in found.blocks] == [0.1, 0.9], "the model's, not the earlier one's"
    assert (lost, found.done) == ([], False)


def test_equal_texts_are_matched_in_page_order_and_by_their_path_first() -> None:
    earlier = labeled(None, "more", "+more", "+more")
    earlier.blocks[2].path = "html>body>nav"
    found, _ = take_over(earlier, [model("more", "html>body>nav"), model("more"), model("more")])
    assert labels(found.blocks) == [("main", "person"), ("boilerplate", "model"), ("main", "person")]


def test_labels_without_a_block_are_reported_and_a_new_block_makes_the_page_undone() -> None:
    found, lost = take_over(labeled(None, "+a b", "c", done=True), [model("a"), model("b"), model("c")])
    assert [block.text for block in lost] == ["a b"]
    assert not found.done


def test_the_least_certain_pages_come_first(path: Path) -> None:
    session = session_of(path, PAGES)
    sure = [entry.row.confidence or 0.0 for entry in session.entries]
    assert sure == sorted(sure)


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
    process = subprocess.Popen([sys.executable, "-c", _SAVE_FOREVER, str(path)], env=environment())
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
