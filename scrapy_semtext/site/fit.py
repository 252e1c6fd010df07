"""The template of a finished site, learnt from all of its pages in the order of their URLs."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.site.template import Rules, Seen, SiteTemplate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from scrapy_semtext.site.prints import PagePrint

#: The number of blocks stored while the pages of a site are compared, which limits how far apart in URL order pages
#: may be. With 100 new blocks per page it covers 160 pages.
WINDOW_BLOCKS = 16_384

#: Without labels, duplicates are detected by all text, menus included, so the required overlap is higher. So is the
#: share of repeated blocks at a position.
RULES = Rules(constant_share=0.6, overlap=0.9)


class Shared(NamedTuple):
    """Fingerprints of the blocks that pages of a site share, and of positions that hold mostly shared blocks."""

    blocks: frozenset[int]
    places: frozenset[int]

    def evidence(self, page: PagePrint, shift: float) -> NDArray[np.float64]:
        """Return what to add to the log-odds of each block being main content: (blocks,), ``-shift`` or 0."""
        return np.array(
            [
                -shift if block in self.blocks and place in self.places else 0.0
                for block, place in zip(page.blocks, page.places, strict=True)
            ],
            np.float64,
        )


class SiteFit(SiteTemplate):
    """A template that retains shared blocks when it evicts others."""

    __slots__ = ("_retained",)

    def __init__(self, rules: Rules = RULES) -> None:
        super().__init__(WINDOW_BLOCKS, rules)
        self._retained: OrderedDict[int, Seen] = OrderedDict()

    def learn_all(self, pages: Iterable[PagePrint]) -> SiteFit:
        """Learn pages, which have to be in the order of their URLs; returns itself."""
        for page in pages:
            # duplicates are detected by blocks that are not known to be shared
            self.learn(page, ~self.shared(page))
        return self

    def forget(self) -> None:
        """Evict the least recently seen entries beyond ``size``, but retain shared blocks."""
        while len(self.blocks) > self.size:
            block, seen = self.blocks.popitem(last=False)
            if seen.pages > self.rules.pages:
                self._retained[block] = seen
        while len(self._retained) > self.size:
            self._retained.popitem(last=False)
        super().forget()

    def result(self) -> Shared:
        """Return the blocks that are on enough pages, and the positions that hold mostly such blocks."""
        blocks = {block for block, seen in self.blocks.items() if seen.pages > self.rules.pages}
        places = (
            place
            for place, (count, constant) in self.places.items()
            if count > 0 and constant >= self.rules.constant_share * count
        )
        return Shared(frozenset(blocks.union(self._retained)), frozenset(places))
