"""Question-answer pairs as flat rows, their filters, and their conversion to dialogues.

Pairs are dropped by score, votes, acceptance, depth, length, language and repeated answers, and if an earlier pair was
nearly identical, which MinHash with locality-sensitive hashing (datasketch) finds in bounded memory.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import OrderedDict
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from itemadapter import ItemAdapter

from scrapy_semtext.utils.address import host_of
from scrapy_semtext.utils.cells import typed_row
from scrapy_semtext.utils.extras import load_extra
from scrapy_semtext.utils.replacing import replacing_file
from scrapy_semtext.words.characters import letters_of, one_line
from scrapy_semtext.words.words import identifier, language_of_text, primary_language

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.page import Page, QAPair


#: The number of characters of the answer, and of the question, that are read: more take time but change nothing.
_MAX_LANGUAGE_CHARS = 1000
#: The identifier's code for text that is in no language.
_NO_LANGUAGE = "zxx"

if TYPE_CHECKING:
    Signature = NDArray[np.uint32]

#: Characters per shingle. Shingles are made of characters because Chinese and Japanese put no spaces between words.
_SHINGLE_CHARS = 4
#: Number of hash values for the question, and for the answer. The estimated similarity has an error of about 0.04.
_HASH_VALUES = 64
#: The number of characters of a text that are compared; the time of a comparison is proportional to it.
_MAX_DEDUP_CHARS = 20_000
#: Shorter answers, such as "Thanks!", may occur under any number of questions.
_MIN_REPEATED_CHARS = 40

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_]+[^\W_]+)*")
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


def language_of(pair: QAPair) -> str | None:
    """Return the ISO 639 code of a pair's language, or None if there is too little text to detect it.

    Raises MissingExtraError without py3langid.
    """
    return language_of_text(f"{pair.question[:_MAX_LANGUAGE_CHARS]}\n{pair.answer[:_MAX_LANGUAGE_CHARS]}")


def check_languages(codes: Sequence[str]) -> None:
    """Raise ValueError for a language code that cannot be detected, and MissingExtraError without py3langid."""
    known = {*identifier().labels} - {_NO_LANGUAGE} if codes else set()
    for code in codes:
        if code not in known:
            similar = get_close_matches(code, sorted(known), 1)
            hint = f"did you mean {similar[0]!r}? " if similar else ""
            raise ValueError(f"the language {code!r} cannot be detected; {hint}these can: {', '.join(sorted(known))}")


class PairMemory:
    """Remembers pairs and detects near-identical ones.

    Two pairs are near-identical if both their questions and their answers are: a share of at least ``threshold`` of all
    four-character shingles of the two texts occurs in both (estimated Jaccard similarity). Case, punctuation and white
    space are ignored. At most ``size`` pairs are remembered; the pair that has not been met for the longest time is
    forgotten first. The same pairs in the same order always give the same results.

    Raises MissingExtraError without datasketch, ValueError for a threshold outside (0, 1] or a size below 1.
    """

    def __init__(self, threshold: float, size: int) -> None:
        if not 0 < threshold <= 1:
            raise ValueError(f"the threshold is {threshold!r}; it has to be above 0 and at most 1")
        if size < 1:
            raise ValueError(f"the size is {size!r}; it has to be at least 1")
        self._datasketch = load_extra("datasketch", "dedup")
        self._empty = self._datasketch.MinHash(num_perm=_HASH_VALUES, seed=1, hashfunc=crc32)
        self._threshold = threshold
        self._size = size
        # A signature has the hash values of question and answer, thus twice as many. The index only proposes
        # candidates: it must miss few of them. It cannot be built for thresholds closer to 1.
        self._index = self._datasketch.MinHashLSH(
            threshold=min(threshold, 0.95), num_perm=2 * _HASH_VALUES, weights=(0.2, 0.8)
        )
        self._signatures: OrderedDict[int, Signature] = OrderedDict()  # the pair met last is at the end
        self._next = 0

    def __len__(self) -> int:
        return len(self._signatures)

    def is_new(self, pair: QAPair) -> bool:
        """Return whether no near-identical pair is remembered; if so, remember this one."""
        signature = self._signature(pair)
        known = self._find(signature)
        if known is not None:
            self._signatures.move_to_end(known)
            return False
        self._remember(signature)
        return True

    def save(self, path: str | Path) -> None:
        """Write the remembered pairs to a file, which is replaced as a whole. Raises OSError."""
        path = Path(path)
        rows = np.array(list(self._signatures.values()), np.uint32).reshape(-1, 2 * _HASH_VALUES)
        with replacing_file(path) as file:
            np.save(file, rows, allow_pickle=False)

    def load(self, path: str | Path) -> None:
        """Load the pairs from a saved file; raise ValueError or OSError if the file cannot be used."""
        with Path(path).open("rb") as file:
            rows = np.lib.format.read_array(file, allow_pickle=False)
        if rows.ndim != 2 or rows.shape[1] != 2 * _HASH_VALUES or rows.dtype != np.uint32:
            raise ValueError(f"{path} holds no signatures of pairs")
        for row in rows[-self._size :]:
            self._remember(row)

    def _find(self, signature: Signature) -> int | None:
        """Return the key of the oldest remembered pair that is near-identical, or None if there is none."""
        for key in sorted(self._index.query(self._hashed(signature))):
            is_equal = self._signatures[key] == signature
            # A signature alternates the hash values of question and answer.
            if min(is_equal[::2].mean(), is_equal[1::2].mean()) >= self._threshold:
                return int(key)
        return None

    def _remember(self, signature: Signature) -> None:
        """Remember a pair, and forget the oldest ones if there are too many."""
        while len(self._signatures) >= self._size:
            key, _ = self._signatures.popitem(last=False)
            self._index.remove(key)
        self._signatures[self._next] = signature
        self._index.insert(self._next, self._hashed(signature), check_duplication=False)
        self._next += 1

    def _hashed(self, signature: Signature) -> Any:
        """Return a signature in the form that the index of datasketch takes."""
        return self._datasketch.LeanMinHash(seed=1, hashvalues=signature, scheme="affine32")

    def _signature(self, pair: QAPair) -> Signature:
        """Return the hash values of question and answer, alternating so that each band of the index covers both."""
        signature = np.empty(2 * _HASH_VALUES, np.uint32)
        signature[::2] = self._hashes(pair.question)
        signature[1::2] = self._hashes(pair.answer)
        return signature

    def _hashes(self, text: str) -> Signature:
        """Return the MinHash values of the shingles of a text, (_HASH_VALUES,)."""
        sketch = self._empty.copy()
        sketch.update_batch([shingle.encode(errors="surrogatepass") for shingle in shingles(text)])
        values: Signature = sketch.hashvalues
        return values


def shingles(text: str) -> set[str]:
    """Return all shingles (four letters or digits each) of a case-folded text; a short text is a single shingle."""
    letters = "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text[:_MAX_DEDUP_CHARS]).casefold()))
    return {letters[start : start + _SHINGLE_CHARS] for start in range(max(1, len(letters) - _SHINGLE_CHARS + 1))}


@dataclass(frozen=True, slots=True)
class PairRules:
    """The conditions for keeping a pair; by default, only answers under more than three questions are dropped.

    Lengths are in characters. A pair is kept if the page gives no value for a condition: it passes ``min_votes`` if the
    page shows no votes, and ``languages`` if its text is too short for detection. Only ``accepted_only`` requires that
    an answer is marked as accepted. ``languages`` are ISO 639 codes, of which only the first part is compared ("pt" of
    "pt-BR"). ``max_depth`` is 1 for answers to the question itself, 2 to also keep replies to these, and so on.
    ``max_questions`` is the maximum number of questions of a host that the same answer may occur under
    (`AnswerMemory`); 0 means no limit, for pages that are read with templates, which know what pages share.
    """

    min_score: float = 0.0
    min_votes: int | None = None
    accepted_only: bool = False
    min_question: int = 0
    max_question: int | None = None
    min_answer: int = 0
    max_answer: int | None = None
    languages: tuple[str, ...] = ()
    max_depth: int | None = None
    max_questions: int = 3

    def __post_init__(self) -> None:
        """Raise ValueError, with a readable message, for invalid values."""
        is_number = isinstance(self.min_score, int | float) and not isinstance(self.min_score, bool)
        _require("min_score", self.min_score, "a number from 0 to 1", is_number and 0 <= self.min_score <= 1)
        _require(
            "min_votes", self.min_votes, "a whole number or None", self.min_votes is None or _is_whole(self.min_votes)
        )
        _require("accepted_only", self.accepted_only, "True or False", isinstance(self.accepted_only, bool))
        fits = self.max_depth is None or _is_whole(self.max_depth, 1)
        _require("max_depth", self.max_depth, "a whole number of at least 1 or None", fits)
        _require("max_questions", self.max_questions, "a whole number of at least 0", _is_whole(self.max_questions, 0))
        for text in ("question", "answer"):
            minimum, maximum = getattr(self, f"min_{text}"), getattr(self, f"max_{text}")
            _require(f"min_{text}", minimum, "a whole number of at least 0", _is_whole(minimum, 0))
            fits = maximum is None or _is_whole(maximum, minimum)
            _require(f"max_{text}", maximum, f"None or a whole number of at least {minimum}", fits)
        object.__setattr__(self, "languages", tuple(_languages(self.languages)))

    def reason_to_drop(self, pair: QAPair) -> str | None:
        """Return why a pair is dropped, as in the stats ``semtext/pairs/dropped/<reason>``; ignores languages."""
        if pair.score < self.min_score:
            return "score"
        if self.min_votes is not None and pair.votes is not None and pair.votes < self.min_votes:
            return "votes"
        if self.accepted_only and not pair.accepted:
            return "not_accepted"
        if self.max_depth is not None and pair.depth > self.max_depth:
            return "depth"
        return _reason_of_length("question", len(pair.question), self.min_question, self.max_question) or (
            _reason_of_length("answer", len(pair.answer), self.min_answer, self.max_answer)
        )


class AnswerMemory:
    """Remembers the questions of each host that an answer occurs under, to detect footers, sign-in hints and the like.

    Answers of fewer than 40 characters and pages without a URL are not counted; case and punctuation are ignored. At
    most ``size`` answers are remembered, at about 300 bytes each; the answer met longest ago is forgotten first.
    """

    def __init__(self, size: int = 50_000) -> None:
        self._size = size
        self._questions: OrderedDict[int, tuple[int, ...]] = OrderedDict()  # hashes

    def is_repeated(self, url: str | None, pair: QAPair, max_questions: int) -> bool:
        """Return whether the answer occurred under ``max_questions`` other questions of the host before."""
        host = host_of(url) if url and len(pair.answer) >= _MIN_REPEATED_CHARS else ""
        if not host:
            return False
        answer, question = hash((host, letters_of(pair.answer))), hash(letters_of(pair.question_title or pair.question))
        questions = self._questions.pop(answer, ())
        if question not in questions and len(questions) < max_questions:
            questions = (*questions, question)
        self._questions[answer] = questions
        if len(self._questions) > self._size:
            self._questions.popitem(last=False)
        return question not in questions[:max_questions]


def reason_to_drop(
    pair: QAPair,
    rules: PairRules,
    is_new: Callable[[QAPair], bool] | None,
    is_repeated: Callable[[QAPair, int], bool],
    in_no_language: Callable[[], None] = lambda: None,
) -> str | None:
    """Return why a pair is dropped, as in the stats, or None; ``is_new`` detects duplicates (None keeps them).

    ``is_repeated`` detects answers that occur under more than the given number of questions. The cheapest check comes
    first, and pairs dropped for another reason are not remembered. ``in_no_language`` is called for a pair whose
    language cannot be detected; such a pair is kept. Raises MissingExtraError if language detection is not installed.
    """
    reason = rules.reason_to_drop(pair)
    if reason is None and rules.max_questions and is_repeated(pair, rules.max_questions):
        reason = "repeated"
    if reason is None and rules.languages:
        language = language_of(pair)
        if language is None:
            in_no_language()
        elif language not in rules.languages:
            reason = "language"
    return "duplicate" if reason is None and is_new is not None and not is_new(pair) else reason


def _reason_of_length(text: str, length: int, minimum: int, maximum: int | None) -> str | None:
    """Return why a text of this length is dropped, such as "answer_short", or None; ``text``: which one it is."""
    if length < minimum:
        return f"{text}_short"
    return f"{text}_long" if maximum is not None and length > maximum else None


def _require(name: str, value: Any, requirement: str, fits: bool) -> None:
    """Raise ValueError for a value that does not fit; ``requirement`` says what it has to be."""
    if not fits:
        raise ValueError(f"{name} is {value!r}; it has to be {requirement}")


def _is_whole(value: Any, minimum: float = -math.inf) -> bool:
    """Return whether a value is a whole number of at least the minimum."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= minimum


