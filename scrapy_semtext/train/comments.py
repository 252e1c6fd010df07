"""Articles with known comments below them, combined from articles and posts of threads.

The available training sets state where an article ends, but not which readers' comments follow. Here, the answers of a
thread are moved below an article unchanged, with their markup; or parts of posts are written there in random markup:
each `CommentStyle` is one way in which a site could write its comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from lxml import html as lxml_html

from scrapy_semtext.read.threads import innermost_around
from scrapy_semtext.read.title import title_of
from scrapy_semtext.train.corpus import label_blocks
from scrapy_semtext.train.datasets import AnnotatedPage, may_ship
from scrapy_semtext.train.posts import MATCH, PairPage, body_labels, has_posts, pair_page, word_f1, words_of
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.nodes import PageNodes, disjoint

if TYPE_CHECKING:
    from lxml.html import HtmlElement


_PEOPLE = """
Ann Bob Clara Dmitri Elif Fatima Gustav Hana Igor Jun Karl Lena Marek Nadia Omar Paula Quentin Rosa Sven Tomasz Uma
Viktor Wei Xavier Yara Zoe
""".split()
_SURNAMES = "Smith Novak Garcia Müller Rossi Ivanov Chen Kowalski Dubois Okafor Jensen Silva Tanaka Haddad".split()
_NICKS = (
    "tea_lover42 skyhook the-real-max BlueBird77 jpl9 anonymous Guest nomad oldtimer PixelPusher kat m0untain".split()
)
_MONTHS = "January February March April May June July August September October November December".split()

# Headings of the whole list: {n} comments, below "{title}".
_HEADS = (
    "{n} Comments", "Comments ({n})", "Comments", "{n} responses to “{title}”", "{n} thoughts on “{title}”",
    "Reader comments", "What do you think?", "Join the discussion", "Your opinions", "Responses", "{n} replies",
    "Kommentare ({n})", "{n} Kommentare", "Leserkommentare", "{n} commentaires", "Vos réactions", "Comentarios",
    "{n} comentarios", "Commenti", "Reacties", "Komentarze ({n})", "Комментарии", "评论 ({n})",
)  # fmt: skip
_REPLY = (
    "Reply", "Reply to this", "Report", "Antworten", "Répondre", "Responder", "Like", "Flag", "Permalink", "Share",
)  # fmt: skip
_SAYS = ("", "", " says:", " wrote:", " said…", " on", ":", " schrieb:", " a dit:", " dice:")
_INVITATIONS = (
    "Leave a reply", "Post a comment", "Log in to comment", "Comments are closed.", "Add your comment",
    "Kommentar schreiben", "Laisser un commentaire", "Deja un comentario",
)  # fmt: skip
_DATES = (
    "{month} {day}, {year} at {hour}:{minute:02} pm", "{day} {month} {year}",
    "{day}.{number}.{year} {hour}:{minute:02}", "{year}-{number:02}-{day:02}", "{number}/{day}/{year}",
    "{hour} hours ago", "{day} days ago", "{month} {day}",
    "{hour}:{minute:02} on {month} {day}th, {year}",
)  # fmt: skip

_BUTTONS = ("Share", "Tweet", "Print", "Email", "Like", "Facebook", "Save", "PDF")
_TAGS = ("Politics", "Science", "Travel", "Opinion", "Tech", "Berlin", "Music", "Health", "2011", "Video")

_LISTS = (
    ("ol", "li"), ("ul", "li"), ("div", "div"), ("div", "article"), ("section", "div"), ("table", "tr"), ("dl", "dd"),
)  # fmt: skip
_NAMES = {
    "section": ("comments", "commentArea", "responses", "discussion", "feedback", "reader-comments", "disqus"),
    "list": ("commentlist", "comment-list", "thread", "items", "comments-content"),
    "record": ("comment", "comment even", "response", "entry", "comment-item", "message", "row"),
    "head": ("comment-meta", "commentmetadata", "info", "header", "byline"),
    "author": ("author", "fn", "comment-author", "user", "name", "username"),
    "date": ("date", "time", "timestamp", "comment-date", "meta"),
    "body": ("comment-body", "comment-content", "text", "content", "commentText", "message"),
    "foot": ("reply", "actions", "comment-links", "tools"),
    "avatar": ("avatar", "photo", "userpic"),
}


@dataclass(frozen=True, slots=True)
class CommentStyle:
    """The markup of a site's comments; `random_style` draws one."""

    list_tag: str
    record_tag: str
    head_tag: str
    author_tag: str
    date_tag: str
    body_tag: str | None  # None: the text is directly in the record
    names: dict[str, str | None]
    head: str
    says: str
    date: str
    reply: str | None
    invitation: str | None
    has_avatar: bool
    has_head_below: bool  # author and date after the text
    is_dated: bool
    has_machine_date: bool
    paragraphs: bool
    nested: str  # "no", "inside": replies in their parent's record, "flat": marked by a name
    numbered: bool
    has_votes: bool


