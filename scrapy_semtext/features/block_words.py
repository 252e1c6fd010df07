"""The three word strings of a text block: tags, names and text (Zhang & Wang 2022, III-B and III-D)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from scrapy_semtext.inference.block_inputs import PageInput
from scrapy_semtext.text.word_tables import tag_words
from scrapy_semtext.text.words import Words, stop_words, words_of_texts
from scrapy_semtext.utils.extensions import texts as compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.dom.scope_tree import ScopeTree
    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.inference.config import NetworkConfig

#: Which words of a path that is too long are kept: the outermost (as in the paper) or the ones nearest to the block.
Keep = Literal["first", "last"]


class BlockWords(NamedTuple):
    """The word strings of blocks, in the order of the blocks. Equal strings of tags, or of names, share one tuple."""

    tags: list[Words]
    names: list[Words]
    text: list[Words]


def words_of_blocks(
    blocks: Sequence[TextBlock], layout: ScopeTree, limit: int = 50, keep: Keep = "last", lang: str | None = None
) -> BlockWords:
    """Convert the blocks of a page to strings of at most ``limit`` words (the paper's n); ``layout`` is its layout.

    Longer paths are truncated to the words nearest to the block (``keep="last"``): pages in the style of Tailwind have
    more than fifty words on nearly every path, and the outermost ones are the same for all blocks. The paper keeps the
    first words (``keep="first"``), as is always done for the text. ``lang`` is the page's language for the stop words
    (see `stop_words`). Time is linear in the page. Raises ValueError for a limit below 1 or an unknown ``keep``.
    """
    if limit < 1:
        raise ValueError(f"limit must be at least 1 word, not {limit}")
    if keep not in get_args(Keep):
        raise ValueError(f"keep must be 'first' or 'last', not {keep!r}")
    scopes = layout.of_block.tolist()
    tags = _words_of_paths(layout, list(map(tag_words, layout.element_types.tags)), limit, keep)
    names = _words_of_paths(layout, [words.telling for words in layout.element_types.words], limit, keep)
    return BlockWords(
        [tags[scope] for scope in scopes],
        [names[scope] for scope in scopes],
        words_of_texts([block.text for block in blocks], stop_words(lang), limit),
    )


def _words_of_paths(layout: ScopeTree, of_looks: list[Words], limit: int, keep: Keep) -> list[Words]:
    """Return the words on the path from the root to each scope, given the words of each distinct element."""
    looks = layout.element_types.of_scope
    if compiled is not None:
        found: list[Words] = compiled.words_of_paths(layout.parent, looks, of_looks, limit, keep == "last")
        return found
    known: dict[Words, Words] = {}
    words: list[Words] = []
    for parent, look in zip(layout.parent.tolist(), looks.tolist(), strict=True):
        joined = (*(words[parent] if words else ()), *of_looks[look])
        joined = joined[-limit:] if keep == "last" else joined[:limit]
        words.append(known.setdefault(joined, joined))
    return words


def page_input(page: ParsedPage, config: NetworkConfig) -> PageInput:
    """Return the word strings and features of a page's blocks as input for a network of this configuration."""
    if not page.text_blocks:
        return PageInput([], [], [], page.block_features())
    words = words_of_blocks(page.text_blocks, page.layout(), config.words, config.keep, page.lang)
    return PageInput(*words, page.block_features())
