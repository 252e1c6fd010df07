"""Finds the posts of a batch of pages, and reads question-answer pairs from them or from the FAQ of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_semtext.qa.cues import QUESTION_MARK
from scrapy_semtext.qa.evidence import evidence_of
from scrapy_semtext.qa.faq_candidates import has_enough_questions
from scrapy_semtext.qa.faq_reader import FaqPage, read_faqs
from scrapy_semtext.qa.nodes import PageNodes, share_signatures
from scrapy_semtext.qa.page_words import PageWords, names_only_comments
from scrapy_semtext.qa.posts import posts_of_pages
from scrapy_semtext.qa.thread import pairs_of_thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.dom.scope_tree import ScopeTree
    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.page import QAPair
    from scrapy_semtext.qa.models import PairModels
    from scrapy_semtext.qa.posts import PostModels, Posts

#: Pages with more elements that hold text, or more blocks, are not searched.
MOST_NODES = 100_000


@dataclass(frozen=True, slots=True)
class PostSearch:
    """The nodes of a page, and the likeliest posts among them; None where there are none."""

    nodes: PageNodes
    posts: Posts | None


class PageInput(NamedTuple):
    """A page to search: its tree, its blocks of the search phase, its address and the tree of its blocks, if known.

    ``comments``: whether it is searched for comments as well.
    """

    root: Any
    blocks: Sequence[TextBlock]
    url: str | None = None
    layout: ScopeTree | None = None
    comments: bool = True


def find_posts(pages: Sequence[PageInput], models: PostModels) -> list[PostSearch | None]:
    """Find the posts of each page of a batch; what is found on a page does not depend on the others.

    None for pages without blocks or of more than MOST_NODES elements with text.
    """
    results: list[PostSearch | None] = [None] * len(pages)
    nodes = {
        place: PageNodes(page.root, page.blocks, page.layout)
        for place, page in enumerate(pages)
        if 0 < len(page.blocks) <= MOST_NODES
    }
    nodes = {place: found for place, found in nodes.items() if len(found) <= MOST_NODES}
    words = [PageWords.of(found, pages[place].url) for place, found in nodes.items()]
    comments = [pages[place].comments for place in nodes]
    posts = posts_of_pages([*nodes.values()], words, models, comments=comments)
    for (place, found), of_page in zip(nodes.items(), posts, strict=True):
        results[place] = PostSearch(found, of_page)
    return results


def find_batch_posts(
    pages: Sequence[ParsedPage], models: PostModels, comments: Sequence[bool] | None = None
) -> list[PostSearch | None]:
    """As `find_posts`, for pages that were cut into blocks; sets ``posts`` of each.

    ``comments``: whether each page is searched for comments; by default all are.
    """
    inputs = [
        PageInput(page.root, page.raw_blocks, page.url, page.raw_tree, with_comments)
        for page, with_comments in zip(pages, comments or [True] * len(pages), strict=True)
    ]
    results = find_posts(inputs, models)
    for page, found in zip(pages, results, strict=True):
        page.posts = evidence_of(found, page.text_blocks)
    return results


def find_page_posts(page: ParsedPage, models: PostModels) -> PostSearch | None:
    """`find_batch_posts` for one page."""
    return find_batch_posts([page], models)[0]


class PairSource(NamedTuple):
    """What pairs of a page are read from: its posts, its title and its address if known."""

    found: PostSearch | None
    title: str | None
    url: str | None


def read_pairs(found: PostSearch | None, title: str | None, url: str | None, models: PairModels) -> list[QAPair]:
    """Return the pairs of a thread or Q&A page; of any other page those of the FAQ on it."""
    return pairs_of_pages([PairSource(found, title, url)], models)[0]


def pairs_of_pages(pages: Sequence[PairSource], models: PairModels) -> list[list[QAPair]]:
    """Return what `read_pairs` gives for each of many pages."""
    pairs: list[list[QAPair]] = [[] for _ in pages]
    faqs: dict[int, FaqPage] = {}
    for place, (found, title, url) in enumerate(pages):
        if found is None:
            continue
        if found.posts is not None and _are_answers(found.nodes, found.posts, title):
            pairs[place] = pairs_of_thread(found.nodes, found.posts, title, url, models.posts.question)
        elif has_enough_questions(found.nodes):
            faqs[place] = FaqPage(found.nodes, title, url)
    share_signatures([page.nodes for page in faqs.values()])
    for place, listed in zip(faqs, read_faqs([*faqs.values()], models.faq), strict=True):
        pairs[place] = listed
    return pairs


def _are_answers(nodes: PageNodes, posts: Posts, title: str | None) -> bool:
    """Whether the posts of a page answer something.

    Posts that the page calls nothing but comments are comments on an article if it is likelier to be one than a thread;
    they answer it only if its title asks.
    """
    if posts.probability >= 0.5 or not names_only_comments(nodes.words):
        return posts.is_thread
    return posts.is_thread and QUESTION_MARK.search(title or "") is not None
