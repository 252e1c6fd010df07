"""A page to the question-answer pairs that its structure shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_semtext.questions.faq import may_list_questions
from scrapy_semtext.questions.faq_reader import read_faq
from scrapy_semtext.questions.nodes import PageNodes
from scrapy_semtext.questions.page_words import PageWords
from scrapy_semtext.questions.posts import find_posts, may_have_posts
from scrapy_semtext.questions.thread import pairs_of_thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.page import QAPair
    from scrapy_semtext.questions.models import PairModels
    from scrapy_semtext.segment import TextBlock

#: The probability from which a page is taken for a thread or a Q&A page. It is low because engines that the models
#: never saw get low probabilities; pages without posts rarely get as much (docs/qa-pairs.md has the figures).
IS_THREAD = 0.115

#: Pages of more elements with text than this are no page that anybody reads, and their pairs are not looked for.
MOST_NODES = 100_000


def read_pairs(
    root: Any, blocks: Sequence[TextBlock], title: str | None, url: str | None, models: PairModels
) -> list[QAPair]:
    """Return the pairs of a thread or Q&A page; of any other page those of the FAQ on it.

    ``blocks`` are those of the search phase (`scrapy_semtext.segment.search`). Pages of more than MOST_NODES elements
    have none.
    """
    if not blocks or len(blocks) > MOST_NODES:
        return []
    nodes = PageNodes(root, blocks)
    if len(nodes) > MOST_NODES:
        return []
    words = PageWords.of(nodes, url)
    if may_have_posts(words, models.posts):
        posts = find_posts(nodes, words, models.posts)
        if posts is not None and posts.probability >= IS_THREAD:
            return pairs_of_thread(nodes, posts, title, url, root)
    return read_faq(nodes, title, url, models.faq) if may_list_questions(nodes) else []
