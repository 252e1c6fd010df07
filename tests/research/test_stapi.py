"""The experiment on annotated documents, on some that a model learns in a second."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("lightgbm")


from research import stapi, stapi_models
from research.stapi_documents import read_documents
from research.stapi_neighbours import around, likenesses
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.sections.lines import lines_of

if TYPE_CHECKING:
    from pathlib import Path

PROSE = "We keep what you send us for as long as it is needed, and no longer than the law of your country allows."


def document(number: int) -> dict[str, object]:
    """Sections with bold paragraphs for titles, a menu before and a notice behind them."""
    segments = [("Home", "irrelevance"), (f"Shop {number}", "irrelevance")]
    for section in range(4):
        segments += [(f"{section + 1}. Data of kind {section}", "title"), *[(f"{PROSE} {number}.", "prose")] * 2]
    segments.append((f"Copyright {number}", "irrelevance"))
    html = "<ul><li>{}</li><li>{}</li></ul><div>{}</div><footer>{}</footer>".format(
        *(text for text, _ in segments[:2]),
        "".join(f"<p><b>{text}</b></p>" if label == "title" else f"<p>{text}</p>" for text, label in segments[2:-1]),
        segments[-1][0],
    )
    labeled = [{"text": text, "label": label} for text, label in segments]
    kind = ("privacy_policy", "terms_of_service")[number % 2]
    shown = f"<html><body>{html}</body></html>"
    return {"id": str(number), "page_type": kind, "html": shown, "text": PROSE, "extra": {"segments": labeled}}


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    path = tmp_path / "documents.jsonl"
    path.write_text("".join(json.dumps(document(number)) + "\n" for number in range(30)))
    return path


@pytest.mark.slow
def test_every_document_is_labeled_by_models_that_did_not_see_it(
    documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = tmp_path / "found.jsonl"
    monkeypatch.setattr("sys.argv", ["stapi", str(documents), "--predictions", str(found)])
    assert stapi.main() == 0
    tables = capsys.readouterr().out
    assert "| | privacy_policy | terms_of_service | all |" in tables
    ours = re.search(r"Titles and prose from whole pages.*?\| ours, trained \| (.*?) \|\n", tables, re.DOTALL)
    assert ours is not None
    assert ours[1] == "1.000 | 1.000 | 1.000"  # all of them are made alike
    rows = [json.loads(line) for line in found.read_text().splitlines()]
    assert len(rows) == 30
    assert [segment["label"] for segment in rows[0]["segments"]] == ["title", "prose", "prose"] * 4


@pytest.mark.slow
def test_a_first_model_is_asked_only_for_documents_that_it_did_not_see(
    documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[int, set[str]] = {}
    asked: list[tuple[set[str], float]] = []

    class Model:
        def __init__(self, ids: set[str]) -> None:
            self.ids = ids

        def predict(self, rows: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> object:
            asked.append((self.ids, float(rows[0, 0])))
            return np.full((len(rows), 4), 0.25)

    monkeypatch.setattr(stapi_models, "_fitted", lambda examples: Model({document.id for _, document in examples}))
    read = read_documents(documents, progress=False)
    for number, one in enumerate(read):
        one.ours[0, 0] = number  # so that it is known again
        seen[number] = {one.id}
    models = stapi_models.Ours(read)
    for out in range(5):
        assert set(models.shares(out)) == {one.id for one in read if one.fold == out}
    assert asked
    assert all(ids.isdisjoint(seen[int(number)]) for ids, number in asked)


def test_a_line_is_told_of_those_around_it_and_like_it() -> None:
    described = describe("<p><b>One</b></p><p>First text.</p><p><b>Two</b></p><p>Second text.</p>", None)
    lines = lines_of([described])
    by_looks, by_tags, by_text = likenesses(lines)
    assert by_looks.tolist() == [0, 1, 0, 1]
    assert by_tags.tolist() == [0, 0, 0, 0]
    assert by_text.tolist() == [0, 1, 2, 3]
    shares = np.array([[0.9, 0.1], [0.1, 0.9], [0.5, 0.5], [0.1, 0.9]])
    rows = around(shares, np.ones(4), [by_looks])
    assert rows[:, -3].tolist() == pytest.approx([0.7, 0.1, 0.7, 0.1])  # the mean of those that look alike
    assert rows[:, -1].tolist() == [2, 2, 2, 2]
    assert rows[1, 2:4].tolist() == [-12, -12]  # nothing stands three lines before
    assert rows[3, 2:4].tolist() == pytest.approx(rows[0, :2].tolist())


def test_pages_of_one_line_have_as_many_columns() -> None:
    one, many = np.array([[0.5, 0.5]]), np.full((9, 2), 0.5)
    alike = np.zeros(9, dtype=np.int64)
    assert around(one, np.ones(1), [alike[:1]]).shape[1] == around(many, np.ones(9), [alike]).shape[1]
