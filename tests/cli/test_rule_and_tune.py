from __future__ import annotations

import json
from io import StringIO
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


def test_a_rule_is_shown(labels: Callable[[int], str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", labels(3)]) == 0
    out, err = capsys.readouterr()
    assert "drop  div.ad" in out
    assert "keep  div.price" in out
    assert "better on pages that it was not made from" in out
    assert json.loads(out.splitlines()[-1]) == {"shop.test": {"drop": ["div.ad"], "keep": ["div.price"]}}
    assert "skipped 1 page not marked as done" in err


def test_a_rule_is_written_to_a_file_that_batch_reads(labels: Callable[[int], str]) -> None:
    Path("sites.json").write_text(json.dumps({"shop.test": {"title": "h1", "drop": "nav"}, "other.test": {}}))
    assert main(["rule", labels(3), "--rules", "sites.json", "--yes"]) == 0
    assert json.loads(Path("sites.json").read_text()) == {
        "shop.test": {"title": "h1", "drop": ["nav", "div.ad"], "keep": ["div.price"]},
        "other.test": {},
    }
    Path("in.jsonl").write_text(json.dumps({"url": "https://shop.test/kettle/9", "html": shop_page(9)}))
    assert main(["batch", "in.jsonl", "out.jsonl", "--sites", "sites.json"]) == 0
    assert "9 euros" in json.loads(Path("out.jsonl").read_text())["main_text"]


@pytest.mark.parametrize(("answer", "is_written"), [("\n", True), ("n\n", False), ("y\n", True)])
def test_a_terminal_is_asked(
    labels: Callable[[int], str], monkeypatch: pytest.MonkeyPatch, answer: str, is_written: bool
) -> None:
    stdin = StringIO(answer)
    monkeypatch.setattr(stdin, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", stdin)
    assert main(["rule", labels(3), "--rules", "sites.json"]) == 0
    assert Path("sites.json").exists() is is_written


def test_what_cannot_be_checked_is_not_written_unasked(
    labels: Callable[[int], str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rule", labels(1), "--rules", "sites.json", "--yes"]) == 0
    assert not Path("sites.json").exists()
    assert "not written, because it is not known to be better" in capsys.readouterr().err


def test_a_site_model_is_written_and_used(labels: Callable[[int], str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("rules").mkdir()
    assert main(["tune", labels(3), "-o", "models/shop", "--rules", "rules/sites.json"]) == 0
    assert "shop.test: better on pages that it was not made from: word F1" in capsys.readouterr().out
    assert json.loads(Path("rules/sites.json").read_text()) == {"shop.test": {"model": "../models/shop"}}
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
    assert main(["rule", labels(3), "--site", "other.test"]) == 1
    assert "No page of other.test is marked as done" in capsys.readouterr().err
    assert main(["rule", labels(3), "--rules", "sites.yaml"]) == 1
    assert "sites.yaml has to be a .json file" in capsys.readouterr().err
    Path("sites.json").write_text('{"shop.test": {"kep": []}}')
    assert main(["rule", labels(3), "--rules", "sites.json"]) == 1
    assert "did you mean 'keep'?" in capsys.readouterr().err
    Path("broken.jsonl").write_text('{"id": 1}')
    assert main(["rule", "broken.jsonl"]) == 1
    assert "broken.jsonl: line 1 is not a labeled page" in capsys.readouterr().err
    two = [pages[0].to_json(), pages[1].to_json().replace("shop.test", "mill.test")]
    Path("two.jsonl").write_text("\n".join(two))
    assert main(["tune", "two.jsonl", "-o", "model"]) == 1
    assert "select it with --site: mill.test, shop.test" in capsys.readouterr().err
