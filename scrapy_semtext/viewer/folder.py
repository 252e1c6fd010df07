"""A folder of viewed pages, as written by a crawl and ``semtext view``.

It has a file for each page, an overview ``index.html``, and ``pages.jsonl`` with the pages as they were fetched::

    {"name": "00001-example-com-a.html", "id": ..., "url": ..., "html": ..., "view": {"title": ..., ...}}

A page is appended to ``pages.jsonl`` once it has been processed, so that the folder survives an interrupted crawl.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, get_type_hints

from scrapy_semtext.utils import UserError
from scrapy_semtext.utils.address import file_slug
from scrapy_semtext.utils.replacing import replace_file
from scrapy_semtext.viewer import IndexRow, NeighborLinks, confidence, index_page, view_page
from scrapy_semtext.words.characters import word_counts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_semtext.extractor import Annotation, Source
    from scrapy_semtext.page import Page

logger = logging.getLogger(__name__)

#: The pages as they were fetched, and the overview.
PAGES, INDEX = "pages.jsonl", "index.html"

#: The pattern of names from `view_name`.
_VIEW = re.compile(r"[0-9]{5,15}(?:-[a-z0-9]+)*\.html")
_MAX_NOTE = 300  # characters


class ViewFolderError(UserError):
    """A folder cannot be used for views; the message says why."""


def view_name(number: int, url: str | None, page_id: Any = None) -> str:
    """Return the name of a page's file from its number and its URL, or else its id: ``00001-example-com-a.html``.

    The name is valid on every system, and unique for each number. If the id is a path, its folders are ignored.
    """
    slug = file_slug(url or str(page_id or "").rpartition("/")[2])
    return f"{number:05}-{slug}.html" if slug else f"{number:05}.html"


def _is_own(path: Path) -> bool:
    return path.name in (PAGES, INDEX) or _VIEW.fullmatch(path.name) is not None


def is_view_folder(path: Path) -> bool:
    """Return whether a folder was written by a `ViewFolder`."""
    try:
        with (path / PAGES).open("rb") as file:
            line = file.readline()
        if not line.endswith(b"\n"):  # interrupted before the first page
            return all(map(_is_own, path.iterdir()))
        return "view" in json.loads(line)
    except (OSError, ValueError, TypeError, RecursionError):
        return False


@dataclass(frozen=True, slots=True)
class ViewWriter:
    """Writes the view of a processed page; can be used as `Source.on_read`. Errors are logged, not raised."""

    path: Path

    def __call__(self, annotation: Annotation) -> None:
        """Write the view."""
        try:
            view = view_page(annotation, NeighborLinks(index_url=INDEX))
            self.path.write_bytes(view.encode("utf-8", "replace"))
        except Exception:  # the page itself was processed
            logger.exception("The view of %s could not be written", annotation.page.url)


class ViewFolder:
    """Collects pages as they are processed. Thread-safe; must be closed, which completes the overview.

    ``rows`` are those of its pages. With ``resume``, pages are added to these; otherwise they are removed first. Raises
    ViewFolderError for a folder with other files, so that none is overwritten, or with ``resume`` for one with invalid
    lines.
    """

    def __init__(self, path: str | Path, *, resume: bool = False) -> None:
        self.path = Path(path).absolute()
        self.rows: list[IndexRow] = []
        self._lock = threading.Lock()
        self._numbers = 0
        self._indexed = 0
        self._prepare(resume=resume)
        self._file: IO[bytes] = (self.path / PAGES).open("ab")

    def new_name(self, url: str | None, page_id: Any = None) -> str:
        """Return the name for the next page's view, which a ViewWriter writes before `add`."""
        with self._lock:
            self._numbers += 1
            return view_name(self._numbers, url, page_id)

    def add(self, name: str, source: Source, result: Page | Exception | str, page_id: Any = None) -> bool:
        """Add a page, or its error; return False if its view is missing although it should exist.

        Raises OSError.
        """
        if isinstance(result, Exception):
            result = f"{type(result).__name__}: {result}"
        if isinstance(result, str):
            row = IndexRow(None, source.url, None, note=result[:_MAX_NOTE])
        elif (self.path / name).exists():
            row = page_row(result, name)
        else:
            row = page_row(result, None, "the view could not be written")
        page = {"name": name, "id": page_id, "url": source.url, "html": source.html, "view": asdict(row)}
        line = json.dumps(page, ensure_ascii=False)
        with self._lock:
            self.rows.append(row)
            self._file.write(f"{line}\n".encode("utf-8", "backslashreplace"))
            self._file.flush()
            if len(self.rows) >= 1.1 * self._indexed + 20:  # also updates the overview if the crawl is interrupted
                self._write_index()
        return row.href is not None

    def close(self) -> None:
        """Write the overview. Raises OSError."""
        with self._lock:
            self._file.close()
            self._write_index()

    def _prepare(self, *, resume: bool) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            is_new = next(self.path.iterdir(), None) is None
        except OSError as error:
            raise ViewFolderError(f"{self.path} cannot be used: {error.strerror or error}") from error
        if not is_new and not is_view_folder(self.path):
            raise ViewFolderError(f"{self.path} has other files; name a new or an empty folder")
        if resume:
            self._take_up()
        else:
            for old in filter(_is_own, list(self.path.iterdir())):
                old.unlink()

    def _take_up(self) -> None:
        """Load the rows of the existing pages, and remove an incomplete last line."""
        path, end = self.path / PAGES, 0
        if not path.exists():
            return
        for line in _lines(path):
            end += len(line)
            name, row = _read(line)
            self.rows.append(row)
            self._numbers = max(self._numbers, int(re.split(r"[-.]", name)[0]))
        with path.open("r+b") as file:
            file.truncate(end)

    def _write_index(self) -> None:
        replace_file(self.path / INDEX, [index_page(self.rows).encode("utf-8", "replace")])
        self._indexed = len(self.rows)


def rows_in(folder: Path) -> list[IndexRow]:
    """Return the rows of the pages of a folder. Raises ViewFolderError like `ViewFolder`."""
    return [_read(line)[1] for line in _lines(folder / PAGES)]


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, except an incomplete one."""
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield line


def _read(line: bytes) -> tuple[str, IndexRow]:
    """Return the name and the row of a line of PAGES; raise ViewFolderError for a line of another format."""
    try:
        values = json.loads(line)
        name, row = values["name"], IndexRow(**values["view"])
        types_hold = all(isinstance(getattr(row, field), kind) for field, kind in get_type_hints(IndexRow).items())
        if _VIEW.fullmatch(name) and row.href in (None, name) and types_hold:
            return name, row
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    raise ViewFolderError(
        f"{PAGES} has a line that this package does not write, {line[:80]!r}; use another folder, or remove the line"
    )


def page_row(page: Page, href: str | None, note: str = "") -> IndexRow:
    """Return the row of a page in an overview."""
    main = [block.text for block in page.blocks if block.is_main]
    return IndexRow(
        href,
        page.url,
        page.title,
        page.page_kind,
        words=int(word_counts(main).sum()) if main else 0,
        blocks=len(main),
        pairs=len(page.qa_pairs),
        records=len(page.records),
        confidence=confidence(page),
        note=note,
    )