def random_style(rng: Random) -> CommentStyle:
    """Draw the markup of a site's comments."""
    list_tag, record_tag = rng.choice(_LISTS)
    body_tags = ("td",) if record_tag == "tr" else ("div", "div", "p", "blockquote", "span", None)
    return CommentStyle(
        list_tag,
        record_tag,
        "td" if record_tag == "tr" else rng.choice(("div", "div", "p", "header", "h4", "footer")),
        rng.choice(("a", "strong", "span", "cite", "b", "h4", "a")),
        rng.choice(("time", "span", "a", "small", "em", "div")),
        rng.choice(body_tags),
        _random_names(rng),
        rng.choice(_HEADS),
        rng.choice(_SAYS),
        rng.choice(_DATES),
        rng.choice((None, *_REPLY, *_REPLY)),
        rng.choice((None, *_INVITATIONS)),
        has_avatar=rng.random() < 0.5,
        has_head_below=rng.random() < 0.2,
        is_dated=rng.random() < 0.9,
        has_machine_date=rng.random() < 0.3,
        paragraphs=rng.random() < 0.5,
        nested="no" if record_tag in ("tr", "dd") else rng.choice(("no", "no", "inside", "flat")),
        numbered=rng.random() < 0.15,
        has_votes=rng.random() < 0.2,
    )


def _random_names(rng: Random) -> dict[str, str | None]:
    """Draw a name for each part: meaningful, arbitrary, or none; mostly of one kind on a site."""
    kinds = rng.choice((("meaning",), ("arbitrary",), ("meaning", "arbitrary", "none"), ("none", "arbitrary")))
    names: dict[str, str | None] = {}
    for part, words in _NAMES.items():
        kind = rng.choice(kinds)
        arbitrary = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 7)))
        names[part] = {"meaning": rng.choice(words), "arbitrary": arbitrary, "none": None}[kind]
    return names


def comment_section(style: CommentStyle, texts: Sequence[str], title: str, rng: Random) -> HtmlElement:
    """Write comments with these texts, in order, as an element; authors and dates are drawn."""
    section = element(rng.choice(("div", "section", "div", "aside")), style.names["section"])
    if rng.random() < 0.85:
        head = style.head.format(n=len(texts), title=title[:80])
        section.append(element(rng.choice(("h2", "h3", "h4", "div", "p")), None, head))
    holder = element(style.list_tag, style.names["list"])
    section.append(holder)
    previous: HtmlElement | None = None
    for number, text in enumerate(texts, 1):
        record = comment_record(style, text, number, rng)
        is_reply = style.nested != "no" and previous is not None and rng.random() < 0.35
        if is_reply and style.nested == "inside" and previous is not None:
            replies = element(style.list_tag, "children" if style.names["list"] else None)
            replies.append(record)
            previous.append(replies)
            if rng.random() < 0.4:
                previous = record
            continue
        if is_reply:
            record.set("class", f"{record.get('class', '')} {style.names['list'] or 'x'}-reply".strip())
        holder.append(record)
        previous = record
    if style.invitation is not None:
        section.append(_invitation(style.invitation, rng))
    return section


def comment_record(style: CommentStyle, text: str, number: int, rng: Random) -> HtmlElement:
    """Write one comment; ``number`` is its position from 1."""
    record = element(style.record_tag, style.names["record"])
    record.set("id", f"c{rng.randint(1000, 99999)}")
    parts = [_head(style, number, rng), *_body(style, text)]
    if style.has_head_below:
        parts.reverse()
    for part in parts:
        record.append(part)
    if style.reply is not None:
        foot = element("td" if style.record_tag == "tr" else "div", style.names["foot"])
        foot.append(element("a", None, style.reply, href=f"#reply{number}"))
        if style.has_votes:
            foot.append(element("span", None, str(rng.randint(0, 40))))
        record.append(foot)
    return record


def random_byline(rng: Random) -> HtmlElement:
    """Draw a line with author and date."""
    byline = _head(random_style(rng), rng.randint(1, 9), rng)
    if byline.tag == "td":
        byline.tag = "div"
    return byline


