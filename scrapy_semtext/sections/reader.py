"""The sections of a page as a tree, and its text as titles, prose and miscellany.

The classes are those of STAPI (Zhang, Wilson & Mitra 2022): a title heads a section, prose is what sections consist of,
miscellany is text of the document that belongs to no section, such as "Last updated" or "Back to top".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.dom.joining import glue, has_cells
from scrapy_semtext.output.rows import rows_of
from scrapy_semtext.page import Section, Segment
from scrapy_semtext.sections.levels import joined_titles, titles_of
from scrapy_semtext.sections.line_features import line_features
from scrapy_semtext.sections.lines import lines_of
from scrapy_semtext.sections.models import LIKELY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.page import Block, SegmentLabel
    from scrapy_semtext.sections.levels import Title
    from scrapy_semtext.sections.lines import Lines
    from scrapy_semtext.sections.models import LineScores, SectionModels


def read_sections(
    described: ParsedPage, blocks: Sequence[Block], models: SectionModels
) -> tuple[list[Section], list[Segment]]:
    """Return the tree of sections of the main content, and the segments of the page.

    ``blocks`` are those of ``described``, labelled.
    The sections hold the main text, all of it and nothing else. The segments hold more: a line whose shape and place
    say that it belongs to the document is one though its block was labelled boilerplate. The network goes by words, and
    doubts a document whose words are those of notices at the edges of pages, as a privacy policy's are.
    """
    lines = lines_of(described.raw_blocks, described.text_blocks, described.raw_tree)
    if not lines:
        return [], []
    is_main = np.array([block.label == "main" for block in blocks]).take(lines.block)
    scores = models.score_wanted(line_features(lines, described.title), is_main)
    relevant = is_main | (scores.relevant >= LIKELY)
    is_title = scores.title >= LIKELY
    titles = titles_of(lines, (is_title & is_main).tolist())
    sections = _tree(lines, titles, np.flatnonzero(is_main).tolist(), described)
    if (is_title & relevant & ~is_main).any():
        titles = joined_titles(lines, (is_title & relevant).tolist())
    return sections, _segments(lines.texts, labels_of(scores), np.flatnonzero(relevant).tolist(), titles)


def labels_of(scores: LineScores) -> list[SegmentLabel]:
    """Return the label that each line has if it is relevant."""
    return [
        "title" if title else "miscellany" if miscellany else "prose"
        for title, miscellany in zip(
            (scores.title >= LIKELY).tolist(), (scores.miscellany >= LIKELY).tolist(), strict=True
        )
    ]


def _segments(
    texts: Sequence[str], labels: Sequence[SegmentLabel], relevant: Sequence[int], titles: Sequence[Title]
) -> list[Segment]:
    """The relevant lines, by their numbers, with their labels; the lines of one title are one segment."""
    whole = {title.lines[0]: title.text for title in titles}
    joined = {number for title in titles for number in title.lines[1:]}
    numbers = [number for number in relevant if number not in joined] if joined else relevant
    parts = [whole.get(number) or texts[number].strip() for number in numbers]
    return rows_of(Segment, {"text": parts, "label": [labels[number] for number in numbers]})


def _tree(lines: Lines, titles: Sequence[Title], main: Sequence[int], described: ParsedPage) -> list[Section]:
    """Cut the main lines at the titles, which are among them, and put each section into the one that is above it."""
    begins = {number: index for index, title in enumerate(titles) for number in title.lines}
    of_block = lines.block.tolist()
    section, bodies = -1, [list[int]() for _ in range(len(titles) + 1)]
    for number in main:
        if number in begins:
            section = begins[number]
        else:
            bodies[section].append(number)  # those before the first title are the last list
    *texts, before = _texts(lines, of_block, bodies, described)
    found = [Section(title.text, text, title.level) for title, text in zip(titles, texts, strict=True)]
    if before:
        found.insert(0, Section(None, before))
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


def _texts(lines: Lines, of_block: Sequence[int], bodies: Sequence[Sequence[int]], described: ParsedPage) -> list[str]:
    """The texts of some lines each, as they stand in the main text; ``of_block`` has the block of each line."""
    # where the page has no cells blocks need not be looked at
    cells, text_blocks = has_cells(described.raw_tree), described.text_blocks
    glues, all_texts, found = lines.glues, lines.texts, []
    for body in bodies:
        parts: list[str] = []
        before = None
        for number in body:
            block = of_block[number]
            if before == block:
                parts.append(glues[number])
            elif before is not None:
                parts.append(glue(text_blocks[before], text_blocks[block]) if cells else "\n")
            parts.append(all_texts[number])
            before = block
        found.append("".join(parts))
    return found
