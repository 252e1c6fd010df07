"""A page as one HTML file, its text blocks coloured by label and probability (the paper's figures 1 and 5).

The file can be opened without fear of what the page holds: the copy of the page is made of listed elements and
attributes only (`copying.py`), it stands in a frame whose sandbox allows neither scripts nor forms, and the policy of
both documents forbids every request.
"""

from __future__ import annotations

from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from scrapy_semtext.cli.viewer.copying import safe_copy
from scrapy_semtext.text.tokens import word_counts

if TYPE_CHECKING:
    from scrapy_semtext.dom.segmentation import Run, TextBlock
    from scrapy_semtext.extractor import Annotation
    from scrapy_semtext.page import Block, Page

#: Nothing may be fetched; styles and images come from the file itself.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

_MAIN, _BOILERPLATE = (46, 172, 86), (226, 80, 72)

# The page's own styles come behind the first rules and before none: what hides a page until its scripts have run, or
# moves it out of view, is undone.
_HEAD = f"""<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">
<style>
body {{ margin: 1rem; font: 16px/1.5 system-ui, sans-serif }}
a {{ color: #05c; text-decoration: underline }}
html, body {{ display: block !important; visibility: visible !important; opacity: 1 !important;
  overflow: auto !important; height: auto !important; max-height: none !important; position: static !important }}
img:not([src]) {{ font-size: .75rem; color: #888; outline: 1px dotted #bbb }}
semtext-mark {{ display: inline !important; border-radius: 2px; color: #111 !important; text-shadow: none !important;
  -webkit-text-fill-color: #111 !important; box-decoration-break: clone; -webkit-box-decoration-break: clone }}
</style>
"""


def render_view(annotation: Annotation) -> str:
    """Return a page as an HTML document that shows its blocks coloured, in place and as a list.

    Green is main content and red boilerplate; the stronger the colour, the surer the model; what it is in doubt about
    is nearly white.
    """
    page = annotation.page
    title = page.title or page.url or "Page without a title"
    return Template(files(__package__).joinpath("template.html").read_text("utf-8")).substitute(
        policy=POLICY,
        title=escape(title),
        url=escape(page.url or ""),
        summary=escape(_summary(page)),
        legend=_legend(),
        page=escape(safe_copy(annotation.root, _marks(annotation), _HEAD)),
        blocks="\n".join(
            _listed(number, block, text_block)
            for number, (block, text_block) in enumerate(zip(page.blocks, annotation.text_blocks, strict=True), 1)
        ),
    )


def _marks(annotation: Annotation) -> dict[Run, str]:
    """The start tag of the mark around each text node of a block."""
    marks = {}
    for number, (block, text_block) in enumerate(zip(annotation.page.blocks, annotation.text_blocks, strict=True), 1):
        colour = _colour(block.label, block.probability)
        mark = f'<semtext-mark style="background:{colour}!important" title="block {number}: {_verdict(block)}">'
        marks.update(dict.fromkeys(text_block.runs, mark))
    return marks


def _listed(number: int, block: Block, text_block: TextBlock) -> str:
    colour = _colour(block.label, block.probability)
    about = [str(number), _verdict(block), f"<{block.tag}>"]
    if block.classes:
        about.append(" ".join(block.classes.split()))
    if text_block.hidden:
        about.append("hidden on the page")
    return (
        f'<li class="{block.label}" style="background:{colour}"><div class="about">{escape(" · ".join(about))}</div>'
        f'<div class="text">{escape(block.text, quote=False)}</div></li>'
    )


def _verdict(block: Block) -> str:
    return f"{block.label}, p(main) = {block.probability:.2f}"


def _colour(label: str, probability: float) -> str:
    """The label's colour on white, stronger the nearer the probability is to the label's own end.

    The result covers what is below it, so that black text on it can be read whatever the page's background is.
    """
    is_main = label == "main"
    sure = max(0.0, min(1.0, probability if is_main else 1 - probability))
    strength = 0.12 + 0.58 * sure
    red, green, blue = (round(255 + (part - 255) * strength) for part in (_MAIN if is_main else _BOILERPLATE))
    return f"#{red:02x}{green:02x}{blue:02x}"


def _legend() -> str:
    steps = [("boilerplate", 0.0), ("boilerplate", 0.5), ("main", 0.5), ("main", 1.0)]
    return "".join(
        f'<span style="background:{_colour(label, value)}">{label}, p(main) = {value:g}</span>'
        for label, value in steps
    )


def _summary(page: Page) -> str:
    blocks = page.blocks
    counts = word_counts([block.text for block in blocks])
    kept = [bool(block.is_main) for block in blocks]
    share = f"{counts[kept].sum():.0f} of {counts.sum():.0f} words" if blocks else "no text"
    kind = f" · page kind: {page.page_kind}" if page.page_kind else ""
    return f"{len(blocks)} blocks, {sum(kept)} of them main content ({share}){kind}"
