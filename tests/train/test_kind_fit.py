"""Models of page kinds: fitting, files, and evaluation."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from kind_pages import article, listing, product

from scrapy_semtext.cli import main
from scrapy_semtext.features.table import describe
from scrapy_semtext.read.kinds import KINDS, OVERVIEWS, KindModel
from scrapy_semtext.train.datasets import GENERATED, AnnotatedPage

pytest.importorskip("lightgbm")

from research import kind_folds
from scrapy_semtext.train.fit import Trees, read_examples
from scrapy_semtext.train.kinds import fit_kinds, kind_examples

if TYPE_CHECKING:
    from pathlib import Path


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
    settings = Trees(20, leaves=6, rate=0.08, least=15, objective="multiclass", num_class=len(KINDS))
    return fit_kinds(read_examples(pages, kind_examples), settings=settings, inner_folds=2)


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


def test_of_generated_pages_only_threads_and_comments_are_learned() -> None:
    page = replace(made("article", 1), dataset=GENERATED)
    learned = {
        kind: kind_examples(replace(page, page_type=kind)) for kind in ("thread", "comments", "listing", "article")
    }
    assert {kind: [KINDS[each.kind] for each in found] for kind, found in learned.items()} == {
        "thread": ["forum"],
        "comments": ["article"],
        "listing": [],
        "article": [],
    }


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
    assert kind_folds.main([str(data), "--bundles", str(tmp_path / "b")]) == 0
    assert "Kinds classified correctly: 100.0" in capsys.readouterr().out
    assert kind_folds.main([str(data), "--bundles", str(tmp_path / "b"), str(tmp_path / "b")]) == 1
    assert "kept out fold 1" in capsys.readouterr().err
