"""The blocks of a page as they are shown: colour, wording, and the list of all of them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.extractor import Annotation
    from scrapy_semtext.page import BlockLabel
    from scrapy_semtext.site.labelled import LabelledPage

_COLOURS = {"main": (46, 172, 86), "boilerplate": (226, 80, 72)}

#: The labels in words.
WORDING = {"main": "main content", "boilerplate": "boilerplate"}


class ShownBlock(NamedTuple):
    """A block with what is shown of it; ``probability`` is that of main content, ``by`` who gave the label."""

    text: str
    label: BlockLabel
    probability: float
    by: str
    tag: str
    classes: str
    hidden: bool


def shown_blocks(annotation: Annotation, labelled: LabelledPage | None = None) -> list[ShownBlock]:
    """Return the blocks of a page in page order, with the labels of ``labelled`` if it is given.

    Raises ValueError if ``labelled`` has other blocks than the page.
    """
    blocks = annotation.page.blocks
    labels: list[tuple[BlockLabel, float, str]]
    if labelled is None:
        labels = [(block.label, block.probability, "model") for block in blocks]
    elif [each.text for each in labelled.blocks] == [block.text for block in blocks]:
        labels = [(each.label, each.probability, each.by) for each in labelled.blocks]
    else:
        raise ValueError("the labelled page has other text blocks than the page: it was cut by another version")
    return [
        ShownBlock(block.text, label, probability, by, block.tag, block.classes, text_block.hidden)
        for block, (label, probability, by), text_block in zip(blocks, labels, annotation.text_blocks, strict=True)
    ]


#: How strong the colour is of a block that a person has labelled; by the model it is at most 0.55.
_BY_PERSON = 0.75


def colour(label: str, probability: float, by: str = "model") -> str:
    """The label's colour on white, stronger the nearer the probability is to the label's own end.

    The result covers what is below it, so that black text on it can be read whatever the page's background is.
    """
    sure = max(0.0, min(1.0, probability if label == "main" else 1 - probability))
    strength = _BY_PERSON if by == "person" else 0.1 + 0.45 * sure
    return "#" + "".join(f"{round(255 + (part - 255) * strength):02x}" for part in _COLOURS[label])


def percent(share: float) -> str:
    """Return a probability in percent; one that is only nearly 0 or 1 is not shown as such."""
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
    about += ["hidden on the page"] * block.hidden
    about += [f"<{block.tag}>", *[" ".join(block.classes.split())] * bool(block.classes.strip())]
    return (
        f'<li id="block-{number}" role="option" aria-selected="false" data-block="{number}" data-label="{block.label}" '
        f'data-by="{escape(block.by)}" style="border-left-color:{colour(block.label, block.probability, block.by)}">'
        f'<div class="about"><span>{number + 1} · <b class="label">{WORDING[block.label]}</b>'
        f'<span class="more">{escape(" · ".join(about))}</span></span>'
        f'<span class="likely" title="probability of main content">{likely}</span></div>'
        f'<div class="text">{escape(block.text, quote=False)}</div></li>'
    )
