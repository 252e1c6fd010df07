"""The question of a thread: its opening post, among the posts or separate from them, or only its title."""

from __future__ import annotations

import pytest
from kettle_threads import read_pairs_of

_TITLE = "Which seal fits the spout of a kettle from 1990?"
_OPENING = (
    "My old kettle leaks at the spout since last week, and the maker no longer exists. The seal of the spout is worn"
    " out and brittle. Which seal fits the spout of such a kettle, and where can I buy one? Thanks for any help!"
)
_REPLIES = [
    "Any seal of 28 mm fits the old ones. I bought mine in a shop for plumbers, it was less than a euro.",
    "Look for silicone and not for rubber, since rubber gets hard after two years of boiling water.",
    "Same here, my kettle is from 1992. The plumber's seal works, but you have to cut the edge with a knife first.",
    "I gave up on mine and bought a new one. The new ones are quiet, and they stop when the water is warm enough.",
    "Agreed on silicone. Mine has been tight for six years now, and I make tea five times a day.",
]
_NAMES = ["anna_b", "Olle", "teamaker", "mira", "k_nowak", "Ruth"]


def _page(above: str, posts: list[str], head: str = "") -> str:
    records = "".join(
        f"<div class='reply' id='r{number}'><div class='by'><a href='/u/{name}'>{name}</a> <span>{number + 2} May 2024,"
        f" 10:{number}4</span></div><div class='text'><p>{text}</p></div><a href='#r{number}'>Quote</a></div>"
        for number, (name, text) in enumerate(zip(_NAMES, posts, strict=False))
    )
    return (
        f"<html><head><title>{_TITLE} - Kitchen forum</title>{head}</head><body><nav><a href='/'>Kitchen forum</a>"
        f" <a href='/new'>New posts</a> <a href='/login'>Log in</a></nav><main><h1>{_TITLE}</h1>{above}"
        f"<div class='replies'>{records}</div></main><footer>Imprint, privacy, rules</footer></body></html>"
    )


def test_the_opening_post_is_the_first_of_the_posts() -> None:
    pairs = read_pairs_of(_page("", [_OPENING, *_REPLIES]), "https://kitchen.example/t/17")
    assert {pair.question_body for pair in pairs} == {_OPENING}
    assert [pair.answer for pair in pairs] == _REPLIES
    assert pairs[0].question_author == "anna_b"


def test_the_opening_post_stands_apart() -> None:
    story = f"<p>Asked by lena, 1 May 2024</p><div class='story'><p>{_OPENING}</p></div>"
    above = f"<section class='question'>{story}</section><h2>5 answers</h2>"
    pairs = read_pairs_of(_page(above, _REPLIES), "https://kitchen.example/t/17")
    assert {pair.question_body for pair in pairs} == {_OPENING}
    assert [pair.answer for pair in pairs] == _REPLIES


def test_the_first_of_two_short_posts_is_part_of_the_question() -> None:
    pairs = read_pairs_of(_page("", ["Mine is from 1990 and leaks.", _REPLIES[0]]), "https://kitchen.example/t/17")
    assert [(pair.question, pair.answer) for pair in pairs] == [
        (f"{_TITLE}\nMine is from 1990 and leaks.", _REPLIES[0])
    ]


def test_what_precedes_the_title_is_no_post() -> None:
    dialog = (
        "<section class='consent'><p>This site stores small files on your device to remember your choices. You can"
        " refuse all but the necessary ones.</p><button>Fine</button></section>"
    )
    posts = ["Mine is from 1990 and leaks.", *_REPLIES[:2]]
    items = (
        f"<li class='post'><b>{name}</b> <span>3 May 2024</span><p>{text}</p></li>"
        for name, text in zip(_NAMES, posts, strict=False)
    )
    page = _page(f"<ol>{''.join(items)}</ol>", []).replace("<body>", f"<body>{dialog}")
    pairs = read_pairs_of(page, "https://kitchen.example/t/17")
    assert [(pair.question_body, pair.answer) for pair in pairs] == [(posts[0], text) for text in posts[1:]]


