"""What a page becomes: small, picklable values without lxml, torch or Scrapy in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Literal

from scrapy_semtext.details import Details  # noqa: TC001  serialization resolves the annotations
from scrapy_semtext.results import OF_GROUPS, RESULTS

_DEEPEST = 3  # levels of lists and dicts that are shown


def shortened(value: Any, length: int = 60, level: int = 0) -> str:
    """Return the repr of a value with long strings cut after ``length`` characters, and of a list the first element.

    What is left out is counted, as in ``'It was a dark'... (7,310 characters)`` and ``[{'text': 'Yes'}, ... 8 more]``.
    """
    if isinstance(value, str | bytes):
        left_out = f"... ({len(value):,} {'characters' if isinstance(value, str) else 'bytes'})"
        return repr(value) if len(value) <= length else f"{value[:length]!r}{left_out}"
    if isinstance(value, list | tuple | dict) and level >= _DEEPEST:
        return f"<{type(value).__name__} of {len(value):,}>"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {shortened(each, length, level + 1)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        shown = [shortened(each, length, level + 1) for each in value[:1]]
        return f"[{', '.join(shown + [f'... {len(value) - 1:,} more'] * (len(value) > 1))}]"
    text = repr(value)
    return text if len(text) <= length else f"{text[:length]}..."


#: What a block is labeled as.
BlockLabel = Literal["boilerplate", "main"]

#: What a piece of running text is labeled as (the classes of STAPI, without the irrelevant text it leaves out).
SegmentLabel = Literal["title", "prose", "miscellany"]

#: What a chunk holds: running text, with tables and code in it perhaps, or a table or code only.
ChunkKind = Literal["text", "table", "code"]


def _repr(self: Any) -> str:
    """One line with the fields that are not at their default; texts and lists are cut."""
    values = [(each.name, getattr(self, each.name), each.default) for each in fields(self)]
    shown = [f"{name}={shortened(value)}" for name, value, default in values if value not in (default, [], {})]
    return f"{type(self).__name__}({', '.join(shown)})"


@dataclass(slots=True)  # a frozen one takes four times as long to make
class Block:
    """A text block of a page, labeled.

    ``probability`` is that of the block being main content (0 to 1), whatever its label. ``tag`` is the element that
    holds the block, ``classes`` the class and id names of that element, as written in the page.
    """

    text: str
    label: BlockLabel
    probability: float
    tag: str = ""
    classes: str = ""

    __repr__ = _repr

    @property
    def is_main(self) -> bool:
        """Whether the block was labeled as main content."""
        return self.label == "main"


@dataclass(frozen=True, slots=True)
class QAPair:
    """A question of a page with one of its answers.

    ``question`` is title and body joined by a newline where both exist. A body that is doubtful is not part of it.
    ``score`` is the confidence in the pair (0 to 1), ``question_score`` the probability that ``question_body`` is the
    opening post of the thread or, where it is None, that the title is all there is of the question on the page.
    ``author``, ``date``, ``votes`` and ``accepted`` belong to the answer, ``question_author`` and ``question_date`` to
    the question's body; all are None where the page is silent. Dates are as attributes state them, else ISO 8601 where
    the text shown can be read, else that text.

    ``answer_to`` is the position among the page's pairs, counted from 1, of the one whose answer this one replies to.
    It is None, and ``depth`` is 1, for an answer to the question itself. ``source`` says whether schema.org markup
    states the pair, a model read it from the page, or the rule of a site named its posts; ``shown`` is false for a pair
    of the markup that the page does not show.
    """

    question: str
    answer: str
    question_title: str | None = None
    question_body: str | None = None
    author: str | None = None
    date: str | None = None
    votes: int | None = None
    accepted: bool | None = None
    source: Literal["markup", "model", "rule"] = "model"
    score: float = 1.0
    shown: bool = True
    question_author: str | None = None
    question_date: str | None = None
    question_score: float = 1.0
    answer_to: int | None = None
    depth: int = 1

    __repr__ = _repr

    def asked_as(self, other: QAPair) -> QAPair:
        """Return the answer as one to the question of another pair."""
        return replace(
            self,
            question=other.question,
            question_title=other.question_title,
            question_body=other.question_body,
            question_author=other.question_author,
            question_date=other.question_date,
            question_score=other.question_score,
        )


@dataclass(frozen=True, slots=True)
class Comment:
    """A reader's comment on a page that is no thread.

    ``author`` and ``date`` are None where the page is silent. ``parent`` is the place in ``page.comments`` of the
    comment that this one answers, None if it answers none or the structure of the page does not show which.
    """

    text: str
    author: str | None = None
    date: str | None = None
    parent: int | None = None

    __repr__ = _repr


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of the main content under one title, with the sections inside it.

    ``title`` is None before the first. ``level`` is 1 at the top; where titles are heading tags (h1 to h6) it is their
    number. ``text`` is what stands before the first of ``sections``.
    """

    title: str | None
    text: str
    level: int = 1
    sections: list[Section] = field(default_factory=list)

    __repr__ = _repr


