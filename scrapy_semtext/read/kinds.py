"""The page kind classifier: gradient-boosted trees over numeric features and words of a page.

The kinds are those of WCXB. An overview is a page that lists others: a listing or a collection.

A page as words: of its URL, its title, its elements' names, its declarations and its texts. Each word is combined with
the place where it was found, because "forum" in a host says more than in a text.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain, filterfalse, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.features.table import PageTable, ParsedPage
from scrapy_semtext.models.config import PAGE_KINDS
from scrapy_semtext.models.storage import TreeHead
from scrapy_semtext.read.kind_features import COLUMNS, page_columns
from scrapy_semtext.reading import Models, Reading, reader
from scrapy_semtext.tree.scopes import ScopeTree, ranges
from scrapy_semtext.utils.address import Address, address_of
from scrapy_semtext.words.words import FIRST_NAMES, attribute_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.models.trees import TreeEnsemble
    from scrapy_semtext.tree.segmentation import TextBlock


#: The places by name.
PLACES = (
    *("host", "folder", "first folder", "last part", "query", "title", "declared", "generator", "body"),
    *("short text", "button", "buttons", "text", "h1", "around h1", "name", "names"),
)

_WORD = re.compile(r"[^\W\d_]+")
# A translation table: ASCII letters to lower case, everything else to spaces.
_IN_WORDS = bytes(ord(chr(code).lower()) if code < 128 and chr(code).isalpha() else ord(" ") for code in range(256))
_SHORT, _BUTTON, _LOOK = 60, 25, 100
_LEVELS = 4
_LONGEST_VALUE = 20
# The number of occurrences from which a short text, or the names of an element, count as repeated.
_REPEATS, _REPEATED_NAMES = 3, 6


def page_words(table: PageTable) -> list[dict[str, Collection[str]]]:
    """Return the words at each of PLACES for each page with text; words may be repeated."""
    found: list[dict[str, Collection[str]]] = []
    for page, texts, names in zip(table.pages, table.texts_of_pages(), _of_names(table.tree), strict=True):
        few: dict[str, Collection[str]] = {place: _words([text]) for place, text in _few_texts(page).items()}
        found.append({**few, **_few_words(page), **_of_texts(texts), **_of_buttons(texts), **names})
    return found


class Vocabulary:
    """Words with their places that are searched for on pages."""

    def __init__(self, column_of: Mapping[str, dict[str, int]]) -> None:
        """``column_of``: for each of PLACES, the columns of the words that are searched for there."""
        self._column_of = column_of
        self._known = {place: frozenset(columns) for place, columns in column_of.items()}

    def mark(self, table: PageTable, rows: NDArray[np.float32]) -> None:
        """Write 1 to the columns of the words of each page with text; ``rows``: (pages, columns)."""
        for found, row in zip(page_words(table), rows, strict=True):
            columns: list[int] = []
            for place, words in found.items():
                column_of = self._column_of[place]
                columns += [column_of[word] for word in self._known[place].intersection(words)]
            row[columns] = 1


def _few_texts(page: ParsedPage) -> dict[str, str]:
    """Return the text of each place that has a single text."""
    address, title = address_of(page.url), _headline(page)
    *folders, last = _path_of(address)
    return {
        "host": address.netloc,
        "folder": "/".join(folders),
        "last part": last,
        "title": page.title[:_LOOK],
        "h1": "" if title is None else title.text[:_LOOK],
    }


def _few_words(page: ParsedPage) -> dict[str, Collection[str]]:
    """Return the words of a page that are not from a text: names and parts of URLs, unchanged."""
    address, title = address_of(page.url), _headline(page)
    around = [] if title is None else islice(title.scope.ancestry(), _LEVELS)
    query = [part.partition("=")[0] for part in address.query.split("&")] if address.is_known else []
    return {
        "first folder": _path_of(address)[:1] if address.is_known else [],
        "query": query,
        **_declared(page),
        "around h1": [*chain.from_iterable(attribute_words(scope.names).first for scope in around)],
    }


def _path_of(address: Address) -> list[str]:
    """Return the parts of a path in lower case, at least one; an unknown URL has one that matches nothing."""
    parts = address.path.lower().split("/") if address.is_known else []
    return [part for part in parts if part] or [""]


def _headline(page: ParsedPage) -> TextBlock | None:
    return next((block for block in page.text_blocks if block.scope.tag == "h1"), None)


def _declared(page: ParsedPage) -> dict[str, Collection[str]]:
    """Return what <meta> declares: all names, and the values of two of them; no schema.org markup."""
    names: set[str] = set()
    values: set[str] = set()
    for element, tag, key, in_head in page.elements.naming:
        if in_head and tag == "meta":
            names.add(key)
            if key in ("og:type", "generator"):
                values.add((element.get("content") or "").lower()[:_LONGEST_VALUE])
    body = next(page.root.iterchildren("body"), None)
    classes = "" if body is None else body.get("class") or ""
    return {"declared": names, "generator": values, "body": set(classes.lower().split()[:FIRST_NAMES])}


def _of_texts(texts: Sequence[str]) -> dict[str, Collection[str]]:
    short = [text for text in texts if len(text) < _SHORT]
    long = [text[:_LOOK] for text in texts if len(text) >= _SHORT]
    return {"short text": _words(short), "text": _words(long)}


def _of_buttons(texts: Sequence[str]) -> dict[str, Collection[str]]:
    buttons = Counter([text.lower() for text in texts if len(text) < _BUTTON])
    return {"button": buttons.keys(), "buttons": [text for text, times in buttons.items() if times >= _REPEATS]}


def _of_names(tree: ScopeTree) -> list[dict[str, Collection[str]]]:
    """Return the words in the names of each page's elements, and in names shared by several elements."""
    types, pages = tree.element_types, len(tree.roots)
    names, of_scope = types.names
    words, number, counts = types.first_words
    distinct, begins = np.array(words, dtype=object), counts.cumsum() - counts
    times = np.bincount(tree.page_of_scope * len(names) + of_scope, minlength=pages * len(names)).reshape(pages, -1)

    def of_pages(least: int) -> Iterator[list[str]]:
        page, name = np.nonzero(times >= least)
        has_word = np.zeros((pages, len(words)), dtype=np.bool_)
        has_word[page.repeat(counts[name]), number[ranges(begins[name], counts[name])]] = True
        return (distinct[own].tolist() for own in has_word)

    return [{"name": each, "names": some} for each, some in zip(of_pages(1), of_pages(_REPEATED_NAMES), strict=True)]


