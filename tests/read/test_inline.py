"""Lists, code, tables, images and what stands in a line, in the main text and as Markdown."""

from __future__ import annotations

import pytest
from rendering import page_html, page_markdown

from scrapy_semtext.features.table import describe
from scrapy_semtext.page import Block, Page
from scrapy_semtext.read.cleaning import clean_bodies
from scrapy_semtext.read.images import address_of_image, main_images
from scrapy_semtext.read.markdown import render_page
from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import main_text, segment


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


@pytest.mark.parametrize(
    "source",
    [
        "<pre class='language-python'>{}</pre>",
        "<pre><code class='language-python'>{}</code></pre>",
        "<pre><code class='lang-python'>{}</code></pre>",
        "<pre><code class='hljs python'>{}</code></pre>",
        "<pre><code class='python'>{}</code></pre>",
        "<pre class='prettyprint lang-python'><code>{}</code></pre>",
        "<pre class='brush: python; toolbar: false'>{}</pre>",
        "<pre class='brush:python'>{}</pre>",
        "<pre class='lang:python decode:true'>{}</pre>",
        "<pre class='code python'>{}</pre>",
        "<pre class='highlight python'><code>{}</code></pre>",
        "<pre class='src src-python'>{}</pre>",
        "<pre class='sourceCode python'><code class='sourceCode python'>{}</code></pre>",
        "<pre lang=python><code>{}</code></pre>",
        "<pre data-lang=Python>{}</pre>",
        "<pre data-enlighter-language=python>{}</pre>",
        "<pre data-code-wrap=python><code>{}</code></pre>",
        "<pre data-syntaxhighlighter-params='brush: python; gutter: false'>{}</pre>",
        "<pre><code data-language=python>{}</code></pre>",
        "<div class='highlight-python notranslate'><div class=highlight><pre><span></span>{}</pre></div></div>",
        "<div class='highlight highlight-source-python'><pre>{}</pre><clipboard-copy></clipboard-copy></div>",
        "<div class='language-python highlighter-rouge'><div class=highlight><pre>{}</pre></div></div>",
        "<div class='language-python'><button>Copy</button><span class=lang></span><pre class=shiki>{}</pre></div>",
        "<div class='mw-highlight mw-highlight-lang-python'><pre>{}</pre></div>",
        "<figure class='highlight python'><table><tr><td class=gutter><td class=code><pre>{}</pre></table></figure>",
        "<figure data-language=python><pre>{}</pre></figure>",
        "<code-block class='language-python'><pre>{}</pre></code-block>",
    ],
)
def test_the_language_of_code(source: str) -> None:
    assert markdown_of(source.format("a = 1")).endswith("```python\na = 1\n```")
    assert '<pre class="language-python">' in page_html(segment(parse(source.format("a = 1"))))


@pytest.mark.parametrize(
    ("attributes", "fence"),
    [
        ("class='language-c++'", "```c++"),
        ("class='language-our-own'", "```our-own"),
        ("class='language-none'", "```"),
        ("class='language-default language-sh'", "```sh"),
        ("class='highlight-wide code-box text'", "```"),
        ("lang=en", "```"),
    ],
)
def test_other_names(attributes: str, fence: str) -> None:
    assert markdown_of(f"<pre {attributes}>x</pre>") == f"{fence}\nx\n```"


@pytest.mark.parametrize(
    "source",
    [
        "<div class='lang-en code-page'><pre>x</pre></div>",
        "<section class='language-python'><p>1<p>2<p>3<p>4<p>5<p>6<pre>x</pre></section>",
        "<article class='language-python'><pre>x</pre></article>",
    ],
)
def test_what_is_around_code_and_more_says_nothing_of_its_language(source: str) -> None:
    assert markdown_of(source).endswith("```\nx\n```")


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    if x:\n        y\n\n    z",
        "def f():<br>    if x:<br>        y<br><br>    z",
        "def f():\n&nbsp;&nbsp;&nbsp; if x:\n        y  \n&nbsp;\n    z\n",
        "<code>def f():</code>\n<code>    if x:</code>\n<code>        y</code>\n<code></code>\n<code>    z</code>",
    ],
)
def test_lines_of_code(source: str) -> None:
    assert markdown_of(f"<p>Code:</p><pre>{source}</pre><p>End</p>") == (
        "Code:\n\n```\ndef f():\n    if x:\n        y\n\n    z\n```\n\nEnd"
    )


def markdown_of_tables(rows: str) -> str:
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
    assert markdown_of_tables(HEAD + rows).split("\n") == ["| A | B | C |", "| --- | --- | --- |", *lines]


