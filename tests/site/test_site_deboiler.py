"""Removal of boilerplate from a finished set of pages."""

from __future__ import annotations

import pytest
from sites import BANNER, SiteExtractor, site_page, text_of, url_of

from scrapy_semtext.site.deboiler import CleanPage, Deboiler, NotFittedError, SourcePage

PAGES = [SourcePage(site_page(number), url_of(number)) for number in range(12)]


def cleaned(deboiler: Deboiler, pages: list[SourcePage]) -> list[CleanPage]:
    results = list(deboiler.fit(pages).transform(pages))
    assert all(isinstance(page, CleanPage) for page in results)
    return results  # type: ignore[return-value]


def test_what_all_pages_share_goes_and_the_rest_stays() -> None:
    deboiler = Deboiler()
    pages = cleaned(deboiler, PAGES)
    assert pages[3] == CleanPage(
        url=url_of(3),
        title="Story number 3",
        description="About 3",
        headings=["Story number 3"],
        breadcrumbs=["Home", "Stories"],
        lists=[],
        main_text=f"Story number 3\n{text_of(3)}",
    )
    assert deboiler.stats == {"pages": 12, "duplicates": 0, "sites": 1}


@pytest.mark.slow
def test_with_a_model_only_main_content_is_left_and_less_of_it() -> None:
    deboiler = Deboiler(SiteExtractor.load)
    (page, *_) = cleaned(deboiler, PAGES)
    assert page.main_text == text_of(0)
    assert BANNER in SiteExtractor.load().read(PAGES[0].html).main_text


def test_the_first_page_gains_from_the_last() -> None:
    html = site_page(0)
    deboiler = Deboiler()
    deboiler.fit(PAGES)
    (page,) = deboiler.transform([SourcePage(html, url_of(0))])
    assert isinstance(page, CleanPage)
    assert BANNER not in page.main_text


def test_lists_of_the_page_itself_are_given_item_by_item() -> None:
    pages = [
        SourcePage(
            site_page(n, nested=f"<ul><li>flour {n}</li><li>water {n}<ol><li>cold {n}</li></ol></li></ul>"), url_of(n)
        )
        for n in range(5)
    ]
    deboiler = Deboiler()
    page = cleaned(deboiler, pages)[2]
    assert page.lists == [["flour 2", "water 2"], ["cold 2"]]


def test_sites_do_not_teach_each_other() -> None:
    elsewhere = SourcePage(site_page(5), "http://elsewhere.test/")
    nowhere = SourcePage(site_page(5))
    deboiler = Deboiler()
    pages = cleaned(deboiler, [*PAGES, elsewhere, nowhere])
    assert BANNER in pages[-2].main_text
    assert BANNER in pages[-1].main_text


@pytest.mark.slow
def test_a_page_that_fails_is_its_exception_and_the_others_go_on() -> None:
    bad = SourcePage("<p>explosive</p>", url_of(99))  # the labeler cannot bear it
    deboiler = Deboiler(SiteExtractor.load)
    results = list(deboiler.fit([bad, *PAGES]).transform([bad, *PAGES]))
    assert isinstance(results[0], MemoryError)
    assert all(isinstance(result, CleanPage) for result in results[1:])


def test_transform_wants_a_fit() -> None:
    deboiler = Deboiler()
    with pytest.raises(NotFittedError, match="call fit first"):
        deboiler.transform(PAGES)
    assert deboiler.fit(reversed(PAGES)).stats == {"pages": len(PAGES), "duplicates": 0, "sites": 1}
