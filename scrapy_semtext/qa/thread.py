"""Convert the posts of a thread or Q&A page to question-answer pairs.

Which post replies to which is read from the page's structure: replies are nested in their parent, or indented.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from scrapy_semtext.dom.tree import language
from scrapy_semtext.page import QAPair
from scrapy_semtext.qa.cleaning import clean_bodies
from scrapy_semtext.qa.dates import read_dates
from scrapy_semtext.qa.facts import NO_FACTS, facts_of
from scrapy_semtext.qa.question import IS_OPENING, Question, question_of
from scrapy_semtext.qa.records import Records
from scrapy_semtext.utils.remembering import remembered

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from scrapy_semtext.inference.trees import TreeEnsemble
    from scrapy_semtext.qa.facts import PostFacts
    from scrapy_semtext.qa.nodes import PageNodes
    from scrapy_semtext.qa.posts import Posts
    from scrapy_semtext.qa.records import Place


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
    for post, places in enumerate(records.places):
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


def _indents(place: Place) -> Iterator[tuple[str, Hashable, int]]:
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
    same = [_with_same_text(nodes, body) for body in bodies]
    kinds = nodes.own_signatures.tolist()
    counts = Counter(kind for chain in same for kind in {kinds[node] for node in chain})
    return [max(chain, key=lambda node: counts[kinds[node]]) for chain in same]


def _with_same_text(nodes: PageNodes, node: int) -> list[int]:
    """Return the elements around and inside a node that have exactly its text, from the outside in."""
    first, last = nodes.firsts[node], nodes.lasts[node]
    begin = end = node
    while (above := nodes.parents[begin]) >= 0 and (nodes.firsts[above], nodes.lasts[above]) == (first, last):
        begin = above
    while end + 1 < len(nodes) and (nodes.firsts[end + 1], nodes.lasts[end + 1]) == (first, last):
        end += 1
    return list(range(begin, end + 1))


def innermost_around(nodes: PageNodes, one: int, other: int) -> int:
    """Return the innermost element around a node and the last block of a later one."""
    while nodes.lasts[one] < nodes.lasts[other]:
        one = nodes.parents[one]
    return one


_NEARLY_ALL = 0.6

#: The minimum probability of main content for the best block of an answer; others are footers and user boxes.
IS_SAID = 0.2


def pairs_of_thread(
    nodes: PageNodes,
    posts: Posts,
    title: str | None,
    url: str | None,
    model: TreeEnsemble,
    main: NDArray[np.float64] | None = None,
) -> list[QAPair]:
    """Return a pair for each answer, in page order; ``model`` decides what the question is.

    ``main``: the probability of main content for each block of the nodes, (blocks,); without it, no answer is rejected
    as boilerplate.
    """
    records = Records(nodes, posts.bodies)
    facts = dict(zip(posts.bodies, facts_of(nodes, posts.bodies, records), strict=True))
    question = question_of(nodes, _by_somebody(facts), posts.scores, title, url, model)
    if main is not None:
        said = [node for node in question.answers if main[nodes.firsts[node] : nodes.lasts[node]].max() >= IS_SAID]
        if question.node is None and len(said) == 1 < len(question.answers):  # the remaining post is the opening post
            return []
        question = question._replace(answers=tuple(said))
    return _pairs(nodes, posts.bodies, facts, records, question, title, posts.probability)


def pairs_of_posts(nodes: PageNodes, bodies: Sequence[int], opening: int | None, title: str | None) -> list[QAPair]:
    """Return a pair for each answer, in page order, given the nodes of the posts and of the question.

    ``opening`` is the node of the opening post, one of ``bodies`` or another; by default it is the first of them.
    """
    records = Records(nodes, bodies, inside=True)  # elements named after users are whole posts
    facts = dict(zip(bodies, facts_of(nodes, bodies, records), strict=True))
    asks = bodies[0] if opening is None else opening
    question = Question(asks, tuple(node for node in bodies if node != asks), 1.0)
    return [replace(pair, source="rule") for pair in _pairs(nodes, bodies, facts, records, question, title, 1.0)]


def _pairs(
    nodes: PageNodes,
    bodies: Sequence[int],
    facts: Mapping[int, PostFacts],
    records: Records,
    question: Question,
    title: str | None,
    score: float,
) -> list[QAPair]:
    shown = question.answers if question.node is None else (question.node, *question.answers)
    authors = [facts[node].author if node in facts else None for node in shown]
    texts = dict(zip(shown, clean_bodies(nodes, shown, authors), strict=True))
    body, asked = None, NO_FACTS
    if question.node is not None:
        body = texts[question.node]
        asked = facts.get(question.node) or facts_of(nodes, shown)[0]
    is_sure = question.probability >= IS_OPENING or not title
    whole = "\n".join(part for part in (title, body if is_sure else None) if part)
    if not whole:
        return []
    answers = [node for node in question.answers if texts[node]]
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


def _by_somebody(facts: dict[int, PostFacts]) -> Sequence[int]:
    """Return which posts to keep: if nearly all have author and date, those with neither are notices of the site."""
    signed = [fact.author is not None and fact.date is not None for fact in facts.values()]
    nearly_all = sum(signed) >= max(2, _NEARLY_ALL * len(facts))
    return [node for node, fact in facts.items() if not nearly_all or fact.author is not None or fact.date is not None]
