"""What stands around the text of posts inside their bodies."""

from __future__ import annotations

from posting import posts_of

from scrapy_semtext.qa.cleaning import clean_bodies

_RANKS = ("Junior Member", "Senior Member", "Guru")
_NAMES = ("Ann", "Bob", "Clara")
_TEXTS = ("My kettle leaks at the spout, and I do not know why.", "Is the seal old?", "Mine leaked, too. New seal.")


def _texts(*posts: str) -> list[str]:
    return clean_bodies(*posts_of("".join(f'<article><div class="text">{post}</div></article>' for post in posts)))


def _framed(number: int) -> str:
    head = f"<div class=name>{_NAMES[number]}</div><div class=rank>{_RANKS[number]}</div>"
    foot = f"<div class=tools><a href=#only>only show {_NAMES[number]}</a></div><div class=up>{number}</div>"
    return f"{head}<div><p>{_TEXTS[number]}</p></div>{foot}"


def test_names_ranks_and_buttons_at_the_same_place_of_all_posts_go() -> None:
    assert _texts(*map(_framed, range(3))) == list(_TEXTS)


def test_short_posts_keep_their_only_paragraph() -> None:
    posts = ["<p>Yes.</p>", "<p>No.</p><blockquote>Why not?</blockquote>", "<p>Maybe.</p>"]
    assert _texts(*posts) == ["Yes.", "No.\nWhy not?", "Maybe."]
    assert _texts(*(f"<span class=t>{text}</span>" for text in ("Yes.", "No.", "Maybe."))) == ["Yes.", "No.", "Maybe."]


def test_what_two_posts_have_in_front_stays() -> None:
    posts = ["<b class=name>Ann</b><p>It leaks.</p>", "<b class=name>Bob</b><p>Since when?</p>"]
    assert _texts(*posts) == ["Ann\nIt leaks.", "Bob\nSince when?"]


def _signed(*posts: tuple[str, str]) -> list[str]:
    nodes, bodies = posts_of("".join(f'<article><div class="text">{post}</div></article>' for _, post in posts))
    return clean_bodies(nodes, bodies, [author for author, _ in posts])


def test_lines_that_end_all_posts_of_an_author_are_a_signature() -> None:
    signature = "<p>Tea is the answer.</p><p>www.tea.example</p>"
    texts = _signed(
        ("Ann", f"<p>It leaks.</p>{signature}"), ("Bob", "<p>Seal?</p>"), ("Ann", f"<p>It is new.</p>{signature}")
    )
    assert texts == ["It leaks.", "Seal?", "It is new."]


def test_an_author_may_say_the_same_twice() -> None:
    assert _signed(("Ann", "<p>Bump.</p>"), ("Bob", "<p>Wait.</p>"), ("Ann", "<p>Bump.</p>")) == [
        "Bump.",
        "Wait.",
        "Bump.",
    ]


def test_an_end_that_one_post_of_the_author_lacks_stays() -> None:
    texts = _signed(("Ann", "<p>A.</p><p>Thanks!</p>"), ("Ann", "<p>B.</p><p>Thanks!</p>"), ("Ann", "<p>C.</p>"))
    assert texts == ["A.\nThanks!", "B.\nThanks!", "C."]
