"""What is wrong, and how to mend it."""

from __future__ import annotations

import logging
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Problem(NamedTuple):
    """A problem. ``broken``: the package, or the crawl, does not work; ``hint``: it could be better."""

    level: Literal["broken", "hint"]
    text: str

    @property
    def is_broken(self) -> bool:
        """Whether something does not work."""
        return self.level == "broken"

    def line(self) -> str:
        """The problem on a line."""
        return f"{self.level.upper()}: {self.text}"


@contextmanager
def caught(problems: list[Problem]) -> Iterator[None]:
    """Add what the package warns about in this context, in its log or otherwise, as hints."""
    handler = _Collector(problems)
    logger = logging.getLogger("scrapy_semtext")
    propagates = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False  # else Python prints them, too
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("default")
            yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagates
    problems.extend(Problem("hint", str(each.message)) for each in warned if "semtext" in str(each.message).lower())


class _Collector(logging.Handler):
    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(logging.WARNING)
        self._problems = problems

    def emit(self, record: logging.LogRecord) -> None:
        self._problems.append(Problem("hint", record.getMessage()))
