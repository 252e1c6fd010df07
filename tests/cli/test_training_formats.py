"""Conversations, pairs and chunks as training data: the same formats and options from `batch`, `warc` and `crawl`."""

from __future__ import annotations

import io
import json
from dataclasses import asdict
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from archiving import write_archive
from commanding import ARTICLE, FAQ, install

from scrapy_semtext import QAPair
from scrapy_semtext.cli import build_parser, main
from scrapy_semtext.cli.row_files import PairChoice, Target, row_writer, target_of
from scrapy_semtext.utils.cells import typed_row

FORMATS = ["messages", "sharegpt", "qa", "chunks"]
FULL = QAPair(
    "Wie lange?", "Vierzig Minuten.", "Wie lange?", author="Mia", date="2024-05-01", votes=3, accepted=True, answer_to=1
)


def page(*pairs: QAPair, **values: Any) -> dict[str, Any]:
    return {"url": "https://www.site.test/a", "title": None, "qa_pairs": [asdict(pair) for pair in pairs], **values}


#: Pages that state little, and one that states all: whatever stands in a file, its columns have the same types.
PAGES = [
    page(QAPair("Why?", "So."), url=None, id=3, chunks=[{"text": "Bread.", "headings": [], "url": None}]),
    page(
        FULL,
        id="b",
        title="Bread",
        published="2024-05-01",
        language="de",
        details={"license": "CC0"},
        chunks=[
            {"text": "Bread.", "headings": ["Bread"], "url": "https://www.site.test/a#b", "position": 0, "size": 1}
        ],
    ),
    page(QAPair("Why?", "So.", date="gestern")),
]


def written(form: str, pages: list[dict[str, Any]], **chat: Any) -> bytes:
    rows = {"qa": "pairs", "chunks": "chunks"}.get(form, "pages")
    file = io.BytesIO()
    writer = row_writer(file, Target("", "jsonl" if rows != "pages" else form, rows, chat), ["id"])
    writer.add(pages)
    writer.close()
    return file.getvalue()


@pytest.mark.parametrize("form", FORMATS[:2])
def test_the_asker_is_not_the_assistant_unless_wanted(form: str) -> None:
    thread = page(
        *(QAPair("It leaks.", f"{name} says.", author=name, question_author="Mia") for name in ("Ben", "Mia"))
    )
    assert [b"Mia says." in line for line in written(form, [thread]).splitlines()] == [False]
    assert [b"Mia says." in line for line in written(form, [thread], keep_asker=True).splitlines()] == [False, True]


@pytest.mark.parametrize("form", FORMATS)
def test_files_have_columns_of_the_same_types_whatever_pages_state(form: str) -> None:
    reader: Any = pytest.importorskip("pyarrow.json")
    files = [data for each in PAGES if (data := written(form, [each]))]
    schemas = [reader.read_json(io.BytesIO(data)).schema for data in files]
    assert len(schemas) >= 2
    assert all(one.equals(other) for one, other in permutations(schemas, 2))
    assert "null" not in str(schemas[0])
    assert "timestamp" not in str(schemas[0])


@pytest.mark.parametrize(
    ("date", "typed"),
    [
        ("2024-05-01", "2024-05-01T00:00:00.000"),
        ("2024-05-01 10:20", "2024-05-01T10:20:00.000"),
        ("2024-05-01T10:20:30Z", "2024-05-01T10:20:30.000Z"),
        ("2024-05-01T10:20:30+0200", "2024-05-01T10:20:30.000+0200"),
        ("2024-05-01T10:20:30.5Z", "2024-05-01T10:20:30.5Z"),
        ("1. Mai 2024", "1. Mai 2024"),
        (None, ""),
    ],
)
def test_dates_stay_texts(date: str | None, typed: str) -> None:
    kinds = {"date": "string", "answer": "string"}
    assert typed_row({"date": date, "answer": "2024-05-01"}, kinds) == {"date": typed, "answer": "2024-05-01"}


def test_a_pair_has_the_same_id_date_and_licence_in_all_formats() -> None:
    answered = page(QAPair("Why?", "So."), published="2024-05-01", details={"license": "CC0"})
    row, chat = (json.loads(written(form, [answered])) for form in ("qa", "messages"))
    about = chat["metadata"]
    assert (row["id"], row["page_date"], row["licence"]) == (about["id"], about["date"], about["licence"])
    assert (row["date"], row["page_date"], row["licence"]) == ("", "2024-05-01T00:00:00.000", "CC0")


def test_the_id_of_a_chunk_is_that_of_its_text_on_its_page() -> None:
    def ids(*texts: str, url: str = "https://site.test/a") -> list[str]:
        chunks = [{"text": text, "headings": [], "url": f"{url}#part"} for text in texts]
        lines = written("chunks", [{"url": url, "chunks": chunks}]).splitlines()
        return [json.loads(line)["chunk_id"] for line in lines]

    before = ids("one", "two", "one")
    assert len(set(before)) == 3
    assert ids("new", "one", "two")[1:] == before[:2]
    assert ids("one", url="https://site.test/b") != before[:1]


def choice(*options: str, templates: bool = False) -> PairChoice:
    arguments = build_parser().parse_args(["batch", "IN", "OUT", *options])
    return PairChoice(arguments, target_of(arguments), templates=templates)


