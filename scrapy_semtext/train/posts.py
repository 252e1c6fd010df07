"""Training of the post models (see `scrapy_semtext.read.posts`) and of the question model: pages, labels and fits.

Each model is trained on out-of-fold predictions of the previous one: the pages are divided into folds by engine, and
the node and candidate models are fitted without each fold, and once on all pages.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

import numpy as np
from tqdm import tqdm

from scrapy_semtext.features.table import describe
from scrapy_semtext.read.candidates import CandidateSets, candidate_features, candidates, exclude_others
from scrapy_semtext.read.cleaning import clean_bodies
from scrapy_semtext.read.facts import facts_of
from scrapy_semtext.read.kinds import KINDS
from scrapy_semtext.read.posts import (
    LEAST_COMMENTS,
    LEAST_POSTS,
    WORD_FEATURES,
    CommentModels,
    PageEvidence,
    PageWords,
    PostModels,
    SetModels,
    comment_features,
    comment_names,
    comment_sets,
    page_evidence,
    page_features,
    rank_features,
)
from scrapy_semtext.read.question import Option, ThreadDescription, question_options
from scrapy_semtext.read.thread_pages import is_url_of_later_page
from scrapy_semtext.read.title import title_of
from scrapy_semtext.train.datasets import (
    GENERATED,
    RECORDED,
    THEMED,
    VARIED,
    AnnotatedPage,
    TrainingError,
    fold,
    may_ship,
    read_all,
)
from scrapy_semtext.train.fit import Trees, outside_folds, stacked
from scrapy_semtext.train.kinds import fit_kinds, kind_example_of, plain_examples, predicted
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.nodes import PageNodes, node_features
from scrapy_semtext.words.characters import lower_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_semtext.models.trees import TreeEnsemble
    from scrapy_semtext.read.candidates import Candidate
    from scrapy_semtext.read.kinds import KindModel
    from scrapy_semtext.train.fit import Part
    from scrapy_semtext.train.kinds import KindExample
    from scrapy_semtext.utils.arrays import Floats


#: "posts": a thread or Q&A page whose posts are known; "variant": one made of such a page (`research.made_pages`);
#: "comments": an article whose comments are known; "faq": a FAQ page; "forum": a page of a forum, or with pairs, whose
#: posts are not known; "none": none of these.
Role = Literal["posts", "variant", "comments", "faq", "forum", "none"]

# Marks of each forum engine in the HTML, in matching order. Extraction does not depend on them.
_MARKS = {
    "xenforo": re.compile(r"xenforo|data-xf-", re.IGNORECASE),
    "phpbb": re.compile(r"phpbb", re.IGNORECASE),
    "vbulletin": re.compile(r"vbulletin|vb_", re.IGNORECASE),
    "discourse": re.compile(r'content="Discourse|discourse_theme'),
    "invision": re.compile(r"Invision|ipsType|ipsComment|ipb"),
    "vanilla": re.compile(r"vanilla(?:forums| forums|_)|Item-BodyWrap|CommentHeader", re.IGNORECASE),
    "smf": re.compile(r"Simple Machines"),
    "mybb": re.compile(r"MyBB"),
    "fluxbb": re.compile(r"FluxBB|PunBB"),
    "drupal": re.compile(r"drupal", re.IGNORECASE),
    "stackexchange": re.compile(r"cdn\.sstatic"),
}


class TruePair(NamedTuple):
    """A true pair; any of ``questions`` (title and body, title, body) is accepted."""

    questions: tuple[str, ...]
    answer: str


@dataclass(slots=True)
class PairPage:
    """A page with its truth.

    ``engine`` is the family of its forum engine, or the domain for pages without posts that state none. ``posts`` are
    the texts of the posts in order, the question first, or of the comments; ``pairs`` are the pairs of an FAQ, thread
    or Q&A page, None if unknown. ``main_text`` is the true main text. ``title`` is the question's title if known;
    ``opening`` is the text of the opening post, "" if the title is the whole question or the page is a later one of its
    thread, None if unknown or if there are no posts. ``parents`` has the index of the answer that each answer replies
    to, -1 for the question; None if unknown.
    """

    id: str
    role: Role
    kind: str
    engine: str
    domain: str
    url: str | None
    dataset: str
    html: str
    posts: list[str]
    pairs: list[TruePair] | None
    main_text: str
    shippable: bool
    title: str = ""
    opening: str | None = None
    is_later: bool = False
    parents: list[int] | None = None

    @property
    def teaches_posts(self) -> bool:
        """Return whether models learn from the page which nodes are posts."""
        return self.role == "posts" or self.parents is not None

    @property
    def says_pairs(self) -> bool:
        """Return whether it is known which pairs or posts the page has, if any."""
        return self.role not in ("variant", "comments", "forum")

    def nodes(self) -> PageNodes:
        """Parse the page (without schema.org markup, if the set demands it) into its nodes."""
        root = parsing.parse(self.html, self.url)
        return PageNodes.of_page(root)


def read_pair_pages(paths: Iterable[str | Path]) -> Iterator[PairPage]:
    """Yield the pages of the sets."""
    return map(pair_page, read_all(paths, faq=True))


def pair_page(page: AnnotatedPage) -> PairPage:
    """Return the page with its truth about pairs, which pages of `research.made_pages` state."""
    if "made" in page.extra:
        return _made_page(page)
    role, posts = _truth(page)
    title, opening, is_later = _opening(page, posts) if role == "posts" else ("", None, False)
    html = page.extra.get("html_nomarkup") or page.html
    stated = page.extra.get("engine") if role != "faq" else None
    return PairPage(
        id=page.id,
        role=role,
        kind=page.page_type or "untyped",
        engine=engine_of(html, stated, page.domain) if stated or role not in ("none", "faq") else page.domain,
        domain=page.domain,
        url=page.url,
        dataset=page.dataset,
        html=html,
        posts=posts,
        pairs=_pairs(page),
        main_text=page.text,
        shippable=may_ship(page),
        title=title,
        opening=opening,
        is_later=is_later,
        parents=_parents(page) if role == "posts" else None,
    )


def _made_page(page: AnnotatedPage) -> PairPage:
    made = page.extra["made"]
    pairs = made["pairs"] and [TruePair(tuple(questions), answer) for questions, answer in made["pairs"]]
    return PairPage(**{**made, "pairs": pairs}, id=page.id, html=page.html, main_text=page.text)


def _opening(page: AnnotatedPage, posts: Sequence[str]) -> tuple[str, str | None, bool]:
    """Return the title of the question if known, the text of the opening post, and whether the page is a later one."""
    is_first = page.extra.get("first_page")
    is_later = is_url_of_later_page(page.url) if is_first is None else not is_first
    question = page.extra.get("question")
    if question is None:
        title, body = "", posts[0] if posts else None
    else:
        title, body = question.get("title") or "", question.get("body") or ""
    return title, "" if is_later else body, is_later


def engine_of(html: str, stated: str | None, domain: str) -> str:
    """Return the family of a page's engine: as stated by the page set, or else by marks in the HTML.

    If neither is available, it is the domain.
    """
    for name in _MARKS:
        if stated is not None and stated.startswith(name):
            return name
    if stated is not None:
        return stated
    return next((name for name, mark in _MARKS.items() if mark.search(html)), domain)


def has_posts(page: AnnotatedPage) -> bool:
    """Return whether the posts of a page are known."""
    return _truth(page)[0] == "posts"


def _truth(page: AnnotatedPage) -> tuple[Role, list[str]]:
    extra = page.extra
    if "pairs" in extra and page.page_type == "faq":
        return "faq", []
    if "answers" in extra:
        return _answered(page)
    if extra.get("posts"):
        return "posts", [post["post_text"] for post in extra["posts"] if post.get("post_text")]
    return ("forum" if page.page_type == "forum" or extra.get("pairs") else "none"), []


def _answered(page: AnnotatedPage) -> tuple[Role, list[str]]:
    answers = [answer["text"] for answer in page.extra["answers"] if answer["text"]]
    if page.page_type == "comments":
        return "comments", answers
    body = (page.extra.get("question") or {}).get("body")
    return "posts", [body, *answers] if body else answers


def _pairs(page: AnnotatedPage) -> list[TruePair] | None:
    extra = page.extra
    if extra.get("pairs"):
        return [TruePair((pair["question"],), pair["answer"]) for pair in extra["pairs"]]
    if "answers" not in extra or page.page_type == "comments":
        return None
    question = extra.get("question") or {}
    title, body = question.get("title") or "", question.get("body") or ""
    forms = tuple(filter(None, (f"{title}\n{body}".strip(), title, body)))
    return [TruePair(forms, answer["text"]) for answer in extra["answers"]]


def _parents(page: AnnotatedPage) -> list[int] | None:
    parents = [answer.get("parent") for answer in page.extra.get("answers") or ()]
    return None if None in parents else parents or None


#: Word F1 from which a text counts as the same post (as in the scoring of pairs).
MATCH = 0.8

_MISSED_OPENING = 1 / 3
_MIN_F1, _BELOW_BEST = 0.75, 0.04  # a body has at least this word F1, and at most this much less than the best node
_FOUND = 0.6  # F1 from which a set counts as known comments; lower without the first comment
_INSIDE, _OUTSIDE = 0.5, 0.2  # shares of the texts' three-word runs that are in the main text
_WITH_FACTS = 0.5  # minimum share of texts with an author, or a date

Words = Counter[str]


@lru_cache(1 << 16)  # texts recur in many sets of nodes
def words_of(text: str) -> Words:
    """Return the words of a text with their counts, which callers do not change."""
    return Counter(lower_tokens(text))


def word_f1(one: Words, two: Words) -> float:
    """Return the harmonic mean of precision and recall of the words."""
    shared = sum((one & two).values())
    return 2 * shared / (one.total() + two.total()) if shared else 0.0


def body_labels(nodes: PageNodes, posts: Sequence[str]) -> NDArray[np.int8]:
    """Return 1 for each node whose text is nearly that of a post, else 0; (nodes,)."""
    of_blocks = [words_of(block.text) for block in nodes.blocks]
    totals = np.concatenate([[0], np.cumsum([found.total() for found in of_blocks])])
    sizes = totals[nodes.last] - totals[nodes.first]
    labels = np.zeros(len(nodes), dtype=np.int8)
    known: dict[tuple[int, int], Words] = {}
    for post in filter(None, map(words_of, posts)):
        near = np.flatnonzero((sizes >= 0.6 * post.total()) & (sizes <= 1.7 * post.total() + 4))
        likeness = {node: word_f1(_node_words(nodes, node, of_blocks, known), post) for node in near.tolist()}
        least = max(_MIN_F1, max(likeness.values(), default=0) - _BELOW_BEST)
        for node, value in likeness.items():
            labels[node] |= value >= least
    return labels


def _node_words(nodes: PageNodes, node: int, of_blocks: list[Words], known: dict[tuple[int, int], Words]) -> Words:
    key = (int(nodes.first[node]), int(nodes.last[node]))
    if key not in known:
        total: Words = Counter()
        for found in of_blocks[key[0] : key[1]]:
            total.update(found)
        known[key] = total
    return known[key]


def set_f1(found: Sequence[str], posts: Sequence[str]) -> float:
    """Return `posts_f1`, or a third of it if the first text is not the first post, the question of all pairs."""
    mine, theirs = (next(filter(None, map(words_of, texts)), Words()) for texts in (found, posts))
    opens = not mine or not theirs or word_f1(mine, theirs) >= MATCH
    return posts_f1(found, posts) * (1 if opens else _MISSED_OPENING)


def posts_f1(found: Sequence[str], posts: Sequence[str]) -> float:
    """Return the F1 of the posts of a page: a text is found if its word F1 with a distinct post is at least MATCH."""
    mine = list(filter(None, map(words_of, found)))
    theirs = list(filter(None, map(words_of, posts)))
    if not mine or not theirs:
        return float(not mine and not theirs)
    found_posts = likest_pairs(
        (value, i, j)
        for i, one in enumerate(mine)
        for j, two in enumerate(theirs)
        if 3 * min(one.total(), two.total()) >= max(one.total(), two.total()) * 2 - 3
        and (value := word_f1(one, two)) >= MATCH
    )
    return 2 * len(found_posts) / (len(mine) + len(theirs))


def likest_pairs(near: Iterable[tuple[float, int, int]]) -> dict[int, int]:
    """Pair texts one to one, the most similar first, given similarities and the indexes of both."""
    found: dict[int, int] = {}
    taken: set[int] = set()
    for _, one, other in sorted(near, reverse=True):
        if one not in found and other not in taken:
            found[one] = other
            taken.add(other)
    return found


def comment_label(example: PostExample, bodies: Candidate, texts: Sequence[str], *, named: bool) -> bool | None:
    """Return whether ``bodies``, with these texts, are the comments of a page; None if unknown.

    It is known on pages made for this purpose. Other page sets only give the main text: texts outside it, in elements
    ``named`` for comments, with an author or a date each, are assumed to be comments; texts in the main text, or
    without any of these, are not; the rest is unknown.
    """
    page = example.page
    if page.role == "comments":
        return set_f1(texts, page.posts) >= _FOUND
    if not example.may_have_comments:
        return False
    inside = _share_inside(texts, page.main_text)
    if inside >= _INSIDE:
        return False
    known = _share_with_facts(example.nodes, bodies)
    if named and inside < _OUTSIDE and known >= _WITH_FACTS:
        return True
    return None if named or known else False


def _share_with_facts(nodes: PageNodes, bodies: Candidate) -> float:
    """Return the share of bodies with an author, or of those with a date, whichever is higher."""
    facts = facts_of(nodes, bodies)
    counts = (sum(getattr(fact, name) is not None for fact in facts) for name in ("author", "date"))
    return max(counts) / max(1, len(facts))


def _share_inside(texts: Iterable[str], main_text: str) -> float:
    """Return the share of the texts' three-word runs that the main text has."""
    runs: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        runs.update(_runs(text))
    return (runs & _runs(main_text)).total() / max(1, runs.total())


