"""Articles with comments below them whose texts are known, made of articles and of the posts of threads.

Page sets that may be used to train say where an article ends, not what the readers' comments below it are. Here the
answers of a thread are moved below an article as they are, with their markup; or parts of posts are written there in
random markup (`comment_markup`).
"""

from __future__ import annotations

import re
from copy import deepcopy
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from lxml import html as lxml_html

from scrapy_semtext.dom import tree
from scrapy_semtext.dom.segmentation import search
from scrapy_semtext.output.title import title_of
from scrapy_semtext.qa.nodes import PageNodes, disjoint
from scrapy_semtext.qa.replies import innermost_around
from scrapy_semtext.training.alignment import label_blocks
from scrapy_semtext.training.comment_markup import between, comment_section, random_style
from scrapy_semtext.training.datasets import may_ship
from scrapy_semtext.training.pair_pages import PairPage, has_posts
from scrapy_semtext.training.post_labels import body_labels
from scrapy_semtext.training.thread_parts import child_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_semtext.training.datasets import AnnotatedPage

_ARTICLES = ("article", "news")
_STYLES = 24  # groups of pages that are held out together, as the pages of a forum engine are
_SENTENCE = re.compile(r"(?<=[.!?…])\s+")
_COMMENTED = re.compile(r"""(?:class|id)=["']?[^"'>]*(?:comment|disqus|\brespon(?:d|ses)\b)""", re.IGNORECASE)
_MOST_COMMENTS, _MOST_SENTENCES = 40, 8
_MOVED = 0.5  # of the pages have answers of a thread
_INSIDE = 0.5  # of the pages have comments inside the element that holds the article
_LEAST_POSTS = 3
_ARTICLE_SHARE = 0.85  # of the characters of an article are in the element that holds it
_SHORTEST = 400  # characters of an article


def comment_pages(
    pages: Iterable[AnnotatedPage], known: Iterable[PairPage], seed: int = 1, *, any_licence: bool = False
) -> Iterator[PairPage]:
    """Yield articles among the pages with comments below them, which are parts of the posts of the ``known`` pages.

    Pages that seem to have comments of their own are left out, and those whose licence does not allow to distribute
    models, unless ``any_licence`` is set. A page is the same whatever the pages before it are.
    """
    usable = [page for page in known if page.role == "posts" and (any_licence or page.shippable)]
    posts = [post for page in usable for post in page.posts]
    titles = [" ".join(post.split()[:12]) for post in posts]  # what related articles are called
    for page in pages if posts else ():
        if page.page_type not in (None, *_ARTICLES) or has_posts(page) or not (any_licence or may_ship(page)):
            continue
        if len(page.text) < _SHORTEST or _COMMENTED.search(page.html):
            continue
        rng = Random(f"{seed} {page.dataset} {page.id}")  # noqa: S311 - no secret
        root = tree.parse(page.html, page.url)
        article = article_of(PageNodes(root, search(root)), page.text)
        thread = rng.choice(usable) if rng.random() < _MOVED else None
        comments = _written(posts, title_of(root) or "this", rng) if thread is None else _moved(thread)
        if article is not None and comments is not None:
            insert([*between(titles, rng), comments.section], article, rng)
            html = lxml_html.tostring(root, encoding="unicode")
            engine = f"comments {rng.randrange(_STYLES)}" if thread is None else thread.engine
            yield _pair_page(page, html, comments.texts, engine)


class _Comments(NamedTuple):
    section: Any  # an element
    texts: list[str]


def _pair_page(page: AnnotatedPage, html: str, comments: list[str], engine: str) -> PairPage:
    return PairPage(
        id=f"comments/{page.dataset}/{page.id}",
        role="comments",
        kind="article",
        engine=engine,
        domain=page.domain,
        url=page.url,
        dataset=page.dataset,
        html=html,
        posts=comments,
        pairs=None,
        main_text=page.text,
        shippable=may_ship(page),
    )


def _written(posts: Sequence[str], title: str, rng: Random) -> _Comments:
    """Write comments, a few sentences of a post each; most pages have few, some have many."""
    count = min(_MOST_COMMENTS, 2 + int(rng.expovariate(1 / 8)))
    texts = []
    for post in rng.choices(posts, k=count):
        sentences = _SENTENCE.split(post)
        length = min(_MOST_SENTENCES, 1 + int(rng.expovariate(1 / 2)))
        begin = rng.randrange(max(1, len(sentences) - length + 1))
        texts.append(" ".join(sentences[begin : begin + length]).strip() or post)
    return _Comments(comment_section(random_style(rng), texts, title, rng), texts)


def _moved(thread: PairPage) -> _Comments | None:
    """The answers of a thread with their markup; None where they cannot be divided from the opening post."""
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
    """Put rows into a table of their own."""
    if section.tag not in ("tr", "tbody"):
        return section
    table = lxml_html.Element("table")
    table.append(section)
    return table


def insert(parts: Sequence[Any], article: Any, rng: Random) -> None:
    """Put elements in or behind the element that holds the article."""
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
    """The innermost element that holds nearly all of the true text; None if there is none of it."""
    labels = label_blocks(nodes.texts, truth)
    is_main = [len(text) if main else 0 for text, main in zip(nodes.texts, labels, strict=True)]
    total = sum(is_main)
    if total < _SHORTEST:
        return None
    sums = np.append(0, np.cumsum(is_main))
    holding = np.flatnonzero(sums[nodes.last] - sums[nodes.first] >= _ARTICLE_SHARE * total)
    return nodes.scopes[holding[-1]].element