def _languages(value: Any) -> Iterator[str]:
    """Yield the first parts of language codes; raise ValueError for anything but a list of codes."""
    if isinstance(value, str) or not isinstance(value, list | tuple | set | frozenset):
        raise ValueError(f"languages is {value!r}; it has to be a list of language codes, such as ['en', 'de']")
    for code in value:
        if not isinstance(code, str) or not _LANGUAGE.fullmatch(code):
            raise ValueError(f"languages has {code!r} in it, which is not a language code, such as 'en' or 'pt-BR'")
        yield primary_language(code)


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


def pair_rows(item: Any, page_fields: Mapping[str, str], pair_fields: Mapping[str, str]) -> Iterator[Row]:
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
    """Return the values of a row, with its id; None for missing columns."""
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
    """Return whether an answer is by the author of its question, by a name that only one person has."""
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
    parent_of = _parents(rows)
    is_user: dict[int | None, bool] = {None: True}  # None: the question
    answered: dict[int | None, int | None] = {None: None}  # the last of the assistant's rows up to each row
    for index, parent in parent_of.items():
        is_user[index] = by_asker[index] or not is_user[parent]
        answered[index] = answered[parent] if is_user[index] else index
    ends = [index for index in range(len(rows)) if not is_user.get(index, True)]
    continued = {answered[parent_of[end]] for end in ends}
    for end in ends:
        if end not in continued:
            branch = [*_branch(end, parent_of)][::-1]
            texts = [(True, rows[end]["question"]), *((is_user[index], rows[index]["answer"]) for index in branch)]
            yield ["\n\n".join(turn) for turn in _turns(texts)], [rows[index] for index in branch]


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


def _parents(rows: Sequence[Mapping[str, Any]]) -> dict[int, int | None]:
    """Map rows to those they reply to (None: the question), parents first; others are left out."""
    depths = [row["depth"] or 1 for row in rows]  # items of spiders may have pairs without a depth
    indexes = {row["position"]: index for index, row in enumerate(rows)}
    parent_of: dict[int, int | None] = {}
    for index in sorted(range(len(rows)), key=depths.__getitem__):
        answer_to = rows[index]["answer_to"]
        parent = None if answer_to is None else indexes.get(answer_to)
        if depths[index] == (1 if parent is None else depths[parent] + 1) and (parent is None or parent in parent_of):
            parent_of[index] = parent
    return parent_of


def _branch(index: int | None, parent_of: Mapping[int, int | None]) -> Iterator[int]:
    """Yield the index of a row, of the row that it replies to, and so on."""
    while index is not None:
        yield index
        index = parent_of[index]