def _runs(text: str) -> Counter[tuple[str, ...]]:
    found = lower_tokens(text)
    return Counter(zip(found, found[1:], found[2:], strict=False))


_QUESTION_TREES = Trees(400, leaves=7, rate=0.06, least=30)
# Weights of pages, and of variants by kind. Most real pages begin with the opening post.
_AS_IT_IS = 4.0
_VARIANTS = {"title": 1.0, "later": 1.0, "moved": 2.0, "first": 2.0, "rewritten": 1.0}
_CLOSE, _MIN_QUALITY = 0.02, 0.5  # an option is right if it is nearly as good as the best, and the best is good


class FoundThread(NamedTuple):
    """A thread with the posts found by models fitted without its engine, and the scores of all its nodes."""

    page: PairPage
    nodes: PageNodes
    posts: Sequence[int]
    scores: Floats


def fit_question(threads: Iterable[FoundThread], seed: int) -> TreeEnsemble:
    """Fit the model to threads. Raises TrainingError if no thread has a known opening post."""
    parts = list(_rows(threads))
    if not parts:
        raise TrainingError("There is no thread whose opening post is known and whose posts are found.")
    return _QUESTION_TREES.fit(stacked(parts), seed)


def _rows(threads: Iterable[FoundThread]) -> Iterator[Part]:
    """Yield the options of each thread whose opening post is known and among them."""
    for thread in threads:
        options = question_options(thread.nodes, thread.posts, thread.scores)
        quality = _qualities(thread, options)
        if thread.page.opening is None or quality.max() < _MIN_QUALITY:
            continue
        title = title_of(thread.nodes.root)
        description = ThreadDescription(thread.nodes, thread.posts, thread.scores, title, thread.page.url)
        rows = np.array([description.features(option) for option in options], dtype=np.float32)
        weight = _VARIANTS[thread.page.kind] if thread.page.role == "variant" else _AS_IT_IS
        yield rows, quality >= quality.max() - _CLOSE, np.full(len(options), weight)