def test_a_head_of_two_rows_and_a_corner_without_text() -> None:
    head = "<thead><tr><td rowspan=2><th colspan=2>Rise<tr><th>m<th>ft</thead>"
    assert markdown_of_tables(f"{head}<tbody><tr><th>Lock<td>2<td>6.6") == (
        "|  | Rise |  |\n| --- | --- | --- |\n|  | m | ft |\n| Lock | 2 | 6.6 |"
    )


def test_columns_without_text_are_left_out_and_one_column_is_no_table() -> None:
    assert markdown_of_tables("<tr><td>a<td><td>b<tr><td>c<td><td>d") == "|  |  |\n| --- | --- |\n| a | b |\n| c | d |"
    assert markdown_of_tables("<tr><td><td>a<td><tr><td>b<td><td>") == "a\n\nb"


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
    assert markdown_of_tables(f"<tr><td>Monday<td>{cell}<tr><td>Sunday<td>closed") == (
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
    assert "| a" not in markdown_of_tables(rows)


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
    assert markdown_of_tables(f"<tr><td>{cell}<td>x") == f"|  |  |\n| --- | --- |\n| {written} | x |"


def test_cells_that_span_far_cost_no_more_than_they_hold() -> None:
    rows = "<tr>" + "<td rowspan=1000 colspan=1000>a" * 60 + "<tr><td>b<td>c" * 60
    assert len(markdown_of_tables(rows)) < 30_000


OBJECTS = [
    "<svg><path d='M0 0'/></svg>",
    "<script>x()</script>",
    "<style>p {}</style>",
    "<picture><source srcset=a.webp><img src=a.png></picture>",
    "<iframe src=/ad></iframe>",
    "<select><option>one<option>two</select>",
    "<video src=v.mp4></video>",
    "<progress value=1></progress>",
    "<button></button>",
    "<noscript><img src=pixel.gif></noscript>",
    "<template></template>",
    "<my-icon></my-icon>",
    "<input>",
]


@pytest.mark.parametrize("thing", OBJECTS)
@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        ("<p>The gate {} of iron.</p>", "The gate of iron."),
        ("<p>The <a href=/g>gate {}</a>of iron{}.</p>", "The [gate](/g) of iron."),
        ("<ul><li>The gate{} of iron<li>and {}steel</ul>", "- The gate of iron\n- and steel"),
        ("<h2>{} The gate {} of iron</h2>", "## The gate of iron"),
        ("<div>The gate {} of iron</div>", "The gate of iron"),
        ("<div><span>{}</span> The gate <b><i>{}</i> of</b> iron</div>", "The gate **of** iron"),
        ("<table><tr><td>The {} gate<td>iron</table>", "|  |  |\n| --- | --- |\n| The gate | iron |"),
    ],
)
def test_things_in_a_line(thing: str, source: str, markdown: str) -> None:
    root = parse(source.replace("{}", thing))
    blocks = segment(root)
    assert page_markdown(blocks) == markdown
    assert "<br>" not in page_html(blocks)


@pytest.mark.parametrize("thing", [thing for thing in OBJECTS if "my-" not in thing])
@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>The gate {} of iron.</p>", "The gate of iron."),
        ("<p>The <a href=/g>gate {}</a>of iron{}.</p>", "The gate of iron."),
        ("<p>The <b>gate</b><!-- a -->{}<!-- b --> <i>of iron</i></p>", "The gate of iron"),
        ("<ul><li>The gate{} of iron<li>and {}steel</ul>", "The gate of iron\nand steel"),
        ("<h2>{} The gate {}{} of iron</h2>", "The gate of iron"),
        ("<table><tr><td>The {} gate<td>iron</table>", "The gate\tiron"),
        ("<dl><dt>The {} gate<dd>of{} iron</dl>", "The gate\nof iron"),
    ],
)
def test_things_in_a_line_end_no_line_of_the_main_text(thing: str, source: str, text: str) -> None:
    blocks = describe(source.replace("{}", thing), None).text_blocks
    assert main_text(blocks, [True] * len(blocks)) == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>Press<button>Start</button>, then <button>Stop</button>now.</p>", "Press Start, then Stop now."),
        ("<p>Press <button>Start</button></p><p>Wait.</p>", "Press\nStart\nWait."),  # it ends the line by itself
        ("<div>Helpful? <button>Yes</button> <button>No</button> Thanks</div>", "Helpful?\nYes\nNo\nThanks"),
        ("<p>One <noscript>two</noscript> three</p>", "One\ntwo\nthree"),  # which browsers do not show
        ("<div>One <button><div>two</div></button> three</div>", "One\ntwo\nthree"),
        ("<h3><button>Why?</button></h3>", "Why?"),
    ],
)
def test_a_button_in_a_sentence_is_part_of_it(source: str, text: str) -> None:
    blocks = describe(source, None).text_blocks
    assert main_text(blocks, [True] * len(blocks)) == text


