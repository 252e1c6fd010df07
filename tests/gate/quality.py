"""Measure the shipped bundle on the pages of the gate, and compare with the floors: ``python tests/gate/quality.py``.

    quality.py                              measure and compare
    quality.py --update                     write the floors of another bundle; only better ones are raised
    quality.py --update --allow-regression  write the measured values, although they are worse

A floor is a mean word F1 that was reached once, on all pages or on those of a type, or the share of pages whose kind
was correct. Measured values may be below it by the tolerance, so that another processor or version of torch does not
fail the gate. An update never lowers a floor by itself, so many small losses cannot add up unnoticed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import sys
from collections import defaultdict
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scrapy_semtext.extractor import Extractor

GATE = Path(__file__).parent
FLOORS = GATE / "floors.json"

#: How far below its floor a score may be: half a point for all pages. The ten or twenty pages of a type vary more with
#: anything that is changed, so there it is two points.
TOLERANCE = 0.005
TYPE_TOLERANCE = 0.02
BATCH = 16

Scores = dict[str, float]


class RegressionError(ValueError):
    """Floors would have to be lowered; the message lists them."""


@dataclass(frozen=True, slots=True)
class GatePage:
    """A real page with its true main text."""

    id: str
    url: str
    page_type: str
    html: str
    text: str


def read_sample() -> Iterator[GatePage]:
    """Yield the pages of the gate."""
    with lzma.open(GATE / "gate.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield GatePage(**json.loads(line))


def measure(extractor: Extractor) -> Scores:
    """Return the mean word F1 of all pages ("all") and of those of each type; a page that fails counts 0.

    "page_kind" is the share of pages whose type is correct.
    """
    from scrapy_semtext.extractor import Source
    from scrapy_semtext.train.corpus import word_prf

    found: dict[str, list[float]] = defaultdict(list)
    pages = read_sample()
    while batch := list(islice(pages, BATCH)):
        for page, read in zip(batch, extractor.read_many([Source(p.html, p.url) for p in batch]), strict=True):
            score = 0.0 if isinstance(read, Exception) else word_prf(read.main_text, page.text).f1
            found["all"].append(score)
            found[page.page_type].append(score)
            found["page_kind"].append(not isinstance(read, Exception) and read.page_kind == page.page_type)
    return {name: round(sum(values) / len(values), 4) for name, values in found.items()}


def losses(floors: Mapping[str, float], scores: Mapping[str, float]) -> list[str]:
    """Return a line for each floor that is missed by more than its tolerance; a missing score is a miss."""
    missed = []
    for name, floor in floors.items():
        score = scores.get(name, 0.0)
        tolerance = TOLERANCE if name == "all" else TYPE_TOLERANCE
        # A thousandth of a point of slack, so that a loss of exactly the tolerance passes whatever the last bit is.
        if score < floor - tolerance - 1e-5:
            missed.append(f"{name}: {score:.4f}, floor {floor:.4f} less {tolerance}")
    return missed


def lifted(floors: Mapping[str, float], scores: Mapping[str, float], *, allow_regression: bool = False) -> Scores:
    """Return the floors of another bundle: the higher of floor and score, or the scores if a loss is allowed.

    Raises RegressionError if a floor is missed by more than its tolerance and no loss is allowed.
    """
    if allow_regression:
        return dict(scores)
    if missed := losses(floors, scores):
        raise RegressionError("worse than before, so the floors stay as they are:\n  " + "\n  ".join(missed))
    return {name: max(score, floors.get(name, 0.0)) for name, score in scores.items()}


def read_floors(path: Path = FLOORS) -> dict[str, Any]:
    """Return ``{"bundle": fingerprint, "floors": {...}}``. Raises FileNotFoundError with advice."""
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing; write it with: python tests/gate/quality.py --update")
    floors: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return floors


def write_floors(floors: Scores, bundle: str, path: Path = FLOORS) -> None:
    """Write the floors and the fingerprint of the bundle they were measured with."""
    path.write_text(json.dumps({"bundle": bundle, "floors": floors}, indent=2) + "\n", encoding="utf-8")


def fingerprint(bundle: Path | None = None) -> str:
    """Return a fingerprint of what determines the shipped bundle's results: its manifest without the notes."""
    from scrapy_semtext.models.storage import SHIPPED

    described = json.loads(((bundle or SHIPPED) / "bundle.json").read_text(encoding="utf-8"))
    described.pop("training", None)
    return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()[:16]


def main() -> int:
    """Print the scores next to their floors; return 1 if the gate fails."""
    from scrapy_semtext.extractor import Extractor

    parser = argparse.ArgumentParser(description="Measure the shipped bundle on the pages of the quality gate.")
    parser.add_argument("--update", action="store_true", help="write the floors for the shipped bundle")
    parser.add_argument("--allow-regression", action="store_true", help="with --update: lower floors too")
    arguments = parser.parse_args()
    scores = measure(Extractor.load(device="cpu"))
    floors: Scores = read_floors()["floors"] if FLOORS.exists() or not arguments.update else {}
    for name, score in scores.items():
        sys.stdout.write(f"{name:<14} {score:.4f}   floor {floors.get(name, 0.0):.4f}\n")
    if not arguments.update:
        missed = losses(floors, scores)
        sys.stdout.write("".join(f"missed: {line}\n" for line in missed))
        return 1 if missed else 0
    try:
        write_floors(lifted(floors, scores, allow_regression=arguments.allow_regression), fingerprint())
    except RegressionError as error:
        sys.stderr.write(f"{error}\nAdd --allow-regression if this is meant to be.\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