LONG = "Knead the dough for ten minutes, then let it rest in a cold place until the next morning."
THREAD = page(
    QAPair("How do I bake bread at home?", LONG, score=0.9, accepted=True),
    QAPair("How do I bake bread at home?", "Buy it.", answer_to=1, depth=2, score=0.6),
    QAPair("How do I bake bread at home?", LONG + ".", answer_to=2, depth=3, score=0.4),
)


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ([], [0, 1, 2]),
        (["--min-score", "0.5"], [0, 1]),
        (["--min-answer", "20"], [0, 2]),
        (["--accepted-only"], [0]),
        (["--dedup"], [0, 1]),
        (["--language", "en"], [0, 1, 2]),
        (["--language", "de,fr"], []),
    ],
)
def test_pairs_are_chosen(options: list[str], kept: list[int]) -> None:
    pairs = THREAD["qa_pairs"]
    chosen = choice(*options)
    found = chosen.of(THREAD)["qa_pairs"]
    assert [pair["answer"] for pair in found] == [pairs[place]["answer"] for place in kept]
    assert chosen.left_out.total() == len(pairs) - len(kept)
    if kept == [0, 2]:
        assert found[1]["answer_to"] == 1  # the nearest answer above that is left


@pytest.mark.parametrize(("templates", "kept", "warning"), [(False, 2, "will be removed"), (True, 6, "has no effect")])
def test_the_old_limit_of_questions_warns(
    capsys: pytest.CaptureFixture[str], templates: bool, kept: int, warning: str
) -> None:
    chosen = choice("--to", "qa", "--max-questions", "2", templates=templates)
    pages = [page(QAPair(f"Question {number}?", LONG), url=f"https://a.test/{number}") for number in range(6)]
    assert sum(len(chosen.of(each)["qa_pairs"]) for each in pages) == kept
    assert f"--max-questions {warning}" in capsys.readouterr().err


def test_questions_that_nobody_answered() -> None:
    asked = page(title="It leaks", main_text="It leaks\nWhat do I do?", page_kind="forum")
    (pair,) = choice("--unanswered").of(asked)["qa_pairs"]
    assert (pair["question"], pair["answer"], pair["score"]) == ("It leaks\nWhat do I do?", "", 0.0)
    (line,) = written("messages", [{**asked, "qa_pairs": [pair]}]).splitlines()
    assert [message["role"] for message in json.loads(line)["messages"]] == ["user"]
    assert choice("--unanswered").of({**asked, "page_kind": "article"})["qa_pairs"] == []
    assert choice().of(asked)["qa_pairs"] == []


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pages in in.jsonl and in.warc.gz, processed by a model without weights."""
    install(monkeypatch)
    monkeypatch.chdir(tmp_path)
    pages = [("https://site.test/bread", ARTICLE), ("https://site.test/faq", FAQ)]
    Path("in.jsonl").write_text("\n".join(json.dumps({"url": url, "html": html}) for url, html in pages))
    write_archive(Path("in.warc.gz"), pages)
    return tmp_path


@pytest.mark.smoke
@pytest.mark.parametrize("form", ["messages", "sharegpt", "qa"])
def test_batch_writes_what_crawl_does(form: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["batch", "in.jsonl", "out.jsonl", "--to", form, "--min-answer", "20"]) == 0
    text = Path("out.jsonl").read_text()
    assert "than anybody" in text
    assert "Because" not in text
    assert "2 pages, 0 of them with an error, 1 pair left out (1 by answer short), in" in capsys.readouterr().err


def test_batch_into_a_folder_of_markdown(folder: Path) -> None:
    assert main(["batch", "in.jsonl", "out", "--to", "markdown-folder"]) == 0
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["site-test-bread.md", "site-test-faq.md"]
    assert (folder / "out" / "site-test-bread.md").read_text().startswith('---\nurl: "https://site.test/bread"\n')
    assert not (folder / "out.part").exists()


@pytest.mark.parametrize("command", ["batch", "crawl"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--to", "csv", "--system", "You bake."],
            "--system requires conversations: --to messages, sharegpt.",
        ),
        (["--to", "qa", "--dialogues"], "--dialogues requires conversations: --to messages, sharegpt."),
        (["--to", "qa", "--keep-asker"], "--keep-asker requires conversations: --to messages, sharegpt."),
        (["--to", "chunks", "--min-score", "0.5"], "--min-score selects pairs, and there are none in chunks."),
        (["--to", "messages", "--rows", "pairs"], "--rows requires a file of rows (jsonl, csv, parquet)"),
        (["--to", "jsonl", "--dedup", "--language", "en"], "--dedup and --language would choose pairs, but"),
        (["--to", "csv", "--language", "en"], "--language would choose pairs, but"),
        (["--to", "qa", "--min-score", "5"], "min_score is 5.0; it has to be a number from 0 to 1."),
        (["--to", "qa", "--language", "english"], "languages"),
        (["--to", "qa", "--language", "zz"], "the language 'zz' cannot be detected"),
    ],
)
def test_what_does_not_go_together_is_told(
    command: str, options: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {
        "batch": ["in.jsonl", "out.jsonl"],
        "crawl": ["http://site.test/", "-o", "out.jsonl"],
    }
    assert main([command, *given[command], *options]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_conversations_are_not_written_to_a_file_named_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["batch", "in.jsonl", "chat.csv.gz", "--to", "messages"]) == 1
    assert "--to messages does not write csv: give chat.csv.gz an ending such as .jsonl" in capsys.readouterr().err


def test_parquet_without_pyarrow_is_told_before_pages_are_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("scrapy_semtext.utils.extras.find_spec", lambda _: None)
    assert main(["batch", "in.jsonl", "out.parquet"]) == 1
    assert "Parquet cannot be written: pyarrow is not installed: pip install" in capsys.readouterr().err
    assert not (folder / "out.parquet.part").exists()
