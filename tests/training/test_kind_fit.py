"""Models of kinds of page: fitting, files, and what is measured."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from kind_pages import article, listing, product

from scrapy_semtext.cli import main
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.inference.storage import BundleError
from scrapy_semtext.page_kinds.model import (
    KINDS,
    OVERVIEWS,
    KindModel,
    load_kinds,
    probabilities_of,
    require_kinds,
    save_kinds,
)
from scrapy_semtext.training.datasets import AnnotatedPage

pytest.importorskip("lightgbm")

from scrapy_semtext.training.kind_fit import (
    KindPredictions,
    best_length,
    fit_kinds,
    frequency_offsets,
    kind_example,
    kind_examples,
    kind_tables,
    overview_f1s,
    overview_threshold,
)

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

MADE = {"article": article, "listing": listing, "product": product}


def made(kind: str, number: int) -> AnnotatedPage:
    return AnnotatedPage(
        id=f"{kind}{number}",
        dataset="wcxb_dev",
        url=f"https://{kind}{number}.example/news/{number}",
        page_type=kind,
        lang="en",
        html=f"<html>{MADE[kind](number)}</html>",
        text="",
        domain=f"{kind}{number}.example",
    )


@pytest.fixture(scope="module")
def fitted() -> KindModel:
    pages = [made(kind, number) for kind in MADE for number in range(40)]
    return fit_kinds(kind_examples(pages), rounds=20, inner_folds=2)


def test_a_fitted_model_tells_kinds(fitted: KindModel) -> None:
    for kind in MADE:
        page = made(kind, 77)
        found = fitted.read(describe(page.html, page.url))
        assert found is not None
        assert found.kind == kind
        assert found.probability > 0.5
        assert found.is_overview == (kind in OVERVIEWS) == (found.overview_probability >= fitted.threshold)
        (probabilities,) = fitted.probabilities([describe(page.html, page.url)])
        assert probabilities is not None
        assert fitted.likeliest(probabilities, threshold=0).kind in OVERVIEWS, (
            "the kind agrees with the page being an overview"
        )
    assert fitted.read(describe("", None)) is None


def test_probabilities_sum_to_one(fitted: KindModel) -> None:
    found, none = fitted.probabilities([describe(article(5), None), describe("", None)])
    assert none is None
    assert found is not None
    assert found.shape == (len(KINDS),)
    assert found.sum() == pytest.approx(1)


def test_pages_of_other_kinds_are_not_learned_from() -> None:
    page = made("article", 1)
    other = {name: getattr(page, name) for name in page.__slots__}
    assert kind_example(page) is not None
    assert kind_example(AnnotatedPage(**(other | {"page_type": "faq"}))) is None
    assert kind_example(AnnotatedPage(**(other | {"html": ""}))) is None
    with pytest.raises(ValueError, match="no pages"):
        fit_kinds([])


def test_news_are_articles_and_questions_are_forum_pages() -> None:
    page = made("article", 1)
    kinds = {"news": "article", "thread": "forum", "qa": "forum"}
    found = {name: kind_example(replace(page, page_type=name)) for name in kinds}
    assert {name: example and KINDS[example.kind] for name, example in found.items()} == kinds


@pytest.mark.slow
def test_sets_without_overviews_do_not_make_overviews_rarer() -> None:
    news = [replace(made("article", number), dataset="news", page_type="news") for number in range(100, 400)]
    pages = [made(kind, number) for kind in MADE for number in range(40)]
    model = fit_kinds(kind_examples(pages + news), rounds=3, inner_folds=2)
    (likely,) = model.probabilities([describe(listing(7), "https://other.example/")])
    assert likely is not None
    assert likely[KINDS.index("listing")] > 1 / 3, "so frequent they are among the pages of the set that has them"


def test_offsets_make_kinds_as_likely_as_they_are_frequent() -> None:
    rng = np.random.default_rng(1)
    kinds = numbers_of_kinds(*["article"] * 60, *["listing"] * 30, *["forum"] * 10)
    odds = rng.normal(size=(100, len(KINDS)))
    odds[np.arange(100), kinds] += 2
    odds[:, numbers_of_kinds("collection", "documentation", "product", "service")] = -30
    offsets = frequency_offsets(odds, kinds)
    likely = probabilities_of(odds + offsets).mean(0)
    assert dict(zip(KINDS, likely.round(3), strict=True)) == {
        **dict.fromkeys(KINDS, 0),
        "article": 0.6,
        "listing": 0.3,
        "forum": 0.1,
    }
    assert offsets.sum() == pytest.approx(0)


def numbers_of_kinds(*kinds: str) -> NDArray[np.int64]:
    return np.array([KINDS.index(kind) for kind in kinds], dtype=np.int64)


def test_overviews_are_judged_without_offers_and_among_all_pages() -> None:
    kinds = numbers_of_kinds("listing", "collection", "article", "service", "product")
    found = np.array([True, False, False, True, False])
    assert overview_f1s(found, kinds) == pytest.approx((2 / 3, 1 / 2))
    assert overview_f1s(~found, kinds) == pytest.approx((2 / 4, 2 / 5))
    assert overview_f1s(np.zeros(5, np.bool_), kinds) == (0, 0)


def test_the_threshold_is_half_of_the_f1_that_it_reaches() -> None:
    kinds = numbers_of_kinds("listing", "collection", "article", "forum")
    assert overview_threshold(np.array([0.9, 0.8, 0.2, 0.1]), kinds) == 0.5, "all right: an F1 of 1"
    # up to 0.6 two are found, one of them rightly, and one is missed: an F1 of 0.5
    assert overview_threshold(np.array([0.9, 0.1, 0.6, 0.1]), kinds) == 0.25
    assert overview_threshold(np.array([0.1, 0.1, 0.9, 0.9]), kinds) < 0.2, (
        "where little can be predicted, little is asked"
    )


def test_a_few_pages_do_not_move_the_threshold() -> None:
    rng = np.random.default_rng(1)
    likely = rng.random(400)
    kinds = np.where(rng.random(400) < likely, *numbers_of_kinds("listing", "article"))
    thresholds = [
        overview_threshold(np.delete(likely, gone), np.delete(kinds, gone))
        for gone in np.split(rng.permutation(400), 20)
    ]
    assert max(thresholds) - min(thresholds) <= 0.02


def test_the_best_length_of_the_rule() -> None:
    kinds = numbers_of_kinds("listing", "collection", "article", "forum", "service")
    assert best_length(np.array([100, 400, 700, 900, 500]), kinds) == 400


def test_the_model_needs_what_it_was_fitted_to(fitted: KindModel) -> None:
    columns, words, offsets = fitted.columns, fitted.words, fitted.offsets
    with pytest.raises(ValueError, match=r"does not compute.*charm"):
        KindModel(fitted.trees, fitted.parts, ("charm", *columns[1:]), words, offsets, 0.5)
    with pytest.raises(ValueError, match="another number of columns"):
        KindModel(fitted.trees, fitted.parts, columns[1:], words, offsets, 0.5)
    with pytest.raises(ValueError, match="as many for each kind"):
        KindModel(fitted.trees, 11, columns, words, offsets, 0.5)
    with pytest.raises(ValueError, match="offsets are not one for each"):
        KindModel(fitted.trees, fitted.parts, columns, words, offsets[1:], 0.5)


def test_the_model_is_saved_and_loaded(tmp_path: Path, fitted: KindModel) -> None:
    with pytest.raises(BundleError, match=r"no model of page kinds.*train kinds"):
        require_kinds(tmp_path)
    assert load_kinds(tmp_path).words == load_kinds().words, "the shipped one stands in"
    save_kinds(tmp_path, fitted)
    loaded = require_kinds(tmp_path)
    page = describe(listing(9), None)
    assert loaded.read(page) == fitted.read(page)
    about = tmp_path / "kinds.json"
    about.write_text(json.dumps(json.loads(about.read_text()) | {"kinds": ["charm"]}))
    with pytest.raises(BundleError, match="other kinds of page"):
        load_kinds(tmp_path)


def test_tables_of_an_evaluation() -> None:
    kinds = np.array([KINDS.index(kind) for kind in ("listing", "article", "article", "service")] * 2)
    predicted = kinds.copy()
    predicted[0] = -1
    overviews = np.isin(predicted, [KINDS.index(kind) for kind in OVERVIEWS])
    lengths = np.array([100, 5000, 900, 5000] * 2)
    tables = kind_tables(
        KindPredictions(kinds, predicted, overviews, lengths, np.array([0] * 4 + [1] * 4)), resamples=10
    )
    assert "Kinds classified correctly: 87.5 [" in tables
    assert "| listing | 2 | 100.0 | 50.0 | 66.7 |" in tables
    assert "| kinds model | article, documentation, forum | 6 | 100.0 | 50.0 | 66.7 [" in tables
    assert "| rule, 1500 characters | article, documentation, forum | 6 | 50.0 | 100.0 | 66.7 [" in tables
    assert "| rule, best length on the other folds | all kinds | 8 | 100.0 | 100.0 | 100.0 [" in tables


@pytest.mark.slow
def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "wcxb_dev.jsonl"
    pages = [made(kind, number) for kind in MADE for number in range(60)]
    names = ("id", "url", "html", "text", "page_type")
    data.write_text("".join(json.dumps({name: getattr(page, name) for name in names}) + "\n" for page in pages))
    assert main(["dev", "train", "kinds", str(data), "--out", str(tmp_path / "b"), "--test-fold", "1"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["split"]["test_fold"] == 1
    assert 100 < sum(record["kinds"].values()) < 180
    assert main(["dev", "evaluate", "kinds", str(data), "--bundles", str(tmp_path / "b")]) == 0
    assert "Kinds classified correctly: 100.0" in capsys.readouterr().out
    assert main(["dev", "evaluate", "kinds", str(data), "--bundles", str(tmp_path / "b"), str(tmp_path / "b")]) == 1
    assert "kept out fold 1" in capsys.readouterr().err
