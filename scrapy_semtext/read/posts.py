"""The posts of a page: the words that hint at them, the models that find them, and the files of these models.

Features of words in names and in the URL that distinguish threads and Q&A pages from other pages.

The posts of pages, found by a sequence of models: of pages, of nodes, of sets of nodes, and of pages again.

1. The kind of a page (`scrapy_semtext.read`) comes first: most pages are clearly not threads, and are skipped.
2. Each node gets the odds that it is the body of a post (`node_features`); sets of nodes are proposed from these odds
   and ranked (`candidates`, `candidate_features`).
3. The best set, the words of the page and the probabilities of its kinds give the probability of a thread or Q&A page.
4. Pages with names for comments are also searched for comments, which take precedence over the posts of an uncertain
   thread. Their models are trained like those of posts, and additionally on articles with comments: the thread models
   mistake an article for the opening post, and its comments for the answers.

The pair models on disk: trees as safetensors, and a description of their training as JSON.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_semtext.features.table import IS_THREAD
from scrapy_semtext.models.config import PAGE_KINDS
from scrapy_semtext.models.storage import TreeHead
from scrapy_semtext.read.candidates import (
    NEVER,
    CandidateSets,
    beside_posts,
    candidate_features,
    candidates,
    exclude_others,
    link_features,
    prose_before,
)
from scrapy_semtext.read.cleaning import completed_bodies
from scrapy_semtext.read.faq_features import FEATURES
from scrapy_semtext.read.kinds import KINDS, load_kinds
from scrapy_semtext.read.question import find_question
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.nodes import CHARS, LINKS, PageNodes, children_of, node_features, share_table, words_in_names
from scrapy_semtext.utils.address import address_of
from scrapy_semtext.utils.remembering import remembered
from scrapy_semtext.words.cues import has_date
from scrapy_semtext.words.words import attribute_words

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_semtext.models.trees import TreeEnsemble
    from scrapy_semtext.read.candidates import Candidate
    from scrapy_semtext.read.kinds import KindModel
    from scrapy_semtext.tree.segmentation import Scope
    from scrapy_semtext.utils.arrays import Bools, Floats, Ints


_LETTERS, _DIGITS = re.compile(r"[^\W\d_]+"), re.compile(r"\d+")
_OUTERMOST = 3  # the number of outermost elements whose names describe the page as a whole

# Words for threads and Q&A pages in URLs, and words for their parts in names.
_ADDRESS = frozenset(
    """
    forum forums topic topics thread threads discussion discussions viewtopic showthread viewthread question questions
    post posts community board boards talk answers answer qa ask messages
    """.split()
)
_PARTS = tuple(
    frozenset(words.split())
    for words in (
        "answer answers",
        "question questions",
        "reply replies",
        "thread threads topic topics",
        "post posts message messages",
        "forum forums community board discussion discussions",
        "vote votes upvote accepted helpful",
    )
)
_ANY_PART = frozenset[str]().union(*_PARTS)
# The stem of "comment" in names, in English, German, and Romance and Slavic languages.
_COMMENTS = re.compile(r"[ck]omm?ent")
# Names for the text that comments refer to.
_ENTRY = frozenset("article blog blogpost entry hentry".split())
_LEVELS, _FIRST_POSTS = 5, 10  # elements around a post, and posts, whose names are used

#: The names of `word_features`.
WORD_FEATURES = (
    "address",
    "address_words",
    *(f"near_{min(words)}" for words in _PARTS),
    "near_parts",
    "page_parts",
    "page_named",
)
#: The subset that does not require posts.
PAGE_WORD_FEATURES = tuple(name for name in WORD_FEATURES if not name.startswith("near_"))


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of a page: of all its class and id names, of its URL, and of its outermost elements' names; its URL."""

    names: frozenset[str]
    address: frozenset[str]
    outermost: frozenset[str]
    url: str | None = None

    @classmethod
    def of(cls, nodes: PageNodes, url: str | None) -> PageWords:
        """Collect the words of a page; ``url`` is its URL, if known."""
        types = nodes.element_types
        return cls(
            nodes.words,
            frozenset(_address_words(url)),
            words_in_names([types.words[number] for number in types.of_scope[:_OUTERMOST].tolist()]),
            url,
        )

    @property
    def names_comments(self) -> bool:
        """Return whether a name on the page refers to readers' comments."""
        return _name_comments(self.names)

    def features(self) -> tuple[float, ...]:
        """Return the values of PAGE_WORD_FEATURES.

        Whether the URL has words for threads, and how many; for how many parts of threads the page has names, and
        whether its outermost elements have one.
        """
        in_address = len(self.address & _ADDRESS)
        parts = 0 if self.names.isdisjoint(_ANY_PART) else sum(not self.names.isdisjoint(part) for part in _PARTS)
        return float(in_address > 0), float(in_address), float(parts), float(not self.outermost.isdisjoint(_ANY_PART))


