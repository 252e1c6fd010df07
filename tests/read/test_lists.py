"""Lists in Markdown and HTML: nesting, numbers and tasks."""

from __future__ import annotations

import pytest
from rendering import page_html, page_markdown

from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import segment


def markdown_of(html: str) -> str:
    return page_markdown(segment(parse(html)))


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        ("<ul><li>a</li><ul><li>b</li><li>c</li></ul><li>d</li></ul>", "- a\n  - b\n  - c\n- d"),
        ("<ul><li>a</li><ol><li>b</li></ol></ul>", "- a\n  1. b"),
        ("<ol><li>a</li><ul><li>b</li><ul><li>c</li></ul></ul><li>d</li></ol>", "1. a\n   - b\n     - c\n2. d"),
        ("<ul><li>a</li><div><ul><li>b</li></ul></div><li>c</li></ul>", "- a\n  - b\n- c"),
        ("<ul><ul><li>a</li></ul><li>b</li></ul>", "- a\n- b"),
        ("<ul><ul><ul><li>a</li></ul></ul></ul>", "- a"),
        ("<menu><li>a</li><dir><li>b</li></dir></menu>", "- a\n  - b"),
    ],
)
def test_a_list_right_inside_a_list_belongs_to_the_item_before_it(source: str, markdown: str) -> None:
    assert markdown_of(source) == markdown


def test_the_html_of_such_a_list_is_valid() -> None:
    html = page_html(segment(parse("<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>"))).replace("\n", "")
    assert html == "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        ("<ol start=4><li>a<li value=7>b<li>c</ol>", "4. a\n7. b\n8. c"),
        ("<ol><li>a<li value=0>b<li value=none>c</ol>", "1. a\n0. b\n1. c"),
        ("<ol reversed><li>a<li>b<li>c</ol>", "3. a\n2. b\n1. c"),
        ("<ol reversed start=10><li>a<li value=5>b<li>c</ol>", "10. a\n5. b\n4. c"),
        ("<ol reversed start=1><li>a<li>b<li>c</ol>", "1. a\n0. b\n0. c"),
        ("<ol><li value=999999999>a<li>b</ol>", "999999997. a\n999999998. b"),
        ("<ul><li value=3>a</ul>", "- a"),
    ],
)
def test_numbers_of_items(source: str, markdown: str) -> None:
    assert markdown_of(source) == markdown


@pytest.mark.parametrize(
    "item",
    [
        "<input type=checkbox {}> Clean it",
        "<label><input type='checkbox' {}>Clean it</label>",
        "<p><input type=CHECKBOX disabled {}> <span>Clean it</span></p>",
        "<task-button></task-button><input type=checkbox {}>Clean it",
        "<div class=check>\n<span><input type=checkbox {}></span></div>Clean it",
    ],
)
def test_task_marks(item: str) -> None:
    source = f"<p>Do:</p><ul><li>{item.format('checked')}</li><li>{item.format('')}</li></ul>"
    assert markdown_of(source).replace("\n\n", "\n") == "Do:\n- [x] Clean it\n- [ ] Clean it"
    html = page_html(segment(parse(source)))
    assert html.count('<input type="checkbox" disabled="" checked="">') == 1
    assert html.count('<input type="checkbox" disabled="">') == 1


@pytest.mark.parametrize(
    "item", ["<input type=radio> A", "A <input type=checkbox>", "<b>A</b> <input type=checkbox>", "<input> A"]
)
def test_other_controls_are_no_tasks(item: str) -> None:
    assert markdown_of(f"<ul><li>{item}</ul>").replace("*", "") == "- A"


def test_the_first_item_of_what_is_rendered_has_its_mark() -> None:
    assert markdown_of("<ul><li><input type=checkbox checked>A<li>B</ul>") == "- [x] A\n- B"
