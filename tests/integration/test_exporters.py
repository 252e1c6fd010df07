"""Feed formats: the output of a crawl for items that contain pairs, and for items that are pairs."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from crawling import URL, crawl, page_with

from scrapy_semtext import QAPair
from scrapy_semtext.exporters import MessagesExporter, QAExporter
from scrapy_semtext.read.pair_rows import COLUMNS

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.crawl, pytest.mark.slow]

PAIRS = [
    QAPair(
        "Crust\nWhy does it crack?",
        "Too dry: use a List<Steam> & wait.",
        question_title="Crust",
        question_body="Why does it crack?",
        author="Mia",
        date="2024-05-01",
        votes=3,
        accepted=False,
        source="markup",
        score=1.0,
    ),
    QAPair(
        "Crust\nWhy does it crack?",
        "Score it </script> first.\nThen bake.",
        question_title="Crust",
        question_body="Why does it crack?",
        votes=-1,
        accepted=True,
        source="markup",
        score=1.0,
    ),
    QAPair("Wie lange?", "Vierzig Minuten, nicht länger.", score=0.75),
]
SITE = {URL: page_with(*PAIRS)}
ITEM_PER_PAIR = [{}, {"SEMTEXT_QA": {"item_per_pair": True}}]


def export(format_: str, tmp_path: Path, settings: dict[str, Any] | None = None, **feed: Any) -> bytes:
    """Crawl the site into one feed, and return its content."""
    path = tmp_path / "feed"
    crawl(SITE, settings={"FEEDS": {path: {"format": format_, "encoding": "utf8", **feed}}, **(settings or {})})
    return path.read_bytes()


def lines(feed: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in feed.decode().splitlines()]


@pytest.mark.parametrize("settings", ITEM_PER_PAIR, ids=["items", "item per pair"])
def test_messages_for_chat_models(settings: dict[str, Any], tmp_path: Path) -> None:
    rows = lines(export("semtext-messages", tmp_path, settings))
    assert rows[2] == {
        "messages": [
            {"role": "user", "content": "Wie lange?"},
            {"role": "assistant", "content": "Vierzig Minuten, nicht länger."},
        ],
        "metadata": {
            "url": URL,
            "id": rows[2]["metadata"]["id"],
            "date": "",
            "author": "",
            "licence": "",
            "score": 0.75,
            "site": "site.test",
        },
    }
    assert len({row["metadata"]["id"] for row in rows}) == len(PAIRS)
    assert (rows[0]["metadata"]["author"], rows[0]["metadata"]["date"]) == ("Mia", "2024-05-01T00:00:00.000")
    assert [row["messages"][0]["content"] for row in rows] == [pair.question for pair in PAIRS]


@pytest.mark.smoke
def test_messages_alone(tmp_path: Path) -> None:
    assert list(lines(export("semtext-messages", tmp_path, item_export_kwargs={"metadata": False}))[0]) == ["messages"]


def test_the_format_of_sharegpt(tmp_path: Path) -> None:
    options = {"item_export_kwargs": {"system": "You bake."}}
    row = lines(export("semtext-sharegpt", tmp_path, **options))[2]
    assert row["conversations"] == [
        {"from": "system", "value": "You bake."},
        {"from": "human", "value": "Wie lange?"},
        {"from": "gpt", "value": "Vierzig Minuten, nicht länger."},
    ]


THREAD = [
    QAPair("It leaks.", "Glue it."),
    QAPair("It leaks.", "Which glue?", answer_to=1, depth=2),
    QAPair("It leaks.", "Any.", answer_to=2, depth=3),
    QAPair("It leaks.", "Buy a new one."),
]
DIALOGUES = {"format": "semtext-messages", "item_export_kwargs": {"dialogues": True}}


def turns(path: Path) -> list[list[tuple[str, str]]]:
    rows = lines(path.read_bytes())
    return [[(message["role"], message["content"]) for message in row["messages"]] for row in rows]


def test_messages_of_dialogues(tmp_path: Path) -> None:
    feed = {**DIALOGUES, "item_export_kwargs": {"dialogues": True, "system": "You repair."}}
    crawl({URL: page_with(*THREAD)}, settings={"FEEDS": {tmp_path / "feed": feed}})
    assert turns(tmp_path / "feed") == [
        [
            ("system", "You repair."),
            ("user", "It leaks."),
            ("assistant", "Glue it."),
            ("user", "Which glue?"),
            ("assistant", "Any."),
        ],
        [("system", "You repair."), ("user", "It leaks."), ("assistant", "Buy a new one.")],
    ]


@pytest.mark.parametrize("settings", ITEM_PER_PAIR, ids=["items", "item per pair"])
def test_questions_and_answers_with_all_that_is_known(settings: dict[str, Any], tmp_path: Path) -> None:
    rows = lines(export("semtext-qa", tmp_path, settings))
    assert [tuple(row) for row in rows] == [COLUMNS] * 3
    assert rows[2] | {"title": "Bread", "url": URL} == rows[2]
    assert (rows[1]["votes"], rows[1]["accepted"], rows[2]["votes"], rows[2]["score"]) == (-1, True, 0, 0.75)
    assert [row["position"] for row in rows] == [1, 2, 3] if settings else True


def test_columns_can_be_chosen_and_renamed(tmp_path: Path) -> None:
    feed = export("semtext-qa", tmp_path, fields={"question": "prompt", "answer": "completion"})
    assert lines(feed)[2] == {"prompt": "Wie lange?", "completion": "Vierzig Minuten, nicht länger."}


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(TypeError, match="sytem"):
        MessagesExporter(io.BytesIO(), sytem="You bake.")


@pytest.mark.smoke
@pytest.mark.parametrize("kind", [MessagesExporter, QAExporter])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", None])
def test_characters_that_an_encoding_has_not_are_escaped(kind: Any, encoding: str | None) -> None:
    file, text = io.BytesIO(), "half \ud83d, whole \U0001f35e, \u20ac"
    exporter = kind(file, encoding=encoding)
    exporter.start_exporting()
    exporter.export_item({"question": text, "answer": text})
    exporter.finish_exporting()
    assert text in json.dumps(json.loads(file.getvalue()), ensure_ascii=False)


@dataclass
class Bare:
    qa_pairs: list[QAPair] = field(init=False)
    question: str = ""


@pytest.mark.parametrize("item", [{}, {"qa_pairs": None}, {"question": "Why?"}, {"qa_pairs": []}, Bare(), "text"])
def test_items_without_pairs_leave_no_trace(item: Any) -> None:
    file = io.BytesIO()
    QAExporter(file).export_item(item)
    assert file.getvalue() == b""