def word_features(words: Floats, nodes: PageNodes, candidates: CandidateSets) -> Floats:
    """Return WORD_FEATURES for pages, given one candidate set of posts for each; (pages, features).

    ``words``: the values of PAGE_WORD_FEATURES for the same pages. The others: which parts of threads the elements
    around the first posts of each set name.
    """
    of_set, around = _first_posts(candidates)
    named = np.zeros(len(candidates), dtype=np.int64)
    parts = np.array([_parts_in(names) for _, names in nodes.element_types.pairs], dtype=np.int64)
    for _ in range(_LEVELS):
        np.bitwise_or.at(named, of_set, parts[nodes.element_types.of_scope[around]])
        around = nodes.parent[around]
    near = (named[:, None] >> np.arange(len(_PARTS)) & 1).astype(np.float64)
    at = PAGE_WORD_FEATURES.index("page_parts")
    return np.concatenate([words[:, :at], near, near.sum(1, keepdims=True), words[:, at:]], axis=1)


def comment_names(nodes: PageNodes, candidates: CandidateSets) -> Floats:
    """Return the share of each set's first posts that are inside an element named for comments; (sets,)."""
    of_set, around = _first_posts(candidates)
    has_name = np.array([_COMMENTS.search(names.lower()) is not None for _, names in nodes.element_types.pairs])
    named = np.zeros(len(around), dtype=bool)
    for _ in range(_LEVELS):
        named |= has_name[nodes.element_types.of_scope[around]]
        around = nodes.parent[around]
    return np.bincount(of_set, named, len(candidates)) / np.bincount(of_set, minlength=len(candidates))


def _first_posts(candidates: CandidateSets) -> tuple[Ints, Ints]:
    """Return the first posts of each set: the numbers of their sets, and their nodes; (posts,) each."""
    runs = candidates.runs
    is_first = np.arange(len(candidates.members)) - runs.begins[runs.of_item] < _FIRST_POSTS
    return runs.of_item[is_first], candidates.members[is_first]


@remembered(1 << 14)
def _parts_in(names: str) -> int:
    """Return the parts of threads that an attribute names, as bit flags."""
    words = attribute_words(names).every
    return sum(1 << number for number, part in enumerate(_PARTS) if not part.isdisjoint(words))


def _address_words(url: str | None) -> list[str]:
    if not url or not url.startswith(("http:", "https:")):
        return []
    parts = address_of(url.lower())
    return _LETTERS.findall(f"{parts.netloc} {parts.path} {parts.query}")


_FORUM = PAGE_KINDS.index("forum")
_LIKELY_BOARD = 0.4  # the probability of a forum from which what stands beside posts is no post

# Rows of a list of threads, not posts: much of the text is links (true for only 5 of 1,169 real threads).
_LINKED = 0.5

_SURE_THREAD = 0.8  # from this probability of a thread on, comments must be more likely than it

