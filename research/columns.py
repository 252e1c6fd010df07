"""The columns that models of trees read, as the page docs/columns.md: ``python -m research.columns``.

Names and descriptions are those of the code, so the page is only written, never edited.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_semtext.features import blocks, table
from scrapy_semtext.features.table import PageTable, describe
from scrapy_semtext.labelers.structure_trees import NameTable
from scrapy_semtext.read import candidates, faq_features, kinds, line_features, lists, posts, question
from scrapy_semtext.tree import nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

PAGE = Path(__file__).parent.parent / "docs" / "columns.md"

_HEAD = """\
# Columns

What the models of trees read of pages. Each name is defined once, in the function that is named beside it; numbers are
single floats. A column depends only on its own page. This page is made from the code by `python -m research.columns`.
"""


class Columns(NamedTuple):
    """Columns of one builder: the models that read them, what has a row, the function, and their names in order."""

    models: str
    rows: str
    builder: Callable[..., Any]
    names: Iterable[str]


def all_columns() -> Iterator[Columns]:
    """Yield the columns of all models of trees."""
    page = PageTable([describe("<div><p>One?</p><p>Two.</p></div>", None)])
    tree = page.pages[0].raw_tree
    sets = candidates.CandidateSets(*(np.array(values) for values in ([0], [2], [len(tree) - 2, len(tree) - 1])))
    own = {*blocks.FEATURES}
    yield Columns("network, structure", "block", blocks.block_features, blocks.FEATURES)
    yield Columns(
        "structure", "block", table.structure_columns, [n for n in table.structure_columns(page) if n not in own]
    )
    yield Columns("structure", "block", table.post_columns, table.post_columns([None], page))
    yield Columns("structure", "block", table.description_columns, table.description_columns(page))
    yield Columns("structure", "block", NameTable.nearness, ["one for each word of the model"])
    yield Columns("kinds", "page", kinds.page_columns, kinds.COLUMNS)
    yield Columns("kinds", "page", kinds.page_words, ["one for each word of the model at each of its places"])
    yield Columns("posts: node, comment_node", "element", nodes.node_features, nodes.FEATURES)
    of_sets = candidates.candidate_columns(tree, np.zeros(len(tree)), sets)
    yield Columns(
        "posts: candidate, page, comment_candidate, comment_page", "set", candidates.candidate_columns, of_sets
    )
    yield Columns("posts: page, comment_page", "set", posts.word_features, posts.WORD_FEATURES)
    yield Columns("posts: page", "set", candidates.link_features, candidates.LINK_FEATURES)
    yield Columns("posts: question", "option", question.question_options, ["see `scrapy_semtext.read.question`"])
    yield Columns("faq", "list of questions", faq_features.features_of_pages, faq_features.FEATURES)
    yield Columns("sections", "line", line_features.line_features, line_features.FEATURES)
    yield Columns("records: titles, lists", "list column", lists.column_features, lists.FEATURES)


def page_of(columns: Iterable[Columns]) -> str:
    """Return the page in Markdown."""
    parts = [_HEAD]
    for models, rows, builder, names in columns:
        summary = " ".join((inspect.getdoc(builder) or "").split("\n\n")[0].split())
        listed = ", ".join(name if " " in name else f"`{name}`" for name in names)
        place = f"{builder.__module__}.{builder.__qualname__}"
        parts.append(
            f"## {place.removeprefix('scrapy_semtext.')}\n\n{summary}\n\nRows: {rows}. Read by: {models}.\n\n{listed}\n"
        )
    return "\n".join(parts)


def main() -> None:
    """Write the page."""
    PAGE.write_text(page_of(all_columns()), encoding="utf-8")


if __name__ == "__main__":
    main()
