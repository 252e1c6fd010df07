"""Limits of what one page may cost, and the errors of pages that reach them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

_WHERE = "limits: SEMTEXT_{} of a crawl, --{} of a command"


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

    The time is looked at before each step of the reading, so that a step is never stopped in its midst. ``body`` is the
    length of the source, in bytes before it is decoded; what gets pages from files or the web reads no more of them.
    """

    seconds: float = 0.0
    blocks: int = 0
    body: int = 2**31 - 1

    def check_body(self, size: int) -> None:
        """Raise LimitError for a page that is longer than it may be."""
        if size > self.body:
            where = _WHERE.format("MAX_BODY", "max-size")
            raise LimitError(f"the page is larger than {self.body / 2**20:.3g} MiB ({where})")

    def check_blocks(self, count: int) -> None:
        """Raise TooManyBlocksError for a page with more blocks than it may have."""
        if self.blocks and count > self.blocks:
            where = _WHERE.format("MAX_BLOCKS", "no-limits")
            raise TooManyBlocksError(f"the page has {count:,} text blocks, more than {self.blocks:,} ({where})")

    def check_time(self, seconds: float) -> None:
        """Raise PageTimeoutError for a page that has taken longer than it may."""
        if self.seconds and seconds > self.seconds:
            where = _WHERE.format("TIMEOUT", "no-limits")
            raise PageTimeoutError(f"reading the page took {seconds:.1f} seconds, more than {self.seconds:g} ({where})")


#: The limits of crawls, and of commands, whose pages somebody has chosen, unless they are told others.
PAGE_LIMITS = Limits(seconds=60.0, blocks=100_000, body=5 << 20)
COMMAND_LIMITS = replace(PAGE_LIMITS, body=16 << 20)
