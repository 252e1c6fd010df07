"""Find the question of a thread: one of its posts, a node outside of them, or only the title.

The search for posts finds similar nodes. The opening post may be one of them, or it may be above them in different
markup. It may also be missing, because the title is the question or the page is a later one of its thread. A model
estimates the probability of each option from features that distinguish the opening post (`ThreadDescription`).
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_semtext.read.dates import is_dated
from scrapy_semtext.read.thread_pages import page_number_of
from scrapy_semtext.tree.nodes import DATES
from scrapy_semtext.words.characters import lower_tokens
from scrapy_semtext.words.cues import QUESTION_MARK, SUBJECT
from scrapy_semtext.words.word_tables import alternatives

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from scrapy_semtext.models.trees import TreeEnsemble
    from scrapy_semtext.tree.nodes import PageNodes
    from scrapy_semtext.utils.arrays import Floats


_ASKED, _ANSWERED = frozenset(("question", "questions")), frozenset(("answer", "answers"))
_QUESTION_NAMES = frozenset("question topic starter original opening first op submission story entry article".split())
_ANSWER_NAMES = frozenset("answer answers reply replies comment comments response responses".split())
_COUNTED = re.compile(
    r"(\d{1,6})\W{0,3}(?:answer|repl|comment|response|antwort|réponse|respuesta|risposte|kommentar|commentaire|ответ)"
    r"|(?:answers|replies|comments|responses|antworten|réponses|respuestas|ответов)\W{0,3}(\d{1,6})(?!\d)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:^|[#№]|\b(?:post|no\.?|nr\.?)\s?#?)\s?(\d{1,6})(?=$|[\s.)|:,])", re.IGNORECASE)
_QUOTED = re.compile(alternatives("quoted"), re.IGNORECASE)
_SUBJECT = re.compile(rf"\W*{SUBJECT}", re.IGNORECASE)
_MAX_SUBJECT_CHARS = 160
_MAX_NUMBER_CHARS = 60  # maximum length in characters of a text with the number of answers or of a post
_MAX_HEAD_BLOCKS = 10  # number of blocks before a post that may be its head
_MAX_DATE_BLOCKS = 3  # number of blocks before a post that may have its date
_MAX_NAME_LEVELS, _MAX_PART_LEVELS = 4, 8  # elements whose names are read
_MAX_DESCRIPTION_WORDS, _MIN_DESCRIPTION_WORDS = 30, 6  # words of a description that are used
_MAX_DISTANCE = 30.0
_MAX_ANSWERS = 30  # maximum number of answers that are described
_MEAN_CHARS = 3  # the column of `ThreadDescription._of_answers` with their mean length

_NO_TEXT, _UNLIKE = [-1.0] * 7, [-1.0] * 7
_NO_QUESTION = [-1.0, -20.0, -9.0, *[-1.0] * 27]

# How much likelier than on the pages that the model learned from the title alone is the question on a page that says
# that it is a later one of its thread, and one of the posts on the others (research/notes/questions.md).
_MORE_LIKELY = 4.0

_MAX_LIKELY, _MAX_LONG = 6, 3  # nodes before the answers: the likeliest, and those with the most text per block
_MIN_OPENING_CHARS = 12  # minimum number of characters of an opening post outside the other posts
_MIN_TITLE_LIKENESS = 0.6  # word F1 of a heading and the title that it repeats
_MAX_LABEL_WORDS = 2  # words beside the title in a heading that repeats it
_MAX_SKIPPED_POSTS = 3  # number of nodes at the beginning of the posts that may not be posts


# The minimum probability of main content for the best block of a post; others are footers and user boxes.
_IS_SAID = 0.2


class Question(NamedTuple):
    """The most likely question of a thread, and its answers.

    ``node`` is the opening post, None for only the title; ``probability``: that this is correct.
    """

    node: int | None
    answers: tuple[int, ...]
    probability: float


def find_question(
    nodes: PageNodes,
    posts: Sequence[int],
    scores: Floats,
    title: str | None,
    url: str | None,
    model: TreeEnsemble,
    main: Floats | None = None,
    furniture: Collection[int] = (),
) -> Question:
    """Decide what the question of a thread is. Time is linear in the page.

    ``posts``: its nodes, at least one; ``scores``: the log-odds that each node is a post, (nodes,); ``main``: the
    probability of main content for each block, (blocks,), if boilerplate is to be rejected; ``furniture``: the blocks
    that are certainly neither question nor answer.
    """
    words = lower_tokens(title or "")
    begin = _title_heading(nodes, words, nodes.firsts[posts[-1]])
    posts = [node for node in posts if not is_furniture(nodes, node, furniture)]
    content_posts = [node for node in posts if is_said(nodes, node, main) and nodes.lasts[node] > begin]
    candidates = [node for node in content_posts if not _is_head(nodes, node, words)]
    if not candidates or len(posts) < 2:
        return Question(None, tuple(content_posts), 1.0)
    if _are_named(nodes, candidates):
        return Question(candidates[0], tuple(candidates[1:]), 1.0)
    options = []
    for option in question_options(nodes, candidates, scores):
        node = option.question
        if node in candidates:
            is_other = _quotes_post(nodes, node)
        else:
            is_other = node is not None and (
                nodes.lasts[node] <= begin or _repeats(nodes.text(node), words) or is_furniture(nodes, node, furniture)
            )
        if not is_other:
            options.append(option)
    description = ThreadDescription(nodes, candidates, scores, title, url)
    rows = np.array([description.features(option) for option in options], dtype=np.float32)
    untitled = np.array([option.question is None for option in options])
    expected = untitled if description.is_later else np.array([option.question in candidates for option in options])
    likelihood = model.predict(rows) * np.where(expected, _MORE_LIKELY, 1.0)
    likelihood /= likelihood.sum()
    by_title = float(likelihood[untitled].sum())
    if by_title >= 0.5:
        best = options[int(np.where(untitled, likelihood, -1.0).argmax())]
        # no post of a later page is lost, and the only post of a first one is not its own answer
        answers = tuple(candidates) if description.is_later else best.answers if len(candidates) > 1 else ()
        return Question(None, answers, by_title)
    opened = options[int(np.where(untitled, -1.0, likelihood).argmax())]
    return Question(opened.question, opened.answers, 1 - by_title)


def _are_named(nodes: PageNodes, posts: Sequence[int]) -> bool:
    """Return whether only the first post is in an element named for a question, and only the others for answers.

    Some Q&A software repeats the question on later pages.
    """
    first, *others = (nodes.names_near([post], _MAX_PART_LEVELS) for post in posts)
    own = first.difference(*others)
    asks = bool(others) and not _ASKED.isdisjoint(own)
    return asks and _ANSWERED.isdisjoint(own) and not any(_ANSWERED.isdisjoint(names - first) for names in others)


def _quotes_post(nodes: PageNodes, node: int) -> bool:
    """Return whether a post begins with the line that names who is quoted: then it is a reply."""
    text = nodes.texts[nodes.firsts[node]].partition("\n")[0]
    return len(text) <= _MAX_NUMBER_CHARS and _QUOTED.search(text) is not None


def is_furniture(nodes: PageNodes, node: int, furniture: Collection[int]) -> bool:
    """Return whether all blocks of a node are in ``furniture``."""
    return bool(furniture) and all(block in furniture for block in range(nodes.firsts[node], nodes.lasts[node]))


def is_said(nodes: PageNodes, node: int, main: Floats | None) -> bool:
    """Return whether a node has text that may be main content."""
    return main is None or main[nodes.firsts[node] : nodes.lasts[node]].max() >= _IS_SAID


def _title_headings(nodes: PageNodes, title: Sequence[str], end: int) -> Iterator[int]:
    """Yield the blocks, up to one, that are headings with the words of the title."""
    title_words = {*title}
    for block in np.flatnonzero(nodes.block_headings[:end]).tolist() if title_words else ():
        words = {*lower_tokens(nodes.texts[block])}
        if 2 * len(words & title_words) >= _MIN_TITLE_LIKENESS * (len(words) + len(title_words)):
            yield block


def _title_heading(nodes: PageNodes, title: Sequence[str], end: int) -> int:
    """Return the first of these headings that is not the subject of a reply, -1 without one.

    Without a heading, the first block that repeats the title is one.
    """
    found = (block for block in _title_headings(nodes, title, end) if not _SUBJECT.match(nodes.texts[block]))
    repeated = (block for block in range(end) if _repeats(nodes.texts[block], title))
    return next(found, next(repeated, -1))


def _is_head(nodes: PageNodes, node: int, title: Sequence[str]) -> bool:
    """Return whether a node is the head of the page: it repeats the title as a heading, or without a date beside it."""
    first, last = nodes.firsts[node], nodes.lasts[node]
    dated = nodes.sums[last, DATES] > nodes.sums[max(0, first - _MAX_DATE_BLOCKS), DATES]
    repeats = all(_repeats(text, title) for text in nodes.texts[first:last])
    return repeats and (not dated or all(nodes.block_headings[first:last]))


def _repeats(text: str, title: Sequence[str]) -> bool:
    """Return whether a text has only the words of the title, and perhaps a label."""
    words = lower_tokens(text) if title else []
    return bool(words) and {*title} <= {*words} and len(words) <= len(title) + _MAX_LABEL_WORDS


def question_options(nodes: PageNodes, posts: Sequence[int], scores: Floats) -> list[Option]:
    """Return the possible questions of a thread with these posts; ``scores``: the nodes' log-odds of being posts.

    Any of the first posts may be the first answer. What precedes it is then the question: only the title, the previous
    post, or a node that is not one of the posts.
    """
    options = [Option(posts[0], tuple(posts[1:]))]
    for index in range(min(_MAX_SKIPPED_POSTS, max(1, len(posts) - 1))):
        answers = tuple(posts[index:])
        options.append(Option(None, answers))
        if index:
            options.append(Option(posts[index], answers[1:]))
    before_posts = _between(nodes, -1, posts[0], scores)
    options += [Option(node, tuple(posts[begin:])) for node in before_posts for begin in (0, 1)]
    between_posts = _between(nodes, posts[0], posts[1], scores) if len(posts) > 1 else ()
    return options + [Option(node, tuple(posts[1:])) for node in between_posts]


def _between(nodes: PageNodes, previous: int, following: int, scores: Floats) -> list[int]:
    """Return the nodes between two posts that may be the opening post: for each span of text, the innermost around it.

    ``previous``: the first of the two posts, -1 for the beginning of the page.
    """
    chars = nodes.chars[nodes.last] - nodes.chars[nodes.first]
    begin = nodes.lasts[previous] if previous >= 0 else 0
    is_between = (nodes.first >= begin) & (nodes.last <= nodes.first[following])
    candidates = np.flatnonzero(is_between & (chars >= _MIN_OPENING_CHARS))
    spans = zip(nodes.first[candidates], nodes.last[candidates], strict=True)
    innermost = dict(zip(spans, candidates.tolist(), strict=True))
    found = np.array([*innermost.values()], dtype=np.int64)
    if not len(found):
        return []
    length = chars[found] / np.sqrt(nodes.last[found] - nodes.first[found])
    likely, longest = np.argsort(-scores[found], kind="stable"), np.argsort(-length, kind="stable")
    return sorted({*found[likely[:_MAX_LIKELY]].tolist(), *found[longest[:_MAX_LONG]].tolist()})


class Option(NamedTuple):
    """A possible question: a node, or None for only the title; and the nodes that would be its answers."""

    question: int | None
    answers: tuple[int, ...]


class ThreadDescription:
    """The features of a page that concern its question.

    ``posts`` are the nodes of its posts, ``scores`` the log-odds that each node is a post.
    """

    def __init__(
        self, nodes: PageNodes, posts: Sequence[int], scores: Floats, title: str | None, url: str | None
    ) -> None:
        self._nodes, self._posts, self._scores = nodes, posts, scores
        self._firsts, self._lasts = nodes.firsts, nodes.lasts
        self._number = page_number_of(nodes.root, url, nodes.texts)
        self._title = [*lower_tokens(title or "")]
        self._title_words = {word for word in self._title if len(word) > 2}
        self._description = _description_of(nodes.root)
        self._asks = bool(title and QUESTION_MARK.search(title))
        #: The words of a node, and of the class and id names around it, cached because several options share them.
        self._tokens = cache(lambda node: [*lower_tokens(nodes.text(node))])
        self._names = cache(lambda node: nodes.names_near([node], _MAX_NAME_LEVELS))
        self._answers: dict[int, list[float]] = {}
        self._page = self._of_page()

    @property
    def is_later(self) -> bool:
        """Whether the page or its URL says that this is a later page of its thread."""
        return self._number.is_later

    def features(self, option: Option) -> list[float]:
        """Return the features of an option: of the page, of the answers, and of the node that would be the question."""
        answers = option.answers
        if len(answers) not in self._answers:  # the answers are the last posts, so their number is enough
            self._answers[len(answers)] = self._of_answers(answers)
        return [*self._page, *self._answers[len(answers)], *self._of_question(option)]

    def _of_page(self) -> list[float]:
        """Describe the page: its number in the thread, its posts and its title."""
        number, posts = self._number, self._posts
        return [
            float(number.address),
            _compared(number.stated),
            _compared(number.current),
            float(number.previous_page),
            float(number.previous),
            float(number.following),
            float(number.is_later),
            float(len(posts)),
            float(len(self._title)),
            float(self._asks),
            float(self._linked_out),
            *self._numbers_of_posts(),
        ]

    @cached_property
    def _heading(self) -> int:
        """The last heading before the last post that has the words of the title; -1 without one."""
        return max(_title_headings(self._nodes, self._title, self._firsts[self._posts[-1]]), default=-1)

    @cached_property
    def _linked_out(self) -> bool:
        """Whether the heading with the title is a link to another site."""
        if self._heading < 0:
            return False
        scope = self._nodes.scopes[int(self._nodes.of_block[self._heading])]
        links = [*scope.element.iter("a"), *scope.element.iterancestors("a")]
        return any(link.get("href", "").startswith(("http:", "https:", "//")) for link in links[:3])

    def _numbers_of_posts(self) -> list[float]:
        """Return the first post's number minus one, and whether it is shown, using numbers that increase by post."""
        heads = [self._numbers(index) for index in range(min(4, len(self._posts)))]
        for number in sorted(heads[1]) if len(heads) > 1 else ():
            if all(number + step in head for step, head in enumerate(heads[1:])) and (
                number - 1 in heads[0] or len(heads) > 2
            ):
                return [min(number - 1, 5.0), float(number - 1 in heads[0])]
        return [-1.0, -1.0]

    def _numbers(self, index: int) -> set[int]:
        """Return the numbers in the short texts before a post."""
        end = self._firsts[self._posts[index]]
        begin = max(0, end - _MAX_HEAD_BLOCKS, self._lasts[self._posts[index - 1]] if index else 0)
        texts = [text for text in self._nodes.texts[begin:end] if len(text) <= _MAX_NUMBER_CHARS]
        return {int(found[1]) for text in texts for found in _NUMBERED.finditer(text)}

    @cached_property
    def _counted(self) -> set[int]:
        """The numbers of answers that the page states outside its posts."""
        found: set[int] = set()
        covered, posts = 0, [*self._posts, -1]
        for post in posts:
            end = self._firsts[post] if post >= 0 else len(self._nodes.texts)
            for text in self._nodes.texts[covered:end]:
                if len(text) <= _MAX_NUMBER_CHARS:
                    found |= {int(number[1] or number[2]) for number in _COUNTED.finditer(text)}
            covered = self._lasts[post]
        return found

    def _of_answers(self, answers: Sequence[int]) -> list[float]:
        """Describe the answers, as far as different options have different ones."""
        described = answers[:_MAX_ANSWERS]
        names = self._names(answers[0]) if answers else set()
        return [
            float(len(answers)),
            float(len(answers) in self._counted),
            float(len(answers) + 1 in self._counted),
            float(np.mean([np.log1p(self._chars(node)) for node in described])) if answers else 0.0,
            float(np.mean(self._scores[list(described)])) if answers else -20.0,
            float(not names.isdisjoint(_ANSWER_NAMES)),
            float(not names.isdisjoint(_QUESTION_NAMES)),
            *(self._of_text(answers[0]) if answers else _NO_TEXT),
            *(self._likeness(answers[0], described[1:]) if answers else _UNLIKE),
        ]

    def _of_question(self, option: Option) -> list[float]:
        """Describe the node that would be the question, and its position to the answers."""
        question, answers, nodes = option.question, option.answers, self._nodes
        if question is None:
            return _NO_QUESTION
        first, last = self._firsts[question], self._lasts[question]
        answer = self._firsts[answers[0]] if answers else len(nodes.texts)
        between = nodes.texts[last:answer]
        names = self._names(question)
        texts_before = nodes.texts[max(0, first - _MAX_HEAD_BLOCKS) : first]
        mean = self._answers[len(answers)][_MEAN_CHARS]
        return [
            float(question == self._posts[0]),
            float(self._scores[question]),
            float(np.log1p(self._chars(question)) - mean),
            min(_MAX_DISTANCE, float(answer - last)),
            min(_MAX_DISTANCE, float(first - self._heading)) if 0 <= self._heading <= first else -1.0,
            float(self._heading > first),
            first / len(nodes.texts),
            float((nodes.chars[last] - nodes.chars[first]) / max(1.0, nodes.chars[answer])),
            float(np.log1p(sum(map(len, between)))),
            float(sum(map(is_dated, (text for text in between if len(text) <= _MAX_NUMBER_CHARS)))),
            float(sum(map(is_dated, (text for text in texts_before if len(text) <= _MAX_NUMBER_CHARS)))),
            float(any(nodes.block_headings[last:answer])),
            float(not names.isdisjoint(_QUESTION_NAMES)),
            float(not names.isdisjoint(_ANSWER_NAMES)),
            *self._of_text(question),
            *self._likeness(question, answers[:_MAX_ANSWERS]),
            float(self._is_marked(question)) if self._has_marks else -1.0,
            float(len(self._tokens(question))),
        ]

    def _of_text(self, node: int) -> list[float]:
        """Describe the text of a post."""
        text, words, description = self._nodes.text(node), self._tokens(node), self._description
        shared = len(self._title_words.intersection(words)) / max(1, len(self._title_words))
        return [
            float(QUESTION_MARK.search(text) is not None),
            float(QUESTION_MARK.search(text[-80:]) is not None),
            float(self._begins_with_quotation(node)),
            shared,
            float(words == self._title),
            float(np.log1p(len(text))),
            len(description.intersection(words)) / len(description) if description else -1.0,
        ]

    def _likeness(self, node: int, other_nodes: Sequence[int]) -> list[float]:
        """Return how similar a node is to others in its tags and names, and in its surroundings."""
        if not other_nodes:
            return _UNLIKE
        nodes, listed = self._nodes, list(other_nodes)
        equal_shares = [
            np.count_nonzero(column[listed] == column[node]) / len(listed)
            for column in (nodes.signatures, nodes.near_signatures, nodes.own_signatures, nodes.tag_paths)
        ]
        depth = float(nodes.depth[node] - median(nodes.depth[listed].tolist()))
        names, other_names = self._names(node), self._names(other_nodes[0])
        return [
            *equal_shares,
            depth,
            len(names & other_names) / max(1, len(names | other_names)),
            float(nodes.tag_numbers[node] == nodes.tag_numbers[other_nodes[0]]),
        ]

    @cached_property
    def _has_marks(self) -> bool:
        """Whether "Re: ..." precedes one of the first posts."""
        return any(map(self._is_marked, self._posts[:5]))

    def _is_marked(self, node: int) -> bool:
        """Return whether the last subject shortly before a node is that of a reply ("Re: ...")."""
        first = self._firsts[node]
        texts = self._nodes.texts[max(0, first - _MAX_HEAD_BLOCKS) : first]
        for text in reversed(texts):
            if _SUBJECT.match(text):
                return True
            if len(text) > _MAX_SUBJECT_CHARS:
                return False
        return False

    def _chars(self, node: int) -> float:
        """Return the number of characters of a node."""
        return float(self._nodes.chars[self._lasts[node]] - self._nodes.chars[self._firsts[node]])

    def _begins_with_quotation(self, node: int) -> bool:
        """Return whether the first block of a node is in a quotation."""
        scope = self._nodes.blocks[self._firsts[node]].scope
        outer = self._nodes.scopes[node]
        for inner in scope.ancestry():
            if inner is outer:
                return False
            if inner.tag == "blockquote" or "quot" in inner.names.lower():
                return True
        return False


def _description_of(root: Any) -> set[str]:
    """Return the first words of the meta description, which is often the beginning of the opening post."""
    for name in ("og:description", "description", "twitter:description"):
        for meta in root.iterfind(f".//meta[@{'property' if ':' in name else 'name'}='{name}']"):
            words = lower_tokens(meta.get("content", ""))[:_MAX_DESCRIPTION_WORDS]
            if len(words) >= _MIN_DESCRIPTION_WORDS:
                return {*words}
    return set()


def _compared(number: int | None) -> float:
    """Return -1 for an unknown number, 0 for the first and 1 for a later one."""
    return -1.0 if number is None else float(number > 1)