def _qualities(thread: FoundThread, options: Sequence[Option]) -> Floats:
    """Return each option's quality: the F1 of its answers times the similarity of its opening post to the truth."""
    page, nodes = thread.page, thread.nodes
    texts = dict(zip(thread.posts, clean_bodies(nodes, thread.posts), strict=True))
    opening = words_of(page.opening or "")
    answers = page.posts[1:] if page.opening else page.posts
    of_answers: dict[int, float] = {}
    found = []
    for option in options:
        count = len(option.answers)
        if count not in of_answers:
            of_answers[count] = posts_f1([texts[node] for node in option.answers], answers)
        if option.question is None:
            likeness = float(not page.opening)
        else:
            if option.question not in texts:
                texts[option.question] = clean_bodies(nodes, [option.question])[0]
            likeness = word_f1(words_of(texts[option.question]), opening)
        found.append(of_answers[count] * likeness * (likeness >= MATCH))
    return np.array(found)


_FOLDS = 4
_OTHERS_NODES = 8  # one in this many of the nodes of pages without posts is used
_NODE_TREES = Trees(140, leaves=31, rate=0.08, least=40, max_depth=7)
_CANDIDATE_TREES = Trees(
    120,
    leaves=15,
    rate=0.06,
    least=60,
    objective="lambdarank",
    label_gain=[gain * gain for gain in range(11)],
    feature_fraction=0.4,
    bagging_freq=0,
)
_page_trees = partial(Trees, 150, leaves=7, rate=0.05, least=20)
# Weights in the page model: of threads, and of recorded and generated pages. Generated sites have many pages that are
# hard to tell from threads, so threads weigh more; else few pages would be threads at the threshold.
_THREADS, _RECORDED, _GENERATED = 5.0, 0.5, 0.3
# Of recorded and generated pages, all but one in this many lose their address, and their names: these say more of such
# pages than of others.
_ADDRESS, _NAMES = 5, 2
# Pages are searched from this share of the probability of "forum" below which this few pages with posts are; those are
# not recognized as threads either (research/notes/qa-pairs.md).
_SEARCHED, _NEARLY_NONE = 0.4, 0.005
_FORUM = KINDS.index("forum")
_WORD_COLUMNS = slice(-len(WORD_FEATURES) - len(KINDS), -len(KINDS))  # of the features of the page model
# Weights relative to real pages, of variants and of pages of VARIED sets. A greater weight of variants hurts on Stack
# Exchange, where comments are nested; that of real pages keeps what the many pages of few programs would outweigh.
_VARIANT, _OF_PROGRAM = 0.3, 0.5
Model = TypeVar("Model")
_NO_CANDIDATES = CandidateSets(*np.zeros((3, 0), dtype=np.int64))


