"""Kinds of pages: numeric features and words of a page, the shipped model, and the results for a page."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from gate.quality import read_sample
from kind_pages import listing, product

from scrapy_semtext.extractor import Extractor, Options
from scrapy_semtext.features.table import PageTable, describe
from scrapy_semtext.read.kinds import KINDS, OVERVIEWS, load_kinds, overview_probability, page_columns, page_words


def numbers_of(html: str, url: str | None = None) -> dict[str, float]:
    table = PageTable([describe(html, url)])
    return {name: float(column[0]) for name, column in page_columns(table).items()}


def words_of(html: str, url: str | None = None) -> dict[str, set[str]]:
    table = PageTable([describe(html, url)])
    return {place: {*words} for place, words in page_words(table)[0].items()}


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


def test_text_without_spaces_is_as_long_as_in_an_alphabet() -> None:
    chinese, english = ("".join(f"<h2>1</h2><p>{text}</p>" for _ in range(4)) for text in ("猫" * 40 + "。", "a " * 60))
    found, like = numbers_of(chinese), numbers_of(english)
    assert found["text_prose_blocks"] == like["text_prose_blocks"] == 4
    assert found["text_log_chars"] == pytest.approx(math.log1p(4 * (120 + 2) + 3), abs=0.02)
    assert found["text_prose_share"] == pytest.approx(like["text_prose_share"], abs=0.02)


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


@pytest.mark.parametrize("url", [None, "", "http://[broken", "/home/me/page.html", "file:///home/me/page.html"])
def test_a_page_whose_address_is_not_known_is_no_front_page(url: str | None) -> None:
    assert numbers_of(listing(1), "https://site.example/")["url_root"] == 1
    found, words = numbers_of(listing(1), url), words_of(listing(1), url)
    assert (found["url_root"], found["url_slashes"]) == (0, 3)
    assert found["link_external"] == pytest.approx(0.2)
    assert not any(words[place] for place in ("host", "folder", "first folder", "last part", "query"))


def test_schema_markup_makes_no_difference() -> None:
    page = product(1)
    marked = page.replace("<h1>", "<script type=application/ld+json>{'@type': 'Recipe'}</script><h1 itemprop=name>")
    marked = marked.replace("<img", "<img itemscope itemtype=https://schema.org/Recipe")
    assert words_of(marked) == words_of(page)
    assert numbers_of(marked) == numbers_of(page)


def test_offers_count_less_where_overviews_are_told_from_all_else() -> None:
    likely = np.zeros((3, len(KINDS)))
    likely[:, KINDS.index("listing")] = likely[:, KINDS.index("collection")] = 0.2
    likely[0, KINDS.index("article")] = 0.6
    likely[1, KINDS.index("service")] = 0.6
    likely[2, KINDS.index("listing")] = 0.8
    assert overview_probability(likely) == pytest.approx([0.4, 0.4 / (0.4 + 0.6 / 3), 1])


@pytest.mark.slow
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


@pytest.mark.slow
def test_articles_without_an_address_are_articles() -> None:
    model = load_kinds()
    found = [model.read(describe(page.html, None)) for page in read_sample() if page.page_type == "article"]
    assert np.mean([kind is not None and kind.is_overview for kind in found]) <= 0.05


@pytest.mark.smoke
def test_a_page_says_its_kind_and_options_move_the_threshold() -> None:
    extractor = Extractor.load(labeler="textsweeper")
    page = extractor.read(listing(2), "https://site.example/news")
    assert page.page_kind in KINDS
    assert page.page_kind_probability is not None
    assert page.overview_probability is not None
    assert (
        extractor.read(listing(2), options=Options(labeler="textsweeper", overview_threshold=0.0)).is_overview is True
    )
    assert extractor.read(listing(2), options=Options(labeler="textsweeper", overview_threshold=1)).is_overview is False
    row = page.to_dict()
    assert row["page_kind_probability"] == round(page.page_kind_probability, 4)
    assert extractor.read("").page_kind is None


@pytest.mark.parametrize("threshold", [2, -0.1, "much", True])
def test_a_threshold_is_a_probability(threshold: object) -> None:
    with pytest.raises(ValueError, match="overview_threshold is"):
        Options(overview_threshold=threshold)  # type: ignore[arg-type]