def _words(texts: Sequence[str]) -> list[str]:
    """Return the words of texts. ASCII text, the usual case, is translated and then split at spaces."""
    plain = " ".join(filter(str.isascii, texts)).encode("ascii").translate(_IN_WORDS).decode("ascii")
    other = "\n".join(filterfalse(str.isascii, texts)).lower()
    return [*plain.split(), *_WORD.findall(other)]


def spelt(found: Mapping[str, Iterable[str]]) -> Iterable[str]:
    """Yield words with their places as single strings."""
    return (f"{place}: {word}" for place, words in found.items() for word in words)


def parted(word: str) -> tuple[str, str]:
    """Split a string from `spelt` into place and word."""
    place, _, bare = word.partition(": ")
    return place, bare


#: The page kinds, in alphabetical order; the network is trained on them as an auxiliary task.
KINDS = PAGE_KINDS
#: The kinds that list other pages.
OVERVIEWS = ("collection", "listing")

#: The kinds that present an offer, and their weight when overviews are separated from the other kinds. Annotators
#: disagree on how many offers make a list, so classifying an offer as an overview is the lesser error.
OFFERS = ("product", "service")
OFFER_WEIGHT = 1 / 3

_OVERVIEWS = [KINDS.index(kind) for kind in OVERVIEWS]
# By kind: 1 for an overview, else 0; the weight.
_AS_OVERVIEW = np.array([float(kind in OVERVIEWS) for kind in KINDS])
_WEIGHTS = np.array([OFFER_WEIGHT if kind in OFFERS else 1.0 for kind in KINDS])
_FORUM = KINDS.index("forum")
_READ = np.array([float(kind in ("article", "documentation")) for kind in KINDS])  # kinds of texts to be read
_OTHERS = [place for place in range(len(KINDS)) if place not in _OVERVIEWS]


@dataclass(frozen=True, slots=True)
class KindOfPage:
    """The predicted kind of a page and whether it is an overview, each with its probability.

    ``kind`` is one of OVERVIEWS if and only if ``is_overview``.
    """

    kind: str
    probability: float
    is_overview: bool
    overview_probability: float