# Levels of a record, and how many posts, at least, have the same place in theirs.
_RECORD_LEVELS, _MIN_SIMILAR, _SIMILAR = 12, 3, 0.6
_MAX_COLUMNS = 50  # of a table of posts
_MOST_NODES = 8_000  # in one table, if it has several pages: features take about a kilobyte per node

#: The probability from which a set counts as comments. Chosen out-of-fold (research/notes/comments.md).
ARE_COMMENTS = 0.3

#: The fewest posts of a thread, as one alone may be any text; and the fewest comments.
LEAST_POSTS, LEAST_COMMENTS = 2, 1

_AFTER_BEST = 5  # the rank of the set whose score is compared with the best one's


@dataclass(frozen=True, slots=True)
class PostModels:
    """The trained models.

    A page is searched for posts if the probability that ``kinds`` gives to "forum" is at least ``search_from``.
    ``page`` decides whether the best set of ``threads`` makes the page a thread, ``question`` decides what its question
    is (`scrapy_semtext.read.question`).
    """

    kinds: KindModel
    threads: SetModels
    page: TreeEnsemble
    question: TreeEnsemble
    comments: CommentModels
    search_from: float


@dataclass(frozen=True, slots=True)
class Posts:
    """The bodies of a page's posts (nodes in page order) and their type.

    ``probability``: that the page is a thread or a Q&A page; ``comments``: that the posts are readers' comments on
    other content of the page. One of them is 0. ``scores``: the log-odds that each node of the page is the body of a
    post, (nodes,).
    """

    bodies: Candidate
    probability: float
    comments: float = 0.0
    scores: Floats = field(default_factory=lambda: np.zeros(0), compare=False, repr=False)

    @property
    def is_thread(self) -> bool:
        """Whether the page is classified as a thread or a Q&A page."""
        return self.probability >= IS_THREAD

    @property
    def are_comments(self) -> bool:
        """Whether the posts are classified as comments on other content of the page."""
        return self.comments > 0


def posts_of_pages(
    pages: Sequence[PageNodes],
    words: Sequence[PageWords],
    kinds: Floats,
    models: PostModels,
) -> list[Posts | None]:
    """Find the posts of each page, or its comments, each with at least one block; None if there are none.

    Pages that are clearly not threads, and pages without two nodes that could be posts, give None. The result for a
    page does not depend on the others. ``kinds``: the probabilities of KINDS, (pages, kinds).
    """
    found: list[Posts | None] = [None] * len(pages)
    sizes = [len(page) for page in pages]
    for some in _tables(np.flatnonzero(kinds[:, _FORUM] >= models.search_from), sizes):
        evidence = page_evidence([words[p] for p in some], kinds[some])
        for place, posts in zip(some.tolist(), search_posts([pages[p] for p in some], evidence, models), strict=True):
            found[place] = posts
    named = [place for place, page in enumerate(words) if page.names_comments]
    for some in _tables(np.array(named, dtype=np.int64), sizes):
        evidence = page_evidence([words[p] for p in some], kinds[some])
        of_some = search_comments([pages[p] for p in some], evidence, models.comments)
        for place, likeliest in zip(some.tolist(), of_some, strict=True):
            posts = found[place]
            if (
                likeliest is not None
                and _are_comments(likeliest.probability, posts)
                and not are_answers(pages[place], likeliest.bodies)
            ):
                found[place] = Posts(completed_bodies(pages[place], likeliest.bodies), 0.0, likeliest.probability)
            elif posts is not None and posts.is_thread and are_below_entry(pages[place], posts.bodies):
                found[place] = Posts(posts.bodies[1:], 0.0, posts.probability)
    return found


def are_below_entry(nodes: PageNodes, bodies: Candidate) -> bool:
    """Return whether only the first node is in an element named for an entry, and only the others for comments."""
    first, *others = ({*nodes.names_near([body], _LEVELS)} for body in bodies)
    is_entry = not _ENTRY.isdisjoint(first.difference(*others))
    return is_entry and not _name_comments(first) and all(map(_name_comments, others))


