"""What the places of alike pages hold: posts, titles, furniture and signatures, learnt from some pages of a site.

A place is the path of tags and names, without digits, from the root of a page to an element. Pages of a host most of
whose blocks are at the same places share a template. What the readers found on the pages of a template is counted by
place, and the majority also holds for the pages that are too short to show it:

- A place is one of posts if most elements there were read as posts and their texts differ.
- The question is the first post, text at a place of its own, or only the title, as on most first pages of threads.
- The title is what stands where most pages have the text of a link to them, or else their own title. Titles that
  several pages share are none.
- What has the same text at the same place of all pages is furniture.
- Lines that end several texts of one author are a signature.
- Blocks that three pages and a quarter of them have, at places whose blocks mostly repeat, are less likely to be main
  content.

Counts do not depend on the order of the pages, and which pages of a site are learnt from depends only on their URLs.
That what pages share is boilerplate is the idea of deboiler (Mashayekh 2023).
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict, defaultdict
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from hashlib import blake2b
from heapq import heappush, heappushpop
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_semtext.features.table import describe
from scrapy_semtext.models.scores import log_odds_of
from scrapy_semtext.read.dates import is_dated
from scrapy_semtext.read.posts import Posts
from scrapy_semtext.read.question import Question, find_question, is_furniture
from scrapy_semtext.read.thread_pages import page_number_of
from scrapy_semtext.read.threads import SURE, texts_of_posts
from scrapy_semtext.read.title import title_of
from scrapy_semtext.tree.nodes import with_same_text
from scrapy_semtext.tree.tags import HEADING_LEVELS
from scrapy_semtext.utils.address import address_of, host_of
from scrapy_semtext.words.characters import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.features.table import ParsedPage
    from scrapy_semtext.models.trees import TreeEnsemble
    from scrapy_semtext.options import Options, Source
    from scrapy_semtext.page import QAPair
    from scrapy_semtext.reading import Annotation, Reading
    from scrapy_semtext.tree.nodes import PageNodes
    from scrapy_semtext.utils.arrays import Bools, Floats, Ints


#: The number of pages of a form of address, and of all pages, that are learnt from.
PAGES, MOST = 40, 4000

_MIN_PAGES, _MIN_THREADS = 3, 2  # pages of a template, and those that show what its threads hold
_MIN_AUTHORS = 2  # of posts: what all texts of one author have may be his signature
_THREADS = 0.2  # the share of the pages that have to show it
_ALL = 0.95  # a page may lack a part of the furniture, such as one for the first or the last page
_FITS = 0.6  # the share of its places that the smaller of two pages, or a template, has in common with the other
_OFTEN, _MANY, _MOST, _CERTAIN = 0.25, 0.4, 0.5, 0.85  # shares of what is at a place, or of pages; above, equal
_LONG = 3  # posts of a thread, from which on it shows what its question is
_SAME_TITLE = 5  # pages, from which on their common title is none of theirs
_MIN_TITLE, _MAX_TITLE = 4, 200  # characters
_SIGNED, _MAX_LINES = 3, 4  # texts of an author that end in a line, and lines of a signature
_BATCH = 16
_CONSTANT, _SHIFT = 0.6, 1.5  # share of repeated blocks at a place, and log-odds (research/notes/site-templates.md)
_FEW = 0.25  # share of the pages up to which their common blocks may be theirs, such as the steps of instructions
_EPSILON = 1e-6  # probabilities are clipped to this distance from 0 and 1, which have no finite log-odds
_LEARNT_AT = (_MIN_PAGES, 5, 10, 20, PAGES)
_FORMS = 256  # of addresses, whose first pages are remembered

_DIGITS = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")


def places_of(nodes: PageNodes) -> list[int]:
    """Return the place of each node, (nodes,); equal places have equal numbers in one process."""
    types = [(hash(tag), hash((tag, _DIGITS.sub("", names)))) for tag, names in nodes.element_types.pairs]
    paths: list[int] = []
    places: list[int] = []
    for kind, parent in zip(nodes.element_types.of_scope.tolist(), nodes.parents, strict=True):
        above = paths[parent] if parent >= 0 else 0
        paths.append(hash((above, types[kind][0])))
        places.append(hash((above, types[kind][1])))
    return places


class Placed(NamedTuple):
    """A page with the place of each of its nodes and of each of its blocks."""

    nodes: PageNodes
    places: list[int]
    of_block: list[int]

    @classmethod
    def of(cls, nodes: PageNodes) -> Placed:
        """Number the places of a page."""
        places = places_of(nodes)
        return cls(nodes, places, [places[node] for node in nodes.of_block.tolist()])

    def around(self, node: int) -> tuple[int, ...]:
        """Return the places of a node and of the elements with exactly its text."""
        return tuple(self.places[each] for each in with_same_text(self.nodes, node))

    def texts(self) -> list[int]:
        """Return the fingerprint of each block: its text and its place."""
        found = zip(self.of_block, self.nodes.texts, strict=True)
        return [hash((place, one_line(text).casefold())) for place, text in found]


@dataclass(frozen=True, slots=True)
class PagePlaces:
    """What stands where on a page, before it is read.

    ``texts``: the fingerprints of its blocks, with their places. ``firsts``: the text of the first block at each place,
    in page order; ``headings``: the places of headings. ``titles``: texts of links to it, and its title.
    """

    url: str
    texts: dict[int, int]
    firsts: dict[int, str]
    headings: frozenset[int]
    titles: tuple[str, ...]

    @classmethod
    def of(cls, page: ParsedPage, links: Collection[str] = ()) -> PagePlaces:
        """Describe a page; ``links`` are the texts of links to it."""
        placed = Placed.of(page.raw_tree)
        firsts: dict[int, str] = {}
        for place, text in zip(placed.of_block, placed.nodes.texts, strict=True):
            firsts.setdefault(place, one_line(text)[: _MAX_TITLE + 1])
        levels = zip(placed.of_block, placed.nodes.block_headings, strict=True)
        titles = (*links, title_of(page.root, page.elements.naming))
        return cls(
            page.url or "",
            dict(zip(placed.texts(), placed.of_block, strict=True)),
            firsts,
            frozenset(place for place, level in levels if level),
            tuple(filter(None, titles)),
        )


class Read(NamedTuple):
    """Something that was read from a page: the places of the elements with its text, and the fingerprints of that.

    ``parts`` are the places of which it contains one element.
    """

    places: tuple[int, ...]
    texts: frozenset[int]
    parts: frozenset[int]


@dataclass(frozen=True, slots=True)
class PageVotes:
    """What was read from a page with its template so far.

    ``nodes``: how many nodes are at each place. ``posts``: those of a thread. ``opening``: the question, None for only
    the title; ``is_first``: whether it counts, as the page is not a later one. ``signed``: authors with texts of
    several lines.
    """

    nodes: Counter[int]
    posts: list[Read]
    probability: float
    opening: Read | None
    is_first: bool
    authors: frozenset[str]
    signed: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, reading: Reading, template: TemplateOfPage, model: TreeEnsemble) -> PageVotes:
        """Describe a page that was read; ``model`` finds questions."""
        placed, posts, page = template.placed, reading.posts, reading.page
        nodes, fingerprints = placed.nodes, placed.texts()

        def read(node: int) -> Read:
            inside = Counter(placed.places[node : int(nodes.subtree_end[node])])
            texts = frozenset(fingerprints[nodes.firsts[node] : nodes.lasts[node]])
            return Read(placed.around(node), texts, frozenset(place for place, count in inside.items() if count == 1))

        bodies = texts_of_posts(nodes, posts.bodies) if posts is not None and posts.is_thread else []
        is_first = len(bodies) > 1 and not page_number_of(nodes.root, page.url, nodes.texts).is_later
        opening = None
        if posts is not None and is_first:
            found = find_question(
                nodes, bodies, posts.scores, page.title, page.url, model, furniture=template.furniture
            )
            opening = None if found.node is None else read(found.node)
        return cls(
            Counter(placed.places),
            [read(body) for body in bodies],
            posts.probability if posts is not None and bodies else 0.0,
            opening,
            is_first,
            frozenset(pair.author for pair in page.qa_pairs if pair.author),
            frozenset(_signed(page.qa_pairs)),
        )


def _signed(pairs: Sequence[QAPair]) -> Iterator[tuple[str, str]]:
    """Yield the texts of several lines of pairs, with their authors."""
    for pair in pairs:
        for author, text in ((pair.author, pair.answer), (pair.question_author, pair.question_body)):
            if author and text and "\n" in text:
                yield author, text


class PageTemplate:
    """What the pages of a template hold at which places; ``pages`` are those that it is learnt from."""

    def __init__(self, pages: Sequence[PagePlaces]) -> None:
        self.pages = len(pages)
        #: The number of pages that were read with it, and the URL of one that it was learnt from.
        self.uses = 0
        self.example, self._firsts = (pages[0].url, pages[0].firsts) if pages else ("", {})
        self.places = _common((page.firsts for page in pages), self.pages / 2)
        #: The fingerprints of what all pages have.
        self.furniture = _common((page.texts for page in pages), max(_MIN_PAGES, _ALL * self.pages))
        #: The fingerprints of what some pages have where most of what stands there repeats.
        self.shared = _shared(pages)
        self.common_titles = _common((set(page.titles) for page in pages), _SAME_TITLE)
        self.titles = frozenset(title for page in pages for title in page.titles).difference(self.common_titles)
        #: The place of the title, and whether it is certain.
        self.title, self.has_sure_title = _place_of_title(pages, self.common_titles)
        #: The places of posts, with the share of the elements there that were read as posts.
        self.posts: dict[int, float] = {}
        self.probability = 0.0
        #: The place of the question if that is text, None if it is the title; unknown without votes. Whether replies
        #: are never at this place: then later pages show the question again.
        self.opening: int | None = None
        self.has_opening = self.opens_apart = False
        self.signatures = frozenset[tuple[str, str]]()

    def learn(self, votes: Sequence[PageVotes]) -> None:
        """Learn what was read from the pages, where those of a single author show no posts."""
        if len({author for page in votes for author in page.authors}) < _MIN_AUTHORS:
            self.furniture = self.furniture.difference(*(post.texts for page in votes for post in page.posts))
            return
        self.signatures = _signatures(votes)
        threads = [page for page in votes if len(page.posts) > 1]
        if len(threads) < max(_MIN_THREADS, _THREADS * self.pages):
            return
        posts = _places_of_posts(threads)
        if 2 * sum(sum(map(page.nodes.__getitem__, posts)) > 1 for page in threads) > len(threads):
            self.posts, self.probability = posts, max(page.probability for page in threads)
            self._learn_opening([page for page in threads if page.is_first])

    def _learn_opening(self, votes: Sequence[PageVotes]) -> None:
        """Find the place of the question on most first pages of threads, long ones if there are some."""
        long = [page for page in votes if len(page.posts) >= _LONG]
        votes = long if len(long) >= _MIN_PAGES else votes
        openings = [page.opening for page in votes if page.opening is not None]
        asked = Counter(place for opening in openings for place in dict.fromkeys(opening.places))
        if 2 * len(openings) < len(votes) or not asked:
            self.has_opening = bool(votes)
            return
        apart = {place for place, count in asked.items() if count >= _MOST * sum(page.nodes[place] for page in votes)}
        told = apart.union(self.posts)
        if 2 * sum(not told.isdisjoint(opening.places) for opening in openings) < len(openings):
            return  # its place is not told from others
        likely = [place for place in asked if place in told]
        best = max(likely, key=lambda place: (place in apart, asked[place], place in self.posts))
        self.has_opening, self.opening = True, best
        self.opens_apart = len(long) >= _MIN_THREADS and all(page.nodes[best] == 1 for page in long)

    def furniture_texts(self) -> list[str]:
        """Return texts of the furniture, the longest first."""
        found = {text for place, text in self._firsts.items() if hash((place, text.casefold())) in self.furniture}
        return sorted(found, key=lambda text: (-len(text), text))

    def fit(self, page: Collection[int]) -> float:
        """Return the share of the places that pages of the template have that are on a page with these places."""
        return len(self.places.intersection(page)) / max(1, len(self.places))


def _common(found: Iterable[Collection[Any]], least: float) -> frozenset[Any]:
    """Return the values that at least so many collections have."""
    counts = Counter(value for values in found for value in values)
    return frozenset(value for value, count in counts.items() if count >= least)


def _shared(pages: Sequence[PagePlaces]) -> frozenset[int]:
    counts = Counter(text for page in pages for text in page.texts)
    found = {text: place for page in pages for text, place in page.texts.items()}
    at, repeated = Counter[int](), Counter[int]()
    for text, count in counts.items():
        at[found[text]] += count
        repeated[found[text]] += count if count > 1 else 0
    constant = {place for place, count in at.items() if repeated[place] >= _CONSTANT * count}
    least = max(_MIN_PAGES, _FEW * len(pages))
    return frozenset(text for text, count in counts.items() if count >= least and found[text] in constant)


def _places_of_posts(threads: Sequence[PageVotes]) -> dict[int, float]:
    """Return the places where many elements were read as posts, mostly with different texts, with their share.

    A post also counts for its only element at a place that was read often, too: what is around this may be a head.
    """
    seen, read = Counter[int](), Counter[int]()
    texts: defaultdict[int, set[frozenset[int]]] = defaultdict(set)
    pages = Counter(place for page in threads for place in {place for post in page.posts for place in post.places})
    known = {place for place, count in pages.items() if count >= _MIN_THREADS}
    direct = Counter(place for page in threads for post in page.posts for place in {*post.places})
    for page in threads:
        seen.update(page.nodes)
        for post in page.posts:
            own = max(direct[place] for place in post.places)
            parts = {place for place in post.parts if direct[place] >= _OFTEN * own}
            for place in known.intersection(parts.union(post.places)):
                read[place] += 1
                texts[place].add(post.texts)
    return {
        place: min(_CERTAIN, count / seen[place])
        for place, count in read.items()
        if count >= _MANY * seen[place] and 2 * len(texts[place]) > count
    }


def _place_of_title(pages: Sequence[PagePlaces], common: Collection[str]) -> tuple[int | None, bool]:
    """Return the place where most pages have their title, and whether nearly all that have text there do.

    If no page has a title, this is the first place of a heading, or else of any text, that differs.
    """
    votes, seen, titled = Counter[int](), Counter[int](), 0
    for page in pages:
        titles = {title for title in page.titles if title not in common}
        titled += bool(titles)
        seen.update(page.firsts.keys())
        votes.update(place for place, text in page.firsts.items() if text in titles)
    if not titled:
        return next(_differing(pages), None) if pages else None, True
    least = max(_MIN_PAGES, _MOST * len(pages))
    likely = [place for place, count in votes.items() if count >= max(least, _MOST * seen[place])]
    best = max(likely, key=lambda place: (votes[place] / seen[place], votes[place]), default=None)
    return best, votes[best] >= _CERTAIN * seen[best] if best is not None else False


def _differing(pages: Sequence[PagePlaces]) -> Iterator[int]:
    """Yield the places where all pages have other texts that may be titles, those of headings first, in page order."""
    first = pages[0]
    for place in sorted(first.firsts, key=lambda place: place not in first.headings):
        texts = [page.firsts.get(place, "") for page in pages]
        if len({*texts}) >= _ALL * len(texts) and all(map(_may_be_title, texts)):
            yield place


def _may_be_title(text: str) -> bool:
    return _MIN_TITLE <= len(text) <= _MAX_TITLE and _LETTER.search(text) is not None and not is_dated(text)


def _signatures(votes: Sequence[PageVotes]) -> frozenset[tuple[str, str]]:
    """Return the lines that end several texts of an author below other lines, with their authors."""
    ends: Counter[tuple[str, str]] = Counter()
    for author, text in {each for page in votes for each in page.signed}:
        ends.update((author, line) for line in {*text.split("\n")[1:][-_MAX_LINES:]})
    return frozenset(end for end, count in ends.items() if count >= _SIGNED)


class TemplateOfPage:
    """The template of a page, applied to it (`scrapy_semtext.reading.TemplateForPage`).

    ``threads``: the titles of the threads of the site, if most of its pages with a template are threads and this one
    has another template, or none.
    """

    def __init__(self, template: PageTemplate, placed: Placed, threads: Collection[str] = ()) -> None:
        self.template, self.placed, self.threads = template, placed, threads

    @cached_property
    def least_score(self) -> float:
        """The score from which pairs are believed; that of a page that lists threads is infinite."""
        listed = {one_line(text) for text in self.placed.nodes.texts}.intersection(self.threads)
        return inf if len(listed) >= _MIN_PAGES else SURE if self.threads else 0.0

    @cached_property
    def furniture(self) -> frozenset[int]:
        """The numbers of the blocks that are furniture."""
        found = enumerate(self.placed.texts())
        return frozenset(block for block, text in found if text in self.template.furniture)

    def revised(self, page: ParsedPage, keep: Bools, probabilities: Floats) -> Bools:
        """Return which of the blocks that the labeler keeps are main content, (blocks,); see `without_shared`."""
        sizes = np.array([len(block.text) for block in page.text_blocks])
        headings = [block.scope.tag in HEADING_LEVELS for block in page.text_blocks]
        return without_shared(keep, probabilities, self.shared(page), sizes, headings)

    def shared(self, page: ParsedPage) -> Bools:
        """Return which text blocks consist of blocks that other pages share, apart from signs; (blocks,)."""
        texts = zip(self.placed.texts(), self.placed.nodes.texts, strict=True)
        own = [text not in self.template.shared and _LETTER.search(shown) is not None for text, shown in texts]
        lettered = [_LETTER.search(block.text) is not None for block in page.text_blocks]
        return ~np.logical_or.reduceat(own, page.starts) & lettered if own else np.zeros(0, np.bool_)

    def title(self, own: str | None) -> str | None:
        """Return the title, given that of the page without its template."""
        place, common = self.template.title, self.template.common_titles
        title = None if own in common else own
        if place in self.placed.of_block:
            text = one_line(self.placed.nodes.texts[self.placed.of_block.index(place)])
            if self.template.has_sure_title or title is None or text in title:
                return text if len(text) <= _MAX_TITLE and text not in common else title
        return title

    def posts(self, own: Posts | None) -> Posts | None:
        """Return the posts at the places where the template has them; without any, the page's own."""
        if not self._bodies:
            return own if own is None else self._without_furniture(own)
        scores = np.zeros(len(self.placed.nodes)) if own is None or not len(own.scores) else own.scores
        probability = max(self.template.probability, 0.0 if own is None else own.probability)
        return Posts(self._bodies, probability, scores=scores)

    def _without_furniture(self, own: Posts) -> Posts:
        kept = tuple(body for body in own.bodies if not is_furniture(self.placed.nodes, body, self.furniture))
        return replace(own, bodies=kept) if kept else own

    @property
    def has_posts(self) -> bool:
        """Whether the page has posts at the places of the template."""
        return bool(self._bodies)

    @cached_property
    def _bodies(self) -> tuple[int, ...]:
        """The nodes at the places of posts, of nested ones the likeliest; those of furniture alone are left out."""
        nodes, shares = self.placed.nodes, self.template.posts
        found = [node for node, place in enumerate(self.placed.places) if place in shares]
        taken, bodies = np.zeros(len(nodes.blocks), dtype=np.bool_), list[int]()
        for node in sorted(found, key=self._rank):
            blocks = range(nodes.firsts[node], nodes.lasts[node])
            if not (taken[blocks.start : blocks.stop].any() or is_furniture(nodes, node, self.furniture)):
                taken[blocks.start : blocks.stop] = True
                bodies.append(node)
        return tuple(sorted(bodies))

    def _rank(self, node: int) -> tuple[float, int]:
        """Return what orders nested posts: the likeliest first; of sure ones the outermost, of others the innermost."""
        share = self.template.posts[self.placed.places[node]]
        return -share, node if share >= _CERTAIN else -node

    def question(self, posts: Sequence[int], url: str | None) -> Question | None:
        """Return the question of a thread with these posts; None if the page itself has to show it."""
        nodes, opening = self.placed.nodes, self.template.opening
        if not self.template.has_opening:
            return None
        if page_number_of(nodes.root, url, nodes.texts).is_later:
            again = self.template.opens_apart and self.placed.places[posts[0]] == opening
            return Question(None, tuple(posts[1:]), 1.0) if again else None
        if opening is None:
            return Question(None, tuple(posts), 1.0)
        if opening in self.template.posts:
            return Question(posts[0], tuple(posts[1:]), 1.0)
        before = (node for node, place in enumerate(self.placed.places) if place == opening)
        node = next((node for node in before if nodes.lasts[node] <= nodes.firsts[posts[0]]), None)
        return None if node is None else Question(node, tuple(posts), 1.0)

    def unsigned(self, text: str, author: str | None) -> str:
        """Return the text of a post without the signature of its author."""
        lines = text.split("\n")
        while len(lines) > 1 and author and (author, lines[-1]) in self.template.signatures:
            lines.pop()
        return "\n".join(lines)