def _head(style: CommentStyle, number: int, rng: Random) -> HtmlElement:
    head = element(style.head_tag, style.names["head"])
    if style.has_avatar:
        head.append(element("img", style.names["avatar"], src=f"/avatars/{rng.randint(1, 999)}.jpg", alt=""))
    if style.numbered:
        head.append(element("span", None, f"#{number}"))
    name = rng.choice((f"{rng.choice(_PEOPLE)} {rng.choice(_SURNAMES)}", rng.choice(_PEOPLE), rng.choice(_NICKS)))
    author = element(style.author_tag, style.names["author"], name)
    if style.author_tag == "a":
        author.set("href", f"/user/{name.replace(' ', '-')}")
    author.tail = style.says + " "
    head.append(author)
    if style.is_dated:
        head.append(_date(style, rng))
    return head


def _date(style: CommentStyle, rng: Random) -> HtmlElement:
    month, day, year = rng.randint(1, 12), rng.randint(1, 28), rng.randint(2005, 2025)
    hour, minute = rng.randint(1, 12), rng.randint(0, 59)
    shown = style.date.format(month=_MONTHS[month - 1], number=month, day=day, year=year, hour=hour, minute=minute)
    date = element(style.date_tag, style.names["date"], shown)
    if style.has_machine_date:
        date.set("datetime", f"{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:00")
    if style.date_tag == "a":
        date.set("href", f"#comment-{rng.randint(100, 9999)}")
    return date


def _body(style: CommentStyle, text: str) -> list[HtmlElement]:
    """Write the text of a comment: paragraphs in an element, only paragraphs, or lines separated by <br>."""
    lines = [line for line in text.split("\n") if line.strip()]
    if style.body_tag is None:
        return [element("p", None, line) for line in lines]
    body = element(style.body_tag, style.names["body"])
    if style.paragraphs and style.body_tag not in ("p", "span"):
        body.extend([element("p", None, line) for line in lines])
        return [body]
    body.text = lines[0]
    for line in lines[1:]:
        new_line = element("br", None)
        new_line.tail = line
        body.append(new_line)
    return [body]


def between(titles: Sequence[str], rng: Random) -> list[HtmlElement]:
    """Draw the content between an article and its comments: buttons, tags, the author, related articles."""
    parts = []
    for part in rng.sample(("buttons", "tags", "author", "related", "neighbours"), k=rng.choice((0, 0, 1, 1, 2, 3))):
        box = element("div", rng.choice((part, None, "box")))
        if part == "author":
            box.append(element("h4", None, f"About {rng.choice(_PEOPLE)} {rng.choice(_SURNAMES)}"))
            box.append(element("p", None, f"{rng.choice(_PEOPLE)} writes about {rng.choice(titles)}."))
        else:
            words = {"buttons": _BUTTONS, "tags": _TAGS}.get(part) or titles
            box.append(element(rng.choice(("h3", "span", "p")), None, part.title()))
            for text in rng.sample(words, k=min(len(words), rng.randint(2, 6))):
                item = element(rng.choice(("li", "span", "p")), None)
                item.append(element("a", None, text, href=f"/{part}/{rng.randint(1, 999)}"))
                box.append(item)
        parts.append(box)
    return parts


def _invitation(text: str, rng: Random) -> HtmlElement:
    invitation = element("div", None)
    invitation.append(element(rng.choice(("h3", "p", "a")), None, text))
    if rng.random() < 0.6:
        form = element("form", None, action="/post")
        for label in ("Name", "Email", "Website"):
            form.append(element("label", None, label))
            form.append(element("input", None, type="text", name=label.lower()))
        form.append(element("textarea", None, name="text"))
        form.append(element("input", None, type="submit", value=text))
        invitation.append(form)
    return invitation


def element(tag: str, names: str | None, text: str | None = None, **attributes: str) -> HtmlElement:
    """Create an element with these names as its class, and a text."""
    made = lxml_html.Element(tag, **attributes)
    if names:
        made.set("class", names)
    made.text = text
    return made


_HOLDERS = (("div", "div"), ("div", "div"), ("article", "div"), ("li", "ul"), ("li", "ol"), ("div", None), ("dd", "dl"))
_LIST_NAMES = ("children", "replies", "nested", "thread", "comment-tree", "child", "indent", "subcomments", None, None)
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
    list_name, name = rng.choice(_LIST_NAMES), rng.choice((*_LIST_NAMES[:4], None))
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
#: Names of comments in HTML.
COMMENTED = re.compile(r"""(?:class|id)=["']?[^"'>]*(?:comment|disqus|\brespon(?:d|ses)\b)""", re.IGNORECASE)
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
        if len(page.text) < _SHORTEST or COMMENTED.search(page.html):
            continue
        rng = Random(f"{seed} {page.dataset} {page.id}")  # noqa: S311 - no secret
        root = parsing.parse(page.html, page.url)
        article = article_of(PageNodes.of_page(root), page.text)
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
