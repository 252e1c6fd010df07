"""Takes labels over to a page whose blocks are cut differently than when it was labelled."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from scrapy_semtext.text.folding import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from scrapy_semtext.site.labelled import LabelledBlock, LabelledPage


class Matched(NamedTuple):
    """The blocks of a page now, with the labels that were taken over.

    ``lost`` are the labels by a person that no block has. ``done`` is whether the page was done, and still is: a block
    that has none of its labels has not been seen by anybody.
    """

    blocks: list[LabelledBlock]
    lost: list[LabelledBlock]
    done: bool


def take_over(earlier: LabelledPage, blocks: Sequence[LabelledBlock]) -> Matched:
    """Give the blocks of a page, as the model labels them now, the labels that people gave them.

    Of a page that is done all labels are taken over, of others those by a person. Blocks are matched by text and path,
    then by their text alone, in page order.
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
    return Matched(result, lost, earlier.done and None not in found)


def _matches(earlier: Sequence[LabelledBlock], blocks: Sequence[LabelledBlock]) -> list[LabelledBlock | None]:
    """The earlier block of each block, None where there is none; each is used once."""
    found: list[LabelledBlock | None] = [None] * len(blocks)
    used: set[int] = set()
    keys: tuple[Callable[[LabelledBlock], Hashable], ...] = (lambda b: (_words(b), b.path), _words)
    for key in keys:
        waiting: defaultdict[Hashable, deque[LabelledBlock]] = defaultdict(deque)
        for before in earlier:
            if id(before) not in used:
                waiting[key(before)].append(before)
        for position, block in enumerate(blocks):
            if found[position] is None and (queue := waiting.get(key(block))):
                found[position] = queue.popleft()
                used.add(id(found[position]))
    return found


def _words(block: LabelledBlock) -> str:
    return one_line(block.text)
