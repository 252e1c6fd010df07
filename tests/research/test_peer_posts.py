"""Posts by other packages: what is scored, and that a failing or missing package does not stop the run."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from research import peer_posts

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_semtext.train.posts import PairPage

QUESTION = "Where does the water of the old kettle go at night?"
ANSWERS = ["It goes into the ground below the house, slowly.", "Mine stays where it is, look at the lid again."]


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    question = {"title": "Kettle", "body": QUESTION, "author": "anna"}
    row = {
        "id": "1", "engine": "made", "kind": "thread", "url": "https://forum.example/1", "html": "<p>x</p>",
        "main_text": "x", "question": question, "answers": [{"text": text} for text in ANSWERS],
    }  # fmt: skip
    path = tmp_path / "pages.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return path


def test_posts_and_their_words_are_scored(
    pages: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(page: PairPage) -> list[str]:
        raise RuntimeError(page.id)

    readers = {
        "scrapy": lambda _: [QUESTION, ANSWERS[1]],
        "lxml": lambda _: "\n".join([QUESTION, *ANSWERS]),
        "numpy": fails,
        "no-such-package": lambda _: [],
    }
    monkeypatch.setattr(peer_posts, "PACKAGES", {name: lambda read=read: read for name, read in readers.items()})
    monkeypatch.setattr(sys, "argv", ["peer_posts", str(pages)])
    assert peer_posts.main() == 0
    printed = capsys.readouterr()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in printed.out.splitlines()[2:]]
    assert [(row[0].split()[0], *row[1:]) for row in rows] == [
        ("scrapy", "made, thread (1)", "80.0", "82.4", "0"),
        ("lxml", "made, thread (1)", "", "100.0", "0"),
        ("numpy", "made, thread (1)", "0.0", "0.0", "1"),
    ]
    assert "no-such-package is left out" in printed.err
