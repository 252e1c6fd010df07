"""What trees are told of a page's own description: how far blocks say the same, and the elements around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.description import Description
    from scrapy_semtext.structure.layout import Layout

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


def description_columns(description: Description, layout: Layout) -> NDArray[np.float32]:
    """The columns of a page's blocks, (blocks, 10), float32; ``layout`` is that of the blocks, at least one."""
    share, coverage = description.share, description.coverage
    best = int(coverage.argmax())
    found = coverage[best] >= _FOUND
    distance = np.arange(len(coverage)) - best if found else np.full(len(coverage), _NOT_FOUND)
    inside = layout.totals(coverage[:, None])[:, 0]
    own = [share, coverage, distance, np.full(len(coverage), coverage[best] if found else 0.0)]
    return np.stack([*own, *(inside[scopes] for scopes in layout.above(_LEVELS).values())], axis=1).astype(np.float32)
