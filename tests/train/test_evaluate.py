from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import pytest

from scrapy_semtext import Extractor, Page, Source
from scrapy_semtext.cli import main
from scrapy_semtext.train.corpus import word_prf
from scrapy_semtext.train.datasets import split_side
from scrapy_semtext.train.evaluate import evaluate

if TYPE_CHECKING:
    from pathlib import Path


def write_pages(path: Path, domains: list[str]) -> None:
    with path.open("w") as out:
        for domain in domains:
            row = {"id": domain, "dataset": "wcxb_dev", "url": f"https://{domain}/", "page_type": "article"}
            out.write(
                json.dumps(row | {"lang": None, "html": f"<p>{domain}</p>", "text": "one two", "extra": {}}) + "\n"
            )


class FirstFails:
    """Returns three words of every page, but fails on the first of each batch."""

    def read_many(self, sources: list[Source]) -> list[Page | Exception]:
        return [RuntimeError("no"), *(Page(main_text="one two three") for _ in sources[1:])]


def test_the_score_is_the_mean_over_the_pages_of_a_side_and_failures_count(tmp_path: Path) -> None:
    domains = [f"site{number}.com" for number in range(40)]
    kept_out = [domain for domain in domains if split_side(domain) == "test"]
    assert 0 < len(kept_out) < 16  # one batch
    write_pages(tmp_path / "pages.jsonl", domains)
    extractor = cast("Extractor", FirstFails())
    found = evaluate([tmp_path / "pages.jsonl"], extractor, progress=False)
    f1 = 2 * 2 / (3 + 2)  # "one two three" against "one two"
    assert found["all"] == found["article"]
    assert found["all"]["pages"] == len(kept_out)
    assert found["all"]["f1"] == pytest.approx((len(kept_out) - 1) * f1 / len(kept_out))
    assert evaluate([tmp_path / "pages.jsonl"], extractor, folds=(), progress=False)["all"]["pages"] == 40


def test_scores_by_language(tmp_path: Path) -> None:
    with (tmp_path / "pages.jsonl").open("w") as out:
        for number, lang in enumerate(("pl", "el", "pl")):
            row = {
                "id": str(number),
                "url": f"https://site{number}.com/",
                "lang": lang,
                "html": "<p>x</p>",
                "text": "one",
            }
            out.write(json.dumps(row) + "\n")
    extractor = cast("Extractor", FirstFails())
    found = evaluate([tmp_path / "pages.jsonl"], extractor, folds=(), by="lang", progress=False)
    assert {name: group["pages"] for name, group in found.items()} == {"all": 3, "pl": 2, "el": 1}
    assert found["pl"]["errors"] == 1
    assert found["el"]["f1"] == pytest.approx(0.5)  # one word of three


def test_a_set_that_gives_no_page_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pages.jsonl"
    used = next(domain for domain in map("site{}.com".format, range(40)) if split_side(domain) != "test")
    write_pages(path, [used])
    assert main(["dev", "evaluate", str(path)]) == 1
    message = capsys.readouterr()
    assert f"Nothing of {path} was measured: all its domains may have been used" in message.err
    path.write_text('{"id": 1, "url": "https://site.com/", "html": "<p>x", "done": false, "blocks": []}\n')
    assert main(["dev", "evaluate", str(path), "--all-domains"]) == 1
    assert "it has no pages (those of `semtext label` have to be marked as done)" in capsys.readouterr().err
    assert message.out == ""


def test_word_prf_counts_each_word_as_often_as_both_texts_have_it() -> None:
    # the(2) cat sat on mat | the cat sat(2): three words in common of six and of four
    score = word_prf("The cat sat on the mat.", "the cat sat; sat")
    assert score == pytest.approx((3 / 6, 3 / 4, 0.6))
