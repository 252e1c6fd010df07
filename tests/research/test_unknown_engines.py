"""Threads processed by trees and models of posts that have not seen their engine or their domain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("lightgbm")
pytest.importorskip("torch")

from annotated_threads import article, thread

from research import community, unknown_engines
from research.trials import Trials
from research.unknown_engines import UnknownEngines
from scrapy_semtext.inference.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.training.datasets import AnnotatedPage


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> UnknownEngines:
    """Threads of six engines and some articles; no models are fitted, and the example of a page is the page."""
    monkeypatch.setattr(unknown_engines, "fit_posts", lambda *_: None)
    monkeypatch.setattr(unknown_engines, "structure_example", lambda page, _: page)
    monkeypatch.setattr(unknown_engines, "may_ship", lambda page: page.id != "a3")
    return UnknownEngines(
        [*map(thread, range(36)), *(article(n, "forums") for n in range(12))], parts=3, progress=False
    )


def test_what_is_learned_has_no_engine_and_no_domain_of_what_is_read(engines: UnknownEngines) -> None:
    for part in range(3):
        read = [engines.pages[number] for number in engines.left_out(part)]
        learned: Sequence[AnnotatedPage] = engines.known(part)  # type: ignore[assignment]
        assert not {page.extra["engine"] for page in read} & {page.extra.get("engine") for page in learned}
        assert not {page.domain for page in read} & {page.domain for page in learned}
        assert {page.id for page in learned if page.page_type == "article"} == {f"a{n}" for n in range(12) if n != 3}


class First:
    """Labels only the first block of a page as main content."""

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        first = [np.arange(len(page.text_blocks)) == 0 for page in pages]
        return [Scores(each.astype(np.float64), each) for each in first]


@pytest.mark.usefixtures("engines")
def test_the_whole_labeler_reads_each_thread_with_trees_that_left_it_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fitted: list[set[str]] = []

    class Trees:
        def log_odds(self, pages: Sequence[ParsedPage]) -> list[NDArray[np.float64]]:
            assert all(page.url is None for page in pages)
            return [np.full(len(page.text_blocks), 9.0) for page in pages]

    def fit(known: Sequence[AnnotatedPage], _settings: object) -> Trees:
        fitted.append({page.id for page in known})
        return Trees()

    monkeypatch.setattr(community, "fit_structure", fit)
    monkeypatch.setattr(unknown_engines, "find_posts", lambda *_: None)
    pages = [*map(thread, range(36)), *(article(number, "forums") for number in range(12))]
    trials = Trials(tmp_path, progress=False)
    scores = community._whole(pages, [First()] * 36, trials)  # type: ignore[list-item]
    assert sorted(scores) == list(range(36))
    assert {scores[number].id for number in range(36)} == {f"t{number}" for number in range(36)}
    assert {score.words.f1 for score in scores.values()} == {1.0}
    assert len(fitted) == 3
    assert trials.notes == ["trees and posts: 48 pages, 3 folds of the engines"]
