"""A page's title from its headings, og:title and <title>."""

from __future__ import annotations

import pytest

from scrapy_semtext.features.table import describe
from scrapy_semtext.read.title import title_of
from scrapy_semtext.tree import parsing


def title(html: str, url: str | None = None) -> str | None:
    return title_of(describe(html, url).root)


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
        # A link to the home page tells the name of the site, which may be the only <h1>.
        ('<title>Bread rolls</title><h1><a href="/">Bakers</a></h1><h2>Bread rolls</h2>', "Bread rolls"),
        (
            "<title>Rye - Bakers</title><a href=./index.php?sid=1f><img alt=Bakers></a><h1>Bakers</h1><h3>Rye</h3>",
            "Rye",
        ),
        (
            "<title>start:rye [Bakers]</title><h1><a href=/>Bakers</a></h1><h1>How to start a rye</h1>",
            "How to start a rye",
        ),
        ("<title>Bakers</title><h1><a href=/>Bakers</a></h1>", "Bakers"),
        ("<h1><a href=../index.html>Bakers</a></h1>", "Bakers"),
        # So does a heading of any level that says what stands before the site's name.
        (
            "<title>Why so sour? - The Bakers Handbook</title><h1>The Bakers Handbook</h1><h2>Why so sour?</h2>",
            "Why so sour?",
        ),
        ("<title>Sour dough - The Handbook</title><h1>The Handbook</h1><h1>On sour dough</h1>", "On sour dough"),
        ("<title>xtof - Why bread?</title><h1>Why bread?</h1><h2>See also</h2>", "Why bread?"),
        # An <h1> that names the forum does not stand for the thread.
        (
            "<title>Rolls for a feast - Bread - Bakers of Rye</title><h1>Bakers forum</h1><h2>Rolls for a feast</h2>",
            "Rolls for a feast",
        ),
        ("<title>a.example • View topic - Rolls</title><h1>a.example</h1><h2>Rolls</h2><h3>Re: Rolls</h3>", "Rolls"),
        # A heading below <h1> says what a name says in its very words, not a part that the <h1> has, too.
        (
            "<title>The life of a bug</title><h1>The life of a bug: all stages</h1><h3>The life of a bug</h3>",
            "The life of a bug",
        ),
        ("<title>Rolls - Oven | Bakers</title><h1>Rolls</h1><h2>Oven</h2>", "Rolls"),
        (
            "<title>With rye - Start</title><h1>Get started with rye today</h1><h3>Start</h3>",
            "Get started with rye today",
        ),
        # Without headings the title is the end of <title> that the page shows.
        ("<title>Bakers - Bread - Rye for all</title><b>Rye for all</b><a href=b>Bread</a>", "Rye for all"),
        ("<title>Sample: Queue Reference</title><div>Sample</div><div>Queue Reference</div>", "Queue Reference"),
        ("<title>Bakers > rolls of rye</title><a href=t>rolls of rye</a>", "rolls of rye"),
        ("<title>Oak, 2 m: Tables: Wood</title><ol><li><a href=t>Tables</a><li>Oak, 2 m</ol>", "Oak, 2 m"),
        # Scripts without spaces are compared by character.
        ("<title>加入事件循环 - 开发手册</title><h1>开发手册</h1><h1>加入一个事件循环</h1>", "加入一个事件循环"),
        ("<title>パンの焼き方｜パン屋</title><h1><a href=/>パン屋</a></h1><h2>パンの焼き方</h2>", "パンの焼き方"),
        # White space, permanent links, styles and drawings are no part of a title.
        ("<title>\n Quick \n start </title><h1>Quick\u00a0start<a href=#quick>¶</a></h1>", "Quick start"),
        ("<h1><style>.a{color:red}</style>The Cream</h1>", "The Cream"),
        ("<body><svg><title>Logo</title></svg><p>text", None),
        ("<title>Rolls | Rye</title><h1>Rolls <a href=#r>&#8203;</a></h1>", "Rolls"),
        ("<title>Bread&shy;rolls - Rye</title><h1>Bread&shy;rolls</h1>", "Breadrolls"),
        ("<h1><em>Bakers</em>’ rolls <svg><title>x</title></svg></h1>", "Bakers’ rolls"),
        ("<h1></h1><h1>Only a heading</h1>", "Only a heading"),
        ("<title>Old locks | Harbour</title><h1>Old locks <small>3 days ago</small></h1>", "Old locks"),
        ("<title>Locks of the canal | Harbour</title><h1><i>News</i> Locks of the canal</h1>", "Locks of the canal"),
        ("<title>Old locks | Harbour</title><h1>Old locks<br><time>12 May 2023</time></h1>", "Old locks"),
        ("<title>運河の水門｜港ニュース</title>", "運河の水門"),
        ("<title>运河的水闸_港口新闻网</title>", "运河的水闸"),
        ("<title>運河の水門－港ニュース</title><a href=/>港ニュース</a>", "運河の水門"),
        ("<title>運河の水門：港ニュース</title><p>© 2024 港ニュース</p>", "運河の水門"),
        ("<title>運河の水門【港ニュース】</title><a href=/>港ニュース</a>", "運河の水門"),
        ("<title>【速報】運河の水門</title>", "【速報】運河の水門"),
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


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("html", "address", "expected"),
    [
        # The address has words of the title that the site's name has not.
        ("<title>Mill of rye</title><h1>Why bread rises!</h1>", "why-bread-rises-2.html", "Why bread rises!"),
        ("<title>Yeast - Rye handbook for bakers</title><h1>Rye handbook for bakers</h1>", "yeast.html", "Yeast"),
        (
            "<title>Rye club</title><meta property=og:title content='Rye club | Meetings'><h2>Meetings</h2>",
            "meetings",
            "Meetings",
        ),
        # A link to the page itself names it.
        ("<title>Yeast :: Rye for all bakers</title><a href=/a>Start</a><a href=/b>Yeast</a>", "b", "Yeast"),
        # The name of the site, known from its link home, and a colon precede the title.
        (
            "<title>Rye: New ovens: a test</title><h1><a href=/>Rye</a></h1><h3>New ovens: a test</h3>",
            "ovens",
            "New ovens: a test",
        ),
        # A heading of links and what stands behind them.
        ("<title>Rye</title><h1><a href=/>Forums</a> » <a href=/b>Bread</a> » Bread rolls</h1>", "3", "Bread rolls"),
        # On the home page the head says more than a slogan.
        ("<title>Rye: ovens and bread</title><h1>Now bake what nobody bakes: bread!</h1>", "", "Rye: ovens and bread"),
        ("<title>Rye</title><meta property=og:site_name content=Rye><h1>Yeast</h1>", "4", "Yeast"),
    ],
)
def test_the_address_and_links_tell_the_title(html: str, address: str, expected: str) -> None:
    assert title(html, f"https://bakers.example/{address}") == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        # Parts that no separator with spaces divides, but that the page shows.
        ("<title>Which oven?-Bread-Rye club</title><h4>Which oven?</h4>", "Which oven?"),
        ("<title>#12 (Ovens get cold) – Rye</title><h1>Ticket #12</h1><h2>Ovens get cold</h2>", "Ovens get cold"),
        ("<title>Issue 7: Ovens get cold - Tracker</title><td>Ovens get cold</td>", "Ovens get cold"),
        ("<title>Old ovens Ann Lee</title><h1><a href=/>Ann Lee</a></h1><h3>Old ovens</h3>", "Old ovens"),
        ("<title>Rolls of old bakers - Rye mill - All blogs</title><h1>Rye mill</h1>", "Rolls of old bakers"),
        # The only heading beside the site's, with a word of the head.
        (
            "<title>oven - Rye</title><h1>Rye</h1><h1>How to heat your oven in winter</h1>",
            "How to heat your oven in winter",
        ),
        # Replies repeat the subject of their thread.
        ("<title>Rye club of all bakers</title><b>Old ovens</b><p>Mine!<b>Re: Old ovens</b>", "Old ovens"),
        # A template that writes each word with a capital.
        ("<title>Old ovens, new bread | Rye</title><h1>Old Ovens, New Bread</h1>", "Old ovens, new bread"),
        ("<title>old ovens</title><h1>Old ovens</h1>", "Old ovens"),
    ],
)
def test_parts_of_names_that_the_page_shows(html: str, expected: str) -> None:
    assert title(html) == expected


