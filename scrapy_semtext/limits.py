"""Limits of what one page may cost, and the errors of pages that reach them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


class LimitError(RuntimeError):
    """A page was not read because it reached a limit; ``reason`` is a word for that."""

    reason: ClassVar[str] = "limit"


class PageTimeoutError(LimitError):
    """Reading a page took too long."""

    reason = "timeout"


class TooManyBlocksError(LimitError):
    """A page has too many text blocks."""

    reason = "too_many_blocks"


class TooManyAttributesError(LimitError):
    """An element of a page has too many attributes to be parsed in little time, whatever the `Limits` are."""

    reason = "too_many_attributes"


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one page may cost: ``seconds`` of CPU time, and ``blocks`` of text; 0 is without a limit.

    The time is looked at before each step of the reading, so that a step is never stopped in its midst.
    """

    seconds: float = 0.0
    blocks: int = 0

    def check_blocks(self, count: int) -> None:
        """Raise TooManyBlocksError for a page with more blocks than it may have."""
        if self.blocks and count > self.blocks:
            raise TooManyBlocksError(f"the page has {count:,} text blocks, more than {self.blocks:,}")

    def check_time(self, seconds: float) -> None:
        """Raise PageTimeoutError for a page that has taken longer than it may."""
        if self.seconds and seconds > self.seconds:
            raise PageTimeoutError(f"reading the page took {seconds:.1f} seconds, more than {self.seconds:g}")