@dataclass(slots=True)
class PostExample:
    """A training page: its nodes, their features and labels, and the latest result of `_fit_sets` for it.

    ``kind`` and ``plain`` are for models of kinds: the page itself, and its text in plain elements.
    """

    page: PairPage
    nodes: PageNodes
    features: NDArray[np.float32]
    labels: NDArray[np.int8]
    words: PageWords
    kind: KindExample
    plain: list[KindExample]
    kinds: NDArray[np.float64] = field(default_factory=lambda: np.zeros((1, len(KINDS))))
    candidates: CandidateSets = _NO_CANDIDATES
    rows: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))
    truth: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    scores: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    ranks: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    ranker: TreeEnsemble = field(init=False)

    @property
    def has_posts(self) -> bool:
        """Whether the page consists of posts."""
        return self.page.teaches_posts

    @property
    def is_generated(self) -> bool:
        """Whether the page is of no real software.

        It is for the page model only: models of nodes and sets lose by it (research/notes/qa-pairs.md).
        """
        return self.page.dataset == GENERATED

    @property
    def is_recorded(self) -> bool:
        """Whether the page is of a recorded site, which the models of nodes and sets of threads do not learn."""
        return self.page.dataset == RECORDED

    @property
    def weight_of_page(self) -> float:
        """The weight of the page in the page model, relative to others of domains with as many pages."""
        if self.is_generated and not self.has_posts:
            return _GENERATED
        return (_RECORDED if self.is_recorded else 1.0) * (_THREADS if self.has_posts else 1.0)

    @property
    def weight(self) -> float:
        """The weight of the page in the models of nodes and sets."""
        if self.page.role == "variant":
            return _VARIANT
        return _OF_PROGRAM if self.page.dataset in VARIED else 1.0

    @property
    def may_have_comments(self) -> bool:
        """Whether a page without posts may have unknown comments."""
        return self.page.role == "none" and self.words.names_comments


