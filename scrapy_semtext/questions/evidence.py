"""What the posts of a page say about its blocks: on a thread, the posts are the main content.

Labellers know threads from the engines that they learned from. The models of posts go by structure, and read threads of
engines that nobody showed them, too (docs/qa-pairs.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.questions.candidates import Candidate
    from scrapy_semtext.questions.nodes import PageNodes
    from scrapy_semtext.questions.reader import PostSearch
    from scrapy_semtext.segment import TextBlock

#: Log-odds against a block outside of the posts, and for one inside, on a page that is a thread for certain and whose
#: labels are sure of none of its posts. Chosen on engines and domains that no model had seen (docs/training.md).
OUTSIDE, INSIDE = 2.0, 4.0


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
    pieces = found.nodes.blocks
    of_piece = _posts_of_pieces(found.nodes, found.posts.bodies)
    chars = np.array([len(piece.text) for piece in pieces])
    inside, post = np.zeros(len(blocks)), np.full(len(blocks), -1, dtype=np.int64)
    for number, (begin, end) in enumerate(_ranges(pieces, blocks)):
        posts = of_piece[begin:end]
        within = posts >= 0
        if within.any():
            inside[number] = chars[begin:end][within].sum() / chars[begin:end].sum()
            post[number] = posts[within][0]
    return PostEvidence(found.posts.probability, len(found.posts.bodies), inside, post)


def evident_log_odds(evidence: PostEvidence, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what to add to the log-odds of each block being main content, (blocks,).

    ``probabilities``: (blocks,), what the labels are so far. Blocks outside become less likely. Those inside become
    likelier the less the labels are sure of any of them: where they are sure of some posts and not of others, they
    know such pages, and have a reason.
    """
    inside = evidence.inside
    surest = probabilities[inside > 0].max(initial=0.0)
    odds: NDArray[np.float64] = evidence.probability * (INSIDE * (1 - surest) * inside - OUTSIDE * (1 - inside))
    return odds


def _posts_of_pieces(nodes: PageNodes, bodies: Candidate) -> NDArray[np.int64]:
    """The number of the post that each block of the search phase stands in, -1 for none; (pieces,)."""
    posts = np.full(len(nodes.blocks), -1, dtype=np.int64)
    for number, body in enumerate(bodies):
        posts[nodes.firsts[body] : nodes.lasts[body]] = number
    return posts


def _ranges(pieces: Sequence[TextBlock], blocks: Sequence[TextBlock]) -> Iterator[tuple[int, int]]:
    """The blocks of the search phase that each combined block was made of: it has their text nodes, in their order."""
    end = 0
    for block in blocks:
        begin, runs = end, 0
        while runs < len(block.runs):
            runs += len(pieces[end].runs)
            end += 1
        yield begin, end
