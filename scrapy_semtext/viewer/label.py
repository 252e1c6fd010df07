"""A page whose labels a person corrects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_semtext.viewer.blocks import colour, shown_blocks
from scrapy_semtext.viewer.document import safe_href
from scrapy_semtext.viewer.page_document import NO_LINKS, Links, page_document

if TYPE_CHECKING:
    from scrapy_semtext.extractor import Annotation
    from scrapy_semtext.site.labelled import LabelledPage

_KEYS = {
    "click": "turn a block, in the page or in the list",
    "drag, Shift-click": "turn a range of blocks to the same label",
    "↓, ↑": "the next block, the block before",
    "m, b": "main content, boilerplate: the selected block, or the one under the mouse",
    "Space": "turn the block",
    "g": "give all blocks like it the same label, or turn all if they have it",
    "Ctrl-Z, Ctrl-Shift-Z": "undo, redo",
    "n, p": "the next or previous part of the main content",
    "Enter": "the page is done; go to the next",
    "?": "this list",
}


def label_page(
    annotation: Annotation,
    labelled: LabelledPage,
    *,
    save_url: str | None,
    links: Links = NO_LINKS,
    progress: str = "",
) -> str:
    """Return a page as an HTML document in which a person corrects the labels of ``labelled``.

    After each change the document posts JSON to ``save_url``, for all blocks of the page::

        {"labels": ["main", "boilerplate", ...], "by": ["model", "person", ...], "done": false}

    Without ``save_url`` it stands alone, and offers the labelled page as a file to keep. ``progress`` says in words
    where the page is among others. Raises ValueError if ``labelled`` has other blocks than the page, and for an
    address that is not that of a page.
    """
    paths: dict[str, int] = {}  # their numbers; like blocks have the same
    data: dict[str, Any] = {
        "groups": [paths.setdefault(block.path, len(paths)) for block in labelled.blocks],
        "turned": {label: colour(label, 0.5, by="person") for label in ("main", "boilerplate")},
        "done": labelled.done,
        "save": None if save_url is None else safe_href(save_url),
    }
    if save_url is None:
        data["page"] = {"id": labelled.id, "url": labelled.url, "html": labelled.html}
        data["blocks"] = [[each.text, each.path, each.probability] for each in labelled.blocks]
    return page_document(
        annotation,
        shown_blocks(annotation, labelled),
        mode="label",
        facts=progress,
        links=links,
        tools=_TOOLS.format(done="Done, next page" if links.next_url else "Done", keep="hidden" if save_url else ""),
        keys=_KEYS,
        data=data,
        scripts=["labels.js", "saving.js", "label.js"],
        connects=save_url is not None,
    )


_TOOLS = """<button type="button" id="undo" title="Ctrl-Z">Undo</button>
<button type="button" id="redo" title="Ctrl-Shift-Z">Redo</button>
<span id="saved" role="status"></span>
<button type="button" id="retry" hidden>Try again</button>
<button type="button" id="keep" {keep}>Save labels.jsonl</button>
<button type="button" id="done" title="Enter">{done}</button>"""
