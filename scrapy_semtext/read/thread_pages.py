"""Threads of several pages (the number of each page, the next page, merging), and those that are articles."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from dataclasses import replace
from itertools import islice, product
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_semtext.page import Comment, QAPair
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.tags import HEADING_LEVELS
from scrapy_semtext.utils.address import address_of, query_of, resolved, without_fragment
from scrapy_semtext.words.characters import letters_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from lxml import etree

    from scrapy_semtext.page import Chunk, Page


# Patterns of page numbers in URLs, each with the highest number that the first page may have.
_URL_PATTERNS = (
    (
        re.compile(
            r"[?&;](?:page(?:d|no|num(?:ber)?)?|pg|seite|sivu)=(\d+)|/(?:page|seite|sivu)[-/]?(\d+)(?=[/?#.]|$)"
            r"|[-_](?:page|seite|sivu)[-_]?(\d+)",
            re.IGNORECASE,
        ),
        1,
    ),
    (re.compile(r"[?&;](?:start|offset|st|skip)=(\d+)", re.IGNORECASE), 0),
)
_DIGITS = re.compile(r"\d+")
_ENDING = re.compile(r"\.[a-z]{2,5}$")
# The text that the URLs of later pages add to the URL of the first page, possibly before a file extension.
_ADDED = re.compile(r"[/?&;_.-]?(?:[a-z]{1,8}[-_=/]?)?\d{1,6}/?", re.IGNORECASE)
# The number of digits that are read for comparisons; a URL may have thousands.
_MAX_DIGITS = 9
_MIN_BEGINNING = 20  # minimum number of letters of a line that begins an answer, if it is not all of it
_MAX_STATED_CHARS = 60  # maximum length in characters of a text that states the page number
_OF = r"(?:of|out of|von|sur|de|di|van|av|из|/|／|z)"
_PAGE = r"(?:page|pg\.?|seite|página|pagina|strona|sida|sivu|страница|стр\.?)"
# At the end of a title: "- Page 3", "(page 3 of 12)".
_IN_TITLE = re.compile(
    rf"(?<![\s|,(·–—-])[\s|,(·–—-]+{_PAGE} ?(\d{{1,5}})(?: {_OF} \d+)?\)?(?=$|\s*[|·–—-])", re.IGNORECASE
)
_STATED = re.compile(rf"\W*{_PAGE} *:? *(\d{{1,5}}) *{_OF} *(\d{{1,5}})(?!\d).*", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w#.,:/-])\d{1,5}(?![\w.,:/-])")
_CURRENT = re.compile(r"(?:^|[\s_-])(?:current|active|selected|on|this|cur)(?:$|[\s_-])|(?:current|selected)[-_]?page")
_MAX_PAGER_LEVELS = 3  # ancestors of a link to another page that may be its pager
_MAX_PAGER_CHARS, _MAX_PAGER_ELEMENTS = 400, 200  # maximum number of characters and of elements in a pager
# Words, and how many of them may be beside the number of the current page, as "Go to page 1".
_LETTERS, _MAX_LABEL_WORDS = re.compile(r"[^\W\d_]+"), 3

_TITLE_LINE = re.compile(r"\A# .*\n*")
_COMPARED_LETTERS = 200  # number of letters and digits of two texts that are compared


class PageNumber(NamedTuple):
    """Evidence of the page's number within a thread; numbers are None if there is no evidence.

    ``address``: whether the URL is that of a later page; ``stated``: the number in "Page 3 of 12" or at the end of the
    title; ``current``: the entry of a pager that is not a link; ``previous``: whether a previous page is linked as such
    with a URL that differs only by page number, or with any URL; ``following``: whether a next page is linked as such.
    """

    address: bool
    stated: int | None
    current: int | None
    previous_page: bool
    previous: bool
    following: bool

    @property
    def is_later(self) -> bool:
        """Whether this is not the first page."""
        known = [number for number in (self.stated, self.current) if number is not None]
        return self.address or self.previous_page or (bool(known) and min(known) > 1)


def page_number_of(root: Any, url: str | None, texts: Sequence[str]) -> PageNumber:
    """Collect the evidence for the number of a page; ``texts`` are its blocks' texts. Time is linear in the page."""
    rels: dict[str, str] = {}
    for link in root.iter("a", "link"):
        for relation in link.get("rel", "").lower().split():
            rels.setdefault(relation, link.get("href", ""))
    previous = rels.get("prev") or rels.get("previous")
    return PageNumber(
        is_url_of_later_page(url),
        _stated_number(root, texts),
        current_page(root.iter("a")),
        bool(previous and url and same_but_for_page(previous, url)),
        bool(previous),
        bool(rels.get("next")),
    )


