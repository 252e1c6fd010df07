"""Features of blocks from the posts that were found on a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrapy_semtext.utils.arrays import Bools, Floats, Ints, Singles

#: The log-odds that the page is a thread; the share of a block that is inside posts, and the number of its post from
#: the first and from the last; the number of posts, and their share of the page's words; whether a block is before
#: (-1), in (1), between (0) or after (2) posts; the number of blocks to the next one in a post and since the last.
POST_COLUMNS = (
    "posts_odds posts_inside posts_from_first posts_from_last posts_count posts_share posts_side posts_next posts_since"
).split()

_NO_POSTS = np.array([[-12.0], *[[-1.0]] * 8], dtype=np.float32)
_LEAST = 1e-5  # probabilities are clipped to the range from this to one minus this
_MOST_BLOCKS, _MOST_POSTS, _MOST_COUNT = 20, 20, 50

#: Log-odds against a block outside the posts, and for a block inside, on a page that is certainly a thread and whose
#: labels are certain of none of its posts. Chosen on engines and domains that no model had seen
#: (research/notes/training-notes.md).
OUTSIDE, INSIDE = 2.0, 3.0

#: Subtracted from the log-odds of the blocks from the first post to the last if these are certainly comments.
COMMENTS = 4.0


#: The probability from which a page counts as a thread (research/notes/qa-pairs.md).
IS_THREAD = 0.5


@dataclass(frozen=True, slots=True)
class PostEvidence:
    """The positions of the text blocks of a page relative to its likeliest posts.

    ``probability``: that the page consists of such posts; ``comments``: that they are readers' comments on other
    content of the page; ``count``: the number of posts; ``inside``: (blocks,), the share of each block that is inside
    posts; ``post``: (blocks,) int64, the first post that it is in, from 0, -1 for none.
    """

    probability: float
    count: int
    inside: Floats
    post: Ints
    comments: float = 0.0

    @property
    def is_thread(self) -> bool:
        """Whether the page is classified as a thread."""
        return self.probability >= IS_THREAD


def post_columns(evidence: Sequence[PostEvidence | None], words: Floats, starts: Ints) -> Singles:
    """Return the columns of the blocks of pages, (9, blocks), float32.

    ``evidence``: the evidence of each page; ``words``: (blocks,), the number of words of each block; ``starts``: (pages
    + 1,), where the blocks of each page begin.
    """
    out = np.empty((len(POST_COLUMNS), len(words)), dtype=np.float32)
    out[:] = _NO_POSTS
    for own, begin, end in zip(evidence, starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        if own is not None:  # a loop, because few pages are threads
            _write_posts(own, words[begin:end], out[:, begin:end])
    return out


def _write_posts(evidence: PostEvidence, words: Floats, out: Singles) -> None:
    """Write the columns of the blocks of a page with posts, (9, blocks)."""
    p = float(np.clip(evidence.probability, _LEAST, 1 - _LEAST))
    inside, post, weights = evidence.inside, evidence.post, words + 1
    to_next, since, side = _distances(inside > 0.5)
    out[0] = np.log(p) - np.log1p(-p)
    out[1] = inside
    out[2] = np.minimum(post, _MOST_POSTS)
    out[3] = np.where(post >= 0, np.minimum(evidence.count - 1 - post, _MOST_POSTS), -1)
    out[4] = min(evidence.count, _MOST_COUNT)
    out[5] = (weights * inside).sum() / weights.sum()
    out[6] = side
    out[7] = to_next
    out[8] = since


def _distances(within: Bools) -> tuple[Ints, Ints, Ints]:
    """Return for each block the distance to the next block in a post, from the last one, and `posts_side`."""
    places, at = np.arange(len(within)), np.flatnonzero(within)
    if not len(at):
        return np.zeros_like(places), np.zeros_like(places), np.zeros_like(places)
    following, before = np.searchsorted(at, places), np.searchsorted(at, places, side="right") - 1
    to_next = np.where(following < len(at), at[np.minimum(following, len(at) - 1)] - places, _MOST_BLOCKS)
    since = np.where(before >= 0, places - at[np.maximum(before, 0)], _MOST_BLOCKS)
    side = np.where(places < at[0], -1, np.where(places > at[-1], 2, within.astype(np.int64)))
    return np.minimum(to_next, _MOST_BLOCKS), np.minimum(since, _MOST_BLOCKS), side


def post_logit_adjustment(evidence: PostEvidence, probabilities: Floats) -> Floats:
    """Return the values to add to each block's log-odds of being main content, (blocks,).

    ``probabilities``: (blocks,), from the labels so far. Blocks outside the posts become less likely. Blocks inside
    become likelier, the more so the less certain the labels are of the posts: a labeler that is certain of most posts
    knows such pages, and drops the rest for a reason. If the posts are comments, all blocks from the first to the last
    become less likely.
    """
    inside = evidence.inside
    uncertainty = 1 - _certainty(evidence, probabilities)
    odds: Floats = evidence.probability * (INSIDE * uncertainty * inside - OUTSIDE * (1 - inside))
    return odds - COMMENTS * evidence.comments * _within(evidence)


def _within(evidence: PostEvidence) -> Floats:
    """Return 1 for the blocks from the first in a post to the last, 0 for others; (blocks,)."""
    at = np.flatnonzero(evidence.post >= 0)
    within = np.zeros(len(evidence.post))
    if len(at):
        within[at[0] : at[-1] + 1] = 1
    return within


def _certainty(evidence: PostEvidence, probabilities: Floats) -> float:
    """Return the highest probability of a block in each post, averaged over the posts with blocks; 0 without any."""
    within = evidence.post >= 0
    highest = np.full(evidence.count, -1.0)
    np.maximum.at(highest, evidence.post[within], probabilities[within])
    return float(highest[highest >= 0].mean()) if within.any() else 0.0
