"""Common parts of the view and the label page: the page in its frame, with its blocks next to it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_semtext.tree.tags import HEADING_LEVELS
from scrapy_semtext.viewer.document import BASE_POLICY, document, link, safe_copy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_semtext.extractor import Annotation
    from scrapy_semtext.page import BlockLabel
    from scrapy_semtext.site.deboiler import LabeledPage
    from scrapy_semtext.tree.segmentation import Run

_COLOURS = {"main": (46, 172, 86), "boilerplate": (226, 80, 72), "title": (58, 128, 246)}

#: The labels in words.
WORDING = {"main": "main content", "boilerplate": "boilerplate", "title": "title of the page"}


class ShownBlock(NamedTuple):
    """A block as displayed; ``probability`` is that of main content, ``by`` is the author of the label.

    ``is_title``: whether its text is the title of the page.
    """

    text: str
    label: BlockLabel
    probability: float
    by: str
    tag: str
    classes: str
    hidden: bool
    is_title: bool = False

    @property
    def colour(self) -> str:
        """The color of its label; the title has a separate color until a person labels it."""
        if self.is_title and self.by == "model":
            return colour("title", 1.0)
        return colour(self.label, self.probability, self.by)


def shown_blocks(annotation: Annotation, labeled: LabeledPage | None = None) -> list[ShownBlock]:
    """Return the blocks of a page in page order, with the labels of ``labeled`` if given.

    Raises ValueError if ``labeled`` has other blocks than the page.
    """
    blocks = annotation.page.blocks
    labels: list[tuple[BlockLabel, float, str]]
    if labeled is None:
        labels = [(block.label, block.probability, "model") for block in blocks]
    elif [each.text for each in labeled.blocks] == [block.text for block in blocks]:
        labels = [(each.label, each.probability, each.by) for each in labeled.blocks]
    else:
        raise ValueError("the labeled page has other text blocks than the page: it was cut by another version")
    shown = [
        ShownBlock(block.text, label, probability, by, block.tag, block.classes, text_block.hidden)
        for block, (label, probability, by), text_block in zip(blocks, labels, annotation.text_blocks, strict=True)
    ]
    titles = [number for number, block in enumerate(shown) if block.text == annotation.page.title]
    if titles:  # a menu before the heading may have the same text
        title = next((number for number in titles if shown[number].tag in HEADING_LEVELS), titles[0])
        shown[title] = shown[title]._replace(is_title=True)
    return shown


#: The color strength of a block that a person has labeled; by the model it is at most 0.55.
_BY_PERSON = 0.75


def colour(label: str, probability: float, by: str = "model") -> str:
    """Return the label's color on white, stronger the more certain the label is.

    The color is opaque, so that black text on it is readable on any page background.
    """
    sure = max(0.0, min(1.0, 1 - probability if label == "boilerplate" else probability))
    strength = _BY_PERSON if by == "person" else 0.1 + 0.45 * sure
    return "#" + "".join(f"{round(255 + (part - 255) * strength):02x}" for part in _COLOURS[label])


def percent(share: float) -> str:
    """Return a probability in percent; values that are only close to 0 or 1 are not rounded to these."""
    if 0.99 < share < 1:
        return "over 99 %"
    if 0 < share < 0.01:
        return "under 1 %"
    return f"{share:.0%}".replace("%", " %")


def listed(blocks: Sequence[ShownBlock]) -> str:
    """Return the items of the list of all blocks."""
    return "\n".join(_item(number, block) for number, block in enumerate(blocks))


def _item(number: int, block: ShownBlock) -> str:
    likely = percent(block.probability)
    about = ["", f"probability of main content: {likely}"]
    about += ["title of the page"] * block.is_title + ["hidden on the page"] * block.hidden
    about += [f"<{block.tag}>", *[" ".join(block.classes.split())] * bool(block.classes.strip())]
    return (
        f'<li id="block-{number}" role="option" aria-selected="false" data-block="{number}" data-label="{block.label}" '
        f'data-by="{escape(block.by)}" style="border-left-color:{block.colour}">'
        f'<div class="about"><span>{number + 1} · <b class="label">{WORDING[block.label]}</b>'
        f'<span class="more">{escape(" · ".join(about))}</span></span>'
        f'<span class="likely" title="probability of main content">{likely}</span></div>'
        f'<div class="text">{escape(block.text, quote=False)}</div></li>'
    )


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
semtext-mark[data-dragged] {{ outline: 2px dashed #1d4ed8 !important }}
html[data-main-only] body :not([data-kept], br) {{ display: none !important }}
}}
</style>
"""


class Panel(NamedTuple):
    """The content next to the page under one tab; ``content`` is HTML."""

    name: str
    title: str
    content: str


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
    scripts: Sequence[str],
    connects: bool = False,
) -> str:
    """Return the document.

    ``facts`` is text, ``tools`` is HTML; ``keys`` describes the function of each key; ``data`` is the scripts' input.
    """
    page = annotation.page
    block_list = (
        '<ol id="blocks" role="listbox" tabindex="0" aria-label="All text blocks of the page">\n'
        f"{listed(blocks)}\n</ol>"
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
            "tabs": "".join(map(_tab, shown)),
            "panels": "\n".join(map(_panel, shown)),
            "keys": "".join(f"<dt>{key}</dt><dd>{escape(what)}</dd>" for key, what in keys.items()),
        },
        styles=["common.css", "page.css", "dark.css"],
        scripts=["page.js", *scripts],
        data={
            "labels": [block.label for block in blocks],
            "by": [block.by for block in blocks],
            "colours": [block.colour for block in blocks],
            **data,
        },
        connects=connects,
    )


def _tab(panel: Panel) -> str:
    return (
        f'<button type="button" role="tab" id="tab-{panel.name}" aria-controls="panel-{panel.name}">'
        f"{escape(panel.title)}</button>"
    )


def _panel(panel: Panel) -> str:
    return (
        f'<section role="tabpanel" id="panel-{panel.name}" aria-labelledby="tab-{panel.name}">{panel.content}</section>'
    )


def _legend() -> str:
    """Return the legend of colors: for each label from uncertain to certain, and that of the title."""
    labels = "".join(
        f"<span>{''.join(_swatch(label, sure) for sure in (0.1, 0.55, 1.0))}{WORDING[label]}, unsure to sure</span>"
        for label in ("main", "boilerplate")
    )
    return f"{labels}<span>{_swatch('title', 1.0)}{WORDING['title']}</span>"


def _swatch(label: str, sure: float) -> str:
    return f'<i style="background:{colour(label, 1 - sure if label == "boilerplate" else sure)}"></i>'


def _marks(annotation: Annotation, blocks: Sequence[ShownBlock]) -> dict[Run, str]:
    """Return the start tag of the mark around each text node of a block."""
    marks = {}
    for number, (block, text_block) in enumerate(zip(blocks, annotation.text_blocks, strict=True)):
        style = f"background:{block.colour}!important"
        mark = f'<semtext-mark data-block="{number}" data-by="{escape(block.by)}" style="{style}">'
        marks.update(dict.fromkeys(text_block.runs, mark))
    return marks