def overview_probability(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability of an overview, (...), from those of KINDS, (..., kinds), with OFFER_WEIGHT.

    This is the probability if products and services were rarer than in WCXB by that factor.
    """
    result: NDArray[np.float64] = probabilities @ _AS_OVERVIEW / (probabilities @ _WEIGHTS)
    return result


def kind_probabilities(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the softmax of the logits of KINDS, (..., kinds)."""
    likely = np.exp(odds - odds.max(-1, keepdims=True))
    result: NDArray[np.float64] = likely / likely.sum(-1, keepdims=True)
    return result


@dataclass(slots=True)
class KindModel:
    """Gradient-boosted trees over selected features and words of pages.

    ``trees``: the trees of ``parts`` models, one for each of KINDS in turn; the logits of the models are averaged.
    ``columns``: names from `scrapy_semtext.read.kind_features.COLUMNS`; ``words``: words with their places, whose
    columns follow; ``offsets``: added to the logits of KINDS. A page is an overview if the probability is at least
    ``threshold``. ``training`` documents data, seed, dates and scores.
    """

    trees: TreeEnsemble
    parts: int
    columns: tuple[str, ...]
    words: tuple[str, ...]
    offsets: tuple[float, ...]
    threshold: float
    training: dict[str, Any] = field(default_factory=dict)
    _vocabulary: Vocabulary = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Raise ValueError if the trees do not fit the columns, words, parts or offsets."""
        if unknown := set(self.columns) - set(COLUMNS):
            raise ValueError(f"the trees were fitted to columns that this release does not compute: {sorted(unknown)}")
        if self.trees.columns != len(self.columns) + len(self.words):
            raise ValueError("the trees were fitted to another number of columns than are named")
        if self.parts < 1 or len(self.trees.roots) % (len(KINDS) * self.parts):
            raise ValueError("the trees are not as many for each kind of page")
        if len(self.offsets) != len(KINDS):
            raise ValueError("the offsets are not one for each kind of page")
        words: dict[str, dict[str, int]] = {place: {} for place in PLACES}
        for column, spelt in enumerate(self.words, len(self.columns)):
            place, word = parted(spelt)
            if place not in words:
                raise ValueError(f"the trees were fitted to words of {place!r}, which this release does not read")
            words[place][word] = column
        self._vocabulary = Vocabulary(words)

    def read(self, page: ParsedPage) -> KindOfPage | None:
        """Classify a page; None for a page without text."""
        (probabilities,) = self.probabilities([page])
        return None if probabilities is None else self.likeliest(probabilities)

    def likeliest(self, probabilities: NDArray[np.float64], threshold: float | None = None) -> KindOfPage:
        """Return the most probable of the overviews, or of the other kinds, given ``probabilities``, (kinds,).

        ``threshold`` overrides that of the model.
        """
        overview = float(overview_probability(probabilities))
        is_overview = overview >= (self.threshold if threshold is None else threshold)
        among = _OVERVIEWS if is_overview else _OTHERS
        best = among[int(probabilities[among].argmax())]
        return KindOfPage(KINDS[best], float(probabilities[best]), is_overview, overview)

    def probabilities(self, pages: Sequence[ParsedPage]) -> list[NDArray[np.float64] | None]:
        """Return the probabilities of KINDS, (kinds,), for each page; None for one without text.

        The trees take about as long for a batch as for one page, because memory access dominates.
        """
        table = PageTable.of(pages)
        rows = np.zeros((len(table.pages), self.trees.columns), dtype=np.float32)
        if table.pages:
            columns = page_columns(table)
            for place, name in enumerate(self.columns):
                rows[:, place] = columns[name]
            self._vocabulary.mark(table, rows)
        found = iter(self.of_rows(rows))
        return [next(found) if page.text_blocks else None for page in pages]

    def of_rows(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the probabilities of KINDS, (pages, kinds), for the columns of pages, (pages, columns)."""
        return kind_probabilities(self.trees.output_scores(rows, len(KINDS)) / self.parts + self.offsets)


def _described(model: KindModel) -> dict[str, Any]:
    lists = {name: list(getattr(model, name)) for name in ("columns", "words", "offsets")}
    return {"parts": model.parts, "threshold": model.threshold, **lists}


def _model(description: dict[str, Any], trees: dict[str, TreeEnsemble]) -> KindModel:
    return KindModel(
        trees["kinds"],
        int(description["parts"]),
        tuple(description["columns"]),
        tuple(description["words"]),
        tuple(map(float, description["offsets"])),
        float(description["threshold"]),
        description["training"],
    )


HEAD = TreeHead(
    "kinds",
    "model of page kinds",
    2,
    trees={"kinds": "trees"},
    build=_model,
    describe_model=_described,
    names={"kinds": KINDS},
)
save_kinds, load_kinds = HEAD.write, HEAD.read


@reader("kinds", by_page=False)
def kinds_reader(table: PageTable, models: Models, _: Sequence[Reading]) -> list[NDArray[np.float64] | None]:
    """Classify the kinds of pages, without their posts."""
    return models.pair_models.posts.kinds.probabilities(table)


def kinds_of(reading: Reading) -> NDArray[np.float64] | None:
    """Return the probabilities of KINDS, (kinds,), given the posts of a page; None for a page without text.

    An entry of a help centre is an article or documentation.
    """
    kinds, posts = reading.kinds, reading.posts
    if kinds is not None and reading.entry is not None:
        texts: NDArray[np.float64] = kinds * _READ / max(kinds @ _READ, 1e-12)
        return texts
    if kinds is None or posts is None or not posts.is_thread:
        return kinds
    others = kinds * (np.arange(len(KINDS)) != _FORUM)
    result: NDArray[np.float64] = others * ((1 - posts.probability) / max(others.sum(), 1e-12))
    result[_FORUM] = posts.probability
    return result


@reader(
    ("page_kind", "page_kind_probability", "is_overview", "overview_probability"),
    ("kinds", "posts", "message", "entry"),
    asked=lambda options: options.reads_kinds,
)
def kind_reader(reading: Reading, models: Models) -> tuple[str | None, float | None, bool | None, float | None]:
    """Return the kind of a page: the model's, "forum" for a thread, or "article" for one message."""
    kinds, posts = kinds_of(reading), reading.posts
    if kinds is None:
        return None, None, None, None
    if reading.page.message is not None:
        return "article", 1.0, False, 0.0
    if posts is not None and posts.is_thread and reading.entry is None:
        return "forum", posts.probability, False, float(overview_probability(kinds))
    found = models.pair_models.posts.kinds.likeliest(kinds, reading.options.overview_threshold)
    return found.kind, found.probability, found.is_overview, found.overview_probability