def test_things_in_a_line_end_no_line_of_an_answer() -> None:
    answers = [
        f"The gate {thing} of iron number {n} was painted again in spring." for n, thing in enumerate(OBJECTS[:11])
    ]
    posts = "".join(f"<div class=post><p>{answer}</p></div>" for answer in answers)
    page = describe(posts, None)
    nodes = page.raw_tree
    bodies = [node for node, scope in enumerate(nodes.scopes) if scope.names == "post"]
    assert [text.replace(str(n), "N") for n, text in enumerate(clean_bodies(nodes, bodies))] == [
        "The gate of iron number N was painted again in spring."
    ] * len(answers)


def test_images_without_scripts_in_a_line_are_still_found() -> None:
    page = describe("<p>One <img src=data:image/gif;base64,R0> <noscript><img src=/a.png></noscript> two</p>", None)
    image = next(page.root.iter("img"))
    assert address_of_image(image, "https://a.example/") == "https://a.example/a.png"


@pytest.mark.parametrize("tag", ["button", "noscript", "my-icon"])
def test_the_text_of_a_control_stands_in_the_line_or_is_a_paragraph(tag: str) -> None:
    def markdown_of(html: str) -> str:
        return page_markdown(segment(parse(html.replace("control", tag))))

    assert markdown_of("<p>Press <control>Start</control>, then<span> <control>Stop</control></span> now</p>") == (
        "Press Start, then Stop now"
    )
    assert markdown_of("<div><control>Start</control><control>Stop</control></div>") == "Start\n\nStop"
    assert markdown_of("<div><control><pre>start()</pre></control>Stop</div>") == "```\nstart()\n```\n\nStop"
    assert markdown_of("<ul><li><control>Why?</control><p>So.</p></ul>") == "- Why?\n\n  So."


def test_a_button_is_no_part_of_a_word() -> None:
    blocks = segment(parse("<p>Press<button>Start</button>, then<button>Stop</button>now<button></button>.</p>"))
    assert page_markdown(blocks) == "Press Start, then Stop now."


@pytest.mark.parametrize("space", ["&nbsp;", "&#8239;", "&#8195;", " &nbsp; "])
def test_any_white_space_stands_outside_the_marks(space: str) -> None:
    source = f"<p><b>Note:{space}</b>it is <em>{space}never</em>,{space}<a href=/x>{space}see{space}</a>{space}there"
    assert page_markdown(segment(parse(source))) == "**Note:** it is *never*, [see](/x) there"
    assert page_markdown(segment(parse("<p>10&nbsp;km</p>"))) == "10\xa0km"


PROSE = "Take flour, water and salt, and wait for longer than anybody would think."
BASE = "https://bread.example/"


def read(html: str) -> tuple[list[str], str]:
    """Return the images of a page whose long blocks are the main content, and its HTML."""
    root = parse(html)
    texts = segment(root)
    blocks = [Block(text.text, "main" if len(text.text) > 60 else "boilerplate", 0.5) for text in texts]
    page = Page(title="Bread", blocks=blocks)
    images = main_images(root, texts, blocks, BASE)
    return list(images.values()), render_page(page, texts, BASE, "html", title=False, images=images)


@pytest.mark.parametrize(
    ("html", "address"),
    [
        ("<img src=a.jpg>", "https://bread.example/a.jpg"),
        ("<img src='data:image/gif;base64,R0lGOD' data-src=a.jpg>", "https://bread.example/a.jpg"),
        ("<img src=s.jpg srcset='s.jpg 100w, l.jpg 800w,m.jpg 400w'>", "https://bread.example/l.jpg"),
        ("<img srcset='a.jpg?x=1,2 1x, b.jpg 2x'>", "https://bread.example/b.jpg"),
        ("<img src='data:image/gif;base64,R0lGOD'>", None),
        ("<img srcset='a.jpg 1..x, ,,'>", "https://bread.example/a.jpg"),
        ("<img>", None),
        ("<img src=s.jpg data-hi-res-src=l.jpg>", "https://bread.example/l.jpg"),
        ("<img src=s.jpg data-src=m.jpg data-full-url='/l.webp?x=1'>", "https://bread.example/l.webp?x=1"),
        ("<img src=s.jpg data-thumb=t.jpg data-permalink=/oven data-orig='no file'>", "https://bread.example/s.jpg"),
        ("<img src=s.jpg data-src='/{width}/a.jpg'>", "https://bread.example/s.jpg"),
        ("<img src=spacer.gif data-lazy-srcset='m.jpg 400w, l.jpg 800w'>", "https://bread.example/l.jpg"),
        (
            "<picture><source srcset='m.webp 400w, l.webp 800w'><img src=s.jpg></picture>",
            "https://bread.example/l.webp",
        ),
        ("<picture><source srcset=a.webp><source data-srcset=b.webp><img></picture>", "https://bread.example/b.webp"),
        (
            "<picture><source media='(max-width: 9em)' srcset='s.jpg 800w'><img src=l.jpg></picture>",
            "https://bread.example/l.jpg",
        ),
        ("<img src=tiny.jpg><noscript><img src=l.jpg></noscript>", "https://bread.example/l.jpg"),
        ("<div><img></div><noscript><p><img src=s.jpg srcset='l.jpg 2x'></noscript>", "https://bread.example/l.jpg"),
    ],
)
def test_the_address_in_the_best_quality(html: str, address: str | None) -> None:
    assert address_of_image(parse(html).find(".//img"), BASE) == address


