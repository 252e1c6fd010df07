"""Limits of the cost of a page, and the errors for pages that exceed them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

_WHERE = "limits: SEMTEXT_{} of a crawl, --{} of a command"


class LimitError(RuntimeError):
    """A page was not processed because it exceeds a limit; ``reason`` names the limit."""

    reason: ClassVar[str] = "limit"


class PageTimeoutError(LimitError):
    """Processing a page took too long."""

    reason = "timeout"


class TooManyBlocksError(LimitError):
    """A page has too many text blocks."""

    reason = "too_many_blocks"


class TooManyAttributesError(LimitError):
    """An element of a page has too many attributes for fast parsing, regardless of the `Limits`."""

    reason = "too_many_attributes"


@dataclass(frozen=True, slots=True)
class Limits:
    """The maximum cost of a page: ``seconds`` of CPU time, and number of text ``blocks``; 0 means no limit.

    The time is checked before each step of the extraction, so a step is never interrupted. ``body`` is the length of
    the source, in bytes before decoding; no more bytes are read from a file or the web.
    """

    seconds: float = 0.0
    blocks: int = 0
    body: int = 2**31 - 1

    def check_body(self, size: int) -> None:
        """Raise LimitError for a page that is too long."""
        if size > self.body:
            where = _WHERE.format("MAX_BODY", "max-size")
            raise LimitError(f"the page is larger than {self.body / 2**20:.3g} MiB ({where})")

    def check_blocks(self, count: int) -> None:
        """Raise TooManyBlocksError for a page with too many blocks."""
        if self.blocks and count > self.blocks:
            where = _WHERE.format("MAX_BLOCKS", "no-limits")
            raise TooManyBlocksError(f"the page has {count:,} text blocks, more than {self.blocks:,} ({where})")

    def check_time(self, seconds: float) -> None:
        """Raise PageTimeoutError for a page that has taken too long."""
        if self.seconds and seconds > self.seconds:
            where = _WHERE.format("TIMEOUT", "no-limits")
            raise PageTimeoutError(f"reading the page took {seconds:.1f} seconds, more than {self.seconds:g} ({where})")


#: The default limits of crawls, and of commands for pages chosen by a user.
PAGE_LIMITS = Limits(seconds=60.0, blocks=100_000, body=5 << 20)
COMMAND_LIMITS = replace(PAGE_LIMITS, body=16 << 20)
