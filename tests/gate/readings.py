"""Hashes of the results for the pages of the gate: ``python tests/gate/readings.py``.

    readings.py                  print them as JSON
    readings.py --update         write readings.json, after a change of the models or of the extraction
    readings.py --batch 1        in batches of another size; also --reverse, --threads, --simd-width

Results must not depend on the processor, on the size or order of batches, on threads, or on whether extensions are
compiled; `tests/test_determinism.py` extracts the pages under each of these conditions and compares.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lxml import etree

if __name__ == "__main__":  # run as a script
    sys.path.insert(0, str(Path(__file__).parent.parent))

from gate import quality

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.quality import GatePage
    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.page import Page

READINGS = quality.GATE / "readings.json"

#: For each page: the hashes of its texts and of its pairs, and its kind.
Readings = dict[str, dict[str, Any]]


def read(*, batch: int = quality.BATCH, reverse: bool = False, threads: int = 1) -> Readings:
    """Extract the pages of the gate, with one extractor for all concurrent threads."""
    from scrapy_semtext.extractor import Extractor, Options

    extractor = Extractor.load(device="cpu", options=Options(markdown=True, records=True, chunks=True))
    pages = list(quality.read_sample())
    if reverse:
        pages.reverse()
    batches = [pages[start : start + batch] for start in range(0, len(pages), batch)]
    with ThreadPoolExecutor(threads) as pool:
        shares = [batches[thread::threads] for thread in range(threads)]
        found = list(pool.map(partial(_read_batches, extractor), shares))
    readings = {name: reading for each in found for name, reading in each.items()}
    return {page.id: readings[page.id] for page in quality.read_sample()}


def _read_batches(extractor: Extractor, batches: Sequence[Sequence[GatePage]]) -> Readings:
    from scrapy_semtext.extractor import Source

    return {
        page.id: described(result)
        for pages in batches
        for page, result in zip(pages, extractor.read_many([Source(p.html, p.url) for p in pages]), strict=True)
    }


def described(page: Page | Exception) -> dict[str, Any]:
    """Return the compared values of a page, without scores, whose last digits differ between processors."""
    if isinstance(page, Exception):
        return {"error": repr(page)}
    pairs = [replace(pair, score=0.0, question_score=0.0) for pair in page.qa_pairs]
    rest = (page.comments, page.records, page.next_page, page.sections, page.segments, page.markdown, page.chunks)
    return {
        "text": _hash([page.title, page.main_text, [(block.text, block.label) for block in page.blocks]]),
        "pairs": _hash(pairs),
        "kind": page.page_kind,
        "overview": page.is_overview,
        "rest": _hash(rest),
    }


def _hash(value: Any) -> str:
    text = json.dumps(value, default=asdict, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def libxml() -> str:
    """Return the version of the HTML parser, because another one may build different trees."""
    return ".".join(map(str, etree.LIBXML_VERSION))


def differences(found: Readings, expected: Readings) -> Iterator[str]:
    """Yield a line for each page with different results, with the differences."""
    for name in {**expected, **found}:
        mine, other = found.get(name, {}), expected.get(name, {})
        if parts := [part for part in {**other, **mine} if mine.get(part) != other.get(part)]:
            yield f"{name}: {', '.join(parts)}"


def stored() -> dict[str, Any]:
    """Return ``{"bundle": ..., "libxml2": ..., "readings": ...}`` as last written."""
    found: dict[str, Any] = json.loads(READINGS.read_text(encoding="utf-8"))
    return found


def main() -> None:
    """Extract the pages as the arguments say, and print or write the results."""
    parser = argparse.ArgumentParser(description="Hash what the pages of the gate are read as.")
    parser.add_argument("--update", action="store_true", help="write readings.json")
    parser.add_argument("--batch", type=int, default=quality.BATCH)
    parser.add_argument("--reverse", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--simd-width", type=int, help="how many floats a register of the network may have: 4, 8, 16")
    arguments = parser.parse_args()
    if arguments.simd_width:
        from scrapy_semtext.utils.extensions import network

        if network.set_simd_width(arguments.simd_width) != arguments.simd_width:
            parser.error(f"this processor has no registers of {arguments.simd_width} floats")
    readings = read(batch=arguments.batch, reverse=arguments.reverse, threads=arguments.threads)
    if arguments.update:
        about = {"bundle": quality.fingerprint(), "libxml2": libxml(), "readings": readings}
        READINGS.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    else:
        json.dump(readings, sys.stdout)


if __name__ == "__main__":
    main()
