from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("lightgbm")

from research.true_records import records_of_lines, with_records
from scrapy_semtext.read.records import load_record_models, save_record_models
from scrapy_semtext.train.datasets import AnnotatedPage
from scrapy_semtext.train.fit import read_examples
from scrapy_semtext.train.records import TrueRecord, fit_records, record_examples, true_records

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("Apples", "Pears", "Plums", "Cherries", "Berries", "Quinces")
URL = "https://example.com/fruit/"


def page(html: str, text: str, number: int = 0) -> AnnotatedPage:
    return AnnotatedPage(f"p{number}", "set", URL, "listing", "en", html, text, f"site{number}.com")


def fruit(
    number: int = 0, rows: str = "<li><h3><a href={name}>The {name} of spring</a></h3><p>Sweet {name}.</p>"
) -> AnnotatedPage:
    html = "<nav>" + "".join(f"<a href=/{i}>Section number {i}</a>" for i in range(5)) + "</nav><ul>"
    html += "".join(rows.format(name=name) for name in NAMES) + "</ul>"
    text = "\n".join(f"The {name} of spring\nSweet {name}." for name in NAMES)
    return page(html, text, number)


def test_titles_are_links_whose_text_is_a_line_of_the_truth() -> None:
    found = records_of_lines(fruit())
    assert found[0] == TrueRecord("the apples of spring", "https://example.com/fruit/Apples")
    assert len(found) == 6


def test_a_list_that_is_not_in_the_truth_gives_none() -> None:
    assert records_of_lines(page(fruit().html, "Something else\nThe Apples of spring\nThe Plums of spring")) == []


def test_records_that_a_set_states_are_taken_as_they_are_or_counted() -> None:
    stated = replace(fruit(), page_type="other", extra={"records": [{"title": "The Plums!", "url": f"{URL}Plums#top"}]})
    assert true_records(stated) == [TrueRecord("the plums", f"{URL}Plums")]
    cells = [["The Apples of spring", "Sweet Apples."]]
    row = with_records(replace(fruit(), extra={"records": 6 * cells}), frozenset())
    assert row is not None
    assert len(row["extra"]["records"]) == 6
    assert with_records(replace(fruit(), extra={"records": 9 * cells}), frozenset()) is None


def test_pages_whose_ids_are_listed_state_the_records_of_their_lines() -> None:
    assert with_records(fruit(), frozenset()) is None
    row = with_records(fruit(), frozenset(["p0"]))
    assert row is not None
    assert true_records(AnnotatedPage(**row, domain="site0.com")) == records_of_lines(fruit())


def test_models_are_fitted_stored_and_measured(tmp_path: Path) -> None:
    rows = "<a href={name}><b>New</b> <h3>The {name} of spring</h3><p>Sweet {name}.</p></a>"
    pages = [fruit(number, rows) for number in range(30)]
    stated = [replace(each, extra={"records": [*map(TrueRecord._asdict, records_of_lines(each))]}) for each in pages]
    examples = read_examples(stated, record_examples)
    models = fit_records(examples)
    (column,) = models.main_columns(examples[0].lists)
    assert [member.text for member in column.members] == [f"The {name} of spring" for name in NAMES]
    save_record_models(tmp_path, models)
    loaded = load_record_models(tmp_path)
    assert [each.members for each in loaded.main_columns(examples[0].lists)] == [column.members]