def post_examples(page: PairPage) -> list[PostExample]:
    """Return the example of a page; none if it has no text."""
    parsed = describe(page.html, page.url)
    if not parsed.text_blocks:
        return []
    nodes = parsed.raw_tree
    features = node_features(nodes)
    known = page.role == "comments" or page.teaches_posts
    labels = body_labels(nodes, page.posts) if known else np.zeros(len(nodes), dtype=np.int8)
    kind = kind_example_of(parsed, page.dataset, page.domain, "forum" if page.role == "posts" else page.kind)
    plain = plain_examples(page.id, page.main_text, page.url, page.dataset, page.domain, page.kind)
    return [PostExample(page, nodes, features, labels, PageWords.of(nodes, page.url), kind, plain)]


def fit_posts(
    examples: Sequence[PostExample],
    seed: int = 1,
    *,
    kinds: KindModel | None = None,
    like: PostModels | None = None,
) -> PostModels:
    """Fit the models to pages; ``kinds`` is the model of page kinds to use with them, also fitted by default.

    Pages that say nothing about pairs are only for the models of comments, and articles with comments for the page
    model; variants of threads are for the model of questions and, if they show trees of replies, for those of posts.
    With ``like``, its models of questions and comments are kept.
    """
    known = [example for example in examples if example.page.says_pairs]
    pages = [example for example in examples if example.page.role != "variant"]
    fitted_kinds = _assign_kinds(pages, seed, kinds)
    rows = {example.page.id: page_evidence([example.words], example.kinds) for example in pages}
    threads = _fit_sets(examples, _is_for_threads, LEAST_POSTS, seed)
    page = _fit_page([*filter(_is_judged, pages)], rows, seed)
    if like is None:
        question = fit_question(_found_threads(examples), seed)
        sets = _fit_sets(pages, _is_for_comments, LEAST_COMMENTS, seed)
        comments = CommentModels(sets, _fit_comments(pages, rows, seed))
    else:
        question, comments = like.question, like.comments
    forum = [example.kinds[0, _FORUM] for example in known if example.has_posts]
    search_from = round(_SEARCHED * float(np.quantile(forum, _NEARLY_NONE)), 4)
    return PostModels(kinds or fitted_kinds, threads, page, question, comments, search_from)


