"""Where the links of records lead: those of posts to their own page, those of the rows of a list to others.

The record of a post is the largest element around its body without another body, with the siblings beside it that are
in no other record: rows of a table with its author or its buttons. Addresses are compared by path and query; words and
numbers in them are no features, so that nothing depends on one program.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_semtext.tree.elements import text_line
from scrapy_semtext.utils.address import address_of, resolved, without_fragment
from scrapy_semtext.words.words import width_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.read.candidates import CandidateSets
    from scrapy_semtext.tree.nodes import PageNodes
    from scrapy_semtext.utils.arrays import Floats

#: The columns of `link_features`. The shares of records with a link to their own page, with one that has the number or
#: the last words of its address, with one to a part of a page, and with a long link elsewhere: a title. Of the titles,
#: the mean logarithm of the width, the shares that have different targets, different texts, and targets of one form,
#: and those that are the first link; their characters as a share of those of the posts.
LINK_FEATURES = (
    *("own", "same_number", "to_part", "titled"),
    *("title_width", "title_targets", "title_texts", "title_form", "title_first", "title_chars"),
)
_MOST_RECORDS, _BESIDE = 15, 3  # records of a set, and siblings on each side, whose links are read
_TITLE_WIDTH, _MAX_WIDTH, _READ = 12, 200, 400  # characters of a title as in Latin script, and of a text that are read
_NUMBER, _LONG_WORD = re.compile(r"\d{2,}"), 8
_VARYING = re.compile(r"[^/]*[\d_%-][^/]*|[^/.]{16,}")  # parts of a path that differ between pages of one form


class RecordLink(NamedTuple):
    """A link of a record: its text, its width in characters of Latin script, and where it leads.

    ``form``: the target without what differs between alike pages; ``is_own``: whether it is the page itself, or an
    action on it; ``has_number``: whether it has the page's number.
    """

    text: str
    width: int
    target: str
    form: str
    is_own: bool
    has_number: bool


class PageAddress:
    """The address of a page, to which those of its links are compared."""

    def __init__(self, url: str | None) -> None:
        parts = address_of(url)
        self._url = url if parts.is_known else None
        self._host, self._path = parts.host, parts.path.rstrip("/")
        # the longest number, or else the last name, tells the page from others
        numbers, name = _NUMBER.findall(f"{parts.path}?{parts.query}"), self._path.rpartition("/")[2]
        self._mark = max(numbers, key=len) if numbers else name if len(name) > _LONG_WORD else ""

    def link(self, text: str, href: str) -> RecordLink | None:
        """Describe a link; None if it does not lead to a web page."""
        if href.startswith("#"):
            return RecordLink(text, 0, href, "#", is_own=len(href) > 1, has_number=False)
        target = resolved(href, self._url or "http://page.invalid/")
        parts = address_of(target)
        if target is None or parts.scheme not in ("http", "https"):
            return None
        marks = [*_NUMBER.findall(f"{parts.path}?{parts.query}"), *parts.path.split("/")]
        has_number = self._mark != "" and self._mark in marks
        is_below = self._path != "" and parts.host == self._host and parts.path.startswith(self._path)
        keys = sorted(part.partition("=")[0] for part in parts.query.split("&"))
        form = f"{parts.host}{_VARYING.sub('*', parts.path)}?{'&'.join(keys)}"
        width = int(len(text) * width_of(text[:_READ])) if text else 0
        return RecordLink(text, width, target, form, has_number or (is_below and "#" in target), has_number)


def link_features(nodes: PageNodes, sets: CandidateSets, urls: Sequence[str | None]) -> Floats:
    """Return LINK_FEATURES of sets; (sets, features). ``urls``: that of the page of each set, if known."""
    rows = [
        _features(nodes, sets.nodes_of(number)[:_MOST_RECORDS], PageAddress(url)) for number, url in enumerate(urls)
    ]
    return np.array(rows).reshape(-1, len(LINK_FEATURES))


def _features(nodes: PageNodes, posts: Sequence[int], page: PageAddress) -> list[float]:
    records = [[*_links(elements, page)] for elements in records_of(nodes, posts)]
    titles, firsts = [], 0
    for links in records:
        others = [link for link in links if link.width >= _TITLE_WIDTH and not link.is_own]
        if others:
            titles.append(max(others, key=lambda link: link.width))
            firsts += titles[-1] is links[0]
    found = max(1, len(titles))
    forms = Counter(title.form for title in titles)
    chars = sum(len(text) * width_of(text[:_READ]) for text in map(nodes.text, posts))
    shares = [
        sum(any(link.is_own for link in links) for links in records),
        sum(any(link.has_number for link in links) for links in records),
        sum(any("#" in link.target for link in links) for links in records),
        len(titles),
    ]
    of_titles = [
        sum(np.log1p(min(title.width, _MAX_WIDTH)) for title in titles),
        len({without_fragment(title.target) for title in titles}),
        len({title.text for title in titles}),
        max(forms.values(), default=0),
        firsts,
    ]
    values = [*(share / len(posts) for share in shares), *(value / found for value in of_titles)]
    return [*values, sum(title.width for title in titles) / max(1.0, chars)]


def _links(elements: Sequence[Any], page: PageAddress) -> Iterator[RecordLink]:
    for element in elements:
        for anchor in element.iter("a"):
            if (href := anchor.get("href")) and (link := page.link(text_line(anchor), href.strip())):
                yield link


def records_of(nodes: PageNodes, posts: Sequence[int]) -> list[list[Any]]:
    """Return the elements of the record of each post (disjoint nodes in page order), in page order."""
    elements = [nodes.scopes[_largest_alone(nodes, posts, place)].element for place in range(len(posts))]
    known = {*elements}

    def beside(element: Any, *, preceding: bool) -> list[Any]:
        siblings = takewhile(lambda each: each not in known, element.itersiblings(preceding=preceding))
        return [*islice(siblings, _BESIDE)]

    return [[*beside(each, preceding=True)[::-1], each, *beside(each, preceding=False)] for each in elements]


def _largest_alone(nodes: PageNodes, posts: Sequence[int], place: int) -> int:
    """Return the outermost node around a post that holds no block of another; a single post itself."""
    node = posts[place]
    least = nodes.lasts[posts[place - 1]] if place else 0
    most = nodes.firsts[posts[place + 1]] if place + 1 < len(posts) else nodes.lasts[0]
    while len(posts) > 1 and nodes.firsts[above := nodes.parents[node]] >= least and nodes.lasts[above] <= most:
        node = above
    return node
