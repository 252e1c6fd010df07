"""Articles with known comments below them, combined from articles and posts of threads.

The available training sets state where an article ends, but not which readers' comments follow. Here, the answers of a
thread are moved below an article unchanged, with their markup; or parts of posts are written there in drawn markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

import numpy as np
from lxml import html as lxml_html

from research.making.content import LANGUAGES, Pool, random_author
from research.making.threads import child_with
from research.making.writing import Writer
from scrapy_semtext.read.threads import innermost_around
from scrapy_semtext.read.title import title_of
from scrapy_semtext.train.corpus import label_blocks
from scrapy_semtext.train.datasets import AnnotatedPage, may_ship
from scrapy_semtext.train.posts import PairPage, body_labels, has_posts, pair_page
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.nodes import PageNodes, disjoint

#: Names of comments in HTML.
COMMENTED = re.compile(r"""(?:class|id)=["']?[^"'>]*(?:comment|disqus|\brespon(?:d|ses)\b)""", re.IGNORECASE)
_ARTICLES = ("article", "news")
_STYLES = 24  # groups of pages that are held out together, like the pages of a forum engine
_MOST_COMMENTS = 40
_WORDS = (8, 15, 30, 60)  # medians of comments
_MOVED = 0.5  # share of pages with answers of a thread
_LEAST_POSTS = 3
_SHORTEST = 400  # minimum number of characters of an article
_ARTICLE_SHARE = 0.85  # minimum share of an article's characters in the element around it
_INSIDE = 0.5  # share of pages with comments inside the element around the article


def comment_pages(
    pages: Iterable[AnnotatedPage], known: Iterable[PairPage], seed: int = 1, *, any_licence: bool = False
) -> Iterator[PairPage]:
    """Yield articles among the pages with comments below them, which are parts of the posts of the ``known`` pages.

    Pages that seem to have comments already are skipped, and those whose licence does not allow distributing models,
    unless ``any_licence`` is set. A page is independent of the pages before it.
    """
    usable = [page for page in known if page.role == "posts" and (any_licence or page.shippable)]
    pool = Pool.of_posts(post for page in usable for post in page.posts)
    for page in pages if usable else ():
        if page.page_type not in (None, *_ARTICLES) or has_posts(page) or not (any_licence or may_ship(page)):
            continue
        if len(page.text) < _SHORTEST or COMMENTED.search(page.html):
            continue
        rng = Random(f"{seed} {page.dataset} {page.id}")  # noqa: S311 - no secret
        root = parsing.parse(page.html, page.url)
        article = article_of(PageNodes.of_page(root), page.text)
        thread = rng.choice(usable) if rng.random() < _MOVED else None
        writer = Writer(pool, rng, "en", rng.choice(LANGUAGES), "comment", median=rng.choice(_WORDS))
        comments = _written(writer, title_of(root) or "this") if thread is None else _moved(thread)
        if article is not None and comments is not None:
            around = lxml_html.fragments_fromstring("".join(writer.between(random_author("en", rng))))
            insert([*around, comments.section], article, rng)
            html = lxml_html.tostring(root, encoding="unicode")
            engine = f"comments {rng.randrange(_STYLES)}" if thread is None else thread.engine
            name = f"comments/{page.dataset}/{page.id}"
            commented = replace(pair_page(page), id=name, role="comments", kind="article", pairs=None)
            yield replace(commented, engine=engine, html=html, posts=comments.texts)


class _Comments(NamedTuple):
    section: Any  # an element
    texts: list[str]


def _written(writer: Writer, title: str) -> _Comments:
    """Write comments of a few sentences of a post each; most pages have few, some have many."""
    count = min(_MOST_COMMENTS, 2 + int(writer.rng.expovariate(1 / 8)))
    posts = writer.posts(count, comment=True)
    return _Comments(lxml_html.fragment_fromstring(writer.comments(posts, title)), [post.text for post in posts])


def _moved(thread: PairPage) -> _Comments | None:
    """Return the answers of a thread with their markup; None if they cannot be separated from the opening post."""
    nodes = thread.nodes()
    labels = body_labels(nodes, thread.posts)
    bodies = disjoint(np.flatnonzero(labels).tolist(), nodes.first, nodes.last)
    if len(bodies) < _LEAST_POSTS:
        return None
    opening, *answers = bodies
    common = innermost_around(nodes, answers[0], answers[-1])
    outer = nodes.scopes[common].element
    section = deepcopy(outer)
    section.tail = None
    if nodes.firsts[common] <= nodes.firsts[opening]:
        first, second = (child_with(nodes.scopes[body].element, outer) for body in (opening, answers[0]))
        if first is second:
            return None
        del section[: outer.index(first) + 1]
    if section.tag in ("html", "body"):
        section.tag = "div"
    return _Comments(_in_table(section), thread.posts[1:])


def _in_table(section: Any) -> Any:
    """Put rows into a separate table."""
    if section.tag not in ("tr", "tbody"):
        return section
    table = lxml_html.Element("table")
    table.append(section)
    return table


def insert(parts: Sequence[Any], article: Any, rng: Random) -> None:
    """Put elements into or after the element around the article."""
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        parent = article.getparent()
        if parent is None or article.tag in ("body", "html") or parent.tag in ("body", "html"):
            break
        article = parent
    if article.tag in ("body", "html", "td") or rng.random() < _INSIDE:
        article.extend(parts)
    else:
        for element in reversed(parts):
            article.addnext(element)


def article_of(nodes: PageNodes, truth: str) -> Any:
    """Return the innermost element around nearly all of the true text; None if there is none."""
    labels = label_blocks(nodes.texts, truth)
    is_main = [len(text) if main else 0 for text, main in zip(nodes.texts, labels, strict=True)]
    total = sum(is_main)
    if total < _SHORTEST:
        return None
    sums = np.append(0, np.cumsum(is_main))
    holding = np.flatnonzero(sums[nodes.last] - sums[nodes.first] >= _ARTICLE_SHARE * total)
    return nodes.scopes[holding[-1]].element
