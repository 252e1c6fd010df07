"""What pages of one site share, learned page by page."""

from __future__ import annotations

import numpy as np
from sites import BANNER, site_page

from scrapy_semtext.site.template import PagePrint, SiteTemplate, page_print, with_evidence, without_shared
from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import segment


def learn(template: SiteTemplate, html: str) -> bool:
    """Learn a page whose blocks of more than five words are kept by the labeler."""
    blocks = segment(parse(html))
    return template.learn(page_print(blocks), [len(block.text.split()) > 5 for block in blocks])


def shared_texts(template: SiteTemplate, html: str) -> list[str]:
    blocks = segment(parse(html))
    return [block.text for block, shared in zip(blocks, template.shared(page_print(blocks)), strict=True) if shared]


def test_blocks_that_two_pages_had_are_shared_from_the_third_on() -> None:
    template = SiteTemplate()
    seen = []
    for number in range(4):
        seen.append(shared_texts(template, site_page(number)))
        learn(template, site_page(number))
    assert seen[0] == seen[1] == []
    assert seen[2] == seen[3] == ["Home » Stories", BANNER, "Imprint\nContact"]


def test_the_same_text_at_another_place_is_not_the_same_block() -> None:
    template = SiteTemplate()
    for number in range(4):
        learn(template, site_page(number))
    quoting = site_page(9, text=BANNER)
    assert shared_texts(template, quoting).count(BANNER) == 1


def test_a_text_that_comes_again_where_pages_differ_is_content() -> None:
    template = SiteTemplate()
    for number in range(8):
        learn(
            template, site_page(number, text="The rules of the game are told in so many words." if number < 3 else None)
        )
    assert "The rules of the game are told in so many words." not in shared_texts(
        template, site_page(1, text="The rules of the game are told in so many words.")
    )


def test_a_page_at_several_addresses_teaches_once() -> None:
    template = SiteTemplate()
    learn(template, site_page(1))
    assert not any(learn(template, site_page(1)) for _ in range(5))
    assert (template.pages, template.duplicates) == (1, 5)
    assert shared_texts(template, site_page(1)) == []


def test_pages_are_no_duplicates_because_their_menus_are_long() -> None:
    menu = "<nav>" + "".join(f"<p>Entry {i}</p><h4>Part {i}</h4>" for i in range(200)) + "</nav>"
    template = SiteTemplate()
    assert all(learn(template, menu + site_page(number)) for number in range(5))


def test_memory_is_bounded_and_what_is_shared_stays() -> None:
    template = SiteTemplate(size=64)
    for number in range(500):
        learn(template, site_page(number))
        assert len(template.blocks) <= 64
        assert len(template.places) <= 64
    assert BANNER in shared_texts(template, site_page(1_000))


def kept_after(
    probabilities: list[float],
    evidence: list[float],
    headings: list[bool] | None = None,
    sizes: list[int] | None = None,
) -> list[bool]:
    p, count = np.array(probabilities), len(probabilities)
    # without sizes, each block is longer than the one after it: none leads on to one that is as long
    longer = tuple(sizes or range(count, 0, -1))
    page = PagePrint((1,) * count, (1,) * count, longer, tuple(headings or [False] * count))
    return with_evidence(p > 0.4, p, np.array(evidence), page).tolist()  # type: ignore[no-any-return]


def test_evidence_takes_out_what_falls_below_the_least_probable_block_that_is_kept() -> None:
    assert kept_after([0.9, 0.7, 0.5, 0.1], [0, 0, 0, 0]) == [True, True, True, False]
    assert kept_after([0.9, 0.7, 0.5, 0.1], [-1.5, -1.5, 0, -1.5]) == [True, False, True, False]


def test_a_shared_block_stays_where_it_leads_on_to_text_of_the_page() -> None:
    label_over_text = kept_after([0.5, 0.9], [-1.5, 0], sizes=[11, 200])
    assert label_over_text == [True, True]
    banner_over_text = kept_after([0.5, 0.9], [-1.5, 0], sizes=[300, 200])
    assert banner_over_text == [False, True]
    notice_in_place_of_text = kept_after([0.9, 0.5, 0.9], [0, -1.5, 0], sizes=[200, 60, 20])
    assert notice_in_place_of_text == [True, True, True]
    notice_below_text = kept_after([0.9, 0.5, 0.2], [0, -1.5, 0], sizes=[200, 60, 200])
    assert notice_below_text == [True, False, False], "what follows it is not kept"
    notices_in_a_row = kept_after([0.9, 0.5, 0.5, 0.9], [0, -1.5, -1.5, 0], sizes=[200, 60, 60, 20])
    assert notices_in_a_row == [True, False, False, True]


def test_a_shared_heading_stays_over_content_and_goes_with_what_is_shared() -> None:
    assert kept_after([0.5, 0.9], [-1.5, 0], [True, False]) == [True, True]
    assert kept_after([0.5, 0.5, 0.9], [-1.5, -1.5, 0], [True, False, False]) == [False, False, True]
    assert kept_after([0.5, 0.1, 0.9], [-1.5, 0, 0], [True, False, False]) == [False, False, True]


def test_without_a_labeler_all_that_is_shared_goes_but_headings_over_the_rest() -> None:
    page = PagePrint((1,) * 4, (1,) * 4, (5, 5, 5, 200), (True, False, True, False))
    assert without_shared(np.array([-1.5, -1.5, -1.5, 0]), page).tolist() == [False, False, True, True]
