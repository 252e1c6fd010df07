"""Annotated threads and articles for the tests of out-of-fold post models."""

from __future__ import annotations

from scrapy_semtext.train.datasets import AnnotatedPage


def thread(number: int) -> AnnotatedPage:
    """Return a thread of one of six engines, each with two sites."""
    posts = [f"Post {post} of thread {number}, which says something or other." for post in range(3)]
    return AnnotatedPage(
        id=f"t{number}",
        dataset="forums",
        url=None,
        page_type="thread",
        lang=None,
        html="".join(f"<div class=post>{post}</div>" for post in posts),
        text="\n".join(posts),
        domain=f"site{number % 12}.example",
        extra={"engine": f"engine{number % 6}", "posts": [{"post_text": post} for post in posts]},
    )


def article(number: int, dataset: str) -> AnnotatedPage:
    return AnnotatedPage(f"a{number}", dataset, None, "article", None, "<p>News.</p>", "News.", f"news{number}.example")
