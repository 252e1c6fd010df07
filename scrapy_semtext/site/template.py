"""Site templates: which blocks the pages of a site share, learned page by page in bounded memory.

Pages are compared by fingerprints of their blocks. The evidence is applied to labels: some main-content blocks become
boilerplate. The templates of all sites of a crawl can be saved between runs.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from zipfile import BadZipFile

import numpy as np

from scrapy_semtext.models.scores import log_odds_of
from scrapy_semtext.tree.tags import HEADING_LEVELS
from scrapy_semtext.utils.address import address_of, domain_of, without_www
from scrapy_semtext.utils.replacing import replacing_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_semtext.tree.segmentation import Scope, TextBlock
    from scrapy_semtext.utils.arrays import Bools, Floats, Ints

    Kept = Sequence[bool] | Bools


#: The default and the minimum number of blocks that a template stores.
SIZE = 4096
MIN_SIZE = 16

#: The default number of sites that are stored.
SITES = 64

#: The meaning of a site: all pages of one host, ignoring "www.", or of one registered domain.
SiteKind = Literal["host", "domain"]
SITE_KINDS: tuple[SiteKind, ...] = ("host", "domain")


#: The number of ancestors, from the innermost, that identify the place of a block.
LEVELS = 4

_DIGITS = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")

#: The number of recent pages whose length is stored, to detect duplicates by overlap.
_RECENT = 256

#: The counts of a place are halved when it reaches this number of blocks, so that older pages count less.
_PLACE_BLOCKS = 2_000

#: Probabilities are clipped to this distance from 0 and 1, which have no finite log-odds.
_EPSILON = 1e-6

#: The first number in a saved file; files of other versions are not read.
_VERSION = 1

#: Errors from reading a damaged file, besides ValueError and OSError; zipfile raises RuntimeError for unsupported
#: files.
_DAMAGES = (AttributeError, BadZipFile, EOFError, LookupError, MemoryError, RuntimeError, TypeError, UnicodeDecodeError)

_BLOCKS = np.dtype([("print", "<u8"), ("pages", "<u4"), ("last", "<u4")])
_PLACES = np.dtype([("print", "<u8"), ("blocks", "<u4"), ("constant", "<u4")])
_LENGTHS = np.dtype([("page", "<u4"), ("characters", "<u8")])
_SITES = np.dtype([("pages", "<u4"), ("duplicates", "<u4"), ("blocks", "<u4"), ("places", "<u4"), ("lengths", "<u4")])


@dataclass(frozen=True, slots=True)
class PagePrint:
    """The fingerprints of a page; all tuples have an entry for each block, in page order.

    ``blocks``: 64-bit hashes of text and place, 0 for a block without letters, which is never compared. ``places``:
    64-bit hashes of the places. ``sizes``: lengths in characters. ``headings``: whether a block is a heading.
    """

    blocks: tuple[int, ...]
    places: tuple[int, ...]
    sizes: tuple[int, ...]
    headings: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.blocks)


def page_print(blocks: Sequence[TextBlock]) -> PagePrint:
    """Return the fingerprints of a page's blocks; linear in the page's text."""
    places: dict[Scope, bytes] = {}
    rows = []
    for block in blocks:
        scope, plain = block.scope, " ".join(block.text.casefold().split())
        place = places.get(scope)
        if place is None:
            place = places[scope] = _place((each.tag, each.names) for each in scope.ancestry())
        text = blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=8, key=place).digest()
        number = (int.from_bytes(text, "big") or 1) if _LETTER.search(plain) else 0
        rows.append((number, int.from_bytes(place, "big"), len(block.text), scope.tag in HEADING_LEVELS))
    return PagePrint(*zip(*rows, strict=True)) if rows else PagePrint((), (), (), ())


def _place(path: Iterable[tuple[str, str]]) -> bytes:
    levels = (f"{tag} {_DIGITS.sub('0', names)}" for tag, names in islice(path, LEVELS))
    return blake2b("\n".join(levels).encode("utf-8", "surrogatepass"), digest_size=8).digest()


@dataclass(frozen=True, slots=True)
class Rules:
    """Thresholds for shared blocks and duplicates (chosen in research/notes/site-templates.md).

    ``pages``: the minimum number of other pages with the block. ``constant_share``: the minimum share of the blocks at
    its place that were on earlier pages; below it the place holds content, and a repeated block is, for example, a
    quotation or a price. ``shift``: how much the log-odds of main content are lowered for a shared block. ``overlap``:
    a page that shares at least this fraction of its kept text, and of its blocks, with an earlier one is a duplicate
    and is not learned (as in deboiler).
    """

    pages: int = 2
    constant_share: float = 0.5
    shift: float = 1.5
    overlap: float = 0.8


class Seen(NamedTuple):
    """The number of pages with a block, and the number of the last such page."""

    pages: int
    last: int


class PlaceCount(NamedTuple):
    """The number of blocks at a place after its first page, and of those among them that were on earlier pages."""

    blocks: int
    constant: int


_NEVER = Seen(0, 0)
_NOWHERE = PlaceCount(0, 0)


class SiteTemplate:
    """The blocks and places that the pages of one site have shared so far.

    Stores at most ``size`` blocks and ``size`` places, and evicts the least recently seen. Of a page with more than
    ``size // 4`` blocks, a deterministic subset is learnt. Learning takes time linear in the page's blocks. Raises
    ValueError for a size below MIN_SIZE.
    """

    __slots__ = ("blocks", "duplicates", "lengths", "pages", "places", "rules", "size")

    def __init__(self, size: int = SIZE, rules: Rules | None = None) -> None:
        if size < MIN_SIZE:
            raise ValueError(f"the size is {size!r}; it has to be at least {MIN_SIZE}")
        self.size = size
        self.rules = rules or Rules()
        self.pages = 0
        self.duplicates = 0
        # by fingerprint, the most recently seen last
        self.blocks: OrderedDict[int, Seen] = OrderedDict()
        self.places: OrderedDict[int, PlaceCount] = OrderedDict()
        #: The number of kept characters of the most recent pages, by page number.
        self.lengths: OrderedDict[int, int] = OrderedDict()

    def shared(self, page: PagePrint) -> Bools:
        """Return which blocks of a page that is not learnt yet are shared with the site's other pages, (blocks,)."""
        return np.fromiter(map(self._is_shared, page.blocks, page.places), np.bool_, len(page))

    def evidence(self, page: PagePrint) -> Floats:
        """Return the values to add to each block's log-odds of being main content: (blocks,), 0 or less."""
        return np.where(self.shared(page), -self.rules.shift, 0.0)

    def learn(self, page: PagePrint, kept: Kept) -> bool:
        """Learn a page unless it is a duplicate; return whether it was learnt.

        ``kept``: (blocks,), which blocks are main content by the labeler only.
        """
        if self._is_duplicate(page, kept):
            self.duplicates += 1
            return False
        self.pages += 1
        chosen = self._chosen(page)
        self._learn_places(page, chosen)
        for block in dict.fromkeys(page.blocks[i] for i in chosen):
            if block:
                seen = self.blocks.pop(block, _NEVER)
                self.blocks[block] = Seen(seen.pages + 1, self.pages)
        self.lengths[self.pages] = sum(_kept_sizes(page, kept).values())
        self.forget()
        return True

    def forget(self) -> None:
        """Evict the least recently seen entries beyond the limits."""
        for entries, limit in ((self.blocks, self.size), (self.places, self.size), (self.lengths, _RECENT)):
            while len(entries) > limit:
                entries.popitem(last=False)

    def _is_shared(self, block: int, place: int) -> bool:
        if self.blocks.get(block, _NEVER).pages < self.rules.pages:
            return False
        blocks, constant = self.places.get(place, _NOWHERE)
        return blocks > 0 and constant >= self.rules.constant_share * blocks

    def _is_duplicate(self, page: PagePrint, kept: Kept) -> bool:
        """Return whether an earlier page has nearly the same kept text, and most blocks are known.

        Both are required: on sites with long menus all pages have most blocks in common, and two pages of which only a
        banner was kept are not duplicates.
        """
        blocks = [block for block in page.blocks if block]
        known = sum(block in self.blocks for block in blocks)
        if not blocks or known < self.rules.overlap * len(blocks):
            return False
        sizes = _kept_sizes(page, kept)
        length = sum(sizes.values())
        common: Counter[int] = Counter()
        for block, size in sizes.items():
            common[self.blocks.get(block, _NEVER).last] += size
        return any(
            size >= self.rules.overlap * (length + self.lengths[number] - size)
            for number, size in common.items()
            if number in self.lengths
        )

    def _chosen(self, page: PagePrint) -> list[int]:
        """Return the indices of the blocks to learn: all, or those with the smallest fingerprints."""
        limit = self.size // 4
        if len(page) <= limit:
            return [*range(len(page))]
        return sorted(range(len(page)), key=page.blocks.__getitem__)[:limit]

    def _learn_places(self, page: PagePrint, chosen: list[int]) -> None:
        found: dict[int, tuple[int, int]] = {}
        for i in chosen:
            blocks, constant = found.get(page.places[i], (0, 0))
            found[page.places[i]] = blocks + 1, constant + (page.blocks[i] in self.blocks)
        for place, (blocks, constant) in found.items():
            old = self.places.pop(place, None)
            if old is None:  # the first page with a place does not count
                self.places[place] = _NOWHERE
                continue
            now = PlaceCount(old.blocks + blocks, old.constant + constant)
            self.places[place] = now if now.blocks < _PLACE_BLOCKS else PlaceCount(now.blocks // 2, now.constant // 2)


def _kept_sizes(page: PagePrint, kept: Kept) -> dict[int, int]:
    """Return the sizes of the kept blocks, in characters."""
    return {block: size for block, size, keep in zip(page.blocks, page.sizes, kept, strict=True) if keep and block}


def with_evidence(keep: Bools, probabilities: Floats, evidence: Floats, page: PagePrint) -> Bools:
    """Return which of the kept blocks stay main content; all arrays are (blocks,), the length of ``page``.

    A block stays if its log-odds plus evidence are not below those of the least probable kept block. Expected F1 is not
    maximized again: with some blocks excluded, the threshold for all others would rise. A block that introduces text
    unique to the page stays too, such as a label above it. A heading stays if the block below it stays: the same
    headings ("Description") precede content on many pages.
    """
    if not keep.any() or not evidence.any():
        return keep
    odds = log_odds_of(probabilities, _EPSILON)
    own = evidence == 0
    exempt = own | _introduces(keep & own, np.asarray(page.sizes))
    stays: Bools = keep & (exempt | (odds + evidence >= odds[keep].min()))
    return _with_headings(stays, keep, page)


def without_shared(evidence: Floats, page: PagePrint) -> Bools:
    """Return which blocks are not shared, (blocks,), for use without a labeler.

    A heading is kept if the block below it is kept.
    """
    own = evidence == 0
    return _with_headings(own, np.ones(len(page), np.bool_), page)


def _with_headings(stays: Bools, keep: Bools, page: PagePrint) -> Bools:
    """Add the kept headings directly above blocks that stay."""
    result: Bools = stays.copy()
    for i in range(len(keep) - 2, -1, -1):
        if page.headings[i] and keep[i] and result[i + 1]:
            result[i] = True
    return result


def _introduces(own: Bools, sizes: Ints) -> Bools:
    """Return which blocks precede a block of ``own`` and are no longer than it or than one of ``own`` just before.

    All arrays are (blocks,). Blocks that only follow the page's own text, such as notices, are not included.
    """
    around = np.pad(np.where(own, sizes, 0), 1)
    before, after = around[:-2], around[2:]
    result: Bools = (after > 0) & (np.maximum(before, after) >= sizes)
    return result


class SiteTemplates:
    """A least-recently-used cache of site templates.

    ``size`` is the maximum number of blocks per site, ``sites`` that of sites; memory is at most about ``500 * size *
    sites`` bytes. ``stats`` counts pages ("pages"), duplicates ("duplicates"), shared blocks ("shared"), blocks
    relabeled as boilerplate ("removed"), and evicted sites ("forgotten"). The same pages in the same order always give
    the same templates. Not thread-safe. Raises ValueError for an invalid ``size``, ``sites`` or ``by``.
    """

    def __init__(self, size: int = SIZE, sites: int = SITES, by: SiteKind = "host") -> None:
        if sites < 1:
            raise ValueError(f"the number of sites is {sites!r}; it has to be at least 1")
        if by not in SITE_KINDS:
            raise ValueError(f"a site is {by!r}; it has to be one of {', '.join(SITE_KINDS)}")
        SiteTemplate(size)  # raises ValueError for an invalid size
        self._size = size
        self._max_sites = sites
        self._by = by
        self._sites: OrderedDict[str, SiteTemplate] = OrderedDict()  # the most recently used last
        self.stats: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._sites)

    def __iter__(self) -> Iterator[SiteTemplate]:
        return iter(self._sites.values())

    def of(self, url: str | None) -> SiteTemplate | None:
        """Return the template of a page's site, an empty one at first; None for a page without a URL."""
        site = site_of(url, self._by)
        if not site:
            return None
        template = self._sites.get(site)
        if template is None:
            template = self._sites[site] = SiteTemplate(self._size)
            self._evict()
        self._sites.move_to_end(site)
        return template

    def revised(self, url: str | None, blocks: Sequence[TextBlock], keep: Bools, probabilities: Floats) -> Bools:
        """Return which blocks of a page are main content, (blocks,), given its site's earlier pages; learn the page.

        ``keep`` and ``probabilities``, both (blocks,), are those of the labeler. The page is learned with ``keep``.
        """
        template = self.of(url)
        if template is None:
            return keep
        page = page_print(blocks)
        evidence = template.evidence(page)
        stays = with_evidence(keep, probabilities, evidence, page)
        self.stats["pages" if template.learn(page, keep) else "duplicates"] += 1
        self.stats["shared"] += int(np.count_nonzero(evidence))
        self.stats["removed"] += int(np.count_nonzero(keep & ~stays))
        return stays

    def save(self, path: str | Path) -> None:
        """Write all templates to a file (NumPy arrays, no pickle), which is replaced atomically. Raises OSError."""
        path = Path(path)
        templates = list(self._sites.values())
        arrays = {
            "version": np.array([_VERSION], "<u4"),
            "names": np.frombuffer("\n".join(self._sites).encode(errors="surrogatepass"), np.uint8),
            "sites": np.array(
                [(t.pages, t.duplicates, len(t.blocks), len(t.places), len(t.lengths)) for t in templates], _SITES
            ),
            "blocks": np.array([(key, *seen) for t in templates for key, seen in t.blocks.items()], _BLOCKS),
            "places": np.array([(key, *place) for t in templates for key, place in t.places.items()], _PLACES),
            "lengths": np.array([pair for t in templates for pair in t.lengths.items()], _LENGTHS),
        }
        with replacing_file(path) as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]  # NumPy's stub confuses them with allow_pickle

    def load(self, path: str | Path) -> None:
        """Load saved templates. Raises ValueError or OSError, and changes nothing, if the file cannot be read."""
        try:
            with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as saved:
                arrays = {name: saved[name] for name in saved.files}
            templates = self._templates(arrays)
        except _DAMAGES as error:
            raise ValueError(f"{path} holds no site templates: {error!r}") from error
        self._sites = templates
        self._evict()

    def _templates(self, arrays: dict[str, Any]) -> OrderedDict[str, SiteTemplate]:
        if arrays["version"].tolist() != [_VERSION]:
            raise ValueError(f"these site templates are of version {arrays['version'].tolist()}, not {_VERSION}")
        names = arrays["names"].tobytes().decode(errors="surrogatepass").split("\n")
        rows = {"blocks": arrays["blocks"], "places": arrays["places"], "lengths": arrays["lengths"]}
        for name, dtype in (("blocks", _BLOCKS), ("places", _PLACES), ("lengths", _LENGTHS)):
            if rows[name].dtype != dtype or int(arrays["sites"][name].sum()) != len(rows[name]):
                raise ValueError(f"the array {name} has the wrong type or length")
        templates: OrderedDict[str, SiteTemplate] = OrderedDict()
        at = dict.fromkeys(rows, 0)
        for site, counts in zip(names, arrays["sites"], strict=len(arrays["sites"]) > 0):
            own = {name: rows[name][at[name] : at[name] + int(counts[name])].tolist() for name in rows}
            at = {name: at[name] + int(counts[name]) for name in rows}
            template = templates[site] = SiteTemplate(self._size)
            template.pages, template.duplicates = int(counts["pages"]), int(counts["duplicates"])
            template.blocks.update((key, Seen(pages, last)) for key, pages, last in own["blocks"])
            template.places.update((key, PlaceCount(blocks, constant)) for key, blocks, constant in own["places"])
            template.lengths.update(own["lengths"])
            template.forget()
        return templates

    def _evict(self) -> None:
        while len(self._sites) > self._max_sites:
            self._sites.popitem(last=False)
            self.stats["forgotten"] += 1


def site_of(url: str | None, by: SiteKind = "host") -> str:
    """Return the site of a URL, "" if it has no host.

    For ``https://www.forum.example.com/a``, this is ``forum.example.com`` by "host" and ``example.com`` by "domain".
    """
    host = address_of(url).hostname
    return domain_of(host) if by == "domain" else without_www(host)