def are_answers(nodes: PageNodes, bodies: Candidate) -> bool:
    """Return whether most nodes are in elements named for answers, and none for comments."""
    around = [nodes.names_near([body], _LEVELS) for body in bodies]
    answers = sum(not _PARTS[0].isdisjoint(names) for names in around)
    return 2 * answers > len(bodies) and not any(map(_name_comments, around))


def _name_comments(words: Collection[str]) -> bool:
    return _COMMENTS.search(" ".join(words)) is not None


def _are_comments(probability: float, posts: Posts | None) -> bool:
    """Return whether comments of this probability replace the page's posts, as they do unless it is a sure thread.

    The thread models often classify an article with comments as a thread, but rarely with high probability.
    """
    thread = posts.probability if posts is not None else 0.0
    return probability >= ARE_COMMENTS and (thread < _SURE_THREAD or thread < probability)


class PageEvidence(NamedTuple):
    """What is known of pages without their posts: PAGE_WORD_FEATURES, (pages, features), kinds and URLs."""

    words: Floats
    kinds: Floats
    urls: Sequence[str | None]

    def take(self, pages: Ints) -> PageEvidence:
        """Return the evidence for some of the pages."""
        return PageEvidence(self.words[pages], self.kinds[pages], [self.urls[page] for page in pages.tolist()])


def page_evidence(words: Sequence[PageWords], kinds: Floats) -> PageEvidence:
    """Describe pages by their words and the probabilities of their kinds, (pages, kinds)."""
    return PageEvidence(np.array([page.features() for page in words]), kinds, [page.url for page in words])


def _tables(pages: Ints, sizes: Sequence[int]) -> Iterator[Ints]:
    """Divide the page numbers into groups that share a table; ``sizes``: how many nodes each page has."""
    begin = total = 0
    for place, page in enumerate(pages.tolist()):
        if place > begin and total + sizes[page] > _MOST_NODES:
            yield pages[begin:place]
            begin, total = place, 0
        total += sizes[page]
    if begin < len(pages):
        yield pages[begin:]


def search_posts(pages: Sequence[PageNodes], evidence: PageEvidence, models: PostModels) -> list[Posts | None]:
    """Find the posts of pages, regardless of their kinds."""
    found: list[Posts | None] = [None] * len(pages)
    nodes = share_table(pages)
    is_board = evidence.kinds[:, _FORUM] >= _LIKELY_BOARD
    proposed = propose_sets(nodes, models.threads, LEAST_POSTS, is_board[nodes.page_of_scope] & beside_posts(nodes))
    if proposed is None:
        return found
    best, of_ranks = rank_features(proposed.ranks, proposed.sets.page)
    chosen = proposed.sets.take(best)
    of_page = evidence.take(chosen.page)
    features = page_features(nodes, chosen, proposed.rows[best], of_ranks, of_page)
    probabilities = models.page.predict(features)
    inside = nodes.totals.take(chosen.members, axis=0)
    linked = chosen.runs.sum(inside[:, LINKS]) > _LINKED * chosen.runs.sum(inside[:, CHARS])
    probabilities = np.where(linked | _are_lines(nodes, chosen), 0.0, probabilities)
    for number, (page, probability) in enumerate(zip(chosen.page.tolist(), probabilities.tolist(), strict=True)):
        begin, end = nodes.scope_starts[page : page + 2].tolist()
        bodies, scores = chosen.nodes_of(number, begin), proposed.nodes[begin:end]
        if probability >= IS_THREAD:
            bodies = with_alike(pages[page], bodies, scores)
        bodies = completed_bodies(pages[page], bodies)
        found[page] = Posts(bodies, probability, scores=scores)
    return found


