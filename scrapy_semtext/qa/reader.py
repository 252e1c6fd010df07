"""Find the posts of a batch of pages, and extract pairs, FAQ lists or readers' comments from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from scrapy_semtext.dom.tree import language
from scrapy_semtext.features.post_features import PostEvidence
from scrapy_semtext.inference.config import PAGE_KINDS
from scrapy_semtext.page import Comment, QAPair
from scrapy_semtext.qa.bylines import signs_comment
from scrapy_semtext.qa.cleaning import clean_bodies
from scrapy_semtext.qa.dates import read_dates
from scrapy_semtext.qa.facts import facts_of
from scrapy_semtext.qa.faq_candidates import candidates_of_pages, has_enough_questions
from scrapy_semtext.qa.faq_features import CandidatePage, features_of_pages
from scrapy_semtext.qa.faq_text import MOST, OPENS_AS_QUESTION, asks
from scrapy_semtext.qa.nodes import PageNodes, share_signatures
from scrapy_semtext.qa.page_words import PageWords
from scrapy_semtext.qa.posts import posts_of_pages
from scrapy_semtext.qa.records import Records
from scrapy_semtext.qa.thread import pairs_of_thread, parents_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.qa.faq_candidates import FaqCandidate, FaqPair
    from scrapy_semtext.qa.pair_models import PairModels
    from scrapy_semtext.qa.posts import PostModels, Posts
    from scrapy_semtext.qa.runs import Candidate


#: The probability from which a candidate is accepted (research/notes/qa-pairs.md).
THRESHOLD = 0.45
#: The probability, relative to the best list, from which a further list of the page is accepted.
ABOUT_AS_GOOD = 0.7


class Predictor(Protocol):
    """A model that assigns probabilities to rows of features."""

    def predict(self, matrix: NDArray[np.float32], /) -> NDArray[np.float64]:
        """Return a probability for each row; (rows,)."""


class FaqPage(NamedTuple):
    """A page whose lists of questions are extracted; ``title`` and ``url`` if known."""

    nodes: PageNodes
    title: str | None
    url: str | None


def read_faqs(pages: Sequence[FaqPage], model: Predictor) -> list[list[QAPair]]:
    """Return the questions that each page lists with their answers, in page order; empty if it has no list."""
    found = candidates_of_pages([page.nodes for page in pages])
    listed = [(place, candidates) for place, candidates in enumerate(found) if candidates]
    pairs: list[list[QAPair]] = [[] for _ in pages]
    if not listed:
        return pairs
    described = [CandidatePage(pages[place].nodes, candidates, *pages[place][1:]) for place, candidates in listed]
    scores = np.clip(model.predict(features_of_pages(described)), 0.0, 1.0)
    begin = 0
    for place, candidates in listed:
        pairs[place] = _pairs(candidates, scores[begin : begin + len(candidates)])
        begin += len(candidates)
    return pairs


def _pairs(candidates: Sequence[FaqCandidate], scores: NDArray[np.float64]) -> list[QAPair]:
    """Return the pairs of the accepted candidates, in page order, each question once."""
    pairs: dict[str, QAPair] = {}
    lists = ((without_others(candidates[place]), float(scores[place])) for place in chosen(candidates, scores))
    found = ((pair, score) for listed, score in lists for pair in listed)
    for pair, score in sorted(found, key=lambda item: item[0].first):
        row = QAPair(pair.question, pair.answer, question_title=pair.question, score=score)
        pairs.setdefault(pair.question.casefold(), row)
    return list(pairs.values())


def without_others(listed: FaqCandidate) -> Sequence[FaqPair]:
    """Return only the pairs that ask, if most do: the others are headings of content below or beside the list.

    Pairs whose question is the byline of a comment, as on an issue tracker's tickets, are always dropped.
    """
    pairs = tuple(pair for pair in listed.pairs if not signs_comment(pair.question))
    asking = [asks(pair.question) or OPENS_AS_QUESTION.begins(pair.question) for pair in pairs]
    if listed.in_terms or sum(asking) < MOST * len(pairs):
        return pairs
    return [pair for pair, is_asking in zip(pairs, asking, strict=True) if is_asking]


def chosen(candidates: Sequence[FaqCandidate], scores: NDArray[np.float64]) -> list[int]:
    """Return the indexes of the best candidate and of those that may be accepted besides it.

    These overlap with no accepted one, have the same layout (like the categories of one list) and are about as good.
    """
    places: list[int] = []
    taken: set[int] = set()
    for place in np.argsort(-scores, kind="stable").tolist():
        candidate = candidates[place]
        if scores[place] < max(THRESHOLD, ABOUT_AS_GOOD * float(scores.max())):
            break
        if places and candidate.layout != candidates[places[0]].layout:
            continue
        blocks = {block for pair in candidate.pairs for block in range(pair.first, pair.last)}
        if taken.isdisjoint(blocks):
            places.append(place)
            taken |= blocks
    return places


#: Pages with more text-bearing elements, or more blocks, are not searched.
MOST_NODES = 100_000

#: The probability of a thread from which it takes precedence over a list of questions.
SURE = 0.9


@dataclass(frozen=True, slots=True)
class PostSearch:
    """The nodes of a page, and its likeliest posts, or None if it has none."""

    nodes: PageNodes
    posts: Posts | None


def find_posts(
    pages: Sequence[ParsedPage],
    models: PostModels,
    kinds: Sequence[NDArray[np.float64] | None] | None = None,
    comments: Sequence[bool] | None = None,
) -> list[PostSearch | None]:
    """Find the posts of each page of a batch, and set its ``posts``; the result does not depend on other pages.

    ``kinds``: the probabilities of the kinds of each page, computed if not given; ``comments``: whether to search each
    page for comments, by default all of them. Returns None for pages without blocks or with more than MOST_NODES
    text-bearing elements.
    """
    results: list[PostSearch | None] = [None] * len(pages)
    known = models.kinds.probabilities(pages) if kinds is None else kinds
    nodes = {
        place: PageNodes(page.root, page.raw_blocks, page.raw_tree)
        for place, page in enumerate(pages)
        if 0 < len(page.raw_blocks) <= MOST_NODES
    }
    nodes = {place: found for place, found in nodes.items() if len(found) <= MOST_NODES}
    words = [PageWords.of(found, pages[place].url) for place, found in nodes.items()]
    likely = np.array([known[place] for place in nodes]).reshape(-1, len(PAGE_KINDS))
    searched = [comments is None or comments[place] for place in nodes]
    posts = posts_of_pages([*nodes.values()], words, likely, models, comments=searched)
    for (place, found), of_page in zip(nodes.items(), posts, strict=True):
        results[place] = PostSearch(found, of_page)
        pages[place].posts = evidence_of(results[place], pages[place].text_blocks)
    return results


class PairSource(NamedTuple):
    """The input for the pairs of a page: its posts, and its title and URL if known.

    ``main``: the probability of main content for each block of the search phase, (blocks,); without it, no answer is
    rejected as boilerplate.
    """

    found: PostSearch | None
    title: str | None
    url: str | None
    main: NDArray[np.float64] | None = None


def pairs_of_pages(pages: Sequence[PairSource], models: PairModels) -> list[list[QAPair]]:
    """Return the pairs of each of many pages: those of a thread or Q&A page, or of a FAQ, whichever is likelier."""
    pairs: list[list[QAPair]] = [[] for _ in pages]
    faqs: dict[int, FaqPage] = {}
    for place, (found, title, url, main) in enumerate(pages):
        if found is None:
            continue
        posts = found.posts
        if posts is not None and posts.is_thread:
            pairs[place] = pairs_of_thread(found.nodes, posts, title, url, models.posts.question, main)
        if (not pairs[place] or pairs[place][0].score < SURE) and has_enough_questions(found.nodes):
            faqs[place] = FaqPage(found.nodes, title, url)
    share_signatures([page.nodes for page in faqs.values()])
    for place, listed in zip(faqs, read_faqs([*faqs.values()], models.faq), strict=True):
        if _score(listed) > _score(pairs[place]):
            pairs[place] = listed
    return pairs


def _score(pairs: Sequence[QAPair]) -> float:
    """Return the greatest score of pairs, 0 without any."""
    return max((pair.score for pair in pairs), default=0.0)


def comments_of(nodes: PageNodes, posts: Posts) -> list[Comment]:
    """Return the comments in page order, except those without text."""
    records = Records(nodes, posts.bodies)
    texts, facts = clean_bodies(nodes, posts.bodies), facts_of(nodes, posts.bodies, records)
    place: dict[int, int] = {}  # maps each comment to its position among those with text
    comments: list[Comment] = []
    parents = parents_of(nodes, posts.bodies, records)
    dates = read_dates([fact.date for fact in facts], nodes.texts, language(nodes.root))
    for number, (text, fact, date, parent) in enumerate(zip(texts, facts, dates, parents, strict=True)):
        if text:
            place[number] = len(comments)
            comments.append(Comment(text, fact.author, date, place.get(parent)))
    return comments


def evidence_of(found: PostSearch | None, blocks: Sequence[TextBlock]) -> PostEvidence | None:
    """Return the position of text blocks relative to the posts of their page; None without posts.

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
    # the first raw block in a post, from the beginning of each block on
    in_posts = np.flatnonzero(post_of_raw >= 0)
    first = np.append(in_posts, len(post_of_raw))[np.searchsorted(in_posts, begin)]
    post = np.where(first < end, np.append(post_of_raw, -1)[first], -1)
    posts = found.posts
    return PostEvidence(posts.probability, len(posts.bodies), inside, post, posts.comments)


def _post_of_raw(nodes: PageNodes, bodies: Candidate) -> NDArray[np.int64]:
    """Return the number of the post that each raw block (one of the search phase) is in, or -1; (raw blocks,)."""
    posts = np.full(len(nodes.blocks), -1, dtype=np.int64)
    for number, body in enumerate(bodies):
        posts[nodes.firsts[body] : nodes.lasts[body]] = number
    return posts


def probabilities_of_raw(page: ParsedPage, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Expand the probabilities of a page's text blocks, (blocks,), to the raw blocks that they consist of."""
    begin, end = _ranges(page.raw_blocks, page.text_blocks)
    return np.repeat(probabilities, end - begin)


def _ranges(
    raw_blocks: Sequence[TextBlock], blocks: Sequence[TextBlock]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first and last (exclusive) raw blocks that each block was combined from; (blocks,) each.

    A combined block consists of the text nodes of its raw blocks, in their order.
    """
    raw_ends, ends = (np.cumsum([len(one.runs) for one in many]) for many in (raw_blocks, blocks))
    end = np.searchsorted(raw_ends, ends) + 1
    return np.append(0, end[:-1]), end
