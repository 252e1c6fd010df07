"""Pairs as flat rows, read from either kind of item, and their conversion to dialogues and schema.org Questions."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import sha256
from html import escape
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter

from scrapy_semtext.text.folding import one_line
from scrapy_semtext.utils.address import host_of
from scrapy_semtext.utils.cells import typed_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scrapy_semtext.page import Page, QAPair

#: The columns of a row in file order, with the pyarrow types of their values.
COLUMN_TYPES = {
    **dict.fromkeys("question answer question_title question_body author date".split(), "string"),
    "votes": "int64",
    "accepted": "bool_",
    "source": "string",
    "score": "float64",
    "shown": "bool_",
    **dict.fromkeys(("question_author", "question_date"), "string"),
    "question_score": "float64",
    **dict.fromkeys(("answer_to", "depth", "position"), "int32"),
    **dict.fromkeys("url title page_date language licence id".split(), "string"),
}

COLUMNS = tuple(COLUMN_TYPES)

#: The columns that may be fields of an item for a pair (its id is derived from others), and those that are by default.
ITEM_COLUMNS = COLUMNS[:-1]
DEFAULT_COLUMNS = COLUMNS[: COLUMNS.index("page_date")]

# Names, in lower case, that several authors of a page may have, and "" for an unknown author.
_NAMES_OF_MANY = frozenset(["", "anonym", "anonymous", "deleted", "[deleted]", "gast", "guest", "unknown"])

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PairOfPage:
    """A pair with its page; ``position`` counts the page's pairs from 1, including those that were filtered out."""

    page: Page
    pair: QAPair
    position: int

    def row(self) -> Row:
        """Return the pair as plain values, one for each of ITEM_COLUMNS."""
        page, details = self.page, self.page.details
        of_page = {"url": page.url, "title": page.title, "page_date": page.published, "language": page.language}
        return {**asdict(self.pair), "position": self.position, **of_page, "licence": details and details.license}


def can_hold_pair(item: Any, fields: Mapping[str, str]) -> bool:
    """Return whether an item can be a single pair: a dict, or a type that has the fields of question and answer."""
    if not ItemAdapter.is_item(item):
        return False
    declared = ItemAdapter.get_field_names_from_class(type(item))
    return declared is None or all(fields.get(name) in declared for name in ("question", "answer"))


def rows_of(item: Any, page_fields: Mapping[str, str], pair_fields: Mapping[str, str]) -> Iterator[Row]:
    """Yield a row with all of COLUMNS for each pair in an item; values that the item lacks are None.

    An item may have a list of pairs in the field that ``page_fields`` maps "qa_pairs" to, or be one pair itself, with
    the fields of ``pair_fields``. Any other item yields no row.
    """
    if not ItemAdapter.is_item(item):
        return
    adapter = ItemAdapter(item)
    pairs, of_page = value_in(adapter, page_fields, "qa_pairs"), page_facts(adapter, page_fields)
    if isinstance(pairs, list | tuple):
        of_page |= {name: value_in(adapter, page_fields, name) for name in ("url", "title")}
        for position, pair in enumerate(filter(ItemAdapter.is_item, pairs), 1):
            yield _row({**of_page, "position": position, **ItemAdapter(pair).asdict()})
    elif value_in(adapter, pair_fields, "question") and value_in(adapter, pair_fields, "answer"):
        own = {name: value_in(adapter, pair_fields, name) for name in ITEM_COLUMNS}
        yield _row({**own, **{name: value for name, value in of_page.items() if own[name] is None}})


def value_in(adapter: ItemAdapter, fields: Mapping[str, str], name: str) -> Any:
    """Return the value of a result in an item, by its mapped field or its own name; None if there is none."""
    try:
        return adapter.get(fields.get(name, name))
    except AttributeError:  # a field of a dataclass or attrs class that has no default and was never set
        return None


def _row(values: Mapping[str, Any]) -> Row:
    row = {name: values.get(name) for name in COLUMNS}
    return {**row, "id": stable_id(*(str(row[name] or "") for name in ("url", "question", "answer")))}


def conversations(
    rows: Sequence[Row], *, dialogues: bool = False, keep_asker: bool = False
) -> Iterator[tuple[list[str], list[Row]]]:
    """Yield the turns of each conversation with their rows; user and assistant alternate, and the user begins.

    ``rows`` are the pairs of one page. Without ``dialogues``, each pair is a conversation, except answers by the asker,
    unless ``keep_asker`` is set. With it, a thread in which the asker replies, and is answered again, is one
    conversation. Other threads give one for each branch of replies, in which the user's turns are those of the asker
    and replies to the assistant. Last turns that nobody answers are dropped. No dialogue is a prefix of another.
    Replies to a pair that was filtered out are dropped with their replies.
    """
    by_asker = [not keep_asker and _is_by_asker(row) for row in rows]
    if not dialogues:
        pairs = zip(rows, by_asker, strict=True)
        yield from (([row["question"], row["answer"]], [row]) for row, is_by_asker in pairs if not is_by_asker)
    elif whole := _whole_thread(rows):
        yield whole
    else:
        yield from _branches(rows, by_asker)


def _is_by_asker(row: Row) -> bool:
    author, asker = (one_line(row[name]).casefold() for name in ("author", "question_author"))
    return author == asker and author not in _NAMES_OF_MANY


