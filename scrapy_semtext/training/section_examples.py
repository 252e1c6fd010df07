"""Pages with a known main text, made into lines with roles: titles by heading tags, which are then hidden.

The truth of the page sets says what of a page is main content; its heading tags say which of these lines are titles.
A model that saw the tags would learn nothing else, so that each page is given twice: as it is, and with its headings
disguised as the paragraphs, bold lines and <div> elements that pages without heading tags have for titles.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import etree

from scrapy_semtext.dom.combining import joined_blocks
from scrapy_semtext.dom.scope_tree import blocks_with_tree
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.sections.element_kinds import has_small_name
from scrapy_semtext.sections.line_features import line_features
from scrapy_semtext.sections.line_texts import is_prose
from scrapy_semtext.sections.lines import PageBlocks, lines_of
from scrapy_semtext.training.alignment import CONTENT_SHARE, aligned_shares
from scrapy_semtext.training.thread_parts import drop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.sections.lines import Line, Lines
    from scrapy_semtext.training.datasets import AnnotatedPage

#: Roles of lines; UNKNOWN where the tags do not determine it.
UNKNOWN, TITLE, PROSE, MISCELLANY = -1, 0, 1, 2

# Longer headings are teasers: whole paragraphs set in a heading tag.
_LONGEST_TITLE = 30
# Lines with at least this many words are prose, however they end.
_PROSE_WORDS = 12
# Pages that hold less of their true text would have wrong labels.
_LEAST_RECALL = 0.5
_ITEMS = frozenset(("li", "dd", "td", "pre", "blockquote"))
_CAPTIONS = frozenset(("figcaption", "caption"))
_NEITHER = frozenset(("dt", "th", "summary", "legend", "button"))


@dataclass(slots=True)
class SectionExample:
    """A page as it is, or with its headings disguised.

    ``rows``: (lines, FEATURES); ``relevant``: (lines,) bool, whether a line belongs to the main content; ``roles``:
    (lines,) of TITLE, PROSE, MISCELLANY and UNKNOWN.
    """

    id: str
    dataset: str
    disguised: bool
    rows: NDArray[np.float32]
    relevant: NDArray[np.bool_]
    roles: NDArray[np.int8]


def examples_of(page: AnnotatedPage, seed: int) -> list[SectionExample]:
    """Return a page as it is and disguised; [] if it holds too little of its true text."""
    shown = describe(page.html, page.url)
    lines = lines_of([shown])
    texts = [line.text for line in lines]
    shares = aligned_shares(texts, page.text)
    found = sum(share * _length(text) for share, text in zip(shares, texts, strict=True))
    if not lines or found < _LEAST_RECALL * _length(page.text):
        return []
    relevant = [share >= CONTENT_SHARE for share in shares]
    roles = roles_of(lines, relevant)
    result = [_example(page, shown.title, lines, relevant, roles, disguised=False)]
    if any(line.heading for line in lines):
        disguise(shown.root, random.Random(f"{seed}/{page.dataset}/{page.id}"))  # noqa: S311  no secret
        raw_blocks, raw_tree = blocks_with_tree(shown.root)
        lines = lines_of([PageBlocks(raw_blocks, raw_tree, *joined_blocks(raw_blocks, raw_tree))])
        places = _places(texts, [line.text for line in lines])
        still = [at is not None and relevant[at] for at in places]
        roles = [UNKNOWN if at is None else roles[at] for at in places]
        result.append(_example(page, shown.title, lines, still, roles, disguised=True))
    return result


def _example(
    page: AnnotatedPage,
    title: str,
    lines: Lines,
    relevant: Sequence[bool],
    roles: Sequence[int],
    *,
    disguised: bool,
) -> SectionExample:
    return SectionExample(
        id=page.id,
        dataset=page.dataset,
        disguised=disguised,
        rows=line_features(lines, [title]),
        relevant=np.array(relevant, dtype=np.bool_),
        roles=np.array(roles, dtype=np.int8),
    )


def _length(text: str) -> int:
    return len("".join(text.split()))


def roles_of(lines: Sequence[Line], relevant: Sequence[bool]) -> list[int]:
    """Return the roles of a page's relevant lines as its tags tell them; UNKNOWN for all other lines.

    Lines in heading tags are titles. Sentences, long lines, items of lists and cells are prose, and so are short lines
    between such lines. Short lines before the first of them and behind the last, captions, and lines whose class names
    say so (byline, date) are miscellany. A short bold line in front of prose may be a title without a tag: unknown.
    """
    running = [
        kept and not line.heading and (is_prose(line.text) or line.text.count(" ") + 1 >= _PROSE_WORDS)
        for line, kept in zip(lines, relevant, strict=True)
    ]
    first = running.index(True) if True in running else len(lines)
    last = len(lines) - 1 - running[::-1].index(True) if True in running else -1
    roles = []
    for index, (line, kept) in enumerate(zip(lines, relevant, strict=True)):
        if not kept:
            roles.append(UNKNOWN)
        elif line.heading:
            roles.append(TITLE if line.text.count(" ") < _LONGEST_TITLE else UNKNOWN)
        elif running[index] or line.scope.tag in _ITEMS:
            roles.append(PROSE)
        elif line.scope.tag in _CAPTIONS or has_small_name(line.scope.names):
            roles.append(MISCELLANY)
        elif line.scope.tag in _NEITHER or _may_be_title(lines, index):
            roles.append(UNKNOWN)
        else:
            roles.append(PROSE if first < index < last else MISCELLANY)
    return roles


def _may_be_title(lines: Sequence[Line], index: int) -> bool:
    line = lines[index]
    behind = lines[index + 1].text if index + 1 < len(lines) else ""
    return max(line.bold, line.underlined) > 0.8 and len(behind) > len(line.text)


def _places(before: Sequence[str], after: Sequence[str]) -> list[int | None]:
    """For each line of a disguised page, the index of the same line in the original."""
    if before == after:
        return list(range(len(before)))
    places: list[int | None] = [None] * len(after)
    for a, b, size in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks():
        places[b : b + size] = range(a, a + size)
    return places


def disguise(root: Any, rng: random.Random) -> None:
    """Replace the heading elements of a page by other markup of headings, the same for all headings of a level."""
    looks = {f"h{level}": _Look(rng) for level in range(1, 7)}
    for element in list(root.iter(*looks)):
        looks[element.tag].put_on(element)


class _Look:
    """The markup that replaces the headings of one level."""

    def __init__(self, rng: random.Random) -> None:
        self.kind = rng.choices(("bold", "plain", "styled", "run-in"), (10, 3, 3, 2))[0]
        self.tag = rng.choices(("p", "div", "li", "td"), (12, 6, 1, 0))[0]
        self.inner = rng.choice(("b", "strong", "strong", "u"))
        self.style = rng.choice(("font-weight:bold", "font-size:18px", "font-size:1.4em;font-weight:bold"))
        self.names = rng.choice((None, None, "", "", "title", "section-heading", "subtitle"))

    def put_on(self, element: Any) -> None:
        behind = element.getnext()
        if self.names is not None:  # otherwise it keeps its own
            for name in ("class", "id"):
                element.attrib.pop(name, None)
            if self.names:
                element.set("class", self.names)
        if self.kind == "run-in" and behind is not None and behind.tag == "p" and not len(element):
            _run_in(element, behind, self.inner)
            return
        element.tag = self.tag
        if self.kind in ("bold", "run-in"):
            _wrap(element, self.inner)
        elif self.kind == "styled":
            element.set("style", self.style)


def _wrap(element: Any, tag: str) -> None:
    """Wrap the content of an element in a child element."""
    inner = etree.Element(tag)
    inner.text, element.text = element.text, None
    inner.extend(list(element))
    element.append(inner)


def _run_in(element: Any, paragraph: Any, tag: str) -> None:
    """Make a heading without child elements the first line of the following paragraph."""
    line, end = etree.Element(tag), etree.Element("br")
    line.text, end.tail, paragraph.text = element.text, paragraph.text, None
    paragraph.insert(0, line)
    paragraph.insert(1, end)
    drop(element)
