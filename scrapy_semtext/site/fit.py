"""What the pages of one finished site share: the template of all of them, learnt in the order of their addresses."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.site.template import Rules, Seen, SiteTemplate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from scrapy_semtext.site.prints import PagePrint

#: Blocks of a site that are remembered while its pages are compared: how near to each other pages have to be, in the
#: order of their addresses. At a hundred new blocks a page they are those of 160 pages.
NEAR = 16_384

#: Without labels all text is compared to tell duplicates, menus included, so pages have to have more in common. More of
#: a place's blocks have to come again, too: over a crawl those of the first pages are new wherever they stand.
RULES = Rules(constant_share=0.6, overlap=0.9)


class Shared(NamedTuple):
    """What the pages of a site share: fingerprints of blocks, and of the places that hold mostly such."""

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
    """A template that keeps the shared blocks among those that it forgets, for the pages at which they were met."""

    __slots__ = ("_settled",)

    def __init__(self, size: int = NEAR, rules: Rules = RULES) -> None:
        super().__init__(size, rules)
        self._settled: OrderedDict[int, Seen] = OrderedDict()

    def learn_all(self, pages: Iterable[PagePrint]) -> SiteFit:
        """Learn pages that come in the order of their addresses; returns itself."""
        for page in pages:
            # what is known to be shared tells no duplicate
            self.learn(page, ~self.shared(page))
        return self

    def forget(self) -> None:
        """Forget what is too much, the oldest first, but not what is shared."""
        while len(self.blocks) > self.size:
            block, seen = self.blocks.popitem(last=False)
            if seen.pages > self.rules.pages:
                self._settled[block] = seen
        while len(self._settled) > self.size:
            self._settled.popitem(last=False)
        super().forget()

    def result(self) -> Shared:
        """Return what is shared: blocks on enough pages, and places that hold mostly such."""
        blocks = {block for block, seen in self.blocks.items() if seen.pages > self.rules.pages}
        places = (
            place
            for place, (count, constant) in self.places.items()
            if count > 0 and constant >= self.rules.constant_share * count
        )
        return Shared(frozenset(blocks.union(self._settled)), frozenset(places))