def _assign_kinds(examples: Sequence[PostExample], seed: int, like: KindModel | None) -> KindModel:
    """Assign each example its kinds, by models fitted without it; return the model fitted to all."""
    of_folds, of_all = _by_folds(examples, lambda each: each.kind.kind >= 0, lambda part: _fit_kinds(part, seed, like))
    for example, model in zip(examples, of_folds, strict=True):
        example.kinds = predicted(model, [example.kind])
    return of_all


def _fit_kinds(examples: Sequence[PostExample], seed: int, like: KindModel | None) -> KindModel:
    """Fit a model as the one in use is fitted: one of its two parts does not learn recorded and generated pages.

    Articles to which comments were added are not learned, nor are pages of themes.
    """
    own = [each for each in examples if each.page.role != "comments" or each.page.kind == "comments"]
    own = [each for each in own if each.page.dataset != THEMED]
    learned = [kind for example in own for kind in (example.kind, *example.plain)]
    return fit_kinds(learned, seed, inner_folds=2, parts=2, like=like)


def _found_threads(examples: Iterable[PostExample]) -> Iterator[FoundThread]:
    """Yield the threads and their variants, with the best of the sets of each."""
    for example in examples:
        is_thread = example.page.role in ("posts", "variant") and not example.is_generated
        if example.page.posts and is_thread and example.candidates:
            best, _ = rank_features(example.ranks, example.candidates.page)
            posts = example.candidates.nodes_of(int(best[0]))
            yield FoundThread(example.page, example.nodes, posts, example.scores)


