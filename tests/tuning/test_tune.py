from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from commanding import LongBlocks
from labeled_shop import labeled, shop_page, shop_pages, steam_pages

from scrapy_semtext.extractor import Extractor, Options
from scrapy_semtext.site.rules import SiteRule, SiteRules, TunedModel, TunedModelError
from scrapy_semtext.tuning import ExampleError, examples_of, kept_f1, kept_with, tune

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor(LongBlocks(), "expected-f1", Options(pairs=False))


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
def test_real_pages_of_a_shop() -> None:
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
