"""The documents of a labelling session: a page to correct, and the overview of all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy_semtext.viewer import Links, index_page, label_page
from scrapy_semtext.viewer.folder import INDEX, view_name

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_semtext.labelling.session import Entry, LabelSession
    from scrapy_semtext.viewer import IndexRow


def rendered(session: LabelSession, position: int) -> str:
    """Return a page of the session as a document that saves labels at ``NUMBER/labels``; numbers begin with 1."""
    number, count = position + 1, len(session.entries)
    links = Links(str(position) if position else None, str(number + 1) if number < count else "./", "./")
    page, progress = session.open(position), f"page {number} of {count}, {session.done} done"
    return label_page(page.annotation, page.labelled, save_url=f"{number}/labels", links=links, progress=progress)


def overview(session: LabelSession) -> str:
    """Return the overview of the session's pages."""
    rows = [index_row(entry, str(number)) for number, entry in enumerate(session.entries, 1)]
    return index_page(rows, facts=f"{session.done} done; those whose labels teach most come first", in_order=True)


def write_files(session: LabelSession, folder: Path) -> Path:
    """Write the pages of a session as files that labels can be saved from; return the path of their overview."""
    names = [view_name(number, entry.url, entry.id) for number, entry in enumerate(session.entries, 1)]
    for position, (before, name, after) in enumerate(zip([None, *names], names, [*names[1:], None], strict=False)):
        page, progress = session.open(position), f"page {position + 1} of {len(names)}"
        links = Links(before, after, INDEX)
        document = label_page(page.annotation, page.labelled, save_url=None, links=links, progress=progress)
        (folder / name).write_bytes(document.encode("utf-8", "replace"))
    rows = [index_row(entry, name) for entry, name in zip(session.entries, names, strict=True)]
    (folder / INDEX).write_bytes(index_page(rows, in_order=True).encode("utf-8", "replace"))
    return folder / INDEX


def index_row(entry: Entry, href: str) -> IndexRow:
    """Return the row of a page in an overview."""
    state = ["done"] if entry.done else []
    if entry.corrected:
        state.append(f"{entry.corrected} blocks corrected" if entry.corrected > 1 else "1 block corrected")
    title = entry.row.title or (str(entry.id or "") if entry.url is None else "")
    return replace(entry.row, href=href, title=title or None, note=", ".join(state))
