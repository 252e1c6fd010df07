"""The results for a page: small, picklable values without lxml, torch or Scrapy objects."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from types import NoneType
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from scrapy_semtext.details import Details  # noqa: TC001  `_built` resolves the annotations
from scrapy_semtext.results import OF_GROUPS, RESULTS

#: The label of a block.
BlockLabel = Literal["boilerplate", "main"]

#: The label of a segment of running text (the classes of STAPI, without the irrelevant text, which is excluded).
SegmentLabel = Literal["title", "prose", "miscellany"]

#: The content of a chunk: running text (which may include tables and code), or only a table or code.
ChunkKind = Literal["text", "table", "code"]


#: Writes values on a line: of long texts the beginning and the end, of lists the first element.
SHORT = reprlib.Repr()
SHORT.maxlevel, SHORT.maxlist, SHORT.maxtuple, SHORT.maxdict, SHORT.maxstring, SHORT.maxother = 3, 1, 1, 50, 80, 80


def _repr(self: Any) -> str:
    """Return a line with the fields that differ from their default; texts and lists are cut."""
    values = [(each.name, getattr(self, each.name), each.default) for each in fields(self)]
    shown = [f"{name}={SHORT.repr(value)}" for name, value, default in values if value not in (default, [], {})]
    return f"{type(self).__name__}({', '.join(shown)})"


@dataclass(slots=True)  # a frozen one takes four times as long to make
class Block:
    """A labeled text block of a page.

    ``probability`` is that of main content (0 to 1), whatever the label. ``tag`` is the element around the block,
    ``classes`` the class and id names of that element, as written in the page.
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

    ``question`` is title and body joined by a newline if both exist. ``score`` is the confidence in the pair (0 to 1),
    ``question_score`` the probability that ``question_body`` is the opening post of the thread or, if it is None, that
    the page has nothing of the question except the title. ``author``, ``date``,
    ``votes`` and ``accepted`` belong to the answer, ``question_author`` and ``question_date`` to the question's body;
    all are None if the page does not state them. Dates are as stated by attributes, otherwise ISO 8601 if the displayed
    text can be parsed, otherwise that text.

    ``answer_to`` is the position among the page's pairs, counted from 1, of the pair whose answer this one replies to.
    It is None, and ``depth`` is 1, for an answer to the question itself. ``source`` says whether the pair comes from
    schema.org markup, from a model, or from posts selected by the rule of a site; ``shown`` is false for a pair in the
    markup that the page does not display.
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
        """Return the answer with the question of another pair."""
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
    """A reader's comment on a page that is not a thread.

    ``author`` and ``date`` are None if the page does not state them. ``parent`` is the index in ``page.comments`` of
    the comment that this one answers, None if it answers none or the structure of the page does not show it.
    """

    text: str
    author: str | None = None
    date: str | None = None
    parent: int | None = None

    __repr__ = _repr


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a mailing list, a newsgroup or a board that has a page of its own.

    ``subject`` is as stated, ``text`` without signature and what the list adds. ``date`` is in ISO 8601, ``sent`` the
    same in UTC if the page states the time zone. ``ids`` are the identifiers of the message, ``parents`` the URLs and
    identifiers of messages that it answers, the nearest last, and ``replies`` the URLs of its answers, as far as the
    page states them.
    """

    subject: str
    text: str
    author: str | None = None
    date: str | None = None
    sent: str = ""
    ids: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)

    __repr__ = _repr


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the main content under one title, with its subsections.

    ``title`` is None for text before the first title. ``level`` is 1 at the top; if titles are heading tags (h1 to h6)
    it is their number. ``text`` is the text before the first of ``sections``.
    """

    title: str | None
    text: str
    level: int = 1
    sections: list[Section] = field(default_factory=list)

    __repr__ = _repr


