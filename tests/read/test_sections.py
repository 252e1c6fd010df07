"""Lines, their features, and the sections that they are the titles of."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_semtext.features.table import describe
from scrapy_semtext.page import Block, Section
from scrapy_semtext.read.line_features import FEATURES, line_features, numbering
from scrapy_semtext.read.lines import Lines, lines_of
from scrapy_semtext.read.sections import TitleReader, load_section_models, nested, read_sections
from scrapy_semtext.tree.scopes import has_cells, main_text


def lines(html: str) -> Lines:
    described = describe(html, None)
    return lines_of([described])


def test_lines_are_cut_at_blocks_and_breaks() -> None:
    found = lines("<p>One<br>two</p><p>three</p><table><tr><td>a<td>b</table>")
    assert found.texts == ["One", "two", "three", "a", "b"]
    assert found.line_index[:3].tolist() == [0, 1, 0]
    assert found.line_count[:3].tolist() == [2, 2, 1]
    assert found.separators(range(5)) == ["", "\n", "\n", "", "\t"]
    assert found.block.tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("html", "bold"),
    [
        ("<p><b>Bold</b></p>", 1.0),
        ("<p><b><span>Bold</span></b></p>", 1.0),
        ("<p>Half <strong>bold</strong></p>", 0.5),
        ("<p><b>All </b> <i><b>of it</b></i> </p>", 1.0),
        ('<p style="font-weight: 700">Bold</p>', 1.0),
        ('<p style="font-weight:bold"><span style="font-weight:normal">Not</span></p>', 0.0),
        ("<h2>A heading tag says nothing of looks</h2>", 0.0),
    ],
)
def test_how_much_of_a_line_is_bold(html: str, bold: float) -> None:
    assert lines(html).bold.tolist() == [bold]


def test_lines_of_one_raw_block_have_the_style_of_their_own_text() -> None:
    assert lines("<p><b>All<br>of it</b></p>").bold.tolist() == [1.0, 1.0]
    assert lines("<p><b>All</b><br>or none</p>").bold.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("html", "size"),
    [
        ("<p>x</p>", 16),
        ('<p style="font-size: 12pt">x</p>', 16),
        ('<div style="font-size:20px"><p style="font-size:150%">x</p></div>', 30),
        ('<font size="+2">x</font>', 24),
        ('<font size="10">x</font>', 48),
        (f'<font size="{"9" * 5000}">x</font>', 48),
        ('<font size="-10">x</font>', 10),
        ('<font size="large">x</font>', 16),
        ('<p style="font: bold 18px serif">x</p>', 18),
        ('<p style="font-size:x-large">x</p>', 24),
    ],
)
def test_the_size_of_a_line(html: str, size: float) -> None:
    assert lines(html).size[0] == pytest.approx(size)


def test_the_styles_of_lines_that_a_break_divides() -> None:
    found = lines("<p><b>Title</b><br>Text with a <a href=x>link</a></p>")
    assert found.bold.tolist() == [1.0, 0.0]
    assert found.link[1] == pytest.approx(4 / 13)


def test_the_heading_around_a_line() -> None:
    assert lines("<h2>a</h2><h3><div>b</div></h3><p>c</p>").heading.tolist() == [2, 3, 0]


@pytest.mark.parametrize(
    ("text", "kind", "depth", "value"),
    [
        ("1. Scope", "decimal", 1, 1),
        ("2.3.1 Data we keep", "decimal", 3, 1),
        ("(4) Anything else", "decimal", 1, 4),
        ("IV. Terms", "roman", 1, 4),
        ("b) your basket", "letter", 1, 2),
        ("Article 5 - Scope", "labeled", 1, 5),
        ("§ 3 Geltungsbereich", "labeled", 1, 3),
        ("第三章 总则", "chinese", 1, 0),
        ("Scope", "none", 0, 0),
        ("Section of the law", "none", 0, 0),
        ("A basket", "none", 0, 0),
    ],
)
def test_numbers_in_front_of_lines(text: str, kind: str, depth: int, value: int) -> None:
    assert numbering(text)[:3] == (kind, depth, value)


def test_features_are_finite_whatever_the_page() -> None:
    long = "<li style='font-size:0'>" + "a " * 999
    for html in ("<p>x", "<br>", "<p>\u200b</p>", "<p>§§§ 1.1.1.1.1.1.1</p>" * 3, long):
        found = lines(html)
        rows = line_features(found, ["A title"])
        assert rows.shape == (len(found), len(FEATURES))
        assert np.isfinite(rows).all()


def test_long_style_attributes() -> None:
    found = lines(f"<p style='{'font: x ' * 20_000}; font: bold {'1' * 20_000} 20px serif'>Text</p>")
    assert (found.bold.tolist(), found.size.tolist()) == ([1.0], [20.0])


PROSE = (
    "We keep what you tell us for as long as you have an account, and for a year after that. "
    "Nobody else gets to see it, unless the law asks us for it."
)
MORE = "You can ask for a copy at any time. It is sent within thirty days, to the address that we know of you."


def read(html: str, *, boilerplate: str = "nothing") -> tuple[list[Section], list[tuple[str, str]]]:
    """Process a page whose blocks are all main content except those that begin with some words."""
    described = describe(html, None)
    blocks = [
        Block(block.text, "boilerplate" if block.text.startswith(boilerplate) else "main", 0.9, block.scope.tag)
        for block in described.text_blocks
    ]
    ((sections, segments),) = read_sections([described], [blocks], load_section_models())
    return sections, [(segment.label, segment.text) for segment in segments]


def levels(html: str, *titles: str) -> list[tuple[str, int]]:
    """Return the titles of a page with their levels, given the beginnings of the lines that are titles."""
    described = describe(html, None)
    lines = lines_of([described])
    numbers = [number for number, text in enumerate(lines.texts) if text.startswith(titles)]
    return [(title.text, title.level) for title in TitleReader(lines).titles(numbers)]


@pytest.mark.smoke
def test_heading_tags_cut_the_main_content_into_a_tree() -> None:
    sections, _ = read(
        f"<p>{MORE}</p><h1>Your data</h1><p>{PROSE}</p><p>{MORE}</p><h2>What we keep</h2><p>{PROSE}</p>"
        f"<h3>Addresses</h3><p>{MORE}</p><h2>What we do not keep</h2><p>{PROSE}</p><h4>Related</h4>",
        boilerplate="Related",
    )
    kept = Section("What we keep", PROSE, 2, [Section("Addresses", MORE, 3)])
    assert sections == [
        Section(None, MORE),
        Section("Your data", f"{PROSE}\n{MORE}", 1, [kept, Section("What we do not keep", PROSE, 2)]),
    ]


@pytest.mark.parametrize(
    "title",
    [
        "<p><strong>{}</strong></p>",
        "<p><b>{}</b></p>",
        '<div class="title">{}</div>',
        "<h3>{}</h3>",
        '<p style="font-weight: bold">{}</p>',
    ],
)
def test_titles_need_no_heading_tags(title: str) -> None:
    names = ["Use of cookies", "How long we keep data", "Your rights", "Changes"]
    html = "".join(f"{title.format(name)}<p>{PROSE}</p><p>{MORE}</p>" for name in names)
    sections, segments = read(f"<body><main>{html}</main>")
    assert [section.title for section in sections] == names
    assert all(section.text == f"{PROSE}\n{MORE}" for section in sections)
    assert segments[:3] == [("title", "Use of cookies"), ("prose", PROSE), ("prose", MORE)]


def test_a_bold_line_in_front_of_a_break_heads_what_follows_in_its_paragraph() -> None:
    names = ["Use of cookies", "How long we keep data", "Your rights"]
    sections, _ = read("".join(f"<p><b>{name}</b><br>{PROSE}</p>" for name in names))
    assert [(section.title, section.text) for section in sections] == [(name, PROSE) for name in names]


def test_the_texts_of_the_sections_are_the_main_text() -> None:
    html = f"<p>Name</p><table><tr><td>a</td><td>b</td></tr></table><p>{PROSE}<br>{MORE}</p><p>x</p>"
    sections, _ = read(html)
    assert "\n".join(section.text for section in sections).split() == f"Name a b {PROSE} {MORE} x".split()
    assert "a\tb" in sections[0].text


@pytest.mark.parametrize("cell", ["td", "th", "div"])
def test_the_main_text_is_the_same_where_the_layout_is_known(cell: str) -> None:
    html = f"<p>a</p><table><tr><{cell}><p>b</p><p>c</p></{cell}><{cell}>d</{cell}></table><p>e</p>"
    described = describe(html, None)
    for keep in ([True] * len(described.text_blocks), [block.text != "c" for block in described.text_blocks]):
        joined = main_text(described.text_blocks, keep)
        assert main_text(described.text_blocks, keep, described.layout()) == joined
        assert ("\td" in joined) == has_cells(described.layout()) == (cell != "div")


def test_a_page_without_text_has_no_sections() -> None:
    assert read("<div></div>") == ([], [])


def test_sections_stand_in_the_last_one_of_a_lower_level() -> None:
    flat = [Section("a", "", 1), Section("b", "", 3), Section("c", "", 2), Section("d", "", 3), Section("e", "", 1)]
    a, e = nested(flat)
    assert [section.title for section in a.sections] == ["b", "c"]
    assert a.sections[1].sections == [Section("d", "", 3)]
    assert e == Section("e", "")


def test_levels_follow_the_heading_tags() -> None:
    assert levels("<h2>A</h2><p>x</p><h4>B</h4><p>x</p><h2>C</h2>", "A", "B", "C") == [("A", 2), ("B", 4), ("C", 2)]


def test_levels_of_one_tag_follow_the_numbers() -> None:
    html = "<h2>1. A</h2><p>x</p><h2>1.1 B</h2><p>x</p><h2>1.2 C</h2><p>x</p><h2>2. D</h2>"
    assert [level for _, level in levels(html, "1", "2")] == [2, 3, 3, 2]


def test_levels_of_bold_lines_follow_their_numbers_and_size() -> None:
    numbered = "<p><b>1 A</b></p>x<p><b>1.1 B</b></p>x<p><b>1.1.1 C</b></p>x<p><b>2 D</b></p>"
    assert [level for _, level in levels(numbered, "1", "2")] == [1, 2, 3, 1]
    sized = '<p><b>A</b></p>x<p><b><font size="5">B</font></b></p>x<p><b>C</b></p>'
    assert levels(sized, "A", "B", "C") == [("A", 2), ("B", 1), ("C", 2)]


def test_lines_that_look_alike_are_of_one_level_and_below_heading_tags() -> None:
    html = "<h1>A</h1><p><b>B</b></p>x<p><i>C</i></p>x<p><b>D</b></p>x<h2>E</h2>x<p><b>F</b></p>x"
    found = levels(html, "A", "B", "C", "D", "E", "F")
    assert found == [("A", 1), ("B", 3), ("C", 4), ("D", 3), ("E", 2), ("F", 3)]


@pytest.mark.parametrize(
    "html",
    [
        "<h2><div>Article 5</div><div>Scope</div></h2>",
        "<table><tr><td><b>Article 5</b></td><td><b>Scope</b></td></tr></table>",
        "<p><b>Article 5<br>Scope</b></p>",
        "<h3>Article 5</h3><h3>Scope</h3>",
    ],
)
def test_a_title_of_several_elements_is_one(html: str) -> None:
    assert [text for text, _ in levels(html, "Article", "Scope")] == ["Article 5 Scope"]


def test_two_titles_in_a_row_are_two() -> None:
    assert len(levels("<h2>Terms</h2><h3>Scope</h3><p><b>Parties</b></p>", "Terms", "Scope", "Parties")) == 3
