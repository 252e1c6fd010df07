"""Author, date, votes and accepted mark of the posts of a page, read from the records around them.

A record is the largest element around a body that contains no other body. Content outside all records (rows of a table,
flat siblings) lies in a gap between two bodies. Whether it belongs to the previous or the next body is decided for the
whole page: if such content elsewhere shares more elements with the next record (before the first body, in a list of
answers apart from the question), and nowhere with the previous, it belongs to the next body.

No class names of specific forum engines are used. The evidence is that the same thing occurs at the same position of
all posts, and general words (author, date, votes, accepted) in names, URLs, attributes and the text around the posts.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING, Any

from lxml import etree

from scrapy_semtext.read.dates import (
    announces,
    by_evidence,
    dates_of,
    follows,
    is_byline,
    is_dated,
    is_of_change,
    name_in,
)
from scrapy_semtext.tree.elements import text_line
from scrapy_semtext.tree.parsing import with_ancestors
from scrapy_semtext.tree.tags import GROUPS, Group, tag_of
from scrapy_semtext.utils.remembering import remembered
from scrapy_semtext.words.characters import one_line
from scrapy_semtext.words.cues import AnyCase, remembered_search
from scrapy_semtext.words.word_tables import WORDS, alternatives

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from scrapy_semtext.tree.nodes import PageNodes


#: The maximum length of a text that is considered, because facts are short.
MAX_FRAGMENT_CHARS = 160
#: The level of content outside the record of its post.
OUTSIDE_LEVEL = 1000

_DIGITS = re.compile(r"\d+")
_MAX_KEY_LEVELS, _MAX_CONTEXT_LEVELS, _MAX_CONTEXT_FRAGMENTS, _CONTEXT_FIRST_FRAGMENTS = 4, 4, 40, 8
_MAX_OUTER = 7
_UNREAD = (Group.REMOVED, Group.SWALLOWER)
_TEXT_ATTRIBUTES = frozenset(
    ("datetime", "title", "aria-label", "alt")
)  # attributes that carry information without text
_QUOTES = ("blockquote", "pre", "q")
_MAX_LONE_RECORD_BLOCKS = 40  # number of blocks around a body that is the only one on its page
_HIDING = re.compile(r"(?:^|[\s_-])(?:d-none|hidden|hide|invisible|is-hidden)(?:$|\s)")

# The result of `_names_in` for an element without names.
_NO_NAMES = ("", "", False)

_INTEGER = re.compile(r"([+\-−–]?)\s?(\d{1,3}(?:[,.  ]\d{3})+|\d{1,9})(?:[.,](\d))?\s?([kKmM]?)")
_VOTES = alternatives("votes")
_SAYS_VOTES = AnyCase(rf"vote|score|point|(?<!un)like(?!ly)|rating|helpful|kudos|karma|thumb|赞|{_VOTES}")
_COUNTED = re.compile(rf"(?P<number>{_INTEGER.pattern})\s*(?:{_VOTES})\b", re.IGNORECASE)
_says_other = remembered_search(re.compile(alternatives("no votes")))
_ACCEPTED = alternatives("accepted")
_SAYS_ACCEPTED = AnyCase(_ACCEPTED, hints=WORDS["accepted"])
# Not a mark but an offer ("Mark as solution"), a heading or a reference to another post.
_OFFER = re.compile(alternatives("no mark"), re.IGNORECASE)
# A text that is a mark itself and not a sentence that mentions one.
_MARK_TEXT = re.compile(
    r"\W*(?:the |this (?:post|answer|reply) |is |was |marked as |als |it is )*"
    rf"(?:{_ACCEPTED})\w*(?:\W+\w+){{0,6}}\W*$",
    re.IGNORECASE,
)
# A name that only the record of an answer has, never that of a question.
_IS_ANSWER = re.compile(r"(?:^|\s)(?:is-)?(?:accepted|best)[-_]?(?:answer|reply|solution)?(?:\s|$)")
_MAX_MARK_CHARS = 80
_MARK_ATTRIBUTES = frozenset(("aria-label", "title", "alt"))  # attributes that may contain a mark

# Words in class and id names of authors.
_says_author = remembered_search(re.compile(alternatives("author")))
# Words in names of other things near an author or of other people; and names that are an author's nevertheless.
_SAYS_OTHER = re.compile(alternatives("not author"))
_SAYS_NAME = re.compile(r"user-?name|nick|(?:author|display|member|poster)[-_]?name")
# URLs of user profiles.
_PROFILE = AnyCase(alternatives("profile"))
_SIBLING_LEVEL = 3  # the level of flat siblings, which stand outside the records
_CELLS = ("td", "tr", "tbody")  # without names, these only lay out what is in them
_STRESSED = ("a", "b", "strong", "h2", "h3", "h4", "h5", "h6")
_NEVER = ("button", "time", "label", "nav")
_MIN_SHARED_EVIDENCE = 1.0  # evidence that is enough for an author even if all records have the same text
_MIN_LONE_EVIDENCE = 0.45  # evidence that is enough for an author without similar texts in other records
# The weight of the score of a position relative to the evidence, and the bonus of the best position.
_POSITION_WEIGHT, _BEST_BONUS = 0.2, 10.0
_MIN_COMMON_SCORE = 0.25  # the minimum score of a text that nearly all records have, if nothing calls it an author


@dataclass(frozen=True, slots=True)
class PostFacts:
    """The facts that a page gives about a post; None for facts it does not give.

    ``date`` is written as on the page: the value of a ``datetime`` attribute if there is one, otherwise the displayed
    text. ``accepted`` is None for all posts of a page that marks none of them.
    """

    author: str | None = None
    date: str | None = None
    votes: int | None = None
    accepted: bool | None = None


NO_FACTS = PostFacts()


def facts_of(nodes: PageNodes, bodies: Sequence[int], records: Records | None = None) -> list[PostFacts]:
    """Return the facts of the posts with these bodies (disjoint nodes, in page order), one for each body.

    ``records`` are the records of the bodies, if already built.
    """
    records = Records(nodes, bodies) if records is None else records
    authors, dates, votes = authors_of(records), dates_of(records), votes_of(records)
    half = len(bodies) / 2
    if min(_known(authors), _known(dates)) < half:  # the bodies may include the heads of the posts
        inside = Records(nodes, bodies, inside=True)
        authors = authors if _known(authors) >= half else authors_of(inside, common=True)
        dates = dates if _known(dates) >= half else dates_of(inside, common=True)
        votes = votes if _known(votes) else votes_of(inside)
    columns = zip(authors, dates, votes, accepted_of(records), strict=True)
    return [PostFacts(*facts) for facts in columns]


def _known(values: Sequence[object]) -> int:
    return sum(value is not None for value in values)


def authors_of(records: Records, *, common: bool = False) -> list[str | None]:
    """Return the author of each post, None if not found; with ``common`` only from places nearly all posts share."""
    holders = _holders(records)
    everywhere = {text for text, posts in holders.items() if len(posts) >= max(4, 0.9 * records.count)}
    places = records.found(partial(_named_fragment, records, everywhere))
    ranked = sorted(((_score(records, posts), posts) for posts in places), key=lambda item: -item[0])
    authors: list[str | None] = [None] * records.count
    best = [0.0] * records.count
    for rank, (score, posts) in enumerate(ranked):
        every = [*chain.from_iterable(posts.values())]
        is_shared = records.is_common(every)
        if common and not is_shared:
            continue
        several = len({name for _, name, _ in every}) > 1
        least = _MIN_LONE_EVIDENCE
        if not rank and not common and is_shared and several and score > _MIN_COMMON_SCORE:
            least = -math.inf
        for post, found in posts.items():
            fragment, name, evidence = min(found, key=by_evidence)
            others = {authors[other] for other in holders[fragment.text]} - {None, name} if rank else ()
            if len(others) > 1 and evidence < _MIN_SHARED_EVIDENCE:
                continue  # a label that stands beside several authors
            # What most posts have at one position wins; otherwise, the candidate with the strongest evidence does.
            worth = evidence + _POSITION_WEIGHT * score + _BEST_BONUS * (not rank)
            if evidence >= least and worth > best[post]:
                authors[post], best[post] = name, worth
    return authors


def _named_fragment(records: Records, everywhere: set[str], fragment: Fragment) -> tuple[str, float] | None:
    """Return the name that a fragment may be, with its evidence.

    ``everywhere`` are the texts of nearly all records: labels that the page puts beside names, not names.
    """
    name = name_in(fragment.text)
    if not name or is_of_change(records, fragment):
        return None
    evidence = _evidence(records, fragment)
    return (name, evidence) if evidence >= _MIN_SHARED_EVIDENCE or fragment.text not in everywhere else None


def _holders(records: Records) -> dict[str, set[int]]:
    """Return which posts have each text in their records."""
    posts: dict[str, set[int]] = defaultdict(set)
    for fragment in records.fragments:
        if fragment.post >= 0:
            posts[fragment.text].add(fragment.post)
    return posts


def _evidence(records: Records, fragment: Fragment) -> float:
    """Return the evidence of the names, URL and words around a fragment for (positive) or against an author."""
    elements = fragment.element.self_and_outer(8)
    own = fragment.element
    if any(element.tag in _NEVER for element in elements[:4]) or own.tag == "dt" or _is_other(own.names):
        return -1.0
    level = _SIBLING_LEVEL if own.level == OUTSIDE_LEVEL else min(own.level, 10)
    found = _author_score(fragment) + 0.15 * (own.tag in _STRESSED) - 0.02 * level
    label = records.label(fragment)
    found += 0.5 * (is_byline(fragment.text) + announces(label) + follows(records.following(fragment)))
    if label.endswith((":", "：")) and not announces(label):  # "Location:"
        found -= 0.4
    if len(elements) > 1 and _is_other(elements[1].names):
        found -= 0.5
    if is_dated(fragment.text) and not is_byline(fragment.text):
        found -= 0.5
    if not records.are_comments and any("comment" in element.names for element in elements):  # one on a post
        found -= 0.6
    return found


def _author_score(fragment: Fragment) -> float:
    """Return the evidence of names, attributes and URLs."""
    named = linked = 0.0
    around = (element for element in fragment.element.self_and_outer(8) if element.names or element.tag not in _CELLS)
    for step, element in enumerate(islice(around, 4)):
        if element.names and _says_author(element.names):
            named = max(named, 0.8 - 0.15 * step)
        if "rel" in element.attributes and element.get("rel") == "author":
            named = 1.0
        if element.tag == "a" and _PROFILE.is_in(element.get("href")):
            linked = 0.6
    return named + linked


@remembered(1 << 12)
def _is_other(names: str) -> bool:
    return _SAYS_OTHER.search(names) is not None and _SAYS_NAME.search(names) is None


def _score(records: Records, posts: dict[int, Found]) -> float:
    """Return how plausible the fragments at one place are as the authors of their posts.

    ``posts``: by number of the post, its fragments there, each with the name and the evidence for it.
    """
    found = [item for items in posts.values() for item in items]
    names = [name for _, name, _ in found]
    evidence = sum(item[2] for item in found) / len(found)
    coverage = records.share(found[0][0], len(posts))
    repeated = len(found) / len(posts)
    distinct = len(set(names)) / len(names)
    if len(posts) > 2 and len(set(names)) == 1:
        evidence -= 0.7
    score = evidence + 0.5 * _same_link(found) + 0.3 * min(1.0, 2 * distinct)
    return score * (0.3 + 0.7 * coverage) / (0.5 + 0.5 * repeated)


def _same_link(found: Found) -> float:
    """Return 1 if equal texts link to equal URLs and different texts to different URLs, as names of people do."""
    links: dict[str, set[str]] = defaultdict(set)
    for fragment, name, _ in found:
        for element in fragment.element.self_and_outer(3):
            if element.tag == "a" and (address := element.get("href")):
                links[name].add(address)
    if len(links) < 2 or len(found) == len(links):
        return 0.0
    addresses = set().union(*links.values())
    return float(len(addresses) == len(links) and all(len(found) == 1 for found in links.values()))


@dataclass(slots=True, eq=False)
class RecordElement:
    """An element of a record. ``level`` is how many levels to go up from the body to reach an element around both.

    ``own`` identifies the element among its siblings: tag and names without digits or, without names, its index.
    ``outer`` are at most seven places around it that do not contain the body. A place has no references to itself or to
    an element, which would keep it in memory until the garbage collector runs.
    """

    attributes: dict[str, str]
    tag: Any
    names: str
    level: int
    on_path: bool  # whether the element is around the body
    hidden: bool
    own: Hashable
    outer: tuple[RecordElement, ...]
    start: int  # the fragments inside are those from start to end
    end: int = 0
    context: list[str] | None = None

    def self_and_outer(self, levels: int) -> tuple[RecordElement, ...]:
        """Return the place and those around it that do not contain the body, at most ``levels`` (up to 8)."""
        return () if self.on_path else (self, *self.outer[: levels - 1])

    def get(self, name: str) -> str:
        """Return an attribute of the element on one line; empty if missing."""
        return one_line(self.attributes.get(name))


@dataclass(slots=True, eq=False)
class Fragment:
    """A short text of a record, or an element with information in its attributes (then the text is empty).

    ``key`` is equal for fragments at the same relative place of different records; ``loose`` is too, and ignores the
    names of the elements around them. ``post`` is the number of the body.
    """

    text: str
    element: RecordElement
    key: Hashable
    loose: Hashable
    post: int
    order: int
    distance: int  # number of fragments between it and the body


#: What was found for a post at one place of its record: fragments, each with its value and the evidence for it.
Found = list[tuple[Fragment, Any, float]]


class Records:
    """The fragments of all posts of a page, in page order. Time is linear in the page.

    Fragments are outside the bodies; with ``inside`` they are also in them, for bodies that may include heads of posts.
    """

    def __init__(self, nodes: PageNodes, bodies: Sequence[int], *, inside: bool = False) -> None:
        self.count = len(bodies)
        self._inside = inside
        self.fragments: list[Fragment] = []
        #: The elements of each record, except those inside its body.
        self.elements: list[list[RecordElement]] = [[] for _ in bodies]
        self._gaps: list[int] = []
        # For each fragment, how many elements around it are around the next record too, less those around the previous.
        self._leanings: list[int] = []
        self._starts: list[int] = []  # how many fragments precede each body
        if self.count:
            self._bodies = {nodes.scopes[node].element for node in bodies}
            self._around = with_ancestors(
                body.getparent() for body in self._bodies
            )  # may include a drawing or a quotation
            self._frame(nodes, bodies)
            self._walk()
            self._settle()

    def context(self, fragment: Fragment) -> list[str]:
        """Return the beginnings of the texts of the small elements around a fragment, from the inside out."""
        element = fragment.element
        if element.context is None:
            element.context = []
            before = (-1, -1)
            for around in element.self_and_outer(_MAX_CONTEXT_LEVELS):
                if around.end - around.start > _MAX_CONTEXT_FRAGMENTS:
                    break
                within = (around.start, min(around.end, around.start + _CONTEXT_FIRST_FRAGMENTS))
                if within != before:
                    text = " ".join([fragment.text for fragment in self.fragments[slice(*within)] if fragment.text])[
                        :MAX_FRAGMENT_CHARS
                    ]
                    before = within
                element.context.append(text)
        return element.context

    def label(self, fragment: Fragment) -> str:
        """Return the text directly before a fragment."""
        for order in range(fragment.order - 1, max(-1, fragment.order - 4), -1):
            before = self.fragments[order]
            if before.text and before.element is not fragment.element:
                return before.text if before.post == fragment.post else ""
            if before.text and before.post == fragment.post and fragment.text:
                return before.text
        return ""

    def following(self, fragment: Fragment) -> str:
        """Return the text directly after a fragment."""
        after = self.fragments[fragment.order + 1 : fragment.order + 2]
        return after[0].text if after and after[0].post == fragment.post else ""

    def found(self, read: Callable[[Fragment], tuple[Any, float] | None]) -> list[dict[int, Found]]:
        """Return what ``read`` finds in fragments of posts, a value with its evidence, by place and then by post."""
        groups: dict[Hashable, dict[int, Found]] = defaultdict(lambda: defaultdict(list))
        for fragment in self.fragments:
            if fragment.post >= 0 and (value := read(fragment)) is not None:
                groups[fragment.key][fragment.post].append((fragment, *value))
        return list(groups.values())

    def is_common(self, found: Found) -> bool:
        """Return whether nearly all posts have something at the place of these findings, and have it only once."""
        posts = len({fragment.post for fragment, _, _ in found})
        return 2 <= posts >= 0.8 * self.count and len(found) <= 1.2 * posts

    @cached_property
    def coverage(self) -> dict[Hashable, int]:
        """How many posts have fragments of each key, strict or loose."""
        posts: dict[Hashable, set[int]] = defaultdict(set)
        for fragment in self.fragments:
            if fragment.post >= 0 and fragment.text:
                posts[fragment.key].add(fragment.post)
                posts[fragment.loose].add(fragment.post)
        return {key: len(found) for key, found in posts.items()}

    @cached_property
    def are_comments(self) -> bool:
        """Whether elements around the bodies of most posts are named after comments."""
        named = (any(each.on_path and "comment" in each.names for each in record) for record in self.elements)
        return 2 * sum(named) > self.count

    def share(self, fragment: Fragment, posts: int) -> float:
        """Return the share of posts with a fragment like this one; ``posts`` of them have it at the very same place."""
        return max(posts, 0.9 * self.coverage.get(fragment.loose, 0)) / self.count

    def _frame(self, nodes: PageNodes, bodies: Sequence[int]) -> None:
        """Find the element around all bodies, the records, and the elements between each record and its body."""
        self._owners: dict[Any, int] = {}
        self._levels: dict[Any, int] = {}
        outermost = 0
        for post, body in enumerate(bodies):
            low = nodes.last[bodies[post - 1]] if post else 0
            high = nodes.first[bodies[post + 1]] if post + 1 < len(bodies) else len(nodes.blocks)
            node = int(body)
            while (above := nodes.parents[node]) >= 0 and low <= nodes.first[above] and nodes.last[above] <= high:
                if self.count == 1 and nodes.last[above] - nodes.first[above] > _MAX_LONE_RECORD_BLOCKS + (
                    nodes.last[body] - nodes.first[body]
                ):
                    break
                node = above
            record = nodes.scopes[node].element
            self._owners[record] = post
            self._enumerate(nodes.scopes[body].element, record)
            outermost = node if not post else outermost
        while nodes.parents[outermost] >= 0 and not (
            nodes.first[outermost] <= nodes.first[bodies[0]] and nodes.last[outermost] >= nodes.last[bodies[-1]]
        ):
            outermost = nodes.parents[outermost]
        self._root = nodes.scopes[outermost].element

    def _enumerate(self, body: Any, record: Any) -> None:
        level, element = 0, body
        while element is not None:
            self._levels[element] = level
            if element is record:
                return
            level, element = level + 1, element.getparent()

    def _walk(self) -> None:
        walker = etree.iterwalk(self._root, events=("start", "end", "comment", "pi"))
        # the open elements, each with its number of children per tag
        path: list[tuple[RecordElement, dict[str, int]]] = []
        known = {*self._around, *self._owners, *self._levels, *self._bodies, self._root}
        owner, between = -1, 0  # the record, and the first fragment behind the previous one
        self._shared = 0  # how many open elements are around the previous record
        for event, element in walker:
            if event == "start":
                is_known = element in known
                if is_known and element in self._owners:
                    owner = self._owners[element]
                    starts = [part.start for part, _ in path]
                    for order in range(between, len(self.fragments)):
                        self._leanings[order] += bisect_right(starts, order)
                    if path:
                        path[-1][1].clear()  # what lies between two records is numbered from the first of them on
                path.append((self._enter(element, element.tag, path, owner, is_known), {}))
                if not self._read_start(element, path[-1][0], owner, is_known):
                    walker.skip_subtree()
                continue
            if event == "end" and path:
                path.pop()[0].end = len(self.fragments)
                self._shared = min(self._shared, len(path))
                if element in self._owners:
                    owner, between, self._shared = -1, len(self.fragments), len(path)
            if path and (tail := element.tail) and not tail.isspace():
                self._add(tail, path[-1][0], owner, ("tail", tag_of(element)))

    def _read_start(self, element: Any, part: RecordElement, owner: int, is_known: bool) -> bool:
        """Read the text at the beginning of an element, and return whether to read the elements inside it."""
        is_unread = GROUPS[element.tag] in _UNREAD
        is_around, is_body = is_known and element in self._around, is_known and element in self._bodies
        if is_body:
            self._starts.append(len(self.fragments))
        if (is_body and not self._inside) or (self._inside and element.tag in _QUOTES and not is_around):
            return False
        if not is_unread:
            self._read(element, part, owner)
        return not is_unread or element.tag == "button" or is_around

    def _enter(
        self, element: Any, tag: Any, path: list[tuple[RecordElement, dict[str, int]]], owner: int, is_known: bool
    ) -> RecordElement:
        attributes = dict(element.items())
        names, lasting, hidden = _names_in(_attribute_names(attributes)) if attributes else _NO_NAMES
        hidden = hidden or (bool(attributes) and _is_hidden(attributes))
        ordinal, level, on_path = 0, OUTSIDE_LEVEL, False
        outer: tuple[RecordElement, ...] = ()
        if path:
            above, numbers = path[-1]
            ordinal = numbers[tag] = numbers.get(tag, -1) + 1
            level, hidden = above.level, hidden or above.hidden
            if not above.on_path:
                outer = (above, *above.outer[: _MAX_OUTER - 1])
        if is_known:
            level = self._levels.get(element, level)
            on_path = element in self._levels or (owner < 0 and element is self._root)
        part = RecordElement(
            attributes,
            tag,
            names,
            level,
            on_path,
            hidden,
            (tag, lasting or ordinal),
            () if on_path else outer,
            len(self.fragments),
        )
        if owner >= 0:
            self.elements[owner].append(part)
        return part

    def _read(self, element: Any, part: RecordElement, owner: int) -> None:
        text = element.text
        if text and not text.isspace():
            self._add(text, part, owner, "text")
        elif not _TEXT_ATTRIBUTES.isdisjoint(part.attributes) and any(map(part.attributes.get, _TEXT_ATTRIBUTES)):
            self._add("", part, owner, "attributes")
        if part.tag == "a" and len(element) and next(islice(element.iter(), 5, None), None) is None:
            whole = text_line(element)  # a name split over a few elements, "John <b>Smith</b>"
            if whole and whole != one_line(text):
                self._add(whole, part, owner, "whole")

    def _add(self, text: str, element: RecordElement, owner: int, kind: Hashable) -> None:
        if element.hidden:
            return
        text = one_line(text)
        if (not text and kind != "attributes") or len(text) > MAX_FRAGMENT_CHARS:
            return
        around = element.self_and_outer(_MAX_KEY_LEVELS)
        where = (owner >= 0 and len(self._starts) > owner, owner >= 0)
        key = (kind, tuple([inner.own for inner in around]), *where)
        loose = (kind, where, element.names, tuple([inner.tag for inner in around]))
        self.fragments.append(Fragment(text, element, key, loose, owner, len(self.fragments), 0))
        self._gaps.append(len(self._starts))
        self._leanings.append(-self._shared)

    def _settle(self) -> None:
        """Assign the fragments outside all records to the previous or the next body."""
        gaps: dict[Hashable, dict[int, int]] = defaultdict(dict)
        for fragment, gap, leaning in zip(self.fragments, self._gaps, self._leanings, strict=True):
            if fragment.post < 0:
                gaps[fragment.key][gap] = (leaning > 0) - (leaning < 0)
        # The majority of the keys that occur several times decides for those that are as close to both posts.
        evidence = sum(sum(found.values()) for found in gaps.values() if len(found) > 1)
        for fragment, gap in zip(self.fragments, self._gaps, strict=True):
            if fragment.post < 0:
                ahead = sum(gaps[fragment.key].values()) or (1 if evidence >= 0 else -1)
                fragment.post = gap if ahead > 0 else gap - 1
            if 0 <= fragment.post < self.count:
                fragment.distance = abs(fragment.order - self._starts[fragment.post])
            else:
                fragment.post = -1


def _is_hidden(attributes: dict[str, str]) -> bool:
    """Return whether attributes other than names hide an element."""
    if "hidden" in attributes:
        return True
    style = attributes.get("style", "")
    return bool(style) and "display:none" in style.replace(" ", "").lower()


def _attribute_names(attributes: dict[str, str]) -> str:
    own, classes = attributes.get("id"), attributes.get("class")
    return f"{own} {classes}" if own and classes else own or classes or ""


@remembered(1 << 12)
def _names_in(names: str) -> tuple[str, str, bool]:
    """Return the names of an element in lower case, the same without digits, and whether they hide the element."""
    names = names.lower()
    return names, _DIGITS.sub("", names), bool(names) and _HIDING.search(names) is not None


def votes_of(records: Records) -> list[int | None]:
    """Return the votes (score, points, likes) of each post, or None for a post that shows none."""
    votes: list[int | None] = [None] * records.count
    ranked = sorted(records.found(partial(_votes, records)), key=lambda posts: -_votes_score(posts, records.count))
    for posts in takewhile(lambda posts: _votes_score(posts, records.count) > 0, ranked):
        for post, found in posts.items():
            if votes[post] is None:
                votes[post] = min(found, key=lambda item: (item[0].element.level, item[0].distance))[1]
    return votes


def number_of(text: str) -> int | None:
    """Return the number that a whole text represents: "-3", "1,204", "1.2k"."""
    match = _INTEGER.fullmatch(text.strip())
    if not match:
        return None
    sign, digits, tenth, unit = match.groups()
    factor = {"k": 1000, "m": 1_000_000}.get(unit.lower(), 1)
    if tenth and factor == 1:
        return None
    number = int(re.sub(r"\D", "", digits)) * factor + int(tenth or 0) * factor // 10
    return -number if sign and sign != "+" else number


def accepted_of(records: Records) -> list[bool | None]:
    """Return whether each post is marked as the accepted answer; all are None if no post is marked."""
    marks = [*_marks(records)]
    times = Counter(mark for mark, _ in {*marks})  # by post
    marked = {post for mark, post in marks if times[mark] <= max(1, records.count // 3)}
    if records.count > 1 and not any(each.on_path and _IS_ANSWER.search(each.names) for each in records.elements[0]):
        marked.discard(0)  # the thread as a whole is solved, or the question shows which answer was accepted
    return [post in marked if marked else None for post in range(records.count)]


def _marks(records: Records) -> Iterator[tuple[str, int]]:
    """Yield the names and texts that may mark a post as accepted, each with its post."""
    for post, elements in enumerate(records.elements):
        for element in elements:
            yield from ((mark, post) for mark in _marks_of(element))
    for fragment in records.fragments:
        if fragment.post >= 0 and _is_mark(fragment.text) and _MARK_TEXT.match(fragment.text[:_MAX_MARK_CHARS]):
            yield fragment.text.lower(), fragment.post


def _marks_of(element: RecordElement) -> Iterator[str]:
    if element.hidden:
        return
    if element.names and element.level < _MAX_MARK_CHARS:
        yield from _marking_names(element.names)
    for attribute in _MARK_ATTRIBUTES.intersection(element.attributes):
        value = element.get(attribute)
        if value and len(value) <= _MAX_MARK_CHARS and _is_mark(value):
            yield value.lower()


@remembered(1 << 12)
def _marking_names(names: str) -> tuple[str, ...]:
    return tuple(filter(_is_mark, names.split()))


@remembered(1 << 12)
def _is_mark(text: str) -> bool:
    return _SAYS_ACCEPTED.is_in(text) and not _OFFER.search(text)


def _votes(records: Records, fragment: Fragment) -> tuple[int, float] | None:
    text = fragment.text
    if not any(map(str.isdecimal, text)) or _is_not_votes(fragment):
        return None
    if match := _COUNTED.search(text[:_MAX_MARK_CHARS]):
        number = number_of(match["number"])
        return None if number is None else (number, 0.5)
    number = number_of(text)
    if number is None:
        return None
    for step, element in enumerate(fragment.element.self_and_outer(3)):
        if _SAYS_VOTES.is_in(f"{element.names} {element.get('aria-label')} {element.get('title')}"):
            return number, 1 - 0.2 * step
    label = records.label(fragment)
    return (number, 0.6) if len(label) < 20 and _SAYS_VOTES.is_in(label) else None


def _is_not_votes(fragment: Fragment) -> bool:
    return any(_says_other(element.names) for element in fragment.element.self_and_outer(5))


def _votes_score(posts: dict[int, Found], count: int) -> float:
    found = [item for items in posts.values() for item in items]
    of_comments = any("comment" in element.names for element in found[0][0].element.self_and_outer(5))
    if of_comments and (len(found) > len(posts) or len(posts) < 0.6 * count):  # unless the comments are the posts
        return 0.0
    strength = sum(item[2] for item in found) / len(found) - 0.4 * of_comments
    return strength * len(posts) / count / (len(found) / len(posts))