@dataclass(frozen=True, slots=True)
class Record:
    """An item of the main list of a page that lists others: an article of an archive, a product, a thread of a forum.

    ``url`` is the absolute URL that the title links to. ``text`` is what the page displays for the item besides its
    title, one line per block. ``date`` and ``author`` are as for posts, ``image`` is an absolute URL; each is None if
    the page does not state it. ``numbers`` are counts by the word next to them, in lower case, and the price as
    displayed: ``{"replies": 12, "price": "$9.99"}``.
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
    """A part of the page's text with its role, in page order."""

    text: str
    label: SegmentLabel

    __repr__ = _repr


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a page's main text for retrieval: ``main_text[start:end]``, which is ``text``.

    ``headings`` are the titles from that of the page down to that of the chunk's section. ``url`` is the URL of the
    page, with the fragment of that section if the page has one. ``position`` counts the chunks of the page from 0.
    ``size`` is in words, or in tokens of the given tokenizer. ``oversize`` is true for a table, a block of code or a
    word that exceeds the maximum size, because these are not split.
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
    """The results for one HTML page: its main content, and all blocks that it was selected from.

    ``comments`` are readers' comments on a page that is not a thread; they are not part of ``main_text`` unless the
    option ``join_comments`` is on.

    ``page_kind`` is one of article, collection, documentation, forum, listing, product and service, with its
    probability; ``is_overview`` says whether the page only lists others (a listing or a collection, including front
    pages and search results), with the probability of that, in which products and services have a weight of one third.
    All four are None on a page without text.

    ``records`` are the items of the main list of an overview, and ``next_page`` is the URL of the following page of
    that list; both are empty unless requested.

    The metadata (from ``author`` on) are None if not requested; ``metadata_sources`` gives the source of each known
    part. ``published`` is a date as YYYY-MM-DD. ``markdown`` is the title and the main text with its structure,
    ``main_html`` the main text as simplified HTML with its images; both are None if not requested, and so is
    ``details``. ``chunks`` are empty unless requested.

    ``rule`` is the name of the site's rule that was applied, if any, and ``unmatched`` are its selectors that found
    nothing on the page, each with its key, as in ``drop: aside``. ``note`` says that the source is not a page but, for
    example, a PDF; or that it was not decoded with its declared encoding, and how many characters could not be decoded.
    ``message`` is the message that the page shows, if it is that of one message, whose title, author, date and main
    text are then those of the page. None of the four is part of `to_dict`.
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
    message: Message | None = None
    main_html: str | None = None
    details: Details | None = None

    def __repr__(self) -> str:
        """Return a line without the texts; words are counted by the spaces between them."""
        known = {"url": self.url, "title": self.title, "page_kind": self.page_kind}
        named = ", ".join(f"{name}={SHORT.repr(value)}" for name, value in known.items())
        counts = (len(self.main_text.split()), len(self.blocks), len(self.qa_pairs))
        return f"<Page {named}: {', '.join(map(_count, counts, ('word', 'block', 'pair')))}>"

    def to_dict(self, **asked: bool) -> dict[str, Any]:
        """Return the page as plain values for JSON.

        Blocks, segments, comments, records (with the next page) and chunks are only included if requested, as in
        ``blocks=True``; metadata (from ``author`` on), markdown, main_html and details also if they were extracted,
        unless they are set to False. Raises TypeError for other names.
        """
        if unknown := asked.keys() - OF_GROUPS.keys():
            raise TypeError(f"pages have no {', '.join(sorted(unknown))} to write; they have {', '.join(OF_GROUPS)}")
        groups = (names for group, names in OF_GROUPS.items() if asked.get(group, self._is_written(names)))
        return self.values(name for names in groups for name in names)

    def to_json(self, indent: int | None = None) -> str:
        """Return all results, and the message, as JSON, from which `of_json` makes the same page."""
        message = {} if self.message is None else {"message": asdict(self.message)}
        return json.dumps(self.values(RESULTS) | message, ensure_ascii=False, indent=indent)

    @classmethod
    def of_json(cls, text: str | bytes) -> Page:
        """Return the page that `to_json` wrote."""
        return cast("Page", _built(cls, json.loads(text)))

    def values(self, names: Iterable[str]) -> dict[str, Any]:
        """Return results by name as plain values for JSON; lists and dicts are new at each call."""
        row = {name: _plain(getattr(self, name)) for name in names}
        for block in row.get("blocks", ()):
            block["probability"] = round(block["probability"], 4)
        return {name: round(value, 4) if isinstance(value, float) else value for name, value in row.items()}

    def _is_written(self, group: Sequence[str]) -> bool:
        """Return whether a row has a group of results by default."""
        written = RESULTS[group[0]].written
        return written == "always" or (written == "read" and any(getattr(self, name) is not None for name in group))


def _plain(value: Any) -> Any:
    """Return a value with dataclasses converted to dicts; lists and dicts are copied."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    return value


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def renumbered(pairs: Sequence[QAPair], positions: Mapping[int, int]) -> list[QAPair]:
    """Return the kept pairs in their new order, with ``answer_to`` adjusted to the new positions.

    ``positions`` maps the index of each kept pair, from 0, to its new position, from 1; pairs are returned in the order
    of the mapping. If the answer that a pair replies to is not kept, ``answer_to`` becomes the position of the nearest
    kept answer above it, or None. Time is linear in the pairs.
    """
    nearest: dict[int, int | None] = {**positions}
    kept = []
    for index in positions:
        pair, answer_to = pairs[index], _position_above(pairs, index, nearest)
        kept.append(pair if pair.answer_to == answer_to else replace(pair, answer_to=answer_to))
    return kept


def _position_above(pairs: Sequence[QAPair], index: int, nearest: dict[int, int | None]) -> int | None:
    """Return the new position of the nearest kept answer above a pair; None for the question.

    ``nearest`` maps kept pairs to their position; pairs not kept are added with the position of the nearest answer
    above.
    """
    passed = []
    above = _index_above(pairs, index)
    while above is not None and above not in nearest:
        nearest[above] = None  # until it is known; this also ends cycles of pairs that answer each other
        passed.append(above)
        above = _index_above(pairs, above)
    position = None if above is None else nearest[above]
    nearest.update(dict.fromkeys(passed, position))
    return position


def _index_above(pairs: Sequence[QAPair], index: int) -> int | None:
    answer_to = pairs[index].answer_to
    return answer_to - 1 if answer_to is not None and 1 <= answer_to <= len(pairs) else None


def _built(kind: Any, value: Any) -> Any:
    """Convert a JSON value to a type: dataclasses, and lists of them, at any depth; keys may be missing."""
    (kind,) = [each for each in get_args(kind) if each is not NoneType] if NoneType in get_args(kind) else [kind]
    if get_origin(kind) is list:
        return [_built(get_args(kind)[0], each) for each in value]
    if value is not None and is_dataclass(kind):
        kinds, make = get_type_hints(kind), cast("Callable[..., Any]", kind)
        return make(**{name: _built(kinds[name], each) for name, each in value.items()})
    return value
