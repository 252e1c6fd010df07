"""Fit the record models: ``semtext dev train records``.

They tell which column of a list holds its titles, and which lists are the main lists of a page.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from tqdm import tqdm

from scrapy_semtext.dom.element_text import shown_text
from scrapy_semtext.dom.tags import HEADING_LEVELS
from scrapy_semtext.dom.tree import base_url, parse
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.records.columns import stand_in_turns
from scrapy_semtext.records.lists import PageLists
from scrapy_semtext.records.reader import RecordModels, save_record_models, title_columns
from scrapy_semtext.training.boosting import TreeTrainingJob, fit_trees, joined, stacked
from scrapy_semtext.training.errors import TrainingError
from scrapy_semtext.utils.address import address_of, resolved, without_fragment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from scrapy_semtext.inference.trees import TreeEnsemble
    from scrapy_semtext.training.boosting import Part
    from scrapy_semtext.training.datasets import AnnotatedPage
    from scrapy_semtext.utils.arrays import Floats

#: A group of links is a list if so many URLs are in the truth, and this share of all of its links.
_LEAST, _MATCHED = 3, 0.75
#: The share of distinct texts in a list of titles, and the fewest words that they have on average.
_DISTINCT, _LEAST_WORDS = 0.8, 1.5
#: How many words a text needs to count as a title where it is only the beginning of a line, "Title - lead".
_BEGINNING = 4
#: The most words of a title, if a link holds a shorter text as well.
_LONGEST = 20
#: How many elements one goes up from a heading to find its only link.
_LEVELS = 4
#: The share of URLs of a list that have to be alike.
_ALIKE = 0.5
#: A list of other URLs is as much a main list from so many words a title on, and with this share of its titles.
_HEADLINE, _LARGE = 5, 0.3
#: How many records have to follow from the true text, of those that a page set states.
_AS_MANY = (0.8, 1.25)
_NO_TARGET = ("#", "javascript:", "mailto:", "tel:", "data:")
_OUTSIDE = frozenset(("nav", "footer"))
_WORDS, _DIGITS = re.compile(r"\w+"), re.compile(r"\d+")


class TrueRecord(NamedTuple):
    """A record as it is annotated: its title in words, see `words_of`, and its URL without fragment."""

    title: str
    url: str


@dataclass(slots=True)
class _Link:
    order: int
    url: str
    texts: list[list[str]]  # of headings in the link; of the link and all else in it
    is_heading: bool
    names: str  # of the element around it, without digits
    title: str | None = None


def words_of(text: str) -> str:
    """The words of a text in lower case: what titles are compared by."""
    return " ".join(_WORDS.findall(text.casefold()))


def true_records(page: AnnotatedPage) -> list[TrueRecord]:
    """Return the records of a page in page order; none if the truth has no list of titles.

    Records that the page set states with title and URL are taken as they are. Others follow from the lines of the true
    text; where the set states the cells of each record, nearly as many have to be found.
    """
    stated = page.extra.get("records") or []
    if stated and isinstance(stated[0], dict):
        found = {
            without_fragment(each["url"]): words_of(each["title"])
            for each in reversed(stated)  # of two with one URL, the first
            if each.get("url") and each.get("title")
        }
        return [TrueRecord(title, url) for url, title in reversed(found.items())]
    followed = _records_of_lines(page)
    low, high = (share * len(stated) for share in _AS_MANY)
    return followed if not stated or low <= len(followed) <= high else []


def _records_of_lines(page: AnnotatedPage) -> list[TrueRecord]:
    root = parse(page.html, page.url)
    lines = _RecordLines(page.text)
    groups: dict[tuple[str, ...], list[_Link]] = defaultdict(list)
    for order, (path, link) in enumerate(_links(root, base_url(root, page.url) or "")):
        link.order = order
        link.title = lines.title_of(link.texts)
        groups[path].append(link)
    lists = [found for path, links in groups.items() if _OUTSIDE.isdisjoint(path) for found in _lists_of(links)]
    records: dict[str, TrueRecord] = {}
    for link in sorted(_main_lists(_without_facts(lists)), key=lambda link: link.order):
        records.setdefault(link.url, TrueRecord(link.title or "", link.url))
    return [*records.values()]


def _lists_of(links: Sequence[_Link]) -> list[list[_Link]]:
    """The links of one path as a list of titles; if they are none, those of them with equal names around them."""
    if whole := _titles(links):
        return [whole]
    parts: dict[str, list[_Link]] = defaultdict(list)
    for link in links:
        parts[link.names].append(link)
    return [found for part in parts.values() if (found := _titles(part))]


class _RecordLines:
    """The lines of a true text, to be compared with the texts of links."""

    def __init__(self, text: str) -> None:
        lines = {words_of(line) for line in text.split("\n")} - {""}
        lines |= {re.sub(r"^\d+ ", "", line) for line in lines}
        self._lines = lines
        self._beginnings: dict[str, list[str]] = defaultdict(list)
        for line in lines:
            self._beginnings[_beginning(line)].append(line)

    def title_of(self, texts: Sequence[Sequence[str]]) -> str | None:
        """The longest text that is a line, of the first of some groups of texts that has one; a lead is none."""
        for group in texts:
            found = [text for text in group if self.holds(text)]
            if short := [text for text in found if len(text.split()) <= _LONGEST]:
                return max(short, key=len)
            if found:
                return max(found, key=len)
        return None

    def holds(self, text: str) -> bool:
        """Whether a text, given by `words_of`, is a line or its beginning."""
        if text in self._lines or len(text.split()) < _BEGINNING:
            return text in self._lines and bool(text)
        return any(line.startswith(f"{text} ") for line in self._beginnings[_beginning(text)])


def _beginning(text: str) -> str:
    return " ".join(text.split()[:_BEGINNING])


def _links(root: Any, base: str) -> Iterator[tuple[tuple[str, ...], _Link]]:
    """Yield the links with a URL, and headings outside of links that stand beside one URL only."""
    for element in root.iter("a", *HEADING_LEVELS):
        holder = element
        if element.tag == "a":
            others = element.iter("a", "strong", "b", "span", "p", "div")
            texts = [[*map(_text, element.iter(*HEADING_LEVELS))], [*map(_text, others)]]
        elif next(element.iter("a"), None) is None and next(element.iterancestors("a"), None) is None:
            holder, texts = _only_link(element), [[_text(element)]]
        else:
            continue
        url = None if holder is None else _target(holder, base)
        if url:
            path = tuple(str(each.tag) for each in (element, *element.iterancestors()))
            yield path, _Link(0, url, texts, _is_heading(element), _names_around(element))


def _is_heading(link: Any) -> bool:
    return any(outer.tag in HEADING_LEVELS for outer in (link, *islice(link.iterancestors(), 2))) or (
        next(link.iter(*HEADING_LEVELS), None) is not None
    )


def _names_around(element: Any) -> str:
    outer = element.getparent()
    return "" if outer is None else " ".join(sorted(_DIGITS.sub("", outer.get("class") or "").split()))


def _only_link(heading: Any) -> Any | None:
    for level, outer in enumerate(heading.iterancestors()):
        links = {link.get("href"): link for link in outer.iter("a") if link.get("href")}
        if len(links) > 1 or level == _LEVELS:
            return None
        if links:
            return next(iter(links.values()))
    return None


def _target(link: Any, base: str) -> str | None:
    href = (link.get("href") or "").strip()
    if not href or href.lower().startswith(_NO_TARGET):
        return None
    found = resolved(href, base)
    return None if found is None else without_fragment(found)


def _text(element: Any) -> str:
    return words_of(shown_text(element))


def _titles(links: Sequence[_Link]) -> list[_Link]:
    """The links of a group that are titles in the truth, none if the group is not a list of titles."""
    found = [link for link in links if link.title]
    urls, titles = {link.url for link in found}, {link.title for link in found}
    if len(urls) < _LEAST or len(urls) < _MATCHED * len({link.url for link in links}):
        return []
    words = sum(len((link.title or "").split()) for link in found) / len(found)
    return found if len(titles) >= _DISTINCT * len(urls) and words >= _LEAST_WORDS else []


def _main_lists(lists: Sequence[list[_Link]]) -> Iterator[_Link]:
    """Yield the links of the list with most text, and of those that lead to like URLs or are much like it."""
    if not lists:
        return
    main = max(lists, key=lambda links: sum(len(link.title or "") for link in links))
    places = {_place(link.url) for link in main}
    for links in lists:
        alike = sum(_place(link.url) in places for link in links) >= _ALIKE * len(links)
        words = sum(len((link.title or "").split()) for link in links) / len(links)
        if alike or (words >= _HEADLINE and len(links) >= _LARGE * len(main)):
            yield from links


def _place(url: str) -> tuple[str, str]:
    """The host of a URL and the first part of its path; numbers, as of a year, are all alike."""
    parts = address_of(url)
    path = parts.path.strip("/").split("/")
    return parts.netloc, _DIGITS.sub("0", path[0]) if len(path) > 1 else ""


def _without_facts(lists: Sequence[list[_Link]]) -> list[list[_Link]]:
    """The links of all lists but those that stand in turns with longer ones: authors, categories."""
    kept: list[list[_Link]] = []
    for links in sorted(lists, key=_weight, reverse=True):
        orders = [link.order for link in links]
        if not any(stand_in_turns(orders, [link.order for link in other]) for other in kept):
            kept.append(links)
    return kept


def _weight(links: Sequence[_Link]) -> tuple[bool, float]:
    """Headings before all else, then by mean length."""
    headings = sum(link.is_heading for link in links) > len(links) / 2
    return headings, sum(len(link.title or "") for link in links) / len(links)


#: The page types of overviews, and the fewest true records of a page to learn from or to measure.
OVERVIEW_TYPES = ("listing", "collection")
LEAST_RECORDS = 4

#: A column is right if this share of its members are true records.
_RIGHT = 0.6
_SETTINGS = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 8,
    "min_data_in_leaf": 10,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "max_bin": 63,
}
_TITLE_ROUNDS, _LIST_ROUNDS, _PARTS = 100, 150, 4


@dataclass(slots=True)
class RecordExample:
    """A page with known records.

    ``titles`` and ``urls``: (columns,), the shares of members of each column that are true records, and whose URLs
    are those of true records.
    """

    page: AnnotatedPage
    truth: list[TrueRecord]
    lists: PageLists
    titles: Floats
    urls: Floats


def record_examples(
    pages: Iterable[AnnotatedPage], ids: frozenset[str] | None = None, *, progress: bool = False
) -> list[RecordExample]:
    """Make examples of the pages whose set states records, and of overviews whose records follow from their text.

    With ``ids``, the latter are only these pages.
    """
    examples = []
    for page in tqdm(pages, desc="preparing pages", unit=" pages", disable=not progress):
        if page.extra.get("records") or (page.page_type in OVERVIEW_TYPES and (ids is None or page.id in ids)):
            truth = true_records(page)
            if len(truth) >= LEAST_RECORDS:
                examples.append(_example(page, truth))
    return examples


def read_ids(path: Path | None) -> frozenset[str] | None:
    """The ids in a file, separated by white space; lines that begin with # are comments."""
    if path is None:
        return None
    lines = path.read_text(encoding="utf-8").splitlines()
    return frozenset(" ".join(line for line in lines if not line.startswith("#")).split())


