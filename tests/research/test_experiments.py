"""The experiments of the paper, on pages small enough for training in seconds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("lightgbm")
pytest.importorskip("torch")

from tiny_training import FAST, TINY, write_site

from research import ablation, community
from research.experiment import main
from research.measuring import PageScore
from research.trials import Trials
from scrapy_semtext.training.datasets import AnnotatedPage
from scrapy_semtext.training.scoring import PRF

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def page(text: str, html: str | None = None, url: str | None = None) -> AnnotatedPage:
    return AnnotatedPage(text[:9], "set", url, "article", "en", html or f"<p>{text}</p>", text, "example.com")


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fasttext")
    settings = replace(FAST, epochs=4)
    monkeypatch.setattr(ablation, "CONFIG", replace(TINY, numbers=False, page_vector=0))
    monkeypatch.setattr(ablation, "SETTINGS_USED", settings)
    monkeypatch.setattr(community, "COMPACT", TINY)
    monkeypatch.setattr(community, "SETTINGS_USED", settings)


@pytest.mark.slow
@pytest.mark.usefixtures("tiny")
def test_the_ablation_tests_four_on_the_same_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_site(tmp_path / "site.jsonl")
    assert main(ablation.run, ablation.__doc__, [str(tmp_path / "site.jsonl"), "--out", str(tmp_path / "out")]) == 0
    assert "| text and classes |" in capsys.readouterr().out
    systems = json.loads((tmp_path / "out" / "table.json").read_text(encoding="utf-8"))["systems"]
    assert list(systems) == list(ablation.WITHOUT)
    assert len({system["groups"]["all"]["pages"] for system in systems.values()}) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("tiny")
def test_no_engine_and_no_site_is_learned_from_that_is_tested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_site(tmp_path / "site.jsonl")
    lines = (tmp_path / "site.jsonl").read_text(encoding="utf-8").splitlines()
    posts = [json.loads(line) | {"id": f"f{i}", "page_type": "forum"} for i, line in enumerate(lines[:12])]
    for number, row in enumerate(posts):
        row["url"] = f"https://forum{number // 2}.example/{number}"
        row["html"] = row["html"].replace("<title>", "<!-- phpBB --><title>" if number < 6 else "<!-- MyBB --><title>")
    (tmp_path / "forum.jsonl").write_text("\n".join(map(json.dumps, posts)), encoding="utf-8")
    learned: list[set[str]] = []
    train = Trials.train

    def watch(self: Trials, *arguments: Any, **more: Any) -> Path:
        learned.append({example.id for example in arguments[4]})
        return train(self, *arguments, **more)

    monkeypatch.setattr(Trials, "train", watch)
    # the whole labeler has tests of its own (test_unknown_engines.py); of it only which network reads what
    read: list[tuple[str, object]] = []

    def whole(pages: Sequence[AnnotatedPage], networks: Sequence[object], _: Trials) -> dict[int, PageScore]:
        read.extend((page.id, network) for page, network in zip(pages, networks, strict=False))
        return {n: PageScore(pages[n].dataset, pages[n].id, "forum", PRF(1, 1, 1), None, 0.0) for n in range(12)}

    monkeypatch.setattr(community, "_whole", whole)
    found = community.run([tmp_path / "site.jsonl", tmp_path / "forum.jsonl"], Trials(tmp_path / "out", progress=False))
    assert [score.id for score in found["before"].scores] == [score.id for score in found["after"].scores]
    assert [score.id for score in found["after, trees and posts"].scores] == [
        score.id for score in found["after"].scores
    ]
    before, *after = learned
    php, my = ({row["id"] for row in part} for part in (posts[:6], posts[6:]))
    assert not before & (php | my)
    assert sorted(map(sorted, (ids - before for ids in after))) == sorted(map(sorted, (php, my)))
    by_network = {network: {name for name, other in read if other is network} for _, network in read}
    assert sorted(map(sorted, by_network.values())) == sorted(map(sorted, (php, my)))
