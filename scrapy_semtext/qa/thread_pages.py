"""Threads over several pages: where the next page is, and the pages of a thread as one. No Scrapy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from scrapy_semtext.dom import tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lxml import etree

    from scrapy_semtext.page import Page, QAPair


def canonical_url(html: etree._Element | str, url: str) -> str:
    """Return the address that a page gives itself by ``<link rel="canonical">``, without fragment; its URL if none.

    ``html`` is the page's HTML or its tree, ``url`` the address it was fetched from.
    """
    return _linked(html, url, "link", "canonical") or _without_fragment(url)


def next_url(html: etree._Element | str, url: str) -> str | None:
    """Return the address of the next page, from ``<link rel="next">`` or ``<a rel="next">``; None on the last one."""
    return _related(html, url, "next")


def previous_url(html: etree._Element | str, url: str) -> str | None:
    """Return the address of the page before, likewise; None on the first one."""
    return _related(html, url, "prev") or _related(html, url, "previous")


def merge_pages(pages: Sequence[Page]) -> Page:
    """Return the pages of one thread, in order, as one: what is of the whole page is that of the first.

    Texts, blocks, sections and segments follow each other; for the pairs see merge_pairs. Raises ValueError without
    pages.
    """
    if not pages:
        raise ValueError("there are no pages to merge")
    return replace(
        pages[0],
        main_text="\n".join(page.main_text for page in pages if page.main_text),
        blocks=[block for page in pages for block in page.blocks],
        qa_pairs=merge_pairs([page.qa_pairs for page in pages]),
        sections=[section for page in pages for section in page.sections],
        segments=[segment for page in pages for segment in page.segments],
    )


def merge_pairs(pages: Sequence[Sequence[QAPair]]) -> list[QAPair]:
    """Return the pairs of a thread from those of each of its pages, in order.

    Later pages do not show the question's text: all their posts are answers to a question that is a title only. They
    get the question of the first page. Where a later page shows the question again, or an answer again (as the one that
    was accepted), it is left out. Pages with several questions, such as those of an FAQ, keep their own.
    """
    opening = _only_question(next((page for page in pages if page), []))
    return list(_unique((pair for page in pages for pair in _asked(page, opening)), opening))


def _only_question(page: Sequence[QAPair]) -> QAPair | None:
    """Return a pair with the question of a page, if all its pairs have the same."""
    return page[0] if len({pair.question for pair in page}) == 1 else None


def _asked(page: Sequence[QAPair], opening: QAPair | None) -> Sequence[QAPair]:
    """Return a page's answers as those to the thread's question, unless they answer others."""
    own = _only_question(page)
    if opening is None or own is None or (own.question_body and own.question_title != opening.question_title):
        return page
    asked = {name: getattr(opening, name) for name in ("question", "question_title", "question_body")}
    return [replace(pair, **asked) for pair in page]


def _unique(pairs: Iterable[QAPair], opening: QAPair | None) -> Iterator[QAPair]:
    asked = None if opening is None else _letters(opening.question_body or "")
    seen = set()
    for pair in pairs:
        key = (_letters(pair.question), _letters(pair.answer), pair.author)
        if key not in seen and not (asked and key[1] == asked):
            seen.add(key)
            yield pair


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _related(html: etree._Element | str, url: str, relation: str) -> str | None:
    root = tree.parse(html, url) if isinstance(html, str) else html
    found = _linked(root, url, "link", relation) or _linked(root, url, "a", relation)
    return None if found == _without_fragment(url) else found


def _linked(html: etree._Element | str, url: str, tag: str, relation: str) -> str | None:
    """Return the absolute address of the first element with this relation that leads to a web page."""
    root = tree.parse(html, url) if isinstance(html, str) else html
    base = None
    for element in root.iter(tag):
        rel = element.get("rel")
        if rel and relation in rel.lower().split() and (href := (element.get("href") or "").strip()):
            base = base or tree.base_url(root, url) or url
            try:
                address = _without_fragment(urljoin(base, href))
            except ValueError:  # such as an unclosed [ of an IPv6 address
                continue
            if address.startswith(("http://", "https://")):
                return address
    return None


def _without_fragment(url: str) -> str:
    return url.partition("#")[0]
