"""What the posts of a page say about its blocks: on a thread, the posts are the main content.

Labellers know threads from the engines that they learned from. The models of posts go by structure, and read threads of
engines that nobody showed them, too (docs/qa-pairs.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.questions.candidates import Candidate
    from scrapy_semtext.questions.nodes import PageNodes
    from scrapy_semtext.questions.reader import PostSearch
    from scrapy_semtext.segment import TextBlock

#: Log-odds against a block outside of the posts, and for one inside, on a page that is a thread for certain and whose
#: labels are sure of none of its posts. Chosen on engines and domains that no model had seen (docs/training.md).
OUTSIDE, INSIDE = 2.0, 3.0


@dataclass(frozen=True, slots=True)
class PostEvidence:
    """Where the text blocks of a page stand among the likeliest posts on it.

    ``probability``: that the page is made of such posts; ``count``: of the posts; ``inside``: (blocks,), the share of
    each block that stands in posts; ``post``: (blocks,) int64, the first post that it stands in, from 0, -1 for none.
    """

    probability: float
    count: int
    inside: NDArray[np.float64]
    post: NDArray[np.int64]


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


def evident_log_odds(evidence: PostEvidence, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what to add to the log-odds of each block being main content, (blocks,).

    ``probabilities``: (blocks,), what the labels are so far. Blocks outside become less likely. Those inside become
    likelier the less the labels are sure of the posts, each by its surest block, in the mean: where they are sure of
    most, they know such pages, and what they leave out they leave out for a reason.
    """
    inside = evidence.inside
    unsure = 1 - _sureness(evidence, probabilities)
    odds: NDArray[np.float64] = evidence.probability * (INSIDE * unsure * inside - OUTSIDE * (1 - inside))
    return odds


def _sureness(evidence: PostEvidence, probabilities: NDArray[np.float64]) -> float:
    """The mean over the posts that have blocks of the probability of each one's surest block; 0 without any."""
    within = evidence.post >= 0
    surest = np.full(evidence.count, -1.0)
    np.maximum.at(surest, evidence.post[within], probabilities[within])
    return float(surest[surest >= 0].mean()) if within.any() else 0.0


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
