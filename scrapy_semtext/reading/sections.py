"""The sections of a page as a tree, and its text as titles, prose and miscellany.

The classes are those of STAPI (Zhang, Wilson & Mitra 2022): a title heads a section, prose is what sections consist of,
miscellany is text of the document that belongs to no section, such as "Last updated" or "Back to top".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.page import Section, Segment
from scrapy_semtext.reading.joining import glue
from scrapy_semtext.sectioning.features import line_features
from scrapy_semtext.sectioning.levels import joined_titles, titles_of
from scrapy_semtext.sectioning.lines import lines_of
from scrapy_semtext.sectioning.models import LIKELY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.describe import Described
    from scrapy_semtext.page import Block, SegmentLabel
    from scrapy_semtext.sectioning.levels import Title
    from scrapy_semtext.sectioning.lines import Line
    from scrapy_semtext.sectioning.models import LineScores, SectionModels
    from scrapy_semtext.segment import TextBlock
    from scrapy_semtext.structure.layout import Layout


def read_sections(
    described: Described, blocks: Sequence[Block], models: SectionModels
) -> tuple[list[Section], list[Segment]]:
    """Return the tree of sections of the main content, and the segments of the page.

    ``blocks`` are those of ``described``, labelled.
    The sections hold the main text, all of it and nothing else. The segments hold more: a line whose shape and place
    say that it belongs to the document is one though its block was labelled boilerplate. The network goes by words, and
    doubts a document whose words are those of notices at the edges of pages, as a privacy policy's are.
    """
    lines = lines_of(described.pieces, described.text_blocks)
    if not lines:
        return [], []
    is_main = np.array([blocks[line.block].is_main for line in lines])
    features = line_features(lines, described.title, _layout(described, lines))
    scores = models.score_wanted(features, is_main)
    labels = labels_of(scores)
    relevant = is_main | (scores.relevant >= LIKELY)
    is_title = scores.title >= LIKELY
    sections = _tree(lines, titles_of(lines, (is_title & is_main).tolist()), is_main.tolist(), described.text_blocks)
    titles = joined_titles(lines, (is_title & relevant).tolist())
    return sections, list(_segments(lines, labels, relevant.tolist(), titles))


def _layout(described: Described, lines: Sequence[Line]) -> Layout | None:
    """The layout of the lines from that of their pieces, if posts were looked for; that is much less work."""
    if described.found is None:
        return None
    lines_of_piece = np.bincount([line.piece for line in lines], minlength=len(described.pieces))
    return described.found.nodes.layout.of_parts(lines_of_piece)


def labels_of(scores: LineScores) -> list[SegmentLabel]:
    """Return the label that each line has if it is relevant."""
    return [
        "title" if title else "miscellany" if miscellany else "prose"
        for title, miscellany in zip(scores.title >= LIKELY, scores.miscellany >= LIKELY, strict=True)
    ]


def _segments(
    lines: Sequence[Line], labels: Sequence[SegmentLabel], relevant: Sequence[bool], titles: Sequence[Title]
) -> Iterator[Segment]:
    """The relevant lines with their labels; the lines of one title are one segment."""
    whole = {title.lines[0]: title.text for title in titles}
    joined = {number for title in titles for number in title.lines[1:]}
    for number, (line, label, wanted) in enumerate(zip(lines, labels, relevant, strict=True)):
        if wanted and number not in joined:
            yield Segment(whole.get(number, line.text.strip()), label)


def _tree(
    lines: Sequence[Line], titles: Sequence[Title], is_main: Sequence[bool], text_blocks: Sequence[TextBlock]
) -> list[Section]:
    """Cut the main lines at the titles, and put each section into the one that is above it."""
    begins = {number: index for index, title in enumerate(titles) for number in title.lines}
    section, bodies = -1, [list[int]() for _ in range(len(titles) + 1)]
    for number, main in enumerate(is_main):
        if number in begins:
            section = begins[number]
        elif main:
            bodies[section].append(number)  # those before the first title are the last list
    found = [
        Section(title.text, _text(lines, body, text_blocks), title.level)
        for title, body in zip(titles, bodies, strict=False)
    ]
    if bodies[-1]:
        found.insert(0, Section(None, _text(lines, bodies[-1], text_blocks)))
    return nested(found)


def nested(sections: Sequence[Section]) -> list[Section]:
    """Put each section into the last one before it of a lower level; those without a title hold none."""
    tops: list[Section] = []
    around: list[Section] = []
    for section in sections:
        while around and around[-1].level >= section.level:
            around.pop()
        (around[-1].sections if around else tops).append(section)
        if section.title is not None:
            around.append(section)
    return tops


def _text(lines: Sequence[Line], body: Sequence[int], text_blocks: Sequence[TextBlock]) -> str:
    """The text of lines, as they stand in the main text."""
    parts: list[str] = []
    for number, before in zip(body, [None, *body], strict=False):
        line = lines[number]
        if before is not None:
            first, second = lines[before].block, line.block
            parts.append(line.glue if first == second else glue(text_blocks[first], text_blocks[second]))
        parts.append(line.text)
    return "".join(parts)
