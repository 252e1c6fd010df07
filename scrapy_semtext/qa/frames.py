"""What frames the text of posts inside their bodies: the same things at the same place of all, or of one author's."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.qa.nodes import PageNodes

_LEAST_POSTS, _NEARLY_ALL = 3, 0.8
_LONGEST, _USUAL = 80, 30  # characters of a text of a frame: at most, and of half of them
_TEXT_TAGS = frozenset(
    "p div td li dd section article blockquote pre br".split()
)  # which hold text if they have no names
_DIGITS = re.compile(r"\d+")
_SIGNATURE_LINES, _LONGEST_SIGNATURE = 6, 600


def without_frames(nodes: PageNodes, bodies: Sequence[int], posts: Sequence[list[TextBlock]]) -> list[list[TextBlock]]:
    """Take the short texts at the same place of nearly all bodies, such as name, rank and date, off their ends.

    ``posts`` are the blocks of each body that are left. A place is told by the tags and names between body and text.
    Where that would leave no text, the blocks stay.
    """
    if len(bodies) < _LEAST_POSTS:
        return list(posts)
    places = [
        [_place(block, nodes.scopes[body]) for block in blocks] for blocks, body in zip(posts, bodies, strict=True)
    ]
    framing = _framing(posts, places)
    return [_between(blocks, where, framing) or blocks for blocks, where in zip(posts, places, strict=True)]


def _framing(posts: Sequence[list[TextBlock]], places: Sequence[list[Hashable]]) -> set[Hashable]:
    """The places that nearly all posts have once, with short texts."""
    lengths: dict[Hashable, list[int]] = defaultdict(list)
    holding = Counter(place for where in places for place in set(where))
    for blocks, where in zip(posts, places, strict=True):
        for block, place in zip(blocks, where, strict=True):
            lengths[place].append(len(block.text))
    return {
        place
        for place, count in holding.items()
        if place
        and count >= _NEARLY_ALL * len(posts)
        and len(lengths[place]) <= 1.1 * count
        and max(lengths[place]) <= _LONGEST
        and median(lengths[place]) <= _USUAL
    }


def _between(blocks: list[TextBlock], places: Sequence[Hashable], framing: Collection[Hashable]) -> list[TextBlock]:
    begin, end = 0, len(blocks)
    while begin < end and places[begin] in framing:
        begin += 1
    while end > begin and places[end - 1] in framing:
        end -= 1
    return blocks[begin:end]


def _place(block: TextBlock, body: Any) -> Hashable:
    """The tags and names from a block up to its body; None if it could be the text of the post."""
    path = []
    for scope in block.scope.ancestry():
        if scope is body:
            break
        path.append((scope.tag, _DIGITS.sub("", scope.names)))
    is_text = all(tag in _TEXT_TAGS and not names for tag, names in path)
    return None if is_text else tuple(path)


def without_signatures(texts: Sequence[str], authors: Sequence[str | None]) -> list[str]:
    """Take the lines with which all posts of one author end off them; each keeps some."""
    lines = [text.split("\n") for text in texts]
    of_author: dict[str, list[int]] = defaultdict(list)
    for number, author in enumerate(authors):
        if author:
            of_author[author].append(number)
    for numbers in of_author.values():
        shared = _shared_end([lines[number] for number in numbers])
        for number in numbers if shared else ():
            del lines[number][-shared:]
    return ["\n".join(kept) for kept in lines]


def _shared_end(posts: Sequence[list[str]]) -> int:
    """How many lines at their ends several posts have in common; each has a line before these."""
    shared = 0
    if len(posts) > 1:
        most = min(_SIGNATURE_LINES, *(len(lines) - 1 for lines in posts))
        while shared < most and len({lines[-1 - shared] for lines in posts}) == 1:
            shared += 1
    return shared if sum(map(len, posts[0][len(posts[0]) - shared :])) <= _LONGEST_SIGNATURE else 0
