from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from rendering import page_html, page_markdown

from scrapy_semtext.features.table import describe
from scrapy_semtext.page import Block, Page
from scrapy_semtext.read.markdown import render_page
from scrapy_semtext.tree.parsing import parse

if TYPE_CHECKING:
    from scrapy_semtext.tree.segmentation import TextBlock

BASE = "https://example.com/blog/post"


def blocks_of(html: str) -> list[TextBlock]:
    return describe(html, None).text_blocks


def html_of(html: str) -> str:
    return page_html(blocks_of(html), BASE).replace("\n", "")


def markdown_of(html: str) -> str:
    return page_markdown(blocks_of(html), BASE)


ARTICLE = """
<html><body><nav><a href="/">Home</a></nav>
<article class="post"><h1>How to <em>bake</em></h1>
<div>Take flour,&nbsp;water <b>and salt</b> from <a href="../shop?a=1&amp;b=2" onclick="steal()">the shop</a>.</div>
<ol start="2"><li>Mix<ul><li>by hand</li><li>or not</li></ul></li><li>Wait</li></ol>
<pre class="hljs language-python">
for minute in range(60):
    wait()
</pre></article><script>track()</script></body></html>
"""


@pytest.mark.smoke
def test_a_page_as_html() -> None:
    main = [block for block in blocks_of(ARTICLE) if "article" in block.tags]
    assert (
        page_html(main, BASE)
        == """\
<h1>How to <em>bake</em></h1>
<p>Take flour,\xa0water <strong>and salt</strong> from <a href="https://example.com/shop?a=1&amp;b=2">the shop</a>.</p>
<ol start="2">
<li>Mix<ul>
<li>by hand</li>
<li>or not</li>
</ul>
</li>
<li>Wait</li>
</ol>
<pre class="language-python">for minute in range(60):
    wait()
</pre>"""
    )


def test_links_can_be_left_out() -> None:
    page = blocks_of("<p>Buy <b>flour</b> in <a href='/shop'>the <i>shop</i></a>.</p>")
    assert page_markdown(page, BASE, links=False) == "Buy **flour** in the *shop*."
    assert page_html(page, BASE, links=False) == "<p>Buy <strong>flour</strong> in the <em>shop</em>.</p>"


@pytest.mark.smoke
def test_the_same_page_as_markdown() -> None:
    main = [block for block in blocks_of(ARTICLE) if "article" in block.tags]
    assert (
        page_markdown(main, BASE)
        == """\
# How to *bake*

Take flour,\xa0water **and salt** from [the shop](https://example.com/shop?a=1&b=2).

2. Mix
   - by hand
   - or not
3. Wait

```python
for minute in range(60):
    wait()
```"""
    )


def test_blocks_that_are_not_asked_for_leave_nothing_behind() -> None:
    blocks = blocks_of("<ul><li><p>Home</p><li><h3>Kept</h3></ul><p>one<br><br>two</p><ul><li><h4>gone</h4></ul>")
    kept = [block for block in blocks if block.text not in ("Home", "gone")]
    assert page_html(kept) == "<ul>\n<li><h3>Kept</h3>\n</li>\n</ul>\n<p>one</p>\n<p>two</p>"
    assert page_html([]) == page_markdown([]) == ""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<div>one<div>two</div>three</div>", "<p>one</p><p>two</p><p>three</p>"),
        ("<p>a<br>b</p>", "<p>a<br>b</p>"),
        ("<p><b>bo</b><b>ld</b> <i> it </i>.</p>", "<p><strong>bold</strong> <em>it</em> .</p>"),
        ("<li>a</li><li>b</li>", "<ul><li>a</li><li>b</li></ul>"),
        ("<ul><div>a</div><li>b</li></ul>", "<ul><li><p>a</p></li><li>b</li></ul>"),
        ("<h2><div>a</div><div>b</div></h2>", "<h2>a<br>b</h2>"),
        ("<td>cell</td><dd>said</dd>", "<p>cell</p><dl><dd>said</dd></dl>"),
        ("<p>By <span>Author</span><span>Published</span> today</p>", "<p>By Author Published today</p>"),
        (
            "<table><tr><td colspan=2 rowspan=none>x<td>y</table>",
            '<table><tr><td colspan="2">x</td><td>y</td></tr></table>',
        ),
    ],
)
def test_structure_is_put_in_order(source: str, expected: str) -> None:
    assert html_of(source) == expected


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", " java\nscript:alert(1)", "&#1;JavaScript:alert(1)", "data:text/html,x", "http://[", ""],
)
def test_links_that_lead_nowhere_safe_are_text(address: str) -> None:
    source = f'<p>See <a href="{address}">this</a></p>'
    assert html_of(source) == "<p>See this</p>" or not address
    assert "javascript" not in page_html(blocks_of(source)).lower()