def train_records(job: TreeTrainingJob, ids: Path | None = None, *, progress: bool = True) -> dict[str, Any]:
    """Fit the record models, write them into the folder of a bundle, and return their training record.

    ``ids`` names a file with the ids of the pages to learn from whose set does not state their records. Raises
    TrainingError if there are no pages, DatasetError for unusable data.
    """
    examples = record_examples(job.pages(), read_ids(ids), progress=progress)
    models = fit_records(examples, job.seed)
    record = {
        **job.record(),
        "pages": dict(sorted(Counter(example.page.dataset for example in examples).items())),
        "records": sum(len(example.truth) for example in examples),
    }
    save_record_models(job.out, replace(models, training=record))
    return record


def fit_records(examples: Sequence[RecordExample], seed: int = 1) -> RecordModels:
    """Fit both models, the second to what the first takes for titles. Raises TrainingError without pages."""
    if not examples:
        raise TrainingError("There are no overview pages whose records are known to fit the record models to.")
    choices = list(_title_rows(examples))
    if not choices:
        raise TrainingError("On no page do the links to records hold more than their titles: there is no choice.")
    titles = _fit(choices, _TITLE_ROUNDS, seed)
    return RecordModels(titles, _fit(_list_rows(examples, titles), _LIST_ROUNDS, seed))


