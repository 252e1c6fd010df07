"""From the posts of pages to their question-answer pairs or comments; and pairs of FAQ lists.

Which post replies to which is read from nesting or indentation. A page gets the pairs of its thread, of a FAQ list, or
of the one question that it answers (its entry). What repeats on all pages of a template (furniture) is in no pair.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from scrapy_semtext.features.table import PostBlocks
from scrapy_semtext.models.config import PAGE_KINDS
from scrapy_semtext.page import Comment, QAPair
from scrapy_semtext.read.cleaning import clean_bodies, says_something
from scrapy_semtext.read.dates import read_dates, signs_comment
from scrapy_semtext.read.facts import NO_FACTS, Records, facts_of
from scrapy_semtext.read.faq import candidates_of_pages, has_enough_questions
from scrapy_semtext.read.faq_features import FaqPage, features_of_pages
from scrapy_semtext.read.posts import LEAST_POSTS, PageWords, posts_of_pages
from scrapy_semtext.read.question import Question, find_question, is_furniture, is_said
from scrapy_semtext.read.thread_pages import page_number_of
from scrapy_semtext.reading import reader
from scrapy_semtext.tree.nodes import DATES, LONG, SENTENCES, children_of, with_same_text
from scrapy_semtext.tree.parsing import language
from scrapy_semtext.utils.remembering import remembered
from scrapy_semtext.words.cues import MAJORITY, OPENS_AS_QUESTION, asks

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.features.table import PageTable, ParsedPage
    from scrapy_semtext.models.trees import TreeEnsemble
    from scrapy_semtext.read.facts import PostFacts, RecordElement
    from scrapy_semtext.read.faq import FaqCandidate, FaqPair
    from scrapy_semtext.read.posts import PairModels, PostModels, Posts
    from scrapy_semtext.reading import Models, Reading, RuledPosts, TemplateForPage
    from scrapy_semtext.tree.nodes import PageNodes


_STYLE = re.compile(
    r"(?:^|[;\s])((?:margin|padding)-(?:left|inline-start)|text-indent|left)\s*:\s*(\d+)(?:\.\d+)?(?!\s*auto)"
)
_IN_NAME = re.compile(r"(?:^|\s)([a-z_-]{0,40}(?:depth|level|indent|lvl|nest|thread)[a-z_-]{0,40}?)-?(\d{1,3})(?=$|\s)")
_ATTRIBUTES = ("data-depth", "data-level", "data-indent", "data-nesting", "aria-level", "indent", "depth", "level")
_INDENTING = frozenset((*_ATTRIBUTES, "style", "width"))  # most elements have none of these
_FLAT = 2  # maximum height in pixels of a spacer image
_SHARE = 0.5  # minimum share of posts that must state their depth


def parents_of(nodes: PageNodes, bodies: Sequence[int], records: Records) -> list[int]:
    """Return the index of the post that each post replies to, or -1 if the page's structure shows none.

    ``records`` are the records of the same bodies. Time is linear in the page and in the sum of the depths.
    """
    nested = _nested(nodes, bodies)
    if any(parent >= 0 for parent in nested):
        return nested
    depths = _depths(records)
    return nested if depths is None else _by_depth(depths)


def _depths(records: Records) -> list[int] | None:
    """Return the depth of each post from margins, names, attributes or spacers that increase by at most one step."""
    values: dict[tuple[str, Hashable], dict[int, int]] = defaultdict(dict)
    for post, places in enumerate(records.elements):
        for place in places:
            for kind, key, value in _indents(place):
                values[kind, key].setdefault(post, value)
    for (kind, _), found in values.items():
        if len(found) < _SHARE * records.count:
            continue
        indents = [found.get(post, 0) for post in range(records.count)]
        steps = {indent: step for step, indent in enumerate(sorted(set(indents)))}
        depths = [steps[indent] for indent in indents]
        rises = all(two <= one + 1 for one, two in pairwise(depths))
        counts = kind == "pixels" or max(indents) - min(indents) == len(steps) - 1
        if len(steps) > 1 and not depths[0] and rises and counts:
            return depths
    return None


def _indents(place: RecordElement) -> Iterator[tuple[str, Hashable, int]]:
    """Yield possible depths of a post: whether in steps or in pixels, where it was found, and the value."""
    if place.names:
        yield from (("steps", (place.tag, name), value) for name, value in _in_names(place.names))
    if _INDENTING.isdisjoint(place.attributes):
        return
    if found := _STYLE.search(place.get("style").lower()):
        yield "pixels", (place.tag, found[1]), int(found[2])
    for name in _ATTRIBUTES:
        if (value := place.get(name)).isdecimal() and len(value) < 4:
            yield "steps", (place.tag, name), int(value)
    width, height = place.get("width"), place.get("height")
    if place.tag == "img" and width.isdecimal() and height.isdecimal() and int(height[:9]) <= _FLAT:
        yield "pixels", "spacer", int(width[:9])


@remembered(1 << 12)
def _in_names(names: str) -> tuple[tuple[str, int], ...]:
    return tuple((name, int(value)) for name, value in _IN_NAME.findall(names))


def _by_depth(depths: Sequence[int]) -> list[int]:
    """Return the parents of posts from their depths: the last preceding post that is one level less deep."""
    parents, latest = [], dict[int, int]()
    for number, depth in enumerate(depths):
        parents.append(latest.get(depth - 1, -1))
        latest[depth] = number
    return parents


def _nested(nodes: PageNodes, bodies: Sequence[int]) -> list[int]:
    """Return the parents of posts that are nested in the post they reply to.

    The body of a reply is deeper than that of its parent, and the innermost element around both begins with the parent
    and does not contain all posts.
    """
    if not bodies:
        return []
    bodies = _built_alike(nodes, bodies)
    outermost = int(nodes.depth[innermost_around(nodes, bodies[0], bodies[-1])])
    parents, open_posts = [], list[int]()
    for number, body in enumerate(bodies):
        while open_posts and nodes.depth[bodies[open_posts[-1]]] >= nodes.depth[body]:
            open_posts.pop()
        parent = open_posts[-1] if open_posts else -1
        if parent >= 0:
            around = innermost_around(nodes, bodies[parent], body)
            begins = not parent or nodes.firsts[around] >= nodes.lasts[bodies[parent - 1]]
            if nodes.depth[around] <= outermost or not begins:
                parent = -1
        parents.append(parent)
        open_posts.append(number)
    return parents


def _built_alike(nodes: PageNodes, bodies: Sequence[int]) -> list[int]:
    """Replace each body by the element, among those with the same text, whose type is commonest among the posts.

    The search may have found a one-paragraph body as the paragraph, and a longer one as the element around the
    paragraphs.
    """
    same = [with_same_text(nodes, body) for body in bodies]
    kinds = nodes.own_signatures.tolist()
    counts = Counter(kind for chain in same for kind in {kinds[node] for node in chain})
    return [max(chain, key=lambda node: counts[kinds[node]]) for chain in same]


def innermost_around(nodes: PageNodes, one: int, other: int) -> int:
    """Return ``one`` or its innermost ancestor that also has the last block of ``other``, a later node."""
    while nodes.lasts[one] < nodes.lasts[other]:
        one = nodes.parents[one]
    return one


# Elements that may be a column or part of a post beside its text; paragraphs and lists are parts of the text.
_PARTS = frozenset("td th div section article header footer aside dl dd".split())
_MAX_PARTS, _PARTS_LEVELS = 6, 3


def texts_of_posts(nodes: PageNodes, bodies: Sequence[int]) -> list[int]:
    """Return the parts of posts with their text if the search has found rows with a column about the author.

    All posts then consist of the same elements, and only one of them has sentences.
    """
    found = list(bodies)
    for _ in range(_PARTS_LEVELS):
        parts = [children_of(nodes, body) for body in found]
        kinds = {tuple(nodes.scopes[part].tag for part in each) for each in parts}
        if len(found) < 2 or len(kinds) != 1 or not 1 < len(kind := kinds.pop()) <= _MAX_PARTS or not {*kind} <= _PARTS:
            break
        says = nodes.totals[:, [SENTENCES, LONG]][np.array(parts)].any(axis=2).sum(axis=0)
        if np.count_nonzero(says) != 1 or 2 * says.max() < len(found):
            break
        found = [each[int(says.argmax())] for each in parts]
    return found


_NEARLY_ALL, _HEAD_BLOCKS = 0.6, 3
_MIN_DATES_OF_LIST = 3  # more dates outside the posts than posts that a list of threads has


def pairs_of_thread(
    nodes: PageNodes,
    posts: Posts,
    title: str | None,
    url: str | None,
    model: TreeEnsemble,
    main: NDArray[np.float64] | None = None,
    template: TemplateForPage | None = None,
    furniture: frozenset[int] = frozenset(),
    *,
    drop_quotes: bool = False,
) -> list[QAPair]:
    """Return a pair for each answer, in page order; the template or else ``model`` decides what the question is.

    ``main``: the probability of main content for each block of the nodes, (blocks,); without it, no question or answer
    is rejected as boilerplate. The blocks of ``furniture`` are in neither.
    """
    found = _without_signatures(nodes, posts.bodies)
    bodies = texts_of_posts(nodes, found)
    records = Records(nodes, bodies)
    facts = dict(zip(bodies, facts_of(nodes, bodies, records), strict=True))
    if _is_list(nodes, facts):
        return []
    question = None
    if template is not None:
        said = {
            post: body
            for post, body in zip(found, bodies, strict=True)
            if is_said(nodes, post, main) and not is_furniture(nodes, post, furniture)
        }
        question = _question_of_template(said, url, template)
    if question is None:
        signed = _by_somebody(nodes, facts, title)
        if len(signed) < LEAST_POSTS and not page_number_of(nodes.root, url, nodes.texts).is_later:
            return []  # nobody has answered
        question = find_question(nodes, signed, posts.scores, title, url, model, main, furniture)
    return _pairs_of_bodies(
        nodes, bodies, facts, records, question, title, posts.probability, furniture, template, drop_quotes=drop_quotes
    )


def _question_of_template(said: Mapping[int, int], url: str | None, template: TemplateForPage) -> Question | None:
    """Return what the template knows to be the question, with the bodies of posts in place of the posts."""
    question = template.question([*said], url) if said else None
    if question is None:
        return None
    node = None if question.node is None else said.get(question.node, question.node)
    return Question(node, tuple(said[post] for post in question.answers), question.probability)


def pairs_of_posts(
    nodes: PageNodes, posts: RuledPosts, title: str | None, furniture: frozenset[int] = frozenset()
) -> list[QAPair]:
    """Return a pair for each answer, in page order, given the posts, without the blocks of ``furniture``.

    The opening post is one of the bodies or another; by default it is the first of them.
    """
    said = {post: _said(nodes, post, furniture) for post in posts.bodies}
    bodies = [body for body in said.values() if body is not None]
    if not bodies:
        return []
    records = Records(nodes, bodies, inside=True)  # elements named after users are whole posts
    facts = dict(zip(bodies, facts_of(nodes, bodies, records), strict=True))
    asks = bodies[0]
    if posts.opening is not None:
        asks = said[posts.opening] = _said(nodes, posts.opening, furniture) or posts.opening
        facts.setdefault(asks, facts_of(nodes, [asks])[0])
    for post, body in said.items():
        if body is not None:
            author, date = posts.authors.get(post, facts[body].author), posts.dates.get(post, facts[body].date)
            facts[body] = replace(facts[body], author=author, date=date)
    question = Question(asks, tuple(node for node in bodies if node != asks), 1.0)
    found = _pairs_of_bodies(nodes, bodies, facts, records, question, title, 1.0, furniture)
    return [replace(pair, source="rule") for pair in found]


def _said(nodes: PageNodes, post: int, furniture: frozenset[int]) -> int | None:
    """Return the innermost node with all blocks of a post that are not furniture, None if there are none."""
    kept = [block for block in range(nodes.firsts[post], nodes.lasts[post]) if block not in furniture]
    inside = range(post, int(nodes.subtree_end[post])) if kept else ()
    return max(
        (node for node in inside if nodes.firsts[node] <= kept[0] and kept[-1] < nodes.lasts[node]), default=None
    )


def _pairs_of_bodies(
    nodes: PageNodes,
    bodies: Sequence[int],
    facts: Mapping[int, PostFacts],
    records: Records,
    question: Question,
    title: str | None,
    score: float,
    furniture: frozenset[int],
    template: TemplateForPage | None = None,
    *,
    drop_quotes: bool = False,
) -> list[QAPair]:
    shown = question.answers if question.node is None else (question.node, *question.answers)
    texts = _texts_of(nodes, shown, facts, title, furniture, template, drop_quotes=drop_quotes)
    body, asked = None, NO_FACTS
    if question.node is not None:
        body = texts[question.node] if says_something(texts[question.node]) else None
        asked = facts.get(question.node) or facts_of(nodes, shown)[0]
    whole = "\n".join(part for part in (title, body) if part)
    if not whole:
        return []
    answers = [node for node in question.answers if says_something(texts[node])]
    stated = [asked.date, *(facts[node].date for node in answers)]
    asked_at, *dates = read_dates(stated, nodes.texts, language(nodes.root))
    parents = dict(zip(bodies, parents_of(nodes, bodies, records), strict=True))
    positions = _positions(answers, {node: bodies[place] for node, place in parents.items() if place >= 0})
    return [
        QAPair(
            question=whole,
            answer=texts[node],
            question_title=title,
            question_body=body,
            author=facts[node].author,
            date=date,
            votes=facts[node].votes,
            accepted=facts[node].accepted,
            source="model",
            score=round(score, 4),
            question_author=asked.author,
            question_date=asked_at,
            question_score=round(question.probability, 4),
            answer_to=answer_to,
            depth=depth,
        )
        for node, date, (answer_to, depth) in zip(answers, dates, positions, strict=True)
    ]


def _texts_of(
    nodes: PageNodes,
    shown: Sequence[int],
    facts: Mapping[int, PostFacts],
    title: str | None,
    furniture: frozenset[int],
    template: TemplateForPage | None,
    *,
    drop_quotes: bool,
) -> dict[int, str]:
    """Return the cleaned text of each body."""
    authors = [facts[node].author if node in facts else None for node in shown]
    cleaned = clean_bodies(nodes, shown, authors, furniture, title, drop_quotes=drop_quotes)
    if template is not None:
        cleaned = [template.unsigned(text, author) for text, author in zip(cleaned, authors, strict=True)]
    return dict(zip(shown, cleaned, strict=True))


def _positions(answers: Sequence[int], parents: Mapping[int, int]) -> list[tuple[int | None, int]]:
    """Return, for each answer, the position from 1 of the answer it replies to (None: the question), and its depth."""
    places: dict[int, tuple[int, int]] = {}  # the position and depth of each answer
    found: list[tuple[int | None, int]] = []
    for position, node in enumerate(answers, 1):
        above = parents.get(node)
        while above is not None and above not in places:  # that answer was dropped
            above = parents.get(above)
        replied, depth = (None, 0) if above is None else places[above]
        places[node] = position, depth + 1
        found.append((replied, depth + 1))
    return found


def _without_signatures(nodes: PageNodes, posts: Sequence[int]) -> Sequence[int]:
    """Return the posts without undated ones directly behind another, if something stands between most of them."""
    ends = [-1, *(nodes.lasts[post] for post in posts)]
    apart = [post for post, end in zip(posts, ends, strict=False) if nodes.firsts[post] != end]
    if 2 * len(apart) <= len(posts) + 1:
        return posts
    return [post for post in posts if post in apart or nodes.totals[post, DATES]]


def _is_list(nodes: PageNodes, facts: Mapping[int, PostFacts]) -> bool:
    """Return whether most posts have no date, but many dates stand together outside the posts: a list of threads."""
    dated = [fact.date is not None or nodes.totals[node, DATES] > 0 for node, fact in facts.items()]
    begins = [*(nodes.firsts[node] for node in facts), len(nodes.blocks)]
    ends = [0, *(nodes.lasts[node] for node in facts)]
    apart = nodes.sums[begins, DATES] - nodes.sums[ends, DATES]
    return 2 * sum(dated) <= len(facts) and bool(apart.max() >= len(facts) + _MIN_DATES_OF_LIST)


def _by_somebody(nodes: PageNodes, facts: dict[int, PostFacts], title: str | None) -> Sequence[int]:
    """Return which posts to keep: if nearly all have author and date, those with neither are notices of the site.

    Of two posts, so is the second without a date if the first has one, and, if neither has one, that without a date in
    it or shortly before: "Log in to reply". The ``title`` is the name of nobody.
    """
    facts = {node: replace(fact, author=None) if fact.author == title else fact for node, fact in facts.items()}
    if len(facts) == LEAST_POSTS:
        ends = [0, *(nodes.lasts[node] for node in facts)]
        begins = [max(end, nodes.firsts[node] - _HEAD_BLOCKS) for end, node in zip(ends, facts, strict=False)]
        near = nodes.sums[ends[1:], DATES] - nodes.sums[begins, DATES] > 0
        first, second = (fact.date is not None for fact in facts.values())
        if not second and (first or near[0] != near[1]):
            return [*facts][:1] if first or near[0] else [*facts][1:]
    signed = [fact.author is not None and fact.date is not None for fact in facts.values()]
    nearly_all = sum(signed) >= max(2, _NEARLY_ALL * len(facts))
    kept = [node for node, fact in facts.items() if not nearly_all or fact.author is not None or fact.date is not None]
    *others, last = kept
    is_odd = nodes.own_signatures[last] not in nodes.own_signatures[others]
    if others and is_odd and facts[last].date is None and all(facts[node].date for node in others):
        return others  # a footer may name somebody
    return kept


#: The probability from which a list of questions is accepted (research/notes/qa-pairs.md).
LIST_THRESHOLD = 0.45
#: The probability, relative to the best list, from which a further list of the page is accepted.
ABOUT_AS_GOOD = 0.7


class Predictor(Protocol):
    """A model that assigns probabilities to rows of features."""

    def predict(self, matrix: NDArray[np.float32], /) -> NDArray[np.float64]:
        """Return a probability for each row; (rows,)."""


def read_faqs(pages: Sequence[FaqPage], model: Predictor) -> list[list[QAPair]]:
    """Return the questions that each page lists with their answers, in page order; empty if it has no list."""
    found = candidates_of_pages([page.nodes for page in pages])
    listed = [(place, candidates) for place, candidates in enumerate(found) if candidates]
    pairs: list[list[QAPair]] = [[] for _ in pages]
    if not listed:
        return pairs
    described = [pages[place]._replace(candidates=candidates) for place, candidates in listed]
    scores = np.clip(model.predict(features_of_pages(described)), 0.0, 1.0)
    begin = 0
    for place, candidates in listed:
        pairs[place] = _accepted_pairs(candidates, scores[begin : begin + len(candidates)], pages[place])
        begin += len(candidates)
    return pairs


def _accepted_pairs(candidates: Sequence[FaqCandidate], scores: NDArray[np.float64], page: FaqPage) -> list[QAPair]:
    """Return the pairs of the accepted candidates, in page order, each question once."""
    pairs: dict[str, QAPair] = {}
    lists = ((without_others(candidates[place]), float(scores[place])) for place in chosen(candidates, scores))
    found = ((pair, score) for listed, score in lists for pair in listed)
    for pair, score in sorted(found, key=lambda item: item[0].first):
        others = page.furniture.intersection(range(pair.first, pair.last))
        shared = {line for block in others for line in page.nodes.texts[block].split("\n")}
        answer = "\n".join(line for line in pair.answer.split("\n") if line not in shared)
        if answer and pair.first not in others:
            row = QAPair(pair.question, answer, question_title=pair.question, score=score)
            pairs.setdefault(pair.question.casefold(), row)
    return list(pairs.values())


def without_others(listed: FaqCandidate) -> Sequence[FaqPair]:
    """Return only the pairs that ask, if most do: the others are headings of content below or beside the list.

    Pairs whose question is the byline of a comment, as on an issue tracker's tickets, are always dropped.
    """
    pairs = tuple(pair for pair in listed.pairs if not signs_comment(pair.question))
    asking = [asks(pair.question) or OPENS_AS_QUESTION.begins(pair.question) for pair in pairs]
    if listed.in_terms or sum(asking) < MAJORITY * len(pairs):
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
        if scores[place] < max(LIST_THRESHOLD, ABOUT_AS_GOOD * float(scores.max())):
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


def find_posts(
    pages: Sequence[ParsedPage], models: PostModels, kinds: Sequence[NDArray[np.float64] | None] | None = None
) -> list[Posts | None]:
    """Return the likeliest posts of each page of a batch, None if it has none; the result depends on no other page.

    ``kinds``: the probabilities of the kinds of each page, computed if not given.
    """
    known = models.kinds.probabilities(pages) if kinds is None else kinds
    nodes = {place: page.raw_tree for place, page in enumerate(pages) if _is_searched(page.raw_tree)}
    words = [PageWords.of(found, pages[place].url) for place, found in nodes.items()]
    likely = np.array([known[place] for place in nodes]).reshape(-1, len(PAGE_KINDS))
    posts = dict(zip(nodes, posts_of_pages([*nodes.values()], words, likely, models), strict=True))
    return [*map(posts.get, range(len(pages)))]


def _is_searched(nodes: PageNodes) -> bool:
    return 0 < len(nodes.blocks) <= MOST_NODES >= len(nodes)


class PairSource(NamedTuple):
    """The input for the pairs of a page: its nodes, and its posts, title and URL, if known.

    ``main``: the probability of main content for each block of the search phase, (blocks,); without it, no answer is
    rejected as boilerplate. ``drop_quotes``: whether posts lose their quotations. ``entry``: the pair of a page that
    answers one question. ``template``: that of the page, if known.
    """

    nodes: PageNodes
    posts: Posts | None
    title: str | None
    url: str | None
    main: NDArray[np.float64] | None = None
    drop_quotes: bool = False
    entry: QAPair | None = None
    template: TemplateForPage | None = None
    furniture: frozenset[int] = frozenset()


def pairs_of_pages(pages: Sequence[PairSource], models: PairModels) -> list[list[QAPair]]:
    """Return the pairs of each of many pages: of a thread or Q&A page, a FAQ, or one entry, whichever is likeliest."""
    pairs: list[list[QAPair]] = [[] for _ in pages]
    faqs: dict[int, FaqPage] = {}
    for place, (nodes, posts, title, url, main, drop_quotes, entry, template, furniture) in enumerate(pages):
        if not _is_searched(nodes):
            continue
        if entry is not None:
            pairs[place] = [entry]
        elif posts is not None and posts.is_thread:
            pairs[place] = pairs_of_thread(
                nodes, posts, title, url, models.posts.question, main, template, furniture, drop_quotes=drop_quotes
            )
        if template is not None and template.has_posts:
            continue
        if (not pairs[place] or pairs[place][0].score < SURE) and has_enough_questions(nodes):
            faqs[place] = FaqPage(nodes, title, url, furniture=furniture)
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
        if says_something(text):
            place[number] = len(comments)
            comments.append(Comment(text, fact.author, date, place.get(parent)))
    return comments


def blocks_in_posts(page: ParsedPage, posts: Posts | None) -> PostBlocks | None:
    """Return where the text blocks of a page are in its posts or comments, None if it has neither."""
    if posts is None or not (posts.is_thread or posts.are_comments):
        return None
    nodes = page.raw_tree
    post_of_raw = np.full(len(nodes.blocks), -1, dtype=np.int64)  # the post that each raw block is in
    for number, body in enumerate(posts.bodies):
        post_of_raw[nodes.firsts[body] : nodes.lasts[body]] = number
    begin, end = _ranges(page)
    chars = nodes.chars
    within = np.append(0.0, np.cumsum(np.diff(chars) * (post_of_raw >= 0)))
    inside = (within[end] - within[begin]) / (chars[end] - chars[begin])
    # the first raw block in a post, from the beginning of each block on
    in_posts = np.flatnonzero(post_of_raw >= 0)
    first = np.append(in_posts, len(post_of_raw))[np.searchsorted(in_posts, begin)]
    post = np.where(first < end, np.append(post_of_raw, -1)[first], -1)
    return PostBlocks(posts.probability, len(posts.bodies), inside, post, posts.comments)


def probabilities_of_raw(page: ParsedPage, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Expand the probabilities of a page's text blocks, (blocks,), to the raw blocks that they consist of."""
    begin, end = _ranges(page)
    return np.repeat(probabilities, end - begin)


