"""Pages generated for training: the same from the same seed, and with the posts that their truth states."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

pytest.importorskip("lightgbm")

from research.generated_pages import SitePool, generated_pages
from research.making.content import Pool
from research.themed_pages import THEMES, themed_pages
from scrapy_semtext.train.datasets import AnnotatedPage
from scrapy_semtext.train.posts import body_labels, engine_of
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.nodes import PageNodes

SITES = 24


def _pages() -> list[AnnotatedPage]:
    pages = []
    for number in range(12):
        said = [
            f"Report {number} says in part {part} what was seen on the river. Nobody asked the other {part * number}."
            for part in range(1, 7)
        ]
        body = "".join(f"<p>{text}</p>" for text in said)
        main = f"<main><h1>Report {number}</h1>{body}</main>"
        html = f"<title>Report {number}</title><nav>Home</nav>{main}<footer>End</footer>"
        url = f"https://paper{number}.example/a"
        extra = {"title": f"Report {number}"}
        pages.append(
            AnnotatedPage(f"a{number}", "wcxb_dev", url, "article", "en", html, "\n".join(said), url[8:], extra=extra)
        )
        posts = [{"post_text": f"My pump {number} leaks since week {week}. Which glue holds it?"} for week in range(3)]
        thread = AnnotatedPage(f"t{number}", "webforum52", None, "forum", "en", "<p>", "", "f.example")
        thread.extra["posts"] = posts
        pages.append(thread)
    return pages


@pytest.fixture(scope="module")
def pool() -> SitePool:
    return SitePool.of(_pages(), Random(1))  # noqa: S311


@pytest.fixture(scope="module")
def rows(pool: SitePool) -> list[dict[str, Any]]:
    return [*generated_pages(pool, 1, SITES)]


def test_a_seed_always_gives_the_same_sites(pool: SitePool, rows: list[dict[str, Any]]) -> None:
    again = list(generated_pages(pool, 1, 2))
    assert again == rows[: len(again)]
    assert [row["html"] for row in generated_pages(pool, 2, 2)] != [row["html"] for row in again]


def _missing(row: dict[str, Any]) -> list[str]:
    """Return the posts or comments of a page that are not the text of an element."""
    texts = [answer["text"] for answer in row.get("answers", ())]
    if row["kind"] == "thread":
        texts = [text for text in (row["question"]["body"], *texts) if text]
    nodes = PageNodes.of_page(parsing.parse(row["html"], row["url"]))
    return [text for text in texts if not body_labels(nodes, [text]).any()]


def test_every_post_is_the_text_of_an_element(rows: list[dict[str, Any]]) -> None:
    assert not {row["id"]: missing for row in rows if (missing := _missing(row))}


def test_there_are_pages_of_all_kinds_and_a_site_is_a_family_by_itself(rows: list[dict[str, Any]]) -> None:
    kinds = Counter((row["kind"], bool(row.get("answers"))) for row in rows)
    assert {("thread", True), ("thread", False), ("comments", True), ("comments", False)} <= kinds.keys()
    assert {"faq", "listing", "article", "other"} <= {kind for kind, _ in kinds}
    assert {row["engine"] for row in rows} == {f"generated-{number}" for number in range(SITES)}
    assert all(engine_of(row["html"], row["engine"], "") == row["engine"] for row in rows)


def test_posts_of_signs_alone_are_not_drawn() -> None:
    pool = Pool.of_posts(["?!", ":-)", *(f"This is what happened on day {day}." for day in range(20))])
    drawn = ["\n".join(pool.text("en", 8, Random(seed))) for seed in range(300)]  # noqa: S311
    assert all(text.startswith("This is") for text in drawn)


@pytest.mark.parametrize("theme", ["jeuxvideo_forum", "lobsters", "stack_like", "typepad", "kayako"])
def test_pages_of_a_theme_show_what_they_state(pool: SitePool, theme: str) -> None:
    rows = [*themed_pages(pool, 1, [theme])]
    assert rows == [*themed_pages(pool, 1, [theme])]
    assert not {row["id"]: missing for row in rows if (missing := _missing(row))}
    assert {row["kind"] for row in rows} > {"listing"}
    assert {row["engine"] for row in rows} == {theme}


@pytest.mark.slow
def test_every_theme_shows_lists_beside_threads_or_articles(pool: SitePool) -> None:
    names = sorted(path.stem for path in THEMES.glob("*.html"))
    kinds = {name: {row["kind"] for row in themed_pages(pool, 3, [name])} for name in names}
    assert not [name for name, some in kinds.items() if not {"listing"} < some]