def without_shared(keep: Bools, probabilities: Floats, shared: Bools, sizes: Ints, headings: Sequence[bool]) -> Bools:
    """Return which of the kept blocks stay main content; all are (blocks,).

    The log-odds of shared blocks are lowered; a block stays if they are not below those of the least probable kept
    block. What introduces text of the page alone stays too, such as a label above it, and so does a heading whose block
    below stays. Expected F1 is not maximized again: without some blocks, the others' threshold would rise.
    """
    if not (keep & shared).any():
        return keep
    odds = log_odds_of(probabilities, _EPSILON)
    stays: Bools = keep & (~shared | _introduces(keep & ~shared, sizes) | (odds - _SHIFT * shared >= odds[keep].min()))
    for block in range(len(keep) - 2, -1, -1):
        if headings[block] and keep[block] and stays[block + 1]:
            stays[block] = True
    return stays


def _introduces(own: Bools, sizes: Ints) -> Bools:
    """Return which blocks precede a block of ``own`` and are no longer than it or than one of ``own`` just before.

    All arrays are (blocks,). Blocks that only follow the page's own text, such as notices, are not included.
    """
    around = np.pad(np.where(own, sizes, 0), 1)
    before, after = around[:-2], around[2:]
    result: Bools = (after > 0) & (np.maximum(before, after) >= sizes)
    return result


