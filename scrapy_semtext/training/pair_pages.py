"""Pages with known posts or question-answer pairs, and pages without any, for the pair models.

Also the labels of nodes, and of sets of nodes (posts and comments), of pages with known posts, and scores of sets.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from scrapy_semtext.dom import tree
from scrapy_semtext.dom.segmentation import search
from scrapy_semtext.qa.facts import facts_of
from scrapy_semtext.qa.nodes import PageNodes
from scrapy_semtext.qa.page_number import is_later_address
from scrapy_semtext.training.datasets import AnnotatedPage, may_ship, read_all
from scrapy_semtext.training.scoring import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_semtext.qa.runs import Candidate
    from scrapy_semtext.training.post_fit import PostExample


#: "posts": a thread or Q&A page whose posts are known; "variant": one made of such a page (`thread_variants`);
#: "comments": an article whose comments are known; "faq": a FAQ page; "forum": a page of a forum, or with pairs, whose
#: posts are not known; "none": none of these.
Role = Literal["posts", "variant", "comments", "faq", "forum", "none"]

# Marks of each forum engine in the HTML, in matching order. Extraction does not depend on them.
_MARKS = {
    "xenforo": re.compile(r"xenforo|data-xf-", re.IGNORECASE),
    "phpbb": re.compile(r"phpbb", re.IGNORECASE),
    "vbulletin": re.compile(r"vbulletin|vb_", re.IGNORECASE),
    "discourse": re.compile(r'content="Discourse|discourse_theme'),
    "invision": re.compile(r"Invision|ipsType|ipsComment|ipb"),
    "vanilla": re.compile(r"vanilla(?:forums| forums|_)|Item-BodyWrap|CommentHeader", re.IGNORECASE),
    "smf": re.compile(r"Simple Machines"),
    "mybb": re.compile(r"MyBB"),
    "fluxbb": re.compile(r"FluxBB|PunBB"),
    "drupal": re.compile(r"drupal", re.IGNORECASE),
    "stackexchange": re.compile(r"cdn\.sstatic"),
}


class TruePair(NamedTuple):
    """A true pair; any of ``questions`` (title and body, title, body) is accepted."""

    questions: tuple[str, ...]
    answer: str


@dataclass(slots=True)
class PairPage:
    """A page with its truth.

    ``engine`` is the family of its forum engine, or the domain for pages without posts that state none. ``posts`` are
    the texts of the posts in order, the question first, or of the comments; ``pairs`` are the pairs of an FAQ, thread
    or Q&A page, None if unknown. ``main_text`` is the true main text. ``title`` is the question's title if known;
    ``opening`` is the text of the opening post, "" if the title is the whole question or the page is a later one of its
    thread, None if unknown or if there are no posts. ``parents`` has the index of the answer that each answer replies
    to, -1 for the question; None if unknown.
    """

    id: str
    role: Role
    kind: str
    engine: str
    domain: str
    url: str | None
    dataset: str
    html: str
    posts: list[str]
    pairs: list[TruePair] | None
    main_text: str
    shippable: bool
    title: str = ""
    opening: str | None = None
    is_later: bool = False
    parents: list[int] | None = None

    @property
    def teaches_posts(self) -> bool:
        """Return whether models learn from the page which nodes are posts."""
        return self.role == "posts" or self.parents is not None

    @property
    def says_pairs(self) -> bool:
        """Return whether it is known which pairs or posts the page has, if any."""
        return self.role not in ("variant", "comments", "forum")

    def nodes(self) -> PageNodes:
        """Parse the page (without schema.org markup, if the set demands it) into its nodes."""
        root = tree.parse(self.html, self.url)
        return PageNodes(root, search(root))


def read_pair_pages(paths: Iterable[str | Path]) -> Iterator[PairPage]:
    """Yield the pages of the sets."""
    return map(pair_page, read_all(paths, faq=True))


def pair_page(page: AnnotatedPage) -> PairPage:
    """Return the page with its truth about pairs."""
    role, posts = _truth(page)
    question = page.extra.get("question") if role == "posts" else None
    is_later = role == "posts" and (page.extra.get("first_page") is False or is_later_address(page.url))
    opening = question.get("body") or "" if question is not None else posts[0] if posts else None
    html = page.extra.get("html_nomarkup") or page.html
    stated = page.extra.get("engine") if role != "faq" else None
    return PairPage(
        id=page.id,
        role=role,
        kind=page.page_type or "untyped",
        engine=engine_of(html, stated, page.domain) if stated or role not in ("none", "faq") else page.domain,
        domain=page.domain,
        url=page.url,
        dataset=page.dataset,
        html=html,
        posts=posts,
        pairs=_pairs(page),
        main_text=page.text,
        shippable=may_ship(page),
        title=(question or {}).get("title") or "",
        opening=None if role != "posts" else "" if is_later else opening,
        is_later=is_later,
    )


def engine_of(html: str, stated: str | None, domain: str) -> str:
    """Return the family of a page's engine: as stated by the page set, or else by marks in the HTML.

    If neither is available, it is the domain.
    """
    for name in _MARKS:
        if stated is not None and stated.startswith(name):
            return name
    if stated is not None:
        return stated
    return next((name for name, mark in _MARKS.items() if mark.search(html)), domain)


def places_outside(pages: Sequence[PairPage], folds: Sequence[int], held_out: int) -> list[int]:
    """Return the indexes of the pages that are neither in a fold nor of a domain with pages in it."""
    domains = {page.domain for page, where in zip(pages, folds, strict=True) if where == held_out}
    places = enumerate(zip(pages, folds, strict=True))
    return [place for place, (page, where) in places if where != held_out and page.domain not in domains]


def has_posts(page: AnnotatedPage) -> bool:
    """Return whether the posts of a page are known."""
    return _truth(page)[0] == "posts"


def _truth(page: AnnotatedPage) -> tuple[Role, list[str]]:
    extra = page.extra
    if "pairs" in extra and page.page_type == "faq":
        return "faq", []
    if "answers" in extra:
        is_thread = page.page_type != "comments"
        body = (extra.get("question") or {}).get("body") if is_thread else None
        texts = [text for text in (body, *(answer["text"] for answer in extra["answers"])) if text]
        return "posts" if is_thread else "comments", texts
    if extra.get("posts"):
        return "posts", [post["post_text"] for post in extra["posts"] if post.get("post_text")]
    return ("forum" if page.page_type == "forum" or extra.get("pairs") else "none"), []


def _pairs(page: AnnotatedPage) -> list[TruePair] | None:
    extra = page.extra
    if extra.get("pairs"):
        return [TruePair((pair["question"],), pair["answer"]) for pair in extra["pairs"]]
    if "answers" not in extra or page.page_type == "comments":
        return None
    question = extra.get("question") or {}
    title, body = question.get("title") or "", question.get("body") or ""
    forms = tuple(form for form in (f"{title}\n{body}".strip(), title, body) if form)
    return [TruePair(forms, answer["text"]) for answer in extra["answers"]]


#: Word F1 from which a text counts as the same post (as in the scoring of pairs).
MATCH = 0.8

_MISSED_OPENING = 1 / 3
_LEAST, _BELOW_BEST = 0.75, 0.04  # a body has at least this word F1, and at most this much less than the best node
_FOUND = 0.6  # F1 from which a set counts as known comments; lower without the first comment
_INSIDE, _OUTSIDE = 0.5, 0.2  # shares of the texts' three-word runs that are in the main text
_WITH_FACTS = 0.5  # minimum share of texts with an author, or a date

Words = Counter[str]


def words_of(text: str) -> Words:
    """Return the words of a text with their counts."""
    return Counter(words(text))


def word_f1(one: Words, two: Words) -> float:
    """Return the harmonic mean of precision and recall of the words."""
    shared = sum((one & two).values())
    return 2 * shared / (one.total() + two.total()) if shared else 0.0


def body_labels(nodes: PageNodes, posts: Sequence[str]) -> NDArray[np.int8]:
    """Return 1 for each node whose text is nearly that of a post, else 0; (nodes,)."""
    of_blocks = [words_of(block.text) for block in nodes.blocks]
    totals = np.concatenate([[0], np.cumsum([found.total() for found in of_blocks])])
    sizes = totals[nodes.last] - totals[nodes.first]
    labels = np.zeros(len(nodes), dtype=np.int8)
    known: dict[tuple[int, int], Words] = {}
    for post in filter(None, map(words_of, posts)):
        near = np.flatnonzero((sizes >= 0.6 * post.total()) & (sizes <= 1.7 * post.total() + 4))
        likeness = {node: word_f1(_node_words(nodes, node, of_blocks, known), post) for node in near.tolist()}
        least = max(_LEAST, max(likeness.values(), default=0) - _BELOW_BEST)
        for node, value in likeness.items():
            labels[node] |= value >= least
    return labels


def _node_words(nodes: PageNodes, node: int, of_blocks: list[Words], known: dict[tuple[int, int], Words]) -> Words:
    key = (int(nodes.first[node]), int(nodes.last[node]))
    if key not in known:
        total: Words = Counter()
        for found in of_blocks[key[0] : key[1]]:
            total.update(found)
        known[key] = total
    return known[key]


def set_f1(found: Sequence[str], posts: Sequence[str]) -> float:
    """Return `posts_f1`, or a third of it if the first text is not the first post, the question of all pairs."""
    mine, theirs = (next(filter(None, map(words_of, texts)), Words()) for texts in (found, posts))
    opens = not mine or not theirs or word_f1(mine, theirs) >= MATCH
    return posts_f1(found, posts) * (1 if opens else _MISSED_OPENING)


def posts_f1(found: Sequence[str], posts: Sequence[str]) -> float:
    """Return the F1 of the posts of a page: a text is found if its word F1 with a distinct post is at least MATCH."""
    mine = list(filter(None, map(words_of, found)))
    theirs = list(filter(None, map(words_of, posts)))
    if not mine or not theirs:
        return float(not mine and not theirs)
    found_posts = likest_pairs(
        (value, i, j)
        for i, one in enumerate(mine)
        for j, two in enumerate(theirs)
        if 3 * min(one.total(), two.total()) >= max(one.total(), two.total()) * 2 - 3
        and (value := word_f1(one, two)) >= MATCH
    )
    return 2 * len(found_posts) / (len(mine) + len(theirs))


def likest_pairs(near: Iterable[tuple[float, int, int]]) -> dict[int, int]:
    """Pair texts one to one, the most similar first, given similarities and the indexes of both."""
    found: dict[int, int] = {}
    taken: set[int] = set()
    for _, one, other in sorted(near, reverse=True):
        if one not in found and other not in taken:
            found[one] = other
            taken.add(other)
    return found


def comment_label(example: PostExample, bodies: Candidate, texts: Sequence[str], *, named: bool) -> bool | None:
    """Return whether ``bodies``, with these texts, are the comments of a page; None if unknown.

    It is known on pages made for this purpose. Other page sets only give the main text: texts outside it, in elements
    ``named`` for comments, with an author or a date each, are assumed to be comments; texts in the main text, or
    without any of these, are not; the rest is unknown.
    """
    page = example.page
    if page.role == "comments":
        return set_f1(texts, page.posts) >= _FOUND
    if not example.may_have_comments:
        return False
    inside = _share_inside(texts, page.main_text)
    if inside >= _INSIDE:
        return False
    facts = facts_of(example.nodes, bodies)
    known = max(sum(fact.author is not None for fact in facts), sum(fact.date is not None for fact in facts))
    if named and inside < _OUTSIDE and known >= _WITH_FACTS * len(facts):
        return True
    return None if named or known else False


def _share_inside(texts: Iterable[str], main_text: str) -> float:
    """Return the share of the texts' three-word runs that the main text has."""
    runs: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        runs.update(_runs(text))
    return (runs & _runs(main_text)).total() / max(1, runs.total())


def _runs(text: str) -> Counter[tuple[str, ...]]:
    found = words(text)
    return Counter(zip(found, found[1:], found[2:], strict=False))
