"""A page to the posts that its structure shows, and to the question-answer pairs in them or in its FAQ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_semtext.qa.evidence import evidence_of
from scrapy_semtext.qa.faq_candidates import has_enough_questions
from scrapy_semtext.qa.faq_reader import FaqPage, read_faqs
from scrapy_semtext.qa.nodes import PageNodes
from scrapy_semtext.qa.page_words import PageWords
from scrapy_semtext.qa.posts import find_posts, may_have_posts
from scrapy_semtext.qa.thread import pairs_of_thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.page import QAPair
    from scrapy_semtext.qa.models import PairModels
    from scrapy_semtext.qa.posts import PostModels, Posts

#: The probability from which a page is taken for a thread or a Q&A page. It is low because engines that the models
#: never saw get low probabilities; pages without posts rarely get as much (docs/qa-pairs.md has the figures).
IS_THREAD = 0.115

#: Pages of more elements with text than this are no page that anybody reads, and their pairs are not looked for.
MOST_NODES = 100_000


@dataclass(frozen=True, slots=True)
class PostSearch:
    """The nodes of a page, and the likeliest posts among them; None if the page looks like nothing of the kind."""

    nodes: PageNodes
    posts: Posts | None


def look_for_posts(root: Any, blocks: Sequence[TextBlock], url: str | None, models: PostModels) -> PostSearch | None:
    """Look for posts on any page; ``blocks`` are those of the search phase (`scrapy_semtext.dom.segmentation.search`).

    None for pages without blocks or of more than MOST_NODES elements.
    """
    if not blocks or len(blocks) > MOST_NODES:
        return None
    nodes = PageNodes(root, blocks)
    if len(nodes) > MOST_NODES:
        return None
    words = PageWords.of(nodes, url)
    return PostSearch(nodes, find_posts(nodes, words, models) if may_have_posts(words, models) else None)


def find_page_posts(page: ParsedPage, models: PostModels) -> None:
    """Look for the posts of a page, and keep them with it: sets ``found`` and ``posts``."""
    page.found = look_for_posts(page.root, page.raw_blocks, page.url, models)
    page.posts = evidence_of(page.found, page.text_blocks)


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
