"""A page as a document that shows what was kept in place, or in which a person corrects its labels.

The page is in a frame, with its blocks, pairs, records, comments and sections next to it.
"""

from __future__ import annotations

from bisect import bisect_left
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_semtext.tree.tags import HEADING_LEVELS
from scrapy_semtext.viewer.document import BASE_POLICY, document, link, percent, safe_copy, safe_href
from scrapy_semtext.viewer.index import confidence
from scrapy_semtext.words.characters import word_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scrapy_semtext.extractor import Annotation
    from scrapy_semtext.page import Block, BlockLabel, Comment, Page, QAPair, Record, Section
    from scrapy_semtext.site.labeled_pages import LabeledPage
    from scrapy_semtext.tree.segmentation import Run

_COLORS = {"main": (46, 172, 86), "boilerplate": (226, 80, 72), "title": (58, 128, 246)}

#: The labels in words.
WORDING = {"main": "main content", "boilerplate": "boilerplate", "title": "title of the page"}

# The page's own styles come after these rules and may override the first ones. They cannot override those in the layer:
# important declarations of the first layer win over all others (CSS Cascade 5, 6.4.4).
_HEAD = f"""<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{BASE_POLICY}">
<style>
body {{ margin: 1rem; font: 16px/1.5 system-ui, sans-serif }}
a {{ color: #05c; text-decoration: underline }}
img:not([src]) {{ font-size: .75rem; color: #888; outline: 1px dotted #bbb }}
@layer semtext {{
html, body {{ display: block !important; visibility: visible !important; content-visibility: visible !important;
  opacity: 1 !important; overflow: auto !important; height: auto !important; max-height: none !important;
  position: static !important; transform: none !important; filter: none !important; clip-path: none !important;
  pointer-events: auto !important }}
*::before, *::after {{ z-index: auto !important; pointer-events: none !important }}
semtext-mark {{ display: inline !important; position: relative !important; z-index: 2147483647 !important;
  visibility: inherit !important; opacity: 1 !important; pointer-events: auto !important; border-radius: 2px;
  color: #111 !important; text-shadow: none !important; -webkit-text-fill-color: #111 !important;
  box-decoration-break: clone; -webkit-box-decoration-break: clone }}
semtext-mark[data-by="person"] {{ box-shadow: inset 0 -2px #1f2733 !important }}
semtext-mark[data-selected] {{ box-shadow: 0 2px #1d4ed8, 0 -2px #1d4ed8 !important }}
semtext-mark[data-selected][data-by="person"] {{
  box-shadow: 0 2px #1d4ed8, 0 -2px #1d4ed8, inset 0 -2px #1f2733 !important }}
html[data-main-only] body :not([data-kept], br) {{ display: none !important }}
}}
</style>
"""

#: The color strength of a block that a person has labeled; by the model it is at most 0.55.
_BY_PERSON = 0.75

_KEYS = {
    "n, j": "the next part of the main content",
    "p, k": "the part before",
    "m": "main content only, or the whole page",
    "↓, ↑": "the next block, the block before",
    "?": "this list",
}

_KEY = 24  # number of characters for locating a line of text
_MAX_SHOWN = 600  # maximum length of a text

_LABEL_KEYS = {
    "click": "turn a block, in the page or in the list",
    "Shift-click": "give the blocks from the last one on its label",
    "↓, ↑": "the next block, the block before",
    "m, b": "main content, boilerplate: the selected block, or the one under the mouse",
    "Space": "turn the block",
    "g": "give all blocks like it the same label, or turn all if they have it",
    "Ctrl-Z, Ctrl-Shift-Z": "undo, redo",
    "n, p": "the next or previous part of the main content",
    "Enter": "the page is done; go to the next",
    "?": "this list",
}

# The input of the scripts by attributes of `ShownBlock`.
_DATA_OF_BLOCKS = {"labels": "label", "by": "by", "colors": "color"}

_TAB = '<button type="button" role="tab" id="tab-{name}" aria-controls="panel-{name}">{title}</button>'
_PANEL = '<section role="tabpanel" id="panel-{name}" aria-labelledby="tab-{name}">{content}</section>'
_TOOLS = """<button type="button" id="undo" title="Ctrl-Z">Undo</button>
<button type="button" id="redo" title="Ctrl-Shift-Z">Redo</button>
<span id="saved" role="status"></span>
<button type="button" id="retry" hidden>Try again</button>
<button type="button" id="done" title="Enter">{done}</button>"""


