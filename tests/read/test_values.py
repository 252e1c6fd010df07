from __future__ import annotations

from typing import Any

import pytest

from scrapy_semtext.read.records import author_of, date_of, image_of, numbers_of, record_lines
from scrapy_semtext.tree.parsing import parse


def of_html(html: str) -> tuple[list[Any], list[str]]:
    elements = [parse(f"<div>{html}</div>").find(".//div")]
    return elements, record_lines(elements, "Title")


def test_the_text_is_what_stands_beside_the_title() -> None:
    _, lines = of_html("<h3>Title</h3><p>A <b>lead</b>.</p><script>var a</script><span>12</span><span>replies</span>")
    assert lines == ["A lead.", "12 replies"]
    assert record_lines([parse("<p>New: Title (2)</p>").find(".//p")], "Title") == ["New: (2)"]


def test_counts_go_by_the_word_beside_them_and_prices_as_shown() -> None:
    lines = [["12 replies", "Views: 1,204", "$9.99"], ["3 replies", "Views: 1.2k", "$1,099.00 $1,200.00"]]
    assert numbers_of(lines, "en") == [
        {"replies": 12, "views": 1204, "price": "$9.99"},
        {"replies": 3, "views": 1200, "price": "$1,099.00"},
    ]


def test_counts_may_stand_in_cells_of_their_own() -> None:
    lines = [["Replies", "12", "Views:", "3.4k", "Today at 3:04 PM"], ["Replies", "0", "Views:", "17"]]
    assert numbers_of(lines, "en") == [{"replies": 12, "views": 3400}, {"replies": 0, "views": 17}]


def test_facts_of_one_line_are_told_apart() -> None:
    lines = [["7 March 12:46 PM - Desktop - 9 Comments"], ["10 Hours Ago - Linux - 2 Comments"]]
    assert numbers_of(lines, "en") == [{"comments": 9}, {"comments": 2}]


def test_numbers_of_dates_sentences_and_single_records_are_none() -> None:
    sentence = "In the year 2020 there were 12 people who said that they had seen it with their own eyes."
    lines = [["3 days ago", sentence], ["5 days ago", "14 pieces"], ["May 3, 2024"], ["4.5 out of 5"]]
    assert numbers_of(lines, "en") == [{}, {}, {}, {}]


@pytest.mark.parametrize(
    ("html", "image"),
    [
        ("<img src=/a.png>", "https://example.com/a.png"),
        ("<img src='data:image/gif;base64,R0' data-src=b.png>", "https://example.com/list/b.png"),
        ("<picture><source srcset='/c.webp 1x, /d.webp 2x'></picture>", "https://example.com/c.webp"),
        ("<picture><source srcset='/w_200,h_100/c.webp 1x'></picture>", "https://example.com/w_200,h_100/c.webp"),
        ("<img src=/blank.gif data-src=/real.jpg>", "https://example.com/real.jpg"),
        ("<video><source src=/clip.mp4></video>", None),
        ("<img alt=none>", None),
    ],
)
def test_images(html: str, image: str | None) -> None:
    elements, _ = of_html(html)
    assert image_of(elements, "https://example.com/list/") == image


@pytest.mark.parametrize(
    ("html", "date"),
    [
        ("Title <time datetime='2024-05-03T10:00'>3 days ago</time>", "2024-05-03T10:00"),
        ("Title<p>By Ann on May 3, 2024</p>", "May 3, 2024"),
        ("Title<p>Vor 3 Tagen</p>", "Vor 3 Tagen"),
        ("Title<p>8 min</p>", None),
        ("Title <time datetime=PT8M>8 min</time>", None),
        ("Title<p>Nothing is said.</p>", None),
    ],
)
def test_dates(html: str, date: str | None) -> None:
    assert date_of(*of_html(html)) == date


@pytest.mark.parametrize(
    ("html", "author"),
    [
        ("Title<p>By Ann Lee</p>", "Ann Lee"),
        ("Title<p class=post-author>Ann Lee</p>", "Ann Lee"),
        ("Title<a class=username href=/ann>Ann Lee</a>", "Ann Lee"),
        ("Title<p>Ann Lee</p>", None),
    ],
)
def test_authors(html: str, author: str | None) -> None:
    assert author_of(*of_html(html)) == author