def with_alike(nodes: PageNodes, bodies: tuple[int, ...], scores: Floats) -> tuple[int, ...]:
    """Add the nodes that have the place of most posts in similar records; the models miss posts of a few words.

    The records are the children of the innermost element around all posts, or all but the first. ``scores``: the
    log-odds that each node is a post, (nodes,).
    """
    bodies = _with_same_build(nodes, bodies, scores)
    signatures = {*nodes.own_signatures[[*bodies]].tolist()}
    for some in (bodies, bodies[1:]):
        if len(some) < _MIN_SIMILAR:
            break
        around = max(set.intersection(*({*nodes.path(body, _RECORD_LEVELS)} for body in some)), default=-1)
        places = _places(nodes, around) if around >= 0 else {}
        ((place, count),) = Counter(places.get(body, ()) for body in some).most_common(1)
        if not place or count < max(_MIN_SIMILAR, _SIMILAR * len(some)):
            continue
        alike = [node for node, its in places.items() if its == place and int(nodes.own_signatures[node]) in signatures]
        added = [node for node in alike if scores[node] > NEVER and _is_apart(nodes, node, bodies)]
        if 0 < len(added) < len(some):  # as many are the heads of the posts
            return tuple(sorted((*bodies, *added)))
    return bodies


def _with_same_build(nodes: PageNodes, bodies: tuple[int, ...], scores: Floats) -> tuple[int, ...]:
    """Add the nodes that are built like most posts, if these are named, or rows of the same columns."""
    builds = Counter(filter(None, (_build(nodes, body) for body in bodies)))
    ((build, count),) = builds.most_common(1) or [((), 0)]
    if count < LEAST_POSTS or 2 * count < len(bodies):
        return bodies
    completed = [*bodies]
    for node in np.flatnonzero(np.isin(nodes.depth, nodes.depth[completed]) & (scores > NEVER)).tolist():
        if _build(nodes, node) == build and _is_apart(nodes, node, completed):
            insort(completed, node)
    return tuple(completed)


def _build(nodes: PageNodes, node: int) -> tuple[Hashable, ...]:
    """Return the tags and names of a node and its parent, or of its columns; empty if these have no names."""
    scope = nodes.scopes[node]
    names: tuple[str, ...] = tuple(filter(None, [_name(scope)]))
    column = 0
    if scope.tag in ("td", "th"):
        column = sum(1 for _ in islice(scope.element.itersiblings(scope.tag, preceding=True), _MAX_COLUMNS))
    if not names and scope.tag == "tr":
        names = tuple(map(_name, (nodes.scopes[each] for each in children_of(nodes, node))))
        names = names if any(names) and len(names) > 1 else ()
    return (scope.tag, column, names, _name(nodes.scopes[nodes.parents[node]])) if names else ()


def _name(scope: Scope) -> str:
    """Return the classes of an element, or else its id, without digits."""
    return _DIGITS.sub("", scope.classes or scope.element.get("id") or "")


def _is_apart(nodes: PageNodes, node: int, others: Sequence[int]) -> bool:
    """Return whether a node shares no block with others, which are in page order."""
    following = bisect_left(others, node)
    after_previous = following == 0 or nodes.lasts[others[following - 1]] <= nodes.firsts[node]
    return after_previous and (following == len(others) or nodes.lasts[node] <= nodes.firsts[others[following]])


def _places(nodes: PageNodes, around: int) -> dict[int, tuple[tuple[str, str | int], ...]]:
    """Return where the nodes in an element, but for deep ones, are in its children, which are records.

    A place has the tag of each element from the record on, with its rank among its siblings of that tag. A record has
    the tag before it instead, if that is another.
    """
    places: dict[int, tuple[tuple[str, str | int], ...]] = {around: ()}
    ranks = Counter[tuple[int, str]]()
    before = ""
    for node in range(around + 1, len(nodes)):
        if nodes.firsts[node] >= nodes.lasts[around]:
            break
        parent, tag = nodes.parents[node], nodes.scopes[node].tag
        if (outer := places.get(parent)) is None or len(outer) == _RECORD_LEVELS:
            continue
        if parent == around:
            places[node] = ((tag, before if before != tag else ""),)
            before = tag
        else:
            places[node] = (*outer, (tag, ranks[parent, tag]))
            ranks[parent, tag] += 1
    return places