def _whole_thread(rows: Sequence[Row]) -> tuple[list[str], list[Row]] | None:
    """Return one dialogue of the asker and the others; None if the thread branches or the asker never replies.

    Consecutive posts of the same side are one turn. Answers with votes are ordered by votes, not by time.
    """
    question = rows[0]["question"] if rows else ""
    if any(row["answer_to"] or row["votes"] is not None or row["question"] != question for row in rows):
        return None
    turns = _turns([(True, question), *((_is_by_asker(row), row["answer"]) for row in rows)])
    turns = turns[: len(turns) // 2 * 2]
    used = rows[: sum(map(len, turns)) - 1]
    return (["\n\n".join(turn) for turn in turns], [*used]) if len(turns) > 2 else None


def _branches(rows: Sequence[Row], by_asker: Sequence[bool]) -> Iterator[tuple[list[str], list[Row]]]:
    """Yield a dialogue for each branch of replies; ``by_asker``: which rows are always the user's, (rows,)."""
    above = _above(rows)
    is_user: dict[int | None, bool] = {None: True}  # None: the question
    answered: dict[int | None, int | None] = {None: None}  # the last of the assistant's rows up to each row
    for place, parent in above.items():
        is_user[place] = by_asker[place] or not is_user[parent]
        answered[place] = answered[parent] if is_user[place] else place
    ends = [place for place in range(len(rows)) if not is_user.get(place, True)]
    go_on = {answered[above[end]] for end in ends}
    for end in ends:
        if end not in go_on:
            branch = [*_branch(end, above)][::-1]
            texts = [(True, rows[end]["question"]), *((is_user[place], rows[place]["answer"]) for place in branch)]
            yield ["\n\n".join(turn) for turn in _turns(texts)], [rows[place] for place in branch]


def _turns(posts: Sequence[tuple[bool, str]]) -> list[list[str]]:
    """Group texts into turns, given whether each is the user's."""
    return [[text for _, text in turn] for _, turn in groupby(posts, itemgetter(0))]


def chat_metadata(turns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
    """Return the source of a conversation, with values of fixed types.

    ``id`` is derived from the texts and their URL. The authors are those of the answers, the score is the lowest one.
    """
    url, authors = rows[0]["url"], dict.fromkeys(row["author"] for row in rows if row["author"])
    values = {
        "url": url,
        "id": stable_id(url, *turns),
        "date": rows[0]["date"] or rows[0]["page_date"],
        "author": ", ".join(authors),
        "licence": rows[0]["licence"],
        "score": min((row["score"] for row in rows if row["score"] is not None), default=None),
        "site": host_of(url),
    }
    return typed_row(values, {name: "float64" if name == "score" else "string" for name in values})


def stable_id(*parts: str | None) -> str:
    """Return an identifier for texts that is the same in every run."""
    return sha256("\0".join(part or "" for part in parts).encode("utf-8", "backslashreplace")).hexdigest()[:16]


def page_facts(adapter: ItemAdapter, fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the date, language and licence of an item's page; None for values that the item lacks."""
    details = value_in(adapter, fields, "details")
    licence = ItemAdapter(details).get("license") if ItemAdapter.is_item(details) else None
    date, language = (value_in(adapter, fields, name) for name in ("published", "language"))
    return {"page_date": date, "language": language, "licence": licence}


def _above(rows: Sequence[Mapping[str, Any]]) -> dict[int, int | None]:
    """Map each row's index to that of the row it replies to (None: the question), if the chain reaches the question.

    Parents come before replies.
    """
    depths = [row["depth"] or 1 for row in rows]  # items of spiders may have pairs without a depth
    places = {row["position"]: place for place, row in enumerate(rows)}
    above: dict[int, int | None] = {}
    for place in sorted(range(len(rows)), key=depths.__getitem__):
        answer_to = rows[place]["answer_to"]
        parent = None if answer_to is None else places.get(answer_to)
        if depths[place] == (1 if parent is None else depths[parent] + 1) and (parent is None or parent in above):
            above[place] = parent
    return above


def _branch(place: int | None, above: Mapping[int, int | None]) -> Iterator[int]:
    """Yield the index of a row and of those above it."""
    while place is not None:
        yield place
        place = above[place]


def question_of(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the rows of one question as a schema.org Question with its answers.

    The accepted answer, or the first if none is accepted, becomes the ``acceptedAnswer`` that an FAQPage requires; the
    others become suggested answers.
    """
    best = next((row for row in rows if row["accepted"]), rows[0])
    question = {"@type": "Question", "name": rows[0]["question_title"] or rows[0]["question"]}
    if rows[0]["question_title"] and rows[0]["question_body"]:
        question["text"] = _html(rows[0]["question_body"])
    question["acceptedAnswer"] = _answer(best)
    others = [_answer(row) for row in rows if row is not best]
    if others:
        question["suggestedAnswer"] = others
    return question


def _answer(row: Row) -> dict[str, Any]:
    author = {"@type": "Person", "name": row["author"]} if row["author"] else None
    answer = {
        "@type": "Answer",
        "text": _html(row["answer"]),
        "author": author,
        "dateCreated": row["date"],
        "upvoteCount": row["votes"],
        "url": row["url"],
    }
    return {name: value for name, value in answer.items() if value is not None}


def _html(text: str) -> str:
    """Return plain text as HTML, because readers of such markup interpret its texts as HTML."""
    return "<br>".join(escape(line, quote=False) for line in text.splitlines())
