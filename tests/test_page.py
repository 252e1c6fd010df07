"""Pages and their parts have a repr on one line."""

from __future__ import annotations

from scrapy_semtext import Block, Page, QAPair, Section

LONG = "It was a dark and stormy night. " * 100


def test_a_page_is_counted_and_not_quoted() -> None:
    blocks = [Block(LONG, "main", 0.9), Block("Home", "boilerplate", 0.1)]
    page = Page(
        "https://example.com/night", "Night\n" + LONG, LONG, blocks, [QAPair("Why?", LONG)], page_kind="article"
    )
    assert repr(page) == (
        "<Page url='https://example.com/night', title='Night\\nIt was a dark and stormy night...ight. It was a dark and"
        " stormy night. ', page_kind='article': 700 words, 2 blocks, 1 pair>"
    )
    assert repr(Page()) == "<Page url=None, title=None, page_kind=None: 0 words, 0 blocks, 0 pairs>"


def test_parts_of_a_page_show_what_is_set_and_cut_long_texts() -> None:
    assert repr(Block("Home", "boilerplate", 0.0, "nav")) == (
        "Block(text='Home', label='boilerplate', probability=0.0, tag='nav')"
    )
    cut = "'It was a dark and stormy night. It wa...ight. It was a dark and stormy night. '"
    assert repr(Section(None, LONG, sections=[Section("A", "a"), Section("B", "b")])) == (
        f"Section(title=None, text={cut}, sections=[Section(title='A', text='a'), ...])"
    )
    assert repr(QAPair("Why?", LONG, votes=0)) == f"QAPair(question='Why?', answer={cut}, votes=0)"
