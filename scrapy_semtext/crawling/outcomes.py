"""Determines what a fetched page is (an item, a list or nothing) and which share of its text other pages lack."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Literal

from scrapy_semtext.crawling.addresses import pattern_of
from scrapy_semtext.qa.bylines import is_dated
from scrapy_semtext.text.folding import one_line
from scrapy_semtext.utils.address import host_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.crawling.addresses import Pattern
    from scrapy_semtext.crawling.entries import Entry
    from scrapy_semtext.crawling.links import PageLink
    from scrapy_semtext.crawling.patterns import HostPatterns
    from scrapy_semtext.page import Page

_LEAST_LETTERS = 80  # letters and digits of the text of an item
_LEAST_RECORDS = 3
_LINKED = 0.5  # share of the main text, or of the answers, that is linked
_LEAST_TITLE, _ROW = 8, 0.25  # characters of a title, and its share of a row of a list
_WORDS = 3  # minimum in a title that may be followed by other text
_MOST_ROWS = 50
_LEAST_SOURCE, _SOURCE = 400, 0.7  # characters of a file of source code, and its share of the text of its page
# With this many pages of a pattern, of which this share had the same outcome, a doubtful page gets that outcome.
_LEAST_PAGES, _SHARE, _DOUBTFUL = 5, 0.8, 0.95
_SURE = 0.9  # the probability from which an overview needs no links to its entries, as a script may add them

_MOST_PATTERNS, _MOST_BLOCKS = 500, 100  # whose text is remembered


def outcome_of_page(
    page: Page, links: Sequence[PageLink], patterns: HostPatterns, pattern: Pattern
) -> Literal["item", "list", "nothing"]:
    """Classify a page by its text, links and kind and, if these leave doubt, by other pages of its pattern.

    ``links`` are all links of the page. Links with the pattern of the page itself, such as recently viewed products, do
    not make it a list, unless it surely is one.
    """
    if (page.overview_probability or 0.0) < _SURE:
        own = pattern_of(page.url or "").fine
        links = [link for link in links if pattern_of(link.url).fine != own]
    has_text = bool(page.qa_pairs) or sum(map(str.isalnum, page.main_text)) >= _LEAST_LETTERS
    if (
        _is_made_of_links(page, links, patterns)
        or _has_rows(page, links)
        or (_lists_others(page, patterns, pattern) and _has_links(page, links))
    ):
        return "list"
    if has_text:
        return "item"
    return "list" if len(page.records) >= _LEAST_RECORDS else "nothing"


def _has_links(page: Page, links: Sequence[PageLink]) -> bool:
    """Whether a page has links outside its menus, as lists do, or is surely a list."""
    outside = sum(link.position != "navigation" for link in links)
    is_sure = (page.overview_probability or 0.0) >= _SURE
    return is_sure or max(outside, len(page.records)) >= _LEAST_RECORDS


def _has_rows(page: Page, links: Sequence[PageLink]) -> bool:
    """Whether most supposed answers are links to similar URLs, or begin with one, as on an overview of threads."""
    answers = [one_line(pair.answer) for pair in page.qa_pairs[:_MOST_ROWS]]
    if len(answers) < _LEAST_RECORDS:
        return False
    titles: dict[str, set[str]] = {}  # the texts of links to each pattern
    authors = _authors(page)
    for link in links:
        text = one_line(link.text)
        is_title = len(text) >= _LEAST_TITLE and text not in authors
        if link.position != "navigation" and link.like >= _LEAST_RECORDS and is_title:
            titles.setdefault(pattern_of(link.url).fine, set()).add(text)
    enough = _LINKED * len(answers)
    return any(
        sum(any(_is_row(answer, text) for text in texts) for answer in answers) > enough
        for texts in titles.values()
        if len(texts) > enough  # the subject of a thread may be linked in each of its posts
    )


def _is_row(answer: str, title: str) -> bool:
    """Whether a text is a title with little else, or begins with one; names and dates are not titles."""
    is_title = len(title.split()) >= _WORDS and not any(map(str.isdigit, title))
    return title in answer and (len(title) > _ROW * len(answer) or (is_title and answer.startswith(title)))


def is_source_code(root: Any, page: Page) -> bool:
    """Return whether a page shows a source file in one element, as those that documentation links to."""
    whole = sum(len(one_line(block.text)) for block in page.blocks)
    if page.qa_pairs or whole < _LEAST_SOURCE:
        return False
    listings = (each for each in root.iter("pre", "div") if each.tag == "pre" or each.get("class") == "fragment")
    longest = max((len(one_line("".join(each.itertext()))) for each in listings), default=0)
    return longest > _SOURCE * whole


def _is_made_of_links(page: Page, links: Sequence[PageLink], patterns: HostPatterns) -> bool:
    """Whether the main text consists of links or stands below linked headings, as on a list not detected as one."""
    inside = [link for link in links if link.position in ("text", "record")]
    linked = sum(len(link.text) for link in inside)
    if not page.qa_pairs and len(inside) >= _LEAST_RECORDS and linked > _LINKED * len(page.main_text):
        return True
    host = host_of(page.url or "")
    heads = {
        one_line(link.text)
        for link in links
        if link.like >= _LEAST_RECORDS and _is_of(link, host) and (link.is_heading or _is_item(link, patterns))
    }
    authors = heads & _authors(page)
    if len(authors) > _LINKED * len(heads):  # above the posts of a thread
        return False
    return len(heads) >= _LEAST_RECORDS and _stands_below(page, heads)


def _is_item(link: PageLink, patterns: HostPatterns) -> bool:
    """Whether a link is the title of a likely item; dates are not titles."""
    tally = patterns.fine.get(pattern_of(link.url).fine)
    is_known = tally is not None and tally.items >= _LEAST_RECORDS and tally.item_share >= _LINKED
    return is_known and len(link.text) >= _LEAST_TITLE and not is_dated(link.text)


def _is_of(link: PageLink, host: str) -> bool:
    return bool(link.text) and host_of(link.url) == host


def _authors(page: Page) -> set[str]:
    """The names of the authors of the pairs and comments on a page."""
    names = [name for pair in page.qa_pairs for name in (pair.author, pair.question_author)]
    return {name for name in (*names, *(comment.author for comment in page.comments)) if name}


def _stands_below(page: Page, heads: set[str]) -> bool:
    """Whether at least three linked headings have main text below them, and most of the main text is below any."""
    below: dict[str, int] = {}
    head = ""
    titles = [title for title in heads if len(title.split()) >= _WORDS]
    for block in page.blocks:
        text = one_line(block.text)
        found = text if text in heads else next(filter(text.startswith, titles), None)
        if found is not None:
            head, text = found, text[len(found) :]
        if block.is_main and text:
            below[head] = below.get(head, 0) + len(text)
    before = below.pop("", 0)
    return len(below) >= _LEAST_RECORDS and sum(below.values()) > before


def _lists_others(page: Page, patterns: HostPatterns, pattern: Pattern) -> bool:
    tally = patterns.fine.get(pattern.fine)
    known = 0 if tally is None else tally.items + tally.lists
    probability = page.overview_probability or 0.0
    if tally is not None and known >= _LEAST_PAGES and 1 - _DOUBTFUL < probability < _DOUBTFUL:
        if tally.items >= _SHARE * known:
            return False
        if tally.lists >= _SHARE * known:
            return True
    return bool(page.is_overview)


class RepeatedText:
    """Remembers the main text of the latest two pages of each pattern."""

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[str, str], list[set[int]]] = OrderedDict()

    def own_share(self, entry: Entry, page: Page) -> float:
        """Return the share of the main text of a page that is in no block of these pages; remember its blocks.

        It is 1 for the first page of a pattern.
        """
        texts = [one_line(block.text) for block in page.blocks if block.is_main][:_MOST_BLOCKS]
        latest = self._seen.pop((entry.host, entry.pattern.fine), [])
        known = {code for codes in latest for code in codes}
        self._seen[entry.host, entry.pattern.fine] = [*latest[-1:], set(map(hash, texts))]
        if len(self._seen) > _MOST_PATTERNS:
            self._seen.popitem(last=False)
        letters = sum(map(len, texts))
        own = sum(len(text) for text in texts if hash(text) not in known)
        return own / letters if letters else 1.0
