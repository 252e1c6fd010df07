"""The file of labeled pages, which is complete after each save."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scrapy_semtext.site.labeled import LabeledPage, LabeledPageError, read_labeled
from scrapy_semtext.utils.replacing import replace_file


class LabelFileError(Exception):
    """The file is not a file of labeled pages, or another program has changed it; the message says which."""


def page_key(url: str | None, html: str) -> str:
    """Return the key that identifies a page: its URL or, without one, the hash of its HTML."""
    return url or hashlib.sha256(html.encode("utf-8", "surrogatepass")).hexdigest()


class _Line(NamedTuple):
    start: int
    length: int
    done: bool


class LabelFile:
    """A file with a line for each page that has labels, see `scrapy_semtext.site.labeled`.

    Only the positions of lines are kept in memory. If a page has two lines, the later one counts, unless only the
    earlier one is done. Thread-safe. Raises LabelFileError for a file with any other content.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._lines: dict[str, _Line] = {}
        self._state = self._state_now()
        if self._state is not None:
            self._read()

    def __len__(self) -> int:
        return len(self._lines)

    def pages(self) -> Iterator[LabeledPage]:
        """Yield the pages in file order."""
        return filter(None, map(self.get, list(self._lines)))

    def done(self) -> int:
        """Return how many pages are done."""
        return sum(line.done for line in self._lines.values())

    def get(self, key: str) -> LabeledPage | None:
        """Return a page, None if it has no labels. Raises LabelFileError if another program has changed the file."""
        with self._lock:
            if key not in self._lines:
                return None
            self._require_unchanged()
            return next(read_labeled([self._raw(self._lines[key])]))

    def save(self, page: LabeledPage) -> None:
        """Write a page in place of its earlier line, or at the end; the file is on disk when this returns.

        Raises OSError, or LabelFileError if another program has changed the file, which is then left unchanged.
        """
        line = page.to_json().encode("utf-8", "backslashreplace") + b"\n"
        key = page_key(page.url, page.html)
        with self._lock:
            self._require_unchanged()
            lines: dict[str, _Line] = {}

            def parts() -> Iterator[bytes]:
                start = 0
                for each, old in {**self._lines, key: _Line(0, 0, page.done)}.items():
                    raw = line if each == key else self._raw(old)
                    lines[each] = _Line(start, len(raw), old.done)
                    start += len(raw)
                    yield raw

            replace_file(self.path, parts())
            self._lines, self._state = lines, self._state_now()

    def add(self, page: LabeledPage) -> bool:
        """Save a page from another file unless this one has it at least as complete; return whether it was saved."""
        line = self._lines.get(page_key(page.url, page.html))
        if line is not None and (line.done or not page.done):
            return False
        self.save(page)
        return True

    def close(self) -> None:
        """Wait until a save in another thread is complete. Later saves wait forever, so the process can be ended."""
        self._lock.acquire()

    def _read(self) -> None:
        start = 0
        with self.path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                try:
                    for page in read_labeled([raw]):
                        key = page_key(page.url, page.html)
                        before = self._lines.get(key)
                        if before is None or page.done or not before.done:
                            self._lines[key] = _Line(start, len(raw), page.done)
                except LabeledPageError as error:
                    reason = str(error).removeprefix("line 1 is not a labeled page: ")
                    raise LabelFileError(
                        f"{self.path}, line {number}, is not a labeled page ({reason}); it is left as it is. Name"
                        " another file, or repair this one."
                    ) from error
                start += len(raw)

    def _raw(self, line: _Line) -> bytes:
        with self.path.open("rb") as file:
            file.seek(line.start)
            raw = file.read(line.length)
        return raw if raw.endswith(b"\n") else raw + b"\n"

    def _state_now(self) -> tuple[int, int, int] | None:
        """Return values that change when another program writes the file, None if it does not exist."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns

    def _require_unchanged(self) -> None:
        if self._state_now() != self._state:
            raise LabelFileError(f"{self.path} was changed by another program; end this one and start it again.")