def test_an_address_may_have_a_port() -> None:
    html = "<title>Rye club: New ovens</title><h1><a href=http://bakers.example:81/>Rye club</a></h1><h3>New ovens</h3>"
    assert title(html, "http://bakers.example:81/ovens") == "New ovens"


def test_space_in_a_heading_is_collapsed() -> None:
    assert title(f"<h1>Quick{' ' * 200_000}start #</h1>") == "Quick start"


def test_a_heading_divided_by_comments() -> None:
    assert title(f"<h1>{'<!-- -->&shy;' * 4_000}Quick<!-- --> <i>start</i></h1>") == "Quick start"
    assert title(f"<h1>{'<!-- -->x' * 4_000}Quick</h1>") is None, "it is too long for a title"
    assert title("<h1>Quick<!-- react --> <i>st</i>art<script>go()</script> here</h1>") == "Quick start here"


@pytest.mark.parametrize(
    "heading",
    [
        '<a href="/">Forums</a> » <a href="/b">Board</a> » The kettle leaks',
        '<a href="/b">[C]</a> The kettle leaks <a href="/t">[copy link]</a>',
        "The kettle leaks <a>[复制链接]</a>",
    ],
)
def test_boards_and_buttons_are_no_part_of_a_heading(heading: str) -> None:
    assert title(f"<title>The kettle leaks - Harbour</title><h1>{heading}</h1>") == "The kettle leaks"


def test_a_title_without_its_beginning_leaves_the_heading() -> None:
    head = "<title>| Parts Magazine</title><a href=/>Parts Magazine</a>"
    assert [title_of(parsing.parse(f"{head}{heading}")) for heading in ("<h1>Gadgets</h1>", "")] == [
        "Gadgets",
        "| Parts Magazine",
    ]
