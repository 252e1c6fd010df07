"""Rules and site models derived from labeled pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from commanding import LongBlocks
from labeled_shop import labeled, shop_page, shop_pages, steam_pages

from scrapy_semtext.extractor import Extractor, Options
from scrapy_semtext.site.rules import SiteRule, SiteRules, TunedModel, TunedModelError, check_selector
from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.segmentation import search
from scrapy_semtext.tuning import (
    ExampleError,
    corrections_of,
    derive,
    examples_of,
    kept_f1,
    kept_with,
    rule_of,
    selectors_of,
    tune,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor(LongBlocks(), "expected-f1", Options(pairs=False))


@pytest.mark.smoke
def test_a_rule_selects_what_was_wrong(extractor: Extractor, monkeypatch: pytest.MonkeyPatch) -> None:
    corrections, gain = derive(examples_of(shop_pages(extractor, 4), extractor), extractor)
    assert [(each.action, each.selector, each.pages) for each in corrections] == [
        ("drop", "div.ad", 4),
        ("keep", "div.price", 4),
    ]
    assert gain is not None
    assert gain.after.tolist() == [1.0] * 4
    monkeypatch.setattr(extractor, "sites", SiteRules((rule_of("shop.test", corrections),)))
    page = extractor.read(shop_page(77), "https://shop.test/kettle/77")
    assert [line[:8] for line in page.main_text.splitlines()] == ["Kettle n", "77 euros"]


def test_what_is_labeled_in_two_ways_is_left_to_the_model(extractor: Extractor) -> None:
    pages = shop_pages(extractor, 3)
    pages.append(labeled(shop_page(9), "https://shop.test/9", extractor, lambda text: len(text.split()) != 1))
    assert [each.selector for each in corrections_of(examples_of(pages, extractor))] == ["div.price"]


def test_what_templates_correct_needs_no_selector(extractor: Extractor) -> None:
    offer = "<p class='offer'>Order"
    htmls = [shop_page(number).replace(f"<p>Order kettle {number}", offer) for number in range(20, 25)]
    pages = [
        labeled(html, f"https://shop.test/{number}", extractor, lambda text: "boils" in text or "euros" in text)
        for number, html in enumerate(htmls)
    ]
    alone, shared = (examples_of(pages, extractor, templates=templates) for templates in (False, True))
    assert {each.selector for each in corrections_of(alone)} == {"div.ad", "div.price"}
    assert {each.selector for each in corrections_of(shared)} == {"div.price"}
    assert extractor.templates is None


def test_a_selector_has_to_be_found_on_two_pages(extractor: Extractor) -> None:
    pages = shop_pages(extractor, 2)
    html = shop_page(9).replace("price", "once")
    pages.append(labeled(html, "https://shop.test/9", extractor, lambda text: "boils" in text or "euros" in text))
    chosen = {each.selector: each.pages for each in corrections_of(examples_of(pages, extractor))}
    assert "div.once" not in chosen
    assert min(chosen.values()) >= 2


def test_selectors_are_around_all_of_a_block_and_without_digits() -> None:
    html = (
        "<body><div id=main class='post post-17'><p>One <b class=k>two</b></p><p><span class='date now'>2026</span></p>"
        "</div><section><h2>Three</h2></section></body>"
    )
    first, second, third = selectors_of(search(parse(html)))
    assert first == {"#main", "div.post", "div.post > p", "#main > p"}
    assert second - first == {"span.date", "span.now", "span.date.now"}
    assert third == {"h2"}
    for selector in first | second | third:
        check_selector(selector)


@pytest.mark.slow
def test_real_pages_of_a_shop() -> None:
    extractor = Extractor.load(device="cpu", options=Options(pairs=False, sections=False, kinds=False))
    examples = examples_of(steam_pages(extractor)[:5], extractor)
    corrections, gain = derive(examples, extractor)
    assert gain is not None
    assert corrections
    for each in corrections:
        check_selector(each.selector)
        assert each.pages >= 2


def test_a_site_model_corrects_pages_that_it_has_not_seen(
    extractor: Extractor, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, gain = tune(examples_of(shop_pages(extractor, 4), extractor), extractor)
    assert gain is not None
    assert gain.is_better
    assert gain.after.tolist() == [1.0] * 4
    assert gain.before.max() < 0.8
    monkeypatch.setattr(extractor, "sites", SiteRules((SiteRule("shop.test", tuned=model),)))
    page = extractor.read(shop_page(77), "https://www.shop.test/kettle/77")
    assert [line[:8] for line in page.main_text.splitlines()] == ["Kettle n", "77 euros"]


def test_where_the_model_is_right_nothing_changes(extractor: Extractor) -> None:
    right = [
        labeled(page.html, page.url or "", extractor, lambda text: len(text.split()) >= 6)
        for page in shop_pages(extractor, 3)
    ]
    examples = examples_of(right, extractor)
    model, gain = tune(examples, extractor)
    assert gain is not None
    assert not gain.is_better
    for example in examples:
        assert (kept_with(example, SiteRule("x", tuned=model), extractor) == example.kept).all()


def test_a_single_page_cannot_be_checked(extractor: Extractor) -> None:
    model, gain = tune(examples_of(shop_pages(extractor, 1), extractor), extractor)
    assert gain is None
    assert model.shifts["path html>body>div.ad.box>p"] < 0 < model.shifts["path html>body>div.price"]


def test_a_model_is_written_and_read(extractor: Extractor, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "site"
    model = TunedModel({"1 p": -1.5}, {"site": "shop.test"})
    assert model.save(folder).name == "site.json"
    assert TunedModel.load(folder) == model
    for shift in ('"much"', "NaN", "Infinity", "1e999", "9" * 400, "null", "[1]"):
        (folder / "site.json").write_text(f'{{"format": 1, "shifts": {{"1 p": {shift}}}}}')
        with pytest.raises(TunedModelError, match="damaged"):
            TunedModel.load(folder)


def test_pages_that_are_cut_otherwise_are_refused(extractor: Extractor) -> None:
    (page,) = shop_pages(extractor, 1)
    page.blocks.pop()
    with pytest.raises(ExampleError, match=r"shop\.test/kettle/0"):
        examples_of([page], extractor)


@pytest.mark.slow
def test_a_model_of_real_pages_of_a_shop() -> None:
    """After learning from five pages, the others of the site get better results; the models are the shipped ones."""
    extractor = Extractor.load(device="cpu", options=Options(pairs=False, sections=False, kinds=False))
    examples = examples_of(steam_pages(extractor), extractor)
    assert len(examples) == 9
    model, gain = tune(examples[:5], extractor)
    assert gain is not None
    assert gain.is_better
    others = examples[5:]
    before = np.mean([kept_f1(example, example.kept) for example in others])
    after = np.mean([kept_f1(example, kept_with(example, SiteRule("x", tuned=model), extractor)) for example in others])
    assert after > before + 0.05
