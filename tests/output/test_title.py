"""A page's own title out of its headings, og:title and <title>."""

from __future__ import annotations

import pytest

from scrapy_semtext.dom.tree import parse
from scrapy_semtext.output.title import title_of


def title(html: str, url: str | None = None) -> str | None:
    return title_of(parse(html, url))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        # A heading that agrees with the head is the title, in its own words.
        (
            "<title>Best laptops of 2026 | PCWorld</title><h1>Menu</h1><h1>Best laptops 2026: from cheap to fast</h1>",
            "Best laptops 2026: from cheap to fast",
        ),
        ("<title>C# in Depth - Books</title><h1>C# in Depth</h1>", "C# in Depth"),
        # Otherwise the head is cut where one side is known to be the site.
        (
            '<meta property="og:site_name" content="Virtual Box"><title>Version 7.1 - released - VirtualBox</title>',
            "Version 7.1 - released",
        ),
        ('<meta property="og:site_name" content="Utne"><title>Utne: Nature</title>', "Utne: Nature"),
        ('<meta property="og:site_name" content="Utne"><title>Utne – Nature as God</title>', "Nature as God"),
        ('<link rel="canonical" href="https://www.ikea.com/x"><title>Sofas - beds - IKEA</title>', "Sofas - beds"),
        # What one name of the page has more than the other is the site's.
        ('<meta property="og:title" content="Sofas"><title>Sofas – The Corner Shop</title>', "Sofas"),
        # A heading that only repeats the site's name is none of the page.
        ("<title>Discuss the release here - virtualbox.org</title><h1>virtualbox.org</h1>", "Discuss the release here"),
        # What stands behind a bar is the site's, a dash may belong to the title.
        ("<title>Charges | API Reference</title>", "Charges"),
        ("<title>Twenty - five ways</title>", "Twenty - five ways"),
        # White space, permanent links, styles and drawings are no part of a title.
        ("<title>\n Quick \n start </title><h1>Quick\u00a0start<a href=#quick>¶</a></h1>", "Quick start"),
        ("<h1><style>.a{color:red}</style>The Cream</h1>", "The Cream"),
        ("<body><svg><title>Logo</title></svg><p>text", None),
        ("<h1></h1><h1>Only a heading</h1>", "Only a heading"),
        ("<title> </title>", None),
        ("", None),
    ],
)
def test_title(html: str, expected: str | None) -> None:
    assert title(html) == expected


def test_the_address_tells_the_name_of_the_site() -> None:
    html = "<title>Shoes - Zappos</title>"
    assert title(html) == "Shoes - Zappos"
    assert title(html, "https://www.zappos.com/shoes") == "Shoes"


@pytest.mark.parametrize(
    "html", ["<title>" + "a | " * 100_000, "<h1>x" * 3_000, "<meta property=og:title content='\ud800'>"]
)
def test_odd_pages_raise_nothing(html: str) -> None:
    title(html)


def test_space_in_a_heading_is_collapsed() -> None:
    assert title(f"<h1>Quick{' ' * 200_000}start #</h1>") == "Quick start"


def test_a_heading_divided_by_comments() -> None:
    assert title(f"<h1>{'<!-- -->&shy;' * 4_000}Quick<!-- --> <i>start</i></h1>") is None, "it is too long for a title"
    assert title("<h1>Quick<!-- react --> <i>st</i>art<script>go()</script> here</h1>") == "Quick st art here"
