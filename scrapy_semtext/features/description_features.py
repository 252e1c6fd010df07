"""Features of blocks by the page's own description: how far they say the same, and the elements around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.features.block_table import totals_of
from scrapy_semtext.features.per_page import first_maximum
from scrapy_semtext.features.structure_features import write_above

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.dom.scope_tree import ScopeTree
    from scrapy_semtext.features.description import Description

# How many levels above a block its elements are described.
_LEVELS = (0, 1, 2, 3, 4, 6)

#: The share of a block's words that the description has, and of the description's words that the block has; how many
#: blocks it stands behind the one that has most of them, and how much that is; and the sum of those shares of the
#: description over the blocks of the elements above.
DESCRIPTION_COLUMNS = (
    "description_share",
    "description_coverage",
    "description_distance",
    "description_found",
    *(f"description^{level}" for level in _LEVELS),
)

# A page has its description among its blocks if a block has this share of its words.
_FOUND = 0.4
_NOT_FOUND = -999.0


def write_description_columns(descriptions: Sequence[Description], tree: ScopeTree, out: NDArray[np.float32]) -> None:
    """Write the columns of the blocks of pages into ``out``, (10, blocks).

    ``descriptions``: one for each page; ``tree`` is that of the blocks, at least one of each page.
    """
    coverage = np.concatenate([description.coverage for description in descriptions])
    page = tree.page_of_block
    best, most = first_maximum(coverage, page, len(descriptions))
    found = most >= _FOUND
    out[0] = np.concatenate([description.share for description in descriptions])
    out[1] = coverage
    out[2] = np.where(found[page], np.arange(len(coverage)) - best[page], _NOT_FOUND)
    out[3] = np.where(found, most, 0.0)[page]
    write_above(tree, totals_of(tree, coverage[None]).astype(np.float32), _LEVELS, out[4:])