def _ranges(page: ParsedPage) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first and last (exclusive) raw blocks that each block of a page was joined from; (blocks,) each."""
    return page.starts, np.append(page.starts[1:], len(page.raw_blocks))


@reader(("posts", "post_blocks"), ("kinds",), by_page=False)
def posts_reader(table: PageTable, models: Models, readings: Sequence[Reading]) -> Iterator[tuple[Any, ...]]:
    """Find the posts of pages, and which blocks are in them."""
    found = find_posts(table, models.pair_models.posts, [reading.kinds for reading in readings])
    for place, reading in enumerate(readings):
        if reading.template is not None:
            found[place] = reading.template.posts(found[place])
    return zip(found, map(blocks_in_posts, table, found), strict=True)


@reader(
    "shown_pairs", ("posts", "title", "blocks", "message", "entry"), asked=lambda options: options.pairs, by_page=False
)
def pairs_reader(_: PageTable, models: Models, readings: Sequence[Reading]) -> Iterator[list[QAPair]]:
    """Return the pairs of the posts that a site's rule selects or, if it selects none, those that the models find."""
    found = pairs_of_pages([_pair_source(reading, models) for reading in readings], models.pair_models)
    for reading, pairs in zip(readings, found, strict=True):
        ruled = _pairs_of_rule(reading)
        least = 0.0 if reading.template is None else reading.template.least_score
        shown = pairs if reading.page.message is None and _score(pairs) >= least else []
        yield shown if ruled is None else ruled


