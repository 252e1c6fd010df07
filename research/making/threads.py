"""Threads with their question elsewhere: variants of the given pages, which the thread models learn as well.

Nearly all threads of the page sets begin with the opening post, with the same structure as the replies and a known URL.
Other sites put it above the replies in different markup, or ask only by the title; and a page may be a later one of its
thread. Each function makes such a page from a thread, with random markup where markup is added.
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import html as lxml_html

from research.making.content import LANGUAGES, Pool, Post, random_author, random_times
from research.making.writing import ALL, FEW, Writer, random_parents
from scrapy_semtext.read.threads import innermost_around
from scrapy_semtext.read.title import title_of
from scrapy_semtext.train.datasets import VARIED
from scrapy_semtext.train.posts import MATCH, body_labels, word_f1, words_of
from scrapy_semtext.tree.elements import all_text, text_line
from scrapy_semtext.tree.nodes import disjoint
from scrapy_semtext.tree.parsing import drop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from lxml.html import HtmlElement

    from scrapy_semtext.train.posts import PairPage


_HEADINGS = ("h1", "h2", "h3", "h4")
_SAME_TITLE = 0.6  # minimum word F1 of a heading and the title
_RENAMED = 0.3  # share of pages on which names for posts become names for comments
_WITHOUT_ADDRESS = 0.6
_DESCRIBING = 160  # number of characters of a page's description
_POST_NAMES = re.compile(r"(?i)post|repl(?:y|ies)|answer|message")
_COMMENT_NAMES = "comment"
_POST_WORDS = ("post", "comment", "article")
_LATER_ADDRESSES = ("?page={page}", "/page-{page}", "?start={post}", "/page/{page}", "/{page}.html", "?p={post}")
_LATER_TITLES = (" - Page {page}", " | Page {page}", " (page {page})", " - Seite {page}", ", page {page} of {pages}")


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


def thread_variants(pages: Iterable[PairPage], seed: int = 1) -> Iterator[PairPage]:
    """Yield a variant of each kind for each thread among the pages whose posts can be distinguished in its tree."""
    for page in pages:
        if page.role != "posts" or page.is_later or page.dataset in VARIED:
            continue
        for kind, make in _KINDS.items():
            rng = Random(f"{seed} {kind} {page.dataset} {page.id}")  # noqa: S311 - no secret
            parts = parts_of(page)
            if parts is None:
                break
            made = make(page, parts, rng)
            yield replace(
                made,
                id=f"{kind}/{page.id}",
                role="variant",
                kind=kind,
                url=None if rng.random() < _WITHOUT_ADDRESS else made.url,
                html=lxml_html.tostring(parts.root, encoding="unicode"),
            )


def _by_title(page: PairPage, parts: ThreadParts, rng: Random) -> PairPage:
    """Make the title the question: remove the opening post, often as on the page of a submitted link."""
    title = title_of(parts.root) or ""
    heading = _heading(parts.root, title)
    drop(parts.records[0])
    if heading is not None and heading.getparent() is not None:
        if rng.random() < 0.4:
            _link_out(heading, rng)
        if rng.random() < 0.6:
            heading.addnext(lxml_html.fragment_fromstring(_writer(page, rng).submitted()))
    elif rng.random() < 0.5:
        _before_answers(parts, [element("h1", None, title)])
    _describe(parts.root, rng.choice((None, None, title, page.posts[1], page.posts[0])))
    if rng.random() < _RENAMED:
        _rename(parts.answers)
    return _asked_by_title(page, page.posts[1:])


def _moved(page: PairPage, parts: ThreadParts, rng: Random) -> PairPage:
    """Move the opening post above the answers, in a separate container with different markup."""
    before = _opening_apart(page, parts, rng)
    drop(parts.records[0])
    _before_answers(parts, before, rng.choice((0, 0, 1, 2)))
    if rng.random() < _RENAMED:
        _rename(parts.answers)
    return page


def _opening_apart(page: PairPage, parts: ThreadParts, rng: Random) -> list[Any]:
    """Return the opening post in a separate container and markup, and content between it and the answers."""
    title = title_of(parts.root) or ""
    writer = _writer(page, rng)
    style = writer.style("article", FEW)
    post = Post(random_author("en", rng), next(random_times(rng, 1)), _lines(page.posts[0]), shown_date=writer.date())
    slots: dict[str, Any] = {"body": _unchanged(parts.bodies[0])} if style.holds_blocks and rng.random() < 0.6 else {}
    before = []
    if title and rng.random() < 0.5:
        before.append(f"<{(level := rng.choice(('h1', 'h2', 'h3')))}>{escape(title)}</{level}>")
        if (heading := _heading(parts.root, title)) is not None and rng.random() < 0.7:
            drop(heading)
    before.append(style.listed([writer.record(style, post, 1, title, **slots)], "thread"))
    before += writer.between(post.author) if rng.random() < 0.3 else []
    if rng.random() < 0.6:
        before.append(writer.answers_head(len(page.posts) - 1))
    return list(lxml_html.fragments_fromstring("".join(before)))


def _writer(page: PairPage, rng: Random, part: str = "post", parts: Sequence[str] = FEW) -> Writer:
    """Return a writer in drawn markup, for which the title of the page is the only text there is."""
    return Writer(Pool.of_posts([page.title or "this"]), rng, "en", rng.choice(LANGUAGES), part, parts)


def _lines(post: str) -> list[str]:
    return [line for line in post.split("\n") if line.strip()]


def _unchanged(body: Any) -> str:
    """Return the HTML of a post, with another tag and no names."""
    copy = deepcopy(body)
    copy.tail, copy.tag = None, "div"
    copy.attrib.clear()
    return str(lxml_html.tostring(copy, encoding="unicode"))


def _rewritten(page: PairPage, parts: ThreadParts, rng: Random) -> PairPage:
    """Rewrite the posts in drawn markup, maybe as a tree of replies; the opening post is first or separate."""
    writer = _writer(page, rng, rng.choice(_POST_WORDS), rng.choice((ALL, FEW)))
    is_first = rng.random() < 0.5
    texts = page.posts if is_first else page.posts[1:]
    posts = [
        Post(random_author("en", rng), when, _lines(text), shown_date=writer.date(when))
        for text, when in zip(texts, random_times(rng, len(texts)), strict=True)
    ]
    count = len(page.posts) - 1
    parents = random_parents(count, rng) if writer.post_style.nested != "no" else [-1] * count
    below = rng.choice((-1, -1, 0))  # replies to the opening post may be inside it
    shown = [-1, *(parent + 1 if parent >= 0 else below for parent in parents)] if is_first else parents
    for post, parent in zip(posts, shown, strict=True):
        post.parent = parent
    section = lxml_html.fragment_fromstring(writer.listed(posts, title_of(parts.root) or ""))
    _before_answers(parts, [*([] if is_first else _opening_apart(page, parts, rng)), section])
    _drop_posts(parts)
    return replace(page, parents=parents)


def _drop_posts(parts: ThreadParts) -> None:
    """Remove the posts from their tree, with the content between the answers."""
    if parts.records[0].getparent() is not parts.answers:
        drop(parts.records[0])
    kept = [record for record in parts.records if record.getparent() is parts.answers]
    begin, end = parts.answers.index(kept[0]), parts.answers.index(kept[-1])
    for each in list(parts.answers)[begin : end + 1]:
        drop(each)


def _later(page: PairPage, parts: ThreadParts, rng: Random) -> PairPage:
    """Make a later page of the thread: remove some posts from the beginning, and usually add evidence of it."""
    gone = rng.randint(1, len(parts.records) - 2)
    for record in parts.records[:gone]:
        drop(record)
    pages = rng.randint(2, 12)
    number = rng.randint(2, pages)
    _add_pager(page, parts, number, pages, rng)
    if rng.random() < 0.4:
        for title in parts.root.iter("title"):
            title.text = (title.text or "") + rng.choice(_LATER_TITLES).format(page=number, pages=pages)
    url = page.url and page.url.partition("#")[0] + rng.choice(_LATER_ADDRESSES).format(page=number, post=10 * number)
    return replace(_asked_by_title(page, page.posts[gone:]), is_later=True, url=url)


def _first(page: PairPage, parts: ThreadParts, rng: Random) -> PairPage:
    """Make the first of several pages by adding a pager."""
    _add_pager(page, parts, 1, rng.randint(2, 12), rng)
    return page


_KINDS: dict[str, Callable[[PairPage, ThreadParts, Random], PairPage]] = {
    "title": _by_title,
    "moved": _moved,
    "later": _later,
    "first": _first,
    "rewritten": _rewritten,
}


def _asked_by_title(page: PairPage, answers: Sequence[str]) -> PairPage:
    """Return the page as one without a question body, with only the last of its answers."""
    pairs = page.pairs
    if pairs is not None:
        kept = pairs[len(pairs) - len(answers) :]
        pairs = [pair._replace(questions=(page.title,) if page.title else pair.questions) for pair in kept]
    return replace(page, posts=list(answers), pairs=pairs, opening="")


def _heading(root: Any, title: str) -> Any:
    """Return the heading with the title; None if there is none."""
    wanted = words_of(title)
    for heading in root.iter(*_HEADINGS):
        if word_f1(words_of(all_text(heading)), wanted) >= _SAME_TITLE:
            return heading
    return None


def _link_out(heading: Any, rng: Random) -> None:
    text = text_line(heading)
    for inner in list(heading):
        heading.remove(inner)
    heading.text = None
    site = rng.choice(("example.org", "news.example.com", "journal.example"))
    heading.append(element("a", None, text, href=f"https://{site}/{rng.randint(2012, 2025)}/{rng.randint(1, 9999)}"))
    if rng.random() < 0.5:
        heading.append(element("span", rng.choice(("site", "domain", None)), f"({site})"))


def _describe(root: Any, text: str | None) -> None:
    """Set the description in the head to the beginning of a text; remove it for None."""
    for meta in list(root.iter("meta")):
        if "description" in (meta.get("name") or meta.get("property") or ""):
            if text is None:
                drop(meta)
            else:
                meta.set("content", text[:_DESCRIBING])


def _before_answers(parts: ThreadParts, elements: Sequence[Any], levels: int = 0) -> None:
    """Insert elements before the answers, or before their ancestor ``levels`` up."""
    place = parts.answers
    if not _may_follow(place):  # the answers are rows of the page itself
        place = next(record for record in parts.records if record.getparent() is parts.answers)
    while levels and place.getparent() is not None and _may_follow(place.getparent()):
        place, levels = place.getparent(), levels - 1
    while place.tag in ("tr", "td", "tbody", "li", "dd") and _may_follow(place.getparent()):
        place = place.getparent()
    for each in elements:
        place.addprevious(each)


def _may_follow(place: Any) -> bool:
    """Return whether something can be inserted before an element."""
    return place.tag not in ("html", "body", "head") and place.getparent() is not None


def _add_pager(page: PairPage, parts: ThreadParts, number: int, pages: int, rng: Random) -> None:
    """Add the page number as text, links, relations, or several of these; on one page in eight, not at all."""
    if rng.random() < 0.12:
        return
    head = parts.root.find("head")
    if head is not None and rng.random() < 0.5:
        for relation, other in (("prev", number - 1), ("next", number + 1)):
            if 1 <= other <= pages:
                head.append(element("link", None, rel=relation, href=f"/t/{other}.html"))
    pager = lxml_html.fragment_fromstring(_writer(page, rng).pager(number, pages, "/t"))
    _before_answers(parts, [pager])
    if rng.random() < 0.5:
        parts.answers.append(deepcopy(pager))


def _rename(answers: Any) -> None:
    """Change the names of the elements around and inside posts to names for comments."""
    for each in (*answers.iter(), *answers.iterancestors()):
        for name in ("class", "id"):
            if value := each.get(name):
                each.set(name, _POST_NAMES.sub(_COMMENT_NAMES, value))


def element(tag: str, names: str | None, text: str | None = None, **attributes: str) -> HtmlElement:
    """Create an element with these names as its class, and a text."""
    made = lxml_html.Element(tag, **attributes)
    if names:
        made.set("class", names)
    made.text = text
    return made
