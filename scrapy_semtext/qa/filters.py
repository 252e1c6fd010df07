"""Filters for pairs: by score, votes, acceptance, depth, length, language and repeated answers."""

from __future__ import annotations

import math
import re
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy_semtext.qa.pair_languages import language_of
from scrapy_semtext.text.folding import letters_of
from scrapy_semtext.text.languages import primary_language
from scrapy_semtext.utils.address import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy_semtext.page import QAPair

#: Shorter answers, such as "Thanks!", may occur under any number of questions.
_LEAST_REPEATED = 40

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_]+[^\W_]+)*")


@dataclass(frozen=True, slots=True)
class PairRules:
    """The conditions for keeping a pair; by default, only answers under more than three questions are dropped.

    Lengths are in characters. A pair is kept if the page gives no value for a condition: it passes ``min_votes`` if the
    page shows no votes, and ``languages`` if its text is too short for detection. Only ``accepted_only`` requires that
    an answer is marked as accepted. ``languages`` are ISO 639 codes, of which only the first part is compared ("pt" of
    "pt-BR"). ``max_depth`` is 1 for answers to the question itself, 2 to also keep replies to these, and so on.
    ``max_questions`` is the maximum number of questions of a host that the same answer may occur under
    (`AnswerMemory`); 0 means no limit.
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
        for what in ("question", "answer"):
            least, most = getattr(self, f"min_{what}"), getattr(self, f"max_{what}")
            _require(f"min_{what}", least, "a whole number of at least 0", _is_whole(least, 0))
            fits = most is None or _is_whole(most, least)
            _require(f"max_{what}", most, f"None or a whole number of at least {least}", fits)
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

    def is_repeated(self, url: str | None, pair: QAPair, most: int) -> bool:
        """Return whether the answer occurred under ``most`` other questions of the host before."""
        host = host_of(url) if url and len(pair.answer) >= _LEAST_REPEATED else ""
        if not host:
            return False
        answer, question = hash((host, letters_of(pair.answer))), hash(letters_of(pair.question_title or pair.question))
        known = self._questions.pop(answer, ())
        if question not in known and len(known) < most:
            known = (*known, question)
        self._questions[answer] = known
        if len(self._questions) > self._size:
            self._questions.popitem(last=False)
        return question not in known[:most]


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


def _reason_of_length(what: str, length: int, least: int, most: int | None) -> str | None:
    if length < least:
        return f"{what}_short"
    return f"{what}_long" if most is not None and length > most else None


def _require(name: str, value: Any, what: str, fits: bool) -> None:
    if not fits:
        raise ValueError(f"{name} is {value!r}; it has to be {what}")


def _is_whole(value: Any, least: float = -math.inf) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _languages(value: Any) -> Iterator[str]:
    if isinstance(value, str) or not isinstance(value, list | tuple | set | frozenset):
        raise ValueError(f"languages is {value!r}; it has to be a list of language codes, such as ['en', 'de']")
    for code in value:
        if not isinstance(code, str) or not _LANGUAGE.fullmatch(code):
            raise ValueError(f"languages has {code!r} in it, which is not a language code, such as 'en' or 'pt-BR'")
        yield primary_language(code)
