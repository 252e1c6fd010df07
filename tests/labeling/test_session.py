from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import pytest
from labeled_pages import labels_in, long_blocks, real_pages, session_of

from scrapy_semtext.labeling.session import LabelFile, LabelsError
from scrapy_semtext.site.labeled_pages import LabeledPair
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


def test_labels_are_saved_and_taken_up_again(path: Path) -> None:
    session = session_of(path, PAGES)
    first = session.entries[0].url
    session.save(0, values_of(session.open(0).labeled, turned=2, done=True))
    session.save(1, values_of(session.open(1).labeled, turned=0) | {"pairs": [asdict(LabeledPair("Why?", "So."))]})
    assert (session.done, [entry.corrected for entry in session.entries]) == (1, [1, 1, 0])
    assert labels_in(path)[first].blocks[2].by == "person"
    assert [page.pairs for page in labels_in(path).values()] == [None, [LabeledPair("Why?", "So.")]]

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
        ({"pairs": [{"question": "Why?"}]}, "'pairs' has to be null or a list of questions with answers: "),
    ],
)
def test_labels_that_do_not_fit_are_refused(path: Path, change: dict[str, Any], message: str) -> None:
    session = session_of(path, [("http://a/", "<h1>One</h1><p>Two.")])
    with pytest.raises(LabelsError) as raised:
        session.save(0, {**values_of(session.open(0).labeled), **change})
    assert str(raised.value).startswith(message)
    assert len(LabelFile(path)) == 0
