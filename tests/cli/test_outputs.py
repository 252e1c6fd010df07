"""What commands print."""

from __future__ import annotations

import pytest

from scrapy_semtext.cli.outputs import counted


@pytest.mark.parametrize(("count", "said"), [(0, "0 pages"), (1, "1 page"), (2, "2 pages")])
def test_one_thing_has_no_s(count: int, said: str) -> None:
    assert counted(count, "page") == said
