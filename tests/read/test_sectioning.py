"""Lines of a page with their styles, their numbering, and the models that label them."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_semtext.features.table import describe
from scrapy_semtext.read.line_features import FEATURES, line_features, numbering
from scrapy_semtext.read.lines import Lines, lines_of


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
