"""What the question of a thread is: one of its posts, a node that stands apart from them, or the title alone.

The search for posts finds nodes that are alike. The opening post may be one of them; it may stand above them in markup
of its own; there may be none, since the title is the question or the page is a later one of its thread. A model gives
the probability of each of these, from what tells the opening post from others (`question_features`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.qa.question_features import Option, ThreadDescription

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.inference.trees import TreeEnsemble
    from scrapy_semtext.qa.nodes import PageNodes
    from scrapy_semtext.utils.arrays import Floats


#: The probability from which the text of a node is part of the question. A question without its body is of less use,
#: but one whose body is the first reply is wrong (research/notes/questions.md).
IS_OPENING = 0.8

_LIKELY, _LONG = 6, 3  # nodes before the answers: the likeliest, and those with the most text by block
_SHORTEST = 12  # characters of an opening post that stands apart
_LEAVABLE = 3  # nodes at the beginning of the posts that may be none


class Question(NamedTuple):
    """What the question of a thread most likely is, and the answers to it.

    ``node`` is that of its opening post, None for the title alone; ``probability``: that it is so.
    """

    node: int | None
    answers: tuple[int, ...]
    probability: float


def question_of(
    nodes: PageNodes, posts: Sequence[int], scores: Floats, title: str | None, url: str | None, model: TreeEnsemble
) -> Question:
    """Decide what the question of a thread is. Time is linear in the page.

    ``posts``: its nodes, at least one; ``scores``: the log-odds of all nodes of being posts, (nodes,).
    """
    if len(posts) < 2:
        return Question(None, tuple(posts), 1.0)
    options = options_of(nodes, posts, scores)
    description = ThreadDescription(nodes, posts, scores, title, url)
    rows = np.array([description.features(option) for option in options], dtype=np.float32)
    likelihood = model.predict(rows)
    likelihood = likelihood / likelihood.sum()
    untitled = np.array([option.question is None for option in options])
    by_title = float(likelihood[untitled].sum())
    if description.is_later and 1 - by_title < IS_OPENING:  # no post of a later page gets lost
        return Question(None, tuple(posts), by_title)
    if by_title >= 0.5:
        return Question(None, options[int(np.where(untitled, likelihood, -1.0).argmax())].answers, by_title)
    opened = options[int(np.where(untitled, -1.0, likelihood).argmax())]
    return Question(opened.question, opened.answers, 1 - by_title)


def options_of(nodes: PageNodes, posts: Sequence[int], scores: Floats) -> list[Option]:
    """What may be the question of a thread with these posts; ``scores``: the nodes' log-odds of being posts.

    Any of the first posts may be the first answer, and what stands before it the question: the title alone, the post
    before, or a node that is none of the posts.
    """
    options = [Option(posts[0], tuple(posts[1:]))]
    for place in range(min(_LEAVABLE, len(posts) - 1)):
        answers = tuple(posts[place:])
        options.append(Option(None, answers))
        if place:
            options.append(Option(posts[place], answers[1:]))
    apart = _between(nodes, -1, posts[0], scores)
    options += [Option(node, tuple(posts[begin:])) for node in apart for begin in (0, 1)]
    return options + [Option(node, tuple(posts[1:])) for node in _between(nodes, posts[0], posts[1], scores)]


def _between(nodes: PageNodes, one: int, two: int, scores: Floats) -> list[int]:
    """Nodes between two posts that may be the opening post: each stretch of text once, as the innermost around it.

    ``one``: the first of them, -1 for the beginning of the page.
    """
    chars = nodes.chars[nodes.last] - nodes.chars[nodes.first]
    begin = nodes.lasts[one] if one >= 0 else 0
    within = np.flatnonzero((nodes.first >= begin) & (nodes.last <= nodes.first[two]) & (chars >= _SHORTEST))
    innermost = dict(zip(zip(nodes.first[within], nodes.last[within], strict=True), within.tolist(), strict=True))
    found = np.array([*innermost.values()], dtype=np.int64)
    if not len(found):
        return []
    length = chars[found] / np.sqrt(nodes.last[found] - nodes.first[found])
    likely, longest = np.argsort(-scores[found], kind="stable"), np.argsort(-length, kind="stable")
    return sorted({*found[likely[:_LIKELY]].tolist(), *found[longest[:_LONG]].tolist()})
