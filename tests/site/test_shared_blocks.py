"""What the pages of a site share."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from labeled_pages import labeled
from sites import BANNER, site_page, url_of

from scrapy_semtext.features.table import describe
from scrapy_semtext.site.labeled_pages import LabeledPageError, read_labeled
from scrapy_semtext.site.places import PAGES, LiveTemplates, PagePlaces, PageTemplates, without_shared
from scrapy_semtext.utils.address import site_of


def shared_texts(templates: LiveTemplates | PageTemplates, number: int, html: str | None = None) -> list[str]:
    page = describe(html or site_page(number), url_of(number))
    template = templates.of_page(page)
    if template is None:
        return []
    return [block.text for block, shared in zip(page.text_blocks, template.shared(page), strict=True) if shared]


def learnt(pages: list[str]) -> PageTemplates:
    return PageTemplates(PagePlaces.of(describe(html, url_of(number))) for number, html in enumerate(pages))


def test_blocks_that_two_pages_had_are_shared_from_the_third_on() -> None:
    templates = LiveTemplates()
    seen = [shared_texts(templates, number) for number in range(2 * PAGES)]
    assert seen[:2] == [[], []]
    assert all(texts == ["Home \u00bb Stories", BANNER, "Imprint\nContact"] for texts in seen[2:])


def test_the_same_text_at_another_place_is_not_the_same_block() -> None:
    templates = learnt([site_page(number) for number in range(4)])
    assert shared_texts(templates, 9, site_page(9).replace("<main>", f"<main><p>{BANNER}</p>")).count(BANNER) == 1


def test_a_text_that_comes_again_where_pages_differ_is_content() -> None:
    rules = "The rules of the game are told in so many words."
    templates = learnt([site_page(number, text=rules if number < 3 else None) for number in range(8)])
    assert rules not in shared_texts(templates, 1, site_page(1, text=rules))


def test_a_page_at_several_addresses_teaches_once() -> None:
    assert shared_texts(learnt([site_page(1)] * 5), 1) == []


def kept_after(
    probabilities: list[float], shared: list[int], headings: list[bool] | None = None, sizes: list[int] | None = None
) -> list[bool]:
    p, count = np.array(probabilities), len(probabilities)
    # without sizes, each block is longer than the one after it: none leads on to one that is as long
    longer = np.array(sizes or range(count, 0, -1))
    kept = without_shared(p > 0.4, p, np.array(shared, np.bool_), longer, headings or [False] * count)
    return kept.tolist()  # type: ignore[no-any-return]


def test_evidence_takes_out_what_falls_below_the_least_probable_block_that_is_kept() -> None:
    assert kept_after([0.9, 0.7, 0.5, 0.1], [0, 0, 0, 0]) == [True, True, True, False]
    assert kept_after([0.9, 0.7, 0.5, 0.1], [1, 1, 0, 1]) == [True, False, True, False]


def test_a_shared_block_stays_where_it_leads_on_to_text_of_the_page() -> None:
    label_over_text = kept_after([0.5, 0.9], [1, 0], sizes=[11, 200])
    assert label_over_text == [True, True]
    banner_over_text = kept_after([0.5, 0.9], [1, 0], sizes=[300, 200])
    assert banner_over_text == [False, True]
    notice_in_place_of_text = kept_after([0.9, 0.5, 0.9], [0, 1, 0], sizes=[200, 60, 20])
    assert notice_in_place_of_text == [True, True, True]
    notice_below_text = kept_after([0.9, 0.5, 0.2], [0, 1, 0], sizes=[200, 60, 200])
    assert notice_below_text == [True, False, False], "what follows it is not kept"
    notices_in_a_row = kept_after([0.9, 0.5, 0.5, 0.9], [0, 1, 1, 0], sizes=[200, 60, 60, 20])
    assert notices_in_a_row == [True, False, False, True]


def test_a_shared_heading_stays_over_content_and_goes_with_what_is_shared() -> None:
    assert kept_after([0.5, 0.9], [1, 0], [True, False]) == [True, True]
    assert kept_after([0.5, 0.5, 0.9], [1, 1, 0], [True, False, False]) == [False, False, True]
    assert kept_after([0.5, 0.1, 0.9], [1, 0, 0], [True, False, False]) == [False, False, True]


@pytest.mark.parametrize(
    ("url", "host", "domain"),
    [
        ("https://www.forum.example.com/a", "forum.example.com", "example.com"),
        ("http://example.co.uk:8080/", "example.co.uk", "example.co.uk"),
        (None, "", ""),
        ("no address", "", ""),
    ],
)
def test_a_site_is_a_host_or_a_domain(url: str | None, host: str, domain: str) -> None:
    assert site_of(url) == host
    assert site_of(url, "domain") == domain


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"html": None}, "html, url or done has a value of another type"),
        ({"url": 5}, "html, url or done has a value of another type"),
        ({"done": "yes"}, "html, url or done has a value of another type"),
        ({"blocks": [{"text": "a", "path": "p", "label": "Main", "probability": 0.5}]}, "the label 'Main' by 'model'"),
        ({"blocks": [{"text": "a"}]}, "missing 3 required positional arguments"),
        (
            {"blocks": [{"text": "a", "path": "p", "label": "main", "probability": "<b>"}]},
            "text, path or probability of a block has a value of another type",
        ),
        ({"other": 1}, "unexpected keyword argument 'other'"),
    ],
)
def test_a_line_that_is_no_labeled_page(change: dict[str, Any], message: str) -> None:
    values = {**json.loads(labeled("http://a/", "+one").to_json()), **change}
    with pytest.raises(LabeledPageError, match="line 2 is not a labeled page: .*" + message):
        list(read_labeled([b"\n", json.dumps(values).encode()]))
