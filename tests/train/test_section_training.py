"""From pages to lines with roles for training, disguised headings, and the resulting models and scores."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("lightgbm")


from scrapy_semtext.cli import main
from scrapy_semtext.read.sections import load_section_models
from scrapy_semtext.train.datasets import AnnotatedPage
from scrapy_semtext.train.sections import MISCELLANY, PROSE, TITLE, UNKNOWN, section_examples

if TYPE_CHECKING:
    from pathlib import Path


FIRST = "A dull knife slips off what it should cut, and that is how most people come to be hurt in kitchens."
SECOND = "Put the stone on a wet towel, and draw the blade over it at the angle of a match box, again and again."


def page(number: int = 0) -> AnnotatedPage:
    text = f"How to sharpen a knife\nBy Ann\n{FIRST}\nWhat you need\na stone\na towel\nThe stone\n{SECOND}"
    html = f"""<title>Knives</title><ul class="nav"><li><a href="/">Home</a><li><a href="/knives">Knives</a></ul>
    <article><h1>How to sharpen a knife</h1><p class="byline">By Ann</p><p>{FIRST}</p><h2>What you need</h2>
    <ul><li>a stone</li><li>a towel</li></ul><h2>The stone</h2><p>{SECOND}</p><p><b>Bold</b></p><p>{FIRST}</p></article>
    <footer><p>All rights reserved by shop {number}.</p></footer>"""
    text = f"{text}\nBold\n{FIRST}"
    return AnnotatedPage(f"p{number}", "wcxb_dev", None, "article", "en", html, text, f"site{number}.example")


def test_roles_follow_the_tags_and_are_kept_when_headings_are_disguised() -> None:
    shown, disguised = section_examples(page(), seed=1)
    expected = [TITLE, MISCELLANY, PROSE, TITLE, PROSE, PROSE, TITLE, PROSE, UNKNOWN, PROSE]
    assert shown.roles.tolist() == [UNKNOWN, UNKNOWN, *expected, UNKNOWN]
    assert disguised.roles.tolist() == shown.roles.tolist()
    assert shown.relevant.tolist() == disguised.relevant.tolist() == [False, False, *[True] * 10, False]
    assert not shown.disguised
    assert disguised.disguised
    assert (shown.rows != disguised.rows).any()


@pytest.mark.slow
def test_the_command_trains_models_on_pages_that_may_be_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows: list[dict[str, Any]] = [
        {"id": one.id, "dataset": one.dataset, "url": f"https://{one.domain}/", "html": one.html, "text": one.text}
        for one in map(page, range(40))
    ]
    data = tmp_path / "wcxb_dev.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["dev", "train", "sections", str(data), "--out", str(tmp_path / "bundle")]) == 0
    record = json.loads(capsys.readouterr().out)
    assert load_section_models(tmp_path / "bundle").training == record
    assert record["pages"]["training"]["wcxb_dev"] + record["pages"]["test"]["wcxb_dev"] == 40
    assert set(record["scores"]) == {"as they are", "headings disguised"}


def test_the_command_says_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "other.jsonl"
    data.write_text(json.dumps({"id": "1", "html": "<p>x</p>", "text": "x"}) + "\n")
    assert main(["dev", "train", "sections", str(data), "--out", str(tmp_path / "bundle")]) == 1
    assert "--any-licence" in capsys.readouterr().err
