"""The selection of pairs: the options, common to all commands that process pages, and their application."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, fields
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.outputs import counted
from scrapy_semtext.page import QAPair
from scrapy_semtext.utils.extras import MissingExtraError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    Row = dict[str, Any]

#: The number of pairs that SEMTEXT_QA remembers by default, and the similarity from which pairs count as duplicates.
_REMEMBERED, _ALIKE = 50_000, 0.85


def add_pair_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("pairs")
    group.add_argument("--min-score", type=float, default=0.0, metavar="P", help="only pairs with a score of P or more")
    group.add_argument("--min-answer", type=int, default=0, metavar="N", help="answers of at least N characters")
    group.add_argument("--accepted-only", action="store_true", help="only answers that are marked as accepted")
    group.add_argument("--language", action="append", default=[], metavar="CODE", help="pairs in languages, such as en")
    group.add_argument("--dedup", action="store_true", help="near-identical pairs once")
    most = "only answers under at most N questions of a host (3 in files of pairs; 0: any number)"
    group.add_argument("--max-questions", type=int, metavar="N", help=most)
    group.add_argument("--unanswered", action="store_true", help="also threads without answers")


def asked_of_pairs(arguments: argparse.Namespace) -> list[str]:
    """Return the given options that select pairs."""
    names = ("min_score", "min_answer", "accepted_only", "language", "dedup", "max_questions", "unanswered")
    return [f"--{name.replace('_', '-')}" for name in names if getattr(arguments, name)]


class PairChoice:
    """Selects the pairs in rows of pages by the options, and counts those ``left_out`` by reason.

    Raises CommandError for invalid values, and for missing libraries.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        from scrapy_semtext.cli.row_files import target_of
        from scrapy_semtext.read.pair_rows import AnswerMemory, PairMemory, PairRules, check_languages

        codes = [code.strip() for each in arguments.language for code in each.split(",")]
        try:
            self._rules = PairRules(
                min_score=arguments.min_score,
                min_answer=arguments.min_answer,
                accepted_only=arguments.accepted_only,
                languages=tuple(codes),
                max_questions=3 if arguments.max_questions is None else arguments.max_questions,
            )
            check_languages(self._rules.languages)
            self._is_new = PairMemory(_ALIKE, _REMEMBERED).is_new if arguments.dedup else None
        except (ValueError, MissingExtraError) as error:
            raise CommandError(f"{error}.") from error
        self._unanswered, self._answers = arguments.unanswered, AnswerMemory()
        self.is_active = bool(asked_of_pairs(arguments)) or target_of(arguments).is_of_pairs
        self.left_out: Counter[str] = Counter()

    def know(self, pages: Iterable[Row]) -> None:
        """Remember the pairs of an earlier run, of which there are rows of pages or of pairs."""
        from scrapy_semtext.read.pair_rows import pair_rows

        for page in pages if self.is_active else ():
            pairs = [{each.name: row[each.name] for each in fields(QAPair)} for row in pair_rows(page, {}, {})]
            self.of({"url": page.get("url"), "qa_pairs": pairs})
        self.left_out.clear()

    def of(self, page: Row) -> Row:
        """Return the row of a page with only the selected pairs."""
        from scrapy_semtext.page import renumbered
        from scrapy_semtext.read.pair_rows import reason_to_drop

        given = page.get("qa_pairs")
        if not self.is_active or given is None:
            return page
        pairs = [QAPair(**pair) for pair in given]
        is_repeated = partial(self._answers.is_repeated, page.get("url"))
        reasons = [reason_to_drop(pair, self._rules, self._is_new, is_repeated) for pair in pairs]
        self.left_out.update(reason for reason in reasons if reason is not None)
        kept = [place for place, reason in enumerate(reasons) if reason is None]
        chosen = renumbered(pairs, {place: position for position, place in enumerate(kept, 1)})
        if self._unanswered and not pairs and page.get("page_kind") == "forum" and not page.get("is_overview"):
            chosen = [_question_of(page)]
        return {**page, "qa_pairs": [asdict(pair) for pair in chosen]}


def left_out_text(left_out: Counter[str]) -> str:
    """Return how many pairs were dropped, and why."""
    reasons = ", ".join(f"{count} by {reason.replace('_', ' ')}" for reason, count in left_out.most_common())
    return f"{counted(left_out.total(), 'pair')} left out ({reasons})"


def _question_of(page: Row) -> QAPair:
    """Return the question of a thread without answers: its title and its text."""
    title, text = page.get("title") or "", page.get("main_text") or ""
    body = text.removeprefix(title).strip()
    question = "\n".join(filter(None, (title, body)))
    return QAPair(question, "", title or None, body or None, score=0.0, question_score=0.0)