def is_url_of_later_page(url: str | None) -> bool:
    """Return whether a URL contains the number of a later page, or of a post after the first."""
    return any(
        int(next(filter(None, match.groups()))[:_MAX_DIGITS]) > highest
        for pattern, highest in _URL_PATTERNS
        for match in pattern.finditer(url or "")
    )


def number_in_address(url: str) -> int | None:
    """Return the number of a page, or of its first post, in a URL; None if there is none."""
    for pattern, _ in _URL_PATTERNS:
        if (match := pattern.search(url)) is not None:
            return int(next(filter(None, match.groups()))[:_MAX_DIGITS])
    return None


def without_page_in_address(url: str) -> str:
    """Return a URL without the page number."""
    for pattern, _ in _URL_PATTERNS:
        url = pattern.sub("", url, count=1)
    return url


def without_page_number(title: str) -> str:
    """Return a title without the page number at its end."""
    return _IN_TITLE.sub("", title)


def same_but_for_page(url: str, base: str) -> bool:
    """Return whether a URL and its base are equal without page number, scheme, fragment and final slash.

    A "prev" link may also lead to the previous thread instead of the previous page.
    """
    absolute = resolved(url, base)
    return absolute is not None and _without_page(absolute) == _without_page(base)


def is_page_of(url: str, other: str) -> bool:
    """Return whether ``other`` is another page of the list or thread at a URL, as far as the two URLs show it.

    It adds a number to that URL, or differs from it only in the page number or in numbers behind the first one.
    """
    if same_but_for_page(other, url) or _adds_page(url, other):
        return True
    url, other = url.rstrip("/"), other.rstrip("/")
    stem, other_stem = _ENDING.sub("", url), _ENDING.sub("", other)
    if any(other_stem.startswith(start) and _ADDED.fullmatch(other_stem[len(start) :]) for start in (url, stem)):
        return True
    first, first_of_other = (_DIGITS.search(each.partition("://")[2].partition("/")[2]) for each in (url, other))
    is_equal = first is not None and first_of_other is not None and first[0] == first_of_other[0]
    return is_equal and _DIGITS.sub("#", url) == _DIGITS.sub("#", other)


def _adds_page(url: str, later: str) -> bool:
    """Return whether ``later`` adds a page number, and possibly an order, to the query of ``url``."""
    first, second = address_of(url), address_of(later)
    is_same_path = first.host == second.host and first.path.rstrip("/") == second.path.rstrip("/")
    keeps_query = {*query_of(without_page_in_address(f"?{first.query}").lstrip("?&;"))} <= {*query_of(second.query)}
    return is_same_path and keeps_query and number_in_address(later) is not None


def _without_page(url: str) -> str:
    """Return a URL without page number, scheme, fragment and final slash, for comparisons."""
    for pattern, _ in _URL_PATTERNS:
        url = pattern.sub("", url)
    return without_fragment(url).rstrip("/?&").partition("://")[2]


def _stated_number(root: Any, texts: Sequence[str]) -> int | None:
    """Return the page number at the end of the title or in a text such as "Page 3 of 12"."""
    title = root.find(".//title")
    if title is not None and (found := _IN_TITLE.search(title.text or "")):
        return int(found[1])
    for text in texts:
        if len(text) <= _MAX_STATED_CHARS and (found := _STATED.fullmatch(text)) and int(found[1]) <= int(found[2]):
            return int(found[1])
    return None


def current_page(links: Iterable[Any]) -> int | None:
    """Return the number in a pager that is not a link, or whose element is named as current; None without any."""
    pagers: dict[Any, list[tuple[Any, int]]] = defaultdict(list)
    for link in links:
        if (text := (link.text or "").strip()).isdecimal() and len(text) <= 5 and link.get("href"):
            for around in islice(link.iterancestors(), _MAX_PAGER_LEVELS):
                pagers[around].append((link, int(text)))
    days = {link for pager, entries in pagers.items() if _is_calendar(pager, entries) for link, _ in entries}
    found = (_current_entry(pager, entries) for pager, entries in pagers.items() if entries[0][0] not in days)
    return next((number for number in found if number is not None), None)


