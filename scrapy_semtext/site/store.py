"""The templates of all sites of a crawl, in bounded memory; they can be saved between runs."""

from __future__ import annotations

from collections import Counter, OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from scrapy_semtext.site.bounds import SITE_KINDS, SITES, SIZE, SiteKind
from scrapy_semtext.site.template import PlaceCount, Seen, SiteTemplate, page_print, with_evidence
from scrapy_semtext.utils.address import address_of, domain_of, without_www
from scrapy_semtext.utils.replacing import replacing_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.utils.arrays import Bools, Floats

#: The first number in a saved file; files of other versions are not read.
_VERSION = 1

#: Errors from reading a damaged file, besides ValueError and OSError; zipfile raises RuntimeError for unsupported
#: files.
_DAMAGES = (AttributeError, BadZipFile, EOFError, LookupError, MemoryError, RuntimeError, TypeError, UnicodeDecodeError)

_BLOCKS = np.dtype([("print", "<u8"), ("pages", "<u4"), ("last", "<u4")])
_PLACES = np.dtype([("print", "<u8"), ("blocks", "<u4"), ("constant", "<u4")])
_LENGTHS = np.dtype([("page", "<u4"), ("characters", "<u8")])
_SITES = np.dtype([("pages", "<u4"), ("duplicates", "<u4"), ("blocks", "<u4"), ("places", "<u4"), ("lengths", "<u4")])


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