def _are_lines(nodes: PageNodes, sets: CandidateSets) -> Bools:
    """Return whether most nodes of each set are adjacent single blocks, as paragraphs are, without a date line."""
    first, last = nodes.first[sets.members], nodes.last[sets.members]
    behind = (last - first == 1) & (np.append(-1, first[:-1] + 1) == first)
    heads = [nodes.texts[block].partition("\n") for block in first.tolist()]
    behind &= [not (text and has_date(line)) for line, _, text in heads]
    behind[sets.runs.begins] = False
    return sets.runs.sum(behind) > 0.5 * (sets.lengths - 1)


def page_features(
    nodes: PageNodes, chosen: CandidateSets, rows: NDArray[np.float32], ranks: Floats, evidence: PageEvidence
) -> NDArray[np.float32]:
    """Return the features of the page model, for the best set of each page; (pages, features).

    ``rows``: the `candidate_features` of the sets, ``ranks``: how clear their choice was, ``evidence``: of their pages.
    """
    links = link_features(nodes, chosen, evidence.urls)
    words = word_features(evidence.words, nodes, chosen)
    return np.concatenate([rows, ranks, links, words, evidence.kinds], axis=1).astype(np.float32)


@dataclass(frozen=True, slots=True)
class CommentModels:
    """The models that propose sets, and the model that decides whether a set consists of comments."""

    sets: SetModels
    page: TreeEnsemble


class FoundComments(NamedTuple):
    """The best candidate for a page's comments (nodes in page order), and the probability that it is right."""

    bodies: Candidate
    probability: float


def search_comments(
    pages: Sequence[PageNodes], evidence: PageEvidence, models: CommentModels
) -> list[FoundComments | None]:
    """Find the likeliest comments of each page."""
    found: list[FoundComments | None] = [None] * len(pages)
    nodes = share_table(pages)
    proposed = propose_sets(nodes, models.sets, LEAST_COMMENTS)
    if proposed is None:
        return found
    best, _ = rank_features(proposed.ranks, proposed.sets.page)
    sets = comment_sets(proposed.sets.take(best))
    rows = candidate_features(nodes, proposed.nodes, sets)
    features = comment_features(nodes, sets, rows, models.sets.candidate.scores(rows), evidence.take(sets.page))
    probabilities = models.page.predict(features)
    order = np.lexsort((-probabilities, sets.page))
    for number in order[np.flatnonzero(np.diff(sets.page[order], prepend=-1))].tolist():
        page = int(sets.page[number])
        bodies = sets.nodes_of(number, int(nodes.scope_starts[page]))
        found[page] = FoundComments(bodies, float(probabilities[number]))
    return found


def comment_sets(chosen: CandidateSets) -> CandidateSets:
    """Return the best set of each page, followed by the set without its first node if others remain.

    The text that comments refer to may have been mistaken for the first comment.
    """
    longer = chosen.take(chosen.lengths > 1)
    begins = longer.runs.begins
    without_first = CandidateSets(longer.page, longer.lengths - 1, np.delete(longer.members, begins))
    return CandidateSets.joined([chosen, without_first])


def comment_features(
    nodes: PageNodes, sets: CandidateSets, rows: NDArray[np.float32], ranks: Floats, evidence: PageEvidence
) -> NDArray[np.float32]:
    """Return the features of sets that distinguish comments; (sets, features).

    ``rows``: the `candidate_features` of the sets, ``ranks``: their scores, ``evidence``: the evidence of their pages.
    """
    own = np.stack([ranks, comment_names(nodes, sets), prose_before(nodes, sets)], axis=1)
    words = word_features(evidence.words, nodes, sets)
    return np.concatenate([rows, own, words, evidence.kinds], axis=1).astype(np.float32)


@dataclass(frozen=True, slots=True)
class SetModels:
    """The models of nodes and of sets of nodes."""

    node: TreeEnsemble
    candidate: TreeEnsemble