@pytest.mark.smoke
def test_images_stand_where_they_are_in_the_text() -> None:
    images, html = read(
        f"""<body><header><img src=logo.png> Home</header><main><img src=lead.jpg><p>{PROSE}</p>
        <figure><div><img src=oven.jpg alt="An  oven"></div><figcaption>{PROSE}</figcaption></figure>
        <p>{PROSE} <a href=/x><img src=inline.jpg></a> {PROSE}</p>
        <aside><img src=ad.jpg> Buy now</aside></main><img src=pixel.gif></body>"""
    )
    assert images == [f"{BASE}{name}.jpg" for name in ("lead", "oven", "inline")]
    assert html == (
        f'<p><img src="{BASE}lead.jpg"></p>\n<p>{PROSE}</p>\n'
        f'<figure>\n<img src="{BASE}oven.jpg" alt="An oven"><figcaption>{PROSE}</figcaption>\n</figure>\n'
        f'<p>{PROSE} <img src="{BASE}inline.jpg"> {PROSE}</p>'
    )


@pytest.mark.parametrize("attributes", ["width=16", "height=1", "class=smilie", "class='user-avatar'"])
def test_icons_are_no_images(attributes: str) -> None:
    assert read(f"<main><p>{PROSE}</p><img src=a.png {attributes}><p>{PROSE}</p></main>")[0] == []


def test_an_image_stands_once() -> None:
    lazy = "<img data-src=a.jpg><noscript><img src=a.jpg></noscript>"
    assert read(f"<main><p>{PROSE}</p>{lazy}<p>{PROSE}</p></main>")[0] == [f"{BASE}a.jpg"]


@pytest.mark.parametrize("spare", ["a.jpg", "b.jpg"])
def test_an_image_and_the_one_for_browsers_without_scripts_stand_once(spare: str) -> None:
    lazy = f"<p><img src=blank.gif data-src=a.jpg><noscript><img src={spare}></noscript></p>"
    assert len(read(f"<main><p>{PROSE}</p>{lazy}<p>{PROSE}</p></main>")[0]) == 1


@pytest.mark.parametrize(
    ("figure", "written"),
    [
        (
            "<figure>{}<figcaption>The oven, cold.</figcaption></figure>",
            "<figure>\n{}<figcaption>The oven, cold.</figcaption>\n</figure>",
        ),
        (
            "<div class=wp-caption>{}<p class=wp-caption-text>The oven, cold.</p></div>",
            "<p>{}</p>\n<p>The oven, cold.</p>",
        ),
        (
            "<div><a class=image href=/x>{}</a><div class=thumbcaption>The oven.</div></div>",
            "<p>{}</p>\n<p>The oven.</p>",
        ),
        (
            "<figure><amp-img src=oven.jpg></amp-img><figcaption>The oven.</figcaption></figure>",
            "<figure>\n{}<figcaption>The oven.</figcaption>\n</figure>",
        ),
    ],
)
def test_images_stand_with_captions_that_are_no_main_text(figure: str, written: str) -> None:
    images, html = read(f"<main><p>{PROSE}</p>{figure.format('<img src=oven.jpg>')}<p>{PROSE}</p></main>")
    assert images == [f"{BASE}oven.jpg"]
    image = f'<img src="{BASE}oven.jpg">'
    assert html == f"<p>{PROSE}</p>\n{written.format(image)}\n<p>{PROSE}</p>"


@pytest.mark.parametrize(
    "figure",
    [
        "<figure><a href=/x><img src=a.jpg></a><figcaption><a href=/x>Ten more</a></figcaption></figure>",
        "<div><img src=a.jpg><p>Buy now</p></div>",
    ],
)
def test_images_with_other_texts_are_left_out(figure: str) -> None:
    assert read(f"<main><p>{PROSE}</p>{figure}<p>{PROSE}</p></main>") == ([], f"<p>{PROSE}</p>\n<p>{PROSE}</p>")


def test_a_page_without_main_content_has_no_images() -> None:
    assert read("<body><img src=a.jpg><p>Home</p>") == ([], "")