class PageTemplates:
    """The templates of the pages of sites. Pages with the same text count once."""

    def __init__(self, pages: Iterable[PagePlaces]) -> None:
        hosts: defaultdict[str, list[PagePlaces]] = defaultdict(list)
        once = {(host_of(page.url), frozenset(page.texts)): page for page in sorted(pages, key=lambda page: page.url)}
        for (host, _), page in once.items():
            hosts[host].append(page)
        self._threads: dict[str, frozenset[str]] = {}  # titles by host, of whose pages with templates most are threads
        self._of_host = {
            host: [PageTemplate(group) for group in _grouped(found) if len(group) >= _MIN_PAGES]
            for host, found in hosts.items()
        }

    @classmethod
    def learn(
        cls,
        extractor: Extractor,
        pages: Callable[[], Iterable[Source]],
        links: Callable[[str], Collection[str]] = lambda _: (),
    ) -> PageTemplates:
        """Parse pages, read them with what their templates hold on all of them, and learn from that too.

        ``pages`` is called twice, and returns the same pages, such as those of `sampled` URLs; ``links`` returns the
        texts of links to a URL. Pages that cannot be read do not count. Memory is linear in the blocks of the pages.
        """
        model, votes = extractor.pair_models.posts.question, defaultdict[PageTemplate, list[PageVotes]](list)

        def vote(read: Annotation) -> None:
            if read.reading is not None and isinstance(read.reading.template, TemplateOfPage):
                template = read.reading.template
                votes[template.template].append(PageVotes.of(read.reading, template, model))

        before, found = extractor.templates, cls(_described(pages(), links))
        extractor.templates = found
        try:
            options = _for_learning(extractor.options)
            for batch in _batches(pages()):
                extractor.read_many([replace(page, options=options, on_read=vote) for page in batch])
        finally:
            extractor.templates = before
        for _, template in found:
            template.uses = 0
            template.learn(votes[template])
        found._learn_hosts()
        return found

    def _learn_hosts(self) -> None:
        for host, found in self._of_host.items():
            threads = [template for template in found if template.posts]
            if 2 * sum(template.pages for template in threads) > sum(template.pages for template in found):
                self._threads[host] = frozenset[str]().union(*(template.titles for template in threads))

    def __iter__(self) -> Iterator[tuple[str, PageTemplate]]:
        return ((host, template) for host, found in self._of_host.items() for template in found)

    def of_page(self, page: ParsedPage) -> TemplateOfPage | None:
        """Return the template of a page; None if it shares none."""
        found = self._of_host.get(host_of(page.url or ""))
        if not found or not page.raw_blocks:
            return None
        placed = Placed.of(page.raw_tree)
        places = frozenset(placed.of_block)
        best = max(found, key=lambda template: template.fit(places))
        threads = self._threads.get(host_of(page.url or ""), ())
        if best.fit(places) < _FITS:
            return TemplateOfPage(PageTemplate(()), placed, threads) if threads else None
        best.uses += 1
        return TemplateOfPage(best, placed, () if best.posts else threads)


