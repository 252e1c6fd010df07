"""The pages that a person labels: their order, the model's labels, and the corrections in a file.

The file is complete after each save. Labels are transferred to a page whose blocks differ from those at the time of
labeling.
"""

from __future__ import annotations

import hashlib
import threading
import zlib
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_semtext.extractor import Annotation, Extractor, Source
from scrapy_semtext.site.labeled_pages import LabeledBlock, LabeledPage, LabeledPageError, read_labeled
from scrapy_semtext.tree.scopes import block_paths
from scrapy_semtext.utils import UserError
from scrapy_semtext.utils.replacing import replace_file
from scrapy_semtext.viewer.folder import page_row
from scrapy_semtext.viewer.index import rank_of
from scrapy_semtext.words.characters import one_line

if TYPE_CHECKING:
    from scrapy_semtext.viewer import IndexRow

#: The number of pages read in one batch at the start.
_BATCH = 16

#: The number of recently opened pages that stay in memory with their trees.
OPEN_PAGES = 8


class LabelFileError(UserError):
    """The file is not a file of labeled pages, or another program has changed it; the message says which."""


def page_key(url: str | None, html: str) -> str:
    """Return the key that identifies a page: its URL or, without one, the hash of its HTML."""
    return url or hashlib.sha256(html.encode("utf-8", "surrogatepass")).hexdigest()


def _line_of(page: LabeledPage) -> bytes:
    return page.to_json().encode("utf-8", "backslashreplace") + b"\n"