class NeighborLinks(NamedTuple):
    """The URLs of the neighboring pages."""

    previous_url: str | None = None
    next_url: str | None = None
    index_url: str | None = None

    def html(self) -> str:
        """Return the links in the header."""
        return (
            link(self.previous_url, "‹ previous page", "previous-page")
            + link(self.index_url, "overview", "overview")
            + link(self.next_url, "next page ›", "next-page")
        )


NO_LINKS = NeighborLinks()


def view_page(annotation: Annotation, links: NeighborLinks = NO_LINKS) -> str:
    """Return a page as an HTML document that shows its blocks colored, in place and as a list.

    Green is main content, red boilerplate and blue the title; the stronger the color, the more certain the model.
    Pairs, records, comments and sections of the page are next to it. ``links`` lead to the previous and next views, and
    to their overview; raises ValueError for one that is not the URL of a page.
    """
    return page_document(
        annotation,
        shown_blocks(annotation),
        mode="view",
        facts=_facts(annotation.page),
        links=links,
        keys=_KEYS,
        panels=panels_of(annotation.page),
        data={},
    )


def _facts(page: Page) -> str:
    blocks = page.blocks
    kept = [block.is_main for block in blocks]
    counts = word_counts([block.text for block in blocks])
    words = f"{counts[kept].sum():,.0f} of {counts.sum():,.0f} words" if blocks else "no text"
    facts = [page.page_kind] * bool(page.page_kind)
    facts += [f"{sum(kept)} of {len(blocks)} blocks kept", words]
    if blocks:
        facts.append(f"confidence {percent(confidence(page))}")
    return " · ".join(map(str, facts))


def panels_of(page: Page) -> list[Panel]:
    """Return the panels for the page's results."""
    places = _TextPlaces(page.blocks)
    has_titles = any(section.title for section in page.sections)
    ranked = sorted(enumerate(page.qa_pairs, 1), key=lambda numbered: -numbered[1].score)
    entries = {
        "pairs": ("Pairs", [_pair(*each, places) for each in ranked]),
        "records": ("Records", [_record(record, places) for record in page.records]),
        "comments": ("Comments", list(_comments(page.comments, places))),
        "sections": ("Sections", list(_sections(page.sections, places)) if has_titles else []),
    }
    return [
        Panel(name, f"{title} ({len(shown)})", f'<ul class="entries">{"".join(shown)}</ul>')
        for name, (title, shown) in entries.items()
        if shown
    ]


class _TextPlaces:
    """Locates texts of the page: returns the block of a text's first known line, searching on from the last result."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        self._numbers: dict[str, list[int]] = {}
        self._last = 0
        for number, block in enumerate(blocks):
            for key in _keys(block.text):
                self._numbers.setdefault(key, []).append(number)

    def find(self, text: str | None) -> int | None:
        """Return the number of a block that contains the beginning of a line of the text, None if there is none."""
        for key in _keys(text or ""):
            numbers = self._numbers.get(key)
            if numbers:
                later = bisect_left(numbers, self._last)
                self._last = numbers[later if later < len(numbers) else 0]
                return self._last
        return None


def _keys(text: str) -> Iterator[str]:
    """Yield the beginnings of a text's lines."""
    for line in text.splitlines():
        key = " ".join(line[: 4 * _KEY].split())[:_KEY]
        if key:
            yield key


def _pair(number: int, pair: QAPair, places: _TextPlaces) -> str:
    question, answer = places.find(pair.question), places.find(pair.answer)
    facts = [f"pair {number}", pair.author, pair.date, None if pair.votes is None else f"{pair.votes} votes"]
    facts += ["accepted" if pair.accepted else None, f"score {percent(pair.score)}"]
    facts += ["from the page's markup" if pair.source == "markup" else None]
    facts += [None if pair.answer_to is None else f"reply to pair {pair.answer_to}"]
    return (
        f"<li>{_entry(question, pair.question, 'title')}{_entry(answer, pair.answer, 'text')}{_facts_line(facts)}</li>"
    )


def _record(record: Record, places: _TextPlaces) -> str:
    facts = [record.author, record.date, *(f"{name}: {value}" for name, value in record.numbers.items())]
    return (
        f"<li>{_entry(places.find(record.title), record.title, 'title')}"
        f'<div class="url">{escape(record.url)}</div><div class="text">{_short(record.text)}</div>'
        f"{_facts_line(facts)}</li>"
    )


