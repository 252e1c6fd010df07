"""What the posts of a page say about its blocks: on a thread, the posts are the main content.

Labelers know threads from the engines that they learned from. The models of posts go by structure, and read threads of
engines that nobody showed them, too (docs/qa-pairs.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.features.post_features import PostEvidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.qa.candidates import Candidate
    from scrapy_semtext.qa.nodes import PageNodes
    from scrapy_semtext.qa.reader import PostSearch


def evidence_of(found: PostSearch | None, blocks: Sequence[TextBlock]) -> PostEvidence | None:
    """Return where text blocks stand among the posts that were found on their page; None without posts.

    ``blocks`` are the combined blocks of the page that ``found`` was looked for on, all of them.
    """
    if found is None or found.posts is None:
        return None
    nodes = found.nodes
    of_piece = _posts_of_pieces(nodes, found.posts.bodies)
    begin, end = _ranges(nodes.blocks, blocks)
    chars = nodes.chars
    within = np.append(0.0, np.cumsum(np.diff(chars) * (of_piece >= 0)))
    inside = (within[end] - within[begin]) / (chars[end] - chars[begin])
    # the first piece from the begin of each block on that stands in a post
    in_posts = np.flatnonzero(of_piece >= 0)
    first = np.append(in_posts, len(of_piece))[np.searchsorted(in_posts, begin)]
    post = np.where(first < end, np.append(of_piece, -1)[first], -1)
    return PostEvidence(found.posts.probability, len(found.posts.bodies), inside, post)


def _posts_of_pieces(nodes: PageNodes, bodies: Candidate) -> NDArray[np.int64]:
    """The number of the post that each block of the search phase stands in, -1 for none; (pieces,)."""
    posts = np.full(len(nodes.blocks), -1, dtype=np.int64)
    for number, body in enumerate(bodies):
        posts[nodes.firsts[body] : nodes.lasts[body]] = number
    return posts


def _ranges(pieces: Sequence[TextBlock], blocks: Sequence[TextBlock]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The blocks of the search phase, from and to (exclusive), that each combined block was made of; (blocks,) each.

    It has their text nodes, in their order.
    """
    of_pieces, of_blocks = (np.cumsum([len(one.runs) for one in many]) for many in (pieces, blocks))
    end = np.searchsorted(of_pieces, of_blocks) + 1
    return np.append(0, end[:-1]), end
