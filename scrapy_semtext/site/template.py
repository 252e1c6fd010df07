"""The template of one site: which blocks its pages share, learnt page by page in bounded memory."""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.site.bounds import LEAST_SIZE, SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.site.prints import PagePrint

    Kept = Sequence[bool] | NDArray[np.bool_]

#: Pages whose length is remembered, to tell duplicates by their overlap.
_RECENT = 256

#: A place's counts are halved when it has had so many blocks, so that what was long ago counts less.
_PLACE_BLOCKS = 2_000


@dataclass(frozen=True, slots=True)
class Rules:
    """When a block counts as shared, and how strong that is as evidence (chosen as in docs/research/site-templates.md).

    ``pages``: on how many other pages the block has to have been. ``constant_share``: what share of the blocks at its
    place has to have been on earlier pages: below it the place is one for content, and the block a quotation, a price
    or a paragraph that was printed twice. ``shift``: by how much a shared block's log-odds of being main content fall.
    ``overlap``: a page that has this share of its kept text, and of its blocks, in common with an earlier one is a
    duplicate of it, and teaches nothing (deboiler's guard).
    """

    pages: int = 2
    constant_share: float = 0.5
    shift: float = 1.5
    overlap: float = 0.8


class Seen(NamedTuple):
    """Of a block: on how many pages it was, and the number of the last of them."""

    pages: int
    last: int


class Place(NamedTuple):
    """Of a place: how many blocks it had after its first page, and how many of these were on earlier pages."""

    blocks: int
    constant: int


_NEVER = Seen(0, 0)
_NOWHERE = Place(0, 0)


class SiteTemplate:
    """What the pages of one site have shared so far.

    At most ``size`` blocks and as many places are remembered; those that went longest without being met are forgotten
    first. Of a page with more than ``size // 4`` blocks a part is learnt, always the same one of the same blocks.
    Learning a page takes time linear in its blocks, whatever came before. Raises ValueError for a size that is below
    LEAST_SIZE.
    """

    __slots__ = ("blocks", "duplicates", "lengths", "pages", "places", "rules", "size")

    def __init__(self, size: int = SIZE, rules: Rules | None = None) -> None:
        if size < LEAST_SIZE:
            raise ValueError(f"the size is {size!r}; it has to be at least {LEAST_SIZE}")
        self.size = size
        self.rules = rules or Rules()
        self.pages = 0
        self.duplicates = 0
        # by fingerprint, the one met last at the end
        self.blocks: OrderedDict[int, Seen] = OrderedDict()
        self.places: OrderedDict[int, Place] = OrderedDict()
        #: Characters that were kept of the last pages, by the pages' numbers.
        self.lengths: OrderedDict[int, int] = OrderedDict()

    def shared(self, page: PagePrint, *, learnt: bool = False) -> NDArray[np.bool_]:
        """Return which blocks the site's other pages share: (blocks,).

        ``learnt`` says that the page itself has been counted, and is not one of the other pages.
        """
        found = (self._is_shared(*block, learnt) for block in zip(page.blocks, page.places, strict=True))
        return np.fromiter(found, np.bool_, len(page))

    def evidence(self, page: PagePrint, *, learnt: bool = False) -> NDArray[np.float64]:
        """Return what to add to the log-odds of each block being main content: (blocks,), 0 or less."""
        return np.where(self.shared(page, learnt=learnt), -self.rules.shift, 0.0)

    def learn(self, page: PagePrint, kept: Kept) -> bool:
        """Count a page, unless it is a duplicate; ``kept`` says which blocks the labeller alone takes for main content.

        Returns whether it was counted.
        """
        if self._is_duplicate(page, kept):
            self.duplicates += 1
            return False
        self.pages += 1
        chosen = self._chosen(page)
        self._learn_places(page, chosen)
        for block in dict.fromkeys(page.blocks[i] for i in chosen):
            if block:
                seen = self.blocks.pop(block, _NEVER)
                self.blocks[block] = Seen(seen.pages + 1, self.pages)
        self.lengths[self.pages] = sum(_kept_sizes(page, kept).values())
        self.forget()
        return True

    def forget(self) -> None:
        """Forget what is too much, the oldest first."""
        for memory, most in ((self.blocks, self.size), (self.places, self.size), (self.lengths, _RECENT)):
            while len(memory) > most:
                memory.popitem(last=False)

    def _is_shared(self, block: int, place: int, learnt: bool) -> bool:
        if self.blocks.get(block, _NEVER).pages < self.rules.pages + learnt:
            return False
        blocks, constant = self.places.get(place, _NOWHERE)
        return blocks > 0 and constant >= self.rules.constant_share * blocks

    def _is_duplicate(self, page: PagePrint, kept: Kept) -> bool:
        """Whether an earlier page has the same kept text, and most of the blocks are known.

        Either alone would not tell: on sites with long menus all pages have most of their blocks in common, and a page
        of which nothing but a banner was kept is no duplicate of the next of that kind.
        """
        blocks = [block for block in page.blocks if block]
        known = sum(block in self.blocks for block in blocks)
        if not blocks or known < self.rules.overlap * len(blocks):
            return False
        sizes = _kept_sizes(page, kept)
        length = sum(sizes.values())
        common: Counter[int] = Counter()
        for block, size in sizes.items():
            common[self.blocks.get(block, _NEVER).last] += size
        return any(
            size >= self.rules.overlap * (length + self.lengths[number] - size)
            for number, size in common.items()
            if number in self.lengths
        )

    def _chosen(self, page: PagePrint) -> list[int]:
        """Return the indices of the blocks to learn: all, or those with the smallest fingerprints."""
        most = self.size // 4
        if len(page) <= most:
            return [*range(len(page))]
        return sorted(range(len(page)), key=page.blocks.__getitem__)[:most]

    def _learn_places(self, page: PagePrint, chosen: list[int]) -> None:
        found: dict[int, tuple[int, int]] = {}
        for i in chosen:
            blocks, constant = found.get(page.places[i], (0, 0))
            found[page.places[i]] = blocks + 1, constant + (page.blocks[i] in self.blocks)
        for place, (blocks, constant) in found.items():
            old = self.places.pop(place, None)
            if old is None:  # on a place's first page, nothing can have been there before
                self.places[place] = _NOWHERE
                continue
            now = Place(old.blocks + blocks, old.constant + constant)
            self.places[place] = now if now.blocks < _PLACE_BLOCKS else Place(now.blocks // 2, now.constant // 2)


def _kept_sizes(page: PagePrint, kept: Kept) -> dict[int, int]:
    """The kept blocks of a page with their sizes in characters."""
    return {block: size for block, size, keep in zip(page.blocks, page.sizes, kept, strict=True) if keep and block}
