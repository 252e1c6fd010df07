"""Labelled blocks to sections and to titles, prose and miscellany."""

from __future__ import annotations

from scrapy_semtext.page import Block, Section, Segment
from scrapy_semtext.reading.sections import sections_of, segments_of


def main(tag: str, text: str) -> Block:
    return Block(text, "main", 0.9, tag)


def boilerplate(tag: str, text: str) -> Block:
    return Block(text, "boilerplate", 0.1, tag)


def test_sections_are_cut_at_the_headings_of_the_main_content() -> None:
    blocks = [
        boilerplate("h1", "Corner Shop"),
        main("p", "Published on Monday"),
        main("h1", "How to sharpen\na knife"),
        main("p", "A dull knife is dangerous.\nA sharp one is not."),
        boilerplate("h3", "Advertisement"),
        main("p", "Begin with the stone."),
        main("h2", "What you need"),
        main("h3", "The stone"),
        main("li", "grit 1000"),
        boilerplate("h2", "Related articles"),
    ]
    assert sections_of(blocks) == [
        Section(None, "Published on Monday", 1),
        Section("How to sharpen a knife", "A dull knife is dangerous.\nA sharp one is not.\nBegin with the stone.", 1),
        Section("What you need", "", 2),
        Section("The stone", "grit 1000", 3),
    ]


def test_no_main_content_has_no_sections() -> None:
    assert sections_of([]) == []
    assert sections_of([boilerplate("h1", "Menu"), boilerplate("p", "Cookies are used here.")]) == []
    assert segments_of([boilerplate("p", "Cookies are used here.")]) == []


def test_segments_of_a_privacy_policy() -> None:
    blocks = [
        boilerplate("li", "Home"),
        main("h1", "Privacy Policy"),
        main("div", "Last updated: 29 January 2021"),
        main("div", "Print this page"),
        main("p", "Use of cookies\nA cookie is a small file that is kept on your computer."),  # a bold line, as a title
        main("p", "We use them for:"),
        main("li", "your language"),
        main("li", "your basket"),
        main("p", "数据的使用"),
        main("p", "我们不会出售您的数据。"),
        main("a", "Back to top"),
    ]
    assert segments_of(blocks) == [
        Segment("Privacy Policy", "title"),
        Segment("Last updated: 29 January 2021", "miscellany"),
        Segment("Print this page", "miscellany"),
        Segment("Use of cookies", "title"),
        Segment("A cookie is a small file that is kept on your computer.", "prose"),
        Segment("We use them for:", "prose"),
        Segment("your language", "prose"),
        Segment("your basket", "prose"),
        Segment("数据的使用", "title"),
        Segment("我们不会出售您的数据。", "prose"),
        Segment("Back to top", "miscellany"),
    ]


def test_a_long_line_is_prose_however_it_ends() -> None:
    line = "one two three four five six seven eight nine ten eleven twelve"
    assert segments_of([main("p", line)]) == [Segment(line, "prose")]


def test_a_sentence_may_end_in_brackets_quotation_marks_or_a_footnote() -> None:
    lines = ['He said "no."', "(So did she.)", "Nobody knows why.[3]", "„Warum?“"]
    assert [segment.label for segment in segments_of([main("p", "\n".join(lines))])] == ["prose"] * 4
