"""The images of the main content, and the HTML with them."""

from __future__ import annotations

import pytest

from scrapy_semtext.page import Block, Page
from scrapy_semtext.read.images import address_of_image, main_images
from scrapy_semtext.read.markdown import render_page
from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import segment

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
