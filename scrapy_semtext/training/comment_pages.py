"""Articles with known comments below them, combined from articles and posts of threads.

The available training sets state where an article ends, but not which readers' comments follow. Here, the answers of a
thread are moved below an article unchanged, with their markup; or parts of posts are written there in random markup
(`comment_markup`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

import numpy as np
from lxml import html as lxml_html

from scrapy_semtext.dom import tree
from scrapy_semtext.dom.segmentation import search
from scrapy_semtext.output.title import title_of
from scrapy_semtext.qa.nodes import PageNodes, disjoint
from scrapy_semtext.qa.replies import innermost_around
from scrapy_semtext.training.alignment import label_blocks
from scrapy_semtext.training.comment_markup import between, comment_section, element, random_style
from scrapy_semtext.training.datasets import AnnotatedPage, may_ship
from scrapy_semtext.training.pair_pages import PairPage, has_posts, pair_page
from scrapy_semtext.training.post_labels import MATCH, body_labels, word_f1, words_of

_HOLDERS = (("div", "div"), ("div", "div"), ("article", "div"), ("li", "ul"), ("li", "ol"), ("div", None), ("dd", "dl"))
_NAMES = ("children", "replies", "nested", "thread", "comment-tree", "child", "indent", "subcomments", None, None)
_LIKELY_DEEPER = (0.3, 0.5, 0.7, 0.9)
_TREES_INSIDE = 0.6  # share of trees shown by nested elements; the others are shown by indents
_OWN_HOLDER = ("div", "article", "section")  # elements of a record that can contain the replies to it
_DEPTH_NAMES = ("depth-{}", "level{}", "indent-{}", "lvl-{}", "comment-depth-{}")
_INDENT_STYLES = (
    "margin-left:{}px",
    "margin-left: {}px; padding: 4px",
    "padding-left:{}px",
    "margin-inline-start: {}px",
)
_ATTRIBUTES = ("data-depth", "data-level", "aria-level")


@dataclass(frozen=True, slots=True)
class ThreadParts:
    """The elements of a thread with at least two answers; ``root`` is its tree.

    ``bodies`` contain the text of each post; ``records``, one for each, contain everything that belongs to the post and
    nothing of another. ``answers`` is the innermost element around the answers, maybe with the opening post.
    """

    root: Any
    bodies: list[Any]
    records: list[Any]
    answers: Any


def parts_of(page: PairPage) -> ThreadParts | None:
    """Find the posts of a page; None if not all are found, or if two are in an element that belongs to one of them."""
    nodes = page.nodes()
    found = disjoint(np.flatnonzero(body_labels(nodes, page.posts)).tolist(), nodes.first, nodes.last)
    if len(found) < 3 or len(found) != len(page.posts):
        return None
    texts = zip(map(nodes.text, found), page.posts, strict=True)
    if any(word_f1(words_of(text), words_of(post)) < MATCH for text, post in texts):
        return None
    bodies = [nodes.scopes[node].element for node in found]
    answers = nodes.scopes[innermost_around(nodes, found[1], found[-1])].element
    around_all = nodes.scopes[innermost_around(nodes, found[0], found[-1])].element
    records = [child_with(bodies[0], around_all), *(child_with(body, answers) for body in bodies[1:])]
    if any(one is other for one, other in pairwise(records)) or records[0] in bodies[1].iterancestors():
        return None
    return ThreadParts(nodes.root, bodies, records, answers)


def child_with(inner: Any, outer: Any) -> Any:
    """Return the child of ``outer`` that ``inner`` is, or is in."""
    while inner.getparent() is not outer:
        inner = inner.getparent()
    return inner


def random_parents(count: int, rng: Random) -> list[int]:
    """Draw the answer that each one replies to, -1 for the question; each follows its parent's other replies.

    Therefore the order of the answers is that of a displayed tree.
    """
    deeper = rng.choice(_LIKELY_DEEPER)
    above: list[int] = []  # the last answer and its ancestors
    parents = []
    for number in range(count):
        while above and rng.random() > deeper:
            above.pop()
        parents.append(above[-1] if above else -1)
        above.append(number)
    return parents


def show_tree(records: Sequence[Any], bodies: Sequence[Any], parents: Sequence[int], rng: Random) -> None:
    """Change the markup of adjacent records in one element so that it shows these parents.

    ``bodies`` are the elements inside the records with their texts.
    """
    if rng.random() < _TREES_INSIDE:
        _put_inside(records, bodies, parents, rng)
    else:
        _indent(records, parents, rng)


def _put_inside(records: Sequence[Any], bodies: Sequence[Any], parents: Sequence[int], rng: Random) -> None:
    tag, list_tag = rng.choice(_HOLDERS)
    list_name, name = rng.choice(_NAMES), rng.choice((*_NAMES[:4], None))
    beside_body = rng.random() < 0.4  # replies are in the element that holds the body, not after it
    holders: list[Any] = []
    lists: dict[int, Any] = {}
    for record, parent in zip(records, parents, strict=True):
        holder = record
        if record.tag not in _OWN_HOLDER or rng.random() < 0.1:
            holder = _wrapped(record, tag, name)
        holders.append(holder)
        if parent < 0:
            continue
        if parent not in lists:
            lists[parent] = place = _column(bodies[parent], holders[parent]) if beside_body else holders[parent]
            if list_tag:
                lists[parent] = element(list_tag, list_name)
                place.append(lists[parent])
        lists[parent].append(holder)


def _wrapped(record: Any, tag: str, name: str | None) -> Any:
    """Wrap a record in an element, or a row in a separate table, that takes its place; return the wrapper."""
    holder = element(tag, name)
    record.addprevious(holder)
    holder.tail, record.tail = record.tail, None
    inner = holder
    if record.tag in ("tr", "tbody"):
        inner = element("table", None)
        holder.append(inner)
    elif record.tag in ("li", "dd", "td"):
        record.tag = "div"
    inner.append(record)
    return holder


def _column(body: Any, holder: Any) -> Any:
    """Return an element between a body and its record that can have more content; the record if there is none."""
    if body is holder:
        return holder
    around = child_with(body, holder)
    return around if around is not body and around.tag in _OWN_HOLDER else holder


def _indent(records: Sequence[Any], parents: Sequence[int], rng: Random) -> None:
    way = rng.choice(("style", "name", "attribute"))
    step, begin = rng.choice((10, 15, 20, 25, 40)), rng.choice((0, 0, 1))
    style, name, attribute = rng.choice(_INDENT_STYLES), rng.choice(_DEPTH_NAMES), rng.choice(_ATTRIBUTES)
    for record, depth in zip(records, depths_of(parents), strict=True):
        if way == "style":
            record.set("style", style.format(step * depth))
        elif way == "name":
            record.set("class", f"{record.get('class', '')} {name.format(depth + begin)}".strip())
        else:
            record.set(attribute, str(depth + begin))


def depths_of(parents: Sequence[int]) -> Iterator[int]:
    """Yield the number of ancestors of each answer, given their parents."""
    depths: list[int] = []
    for parent in parents:
        depths.append(depths[parent] + 1 if parent >= 0 else 0)
        yield depths[-1]


_ARTICLES = ("article", "news")
_STYLES = 24  # groups of pages that are held out together, like the pages of a forum engine
_SENTENCE = re.compile(r"(?<=[.!?…])\s+")
_COMMENTED = re.compile(r"""(?:class|id)=["']?[^"'>]*(?:comment|disqus|\brespon(?:d|ses)\b)""", re.IGNORECASE)
_MOST_COMMENTS, _MOST_SENTENCES = 40, 8
_MOVED = 0.5  # share of pages with answers of a thread
_INSIDE = 0.5  # share of pages with comments inside the element around the article
_LEAST_POSTS = 3
_ARTICLE_SHARE = 0.85  # minimum share of an article's characters in the element around it
_SHORTEST = 400  # minimum number of characters of an article


def comment_pages(
    pages: Iterable[AnnotatedPage], known: Iterable[PairPage], seed: int = 1, *, any_licence: bool = False
) -> Iterator[PairPage]:
    """Yield articles among the pages with comments below them, which are parts of the posts of the ``known`` pages.

    Pages that seem to have comments already are skipped, and those whose licence does not allow distributing models,
    unless ``any_licence`` is set. A page is independent of the pages before it.
    """
    usable = [page for page in known if page.role == "posts" and (any_licence or page.shippable)]
    posts = [post for page in usable for post in page.posts]
    titles = [" ".join(post.split()[:12]) for post in posts]  # titles of related articles
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
            name = f"comments/{page.dataset}/{page.id}"
            commented = replace(pair_page(page), id=name, role="comments", kind="article", pairs=None)
            yield replace(commented, engine=engine, html=html, posts=comments.texts)


class _Comments(NamedTuple):
    section: Any  # an element
    texts: list[str]


def _written(posts: Sequence[str], title: str, rng: Random) -> _Comments:
    """Write comments of a few sentences of a post each; most pages have few, some have many."""
    count = min(_MOST_COMMENTS, 2 + int(rng.expovariate(1 / 8)))
    texts = []
    for post in rng.choices(posts, k=count):
        sentences = _SENTENCE.split(post)
        length = min(_MOST_SENTENCES, 1 + int(rng.expovariate(1 / 2)))
        begin = rng.randrange(max(1, len(sentences) - length + 1))
        texts.append(" ".join(sentences[begin : begin + length]).strip() or post)
    return _Comments(comment_section(random_style(rng), texts, title, rng), texts)


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
