"""Frames around the text of posts inside their bodies."""

from __future__ import annotations

from posting import posts_of

from scrapy_semtext.read.cleaning import clean_bodies


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
