"""What the main text takes in and leaves out beside what a labeler says of single blocks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from kettle_threads import kettle_thread
from rendering import page_html, page_markdown
from shipped import extractor

from scrapy_semtext import Page, extract
from scrapy_semtext.extractor import Options
from scrapy_semtext.features.table import PostBlocks, describe
from scrapy_semtext.read.main_text import (
    with_series,
    with_titles,
    with_units,
    without_notices,
    without_orphans,
    without_repeats,
)
from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import segment
from scrapy_semtext.tree.segmentation import Scope, search
from scrapy_semtext.words.characters import word_counts

PROSE = "Restart the server before you read on, since every job that is running or waits will then be stopped by it."


def kept(html: str, *, likely: bool = False) -> list[str]:
    """Return the kept texts of a page whose long blocks are the main content."""
    blocks = segment(parse(f"<p>{PROSE}</p>{html}<p>{PROSE}</p>"))
    keep = np.array([len(block.text) > 60 for block in blocks])
    words = np.array([float(len(block.text.split())) for block in blocks])
    titles = with_titles(blocks, keep, words, np.full(len(blocks), likely)) & ~keep
    return [block.text for block, title in zip(blocks, titles, strict=True) if title]


@pytest.mark.parametrize(
    "box",
    [
        "<div class='admonition warning'><p class=admonition-title>Warning</p><p>{}</p></div>",
        "<div class='theme-admonition alert'><div><span><svg></svg></span>Warning</div><div><p>{}</p></div></div>",
        "<div class=markdown-alert><p class=markdown-alert-title>Warning</p><p>{}</p></div>",
        "<div class='admonitionblock note'><table><tr><td><div>Warning</div><td><p>{}</p></table></div>",
        "<div class='confluence-information-macro'><p class=title>Warning</p><div><p>{}</p></div></div>",
        "<details><summary>Warning</summary><p>{}</p></details>",
        "<div class=hint><h4>Warning</h4><p>{}</p></div>",
        "<aside class='note important'><header>Warning</header><section><p>{}</p></section></aside>",
    ],
)
def test_the_title_of_a_box_is_content_with_its_text(box: str) -> None:
    assert kept(box.format(PROSE)) == ["Warning"]
    assert kept(box.format("Buy now")) == []


@pytest.mark.parametrize(
    "part",
    [
        "<section><div><div><h2>Lending</h2></div></div><div><p>{}</p></div></section>",
        "<div><h2>Lending</h2><a href=/e>Edit</a><button>Copy</button></div><p>{}</p>",
        "<section><header><h2>Lending</h2></header><div><h3>Lending</h3><p>{}</p></div></section>",
        "<p class=op><b>Lending</b> <code>/v1/tools</code></p><div>{}</div>",
    ],
)
def test_the_heading_above_a_text_is_content_with_it(part: str) -> None:
    assert {text.split()[0] for text in kept(part.format(PROSE), likely=True)} == {"Lending"}
    assert kept(f"{part.format('Buy now')}<div><p>{PROSE}</p></div>".replace("h2", "b").replace("h3", "b")) == []


def test_headings_of_boxes_that_are_no_content_are_none() -> None:
    links = "<ul><li><a href=#one>One thing</a><li><a href=#two>Another</a></ul>"
    letter = "<div class=letter><h3>Our letter</h3><p>Every day at six in your inbox.</p></div>"
    dropped = f"{letter}<div><h2>Contents</h2>{links}</div>"
    cards = "<div><h3>A</h3>B</div><div><h3>C</h3>D</div>"
    page = f"<p>{PROSE}</p>{dropped}<div><h2>Hours</h2>3 min</div><p>{PROSE}</p>{cards}"
    blocks = segment(parse(page))
    keep = np.array([len(block.text) > 60 or block.scope.tag in ("h2", "h3") for block in blocks])
    words = np.array([float(len(block.text.split())) for block in blocks])
    left = without_orphans(blocks, keep, words)
    assert [block.text for block, one in zip(blocks, keep & ~left, strict=True) if one] == ["Our letter", "Contents"]


@pytest.mark.parametrize(
    "box",
    [
        "<div><p>Share</p><p>{}</p></div>",
        "<div class=alert><button>Close</button><p>{}</p></div>",
        "<div class=alert><p>×</p><p>{}</p></div>",
        "<div class=alert><p><a href=/>All notes</a></p><p>{}</p></div>",
        "<div class=notebook><p>Share</p><p>{}</p></div>",
        "<div class=note><p>{}</p><p>Share</p><p>{}</p></div>",
    ],
)
def test_other_short_texts_are_no_titles(box: str) -> None:
    assert kept(box.format(PROSE, PROSE)) == []


@pytest.mark.parametrize("kind", ["note", "tip", "important", "warning", "caution"])
def test_the_alerts_of_github(kind: str) -> None:
    name, text = f"markdown-alert-{kind}", "<p>Read on.</p><p>Or not.</p>"
    box = f"<div class='markdown-alert {name}'><p class=markdown-alert-title><svg></svg>{kind.title()}</p>{text}</div>"
    assert page_markdown(segment(parse(box))) == f"> [!{kind.upper()}]\n> Read on.\n>\n> Or not."
    assert page_html(segment(parse(box))).startswith(f'<blockquote class="{name}">\n<p>{kind.title()}</p>')
    source = f"<blockquote><p>[!{kind.upper()}]<br>Read on.</p></blockquote>"
    assert page_markdown(segment(parse(source))) == f"> [!{kind.upper()}]  \n> Read on."


def test_other_brackets_in_a_quotation_are_escaped() -> None:
    assert page_markdown(segment(parse("<blockquote>[!NOTED] it</blockquote>"))) == r"> \[!NOTED\] it"


PANELS = "<button>Pump house</button><div><p>{}</p></div><button>Lower lock</button><div><p>{}</p></div>"


@pytest.mark.parametrize(
    ("html", "titles"),
    [
        (f"<div>{PANELS}</div>", ["Pump house", "Lower lock"]),
        (f"<section>{PANELS.replace('div', 'section')}</section>", ["Pump house", "Lower lock"]),
        ("<div><div><h2><button>Stairs</button></h2><div><div><p>{}</p></div></div></div></div>", ["Stairs"]),
        ("<div><p>{}</p><button>Show more</button><div><p>{}</p></div></div>", []),
        ("<div><button>Share</button><p>{}</p></div>", []),
        ("<div><div><button>×</button></div><div><p>{}</p></div><div><button>+</button></div><div>x</div></div>", []),
    ],
)
def test_a_button_that_opens_content_is_its_title(html: str, titles: list[str]) -> None:
    assert kept(html.format(PROSE, PROSE)) == titles


@pytest.mark.parametrize("heading", ["<a href=/shop><h4>{}</h4></a>", "<h3><a href=/shop>{}</a></h3>", "<h2>{}</h2>"])
@pytest.mark.parametrize("title", ["Harbour shop", "Der Laden am Hafen", "Лавка у гавани", "港口商店"])
def test_a_likely_heading_between_content_is_content(heading: str, title: str) -> None:
    html = f"{heading.format(title)}<p>{PROSE}</p>"
    assert kept(html, likely=True) == [title]
    assert kept(html) == []
    assert kept(f"<h5>Share</h5>{html}", likely=True) == []
    assert kept(f"<nav><div>{heading.format(title)}</div></nav><aside><p>{PROSE}</p></aside>", likely=True) == []


REPORT = (
    "Report this post to those who look after the board. Say in a few words what is wrong with it, and they will have"
    " a look at it as soon as they can."
)
BOXES = {
    "dialog": f"<dialog><h3>Report</h3><p>{REPORT}</p><form><textarea></textarea></form></dialog>",
    "role": f"<div role=dialog aria-hidden=true><h3>Report</h3><p>{REPORT}</p></div>",
    "hidden": f"<div role=alertdialog hidden><h3>Report</h3><p>{REPORT}</p></div>",
    "names": f"<div class='modal fade' aria-hidden=true><h3>Report</h3><p>{REPORT}</p></div>",
    "noscript": f"<noscript><p>{REPORT}</p><p>It takes scripts to see the pictures of this post.</p></noscript>",
}
ENDS = {"in the text": "</div>", "in the post": "</section>", "behind the post": "</section>"}


@pytest.mark.parametrize("place", ENDS)
@pytest.mark.parametrize("box", BOXES.values(), ids=BOXES)
def test_what_is_not_shown_is_no_post(box: str, place: str) -> None:
    end = ENDS[place]
    thread = kettle_thread(6)
    with_boxes = thread.replace(end, f"{end}{box}" if place == "behind the post" else f"{box}{end}")
    assert with_boxes.count(box) == 6
    pairs, plain = (extract(html).qa_pairs for html in (with_boxes, thread))
    assert [(pair.question, pair.answer) for pair in pairs] == [(pair.question, pair.answer) for pair in plain]


def test_an_open_dialog_is_shown() -> None:
    thread = kettle_thread(6).replace("<main>", "<dialog open>").replace("</main>", "</dialog>")
    assert len(extract(thread).qa_pairs) == len(extract(kettle_thread(6)).qa_pairs) == 5


def test_a_thread_for_browsers_without_scripts_is_one() -> None:
    thread = kettle_thread(6).replace("<main>", "<noscript>").replace("</main>", "</noscript>")
    assert len(extract(thread).qa_pairs) == 5


@pytest.mark.parametrize(
    "address",
    ["forum/viewtopic.php?t=12", "questions/12/why", "showthread.php?tid=3", "thread/why.12/", "faq/", "issues/12"],
)
def test_an_address_alone_makes_no_posts(address: str) -> None:
    text = "".join(
        f"<p>The kettle was mended in step {n}, with a seal that fits and a valve that does not stick.</p>"
        for n in "12345"
    )
    html = f"<title>My kettle</title><nav><a href=/>Home</a></nav><article><h1>My kettle</h1>{text}</article>"
    page = extract(html, f"https://forum.example/{address}")
    assert not page.qa_pairs
    assert "step 5" in page.main_text


LOCKS = "<p>The lock keeper wrote each passage into a ledger that survives in the archive of the town.</p>"
RUSSIAN = "<p>Смотритель шлюза записывал каждый проход судна в книгу, которая хранится в архиве города.</p>"
ROWS = "<tr><th>Lock<th>Rise<tr><td>Lower<td>2.1 m<tr><td>Upper<td>3.4 m"
STEPS = "Stairs|Ninety|Lift|No"
CELLS = "Lock\tRise|Lower\t2.1 m|Upper\t3.4 m"


def added(html: str, log_odds: float = -0.9) -> str:
    """Return what units add to a page with long blocks as content and ``log_odds`` for all others."""
    page = describe(html, None)
    keep = np.array([len(block.text) > 60 for block in page.text_blocks], dtype=np.bool_)
    found = with_units(page, keep, np.where(keep, 0.9, 1 / (1 + np.exp(-log_odds))))
    assert (found >= keep).all()
    return "|".join(block.text for block, new in zip(page.text_blocks, found & ~keep, strict=True) if new)


@pytest.mark.parametrize(
    ("unit", "text"),
    [
        (f"<table>{ROWS}</table>", CELLS),
        (f"<table class=wikitable><caption>Locks</caption>{ROWS}</table>", f"Locks|{CELLS}"),
        (f"<table><thead>{ROWS.replace('<tr><td>Lower', '</thead><tbody><tr><td>Lower')}</table>", CELLS),
        (f"<figure class=wp-block-table><table>{ROWS}</table></figure>", CELLS),
        (f"<div><div class=scrolls><table>{ROWS}</table></div></div>", CELLS),
        ("<table><tr><td>Seat post<td>27.2 mm<tr><td>Tyres<td>28</table>", "Seat post\t27.2 mm|Tyres\t28"),
        ("<table><tr><td>Monday<td><ul><li>10:00<li>14:00</ul></table>", "Monday|10:00\n14:00"),
        ("<table><tr><td>Sunday<td><p>11:00</p><p>Tours</p></table>", "Sunday|11:00\nTours"),
        ("<table><tr><td><b>5.4</b><td><a href=/x>May</a> 2021<tr><td>5.5<td>June</table>", "5.4\tMay 2021|5.5\tJune"),
        ("<table><tr><td>Город<td>Год<tr><td>Тверь<td>1874</table>", "Город\tГод|Тверь\t1874"),
        ("<table><tr><td>年份<td>船只<tr><td>1874<td>41</table>", "年份\t船只|1874\t41"),
        ("<dl><dt>zone<dd>UTC<dt>lock<dd>none</dl>", "zone|UTC|lock|none"),
        ("<ul><li>two levers<li>fresh grease</ul>", "two levers\nfresh grease"),
        ("<ul><li><div>two levers</div><li><div>fresh grease</div></ul>", "two levers|fresh grease"),
        ("<ol><li>Clean it<ul><li>with a brush</ul><li>Dry it</ol>", "Clean it|with a brush|Dry it"),
        ("<pre>scheduler --check</pre>", "scheduler --check"),
        ("<div><div>two levers</div><div>fresh grease</div></div>", "two levers\nfresh grease"),
        (
            "<div><details><summary>Stairs</summary>Ninety</details><details><summary>Lift</summary>No</details></div>",
            STEPS,
        ),
        (
            "<div><div><h3><button>Stairs</button></h3>Ninety</div><div><h3><button>Lift</button></h3>No</div></div>",
            STEPS,
        ),
        ("<details><summary>Stairs</summary><p>Ninety</p></details>", "Stairs|Ninety"),
        ("<amp-accordion><section><h4>Lift</h4><p>No</p></section></amp-accordion>", "Lift|No"),
        (f"<div>{LOCKS}More of it</div>", "More of it"),
        ("More of it", "More of it"),
    ],
)
@pytest.mark.parametrize("prose", [LOCKS, RUSSIAN])
def test_a_unit_between_two_blocks_of_the_content_is_whole(unit: str, text: str, prose: str) -> None:
    assert added(f"<nav>Home</nav><article>{prose}{unit}{prose}</article><footer>Imprint</footer>") == text


def test_a_table_of_which_a_part_is_kept_is_whole() -> None:
    assert added(f"{LOCKS}<table><tr><th>Lock<th>What<tr><td>Lower<td>{LOCKS}</table>{LOCKS}") == "Lock\tWhat|Lower"


def test_units_one_after_the_other_and_at_the_end_of_a_section_are_found() -> None:
    two = f"<ul><li>two levers</ul><table>{ROWS}</table>"
    assert added(f"<div>{LOCKS}{two}{LOCKS}</div>") == f"two levers|{CELLS}"
    assert added(f"<section>{LOCKS}{two}</section><section>{LOCKS}</section>") == f"two levers|{CELLS}"


@pytest.mark.parametrize(
    "between", ["<figcaption>Photo: A. Fenn</figcaption>", "<div>Advertisement</div><aside>Read on</aside>"]
)
def test_little_else_may_stand_beside_a_table(between: str) -> None:
    assert added(f"{LOCKS}{between}<table>{ROWS}</table>{between}{LOCKS}") == CELLS
    assert added(f"{LOCKS}{between}<ul><li>two levers</ul>{LOCKS}") == ""


@pytest.mark.parametrize(
    "page",
    [
        f"<ul><li>Home<li>News</ul>{LOCKS}{LOCKS}<ul><li>Imprint</ul>",
        f"<div>{LOCKS}</div><aside><h3>Popular</h3><ul><li>Ten knots</ul></aside><div>{LOCKS}</div>",
        f"{LOCKS}<ul><li><a href=/1>Ten knots</a><li><a href=/2>The mill</a></ul>{LOCKS}",
        f"{LOCKS}<h2>Follow us</h2>{LOCKS}",
        f"{LOCKS}<p>Advertisement</p>{LOCKS}",
        f"{LOCKS}<div><p>Advertisement</p></div>{LOCKS}",
        f"{LOCKS}<div><div>{LOCKS}<a href=/1>Read on</a></div><div>{LOCKS}<a href=/2>Read on</a></div></div>{LOCKS}",
        f"{LOCKS}<table><tr><td>Menu<td>{LOCKS * 3}</table>{LOCKS}",
        "<p>Short</p><ul><li>and nothing else</ul>",
        "",
    ],
)
def test_what_is_beside_the_content_or_of_links_is_no_unit(page: str) -> None:
    assert added(page) == ""


@pytest.mark.parametrize(
    ("unit", "least"),
    [
        (f"<table>{ROWS}</table>", -3.0),
        ("<ul><li>two levers</ul>", -2.0),
        ("<div><b>x</b><p>y</p><p>z</p></div>", -1.0),
    ],
)
def test_a_unit_that_is_very_unlikely_to_be_content_is_dropped(unit: str, least: float) -> None:
    assert added(f"{LOCKS}{unit}{LOCKS}", least + 0.1)
    assert not added(f"{LOCKS}{unit}{LOCKS}", least - 0.1)


def test_a_unit_of_a_thread_is_within_a_post() -> None:
    html = f"<div>{LOCKS}<ul><li>two levers</ul>{LOCKS}</div>"
    page = describe(html, None)
    keep, probabilities = np.array([True, False, True]), np.array([0.9, 0.4, 0.9])
    for post, expected in (([0, 0, 0], True), ([0, -1, 1], False)):
        posts = PostBlocks(0.9, 2, np.ones(3), np.array(post))
        assert with_units(page, keep, probabilities, posts)[1] == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("<tr><td>Weight<td>5.4<tr><td>Load<td>thirty kilos or a little more, by the seat post", 2),
        ("<tr><td>Weight and load of it<td>5.4 and thirty<tr><td>Load<td>thirty kilos", 0),
    ],
)
def test_a_table_at_the_end_is_whole_if_most_of_it_is_content(rows: str, expected: int) -> None:
    page = describe(f"{LOCKS}<table class=specs><tr><th>One</th></tr>{rows}</table>", None)
    keep = np.array([len(block.text) > 40 for block in page.text_blocks], dtype=np.bool_)
    found = with_units(page, keep, np.where(keep, 0.9, 0.3))
    assert (found & ~keep).sum() == expected


def test_a_series_is_content_if_most_of_it_is() -> None:
    message = "<div class=msg><b>{}</b> 19:1{}<div class=bubble>{}</div><div class=foot>Like</div></div>".format
    texts = [f"There was a tin behind the stove on day {number}." for number in range(4)]
    chat = "".join(message(name, number, texts[number]) for number, name in enumerate(("Anna", "Piet", "Anna", "Piet")))
    for html, expected in (
        (chat, ["Anna 19:10", "Piet 19:11", "Anna 19:12", "Piet 19:13"]),
        (chat.replace("b>", "a>"), []),
    ):
        page = describe(f"{LOCKS}{html.replace('<a>', '<a href=/>')}", None)
        keep = np.array([len(block.text) > 30 for block in page.text_blocks], dtype=np.bool_)
        found = with_series(page.layout(), keep, page.word_counts())
        assert [b.text for b, new in zip(page.text_blocks, found & ~keep, strict=True) if new] == expected


ARTICLE = "".join(
    f"<p>{number}. The kettle leaks from the spout whenever the water in it begins to boil, so descale it once a month"
    " with vinegar and never let it boil dry.</p>"
    for number in range(3)
)
OUTDATED = "You are using an out of date browser. It may not display this or other websites correctly."


def left(html: str, *, in_posts: bool = False) -> list[str]:
    """Return the kept blocks of a page whose blocks were all content before."""
    page = describe(html, None)
    keep = np.ones(len(page.text_blocks), dtype=np.bool_)
    result = without_notices(page.text_blocks, keep, page.word_counts(), keep & (not in_posts))
    return [block.text for block, kept in zip(page.text_blocks, result.tolist(), strict=True) if kept]


def has(notice: str, blocks: list[str]) -> bool:
    return any(notice in block for block in blocks)


@pytest.mark.parametrize(
    "notice",
    [
        OUTDATED,
        "JavaScript is disabled. For a better experience, please enable JavaScript in your browser.",
        "This site uses cookies to help personalise content and to keep you logged in.",
        "Wir verwenden Cookies, um Inhalte zu personalisieren.",
        "Nous utilisons des cookies pour vous offrir la meilleure expérience.",
        "Мы используем файлы cookie, чтобы сайт работал лучше.",
        "It looks like you are using an ad blocker. Please consider supporting us.",
        "You must log in or register to reply here.",
        "Du musst angemeldet sein, um hier zu antworten.",
    ],
)
def test_a_notice_of_its_own_before_or_behind_the_content_is_left_out(notice: str) -> None:
    for page in (
        f"<div><div>{notice}</div></div><article>{ARTICLE}</article>",
        f"<article>{ARTICLE}</article><aside><p>{notice}</p></aside>",
    ):
        blocks = left(page)
        assert has("The kettle leaks", blocks)
        assert not has(notice[:20], blocks)


def test_a_notice_is_never_all_of_the_main_text() -> None:
    assert left(f"<div>{OUTDATED}</div>") == []


def test_a_longer_text_may_be_all_of_the_main_text() -> None:
    said = "Members must log in to post a reply to the survey, which is open to all who joined the club before May."
    assert left(f"<h1>Survey</h1><p>{said}</p>") == ["Survey", said]


@pytest.mark.parametrize("name", ["category-gdpr", "tag-adblock", "informed-consent-study"])
def test_names_of_subjects_are_no_names_of_notices(name: str) -> None:
    said = "This site uses cookies to keep you logged in."
    assert has(said, left(f"<article class='post {name}'>{ARTICLE}<p>{said}</p>{ARTICLE}</article>"))


def test_what_an_article_says_stays() -> None:
    said = "Our site uses cookies."
    assert has(said, left(f"<article>{ARTICLE}<p>{said}</p></article>"))
    subject = "<p>Cookies are small files that a site keeps in the browser of each of its visitors.</p>"
    assert has(said, left(f"<article><section>{subject}</section><section><p>{said}</p></section></article>"))
    assert has(OUTDATED, left(f"<div><div>{ARTICLE}</div><div><p>{OUTDATED}</p></div><div>{ARTICLE}</div></div>"))
    assert has("JavaScript", left(f"<div><h2>Enable JavaScript in Firefox</h2></div><div>{ARTICLE}</div>"))


def test_a_post_may_say_the_same() -> None:
    assert left(f"<div><p>{OUTDATED}</p></div>", in_posts=True) == [OUTDATED]


def test_an_element_made_for_notices_may_stand_in_the_article() -> None:
    for element in (
        "<noscript><p>{}</p></noscript>",
        "<div role=dialog><p>{}</p></div>",
        "<p class=slideshow-noscript>{}</p>",
    ):
        notice = element.format("This slideshow requires JavaScript.")
        assert not has("slideshow", left(f"<article>{ARTICLE}{notice}{ARTICLE}</article>"))


def test_the_line_that_expands_a_quotation_is_left_out_everywhere() -> None:
    quoted = "<blockquote><div>It leaks.</div><div class=expand>Click to expand...</div></blockquote>"
    said = "<p>Click to expand it, then.</p>"
    assert left(f"<article>{quoted}{said}</article>", in_posts=True) == ["It leaks.", "Click to expand it, then."]


@pytest.mark.parametrize("name", ["cookie-notice", "cookie-consent", "gdpr-notice", "cookie-law-banner"])
@pytest.mark.parametrize("form", ["<div class={}>{}</div>", "<main id={}><h1>Cookies</h1>{}</main>"])
def test_a_policy_is_no_notice_whatever_its_elements_are_called(name: str, form: str) -> None:
    texts = (
        "This policy explains which cookies this website uses, what they are for and how long they stay on a device.",
        "We use cookies to remember your language and the content of your basket, until you close the browser.",
        "With your consent we use cookies of a service that counts our visitors, and sends us sums of them alone.",
        "You can withdraw your consent at any time by the link at the end of each page of this site, in all browsers.",
    )
    apart = "".join(f"<div class={name}><p>{text}</p></div>" for text in texts)
    for html in (apart, form.format(name, "".join(f"<h2>Part {n}</h2><p>{t}</p>" for n, t in enumerate(texts)))):
        blocks = left(html)
        assert all(has(text, blocks) for text in texts)


FIRST = "The kettle leaks from the spout whenever the water in it begins to boil."
SECOND = "Descale it once a month with vinegar."


def once(texts: list[str], keep: list[bool] | None = None) -> list[bool]:
    """Return which texts of a page are kept, each in an element of a different type."""
    kept = np.array([True] * len(texts) if keep is None else keep)
    scopes = [Scope(None, None, f"x-{n}", "", False) for n in range(len(texts))]
    result: list[bool] = without_repeats(texts, kept, word_counts(texts), scopes).tolist()
    return result


def times(html: str, text: str) -> int:
    """Return how often a text remains on a page."""
    blocks = search(parse(html))
    texts, scopes = [block.text for block in blocks], [block.scope for block in blocks]
    kept = without_repeats(texts, np.ones(len(texts), dtype=np.bool_), word_counts(texts), scopes)
    return sum(block == text and keeps for block, keeps in zip(texts, kept.tolist(), strict=True))


VERSES = [
    f"This is the {which} verse of a song, and no other verse is like it at all." for which in ("first", "second")
]
CARDS = [("Kettles", FIRST), ("Teapots", SECOND), ("Kettles", FIRST)]


@pytest.mark.parametrize(
    "form",
    [
        "<p>{}</p><p class=refrain>{}</p>",
        "<div class=stanza><p>{}</p></div><div class=stanza><p>{}</p></div>",
        "<p>{}</p><blockquote><p>{}</p></blockquote>",
        "<div class=verse>{}</div><div class=refrain>{}</div>",
        "<table><tr><td>{}</td></tr><tr><td>{}</td></tr></table>",
        "<h3>{}</h3><p>{}</p>",
        "<dt>{}</dt><dd>{}</dd>",
        "<div class=item id=i1><h3>{}</h3><div class=answer><p>{}</p></div></div>",
    ],
)
def test_a_refrain_comes_again(form: str) -> None:
    assert times("".join(form.format(verse, FIRST) for verse in VERSES), FIRST) == 2


@pytest.mark.parametrize("mark", ["?", "？", "؟", "?»"])
def test_questions_may_have_the_same_answer(mark: str) -> None:
    form = "<article class=a{}><h3>{}{}</h3><div>{}</div></article>"
    assert times("".join(form.format("bc"[n], verse, mark, FIRST) for n, verse in enumerate(VERSES)), FIRST) == 2


@pytest.mark.parametrize(
    "html",
    [
        f"<p class=wide>{FIRST}</p><p class=narrow>{FIRST}</p>",
        f"<div class=wide><p>{FIRST}</p><p>{SECOND}</p></div><div class=narrow><p>{FIRST}</p><p>{SECOND}</p></div>",
        f"<div class=lead>{FIRST}</div><p>{VERSES[0]}</p><p>{FIRST}</p>",
        f"<div class=slides>{''.join(f'<div>{text}</div>' for text in (FIRST, VERSES[0], FIRST))}</div>",
        f"<ul><li>{FIRST}</li><li>{VERSES[0]}</li><li>{FIRST}</li></ul>",
        "".join(f"<div class=card><h4>{name}</h4><p>{text}</p></div>" for name, text in CARDS),
    ],
)
def test_copies_of_other_kinds_are_left_out(html: str) -> None:
    assert times(html, FIRST) == 1


def test_a_passage_that_stands_there_again_is_left_out() -> None:
    assert once([FIRST, SECOND, "Else.", FIRST, SECOND]) == [True, True, True, False, False]


def test_case_and_white_space_do_not_matter() -> None:
    assert once([f"{FIRST} {SECOND}", f"{FIRST}\n{SECOND.upper()}"]) == [True, False]


def test_every_further_time_is_left_out() -> None:
    assert once([FIRST, SECOND] * 3) == [True, True] + [False] * 4


def test_what_stands_there_often_is_of_the_content() -> None:
    assert all(once([FIRST, SECOND] * 4))
    assert once([FIRST, SECOND, "Else.", FIRST, SECOND, SECOND, SECOND]) == [True, True, True, False, True, True, True]


@pytest.mark.parametrize("texts", [["Read more", "Read more"], [SECOND, "Else.", SECOND]])
def test_short_passages_may_come_again(texts: list[str]) -> None:
    assert all(once(texts))


def test_another_order_is_another_passage() -> None:
    other = "Never let it boil dry."
    assert once([SECOND, other, "Else.", SECOND, other]) == [True, True, True, False, False]
    assert all(once([SECOND, other, "Else.", other, SECOND]))


def test_what_was_no_content_before_is_no_repetition() -> None:
    texts = [FIRST, SECOND, FIRST, SECOND]
    assert once(texts, [False, False, True, True]) == [False, False, True, True]


KETTLES = "".join(f"<p>{number}. {FIRST} {SECOND}</p>" for number in range(6))
PAGE = (
    "<meta property=og:type content=article><meta name=description content='How to mend a kettle.'>"
    "<title>A kettle</title><body class='single single-post'><nav><a href=/>Home</a> <a href=/about>About</a></nav>"
    "<h1>A kettle</h1><p>By Ann, May 3, 2020</p>"
    f"<article class=desktop>{KETTLES}</article><article class=mobile>{KETTLES}</article>"
)


@pytest.mark.slow
def test_an_article_with_a_copy_for_phones_is_read_once() -> None:
    options = Options(pairs=False, sections=False, kinds=False)
    page = extractor().read(PAGE, options=options)
    assert [page.main_text.count(f"{number}. The kettle") for number in range(6)] == [1] * 6
    assert "\n".join(block.text for block in page.blocks if block.is_main) == page.main_text
    paper = extractor().read(PAGE, options=replace(options, labeler="network"))
    assert paper.main_text.count("The kettle leaks") == 12


KEPT = [
    "For ninety years the small green ferry has carried people, bicycles and now and then a goat across the river.",
    "What it carried",
    "The books of the company show how much the traffic has changed over the decades, and in which direction.",
    "1960\t212,000",
    "pupils of the school on the northern bank",
    "A bridge was promised in 1931. We are still waiting for it.",
    "A bus will take the long way round from April. It needs forty minutes for what the ferry did in six.",
]
LEFT_OUT = [
    "Share",
    "has written about the harbour and the people who work in it since 2009",
    "We tried the new line before it opens and counted the stops on the way.",
    "I took it every day for eleven years. A sad thing.",
    "We use cookies to measure how our pages are used",
    "All rights reserved",
]
HTML = f"""<!doctype html><html lang="en"><head><title>The last ferry of Aldermouth - The Harbour Post</title></head>
<body><header><a href="/">The Harbour Post</a><nav><a href="/news">News</a> <a href="/sport">Sport</a></nav></header>
<main><article><h1>The last ferry of Aldermouth</h1>
<p class="byline">By <a rel="author" href="/ruth">Ruth Calder</a></p>
<div class="share"><a href="#">Share</a></div><p>{KEPT[0]}</p><h2>{KEPT[1]}</h2><p>{KEPT[2]}</p>
<table><tr><th>Year</th><th>People</th></tr>
<tr><td>1960</td><td>212,000</td></tr><tr><td>2020</td><td>41,000</td></tr></table>
<p>Three groups of people will miss it most, as far as the council knows:</p>
<ul><li>{KEPT[4]},</li><li>nurses who work at night,</li><li>people who walk.</li></ul>
<blockquote><p>{KEPT[5]}</p></blockquote><p>{KEPT[6]}</p></article>
<div class="author-box"><h4>Ruth Calder</h4><p>Ruth Calder {LEFT_OUT[1]}.</p></div>
<section class="related"><h3>Related articles</h3>
<div><h4><a href="/b">Forty minutes by bus</a></h4><p>{LEFT_OUT[2]}</p></div>
<div><h4><a href="/c">A bridge too dear</a></h4>
<p>Why the plan was never built, and who still has the drawings.</p></div>
</section><section id="comments"><h3>2 comments</h3>
<div class="comment"><b>Tom</b> <time>6 March 2024</time><p>{LEFT_OUT[3]}</p></div>
<div class="comment"><b>Ines</b> <time>7 March 2024</time><p>The bus does not even stop at the school.</p></div>
</section></main><div class="cookie-consent"><p>{LEFT_OUT[4]}.</p><button>Accept</button></div>
<footer><p>© 2024 The Harbour Post. {LEFT_OUT[5]}.</p></footer></body></html>"""


@pytest.fixture(scope="module")
def page() -> Page:
    return extract(HTML, "https://post.example/2024/03/05/last-ferry")


@pytest.mark.smoke
@pytest.mark.parametrize("text", KEPT)
def test_is_main_text(page: Page, text: str) -> None:
    assert text in page.main_text


@pytest.mark.smoke
@pytest.mark.parametrize("text", LEFT_OUT)
def test_is_not_main_text(page: Page, text: str) -> None:
    assert text not in page.main_text