def test_what_precedes_a_title_outside_headings_is_no_post() -> None:
    rules = f"<aside><div class='text'><p>{_REPLIES[3]}</p></div></aside>"
    page = _page("", [_OPENING, *_REPLIES[:3]]).replace("<main>", f"<main>{rules}")
    pairs = read_pairs_of(page.replace(f"<h1>{_TITLE}</h1>", f"<p><a href='/t/17'>{_TITLE}</a> (kettles)</p>"))
    assert {pair.question_body for pair in pairs} == {_OPENING}
    assert [pair.answer for pair in pairs] == _REPLIES[:3]


def test_a_post_may_be_in_a_form_without_fields() -> None:
    page = _page("", [_OPENING, *_REPLIES[:3]]).replace(
        "<div class='text'>", "<form><input type='hidden' name='id'><div>"
    )
    pairs = read_pairs_of(page.replace("</p></div><a", "</p></div></form><a"), "https://kitchen.example/t/17")
    assert [(pair.question_body, pair.answer) for pair in pairs] == [(_OPENING, text) for text in _REPLIES[:3]]


def test_a_later_page_may_repeat_the_question() -> None:
    posts = [_OPENING, *_REPLIES[:3]]
    parts = (
        f"<div class='{part}'><b>{name}</b> <span>3 May 2024</span><p>{text}</p></div>"
        for part, name, text in zip(["question", *["answer"] * 3], _NAMES, posts, strict=False)
    )
    pairs = read_pairs_of(_page("".join(parts), []), "https://kitchen.example/t/17/page-2")
    assert [(pair.question_body, pair.answer) for pair in pairs] == [(_OPENING, text) for text in posts[1:]]


def test_the_only_post_is_no_answer() -> None:
    footer = "<div class='text'><p>Powered by Kettle 3.1</p></div>"
    page = _page("", [_REPLIES[0]]).replace("</footer>", f"{footer}</footer>")
    assert read_pairs_of(page, "https://kitchen.example/t/17") == []


def test_a_post_that_quotes_another_is_not_the_opening_post() -> None:
    posts = [f"{name} wrote:<br>{text}</p><p>{text}" for name, text in zip(_NAMES, _REPLIES[:3], strict=False)]
    pairs = read_pairs_of(_page("", posts), "https://kitchen.example/t/17")
    assert {pair.question for pair in pairs} == {_TITLE}
    assert len(pairs) == len(posts)


def test_a_column_about_the_author_is_no_part_of_a_post() -> None:
    rows = "".join(
        f"<table><tr><td class='head' colspan=2>2024-03-0{number + 1} 09:12</td></tr><tr><td><b>{name}</b><br>Senior"
        f" Member<br>Joined: 2009<br>Posts: 1,204</td><td><div id=m{number}><p>{text}</p></div></td></tr></table>"
        for number, (name, text) in enumerate(zip(_NAMES, [_OPENING, *_REPLIES[:3]], strict=False))
    )
    pairs = read_pairs_of(_page(rows, []), "https://kitchen.example/t/17")
    assert [(pair.answer, pair.author) for pair in pairs] == list(zip(_REPLIES[:3], _NAMES[1:4], strict=True))
    assert {pair.question_body for pair in pairs} == {_OPENING}


def test_the_title_is_the_question() -> None:
    above = "<p>5 points by lena 3 hours ago | 5 comments</p>"
    pairs = read_pairs_of(_page(above, _REPLIES), "https://kitchen.example/t/17")
    assert {pair.question for pair in pairs} == {_TITLE}


@pytest.mark.parametrize(
    "mark",
    ["<p>Page 2 of 3</p>", "<p><a href='a.html'>1</a> <b>2</b> <a href='c.html'>3</a></p>"],
    ids=["stated", "pager"],
)
def test_on_a_later_page_all_posts_are_answers(mark: str) -> None:
    pairs = read_pairs_of(_page(mark, _REPLIES))
    assert {pair.question for pair in pairs} == {_TITLE}
    assert [pair.answer for pair in pairs] == _REPLIES
