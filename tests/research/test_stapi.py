"""The experiment on annotated documents, with documents that a model learns in a second."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("lightgbm")


from research import stapi

if TYPE_CHECKING:
    from pathlib import Path

PROSE = "We keep what you send us for as long as it is needed, and no longer than the law of your country allows."


def document(number: int) -> dict[str, object]:
    """Return sections with bold paragraphs as titles, a menu before and a notice after them."""
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