def _is_calendar(pager: Any, entries: Sequence[tuple[Any, int]]) -> bool:
    """Return whether a table has three numbers in succession that are not links, as days without posts."""
    if pager.tag not in ("table", "tbody", "tr"):
        return False
    unlinked = {*_unlinked(pager, {link for link, _ in entries})}.difference(number for _, number in entries)
    return any(unlinked.issuperset((number, number + 1, number + 2)) for number in unlinked)


def _current_entry(pager: Any, entries: Sequence[tuple[Any, int]]) -> int | None:
    """Return the number of the current page in one pager, given its links with their numbers."""
    for link, number in entries if len(entries) > 1 else ():
        if link.get("aria-current") or any(
            _CURRENT.search((element.get("class") or "").lower()) for element in (link, link.getparent())
        ):
            return number
    linked = {number for _, number in entries}
    unlinked = _unlinked(pager, {link for link, _ in entries})
    current = {number for number in unlinked if not linked.isdisjoint((number - 1, number + 1))}
    return current.pop() if len(current) == 1 else None


def _unlinked(pager: Any, links: set[Any]) -> Iterator[int]:
    """Yield the numbers in an element's text outside its links; nothing if the element is too large for a pager.

    The number at the end of a title, or in a sentence, is not a page number.
    """
    remaining = _MAX_PAGER_CHARS
    for element in islice(pager.iter(), _MAX_PAGER_ELEMENTS):
        is_other = element in links or element.tag in HEADING_LEVELS or not isinstance(element.tag, str)
        text_inside = "" if is_other else element.text or ""
        text_behind = "" if element is pager else element.tail or ""
        for text in (text_inside, text_behind):
            remaining -= len(text)
            if remaining < 0:
                return
            if len(_LETTERS.findall(text)) <= _MAX_LABEL_WORDS:
                yield from (int(match[0]) for match in _NUMBER.finditer(text))


def canonical_url(html: etree._Element | str, url: str) -> str:
    """Return the URL from ``<link rel="canonical">`` of a page, without fragment, or the page's URL if there is none.

    ``html`` is the page's HTML or its tree, ``url`` the URL it was fetched from.
    """
    return _linked(html, url, ("canonical",), ("link",)) or without_fragment(url)


def previous_url(html: etree._Element | str, url: str) -> str | None:
    """Return the URL of the previous page from the corresponding elements; None on the first page."""
    found = _linked(html, url, ("prev", "previous"), ("link", "a"))
    return None if found == without_fragment(url) else found


def merge_pages(pages: Sequence[Page]) -> Page:
    """Merge the pages of a thread, in order; other values are those of the first. Raises ValueError without pages.

    Texts, blocks, sections, segments, chunks, comments and Markdown are concatenated; for the pairs see `merge_pairs`.
    """
    if not pages:
        raise ValueError("there are no pages to merge")
    names = ("blocks", "sections", "segments", "comments")
    lists: dict[str, Any] = {name: [value for page in pages for value in getattr(page, name)] for name in names}
    return replace(
        pages[0],
        **lists,
        main_text="\n".join(page.main_text for page in pages if page.main_text),
        qa_pairs=merge_pairs([page.qa_pairs for page in pages]),
        chunks=_merge_chunks(pages),
        markdown=_merge_markdown(pages),
    )


