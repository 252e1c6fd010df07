"""Which pairs are wanted: by score, votes, acceptance, depth, length and language."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy_semtext.qa.pair_languages import language_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy_semtext.page import QAPair

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_]+[^\W_]+)*")


@dataclass(frozen=True, slots=True)
class PairRules:
    """What a pair has to be; the defaults let every pair pass.

    Lengths are in characters. What a page does not tell counts for the pair, save that ``accepted_only`` takes none but
    answers marked as accepted: a pair passes ``min_votes`` if the page shows no votes, and ``languages`` if its text is
    too short to tell. ``languages`` are codes of ISO 639, of which only the first part is looked at ("pt" of "pt-BR").
    ``max_depth`` is 1 for answers to the question itself, 2 for replies to these as well, and so on.
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

    def __post_init__(self) -> None:
        """Raise ValueError, with a message for people, for values that cannot be used."""
        is_number = isinstance(self.min_score, int | float) and not isinstance(self.min_score, bool)
        _require("min_score", self.min_score, "a number from 0 to 1", is_number and 0 <= self.min_score <= 1)
        _require(
            "min_votes", self.min_votes, "a whole number or None", self.min_votes is None or _is_whole(self.min_votes)
        )
        _require("accepted_only", self.accepted_only, "True or False", isinstance(self.accepted_only, bool))
        fits = self.max_depth is None or _is_whole(self.max_depth, 1)
        _require("max_depth", self.max_depth, "a whole number of at least 1 or None", fits)
        for what in ("question", "answer"):
            least, most = getattr(self, f"min_{what}"), getattr(self, f"max_{what}")
            _require(f"min_{what}", least, "a whole number of at least 0", _is_whole(least, 0))
            fits = most is None or _is_whole(most, least)
            _require(f"max_{what}", most, f"None or a whole number of at least {least}", fits)
        object.__setattr__(self, "languages", tuple(_languages(self.languages)))

    def reason_to_drop(self, pair: QAPair) -> str | None:
        """Return why a pair is not wanted, as in the stats ``semtext/pairs/dropped/<reason>``; languages not asked."""
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


def reason_to_drop(
    pair: QAPair,
    rules: PairRules,
    is_new: Callable[[QAPair], bool] | None,
    in_no_language: Callable[[], None] = lambda: None,
) -> str | None:
    """Return why a pair is not wanted, as in the stats; ``is_new`` tells duplicates, None if they are wanted.

    The cheapest check comes first. Pairs that are dropped otherwise do not count as seen. ``in_no_language`` is called
    for a pair whose language cannot be told, which is kept. Raises MissingExtraError without what languages need.
    """
    reason = rules.reason_to_drop(pair)
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
            raise ValueError(f"languages has {code!r} in it, which is no language code, such as 'en' or 'pt-BR'")
        yield re.split("[-_]", code.lower())[0]