@dataclass(frozen=True, slots=True)
class Record:
    """An item of the main list of a page that lists others: an article of an archive, a product, a thread of a forum.

    ``url`` is the absolute URL that the title leads to. ``text`` is what the page shows of the item besides its
    title, a line for each block of text. ``date`` and ``author`` are as for posts, ``image`` is an absolute URL;
    each is None where the page is silent. ``numbers`` are counts by the word beside them, in lower case, and the price
    as it is shown: ``{"replies": 12, "price": "$9.99"}``.
    """

    title: str
    url: str
    text: str = ""
    date: str | None = None
    author: str | None = None
    image: str | None = None
    numbers: dict[str, int | float | str] = field(default_factory=dict)

    __repr__ = _repr


@dataclass(slots=True)  # a frozen one takes four times as long to make
class Segment:
    """A piece of the page's text with its role, in page order."""

    text: str
    label: SegmentLabel

    __repr__ = _repr


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a page's main text for retrieval: ``main_text[start:end]``, which is ``text``.

    ``headings`` are the titles from that of the page down to that of the section it is from. ``url`` is the URL of
    the page, with the fragment of that section if the page has one. ``position`` counts the chunks of the page from 0.
    ``size`` is in words, or in tokens of the tokenizer that was given. ``oversize`` is true for a table, a block of
    code or a word that is larger than chunks should be, since they are not cut.
    """

    text: str
    headings: list[str]
    url: str | None
    position: int
    start: int
    end: int
    size: int
    kind: ChunkKind = "text"
    oversize: bool = False


@dataclass(slots=True)
class Page:
    """The reading of one HTML page: its main content, and every block it was chosen from.

    ``comments`` are those of readers on a page that is no thread; they are not part of ``main_text`` unless the option
    ``join_comments`` is on.

    ``page_kind`` is one of article, collection, documentation, forum, listing, product and service, with its
    probability; ``is_overview`` says whether the page only lists others (a listing or a collection, front pages and
    search results among them), with the probability of that, in which products and services count a third. All four are
    None on a page without text.

    ``records`` are the items of the main list of an overview, and ``next_page`` is the address of the following page of
    that list; both are empty unless they were asked for.

    What the page says of itself (from ``author`` on) is None where it was not asked for; ``metadata_sources`` says
    where each part that is known comes from. ``published`` is a date as YYYY-MM-DD. ``markdown`` is the title and the
    main text with its structure, ``main_html`` the main text as simplified HTML with its images; both are None where
    they were not asked for, and so are ``details``. ``chunks`` are empty unless they were asked for.

    ``rule`` is the name of the site's rule that was applied, if any, and ``unmatched`` are those of its selectors that
    found nothing on the page, each with its key, as in ``drop: aside``. ``note`` says that the source is no page but,
    for instance, a PDF; or that it was not read in the encoding that it declares, and how many characters could not be
    decoded. None of the three is part of `to_dict`.
    """

    url: str | None = None
    title: str | None = None
    main_text: str = ""
    blocks: list[Block] = field(default_factory=list)
    qa_pairs: list[QAPair] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    next_page: str | None = None
    sections: list[Section] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    page_kind: str | None = None
    page_kind_probability: float | None = None
    is_overview: bool | None = None
    overview_probability: float | None = None
    author: str | None = None
    published: str | None = None
    language: str | None = None
    site_name: str | None = None
    description: str | None = None
    metadata_sources: dict[str, str] | None = None
    markdown: str | None = None
    chunks: list[Chunk] = field(default_factory=list)
    rule: str | None = None
    unmatched: list[str] = field(default_factory=list)
    note: str | None = None
    main_html: str | None = None
    details: Details | None = None

    def __repr__(self) -> str:
        """One line without the texts; words are counted by the spaces between them."""
        known = {"url": self.url, "title": self.title, "page_kind": self.page_kind}
        named = ", ".join(f"{name}={shortened(value, 80)}" for name, value in known.items())
        counts = (len(self.main_text.split()), len(self.blocks), len(self.qa_pairs))
        return f"<Page {named}: {', '.join(map(_count, counts, ('word', 'block', 'pair')))}>"

    def to_dict(self, **asked: bool) -> dict[str, Any]:
        """Return the page as plain values for JSON.

        Blocks, segments, comments, records (with the next page) and chunks only if asked for, as in ``blocks=True``;
        metadata (from ``author`` on), markdown, main_html and details also if they were read, unless they are False.
        Raises TypeError for other names.
        """
        if unknown := asked.keys() - OF_GROUPS.keys():
            raise TypeError(f"pages have no {', '.join(sorted(unknown))} to write; they have {', '.join(OF_GROUPS)}")
        groups = (names for group, names in OF_GROUPS.items() if asked.get(group, self._is_written(names)))
        return self.values(name for names in groups for name in names)

    def values(self, names: Iterable[str]) -> dict[str, Any]:
        """Return results by name as plain values for JSON; lists and dicts are new at each call."""
        row = {name: _plain(getattr(self, name)) for name in names}
        for block in row.get("blocks", ()):
            block["probability"] = round(block["probability"], 4)
        return {name: round(value, 4) if isinstance(value, float) else value for name, value in row.items()}

    def _is_written(self, group: Sequence[str]) -> bool:
        """Whether a row has a group of results without being asked for it."""
        written = RESULTS[group[0]].written
        return written == "always" or (written == "read" and any(getattr(self, name) is not None for name in group))


def _plain(value: Any) -> Any:
    """A value without dataclasses in it; lists and dicts are copied."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    return value


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
