"""The shipped bundle must not get worse on real pages of sites that training never saw (see gate/quality.py)."""

from __future__ import annotations

from collections import Counter

import pytest
from gate import quality

from scrapy_semtext.train.datasets import registered_domain, split_side

pytestmark = pytest.mark.slow

FLOORS = {"all": 0.9, "forum": 0.85}


def test_shipped_bundle_keeps_its_floors() -> None:
    from scrapy_semtext.extractor import Extractor

    scores = quality.measure(Extractor.load(device="cpu"))
    missed = quality.losses(quality.read_floors()["floors"], scores)
    assert not missed, "\n".join(["The bundle or the reading got worse:", *missed])


def test_floors_belong_to_the_shipped_bundle() -> None:
    pinned = quality.read_floors()
    assert pinned["bundle"] == quality.fingerprint(), "another bundle: run python tests/gate/quality.py --update"
    assert set(pinned["floors"]) == {"all", "page_kind", *(page.page_type for page in quality.read_sample())}


def test_sample_is_real_pages_that_training_does_not_see() -> None:
    pages = list(quality.read_sample())
    types = Counter(page.page_type for page in pages)
    assert len(pages) == len({page.id for page in pages}) == 80
    assert types["article"] == 20
    assert all(count >= 10 for count in types.values())
    assert {split_side(registered_domain(page.url)) for page in pages} == {"test"}


def test_every_page_of_the_sample_is_attributed() -> None:
    attribution = (quality.GATE / "ATTRIBUTION.md").read_text(encoding="utf-8")
    assert all(f"| {page.id} | {page.page_type} | <{page.url}> |" in attribution for page in quality.read_sample())


def test_half_a_point_may_be_lost_and_no_more() -> None:
    assert quality.losses(FLOORS, {"all": 0.895, "forum": 0.85}) == []
    assert quality.losses(FLOORS, {"all": 0.8949, "forum": 0.85}) == ["all: 0.8949, floor 0.9000 less 0.005"]


def test_a_type_may_lose_two_points() -> None:
    assert quality.losses(FLOORS, {"all": 0.9, "forum": 0.83}) == []
    assert quality.losses(FLOORS, {"all": 0.9, "forum": 0.82}) == ["forum: 0.8200, floor 0.8500 less 0.02"]


def test_what_was_not_measured_is_missed() -> None:
    assert quality.losses(FLOORS, {"all": 0.9}) == ["forum: 0.0000, floor 0.8500 less 0.02"]


def test_an_update_lifts_floors_but_does_not_lower_them() -> None:
    assert quality.lifted(FLOORS, {"all": 0.92, "forum": 0.84}) == {"all": 0.92, "forum": 0.85}


def test_an_update_refuses_a_loss_unless_it_is_allowed() -> None:
    worse = {"all": 0.88, "forum": 0.85}
    with pytest.raises(quality.RegressionError, match=r"all: 0\.8800"):
        quality.lifted(FLOORS, worse)
    assert quality.lifted(FLOORS, worse, allow_regression=True) == worse
