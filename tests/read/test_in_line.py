"""Non-text elements inside a line of text neither end the line nor split it, in Markdown and HTML."""

from __future__ import annotations

import pytest
from rendering import page_html, page_markdown

from scrapy_semtext.features.table import describe
from scrapy_semtext.read.cleaning import clean_bodies
from scrapy_semtext.read.images import address_of_image
from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import main_text, segment

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
