from __future__ import annotations

import pytest

from scrapy_semtext.dom.tags import GROUPS, Group
from scrapy_semtext.text.word_tables import TAG_WORDS


def test_every_html_element_has_a_group_of_its_own() -> None:
    svg_and_unknown = {tag for tag in TAG_WORDS if tag not in dict.keys(GROUPS)}
    assert not {tag for tag in svg_and_unknown if tag in "article body div p span td time".split()}


@pytest.mark.parametrize(
    ("tag", "group"),
    [
        ("script", Group.REMOVED),
        ("svg", Group.SWALLOWER),
        ("embed", Group.VOID),
        ("em", Group.INLINE),
        ("a", Group.LINK),
        ("br", Group.BREAK),
        ("article", Group.BOUNDARY),
        ("pre", Group.PREFORMATTED),
        ("td", Group.CELL),
        ("hr", Group.RULE),
        ("my-element", Group.BOUNDARY),
        ("o:p", Group.INLINE),
        ("unheard", Group.INLINE),
    ],
)
def test_groups(tag: str, group: Group) -> None:
    assert GROUPS[tag] is group
