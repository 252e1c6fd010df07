"""Threads over several pages: finding the next page, and merging the pages of a thread. Independent of Scrapy."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from scrapy_semtext.dom import tree
from scrapy_semtext.page import QAPair
from scrapy_semtext.qa.page_number import without_page_number
from scrapy_semtext.text.folding import letters_of
from scrapy_semtext.utils.address import resolved, without_fragment

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from lxml import etree

    from scrapy_semtext.page import Chunk, Page

_TITLE_LINE = re.compile(r"\A# .*\n*")
_LOOK = 200  # number of letters and digits of two texts that are compared


def canonical_url(html: etree._Element | str, url: str) -> str:
    """Return the URL from ``<link rel="canonical">`` of a page, without fragment, or the page's URL if there is none.

    ``html`` is the page's HTML or its tree, ``url`` the URL it was fetched from.
    """
    return _linked(html, url, ("canonical",), ("link",)) or without_fragment(url)


def stated_next(html: etree._Element | str, url: str) -> str | None:
    """Return the URL of the next page from ``<link rel="next">`` or ``<a rel="next">``; None without either."""
    return _other(_linked(html, url, ("next",), ("link", "a")), url)


def previous_url(html: etree._Element | str, url: str) -> str | None:
    """Return the URL of the previous page from the corresponding elements; None on the first page."""
    return _other(_linked(html, url, ("prev", "previous"), ("link", "a")), url)


def _other(found: str | None, url: str) -> str | None:
    """Return a URL, or None if it is that of the page."""
    return None if found == without_fragment(url) else found


def merge_pages(pages: Sequence[Page]) -> Page:
    """Merge the pages of one thread, in order; values that describe a page as a whole are those of the first.

    Texts, blocks, sections, segments, chunks, comments and Markdown are concatenated; for the pairs see `merge_pairs`.
    Raises ValueError without pages.
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
        comments=[comment for page in pages for comment in page.comments],
        chunks=_merge_chunks(pages),
        markdown=_merge_markdown(pages),
    )


def _merge_chunks(pages: Sequence[Page]) -> list[Chunk]:
    """Return the chunks of all pages, with their offsets adjusted to the joined main text."""
    merged: list[Chunk] = []
    begin = 0
    for page in pages:
        for chunk in page.chunks:
            merged.append(replace(chunk, position=len(merged), start=chunk.start + begin, end=chunk.end + begin))
        begin += len(page.main_text) + bool(page.main_text)  # the line break between two texts
    return merged


def _merge_markdown(pages: Sequence[Page]) -> str | None:
    """Return the Markdown of all pages, with the title only once."""
    texts = [page.markdown for page in pages if page.markdown]
    if len(texts) < 2:
        return texts[0] if texts else pages[0].markdown
    parts = [texts[0].strip(), *(_TITLE_LINE.sub("", text).strip() for text in texts[1:])]
    return "\n\n".join(filter(None, parts)) + "\n"


def merge_pairs(pages: Sequence[Sequence[QAPair]]) -> list[QAPair]:
    """Merge the pairs of a thread from the pairs of each of its pages, in order.

    Later pages do not show the question: all their posts are answers. If the first post of a later page was taken for
    the body of the question, it becomes an answer again. All pairs get the question of the first page. If a later page
    repeats the question or an answer (such as the accepted one), the repetition is dropped. Pages with several
    questions, such as those of an FAQ, keep their questions. ``answer_to`` is renumbered for the result.
    """
    opening = _only_question(next((page for page in pages if page), []))
    merged: list[QAPair] = []
    known: dict[Hashable, int] = {}  # the position in the result of each answer of the previous pages
    for page in pages:
        shown: dict[Hashable, int] = {}
        positions: list[int | None] = []  # the positions of this page's answers; None for the opening post
        asked = _asked(page, opening)
        for pair in asked:
            key = (_letters(pair.question), _letters(pair.answer), pair.author, pair.date)
            if key in known:
                positions.append(known[key])
            elif opening is not None and _is_same(pair.answer, opening.question_body):
                positions.append(None)
            else:
                merged.append(_placed(pair, asked, positions, merged))
                shown[key] = len(merged)
                positions.append(len(merged))
        known |= shown
    return merged


def _placed(pair: QAPair, page: Sequence[QAPair], positions: Sequence[int | None], merged: Sequence[QAPair]) -> QAPair:
    """Return a pair of a page with ``answer_to`` and ``depth`` adjusted to the result.

    ``positions`` are the positions of the page's earlier pairs.
    """
    if pair.answer_to is None:
        return pair
    if not 1 <= pair.answer_to <= len(positions):
        return replace(pair, answer_to=None)
    answer_to = positions[pair.answer_to - 1]
    depth = 0 if answer_to is None else merged[answer_to - 1].depth
    return replace(pair, answer_to=answer_to, depth=depth + pair.depth - page[pair.answer_to - 1].depth)


def _only_question(page: Sequence[QAPair]) -> QAPair | None:
    """Return a pair with the question of a page, if all its pairs share one question."""
    return page[0] if len({pair.question for pair in page}) == 1 else None


def _asked(page: Sequence[QAPair], opening: QAPair | None) -> Sequence[QAPair]:
    """Return a page's pairs as answers to the thread's question, unless they have other questions."""
    own = _only_question(page)
    if opening is None or own is None or (own.question_body and not _have_same_title(own, opening)):
        return page
    if own.question_body and not _is_same(own.question_body, opening.question_body):
        page = [_as_answer(own), *(replace(pair, answer_to=pair.answer_to and pair.answer_to + 1) for pair in page)]
    return [pair.asked_as(opening) for pair in page]


def _as_answer(pair: QAPair) -> QAPair:
    return QAPair(
        question=pair.question,
        answer=pair.question_body or "",
        author=pair.question_author,
        date=pair.question_date,
        source=pair.source,
        score=pair.score,
    )


def _have_same_title(one: QAPair, other: QAPair) -> bool:
    """Return whether two questions have the same title, ignoring the page number."""
    first, second = (_letters(without_page_number(pair.question_title or "")) for pair in (one, other))
    return first == second


def _is_same(text: str, opening: str | None) -> bool:
    """Return whether a text is that of the opening post, ignoring its end, which may have been cleaned differently."""
    one, other = _letters(text), _letters(opening or "")
    return bool(other) and one[:_LOOK] == other[:_LOOK]


def _letters(text: str) -> str:
    """Return the letters and digits of a text, which comparisons use, or the text itself if it has none."""
    return letters_of(text) or text


def _linked(html: etree._Element | str, url: str, relations: Sequence[str], tags: Sequence[str]) -> str | None:
    """Return the absolute URL of the first element with one of the relations that links to a web page.

    Earlier relations take precedence, and within a relation earlier tags.
    """
    root = tree.parse(html, url) if isinstance(html, str) else html
    base = tree.base_url(root, url) or url
    for relation, tag in product(relations, tags):
        for element in root.iter(tag):
            href = (element.get("href") or "").strip()
            if href and relation in (element.get("rel") or "").lower().split():
                address = without_fragment(resolved(href, base) or "")
                if address.startswith(("http://", "https://")):
                    return address
    return None
