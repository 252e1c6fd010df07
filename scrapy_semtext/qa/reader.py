"""Finds the posts of a batch of pages, and reads question-answer pairs from them or from the FAQ of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_semtext.qa.evidence import evidence_of
from scrapy_semtext.qa.faq_candidates import has_enough_questions
from scrapy_semtext.qa.faq_reader import FaqPage, read_faqs
from scrapy_semtext.qa.nodes import PageNodes
from scrapy_semtext.qa.page_words import PageWords
from scrapy_semtext.qa.posts import find_posts as posts_of_pages
from scrapy_semtext.qa.thread import pairs_of_thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.dom.scope_tree import ScopeTree
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


#: The root element of a page, its raw blocks (`scrapy_semtext.dom.segmentation.search`), their scope tree if it is
#: known, and the page's address if it is.
PageInput = tuple[Any, "Sequence[TextBlock]", "ScopeTree | None", "str | None"]


def find_posts(pages: Sequence[PageInput], models: PostModels) -> list[PostSearch | None]:
    """Find the posts of each page of a batch; what is found on a page does not depend on the others.

    None for pages without blocks or of more than MOST_NODES elements with text.
    """
    results: list[PostSearch | None] = [None] * len(pages)
    nodes = {
        place: PageNodes(root, blocks, tree)
        for place, (root, blocks, tree, _) in enumerate(pages)
        if 0 < len(blocks) <= MOST_NODES
    }
    nodes = {place: found for place, found in nodes.items() if len(found) <= MOST_NODES}
    words = [PageWords.of(found, pages[place][3]) for place, found in nodes.items()]
    posts = posts_of_pages([*nodes.values()], words, models)
    for (place, found), of_page in zip(nodes.items(), posts, strict=True):
        results[place] = PostSearch(found, of_page)
    return results


def find_batch_posts(pages: Sequence[ParsedPage], models: PostModels) -> list[PostSearch | None]:
    """Find the posts of each page of a batch as `find_posts` does, and set its ``posts``."""
    searches = find_posts([(page.root, page.raw_blocks, page.raw_tree, page.url) for page in pages], models)
    for page, search in zip(pages, searches, strict=True):
        page.posts = evidence_of(search, page.text_blocks)
    return searches


def find_page_posts(page: ParsedPage, models: PostModels) -> PostSearch | None:
    """Find the posts of one page as `find_batch_posts` does."""
    return find_batch_posts([page], models)[0]


class PairSource(NamedTuple):
    """What pairs of a page are read from: what was found of posts, its tree, its title and its address if known."""

    found: PostSearch | None
    root: Any
    title: str | None
    url: str | None


def read_pairs(
    found: PostSearch | None, root: Any, title: str | None, url: str | None, models: PairModels
) -> list[QAPair]:
    """Return the pairs of a thread or Q&A page; of any other page those of the FAQ on it."""
    return pairs_of_pages([PairSource(found, root, title, url)], models)[0]


def pairs_of_pages(pages: Sequence[PairSource], models: PairModels) -> list[list[QAPair]]:
    """Return what `read_pairs` gives for each of many pages."""
    pairs: list[list[QAPair]] = [[] for _ in pages]
    faqs: dict[int, FaqPage] = {}
    for place, (found, root, title, url) in enumerate(pages):
        if found is None:
            continue
        if found.posts is not None and found.posts.probability >= IS_THREAD:
            pairs[place] = pairs_of_thread(found.nodes, found.posts, title, url, root)
        elif has_enough_questions(found.nodes):
            faqs[place] = FaqPage(found.nodes, title, url)
    for place, listed in zip(faqs, read_faqs([*faqs.values()], models.faq), strict=True):
        pairs[place] = listed
    return pairs
