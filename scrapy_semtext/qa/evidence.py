"""The posts of a page as evidence for the labels of its blocks: on a thread, the posts are the main content.

Labelers know threads of the forum engines that they were fitted to. The models of posts depend on structure alone, and
find the posts of other engines too (docs/research/qa-pairs.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.features.post_features import PostEvidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.qa.candidate_sets import Candidate
    from scrapy_semtext.qa.nodes import PageNodes
    from scrapy_semtext.qa.reader import PostSearch


def evidence_of(found: PostSearch | None, blocks: Sequence[TextBlock]) -> PostEvidence | None:
    """Return where text blocks stand among the posts of their page; None without posts.

    ``blocks`` are all combined blocks of the page of which ``found`` is the result.
    """
    if found is None or found.posts is None:
        return None
    nodes = found.nodes
    post_of_raw = _post_of_raw(nodes, found.posts.bodies)
    begin, end = _ranges(nodes.blocks, blocks)
    chars = nodes.chars
    within = np.append(0.0, np.cumsum(np.diff(chars) * (post_of_raw >= 0)))
    inside = (within[end] - within[begin]) / (chars[end] - chars[begin])
    # the first raw block from the begin of each block on that stands in a post
    in_posts = np.flatnonzero(post_of_raw >= 0)
    first = np.append(in_posts, len(post_of_raw))[np.searchsorted(in_posts, begin)]
    post = np.where(first < end, np.append(post_of_raw, -1)[first], -1)
    posts = found.posts
    return PostEvidence(posts.probability, len(posts.bodies), inside, post, posts.comments)


def _post_of_raw(nodes: PageNodes, bodies: Candidate) -> NDArray[np.int64]:
    """The number of the post that each raw block (one of the search phase) stands in, -1 for none; (raw blocks,)."""
    posts = np.full(len(nodes.blocks), -1, dtype=np.int64)
    for number, body in enumerate(bodies):
        posts[nodes.firsts[body] : nodes.lasts[body]] = number
    return posts


def _ranges(
    raw_blocks: Sequence[TextBlock], blocks: Sequence[TextBlock]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the last (exclusive) of the raw blocks that each block was combined from; (blocks,) each.

    A combined block has the text nodes of these, in their order.
    """
    raw_ends, ends = (np.cumsum([len(one.runs) for one in many]) for many in (raw_blocks, blocks))
    end = np.searchsorted(raw_ends, ends) + 1
    return np.append(0, end[:-1]), end