def _pair_source(reading: Reading, models: Models) -> PairSource:
    page, main, template = reading.page, None, reading.template
    is_sure = template is not None and template.has_posts
    if models.labeler_of(reading.options.labeler).tidies and not is_sure:  # other labelers give some blocks 0 or 1
        main = probabilities_of_raw(reading.parsed, np.array([block.probability for block in page.blocks]))
    nodes, url, options = reading.parsed.raw_tree, reading.source.url, reading.options
    entry, furniture = reading.entry, reading.furniture
    return PairSource(nodes, reading.posts, page.title, url, main, options.drop_quotes, entry, template, furniture)


def _pairs_of_rule(reading: Reading) -> list[QAPair] | None:
    rule, nodes = reading.rule, reading.parsed.raw_tree
    if rule is None or not reading.parsed.raw_blocks:
        return None
    posts = rule.posts(nodes)
    return None if posts is None else pairs_of_posts(nodes, posts, reading.page.title, reading.furniture)


@reader("comments", ("posts", "message"), asked=lambda options: options.comments)
def comments_reader(reading: Reading, _: Models) -> list[Comment]:
    """Read the comments of a page."""
    posts = reading.posts if reading.page.message is None else None
    return comments_of(reading.parsed.raw_tree, posts) if posts is not None and posts.are_comments else []
