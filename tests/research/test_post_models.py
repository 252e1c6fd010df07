"""Models of posts for learning labels: none has seen the engine or the domain of the page that it is applied to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from annotated_threads import article, thread

pytest.importorskip("lightgbm")


from research import unknown_engines
from research.unknown_engines import OutOfFoldPostModels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.training.post_fit import PostExample


@pytest.fixture
def fitted(monkeypatch: pytest.MonkeyPatch) -> list[list[PostExample]]:
    """The training data of each model; the models are indexes of this list."""
    found: list[list[PostExample]] = []

    def fit(examples: Sequence[PostExample], _seed: int) -> int:
        found.append(list(examples))
        return len(found) - 1

    monkeypatch.setattr(unknown_engines, "fit_posts", fit)
    return found


def test_no_model_looks_at_what_it_was_fitted_to(fitted: list[list[PostExample]]) -> None:
    pages = [*map(thread, range(36)), *(article(number, "forums") for number in range(12))]
    crossed = OutOfFoldPostModels(pages)
    engines = {page.id: page.extra.get("engine", page.domain) for page in pages}
    for page in pages:
        learned = [example.page for example in fitted[crossed(page)]]  # type: ignore[call-overload]
        assert learned
        assert engines[page.id] not in {engines[other.id] for other in learned}
        assert page.domain not in {other.domain for other in learned}
