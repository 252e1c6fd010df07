"""The copy of the page that stands in the frame, each text node in a mark with the colour of its block.

The frame has the origin of the document, so that the viewer's script reaches into it, but no script runs in the frame:
its sandbox, its policy and the copy itself each rule that out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.viewer.blocks import colour
from scrapy_semtext.viewer.copying import safe_copy
from scrapy_semtext.viewer.document import BASE_POLICY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.dom.segmentation import Run
    from scrapy_semtext.extractor import Annotation
    from scrapy_semtext.viewer.blocks import ShownBlock


# The page's own styles come behind these rules. The first ones it may change. Those in the layer it may not: important
# declarations of the first layer win over all others (CSS Cascade 5, 6.4.4).
_HEAD = f"""<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{BASE_POLICY}">
<style>
body {{ margin: 1rem; font: 16px/1.5 system-ui, sans-serif }}
a {{ color: #05c; text-decoration: underline }}
img:not([src]) {{ font-size: .75rem; color: #888; outline: 1px dotted #bbb }}
@layer semtext {{
html, body {{ display: block !important; visibility: visible !important; opacity: 1 !important;
  overflow: auto !important; height: auto !important; max-height: none !important; position: static !important;
  transform: none !important; filter: none !important; clip-path: none !important; pointer-events: auto !important }}
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


def framed_page(annotation: Annotation, blocks: Sequence[ShownBlock]) -> str:
    """Return the safe copy of the page, coloured."""
    return safe_copy(annotation.root, _marks(annotation, blocks), _HEAD)


def _marks(annotation: Annotation, blocks: Sequence[ShownBlock]) -> dict[Run, str]:
    """The start tag of the mark around each text node of a block."""
    marks = {}
    for number, (block, text_block) in enumerate(zip(blocks, annotation.text_blocks, strict=True)):
        style = f"background:{colour(block.label, block.probability, block.by)}!important"
        mark = f'<semtext-mark data-block="{number}" data-by="{block.by}" style="{style}">'
        marks.update(dict.fromkeys(text_block.runs, mark))
    return marks
