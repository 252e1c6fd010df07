"""The images of the main content, and the HTML that holds them."""

from __future__ import annotations

import pytest

from scrapy_semtext.dom.combining import segment
from scrapy_semtext.dom.tree import parse
from scrapy_semtext.output.images import address_of_image, main_images
from scrapy_semtext.output.render import render_page
from scrapy_semtext.page import Block, Page

PROSE = "Take flour, water and salt, and wait for longer than anybody would think."
BASE = "https://bread.example/"


def read(html: str) -> tuple[list[str], str]:
    """The images of a page of which long blocks are the main content, and its HTML."""
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
    ],
)
def test_the_address_in_the_best_quality(html: str, address: str | None) -> None:
    assert address_of_image(parse(html).find(".//img"), BASE) == address


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


def test_a_page_without_main_content_has_no_images() -> None:
    assert read("<body><img src=a.jpg><p>Home</p>") == ([], "")