def _is_judged(example: PostExample) -> bool:
    """Return whether the page model learns from a page."""
    return bool(example.candidates) and (example.page.says_pairs or example.page.role == "comments")


def _is_for_threads(example: PostExample) -> bool:
    """Return whether the thread models learn from a page: not from FAQs, whose answers resemble posts but are none."""
    page = example.page
    is_made = example.is_generated or example.is_recorded
    return ((page.says_pairs and page.role != "faq") or page.teaches_posts) and not is_made


def _is_for_comments(example: PostExample) -> bool:
    """Return whether the comment models learn from a page: it is known which nodes are comments or posts."""
    is_known = example.page.role in ("posts", "comments", "none") and not example.may_have_comments
    return is_known and not example.is_generated


def _fit_sets(
    examples: Sequence[PostExample], learns: Callable[[PostExample], bool], least: int, seed: int
) -> SetModels:
    """Fit the models of nodes and sets; assigns each example its sets, by models fitted without it."""
    rng = np.random.default_rng(seed)
    scored, node = _by_folds(examples, learns, lambda part: _fit_nodes(part, rng, seed))
    for example, model in tqdm(list(zip(examples, scored, strict=True)), disable=None, desc="candidates"):
        table = example.nodes
        example.scores = exclude_others(table, model.scores(example.features))
        example.candidates = proposed = candidates(table, example.scores, least)
        example.rows = candidate_features(table, example.scores, proposed)
        example.truth = np.array([_quality(example, proposed.nodes_of(n)) for n in range(len(proposed))])
    rankers, candidate = _by_folds(examples, learns, lambda part: _fit_candidates(part, seed))
    for example, model in zip(examples, rankers, strict=True):
        example.ranks = model.scores(example.rows) if example.candidates else np.zeros(0)
        example.ranker = model
    return SetModels(node, candidate)


def _quality(example: PostExample, candidate: Candidate) -> float:
    if not example.page.posts or not (example.page.role == "comments" or example.page.teaches_posts):
        return 0.0  # no model of sets is fitted on it
    return set_f1(clean_bodies(example.nodes, candidate), example.page.posts)


def _by_folds(
    examples: Sequence[PostExample], learns: Callable[[PostExample], bool], fit: Callable[[list[PostExample]], Model]
) -> tuple[list[Model], Model]:
    """Return a model for each example, fitted without its engine and its domain, and a model fitted to all.

    The domains of pages that are not learned from and say nothing about pairs are not excluded.
    """
    counted = [example for example in examples if example.page.says_pairs or learns(example)]
    folds, domains = [_fold_of(each.page) for each in counted], [each.page.domain for each in counted]
    models = [
        fit([counted[place] for place in others if learns(counted[place])])
        for _, others in outside_folds(folds, domains, _FOLDS)
    ]
    return [models[_fold_of(example.page)] for example in examples], fit(list(filter(learns, examples)))


def _fold_of(page: PairPage) -> int:
    return fold(page.engine, 1, _FOLDS)


def _fit_nodes(examples: Iterable[PostExample], rng: np.random.Generator, seed: int) -> TreeEnsemble:
    return _NODE_TREES.fit(stacked(_node_rows(example, rng) for example in examples), seed)


