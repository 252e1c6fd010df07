"""Deboiler: blocks that pages of a finished set share; and pages whose blocks a person has labeled.

It follows deboiler (Mashayekh 2023): pages are compared with neighbors in URL order, parts with the same plain text are
boilerplate, duplicate pages are ignored, and the rest gives title, description, headings, breadcrumbs, lists and main
text. Here the parts are the blocks of the segmentation, and a place with varying text holds content (see
`scrapy_semtext.site.template`).

``semtext label`` writes labeled pages as JSON lines; ``semtext tune`` and ``semtext dev train labels`` learn from it::

    {"id": ..., "url": ..., "html": ..., "done": true,
     "blocks": [{"text": ..., "path": ..., "label": "main", "probability": 0.31, "by": "person"}, ...],
     "pairs": [{"question": ..., "answer": ...}, ...]}

``blocks`` are all text blocks of the page in page order, as `Extractor.annotate` returns them; ``pairs`` are its
correct question-answer pairs if a person has changed any, else null.
"""

from __future__ import annotations

import json
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from scrapy_semtext.features.table import describe
from scrapy_semtext.options import Source
from scrapy_semtext.page import BlockLabel
from scrapy_semtext.read.metadata import breadcrumbs_of, metas_of
from scrapy_semtext.read.title import title_of
from scrapy_semtext.site.template import (
    SITE_KINDS,
    PagePrint,
    Rules,
    Seen,
    SiteKind,
    SiteTemplate,
    page_print,
    site_of,
    with_evidence,
    without_shared,
)
from scrapy_semtext.tree.parsing import base_url
from scrapy_semtext.tree.scopes import main_text
from scrapy_semtext.tree.tags import HEADING_LEVELS
from scrapy_semtext.words.characters import one_line
from scrapy_semtext.words.word_tables import WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from typing_extensions import Self

    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.tree.segmentation import TextBlock
    from scrapy_semtext.utils.arrays import Bools, Floats


#: The number of blocks stored while the pages of a site are compared, which limits how far apart in URL order pages
#: may be. With 100 new blocks per page it covers 160 pages.
WINDOW_BLOCKS = 16_384

#: Without labels, duplicates are detected by all text, menus included, so the required overlap is higher. So is the
#: share of repeated blocks at a position.
RULES = Rules(constant_share=0.6, overlap=0.9)

_PRINTS = np.dtype([("block", "<u8"), ("place", "<u8"), ("size", "<u4"), ("heading", "?")])
_LISTS = frozenset(("ul", "ol", "menu", "dl"))


class LabeledPageError(ValueError):
    """A line is not a labeled page; the message gives the line and the problem."""


@dataclass(slots=True)
class LabeledBlock:
    """A text block with its label.

    ``path`` is from `scrapy_semtext.tree.scopes`, ``probability`` is the model's probability of main content, and
    ``by`` says whether a person changed the model's label.
    """

    text: str
    path: str
    label: BlockLabel
    probability: float
    by: Literal["model", "person"] = "model"


@dataclass(slots=True)
class LabeledPair:
    """A question-answer pair that a person has confirmed or corrected."""

    question: str
    answer: str


@dataclass(slots=True)
class LabeledPage:
    """A page with its labeled blocks; ``done`` is whether a person has finished it.

    ``pairs`` are all correct pairs of the page, or None if no person has changed the pairs of the model.
    """

    id: Any
    url: str | None
    html: str
    blocks: list[LabeledBlock] = field(default_factory=list)
    done: bool = False
    pairs: list[LabeledPair] | None = None

    def to_json(self) -> str:
        """Return the page as a line of JSON, without a newline."""
        return json.dumps(asdict(self), ensure_ascii=False)


