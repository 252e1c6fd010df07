"""What a crawl found, and what it spent, from the access log of the site and the items that came out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urlsplit

from research.pair_scoring import pair_prf
from scrapy_semtext.page import QAPair
from scrapy_semtext.train.corpus import prf, word_prf
from scrapy_semtext.train.posts import TruePair
from scrapy_semtext.words.characters import lower_tokens as words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from research.site_crawls.recording import Hit, KnownItem

_SAME = 0.8  # word F1 from which an item under another address is a known one
_FREE = "/robots.txt"  # has to be asked for


@dataclass(frozen=True)
class CrawlScore:
    """The figures of a crawl.

    ``found`` is the share of content pages that were fetched or came out under another address, ``wasted`` the share of
    requests that were neither for content nor for one of the needed lists (as many lists as are needed are free).
    ``twice`` counts requests for an address that was fetched before, ``items_twice`` items of content that had come out
    before (a later page of a thread is none), ``others`` items that are no known content. ``words`` and ``pairs`` are
    mean F1 of the content found; an item that did not come out has 0, and other items with pairs have 0 in ``pairs``.
    """

    pages: int
    lists: int
    requests: int
    found: float
    wasted: float
    words: float
    pairs: float
    items: int
    others: int
    twice: int
    items_twice: int


def score(
    known: Sequence[KnownItem], lists: Collection[str], hits: Sequence[Hit], items: Iterable[dict[str, Any]]
) -> CrawlScore:
    """Score a crawl; ``lists`` are the paths of the lists that a perfect crawler needs."""
    hits = [hit for hit in hits if hit.path != _FREE]
    fetched = {hit.path for hit in hits if hit.status == 200}
    matched, others = match(known, items)
    content = {path for item in known for path in item.pages}
    pages_out = {known[number].pages[0] for number in matched}
    found = (content & fetched) | (pages_out & content)
    useful = len(found) + min(len(lists), len(fetched - content))
    texts, pairs = _quality(known, matched, fetched)
    pairs += [0.0 for item in others if item.get("qa_pairs")]
    return CrawlScore(
        pages=len(content),
        lists=len(lists),
        requests=len(hits),
        found=len(found) / len(content),
        wasted=max(0.0, 1 - useful / len(hits)) if hits else 0.0,
        words=sum(texts) / len(texts) if texts else 0.0,
        pairs=sum(pairs) / len(pairs) if pairs else 1.0,
        items=sum(map(len, matched.values())) + len(others),
        others=len(others),
        twice=sum(count - 1 for count in Counter(hit.path for hit in hits).values()),
        items_twice=sum(_repeated(known[number], out) for number, out in matched.items()),
    )


def _quality(
    known: Sequence[KnownItem], matched: dict[int, list[dict[str, Any]]], fetched: Collection[str]
) -> tuple[list[float], list[float]]:
    """Word F1 and pair F1 of each known item whose first page was fetched, or which came out.

    Where a crawl gives an item a page, the pages of a thread are taken together.
    """
    texts, pairs = [], []
    for number, item in enumerate(known):
        if number not in matched and item.pages[0] not in fetched:
            continue
        out = matched.get(number, [])
        text = "\n".join(each.get("main_text") or "" for each in out)
        texts.append(word_prf(text, item.main_text).f1)
        found = [QAPair(pair["question"], pair["answer"]) for each in out for pair in each.get("qa_pairs") or []]
        pairs.append(pair_prf(found, [TruePair(tuple(pair.questions), pair.answer) for pair in item.pairs]).f1)
    return texts, pairs


def _repeated(item: KnownItem, out: Sequence[dict[str, Any]]) -> int:
    """How many of the items are neither the first nor another page of the thread."""
    pages = {path_of(each["url"]) for each in out} & set(item.pages)
    return len(out) - max(1, len(pages))


def match(
    known: Sequence[KnownItem], items: Iterable[dict[str, Any]]
) -> tuple[dict[int, list[dict[str, Any]]], list[dict[str, Any]]]:
    """The items of each known item by its number, and the rest: by address, then by text."""
    by_path = {path: number for number, item in enumerate(known) for path in item.pages}
    matched: dict[int, list[dict[str, Any]]] = {}
    others = []
    bags = [Counter(words(item.main_text)) for item in known]
    for item in items:
        number = by_path.get(path_of(urldefrag(item["url"]).url))
        if number is None:
            number = _like(bags, item.get("main_text") or "")
        if number is None:
            others.append(item)
        else:
            matched.setdefault(number, []).append(item)
    return matched, others


def _like(known: Sequence[Counter[str]], text: str) -> int | None:
    """The known bag of words that is most like a text, None if there is none as like as _SAME."""
    bag = Counter(words(text))
    size = bag.total()
    like = [
        (prf((bag & each).total(), size, each.total()).f1, number)
        for number, each in enumerate(known)
        if 2 * min(size, each.total()) >= _SAME * (size + each.total())  # or the F1 cannot be as high
    ]
    close, number = max(like, default=(0.0, 0))
    return number if close >= _SAME else None


def path_of(url: str) -> str:
    """The path of an address with its query."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