def _node_rows(example: PostExample, rng: np.random.Generator) -> Part:
    count = len(example.labels)
    if example.page.posts:
        weight = np.where(example.labels == 1, 8 / np.sqrt(max(1, int(example.labels.sum()))), 1.0)
        chosen = np.arange(count)
    else:
        chosen = rng.choice(count, max(1, count // _OTHERS_NODES), replace=False)
        weight = np.full(count, _OTHERS_NODES / 2)
    weight *= example.weight
    return example.features[chosen], example.labels[chosen], weight[chosen]


def _fit_candidates(examples: Iterable[PostExample], seed: int) -> TreeEnsemble:
    used = [example for example in examples if example.page.posts and example.candidates]
    if not used:
        raise TrainingError("There are too few threads: models are fitted without each fold of the engines.")
    sizes = [len(example.candidates) for example in used]
    rows, truth, weights = stacked(
        (example.rows, example.truth, np.full(size, example.weight)) for example, size in zip(used, sizes, strict=True)
    )
    targets = np.round(truth * 10).astype(int)
    return _CANDIDATE_TREES.fit((rows, targets, weights), seed, groups=sizes)


def _page_rows(examples: Sequence[PostExample], evidence: Mapping[str, PageEvidence]) -> NDArray[np.float32]:
    """Return the features of the page model, (examples, features), for the best set of each page."""
    rows = []
    for example in examples:
        best, of_ranks = rank_features(example.ranks, example.candidates.page)
        chosen, of_page = example.candidates.take(best), evidence[example.page.id]
        row = page_features(example.nodes, chosen, example.rows[best], of_ranks, of_page)
        row[:, _WORD_COLUMNS] *= _kept_words(example.page)
        rows.append(row)
    return np.concatenate(rows)


def _kept_words(page: PairPage) -> NDArray[np.bool_]:
    """Return which of WORD_FEATURES the page model learns of a page; (features,)."""
    if page.dataset not in (RECORDED, GENERATED):
        return np.ones(len(WORD_FEATURES), dtype=np.bool_)
    of_address = [name.startswith("address") for name in WORD_FEATURES]
    return np.where(of_address, fold(page.id, 3, _ADDRESS) == 0, fold(page.id, 4, _NAMES) == 0)


def _fit_page(examples: Sequence[PostExample], evidence: Mapping[str, PageEvidence], seed: int) -> TreeEnsemble:
    matrix = _page_rows(examples, evidence)
    # more of the words that threads never have makes a thread less likely
    rising = np.zeros(matrix.shape[1], dtype=np.int64)
    rising[_WORD_COLUMNS] = 1
    targets = np.array([example.has_posts for example in examples], dtype=float)
    settings = _page_trees(monotone_constraints=rising.tolist())
    weights = np.array(_domain_weights(examples)) * [example.weight_of_page for example in examples]
    return settings.fit((matrix, targets, weights), seed)


def _fit_comments(examples: Sequence[PostExample], evidence: Mapping[str, PageEvidence], seed: int) -> TreeEnsemble:
    """Fit the model of comments to the `comment_sets` of each page, if it is known what they are."""
    examples = [each for each in examples if each.candidates and not each.is_generated]
    rows, targets, weights = [], [], []
    for example, weight in zip(examples, _domain_weights(examples), strict=True):
        nodes = example.nodes
        best, _ = rank_features(example.ranks, example.candidates.page)
        sets = comment_sets(example.candidates.take(best))
        of_sets = candidate_features(nodes, example.scores, sets)
        of_page = evidence[example.page.id].take(sets.page)
        features = comment_features(nodes, sets, of_sets, example.ranker.scores(of_sets), of_page)
        named = comment_names(nodes, sets) > 0
        for number, row in enumerate(features):
            bodies = sets.nodes_of(number)
            label = comment_label(example, bodies, clean_bodies(example.nodes, bodies), named=bool(named[number]))
            if label is not None:
                rows.append(row)
                targets.append(float(label))
                weights.append(weight)
    return _page_trees().fit((np.array(rows), np.array(targets), np.array(weights)), seed)


def _domain_weights(examples: Sequence[PostExample]) -> list[float]:
    """Return weights of pages, smaller for domains with many pages."""
    domains = Counter(example.page.domain for example in examples)
    return [float(1 / np.sqrt(domains[example.page.domain])) for example in examples]
