"""What a crawl harvested, counted while it is written."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag

from scrapy_semtext.utils.address import host_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator


@dataclass(slots=True)
class Harvested:
    """Counts of items and their pairs: by host, and items by kind of page. ``rows`` is the number of rows of OUT."""

    items: Counter[str] = field(default_factory=Counter)
    pairs: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    rows: int = 0

    def counted(self, items: Iterable[dict[str, Any]], earlier: Collection[str] | None) -> Iterator[dict[str, Any]]:
        """Yield items but those with an address of ``earlier``, and count them."""
        for item in items:
            if earlier and urldefrag(item["url"]).url in earlier:
                continue
            host = host_of(item["url"])
            self.items[host] += 1
            self.pairs[host] += len(item.get("qa_pairs") or ())
            self.kinds[item.get("page_kind") or "unknown"] += 1
            yield item