class LabelFile:
    """A file with a line for each page that has labels, see `scrapy_semtext.site.labeled_pages`.

    If a page has two lines, the later one counts, unless only the earlier one is done. Thread-safe. Raises
    LabelFileError for a file with any other content.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._lines: dict[str, tuple[bytes, bool]] = {}  # the line of each page, and whether the page is done
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
        return sum(done for _, done in self._lines.values())

    def get(self, key: str) -> LabeledPage | None:
        """Return a page, None if it has no labels. Raises LabelFileError if another program has changed the file."""
        with self._lock:
            if key not in self._lines:
                return None
            self._require_unchanged()
            return next(read_labeled([self._lines[key][0]]))

    def save(self, page: LabeledPage) -> None:
        """Write a page in place of its earlier line, or at the end; the file is on disk when this returns.

        Raises OSError, or LabelFileError if another program has changed the file, which is then left unchanged.
        """
        key = page_key(page.url, page.html)
        with self._lock:
            self._require_unchanged()
            lines = {**self._lines, key: (_line_of(page), page.done)}
            replace_file(self.path, (raw for raw, _ in lines.values()))
            self._lines, self._state = lines, self._state_now()

    def close(self) -> None:
        """Wait until a save in another thread is complete. Later saves wait forever, so the process can be ended."""
        self._lock.acquire()

    def _read(self) -> None:
        try:
            with self.path.open("rb") as file:
                for page in read_labeled(file):
                    key = page_key(page.url, page.html)
                    before = self._lines.get(key)
                    if before is None or page.done or not before[1]:
                        self._lines[key] = _line_of(page), page.done
        except LabeledPageError as error:
            raise LabelFileError(
                f"{self.path}, {error}; it is left as it is. Name another file, or repair this one."
            ) from error

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


class LabelsError(ValueError):
    """Labels for a page cannot be used; the message says why."""


@dataclass(slots=True)
class SessionPage:
    """Information about a page of a session.

    ``row`` has the model's results, for the overview; ``corrected`` counts the blocks whose label a person has changed.
    """

    id: Any
    url: str | None
    key: str
    row: IndexRow
    corrected: int = 0
    done: bool = False


class OpenPage(NamedTuple):
    """A page with its tree and its labels."""

    annotation: Annotation
    labeled: LabeledPage


class LabelSession:
    """Pages in labeling order, with their labels in a file.

    All pages, including those of the file, are added first; then `arrange` sorts them. Only the last few trees are
    kept. After `arrange`, methods are thread-safe; one thread at a time uses the extractor.
    """

    def __init__(self, extractor: Extractor, labels: LabelFile) -> None:
        self.entries: list[SessionPage] = []
        #: Sentences about problems: pages without text or with an error, labels without a block.
        self.problems: list[str] = []
        self._extractor = extractor
        self._labels = labels
        self._waiting: list[LabeledPage] = []
        self._seen: set[str] = set()
        self._html: dict[str, bytes] = {}  # compressed
        self._open: OrderedDict[str, OpenPage] = OrderedDict()
        self._lock = threading.RLock()
        for page in labels.pages():
            self.add(page)

    def add(self, page: LabeledPage) -> None:
        """Add a page, with its labels from the file, unless the session already has it."""
        key = page_key(page.url, page.html)
        if key in self._seen:
            return
        self._seen.add(key)
        self._waiting.append(page)
        if len(self._waiting) == _BATCH:
            self._read()

    def arrange(self) -> None:
        """Process the remaining pages and sort all: the least certain first, pages that are done last."""
        self._read()
        self.entries.sort(key=lambda entry: (entry.done, rank_of(entry.row)))

    @property
    def done(self) -> int:
        """The number of pages that are done."""
        return sum(entry.done for entry in self.entries)

    def open(self, position: int) -> OpenPage:
        """Return a page with the labels of the file, or else of the model; errors from reading the page are raised."""
        entry = self.entries[position]
        with self._lock:
            if entry.key in self._open:
                self._open.move_to_end(entry.key)
                return self._open[entry.key]
            page = LabeledPage(
                entry.id, entry.url, zlib.decompress(self._html[entry.key]).decode("utf-8", "surrogatepass")
            )
            annotation = self._extractor.annotate(page.html, page.url)
            self._open[entry.key] = OpenPage(annotation, self._labeled(page, annotation)[0])
            while len(self._open) > OPEN_PAGES:
                self._open.popitem(last=False)
            return self._open[entry.key]

    def save(self, position: int, values: Any) -> None:
        """Save the labels of a page, as sent by its script.

        They are ``{"labels": [...], "by": [...], "done": ...}``, with a label ("main" or "boilerplate") and its author
        ("model" or "person") for each block in page order. Raises LabelsError for other values, OSError or
        LabelFileError if they cannot be saved.
        """
        with self._lock:
            entry, page = self.entries[position], self.open(position).labeled
            labels, by, done = _checked(values, len(page.blocks))
            blocks = [
                replace(block, label=label, by=who) for block, label, who in zip(page.blocks, labels, by, strict=True)
            ]
            page = replace(page, blocks=blocks, done=done)
            self._labels.save(page)
            self._open[entry.key] = self._open[entry.key]._replace(labeled=page)
            entry.done, entry.corrected = done, _corrected(page)

    def _read(self) -> None:
        """Process the waiting pages, and add an entry for each."""
        pages, self._waiting = self._waiting, []
        annotations: dict[int, Annotation] = {}
        sources = [
            Source(page.html, page.url, on_read=partial(annotations.__setitem__, place))
            for place, page in enumerate(pages)
        ]
        with self._lock:
            results = self._extractor.read_many(sources)
        for place, (page, result) in enumerate(zip(pages, results, strict=True)):
            name = page.url or page.id or "a page"
            if isinstance(result, Exception):
                self.problems.append(f"{name} cannot be read: {type(result).__name__}: {result}")
            elif not result.blocks:
                self.problems.append(f"{name} has no text")
            else:
                self._add_entry(page, annotations[place])

    def _add_entry(self, page: LabeledPage, annotation: Annotation) -> None:
        labeled, lost = self._labeled(page, annotation)
        entry = SessionPage(
            page.id,
            page.url,
            page_key(page.url, page.html),
            page_row(annotation.page, None),
            corrected=_corrected(labeled),
            done=labeled.done,
        )
        self._html[entry.key] = zlib.compress(page.html.encode("utf-8", "surrogatepass"))
        self.entries.append(entry)
        if lost:
            self.problems.append(
                f"{page.url or page.id or 'a page'} is cut into other blocks than when it was labeled, and"
                f" {len(lost)} of its labels belong to none: {_quoted(lost)}"
            )

    def _labeled(self, page: LabeledPage, annotation: Annotation) -> tuple[LabeledPage, list[LabeledBlock]]:
        """Return a page with its labels, and the labels that no longer belong to a block."""
        blocks = [
            LabeledBlock(block.text, path, block.label, block.probability)
            for block, path in zip(annotation.page.blocks, block_paths(annotation.text_blocks), strict=True)
        ]
        earlier = self._labels.get(page_key(page.url, page.html))
        return (replace(page, blocks=blocks), []) if earlier is None else take_over(earlier, blocks)


def _checked(values: Any, count: int) -> tuple[Sequence[Any], Sequence[Any], bool]:
    """Return the labels, their authors, and whether the page is done; raise LabelsError for other values."""
    if not isinstance(values, dict):
        raise LabelsError("the labels are not a JSON object")
    for name, choices in (("labels", ("main", "boilerplate")), ("by", ("model", "person"))):
        given = values.get(name)
        if not isinstance(given, list) or len(given) != count:
            found = len(given) if isinstance(given, list) else "none"
            raise LabelsError(f"{name!r} has to have a value for each of the {count} blocks; it has {found}")
        if not all(isinstance(value, str) and value in choices for value in given):
            raise LabelsError(f"{name!r} may have the values {' and '.join(choices)} only")
    if not isinstance(values.get("done"), bool):
        raise LabelsError("'done' has to be true or false")
    return values["labels"], values["by"], values["done"]


def _corrected(page: LabeledPage) -> int:
    return sum(block.by == "person" for block in page.blocks)


def _quoted(blocks: Iterable[LabeledBlock]) -> str:
    texts = [f"{' '.join(block.text.split())[:40]!r} ({block.label})" for block in blocks]
    return ", ".join(texts[:3]) + (", ..." if len(texts) > 3 else "")


def take_over(earlier: LabeledPage, blocks: Sequence[LabeledBlock]) -> tuple[LabeledPage, list[LabeledBlock]]:
    """Transfer the labels that people gave to a page's blocks to its current blocks, which the model has labeled.

    For a page that is done all labels are transferred, otherwise those by a person. Blocks are matched by text and
    path, then by text only, in page order. Returns the page, which is done if it was and every block received a label,
    and the labels by a person that match no block.
    """
    found = _matches(earlier.blocks, blocks)
    result = [
        replace(block, label=before.label, by=before.by)
        if before is not None and (earlier.done or before.by == "person")
        else block
        for block, before in zip(blocks, found, strict=True)
    ]
    used = {id(before) for before in found}
    lost = [block for block in earlier.blocks if block.by == "person" and id(block) not in used]
    return replace(earlier, blocks=result, done=earlier.done and None not in found), lost


def _matches(earlier: Sequence[LabeledBlock], blocks: Sequence[LabeledBlock]) -> list[LabeledBlock | None]:
    """Return the matching earlier block for each block, or None; each is used once."""
    found: list[LabeledBlock | None] = [None] * len(blocks)
    used: set[int] = set()
    keys: tuple[Callable[[LabeledBlock], Hashable], ...] = (
        lambda b: (one_line(b.text), b.path),
        lambda b: one_line(b.text),
    )
    for key in keys:
        waiting: defaultdict[Hashable, deque[LabeledBlock]] = defaultdict(deque)
        for before in earlier:
            if id(before) not in used:
                waiting[key(before)].append(before)
        for position, block in enumerate(blocks):
            if found[position] is None and (queue := waiting.get(key(block))):
                found[position] = queue.popleft()
                used.add(id(found[position]))
    return found