class LiveTemplates:
    """The templates of pages of which each is read once, learnt from those before: titles, furniture, shared blocks.

    The first pages of each form of address are learnt from, again whenever their number has doubled; results depend on
    the order of the pages. Forms whose pages have not come for the longest time are forgotten. Not thread-safe.
    """

    def __init__(self) -> None:
        self._pages: OrderedDict[tuple[str, ...], list[PagePlaces]] = OrderedDict()
        self._known: dict[tuple[str, ...], PageTemplates] = {}

    def of_page(self, page: ParsedPage) -> TemplateOfPage | None:
        """Return the template of a page, and learn from the page."""
        form = _form(page.url or "")
        pages = self._pages.setdefault(form, [])
        self._pages.move_to_end(form)
        if len(pages) < PAGES:
            pages.append(PagePlaces.of(page))
            if len(pages) in _LEARNT_AT:
                self._known[form] = PageTemplates(pages)
        if len(self._pages) > _FORMS:
            self._known.pop(self._pages.popitem(last=False)[0], None)
        return self._known[form].of_page(page) if form in self._known else None


def _described(pages: Iterable[Source], links: Callable[[str], Collection[str]]) -> Iterator[PagePlaces]:
    for page in pages:
        with suppress(Exception):  # read_many returns the exception of the page
            yield PagePlaces.of(describe(page.html, page.url), links(page.url or ""))


