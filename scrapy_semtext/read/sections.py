"""The sections of pages as trees, and their text as titles, prose and miscellany.

The classes are those of STAPI (Zhang, Wilson & Mitra 2022): a title heads a section, prose is the content of sections,
and miscellany is text of the document that belongs to no section, such as "Last updated" or "Back to top".
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.features.table import PageTable, ParsedPage
from scrapy_semtext.models.storage import TreeHead
from scrapy_semtext.page import Block, Section, Segment, SegmentLabel
from scrapy_semtext.read.line_features import FEATURES, line_features, numbering
from scrapy_semtext.read.lines import Lines
from scrapy_semtext.reading import Models, Reading, reader
from scrapy_semtext.tree.scopes import glue, has_cells

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from scrapy_semtext.models.trees import TreeEnsemble
    from scrapy_semtext.utils.arrays import Bools, Floats, Ints, Singles


#: The decision threshold of all three scores.
MIN_PROBABILITY = 0.5

# The size difference in pixels from which text is considered larger, not just set in another font.
_MIN_SIZE_DIFFERENCE = 1.5
_NO_HEADING = 7


@dataclass(frozen=True, slots=True)
class LineScores:
    """The models' probabilities for lines, (lines,) each, 0 to 1.

    ``relevant``: the line belongs to the main content; ``title``: it is a title, given that it is relevant;
    ``miscellany``: it belongs to no section, given that it is relevant and not a title.
    """

    relevant: Floats
    title: Floats
    miscellany: Floats


@dataclass(frozen=True, slots=True)
class SectionModels:
    """One tree ensemble over lines for each of LineScores. ``training`` has data, seed, dates and scores."""

    relevant: TreeEnsemble
    title: TreeEnsemble
    miscellany: TreeEnsemble
    training: dict[str, Any] = field(default_factory=dict)

    def score(self, rows: Singles) -> LineScores:
        """Score lines by their features, (lines, FEATURES). Raises ValueError for a wrong number of columns."""
        return LineScores(self.relevant.predict(rows), self.title.predict(rows), self.miscellany.predict(rows))

    def score_where_needed(self, rows: Singles, is_main: Bools) -> LineScores:
        """Compute only the scores that sections need; ``is_main``: (lines,), lines that are certainly main content.

        These lines get 1 for ``relevant``; other lines are needed if they score at least MIN_PROBABILITY. Lines that
        are not needed get 0 for ``title`` and ``miscellany``, titles get 0 for ``miscellany``. Raises the errors of
        `score`.
        """
        relevant, title, miscellany = is_main.astype(np.float64), np.zeros(len(rows)), np.zeros(len(rows))
        lines = np.flatnonzero(~is_main)
        relevant[lines] = self.relevant.predict(_taken(rows, lines))
        lines = np.flatnonzero(relevant >= MIN_PROBABILITY)
        title[lines] = self.title.predict(_taken(rows, lines))
        lines = lines[title[lines] < MIN_PROBABILITY]
        miscellany[lines] = self.miscellany.predict(_taken(rows, lines))
        return LineScores(relevant, title, miscellany)


def _taken(rows: Singles, lines: Ints) -> Singles:
    """Return some rows, with contiguous columns as in the result of `line_features`."""
    taken: Singles = rows.T.take(lines, axis=1).T
    return taken


def _models(description: dict[str, Any], trees: dict[str, TreeEnsemble]) -> SectionModels:
    """Return the models from their saved description and trees; raise ValueError if these do not fit."""
    models = SectionModels(**trees, training=description["training"])
    models.score(np.zeros((1, len(FEATURES)), dtype=np.float32))
    return models


HEAD = TreeHead(
    "sections",
    "section models",
    1,
    trees={name: name for name in ("relevant", "title", "miscellany")},
    build=_models,
    names={"features": FEATURES},
)
save_section_models, load_section_models = HEAD.write, HEAD.read


@dataclass(slots=True)
class Title:
    """A title of one or more lines (their numbers in the batch), with its level from 1."""

    lines: list[int]
    text: str
    level: int = 1


@dataclass(slots=True)
class _Kind:
    """Titles that look the same; ``depth``: that of their numbers (0 if none), ``first``: index of the first."""

    heading: int
    size: float
    depth: int
    first: int
    titles: list[Title] = field(default_factory=list)


class TitleReader:
    """Builds titles from the lines of a batch of pages."""

    def __init__(self, lines: Lines) -> None:
        self._texts = lines.texts
        self._raw_block, self._style = lines.raw_block.tolist(), lines.style.tolist()
        self._heading, self._heading_scope = lines.heading.tolist(), lines.heading_scope.tolist()
        self._size: list[float] = lines.size.tolist()

    def titles(self, numbers: Sequence[int]) -> list[Title]:
        """Return the titles of a page with their levels; ``numbers``: the page's title lines, in order.

        Adjacent lines that form one title are joined.
        """
        titles = self.joined(numbers)
        self._set_levels(titles)
        return titles

    def joined(self, numbers: Sequence[int]) -> list[Title]:
        """Return the titles of a page like `titles`, but with all of them at level 1."""
        titles: list[Title] = []
        for number in numbers:
            text = " ".join(self._texts[number].split())
            previous = titles[-1] if titles else None
            if previous is not None and previous.lines[-1] == number - 1 and self._continues(number, previous.text):
                previous.lines.append(number)
                previous.text = f"{previous.text} {text}"
            else:
                titles.append(Title([number], text))
        return titles

    def _continues(self, number: int, text: str) -> bool:
        """Return whether a line continues the title ``text``: in the same heading, or after a bare number or a <br>."""
        previous, heading_scope = number - 1, self._heading_scope
        if heading_scope[previous] >= 0 or heading_scope[number] >= 0:
            if heading_scope[previous] == heading_scope[number]:
                return True
            return self._heading[previous] == self._heading[number] and _is_bare_number(text)
        if _is_bare_number(text):
            return True
        if self._raw_block[previous] != self._raw_block[number] or self._style[previous] != self._style[number]:
            return False
        return not numbering(self._texts[number]).width

    def _set_levels(self, titles: Sequence[Title]) -> None:
        """Set the levels of the titles of a page: first those with heading tags, then those without."""
        kinds: dict[Hashable, _Kind] = {}
        for order, title in enumerate(titles):
            line = title.lines[0]
            number = numbering(title.text)
            heading, depth = self._heading[line], number.depth if number.kind == "decimal" else 0
            style = None if heading else (self._style[line], number.kind)
            key = (heading, depth, style)
            if key not in kinds:
                kinds[key] = _Kind(heading, self._size[line], depth, order)
            kinds[key].titles.append(title)
        level = 0
        for heading in sorted({kind.heading for kind in kinds.values()}, key=lambda heading: heading or _NO_HEADING):
            group = [kind for kind in kinds.values() if kind.heading == heading]
            level = _set_tag_levels(group, max(heading, level + 1)) if heading else _set_style_levels(group, level)


def _is_bare_number(text: str) -> bool:
    """Return whether a text is only a number, such as "2.1"."""
    number = numbering(text)
    return bool(number.width) and number.width >= len(text)


def _set_tag_levels(kinds: Sequence[_Kind], level: int) -> int:
    """Set the levels of titles of one heading tag, equal except for "1.1" below "1."; return the deepest level."""
    depths = sorted({kind.depth for kind in kinds if kind.depth})
    for kind in kinds:
        levels_below = depths.index(kind.depth) if kind.depth else 0
        for title in kind.titles:
            title.level = level + levels_below
    return level + max(len(depths) - 1, 0)


def _set_style_levels(kinds: Sequence[_Kind], level: int) -> int:
    """Set the levels of titles without a heading tag, by size, depth of their numbers and order of appearance."""
    ordered = sorted(kinds, key=lambda kind: kind.first)
    ranked: list[_Kind] = []
    for kind in ordered:
        rank = len(ranked)
        while rank and _ranks_above(kind, ranked[rank - 1]):
            rank -= 1
        ranked.insert(rank, kind)
    for below, kind in enumerate(ranked, 1):
        for title in kind.titles:
            title.level = level + below
    return level + len(ranked)


def _ranks_above(kind: _Kind, other: _Kind) -> bool:
    """Return whether a kind of title that occurs later on the page still ranks above another."""
    if abs(kind.size - other.size) > _MIN_SIZE_DIFFERENCE:
        return kind.size > other.size
    return bool(kind.depth and other.depth) and kind.depth < other.depth


def read_sections(
    pages: Sequence[ParsedPage], blocks: Sequence[Sequence[Block]], models: SectionModels
) -> list[tuple[list[Section], list[Segment]]]:
    """Return the tree of sections of the main content, and the segments, for each page of a batch.

    ``blocks`` are the labeled blocks of each of ``pages``. Pages do not influence each other's results. The sections
    contain exactly the main text. The segments contain more: a line whose shape and position show that it belongs to
    the document is a segment even if its block was labeled boilerplate. The network goes by words, so it scores a
    document low if its words are typical for notices at the edges of pages, as in a privacy policy.
    """
    if not any(page.raw_blocks for page in pages):
        return [([], []) for _ in pages]
    lines = Lines(pages, PageTable.of(pages).raw_tree)
    is_main = np.array([block.label == "main" for block in chain.from_iterable(blocks)]).take(lines.block)
    scores = models.score_where_needed(line_features(lines, [page.title for page in pages]), is_main)
    is_relevant = is_main | (scores.relevant >= MIN_PROBABILITY)
    is_title = scores.title >= MIN_PROBABILITY
    reader = TitleReader(lines)
    labels = labels_of(scores)
    main, main_titles, relevant, relevant_titles = (
        _by_page(lines, chosen) for chosen in (is_main, is_title & is_main, is_relevant, is_title & is_relevant)
    )
    texts = _MainTexts(lines, pages, is_main)
    results = []
    for number in range(len(pages)):
        titles = reader.titles(main_titles[number])
        sections = texts.sections(main[number], titles)
        if len(relevant_titles[number]) > len(main_titles[number]):
            titles = reader.joined(relevant_titles[number])
        results.append((sections, _segments(lines.texts, labels, relevant[number], titles)))
    return results


def _by_page(lines: Lines, chosen: Bools) -> list[list[int]]:
    """Return the numbers of the chosen lines, ``chosen``: (lines,), for each page."""
    numbers = np.flatnonzero(chosen)
    bounds = numbers.searchsorted(lines.page_starts).tolist()
    found: list[int] = numbers.tolist()
    return [found[begin:end] for begin, end in pairwise(bounds)]


def labels_of(scores: LineScores) -> list[SegmentLabel]:
    """Return the label that each line gets if it is relevant."""
    return [
        "title" if title else "miscellany" if miscellany else "prose"
        for title, miscellany in zip(
            (scores.title >= MIN_PROBABILITY).tolist(), (scores.miscellany >= MIN_PROBABILITY).tolist(), strict=True
        )
    ]


def _segments(
    texts: Sequence[str], labels: Sequence[SegmentLabel], relevant: Sequence[int], titles: Sequence[Title]
) -> list[Segment]:
    """Return a page's relevant lines (given by number) as labeled segments; the lines of one title are one segment."""
    text_of_line = {title.lines[0]: title.text for title in titles}
    joined = {number for title in titles for number in title.lines[1:]}
    numbers = [number for number in relevant if number not in joined] if joined else relevant
    return [Segment(text_of_line.get(number) or texts[number].strip(), labels[number]) for number in numbers]