def as_article(page: Page) -> Page:
    """Return a page that was read as a thread as an article with comments, its answers. Takes O(n log n) time.

    Text, blocks, chunks and Markdown end where the first comment begins, unless nothing is before it.
    """
    answers = sorted(letters_of(pair.answer) for pair in page.qa_pairs)
    first_lines = {letters_of(pair.answer.partition("\n")[0]) for pair in page.qa_pairs}

    def begins_answer(text: str) -> bool:
        """Return whether a text is the first line of an answer, or its beginning."""
        letters = letters_of(text)
        index = bisect_left(answers, letters)
        is_long = len(letters) >= _MIN_BEGINNING and index < len(answers)
        return bool(letters) and (letters in first_lines or (is_long and answers[index].startswith(letters)))

    def length(texts: Iterable[str]) -> int | None:
        """Return how many texts come before the first answer; None for all, or if it is the first text."""
        return next((number for number, text in enumerate(texts) if begins_answer(text)), None) or None

    lines, markdown = page.main_text.split("\n"), (page.markdown or "").split("\n")
    text = "\n".join(lines[: length(lines)])
    end = length(block.text if block.is_main else "" for block in page.blocks)
    behind = [] if end is None else [replace(block, label="boilerplate") for block in page.blocks[end:]]
    return replace(
        page,
        main_text=text,
        blocks=[*page.blocks[:end], *behind],
        chunks=[chunk for chunk in page.chunks if chunk.end <= len(text)],
        markdown=page.markdown and "\n".join(markdown[: length(markdown)]),
        qa_pairs=[],
        comments=[
            Comment(pair.answer, pair.author, pair.date, None if pair.answer_to is None else pair.answer_to - 1)
            for pair in page.qa_pairs
        ],
        page_kind="article",
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
    known_positions: dict[Hashable, int] = {}  # the position in the result of each answer of the previous pages
    for page in pages:
        new_positions: dict[Hashable, int] = {}
        positions: list[int | None] = []  # the positions of this page's answers; None for the opening post
        answers = _as_answers_to(page, opening)
        for pair in answers:
            key = (_letters(pair.question), _letters(pair.answer), pair.author, pair.date)
            if key in known_positions:
                positions.append(known_positions[key])
            elif opening is not None and _is_same(pair.answer, opening.question_body):
                positions.append(None)
            else:
                merged.append(_moved(pair, answers, positions, merged))
                new_positions[key] = len(merged)
                positions.append(len(merged))
        known_positions |= new_positions
    return merged


def _moved(pair: QAPair, page: Sequence[QAPair], positions: Sequence[int | None], merged: Sequence[QAPair]) -> QAPair:
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


def _as_answers_to(page: Sequence[QAPair], opening: QAPair | None) -> Sequence[QAPair]:
    """Return a page's pairs as answers to the thread's question, unless they have other questions."""
    question = _only_question(page)
    if opening is None or question is None or (question.question_body and not _have_same_title(question, opening)):
        return page
    if question.question_body and not _is_same(question.question_body, opening.question_body):
        moved = (replace(pair, answer_to=pair.answer_to and pair.answer_to + 1) for pair in page)
        page = [_as_answer(question), *moved]
    return [pair.asked_as(opening) for pair in page]


def _as_answer(pair: QAPair) -> QAPair:
    """Return the body of a pair's question as an answer to the question."""
    return QAPair(
        question=pair.question,
        answer=pair.question_body or "",
        author=pair.question_author,
        date=pair.question_date,
        source=pair.source,
        score=pair.score,
    )


def _have_same_title(*pairs: QAPair) -> bool:
    """Return whether the questions of pairs have the same title, ignoring the page number."""
    return len({_letters(without_page_number(pair.question_title or "")) for pair in pairs}) == 1


def _is_same(text: str, opening: str | None) -> bool:
    """Return whether a text is that of the opening post, ignoring its end, which may have been cleaned differently."""
    letters, opening_letters = (_letters(each)[:_COMPARED_LETTERS] for each in (text, opening or ""))
    return bool(opening_letters) and letters == opening_letters


def _letters(text: str) -> str:
    """Return the letters and digits of a text, which comparisons use, or the text itself if it has none."""
    return letters_of(text) or text


def _linked(html: etree._Element | str, url: str, relations: Sequence[str], tags: Sequence[str]) -> str | None:
    """Return the absolute URL of the first element with one of the relations that links to a web page.

    Earlier relations take precedence, and within a relation earlier tags.
    """
    root = parsing.parse(html, url) if isinstance(html, str) else html
    base = parsing.base_url(root, url) or url
    for relation, tag in product(relations, tags):
        for element in root.iter(tag):
            href = element.get("href", "").strip()
            if href and relation in element.get("rel", "").lower().split():
                address = without_fragment(resolved(href, base) or "")
                if address.startswith(("http://", "https://")):
                    return address
    return None
