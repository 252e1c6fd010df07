"""The measure on CleanEval, on pages made up in its shape."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("torch")


from research.web2text_cleaneval import SPLITS, WAYS, Counts, label_units, main, read_corpus, word_labels
from scrapy_semtext.training.datasets import read_pages

if TYPE_CHECKING:
    from pathlib import Path

MENU = "<ul><li><a href=/>Home</a><li><a href=/a>About us</a></ul>"


@pytest.fixture
def sets(tmp_path: Path) -> tuple[Path, Path]:
    """Twelve development pages and nine final ones: one is a development page too, one has no truth."""
    rows = []
    for number in range(20):
        story = [f"Sentence {line} of story {number} tells what happened, <b>at length</b>." for line in range(4)]
        html = f"{MENU}<h1>Story {number}</h1>" + "".join(f"<p>{text}</p>" for text in story)
        text = "\n".join([f"Story {number}", *story]).replace("<b>", "").replace("</b>", "")
        rows.append(
            {"id": str(number), "dataset": "cleaneval", "url": f"http://s{number}.example/", "html": html, "text": text}
        )
    rows[19]["text"] = ""
    paths = tmp_path / "dev.jsonl", tmp_path / "final.jsonl"
    for path, part in zip(paths, (rows[:12], [rows[3], *rows[12:]]), strict=True):
        path.write_text("".join(json.dumps(row) + "\n" for row in part), encoding="utf-8")
    return paths


def test_no_page_is_on_two_sides(sets: tuple[Path, Path]) -> None:
    corpus = read_corpus(*sets)
    assert len(corpus.pages) == 20
    for split in SPLITS:
        learn, stop, test = corpus.sample(split, seed=1)
        assert not {*learn} & {*stop}
        assert not {*learn, *stop} & {*test}
        assert all(corpus.pages[name].text for name in (*learn, *stop)), "an empty truth teaches nothing"
        assert (learn, stop, test) == corpus.sample(split, seed=1)
    learn, stop, test = corpus.sample("original", seed=2)
    assert {*test} == corpus.final == {f"final-{number}" for number in range(12, 20)}
    assert (len(learn), len(stop)) == (7, 5)


def test_a_page_s_units(sets: tuple[Path, Path]) -> None:
    page = label_units(next(read_pages(sets[0])))
    assert page is not None
    assert page.truth["aligned"] == page.truth["words"] == [False, True, True]
    assert page.truth["leaves"] == [False] * 2 + [True] * 13, "a paragraph has three text nodes"
    assert [*page.blocks["leaves"]] == [0] * 2 + [1] + [2] * 12


def test_words_are_aligned_in_order() -> None:
    assert word_labels(["menu", "a b c", "a x y", ""], "a b c") == [False, True, False, False]


def test_counts() -> None:
    counts = Counts()
    counts.add([True, True, False, False], [True, False, True, False])
    counts.add([True], [True])
    assert counts.scores() == pytest.approx((3 / 5, 2 / 3, 2 / 3, 2 / 3))
    assert Counts().scores() == (0, 0, 0, 0)


@pytest.mark.slow
def test_the_command(sets: tuple[Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    development, final = map(str, sets)
    assert main([development, final, "--seeds", "1", "--iterations", "60"]) == 0
    captured = capsys.readouterr()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in captured.out.splitlines()]
    assert [row[:2] for row in rows[2:]] == [[split, way] for split in SPLITS for way in WAYS]
    assert all(float(row[5]) > 90 for row in rows[2:]), "such pages are easy"
    assert "original: 7 pages to learn from, 5 to stop by, 8 to measure" in captured.err
    assert main([development, str(tmp_path / "none.jsonl")]) == 1
    assert "cannot be read" in capsys.readouterr().err
