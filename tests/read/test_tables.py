"""Tables in Markdown: every text in its column, and allowed content of cells."""

from __future__ import annotations

import pytest
from rendering import page_html, page_markdown

from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import segment


def markdown_of(rows: str) -> str:
    return page_markdown(segment(parse(f"<table>{rows}</table>")))


HEAD = "<tr><th>A<th>B<th>C"


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        ("<tr><td>1<td>2<td>3", ["| 1 | 2 | 3 |"]),
        ("<tr><td><td>2<td>3<tr><td>4<td> &nbsp; <td>6", ["|  | 2 | 3 |", "| 4 |  | 6 |"]),
        ("<tr><td>1<td>2<td>", ["| 1 | 2 |"]),
        ("<tr><td colspan=2>1<td>3", ["| 1 |  | 3 |"]),
        ("<tr><td colspan=2><td>3", ["|  |  | 3 |"]),
        ("<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5", ["| 1 | 2 | 3 |", "|  | 4 | 5 |"]),
        ("<tr><td>1<td rowspan=3>2<td>3<tr><td>4<td>5<tr><td>6", ["| 1 | 2 | 3 |", "| 4 |  | 5 |", "| 6 |"]),
        ("<tr><td rowspan=2 colspan=2>1<td>2<tr><td>3<tr><td>4<td>5", ["| 1 |  | 2 |", "|  |  | 3 |", "| 4 | 5 |"]),
        ("<tr><td>1<td><svg></svg><td>3", ["| 1 |  | 3 |"]),
    ],
)
def test_texts_stay_in_their_columns(rows: str, lines: list[str]) -> None:
    assert markdown_of(HEAD + rows).split("\n") == ["| A | B | C |", "| --- | --- | --- |", *lines]


def test_a_head_of_two_rows_and_a_corner_without_text() -> None:
    head = "<thead><tr><td rowspan=2><th colspan=2>Rise<tr><th>m<th>ft</thead>"
    assert markdown_of(f"{head}<tbody><tr><th>Lock<td>2<td>6.6") == (
        "|  | Rise |  |\n| --- | --- | --- |\n|  | m | ft |\n| Lock | 2 | 6.6 |"
    )


def test_columns_without_text_are_left_out_and_one_column_is_no_table() -> None:
    assert markdown_of("<tr><td>a<td><td>b<tr><td>c<td><td>d") == "|  |  |\n| --- | --- |\n| a | b |\n| c | d |"
    assert markdown_of("<tr><td><td>a<td><tr><td>b<td><td>") == "a\n\nb"


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("<ul><li>ten<li>two<ul><li>or three</ul></ul>", "- ten<br>- two<br>- or three"),
        ("<ol><li>ten<li>two</ol>", "1. ten<br>2. two"),
        ("<p>ten</p><p>two|three</p>", "ten<br>two\\|three"),
        ("from <ul><li><b>ten</b></ul> on", "from<br>- **ten**<br>on"),
        ("<div>ten</div><div>two</div>", "ten<br>two"),
        ("<pre>a | b\n\n  c</pre>", "`a \\| b`<br>`  c`"),
        ("<dl><dt>ten<dd>two</dl>", "**ten**<br>two"),
    ],
)
def test_cells_with_lists_paragraphs_and_code(cell: str, written: str) -> None:
    assert markdown_of(f"<tr><td>Monday<td>{cell}<tr><td>Sunday<td>closed") == (
        f"|  |  |\n| --- | --- |\n| Monday | {written} |\n| Sunday | closed |"
    )


@pytest.mark.parametrize(
    "rows",
    [
        "<tr><td><h2>a</h2><td>b<tr><td>c<td>d",
        "<tr><td>a<td><blockquote>b</blockquote><tr><td>c<td>d",
        "<tr><td>a<td><table><tr><td>b<td>c</table><tr><td>d<td>e",
        f"<tr><td>a<td><p>b</p><p>{'long ' * 200}</p><tr><td>c<td>d",
        "<tr><td><ul><li>a</ul><td><p>b</p><p>c</p>",
    ],
)
def test_a_table_for_layout_is_taken_apart(rows: str) -> None:
    assert "| a" not in markdown_of(rows)


def test_a_table_in_a_cell_leaves_the_cells_around_it_alone() -> None:
    html = page_html(segment(parse("<table><tr><td>a<td><table><tr><td>b</table><td><td>c</table>")))
    assert html.replace("\n", "") == (
        "<table><tr><td>a</td><td><table><tr><td>b</td></tr></table></td><td></td><td>c</td></tr></table>"
    )


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("a|b", "a\\|b"),
        ("c\\|d", "c\\\\\\|d"),
        ("<code>a|b</code>", "`a\\|b`"),
        ("<code>a\\|b</code>", "<code>a\\\\\\|b</code>"),
        ("<a href='/a|b'>a|b</a>", "[a\\|b](/a%7Cb)"),
    ],
)
def test_bars_in_cells(cell: str, written: str) -> None:
    assert markdown_of(f"<tr><td>{cell}<td>x") == f"|  |  |\n| --- | --- |\n| {written} | x |"


def test_cells_that_span_far_cost_no_more_than_they_hold() -> None:
    rows = "<tr>" + "<td rowspan=1000 colspan=1000>a" * 60 + "<tr><td>b<td>c" * 60
    assert len(markdown_of(rows)) < 30_000
