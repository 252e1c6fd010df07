"""How often a crawler takes a list for an item, or an item for a list, on single pages whose type is known.

``python -m research.site_crawls.outcome_check SET.jsonl.xz...``. Page sets say of each page what it is; listings and
collections are lists, all else items. Kinds are told by a model fitted without the half of the sites that a page is of.
The other models are those that ship, which know many of the pages. Rules are tuned on one third of the sites alone,
and those of the other two thirds show how good they are.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from scrapy_semtext.crawling.addresses import pattern_of
from scrapy_semtext.crawling.links import PageLink, page_links
from scrapy_semtext.crawling.outcomes import outcome_of_page
from scrapy_semtext.crawling.patterns import HostPatterns
from scrapy_semtext.dom.tree import parse
from scrapy_semtext.extractor import Extractor
from scrapy_semtext.options import Options, Source
from scrapy_semtext.training.datasets import fold, read_measured
from scrapy_semtext.training.kind_fit import fit_kinds, kind_examples

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_semtext.page import Page
    from scrapy_semtext.training.datasets import AnnotatedPage

_HALVES, _THIRDS = 2, 3
_SEED_OF_HALVES, _SEED_OF_THIRDS = 11, 12
_BATCH = 16
_LISTS = ("collection", "listing")
_NO_ADDRESS = "http://site.test/page"


@dataclass(frozen=True)
class ReadPage:
    """A page with its true type, as a crawler reads it; ``is_tuned``: whether rules may be tuned on its site."""

    type: str
    domain: str
    page: Page
    links: list[PageLink]
    is_tuned: bool

    @property
    def outcome(self) -> str:
        """What it is taken for while nothing is known of its host."""
        pattern = pattern_of(self.page.url or _NO_ADDRESS)
        return outcome_of_page(self.page, self.links, HostPatterns(), pattern)


def read_halves(pages: Sequence[AnnotatedPage], most: int | None = None) -> Iterator[ReadPage]:
    """Read pages of each half of the sites, ``most`` of each type, with a model of kinds fitted to the other half."""
    chosen = {page.id for page in _sample(pages, most)}
    for half in range(_HALVES):
        own = [page for page in pages if page.id in chosen and fold(page.domain, _SEED_OF_HALVES, _HALVES) == half]
        others = [page for page in pages if fold(page.domain, _SEED_OF_HALVES, _HALVES) != half]
        extractor = Extractor.load(options=Options(records=True, sections=False))
        posts = replace(extractor.pair_models.posts, kinds=fit_kinds(kind_examples(others, progress=True)))
        extractor.pair_models = replace(extractor.pair_models, posts=posts)
        yield from _read(own, extractor)


def _sample(pages: Sequence[AnnotatedPage], most: int | None) -> Iterator[AnnotatedPage]:
    """Yield pages in an order that is by chance and always the same, no more than ``most`` of each type."""
    counts: Counter[str | None] = Counter()
    for page in sorted(pages, key=lambda each: (fold(each.id, _SEED_OF_THIRDS, 10**9), each.id)):
        counts[page.page_type] += 1
        if most is None or counts[page.page_type] <= most:
            yield page


def _read(pages: Sequence[AnnotatedPage], extractor: Extractor) -> Iterator[ReadPage]:
    for start in tqdm(range(0, len(pages), _BATCH), desc="reading pages", unit=" batches"):
        batch = pages[start : start + _BATCH]
        sources = [Source(page.html, page.url or _NO_ADDRESS) for page in batch]
        for known, read in zip(batch, extractor.read_many(sources), strict=True):
            if isinstance(read, Exception):
                sys.stderr.write(f"{known.id}: {read}\n")
                continue
            links = page_links(parse(known.html, read.url), read)
            is_tuned = fold(known.domain, _SEED_OF_THIRDS, _THIRDS) == 0
            yield ReadPage(known.page_type or "", known.domain, read, links, is_tuned)


def table(pages: Iterable[ReadPage]) -> str:
    """The share of pages of each type that are taken for an item, a list and nothing, as Markdown."""
    counts: dict[tuple[bool, str], Counter[str]] = defaultdict(Counter)
    for each in pages:
        counts[each.is_tuned, each.type][each.outcome] += 1
        counts[each.is_tuned, "all lists" if each.type in _LISTS else "all items"][each.outcome] += 1
    lines = ["| sites | type | pages | item | list | nothing |", "|---|---|--:|--:|--:|--:|"]
    for (is_tuned, kind), found in sorted(counts.items(), key=lambda each: (not each[0][0], each[0][1])):
        shares = (f"{found[outcome] / found.total():.3f}" for outcome in ("item", "list", "nothing"))
        lines.append(f"| {'tuned on' if is_tuned else 'others'} | {kind} | {found.total()} | {' | '.join(shares)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Print the table of the page sets that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET", help="page sets with types of pages")
    parser.add_argument("--most", type=int, metavar="N", help="pages of each type that are read; all by default")
    arguments = parser.parse_args()
    pages = [page for page in read_measured(arguments.sets) if page.page_type]
    sys.stdout.write(table(read_halves(pages, arguments.most)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
