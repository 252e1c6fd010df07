"""A page's own description: which blocks repeat it, and the features derived from it."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_semtext.features.table import PageTable, describe, description_columns

ABOUT = "Otters return to the rivers of Bavaria, and fishermen are worried"
HTML = f"""
<html><head>
  <meta name="Description" content="{ABOUT}"><meta property="og:description" content="Otters return">
</head><body>
  <div class="menu"><a href="/">Rivers</a></div>
  <div class="article">
    <h1>Worried fishermen</h1>
    <p>Otters return to the rivers of Bavaria. Fishermen are worried that little is left for them to catch.</p>
    <p>Last year nobody had seen one for decades.</p>
  </div>
  <div class="footer">Imprint</div>
</body></html>"""


def table_of(html: str) -> dict[str, list[float]]:
    columns = description_columns(PageTable([describe(html, None)]))
    return {name: np.round(column.astype(np.float64), 2).tolist() for name, column in columns.items()}


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("", ""),
        ("<meta name=description>", ""),
        ("<meta name=keywords content=otters>", ""),
        ("<meta name=description content='Otters'>", "Otters"),
        (
            "<meta name=DESCRIPTION content='Otters'><meta property='og:description' content='Otters return'>",
            "Otters return",
        ),
        ("<meta name=og:description content='Otters return'><meta name=description content='Otters'>", "Otters return"),
    ],
)
def test_the_longest_description_counts(head: str, expected: str) -> None:
    assert PageTable([describe(f"<head>{head}</head><p>text", None)]).descriptions.texts == [expected]


def test_blocks_are_compared_with_the_description() -> None:
    found = table_of(HTML)  # a menu, a heading, two paragraphs in one block, a footer
    # its six words of four letters and more: otters, return, rivers, bavaria, fishermen, worried
    assert found["description_coverage"] == pytest.approx([1 / 6, 2 / 6, 1, 0], abs=0.01)
    assert found["description_share"][:2] == [1, 1]
    assert 0 < found["description_share"][2] < 1
    assert found["description_distance"] == [-2, -1, 0, 1]
    assert found["description_found"] == [1, 1, 1, 1]


def test_elements_above_hold_what_their_blocks_hold() -> None:
    found = table_of(HTML)
    assert found["description^0"] == found["description_coverage"]
    assert found["description^1"][1:3] == pytest.approx([8 / 6] * 2, abs=0.01)  # the heading and the paragraphs
    assert found["description^6"] == pytest.approx([9 / 6] * 4, abs=0.01)


@pytest.mark.parametrize("head", ["", f"<meta name=description content='{'Nothing of this stands below. ' * 3}'>"])
def test_a_description_that_is_not_in_the_page(head: str) -> None:
    found = table_of(f"<head>{head}</head><body><p>Otters are back.</p><p>So are beavers.</p></body>")
    assert set(found["description_distance"]) == {-999}
    assert set(found["description_found"]) == {0}
    assert set(found["description_coverage"]) == {0}