def read_labeled(lines: Iterable[bytes]) -> Iterator[LabeledPage]:
    """Yield the pages of a file, skipping blank lines; raise LabeledPageError for an invalid line."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                page = labeled_page(json.loads(line.decode("utf-8-sig")))
            except (ValueError, RecursionError) as error:
                raise LabeledPageError(f"line {number} is not a labeled page: {error}") from error
            yield page


def labeled_page(values: Any) -> LabeledPage:
    """Return the page that the JSON value of a line describes; raise LabeledPageError if the value is invalid."""
    try:
        page = LabeledPage(**{**values, "blocks": [LabeledBlock(**block) for block in values["blocks"]]})
        page.pairs = labeled_pairs(values.get("pairs"))
    except (KeyError, TypeError, AttributeError) as error:
        raise LabeledPageError(str(error)) from error
    if not isinstance(page.html, str) or not isinstance(page.url, str | None) or not isinstance(page.done, bool):
        raise LabeledPageError("html, url or done has a value of another type")
    for block in page.blocks:
        if (type(block.text), type(block.path)) != (str, str) or type(block.probability) not in (int, float):
            raise LabeledPageError("text, path or probability of a block has a value of another type")
        if block.label not in get_args(BlockLabel) or block.by not in ("model", "person"):
            raise LabeledPageError(f"a block has the label {block.label!r} by {block.by!r}")
    return page


def labeled_pairs(values: Any) -> list[LabeledPair] | None:
    """Return the pairs of a JSON value; raise TypeError if it is neither null nor a list of pairs."""
    pairs = None if values is None else [LabeledPair(**pair) for pair in values]
    if not all(isinstance(text, str) for pair in pairs or () for text in (pair.question, pair.answer)):
        raise TypeError("the question or answer of a pair is not a string")
    return pairs


class SiteFit(SiteTemplate):
    """A template that retains shared blocks when it evicts others."""

    __slots__ = ("_retained",)

    def __init__(self, rules: Rules = RULES) -> None:
        super().__init__(WINDOW_BLOCKS, rules)
        self._retained: OrderedDict[int, Seen] = OrderedDict()

    def learn_all(self, pages: Iterable[PagePrint]) -> SiteFit:
        """Learn pages, which must be in the order of their URLs, then keep only what they share; returns itself."""
        for page in pages:
            # duplicates are detected by blocks that are not known to be shared
            self.learn(page, ~self.shared(page))
        found = (self.blocks | self._retained).items()
        self.blocks = OrderedDict((block, seen) for block, seen in found if seen.pages > self.rules.pages)
        self._retained = OrderedDict()
        self.lengths.clear()
        return self

    def forget(self) -> None:
        """Evict the least recently seen entries beyond ``size``, but retain shared blocks."""
        while len(self.blocks) > self.size:
            block, seen = self.blocks.popitem(last=False)
            if seen.pages > self.rules.pages:
                self._retained[block] = seen
        while len(self._retained) > self.size:
            self._retained.popitem(last=False)
        super().forget()


def _packed(page: PagePrint) -> bytes:
    rows = zip(page.blocks, page.places, page.sizes, page.headings, strict=True)
    return np.array(list(rows), _PRINTS).tobytes()


def _unpacked(packed: bytes) -> PagePrint:
    rows = np.frombuffer(packed, _PRINTS)
    return PagePrint(*(tuple(rows[name].tolist()) for name in ("block", "place", "size", "heading")))


@dataclass(slots=True)
class CleanPage:
    """A page without the boilerplate of its site; attributes are named as in deboiler.

    ``headings``, ``lists`` (each the texts of its items) and ``main_text`` are of the kept blocks; ``breadcrumbs`` are
    the entries of the trail that the page shows, without their links.
    """

    url: str | None = None
    title: str | None = None
    description: str | None = None
    headings: list[str] = field(default_factory=list)
    breadcrumbs: list[str] = field(default_factory=list)
    lists: list[list[str]] = field(default_factory=list)
    main_text: str = ""


def clean_page(root: Any, blocks: Sequence[TextBlock], keep: Sequence[bool], url: str | None = None) -> CleanPage:
    """Return a page with the kept blocks only; ``keep`` has an entry for each of ``blocks``."""
    kept = [block for block, stays in zip(blocks, keep, strict=True) if stays]
    return CleanPage(
        url=url,
        title=title_of(root),
        description=next(filter(None, map(metas_of(root).get, WORDS["description"])), None),
        headings=[one_line(block.text) for block in kept if block.scope.tag in HEADING_LEVELS],
        breadcrumbs=[crumb.name for crumb in breadcrumbs_of(root, (), base_url(root, url))],
        lists=list(_lists(kept)),
        main_text=main_text(blocks, keep),
    )


def _lists(blocks: Sequence[TextBlock]) -> Iterator[list[str]]:
    """Yield the items of each kept list, in page order; nested lists are separate."""
    lists: dict[Any, list[str]] = {}
    for block in blocks:
        scope = next((scope for scope in block.scope.ancestry() if scope.tag in _LISTS), None)
        if scope is not None:
            items = lists.setdefault(scope, [])
            items += [line.strip() for line in block.text.splitlines() if line.strip()]
    yield from lists.values()


class NotFittedError(RuntimeError):
    """`Deboiler.transform` was called before `Deboiler.fit`."""


SourcePage = Source  # the name in deboiler is Page


class Deboiler:
    """Learns what the pages of each site share, then cleans pages of these sites.

    ``load`` returns the extractor whose labels are revised. With None, as in deboiler, all text that is not shared is
    kept. ``by`` is the kind of site. Pages without a URL belong to no site. Results do not depend on the order of the
    pages. While pages are learned, they take about 20 bytes of memory per block.

    Raises ValueError for an invalid ``by``.
    """

    def __init__(self, load: Callable[[], Extractor] | None = None, *, by: SiteKind = "host") -> None:
        if by not in SITE_KINDS:
            raise ValueError(f"a site is {by!r}; it has to be one of {', '.join(SITE_KINDS)}")
        self._extractor = load and load()
        self._by = by
        self._sites: dict[str, SiteFit] | None = None
        #: The number of pages, duplicates and sites of the last fit.
        self.stats: dict[str, int] = {}

    def fit(self, pages: Iterable[Source]) -> Self:
        """Learn which blocks the pages of each site share, from scratch. Returns itself."""
        sites: defaultdict[str, list[tuple[bytes, bytes]]] = defaultdict(list)
        for page in pages:
            if (site := site_of(page.url, self._by)) and (prints := _prints(page)) is not None:
                sites[site].append(((page.url or "").encode("utf-8", "replace"), _packed(prints)))
        self._sites = {
            site: SiteFit().learn_all(_unpacked(packed) for _, packed in sorted(found)) for site, found in sites.items()
        }
        fits = self._sites.values()
        duplicates = sum(fit.duplicates for fit in fits)
        self.stats = {
            "pages": sum(fit.pages for fit in fits) + duplicates,
            "duplicates": duplicates,
            "sites": len(fits),
        }
        return self

    def transform(self, pages: Iterable[Source]) -> Iterator[CleanPage | Exception]:
        """Return an iterator over the pages without the boilerplate of their sites; one that fails is its exception.

        Raises NotFittedError before `fit`.
        """
        if self._sites is None:
            raise NotFittedError("the Deboiler is not fitted: call fit first")
        if self._extractor is not None:
            self._extractor.templates = self
        return map(self._cleaned, pages)

    def revised(self, url: str | None, blocks: Sequence[TextBlock], keep: Bools, probabilities: Floats) -> Bools:
        """Return which of the blocks that the labeler keeps are main content, (blocks,)."""
        page = page_print(blocks)
        return with_evidence(keep, probabilities, self._evidence(url, page), page)

    def _evidence(self, url: str | None, page: PagePrint) -> Floats:
        fit = (self._sites or {}).get(site_of(url, self._by))
        return np.zeros(len(page)) if fit is None else fit.evidence(page)

    def _cleaned(self, page: Source) -> CleanPage | Exception:
        try:
            if self._extractor is not None:
                read = self._extractor.annotate(page.html, page.url)
                return clean_page(read.root, read.text_blocks, [block.is_main for block in read.page.blocks], page.url)
            described = describe(page.html, page.url)
            prints = page_print(described.text_blocks)
            left = without_shared(self._evidence(page.url, prints), prints)
            return clean_page(described.root, described.text_blocks, left.tolist(), page.url)
        except Exception as error:  # noqa: BLE001  it is the page's result
            return error


def _prints(page: Source) -> PagePrint | None:
    try:
        return page_print(describe(page.html, page.url or "").text_blocks)
    except Exception:  # noqa: BLE001  transform gives the exception of the page
        return None
