"""What trees are told of a page's own description: how far blocks say the same, and the elements around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.features.block_table import totals_of
from scrapy_semtext.features.structure_features import write_above

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.dom.scope_tree import ScopeTree
    from scrapy_semtext.features.description import Description

# Levels above a block whose elements it is told of.
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

# The description is found in a page if a block has this share of its words.
_FOUND = 0.4
_NOT_FOUND = -999.0


def write_description_columns(description: Description, layout: ScopeTree, out: NDArray[np.float32]) -> None:
    """Write the columns of a page's blocks, (10, blocks); ``layout`` is that of the blocks, at least one."""
    share, coverage = description.share, description.coverage
    best = int(coverage.argmax())
    found = coverage[best] >= _FOUND
    out[0] = share
    out[1] = coverage
    out[2] = np.arange(len(coverage)) - best if found else _NOT_FOUND
    out[3] = coverage[best] if found else 0.0
    write_above(layout, totals_of(layout, coverage[None]).astype(np.float32), _LEVELS, out[4:])