def _comments(comments: Sequence[Comment], places: _TextPlaces) -> Iterator[str]:
    depths: list[int] = []
    for comment in comments:
        depths.append(0 if comment.parent is None else depths[comment.parent] + 1)
        place = places.find(comment.text)
        yield (
            f'<li style="margin-left:{min(depths[-1], 8)}rem">{_entry(place, comment.text, "text")}'
            f"{_facts_line([comment.author, comment.date])}</li>"
        )


def _sections(sections: Sequence[Section], places: _TextPlaces) -> Iterator[str]:
    """Yield the sections of all levels, in page order, without recursion."""
    waiting = [(section, 0) for section in reversed(sections)]
    while waiting:
        section, depth = waiting.pop()
        waiting.extend((inner, depth + 1) for inner in reversed(section.sections))
        title = section.title or "(before the first title)"
        place = places.find(section.title or section.text)
        yield (
            f'<li style="margin-left:{min(depth, 8)}rem">{_entry(place, title, "title")}'
            f'<div class="text">{_short(section.text)}</div></li>'
        )


def _entry(place: int | None, text: str, name: str) -> str:
    """Return a text that links to its block, if known."""
    if place is None:
        return f'<div class="{name}">{_short(text)}</div>'
    return f'<button type="button" class="{name}" data-block="{place}">{_short(text)}</button>'


def _short(text: str) -> str:
    return escape(text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN].rstrip()} …", quote=False)


def _facts_line(facts: Iterable[str | None]) -> str:
    line = " · ".join(fact for fact in facts if fact)
    return f'<div class="facts">{escape(line)}</div>' if line else ""


def label_page(
    annotation: Annotation,
    labeled: LabeledPage,
    *,
    save_url: str,
    links: NeighborLinks = NO_LINKS,
    progress: str = "",
) -> str:
    """Return a page as an HTML document in which a person corrects the labels of ``labeled``.

    After each change the document posts JSON to ``save_url``, for all blocks of the page::

        {"labels": ["main", "boilerplate", ...], "by": ["model", "person", ...], "done": false}

    ``progress`` describes the position of the page among others. Raises ValueError if ``labeled`` has other blocks than
    the page, and for an invalid URL.
    """
    paths: dict[str, int] = {}  # their numbers; similar blocks have the same
    data: dict[str, Any] = {
        "groups": [paths.setdefault(block.path, len(paths)) for block in labeled.blocks],
        "turned": {label: color(label, 0.5, by="person") for label in ("main", "boilerplate")},
        "done": labeled.done,
        "save": safe_href(save_url),
    }
    return page_document(
        annotation,
        shown_blocks(annotation, labeled),
        mode="label",
        facts=progress,
        links=links,
        tools=_TOOLS.format(done="Done, next page" if links.next_url else "Done"),
        keys=_LABEL_KEYS,
        data=data,
        connects=True,
    )


class ShownBlock(NamedTuple):
    """A block as displayed, with its current label; ``probability`` is that of main content, ``by`` labeled it.

    ``is_title``: whether its text is the title of the page.
    """

    block: Block
    label: BlockLabel
    probability: float
    by: str
    hidden: bool
    is_title: bool

    @property
    def color(self) -> str:
        """The color of its label; the title has a separate color until a person labels it."""
        if self.is_title and self.by == "model":
            return color("title", 1.0)
        return color(self.label, self.probability, self.by)


def shown_blocks(annotation: Annotation, labeled: LabeledPage | None = None) -> list[ShownBlock]:
    """Return the blocks of a page in page order, with the labels of ``labeled`` if given.

    Raises ValueError if ``labeled`` has other blocks than the page.
    """
    page = annotation.page
    labels: Sequence[Any] = page.blocks if labeled is None else labeled.blocks
    if [each.text for each in labels] != [block.text for block in page.blocks]:
        raise ValueError("the labeled page has other text blocks than the page: it was cut by another version")
    titles = [block for block in page.blocks if block.text == page.title]
    # a menu before the heading may have the same text
    title = min(titles, key=lambda block: block.tag not in HEADING_LEVELS, default=None)
    shown = zip(page.blocks, labels, annotation.text_blocks, strict=True)
    return [
        ShownBlock(block, each.label, each.probability, getattr(each, "by", "model"), text_block.hidden, block is title)
        for block, each, text_block in shown
    ]


