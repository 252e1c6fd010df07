"""Decides which pages need a browser: those whose HTML has too little text, learnt for each URL pattern."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    from scrapy_semtext.page import Page


#: Which pages are rendered: none, those whose HTML has too little text, or all.
RenderMode = Literal["never", "auto", "always"]
RENDER_MODES: tuple[RenderMode, ...] = get_args(RenderMode)

_MIN_LETTERS = 200  # letters and digits of the main text
_MIN_RECORDS = 3
#: The number of pages that decide for a pattern: if all of them needed rendering, the next are rendered at once; if
#: rendering yielded nothing this many times in a row, no more are rendered.
_TRIALS = 3
_MAX_PATTERNS = 10_000


def is_thin(page: Page) -> bool:
    """Return whether a page has too little content to be an item or a list."""
    letters = sum(map(str.isalnum, page.main_text))
    return letters < _MIN_LETTERS and not page.qa_pairs and len(page.records) < _MIN_RECORDS


def runs_scripts(root: Any) -> bool:
    """Return whether a page has scripts, not counting data such as JSON. ``root`` is its tree."""
    for script in root.iter("script"):
        kind = (script.get("type") or "").lower()
        if kind in ("", "module") or "javascript" in kind or "ecmascript" in kind:
            return True
    return False


@dataclass(slots=True)
class _Tally:
    """Counts of pages of a pattern that were read without rendering: it was needed, was not, or is under way.

    ``in_vain`` is the number of times in a row that rendering yielded nothing.
    """

    needed: int = 0
    not_needed: int = 0
    under_way: int = 0
    in_vain: int = 0


class Rendering:
    """Decides which pages of a crawl are rendered. Its memory is bounded."""

    def __init__(self, mode: RenderMode) -> None:
        self.mode = mode
        self._tallies: OrderedDict[tuple[str, str], _Tally] = OrderedDict()

    def comes_first(self, host: str, pattern: str) -> bool:
        """Return whether a page is rendered without reading its HTML first."""
        if self.mode != "auto":
            return self.mode == "always"
        tally = self._tallies.get((host, pattern), _Tally())
        return tally.needed >= _TRIALS and not tally.not_needed and tally.in_vain < _TRIALS

    def is_needed(self, host: str, pattern: str, page: Page, root: Any) -> bool:
        """Return whether a page that was read without rendering may need it; ``root`` is its tree."""
        if self.mode != "auto":
            return False
        tally = self._tally(host, pattern)
        may_need = is_thin(page) and runs_scripts(root)
        tally.not_needed += not may_need
        return may_need and tally.in_vain < _TRIALS

    def waits(self, host: str, pattern: str) -> bool:
        """Return whether to wait for the results of other pages of the pattern that are being rendered."""
        tally = self._tally(host, pattern)
        return not tally.needed and tally.in_vain < _TRIALS <= tally.in_vain + tally.under_way

    def begin(self, host: str, pattern: str) -> bool:
        """Return whether to render a page that may need it; if so, it is under way until `learn` or `fail`."""
        tally = self._tally(host, pattern)
        begins = tally.in_vain < _TRIALS
        tally.under_way += begins
        return begins

    def learn(self, host: str, pattern: str, page: Page, *, was_read: bool) -> bool:
        """Record a rendered page; return whether rendering was useful. ``was_read``: it was read unrendered before."""
        tally = self._tally(host, pattern)
        of_use = not is_thin(page)
        tally.needed += of_use and was_read
        tally.not_needed += was_read and not of_use
        tally.under_way -= was_read
        tally.in_vain = 0 if of_use else tally.in_vain + 1
        return of_use

    def fail(self, host: str, pattern: str, *, was_read: bool) -> None:
        """Record that a page could not be rendered, which counts as yielding nothing."""
        tally = self._tally(host, pattern)
        tally.under_way -= was_read
        tally.in_vain += 1

    def _tally(self, host: str, pattern: str) -> _Tally:
        tally = self._tallies.setdefault((host, pattern), _Tally())
        self._tallies.move_to_end((host, pattern))
        if len(self._tallies) > _MAX_PATTERNS:
            self._tallies.popitem(last=False)
        return tally