def test_text_is_escaped_in_html() -> None:
    assert html_of("<p>&lt;script&gt;alert(1)&lt;/script&gt; &amp;amp;</p>") == (
        "<p>&lt;script&gt;alert(1)&lt;/script&gt; &amp;amp;</p>"
    )
    assert "onclick" not in html_of(ARTICLE)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p># no heading</p>", r"\# no heading"),
        (
            "<p>1. no list<br>- nor here<br>+ here<br>&gt; no quote</p>",
            "1\\. no list  \n\\- nor here  \n\\+ here  \n\\> no quote",
        ),
        ("<p>2 * 3 * 4, *x*, [a](b), `c`</p>", r"2 \* 3 \* 4, \*x\*, \[a\](b), \`c\`"),
        ("<p>snake_case and _edges_</p>", r"snake_case and \_edges\_"),
        ("<p>&lt;b&gt; but 1 &lt; 2 &amp; &amp;lt;</p>", r"\<b> but 1 < 2 & \&lt;"),
        ("<p>Look!<a href=/x>here</a></p>", r"Look\![here](https://example.com/x)"),
        ("<p>a<br>---</p>", "a  \n\\---"),
        ("<h2>C#</h2>", r"## C\#"),
        ("<p><a href='/a (1)_[2]'>x</a></p>", "[x](https://example.com/a%20%281%29_%5B2%5D)"),
        ("<p><code>a ` b</code></p>", "`` a ` b ``"),
        ("<pre>x\n```\ny</pre>", "````\nx\n```\ny\n````"),
    ],
)
def test_literal_syntax_is_escaped_in_markdown(source: str, expected: str) -> None:
    assert markdown_of(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p><b>Note:</b>text</p>", "<strong>Note:</strong>text"),
        ("<p><b>\u6ce8\u610f\uff1a</b>\u5185\u5bb9</p>", "<strong>\u6ce8\u610f\uff1a</strong>\u5185\u5bb9"),
        ("<p><b>Note:</b> text</p>", "**Note:** text"),
        ("<p>re<em>do</em>ing</p>", "re*do*ing"),
        ("<p><em>a <var>b</var></em></p>", "*a b*"),
    ],
)
def test_emphasis_that_markdown_cannot_mark_is_marked_by_a_tag(source: str, expected: str) -> None:
    assert markdown_of(source) == expected


def test_neighbouring_lists_stay_two() -> None:
    assert markdown_of("<ul><li>a</ul><ul><li>b</ul><ol><li>c</ol><ol><li>d</ol>") == "- a\n\n* b\n\n1. c\n\n1) d"


def test_items_of_several_paragraphs_are_indented() -> None:
    assert markdown_of("<ul><li><p>a</p><p>b</p><li><pre>c</pre></ul>") == "- a\n\n  b\n\n- ```\n  c\n  ```"


def test_quotes_and_definitions() -> None:
    assert markdown_of("<blockquote><p>a</p><ul><li>b</ul></blockquote>") == "> a\n>\n> - b"
    assert markdown_of("<dl><dt>Term<dd>Meaning</dl>") == "**Term**\n\nMeaning"


def test_a_simple_table() -> None:
    rows = "<tr><th>A<th colspan=2>B<tr><td>x|y<td><b>1</b><br>2<td>3"
    assert markdown_of(f"<table><caption>Sums</caption>{rows}</table>") == (
        "Sums\n\n| A | B |  |\n| --- | --- | --- |\n| x\\|y | **1** 2 | 3 |"
    )


def letters(text: str) -> str:
    return re.sub(r"\W+", "", text)


