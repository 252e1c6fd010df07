"""Scores of pairs and posts."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from research import pair_rows, peer_posts
from research.pair_scoring import is_question_right, tree_f1
from scrapy_semtext import QAPair
from scrapy_semtext.train.posts import PairPage

_ANSWERS = ["Glue it with resin.", "Which resin holds?", "The grey one does.", "Buy a new kettle."]
_PAGE = PairPage(
    "t", "posts", "thread", "e", "f.example", None, "webforum52", "", ["It leaks a lot.", *_ANSWERS], None, "",
    shippable=True, title="Kettle leaks", opening="It leaks a lot.", parents=[-1, 0, 1, -1],
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Kettle leaks\nIt leaks a lot.", True),
        ("Kettle leaks", True),
        ("It leaks a lot.", True),
        ("Kettle leaks\nGlue it with resin.", False),
    ],
)
def test_title_or_opening_post_or_both_are_the_question(question: str, right: bool) -> None:
    assert is_question_right([QAPair(question, "So.")], _PAGE, None) is right


def _pairs(*answer_to: int | None) -> list[QAPair]:
    return [QAPair("?", text, answer_to=to) for text, to in zip(_ANSWERS, answer_to, strict=False)]


@pytest.mark.parametrize(
    ("pairs", "f1"),
    [
        (_pairs(None, 1, 2, None), 1.0),
        (_pairs(None, None, None, None), 0.5),
        (_pairs(None, 1, 2), 6 / 7),
        ([], 0.0),
        ([QAPair("?", "Something else."), *_pairs(None, 2, 3, None)], 8 / 9),
    ],
)
def test_f1_of_answers_with_what_they_answer(pairs: list[QAPair], f1: float) -> None:
    assert tree_f1(pairs, _PAGE) == pytest.approx(f1)


def test_rows_are_scored_by_engine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pair = {"question": "Why does it leak?", "answer": "Because the seal is worn."}
    page: dict[str, Any] = {"html": "<p>x</p>", "main_text": "x", "kind": "thread", "engine": "own"}
    page |= {"question": {"title": pair["question"]}, "answers": [{"text": pair["answer"]}]}
    data, rows = tmp_path / "data.jsonl", tmp_path / "rows.jsonl"
    data.write_text("\n".join(json.dumps({"id": name, "url": f"https://{name}.example/", **page}) for name in "ab"))
    rows.write_text(json.dumps({"id": "a", "qa_pairs": [{**pair, "score": 0.9}]}))
    pair_rows.main([str(data), str(rows)])
    assert capsys.readouterr().out.splitlines()[1].split() == ["all", "2", "50.0", "50.0", "50.0"]


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
