"""Sites of real software, recorded with the pages of the quality gate as content, are crawled by `semtext crawl`."""

from __future__ import annotations

from pathlib import Path

import pytest

from research.site_crawls.measure import measure
from research.site_crawls.recording import RecordedSite

RECORDINGS = sorted(Path(__file__).parent.glob("recordings/*.jsonl.xz"))
# Floors against setbacks, for small sites from which a crawl has little to learn; research/notes/site-crawls.md has the
# figures of sites of full size.
FLOORS = {"found": 0.95, "words": 0.9, "pairs": 0.9}
MOST_WASTED = 0.3

pytestmark = [pytest.mark.slow, pytest.mark.crawl]


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.name.partition(".")[0])
def test_content_of_a_real_site_is_found(recording: Path, tmp_path: Path) -> None:
    row = measure(RecordedSite(recording), tmp_path)
    figures = {name: getattr(row.score, name) for name in FLOORS}
    assert {name: figures[name] for name, floor in FLOORS.items() if figures[name] < floor} == {}
    assert row.score.wasted <= MOST_WASTED
    assert row.score.items_twice <= 2  # lists of one short article
