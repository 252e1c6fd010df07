"""The real pages that lie in ``site/``; where they come from is in ``site/ATTRIBUTION.md``."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

SITE = Path(__file__).parent.parent / "site"


@dataclass(frozen=True, slots=True)
class BundledPage:
    """A page and what is known of it; ``side`` is that of its domain in the split that training uses."""

    name: str
    kind: str
    title: str
    url: str
    dataset: str
    id: str
    side: str
    licence: str

    @property
    def path(self) -> str:
        """Where the page is on the bundled site."""
        return f"/pages/{self.name}.html"

    def packed(self) -> bytes:
        """Return the page's HTML in UTF-8, compressed by gzip."""
        return (SITE / "pages" / f"{self.name}.html.gz").read_bytes()

    def html(self) -> str:
        """Return the page's HTML."""
        return gzip.decompress(self.packed()).decode()


@lru_cache(maxsize=1)
def bundled_pages() -> dict[str, BundledPage]:
    """Return the pages by their path on the site, in the order of the index."""
    rows = json.loads((SITE / "pages.json").read_text(encoding="utf-8"))
    return {page.path: page for page in (BundledPage(**row) for row in rows)}


def page_at(url: str) -> BundledPage | None:
    """Return the bundled page at an address of the site; None for the site's other answers."""
    return bundled_pages().get(urlsplit(url).path)


def true_texts() -> dict[str, str]:
    """Return the true main text of each page, by its path."""
    with gzip.open(SITE / "truth.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return {f"/pages/{row['name']}.html": row["text"] for row in rows}
