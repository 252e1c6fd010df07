"""The posts of a page as features of its blocks, and as evidence for their labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from scrapy_semtext.extractor import Extractor, Source
from scrapy_semtext.features.table import COMMENTS, ParsedPage, PostBlocks, describe, post_logit_adjustment
from scrapy_semtext.models.scores import Scores, flattened_weights
from scrapy_semtext.read.posts import Posts
from scrapy_semtext.read.threads import blocks_in_posts

if TYPE_CHECKING:
    from collections.abc import Sequence

SENTENCE = "The kettle leaks from the spout whenever the water in it begins to boil for a while."
THREAD = (
    "<title>A kettle</title><nav><a href=/>Home</a></nav>"
    + "".join(
        f"<div class=record><div class=who>Member{n}</div>"
        f"<div class=text><p>{n}. {SENTENCE}</p><p>Thanks.</p></div></div>"
        for n in range(3)
    )
    + "<footer>Imprint</footer>"
)


def thread(probability: float = 1.0) -> tuple[ParsedPage, PostBlocks]:
    """Return a page whose posts are the elements of class "text", and the evidence from them."""
    page = describe(THREAD, None)
    bodies = tuple(number for number, scope in enumerate(page.raw_tree.scopes) if scope.names == "text")
    evidence = blocks_in_posts(page, Posts(bodies, probability))
    assert evidence is not None
    return page, evidence


def test_blocks_know_their_post() -> None:
    page, evidence = thread()
    in_text = ["." in block.text for block in page.text_blocks]  # combined: both paragraphs of a post are one block
    assert sum(in_text) == 3
    assert evidence.count == 3
    assert evidence.inside.tolist() == [float(inside) for inside in in_text]
    assert evidence.post[evidence.inside > 0].tolist() == [0, 1, 2]
    assert set(evidence.post[evidence.inside == 0].tolist()) == {-1}


def test_comments_and_what_stands_between_them_become_less_likely() -> None:
    evidence = PostBlocks(0.0, 2, np.array([0.0, 1.0, 0.0, 1.0, 0.0]), np.array([-1, 0, -1, 1, -1]), comments=0.5)
    assert post_logit_adjustment(evidence, np.full(5, 0.5)) == pytest.approx([0, *[-COMMENTS / 2] * 3, 0])


class Everything:
    """A labeler that labels all blocks as main content."""

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        return [Scores(np.ones(len(p.text_blocks)), np.ones(len(p.text_blocks), dtype=np.bool_)) for p in pages]


@pytest.mark.parametrize("requires_posts", [True, False])
def test_posts_are_given_to_a_labeler_that_requires_them(requires_posts: bool) -> None:
    class Watching(Everything):
        def score(self, pages: Sequence[ParsedPage], *posts: Sequence[PostBlocks | None]) -> list[Scores]:
            given.extend(posts)
            return super().score(pages)

    given: list[Sequence[PostBlocks | None]] = []
    Extractor(Watching(), "viterbi", requires_posts=requires_posts).read_many([Source(THREAD), Source("")])
    assert [[page and page.count for page in posts] for posts in given] == ([[3, None]] if requires_posts else [])


def test_short_lines_count_more_when_labels_of_a_thread_are_chosen() -> None:
    probabilities, words = np.array([0.95, 0.45, 0.45, 0.45]), [900, 3, 3, 0]
    by_words = Scores(probabilities, probabilities > 0.5)
    evenly = Scores(probabilities, probabilities > 0.5, flattening=1.0)
    assert by_words.labels("expected-f1", words).tolist() == [True, False, False, False]
    assert evenly.labels("expected-f1", words).tolist()[:3] == [True, True, True]
    assert evenly.labels("viterbi", words).tolist() == [True, False, False, False]
    assert flattened_weights(words, 1.0).tolist() == [1, 1, 1, 0]
    assert flattened_weights(words, 0.0).tolist() == words