def test_no_letter_is_lost_or_added() -> None:
    blocks = blocks_of(ARTICLE)
    shown = str(parse(page_html(blocks)).xpath("string()"))
    assert letters(shown) == letters("".join(block.text for block in blocks))


@pytest.mark.parametrize("tag", ["div", "b", "blockquote", "ul><li", "table><tr><td", "dl"])
def test_deep_nesting_is_cut_and_keeps_all_text(tag: str) -> None:
    blocks = blocks_of(f"<{tag}>word " * 2_500)
    assert letters(re.sub("<[^>]*>", "", page_html(blocks))) == "word" * 2_500
    assert page_markdown(blocks).count("word") == 2_500


def test_a_heading_of_number_signs() -> None:
    signs = "#" * 200_000
    assert markdown_of(f"<h2>{signs}x</h2>") == f"## {signs}x"
    assert markdown_of("<h2>Learn C##</h2>") == "## Learn C\\##"


def test_control_characters_in_an_address_do_not_end_the_link() -> None:
    assert markdown_of("<p><a href='/a\x1f\x7fb c'>here</a>") == "[here](https://example.com/a%1F%7Fb%20c)"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<code>a</code><code>b</code>", "`a`<code>b</code>"),
        ("<code>a</code><kbd>[b]</kbd>", "`a`<kbd>\\[b\\]</kbd>"),
        ("<em>a</em><var>b</var>", "*a*<var>b</var>"),
        ("<del>a</del><s>b</s>", "~~a~~<s>b</s>"),
        ("word<sup><b>(1)</b></sup>", "word<strong>(1)</strong>"),
        ("<s>~</s> <del>b</del>~", "<s>~</s> <del>b</del>~"),
    ],
)
def test_marks_side_by_side_stay_apart(source: str, expected: str) -> None:
    assert markdown_of(f"<p>{source}</p>") == expected


def test_a_list_that_cannot_begin_behind_a_paragraph_is_set_apart() -> None:
    assert markdown_of("<ul><li>one<ol><li>two</ol></ul>") == "- one\n  1. two"
    assert markdown_of("<ul><li>one<ol start=2><li>two</ol></ul>") == "- one\n\n  2. two"


def rendered(html: str, title: str | None) -> str:
    blocks = blocks_of(html)
    page = Page(title=title, main_text="", blocks=[Block(block.text, "main", 1.0) for block in blocks])
    return render_page(page, blocks, BASE)


def test_a_page_begins_with_its_title() -> None:
    assert rendered("<p>Take flour.", "Bread *at* home") == "# Bread \\*at\\* home\n\nTake flour."


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("BREAD AT HOME!", "Bread at home"),
        ("Our bread at home", "Bread at home"),
        ("Bread", "Bread — Documentation of the kitchen"),
    ],
)
def test_the_title_is_left_out_if_the_first_heading_says_the_same(heading: str, title: str) -> None:
    assert rendered(f"<h2>{heading}</h2><p>Take flour.", title) == f"## {heading}\n\nTake flour."


@pytest.mark.parametrize("title", ["Bread at home", "Bread at home | Flour"])
def test_other_headings_are_no_title(title: str) -> None:
    assert rendered("<h2>Flour</h2><p>Take it.", title) == f"# {title}\n\n## Flour\n\nTake it."


def test_without_a_heading_any_title_is_written() -> None:
    assert rendered("<p>Take flour.", "★ – Bread") == "# ★ – Bread\n\nTake flour."


def test_a_page_without_text_is_empty() -> None:
    assert render_page(Page(title="Bread"), []) == ""


@pytest.mark.parametrize(
    "sign", ['<a href="#use">¶</a>', ' <a href="/a#use"><span>#</span></a>', '<a href="#use">&#8203;</a>']
)
@pytest.mark.parametrize("links", [True, False])
def test_headings_have_no_signs_that_link_to_themselves(sign: str, links: bool) -> None:
    heading, text = blocks_of(f"<h2>Use of it{sign}</h2><p>Text.")
    assert page_markdown([heading, text], BASE, links=links) == "## Use of it\n\nText."
    assert page_html([heading], BASE, links=links) == "<h2>Use of it</h2>"
