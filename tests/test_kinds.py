"""Kinds of page: numbers and words of a page, fitting, files, the shipped model, and what is measured."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from gate.quality import read_sample

from scrapy_semtext.cli import main
from scrapy_semtext.describe import describe
from scrapy_semtext.extractor import Extractor, Options
from scrapy_semtext.kinds.files import load_kinds, require_kinds, save_kinds
from scrapy_semtext.kinds.model import KINDS, OVERVIEWS, KindModel, overview_probability
from scrapy_semtext.kinds.numbers import COLUMNS, page_numbers
from scrapy_semtext.kinds.words import page_words
from scrapy_semtext.model.bundle import BundleError
from scrapy_semtext.structure.layout import Layout
from scrapy_semtext.training.datasets import TruthPage
from scrapy_semtext.training.kind_evaluation import Judged, best_length, kind_tables
from scrapy_semtext.training.kind_fit import (
    KindFit,
    fit_kinds,
    kind_example,
    kind_examples,
    overview_f1s,
    overview_threshold,
)

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

PROSE = "This is a sentence of the page which says something, and goes on to say something more. "


def article(number: int) -> str:
    return (
        f"<title>Story {number}</title><body class='single-post'><nav><a href=/>Home</a></nav>"
        f"<article><h1>Story {number}</h1>{f'<h2>Part</h2><p>{PROSE * 2}{number}</p>' * 5}</article></body>"
    )


def listing(number: int) -> str:
    cards = "".join(
        f"<div class=card><h3><a href=/news/{number}/{i}>Headline number {i} of the day</a></h3>"
        f"<span>{i} days ago</span></div>"
        for i in range(8)
    )
    return (
        f"<title>News</title><body class=archive><nav><a href=/>Home</a></nav><main><h1>News</h1>{cards}</main></body>"
    )


def product(number: int) -> str:
    return (
        f"<title>Shoe {number}</title><body class=product-page><h1>Shoe {number}</h1><img src=a><p>$ {number}.99</p>"
        f"<button>Add to cart</button><p>{PROSE}</p></body>"
    )


MADE = {"article": article, "listing": listing, "product": product}


def made(kind: str, number: int) -> TruthPage:
    return TruthPage(
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
    return fit_kinds(kind_examples(pages), KindFit(rounds=20, inner_folds=2))


def numbers_of(html: str, url: str | None = None) -> dict[str, float]:
    page = describe(html, url)
    return dict(zip(COLUMNS, page_numbers(page, Layout(page.text_blocks)).tolist(), strict=True))


def words_of(html: str, url: str | None = None) -> dict[str, set[str]]:
    page = describe(html, url)
    return page_words(page, Layout(page.text_blocks))


def test_numbers_of_a_listing() -> None:
    found = numbers_of(listing(3), "https://site.example/news/3")
    assert found["group0_log_count"] == pytest.approx(math.log1p(8))
    assert found["group0_linked"] == 1
    assert found["teaser_gap"] == 2, "a date stands between two headings"
    assert found["heading_linked_share"] == pytest.approx(8 / 9)
    assert found["link_below"] == pytest.approx(8 / 9), "all but the home page"
    assert found["mark_ago"] == pytest.approx(math.log1p(8))
    assert found["text_prose_blocks"] == 0
    assert found["url_slashes"] == 2


def test_numbers_of_an_article() -> None:
    found = numbers_of(article(3), "https://site.example/2024/05/a-story?id=1")
    assert found["text_prose_blocks"] == found["own_prose_blocks"] == 5
    assert found["text_longest_run"] == 1, "headings stand between"
    assert found["own_prose_share"] == pytest.approx(1)
    assert found["url_dated"] == 1
    assert found["url_query"] == 4
    assert found["heading_h1_words"] == 2


@pytest.mark.parametrize("html", ["<p>One.</p>", "<a href=/>x</a>", "text", "<p>中文的一句话。</p>", listing(1)])
@pytest.mark.parametrize("url", [None, "http://[broken", "", "https://site.example"])
def test_all_numbers_are_finite(html: str, url: str | None) -> None:
    page = describe(html, url)
    found = page_numbers(page, Layout(page.text_blocks))
    assert found.shape == (len(COLUMNS),)
    assert np.isfinite(found).all()


def test_words_stand_under_their_places() -> None:
    html = listing(1).replace("<title>", "<meta property=og:type content=Website><title>")
    found = words_of(f"<html><head>{html}", "https://forum.site.example/blog/tag/otters?page=2")
    assert "forum" in found["host"]
    assert found["folder"] == {"blog", "tag"}
    assert (found["first folder"], found["last part"], found["query"]) == ({"blog"}, {"otters"}, {"page"})
    assert found["generator"] == {"website"}
    assert found["body"] == {"archive"}
    assert found["h1"] == {"news"}
    assert "card" in found["name"] & found["names"]
    assert "archive" in found["name"] - found["names"], "it stands there once"
    assert "home" in found["button"] - found["buttons"]


def test_schema_markup_makes_no_difference() -> None:
    page = product(1)
    marked = page.replace("<h1>", "<script type=application/ld+json>{'@type': 'Recipe'}</script><h1 itemprop=name>")
    marked = marked.replace("<img", "<img itemscope itemtype=https://schema.org/Recipe")
    assert words_of(marked) == words_of(page)
    assert numbers_of(marked) == numbers_of(page)


def test_a_fitted_model_tells_kinds(fitted: KindModel) -> None:
    for kind in MADE:
        page = made(kind, 77)
        found = fitted.read(describe(page.html, page.url))
        assert found is not None
        assert found.kind == kind
        assert found.probability > 0.5
        assert found.is_overview == (kind in OVERVIEWS) == (found.overview_probability >= fitted.threshold)
        forced = fitted.read(describe(page.html, page.url), threshold=0)
        assert forced is not None
        assert forced.kind in OVERVIEWS, "the kind agrees with the page being an overview"
    assert fitted.read(describe("", None)) is None


def test_probabilities_sum_to_one(fitted: KindModel) -> None:
    found = fitted.probabilities(describe(article(5), None))
    assert found is not None
    assert found.shape == (len(KINDS),)
    assert found.sum() == pytest.approx(1)


def test_pages_of_other_kinds_are_not_learned_from() -> None:
    page = made("article", 1)
    other = {name: getattr(page, name) for name in page.__slots__}
    assert kind_example(page) is not None
    assert kind_example(TruthPage(**(other | {"page_type": "qa"}))) is None
    assert kind_example(TruthPage(**(other | {"html": ""}))) is None
    with pytest.raises(ValueError, match="no pages"):
        fit_kinds([])


def numbers_of_kinds(*kinds: str) -> NDArray[np.int64]:
    return np.array([KINDS.index(kind) for kind in kinds], dtype=np.int64)


def test_offers_count_less_where_overviews_are_told_from_all_else() -> None:
    likely = np.zeros((3, len(KINDS)))
    likely[:, KINDS.index("listing")] = likely[:, KINDS.index("collection")] = 0.2
    likely[0, KINDS.index("article")] = 0.6
    likely[1, KINDS.index("service")] = 0.6
    likely[2, KINDS.index("listing")] = 0.8
    assert overview_probability(likely) == pytest.approx([0.4, 0.4 / (0.4 + 0.6 / 3), 1])


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
    assert overview_threshold(np.array([0.1, 0.1, 0.9, 0.9]), kinds) < 0.2, "where little can be told, little is asked"


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
    columns, words = fitted.columns, fitted.words
    with pytest.raises(ValueError, match=r"does not compute.*charm"):
        KindModel(fitted.trees, fitted.parts, ("charm", *columns[1:]), words, 0.5)
    with pytest.raises(ValueError, match="another number of columns"):
        KindModel(fitted.trees, fitted.parts, columns[1:], words, 0.5)
    with pytest.raises(ValueError, match="as many for each kind"):
        KindModel(fitted.trees, 11, columns, words, 0.5)


def test_the_model_is_saved_and_loaded(tmp_path: Path, fitted: KindModel) -> None:
    with pytest.raises(BundleError, match=r"no model of page kinds.*train-kinds"):
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


def test_the_shipped_model_tells_real_pages_of_sites_it_never_saw() -> None:
    model = load_kinds()
    right, overviews = [], Counter[tuple[bool, bool]]()
    for page in read_sample():
        found = model.read(describe(page.html, page.url))
        if found is not None:
            right.append(found.kind == page.page_type)
            overviews[page.page_type in OVERVIEWS, found.is_overview] += 1
    assert np.mean(right) > 0.75, "20 of 80 pages are articles, which are easiest"
    assert overviews[True, True] > 0.7 * (overviews[True, True] + overviews[True, False])
    assert overviews[False, False] > 0.8 * (overviews[False, True] + overviews[False, False])


def test_a_page_says_its_kind_and_options_move_the_threshold() -> None:
    extractor = Extractor.load(labeller="textsweeper")
    page = extractor.read(listing(2), "https://site.example/news")
    assert page.page_kind in KINDS
    assert page.page_kind_probability is not None
    assert page.overview_probability is not None
    assert (
        extractor.read(listing(2), options=Options(labeller="textsweeper", overview_threshold=0.0)).is_overview is True
    )
    assert (
        extractor.read(listing(2), options=Options(labeller="textsweeper", overview_threshold=1)).is_overview is False
    )
    row = page.to_dict()
    assert row["page_kind_probability"] == round(page.page_kind_probability, 4)
    assert extractor.read("").page_kind is None


@pytest.mark.parametrize("threshold", [2, -0.1, "much", True])
def test_a_threshold_is_a_probability(threshold: object) -> None:
    with pytest.raises(ValueError, match="overview_threshold is"):
        Options(overview_threshold=threshold)  # type: ignore[arg-type]


def test_tables_of_an_evaluation() -> None:
    kinds = np.array([KINDS.index(kind) for kind in ("listing", "article", "article", "service")] * 2)
    told = kinds.copy()
    told[0] = -1
    overviews = np.isin(told, [KINDS.index(kind) for kind in OVERVIEWS])
    lengths = np.array([100, 5000, 900, 5000] * 2)
    tables = kind_tables(Judged(kinds, told, overviews, lengths, np.array([0] * 4 + [1] * 4)), draws=10)
    assert "Kinds told rightly: 87.5 [" in tables
    assert "| listing | 2 | 100.0 | 50.0 | 66.7 |" in tables
    assert "| kinds model | article, documentation, forum | 6 | 100.0 | 50.0 | 66.7 [" in tables
    assert "| rule, 1500 characters | article, documentation, forum | 6 | 50.0 | 100.0 | 66.7 [" in tables
    assert "| rule, best length on the other folds | all kinds | 8 | 100.0 | 100.0 | 100.0 [" in tables


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "wcxb_dev.jsonl"
    pages = [made(kind, number) for kind in MADE for number in range(60)]
    names = ("id", "url", "html", "text", "page_type")
    data.write_text("".join(json.dumps({name: getattr(page, name) for name in names}) + "\n" for page in pages))
    assert main(["train-kinds", str(data), "--out", str(tmp_path / "b"), "--test-fold", "1"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["split"]["test_fold"] == 1
    assert 100 < sum(record["kinds"].values()) < 180
    assert main(["evaluate-kinds", str(data), "--bundles", str(tmp_path / "b")]) == 0
    assert "Kinds told rightly: 100.0" in capsys.readouterr().out
    assert main(["evaluate-kinds", str(data), "--bundles", str(tmp_path / "b"), str(tmp_path / "b")]) == 1
    assert "kept out fold 1" in capsys.readouterr().err
