from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from commanding import LongBlocks, install
from labeled_shop import shop_page, shop_pages

from scrapy_semtext.cli import main
from scrapy_semtext.extractor import Extractor, Options

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_semtext.site.labeled_pages import LabeledPage


@pytest.fixture(autouse=True)
def _without_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(monkeypatch)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def pages() -> list[LabeledPage]:
    return shop_pages(Extractor(LongBlocks(), "expected-f1", Options()), 4)


@pytest.fixture
def labels(pages: list[LabeledPage], tmp_path: Path) -> Callable[[int], str]:
    """Write the labels of this many pages, and of one that is not done."""

    def write(count: int) -> str:
        undone = pages[-1].to_json().replace('"done": true', '"done": false')
        (tmp_path / "labels.jsonl").write_text("\n".join([*(page.to_json() for page in pages[:count]), undone]))
        return "labels.jsonl"

    return write


def test_a_site_model_is_written_and_used(labels: Callable[[int], str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("rules").mkdir()
    Path("rules/sites.json").write_text(json.dumps({"shop.test": {"title": "h1"}, "other.test": {}}))
    assert main(["tune", labels(3), "-o", "models/shop", "--rules", "rules/sites.json"]) == 0
    out, err = capsys.readouterr()
    assert "shop.test: better on pages that it was not made from: word F1" in out
    assert "skipped 1 page not marked as done" in err
    assert json.loads(Path("rules/sites.json").read_text()) == {
        "shop.test": {"title": "h1", "model": "../models/shop"},
        "other.test": {},
    }
    about = json.loads(Path("models/shop/site.json").read_text())["about"]
    assert (about["site"], about["pages"], about["word_f1"][1]) == ("shop.test", 3, 1.0)
    Path("page.html").write_text(shop_page(9))
    command = ["extract", "page.html", "--url", "https://shop.test/kettle/9", "--sites", "rules/sites.json"]
    assert main(command) == 0
    assert "9 euros" in capsys.readouterr().out


def test_a_site_model_that_is_not_better_is_not_written(
    labels: Callable[[int], str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tune", labels(1), "-o", "model"]) == 1
    assert "Label more pages, or use --force" in capsys.readouterr().err
    assert not Path("model").exists()
    assert main(["tune", labels(1), "-o", "model", "--force"]) == 0
    assert Path("model/site.json").exists()


def test_wrong_arguments(
    pages: list[LabeledPage], labels: Callable[[int], str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tune", labels(0), "-o", "model"]) == 1
    assert "No page is marked as done among 1 labeled page;" in capsys.readouterr().err
    assert main(["tune", labels(3), "-o", "model", "--site", "other.test"]) == 1
    assert "No page of other.test is marked as done" in capsys.readouterr().err
    assert main(["tune", labels(3), "-o", "model", "--rules", "sites.yaml"]) == 1
    assert "sites.yaml has to be a .json file" in capsys.readouterr().err
    Path("sites.json").write_text('{"shop.test": {"kep": []}}')
    assert main(["tune", labels(3), "-o", "model", "--rules", "sites.json"]) == 1
    assert "did you mean 'keep'?" in capsys.readouterr().err
    Path("broken.jsonl").write_text('{"id": 1}')
    assert main(["tune", "broken.jsonl", "-o", "model"]) == 1
    assert "broken.jsonl: line 1 is not a labeled page" in capsys.readouterr().err
    two = [pages[0].to_json(), pages[1].to_json().replace("shop.test", "mill.test")]
    Path("two.jsonl").write_text("\n".join(two))
    assert main(["tune", "two.jsonl", "-o", "model"]) == 1
    assert "select it with --site: mill.test, shop.test" in capsys.readouterr().err


def test_the_former_command_says_what_to_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "labels.jsonl"]) == 2
    assert "semtext rule was removed: use `semtext tune LABELS -o DIR`" in capsys.readouterr().err