class ProposedSets(NamedTuple):
    """The sets of a batch of pages.

    ``nodes``: the scores of all nodes, (nodes,); ``rows``: the `candidate_features` of the sets, ``ranks``: their
    scores, (sets,).
    """

    nodes: Floats
    sets: CandidateSets
    rows: NDArray[np.float32]
    ranks: Floats


def propose_sets(nodes: PageNodes, models: SetModels, least: int, beside: Bools | None = None) -> ProposedSets | None:
    """Propose sets of ``least`` nodes or more for pages; None if no page has as many that could be posts.

    ``beside``: nodes that cannot be posts, (nodes,).
    """
    scores = exclude_others(nodes, models.node.scores(node_features(nodes)), beside)
    sets = candidates(nodes, scores, least)
    if not len(sets):
        return None
    rows = candidate_features(nodes, scores, sets)
    return ProposedSets(scores, sets, rows, models.candidate.scores(rows))


def rank_features(ranks: Floats, page: Ints) -> tuple[Ints, Floats]:
    """Return the best candidate of each page that has any, (pages,), and how clear the choice was; (pages, 4).

    The four values: its score, its lead, the mean score, the number of candidates. ``ranks``, ``page``: the candidates'
    scores and pages, grouped by page; (candidates,).
    """
    order = np.lexsort((np.arange(len(ranks)), -ranks, page))
    starts = np.flatnonzero(np.diff(page, prepend=-1))
    counts = np.diff(starts, append=len(page))
    ordered = ranks[order]
    best = ordered[starts]
    lead = best - ordered[starts + np.minimum(_AFTER_BEST, counts - 1)]
    return order[starts], np.stack([best, lead, np.add.reduceat(ordered, starts) / counts, counts], axis=1)


@dataclass(frozen=True, slots=True)
class PairModels:
    """The models that extract pairs. ``training`` describes how they were fitted: data, seed, dates and scores."""

    posts: PostModels
    faq: TreeEnsemble
    training: dict[str, Any] = field(default_factory=dict)


def load_pair_models(folder: Path | None = None) -> PairModels:
    """Load the models from the folder of a bundle, or the shipped ones if the bundle has none.

    The same applies to the model of page kinds that they require. Raises BundleError as `TreeHead.read`.
    """
    return HEAD.read(folder, kinds=load_kinds(folder))


def _models(description: dict[str, Any], trees: dict[str, TreeEnsemble], kinds: KindModel) -> PairModels:
    threads = SetModels(trees["node"], trees["candidate"])
    comments = CommentModels(SetModels(trees["comment_node"], trees["comment_candidate"]), trees["comment_page"])
    search_from = float(description["search_from"])
    posts = PostModels(kinds, threads, trees["page"], trees["question"], comments, search_from)
    models = PairModels(posts, trees["faq"], description["training"])
    _check_features(models)
    return models


HEAD = TreeHead(
    "pairs",
    "pair models",
    6,
    trees={
        "node": "posts.threads.node",
        "candidate": "posts.threads.candidate",
        "page": "posts.page",
        "question": "posts.question",
        "comment_node": "posts.comments.sets.node",
        "comment_candidate": "posts.comments.sets.candidate",
        "comment_page": "posts.comments.page",
        "faq": "faq",
    },
    build=_models,
    describe_model=lambda models: {"search_from": models.posts.search_from},
)
save_pair_models = HEAD.write


def _check_features(models: PairModels) -> None:
    """Raise ValueError if the models were trained on other features than this release computes."""
    root = parsing.parse("<div><p>One?</p><p>Two.</p></div>")
    nodes = PageNodes.of_page(root)
    evidence = page_evidence([PageWords.of(nodes, None)], np.zeros((1, len(KINDS))))
    search_posts([nodes], evidence, models.posts)
    find_question(nodes, (0, 0), np.zeros(len(nodes)), None, None, models.posts.question)
    search_comments([nodes], evidence, models.posts.comments)
    models.faq.scores(np.zeros((1, len(FEATURES)), dtype=np.float32))