def _batches(pages: Iterable[Source]) -> Iterator[list[Source]]:
    left = iter(pages)
    while batch := [*islice(left, _BATCH)]:
        yield batch


def _for_learning(options: Options) -> Options:
    """Return options without what templates are not learnt from."""
    needed = replace(options, pairs=True, templates=True, markup=False, sections=False, chunks=None, records=False)
    return replace(needed, markdown=False, main_html=False, metadata=False, details=False)


def _grouped(pages: Sequence[PagePlaces]) -> list[list[PagePlaces]]:
    """Group pages by the places that they have in common with the first page of a group."""
    groups: list[list[PagePlaces]] = []
    for page in pages:
        best = max(groups, key=lambda group: _likeness(group[0], page), default=None)
        if best is None or _likeness(best[0], page) < _FITS:
            groups.append([page])
        else:
            best.append(page)
    return groups


def _likeness(one: PagePlaces, other: PagePlaces) -> float:
    return len(one.firsts.keys() & other.firsts.keys()) / max(1, min(len(one.firsts), len(other.firsts)))


def sampled(urls: Iterable[str]) -> list[str]:
    """Return at most `PAGES` URLs of each form that a host has, in alphabetical order; a hash decides which ones.

    The hosts with the fewest pages are left out if there are more than `MOST` pages, so that memory is bounded.
    """
    chosen: defaultdict[tuple[str, ...], list[tuple[int, str]]] = defaultdict(list)
    for url in urls:
        digest = blake2b(url.encode("utf-8", "replace"), digest_size=8).digest()
        heap, rank = chosen[_form(url)], -int.from_bytes(digest, "big")
        (partial(heappush, heap) if len(heap) < PAGES else partial(heappushpop, heap))((rank, url))
    hosts: defaultdict[str, list[str]] = defaultdict(list)
    for (host, *_), heap in chosen.items():
        hosts[host] += [url for _, url in heap]
    found: list[str] = []
    for _, of_host in sorted(hosts.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(found) + len(of_host) <= MOST:
            found += of_host
    return sorted(found)


def _form(url: str) -> tuple[str, ...]:
    """Return the form of a URL: its host, the depth of its path, and the keys of its query."""
    parts = address_of(url)
    return parts.host, str(parts.path.count("/")), *sorted(part.partition("=")[0] for part in parts.query.split("&"))