def color(label: str, probability: float, by: str = "model") -> str:
    """Return the label's color on white, stronger the more certain the label is.

    The color is opaque, so that black text on it is readable on any page background.
    """
    sure = max(0.0, min(1.0, 1 - probability if label == "boilerplate" else probability))
    strength = _BY_PERSON if by == "person" else 0.1 + 0.45 * sure
    return "#" + "".join(f"{round(255 + (part - 255) * strength):02x}" for part in _COLORS[label])


def _item(number: int, shown: ShownBlock) -> str:
    block, likely = shown.block, percent(shown.probability)
    about = ["", f"probability of main content: {likely}"]
    about += ["title of the page"] * shown.is_title + ["hidden on the page"] * shown.hidden
    about += [f"<{block.tag}>", *[" ".join(block.classes.split())] * bool(block.classes.strip())]
    return (
        f'<li id="block-{number}" role="option" aria-selected="false" data-block="{number}" data-label="{shown.label}" '
        f'data-by="{escape(shown.by)}" style="border-left-color:{shown.color}">'
        f'<div class="about"><span>{number + 1} · <b class="label">{WORDING[shown.label]}</b>'
        f'<span class="more">{escape(" · ".join(about))}</span></span>'
        f'<span class="likely" title="probability of main content">{likely}</span></div>'
        f'<div class="text">{escape(block.text, quote=False)}</div></li>'
    )


class Panel(NamedTuple):
    """The content next to the page under one tab; ``content`` is HTML."""

    name: str
    title: str
    content: str


def page_document(
    annotation: Annotation,
    blocks: Sequence[ShownBlock],
    *,
    mode: str,
    facts: str,
    links: NeighborLinks,
    tools: str = "",
    keys: Mapping[str, str],
    panels: Sequence[Panel] = (),
    data: Mapping[str, Any],
    connects: bool = False,
) -> str:
    """Return the document.

    ``facts`` is text, ``tools`` is HTML; ``keys`` describes the function of each key; ``data`` is the input of the
    scripts, one of which is that of the ``mode``.
    """
    page = annotation.page
    items = "\n".join(_item(number, block) for number, block in enumerate(blocks))
    block_list = (
        f'<ol id="blocks" role="listbox" tabindex="0" aria-label="All text blocks of the page">\n{items}\n</ol>'
    )
    shown = [Panel("blocks", f"All blocks ({len(blocks)})", block_list), *panels]
    return document(
        mode,
        page.title or page.url or "Page without a title",
        "page.html",
        {
            "url": escape(page.url or ""),
            "facts": escape(facts),
            "links": links.html(),
            "tools": tools,
            "legend": _legend(),
            "page": escape(safe_copy(annotation.root, _marks(annotation, blocks), _HEAD)),
            "tabs": "".join(_TAB.format(name=panel.name, title=escape(panel.title)) for panel in shown),
            "panels": "\n".join(_PANEL.format(name=panel.name, content=panel.content) for panel in shown),
            "keys": "".join(f"<dt>{key}</dt><dd>{escape(what)}</dd>" for key, what in keys.items()),
        },
        styles=["common.css", "page.css", "dark.css"],
        scripts=["page.js", f"{mode}.js"],
        data={
            **{key: [getattr(block, name) for block in blocks] for key, name in _DATA_OF_BLOCKS.items()},
            **data,
        },
        connects=connects,
    )


def _legend() -> str:
    """Return the legend of colors: for each label from uncertain to certain, and that of the title."""
    labels = "".join(
        f"<span>{''.join(_swatch(label, sure) for sure in (0.1, 0.55, 1.0))}{WORDING[label]}, unsure to sure</span>"
        for label in ("main", "boilerplate")
    )
    return f"{labels}<span>{_swatch('title', 1.0)}{WORDING['title']}</span>"


def _swatch(label: str, sure: float) -> str:
    return f'<i style="background:{color(label, 1 - sure if label == "boilerplate" else sure)}"></i>'


def _marks(annotation: Annotation, blocks: Sequence[ShownBlock]) -> dict[Run, str]:
    """Return the start tag of the mark around each text node of a block."""
    marks = {}
    for number, (block, text_block) in enumerate(zip(blocks, annotation.text_blocks, strict=True)):
        style = f"background:{block.color}!important"
        mark = f'<semtext-mark data-block="{number}" data-by="{escape(block.by)}" style="{style}">'
        marks.update(dict.fromkeys(text_block.runs, mark))
    return marks