def _fit(parts: Iterable[Part], rounds: int, seed: int) -> TreeEnsemble:
    """The mean of a few ensembles that differ in what they see of the rows: there are few pages."""
    rows = stacked(parts)
    trees = joined([fit_trees(*rows, _SETTINGS, rounds, each) for each in range(seed, seed + _PARTS)])
    return replace(trees, value=trees.value / _PARTS)


def _title_rows(examples: Sequence[RecordExample]) -> Iterator[Part]:
    """The columns of the lists of true records, of which some hold the titles and some do not."""
    for example in examples:
        for number, columns in enumerate(example.lists.lists):
            are_titles = example.titles[columns] >= _RIGHT
            if example.urls[columns].max() >= _RIGHT and 0 < are_titles.mean() < 1:
                yield example.lists.title_features(number), are_titles, np.full(len(columns), 1 / len(columns))


def _list_rows(examples: Sequence[RecordExample], titles: TreeEnsemble) -> Iterator[Part]:
    """The lists of all pages, each by its column of titles; pages of many lists count less for each."""
    for example in examples:
        chosen = title_columns(example.lists, titles)
        weights = np.full(len(chosen), 1 / np.sqrt(max(len(chosen), 1)))
        yield example.lists.list_features(chosen), example.urls[chosen] >= _RIGHT, weights


def _example(page: AnnotatedPage, truth: list[TrueRecord]) -> RecordExample:
    lists = PageLists.of(describe(page.html, page.url))
    urls, known = {record.url for record in truth}, {*truth}
    found = [
        [TrueRecord(words_of(member.text), without_fragment(member.url or "")) for member in column.members]
        for column in lists.columns
    ]
    return RecordExample(
        page,
        truth,
        lists,
        np.array([sum(record in known for record in column) / len(column) for column in found]),
        np.array([sum(record.url in urls for record in column) / len(column) for column in found]),
    )
