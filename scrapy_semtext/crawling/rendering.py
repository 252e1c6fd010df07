"""Which pages need a browser: those whose HTML holds too little text, as learnt for patterns of URLs."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    from scrapy_semtext.page import Page

#: Whether pages are rendered: none, those that hold too little text without, all.
RenderMode = Literal["never", "auto", "always"]
RENDER_MODES: tuple[RenderMode, ...] = get_args(RenderMode)

_LEAST_LETTERS = 200  # letters and digits of the main text
_LEAST_RECORDS = 3
#: So many pages of a pattern decide: if all needed rendering, the next are rendered at once; if it brought nothing so
#: often in a row, no more are rendered.
_TRIALS = 3
_MOST_PATTERNS = 10_000


def is_thin(page: Page) -> bool:
    """Return whether a page holds too little to be an item or a list."""
    letters = sum(map(str.isalnum, page.main_text))
    return letters < _LEAST_LETTERS and not page.qa_pairs and len(page.records) < _LEAST_RECORDS


def runs_scripts(root: Any) -> bool:
    """Return whether a page has scripts; data, such as JSON, are none. ``root`` is its tree."""
    for script in root.iter("script"):
        kind = (script.get("type") or "").lower()
        if kind in ("", "module") or "javascript" in kind or "ecmascript" in kind:
            return True
    return False


@dataclass(slots=True)
class _Tally:
    """Pages of a pattern that were read without rendering: those that needed it or did not, and those under way.

    ``in_vain``: how often rendering brought nothing, in a row.
    """

    needed: int = 0
    not_needed: int = 0
    under_way: int = 0
    in_vain: int = 0


class Rendering:
    """Decides which pages of a crawl are rendered. What is kept in memory is bounded."""

    def __init__(self, mode: RenderMode) -> None:
        self.mode = mode
        self._tallies: OrderedDict[tuple[str, str], _Tally] = OrderedDict()

    def comes_first(self, host: str, pattern: str) -> bool:
        """Return whether a page is rendered without a look at its HTML."""
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
        """Return whether it is to be seen first what comes of other pages of the pattern, which are being rendered."""
        tally = self._tally(host, pattern)
        return not tally.needed and tally.in_vain < _TRIALS <= tally.in_vain + tally.under_way

    def begin(self, host: str, pattern: str) -> bool:
        """Return whether a page that may need it is to be rendered; it is then under way until `learn` or `fail`."""
        tally = self._tally(host, pattern)
        begins = tally.in_vain < _TRIALS
        tally.under_way += begins
        return begins

    def learn(self, host: str, pattern: str, page: Page, *, was_read: bool) -> bool:
        """Note what rendering a page gave; return whether it was of use. ``was_read``: without rendering, before."""
        tally = self._tally(host, pattern)
        of_use = not is_thin(page)
        tally.needed += of_use and was_read
        tally.not_needed += was_read and not of_use
        tally.under_way -= was_read
        tally.in_vain = 0 if of_use else tally.in_vain + 1
        return of_use

    def fail(self, host: str, pattern: str, *, was_read: bool) -> None:
        """Note that a page could not be rendered, which counts as in vain."""
        tally = self._tally(host, pattern)
        tally.under_way -= was_read
        tally.in_vain += 1

    def _tally(self, host: str, pattern: str) -> _Tally:
        tally = self._tallies.setdefault((host, pattern), _Tally())
        self._tallies.move_to_end((host, pattern))
        if len(self._tallies) > _MOST_PATTERNS:
            self._tallies.popitem(last=False)
        return tally
