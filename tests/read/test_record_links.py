"""Where the links of records lead."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_semtext.read.candidates import (
    LINK_FEATURES,
    CandidateSets,
    PageAddress,
    link_features,
)
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.nodes import PageNodes

_HOST = "https://forum.example"
_THREAD = """
<h1>How to descale a kettle</h1><table>
<tr><td>Ann</td><td><a href="/topic.php?id=42&amp;post=1#p1">#1</a></td></tr>
<tr><td colspan=2 class=text>The kettle is full of lime, what helps?</td></tr>
<tr><td>Bob</td><td><a href="/topic.php?id=42&amp;post=2#p2">#2</a></td></tr>
<tr><td colspan=2 class=text>Vinegar helps, as <a href="https://else.example/a">this long guide says</a>.</td></tr>
</table>"""
_LIST = """
<h1>Kettles</h1><ul>
<li class=row><a href="/topic.php?id=42">How to descale a kettle</a> <p class=text>by Ann, 2 replies</p></li>
<li class=row><a href="/topic.php?id=43">Which water is the best for tea?</a> <p class=text>by Bob, no replies</p></li>
</ul>"""


def _features(html: str, url: str | None) -> dict[str, float]:
    nodes = PageNodes.of_page(parsing.parse(html, url))
    posts = [number for number, scope in enumerate(nodes.scopes) if scope.classes == "text"]
    sets = CandidateSets(np.zeros(1, dtype=np.int64), np.array([len(posts)]), np.array(posts))
    (row,) = link_features(nodes, sets, [url])
    return dict(zip(LINK_FEATURES, row.tolist(), strict=True))


def test_posts_link_to_their_page() -> None:
    found = _features(_THREAD, f"{_HOST}/topic.php?id=42")
    assert found["own"] == found["same_number"] == found["to_part"] == 1.0
    assert found["titled"] == 0.5  # the guide
    assert found["title_chars"] < 0.5


def test_rows_of_a_list_link_to_other_pages_of_one_form() -> None:
    found = _features(_LIST, f"{_HOST}/board.php?id=7")
    assert found["own"] == found["same_number"] == found["to_part"] == 0.0
    assert found["titled"] == found["title_targets"] == found["title_texts"] == 1.0
    assert found["title_form"] == found["title_first"] == 1.0
    assert found["title_chars"] > 0.5


def test_without_an_address_only_parts_of_the_page_are_its_own() -> None:
    found = _features(_THREAD.replace("/topic.php?id=42&amp;post=1", ""), None)
    assert found["own"] == 0.5
    assert found["same_number"] == 0.0


@pytest.mark.parametrize(
    ("href", "is_own"),
    [
        ("/topic/42-lime", True),
        ("/topic/42-lime/page/2", True),
        ("?reply=9", True),
        ("#p3", True),
        ("#", False),
        ("/quote/42", True),
        ("/quote?t=42-lime", True),
        ("/topic/420-lime", False),
    ],
)
def test_links_of_a_page_to_itself(href: str, is_own: bool) -> None:
    link = PageAddress(f"{_HOST}/topic/42-lime").link("x", href)
    assert link is not None
    assert link.is_own is is_own


@pytest.mark.parametrize("href", ["mailto:ann@forum.example", "javascript:void(0)", "https://[broken/"])
def test_links_to_no_page(href: str) -> None:
    assert PageAddress(None).link("Ann", href) is None