class _MainTexts:
    """The texts of the main lines of a batch, and the separators before them in the main text."""

    def __init__(self, lines: Lines, pages: Sequence[ParsedPage], is_main: Bools) -> None:
        numbers = np.flatnonzero(is_main)
        self._numbers: list[int] = numbers.tolist()
        self._texts = [lines.texts[number] for number in self._numbers]
        self._separators = ["\n"] * len(numbers)
        block = lines.block[numbers]
        in_one_block = np.flatnonzero(block[1:] == block[:-1]) + 1
        for index, separator in zip(in_one_block.tolist(), lines.separators(numbers[in_one_block]), strict=True):
            self._separators[index] = separator
        with_cells = np.array([has_cells(page.raw_tree) for page in pages])
        between_blocks = np.flatnonzero((block[1:] != block[:-1]) & with_cells[lines.page[numbers[1:]]]) + 1
        pairs = zip(block[between_blocks - 1].tolist(), block[between_blocks].tolist(), strict=True)
        for index, (first, second) in zip(between_blocks.tolist(), pairs, strict=True):
            self._separators[index] = glue(lines.text_blocks[first], lines.text_blocks[second])

    def sections(self, main: Sequence[int], titles: Sequence[Title]) -> list[Section]:
        """Split the main lines of a page at its titles, which are among them, and nest the sections by level."""
        if not main:
            return []
        begin = bisect_left(self._numbers, main[0])
        end = begin + len(main)
        heads = [bisect_left(self._numbers, title.lines[0], begin, end) for title in titles]
        found = [
            Section(title.text, self._joined(head + len(title.lines), next_head), title.level)
            for title, head, next_head in zip(titles, heads, [*heads, end][1:], strict=True)
        ]
        if text := self._joined(begin, heads[0] if heads else end):
            found.insert(0, Section(None, text))
        return nested(found)

    def _joined(self, begin: int, end: int) -> str:
        """Join main lines, given by index, with their separators; "" for none."""
        texts, separators = self._texts[begin:end], self._separators[begin + 1 : end]
        if separators.count("\n") == len(separators):
            return "\n".join(texts)
        return "".join([texts[0], *chain.from_iterable(zip(separators, texts[1:], strict=True))])


def nested(sections: Sequence[Section]) -> list[Section]:
    """Put each section into the last section before it of a lower level; sections without a title contain none."""
    tops: list[Section] = []
    path: list[Section] = []
    for section in sections:
        while path and path[-1].level >= section.level:
            path.pop()
        (path[-1].sections if path else tops).append(section)
        if section.title is not None:
            path.append(section)
    return tops


@reader(("found_sections", "found_segments"), ("blocks", "fallback"), by_page=False)
def found_sections_reader(table: PageTable, models: Models, readings: Sequence[Reading]) -> Iterator[tuple[Any, ...]]:
    """Divide pages into sections and segments, also for chunks."""
    found = read_sections(table, [reading.page.blocks for reading in readings], models.section_models)
    for reading, (sections, segments) in zip(readings, found, strict=True):
        yield sections if reading.fallback is None else [Section(None, reading.fallback)], segments


@reader(("sections", "segments"), ("found_sections", "found_segments"), asked=lambda options: options.sections)
def sections_reader(reading: Reading, _: Models) -> tuple[list[Section], list[Segment]]:
    """Give a page its sections and segments."""
    return reading.found_sections, reading.found_segments
