"""Tables, lists and similar units between blocks of the content are kept or dropped as a whole."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_semtext.features.table import PostBlocks, describe
from scrapy_semtext.read.main_text import with_series, with_units

PROSE = "<p>The lock keeper wrote each passage into a ledger that survives in the archive of the town.</p>"
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
        (f"<div>{PROSE}More of it</div>", "More of it"),
        ("More of it", "More of it"),
    ],
)
@pytest.mark.parametrize("prose", [PROSE, RUSSIAN])
def test_a_unit_between_two_blocks_of_the_content_is_whole(unit: str, text: str, prose: str) -> None:
    assert added(f"<nav>Home</nav><article>{prose}{unit}{prose}</article><footer>Imprint</footer>") == text


def test_a_table_of_which_a_part_is_kept_is_whole() -> None:
    assert added(f"{PROSE}<table><tr><th>Lock<th>What<tr><td>Lower<td>{PROSE}</table>{PROSE}") == "Lock\tWhat|Lower"


def test_units_one_after_the_other_and_at_the_end_of_a_section_are_found() -> None:
    two = f"<ul><li>two levers</ul><table>{ROWS}</table>"
    assert added(f"<div>{PROSE}{two}{PROSE}</div>") == f"two levers|{CELLS}"
    assert added(f"<section>{PROSE}{two}</section><section>{PROSE}</section>") == f"two levers|{CELLS}"


@pytest.mark.parametrize(
    "between", ["<figcaption>Photo: A. Fenn</figcaption>", "<div>Advertisement</div><aside>Read on</aside>"]
)
def test_little_else_may_stand_beside_a_table(between: str) -> None:
    assert added(f"{PROSE}{between}<table>{ROWS}</table>{between}{PROSE}") == CELLS
    assert added(f"{PROSE}{between}<ul><li>two levers</ul>{PROSE}") == ""


@pytest.mark.parametrize(
    "page",
    [
        f"<ul><li>Home<li>News</ul>{PROSE}{PROSE}<ul><li>Imprint</ul>",
        f"<div>{PROSE}</div><aside><h3>Popular</h3><ul><li>Ten knots</ul></aside><div>{PROSE}</div>",
        f"{PROSE}<ul><li><a href=/1>Ten knots</a><li><a href=/2>The mill</a></ul>{PROSE}",
        f"{PROSE}<h2>Follow us</h2>{PROSE}",
        f"{PROSE}<p>Advertisement</p>{PROSE}",
        f"{PROSE}<div><p>Advertisement</p></div>{PROSE}",
        f"{PROSE}<div><div>{PROSE}<a href=/1>Read on</a></div><div>{PROSE}<a href=/2>Read on</a></div></div>{PROSE}",
        f"{PROSE}<table><tr><td>Menu<td>{PROSE * 3}</table>{PROSE}",
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
    assert added(f"{PROSE}{unit}{PROSE}", least + 0.1)
    assert not added(f"{PROSE}{unit}{PROSE}", least - 0.1)


def test_a_unit_of_a_thread_is_within_a_post() -> None:
    html = f"<div>{PROSE}<ul><li>two levers</ul>{PROSE}</div>"
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
    page = describe(f"{PROSE}<table class=specs><tr><th>One</th></tr>{rows}</table>", None)
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
        page = describe(f"{PROSE}{html.replace('<a>', '<a href=/>')}", None)
        keep = np.array([len(block.text) > 30 for block in page.text_blocks], dtype=np.bool_)
        found = with_series(page.layout(), keep, page.word_counts())
        assert [b.text for b, new in zip(page.text_blocks, found & ~keep, strict=True) if new] == expected
