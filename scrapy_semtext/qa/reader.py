"""Finds the posts of a batch of pages, and reads question-answer pairs from them or from the FAQ of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy_semtext.qa.evidence import evidence_of
from scrapy_semtext.qa.faq_candidates import may_list_questions
from scrapy_semtext.qa.faq_reader import read_faq
from scrapy_semtext.qa.nodes import PageNodes
from scrapy_semtext.qa.page_words import PageWords
from scrapy_semtext.qa.posts import find_posts as posts_of_pages
from scrapy_semtext.qa.thread import pairs_of_thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.page import QAPair
    from scrapy_semtext.qa.models import PairModels
    from scrapy_semtext.qa.posts import PostModels, Posts

#: The probability from which a page counts as a thread or a Q&A page. It is low because pages of forum engines that the
#: models never saw get low probabilities; pages without posts rarely reach it (see docs/research/qa-pairs.md).
IS_THREAD = 0.115

#: Pages with more elements that hold text, or more blocks, are not searched.
MOST_NODES = 100_000


@dataclass(frozen=True, slots=True)
class PostSearch:
    """The nodes of a page, and the likeliest posts among them; None where there are none."""

    nodes: PageNodes
    posts: Posts | None


#: The tree of a page, its blocks of the search phase (`scrapy_semtext.dom.segmentation.search`), its address if known.
PageInput = tuple[Any, "Sequence[TextBlock]", "str | None"]


def find_posts(pages: Sequence[PageInput], models: PostModels) -> list[PostSearch | None]:
    """Find the posts of each page of a batch; what is found on a page does not depend on the others.

    None for pages without blocks or of more than MOST_NODES elements with text.
    """
    results: list[PostSearch | None] = [None] * len(pages)
    nodes = {place: PageNodes(root, blocks) for place, (root, blocks, _) in enumerate(pages) if _is_readable(blocks)}
    nodes = {place: found for place, found in nodes.items() if len(found) <= MOST_NODES}
    words = [PageWords.of(found, pages[place][2]) for place, found in nodes.items()]
    posts = posts_of_pages([*nodes.values()], words, models)
    for (place, found), of_page in zip(nodes.items(), posts, strict=True):
        results[place] = PostSearch(found, of_page)
    return results


def _is_readable(blocks: Sequence[TextBlock]) -> bool:
    return 0 < len(blocks) <= MOST_NODES


def find_batch_posts(pages: Sequence[ParsedPage], models: PostModels) -> None:
    """Find the posts of each page of a batch, and keep them with it: sets ``found`` and ``posts``."""
    searched = find_posts([(page.root, page.raw_blocks, page.url) for page in pages], models)
    for page, found in zip(pages, searched, strict=True):
        page.found, page.posts = found, evidence_of(found, page.text_blocks)


def find_page_posts(page: ParsedPage, models: PostModels) -> None:
    """Find the posts of one page as `find_batch_posts` does."""
    find_batch_posts([page], models)


def read_pairs(
    found: PostSearch | None, root: Any, title: str | None, url: str | None, models: PairModels
) -> list[QAPair]:
    """Return the pairs of a thread or Q&A page; of any other page those of the FAQ on it."""
    if found is None:
        return []
    if found.posts is not None and found.posts.probability >= IS_THREAD:
        return pairs_of_thread(found.nodes, found.posts, title, url, root)
    return read_faq(found.nodes, title, url, models.faq) if may_list_questions(found.nodes) else []
