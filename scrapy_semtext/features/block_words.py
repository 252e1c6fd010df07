"""The three word strings of a text block: tags, names and text (Zhang & Wang 2022, III-B and III-D)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from scrapy_semtext.inference.inputs import PageInput
from scrapy_semtext.text.words import stop_words, tag_words, words_of_texts
from scrapy_semtext.utils.extensions import texts as compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.dom.scope_tree import ScopeTree
    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.inference.config import NetworkConfig
    from scrapy_semtext.text.words import Words

#: Which words of a path that is too long are kept: the outermost (the paper's rule) or the ones nearest the block.
Keep = Literal["first", "last"]


class BlockWords(NamedTuple):
    """The word strings of blocks, in the order of the blocks. Equal strings of tags, or of names, are one tuple."""

    tags: list[Words]
    names: list[Words]
    text: list[Words]


def words_of_blocks(
    blocks: Sequence[TextBlock], layout: ScopeTree, limit: int = 50, keep: Keep = "last", lang: str | None = None
) -> BlockWords:
    """Put the blocks of a page, of which ``layout`` is the layout, into words, ``limit`` (the paper's n) a string.

    A path with more words than that keeps the ones nearest the block (``keep="last"``), for pages in the style of
    Tailwind have more than fifty on nearly every path, and the outermost are the same for all blocks; the paper keeps
    the first (``keep="first"``), as has always been done with the text. ``lang`` is the page's language for the stop
    words (see `stop_words`). Time is linear in the page. Raises ValueError for a limit or what to keep that there is
    not.
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
    """The words on the way from the root to each scope, of those of each look."""
    looks = layout.element_types.of_scope
    if compiled is not None:
        found: list[Words] = compiled.words_of_paths(layout.parent, looks, of_looks, limit, keep == "last")
        return found
    paths = _Paths(of_looks, limit, keep)
    numbers: list[int] = []
    for parent, look in zip(layout.parent.tolist(), looks.tolist(), strict=True):
        numbers.append(paths[numbers[parent] if numbers else 0, look])
    return [paths.words[number] for number in numbers]


class _Paths(dict[tuple[int, int], int]):
    """The number of each path, by that of the path above it and the look of its last scope.

    ``words``: those of each path; paths of the same words have one number. Most scopes have siblings that look like
    them, so that there are fewer paths than scopes. Path 0 has no words.
    """

    def __init__(self, of_looks: Sequence[Words], limit: int, keep: Keep) -> None:
        super().__init__()
        self.words: list[Words] = [()]
        self._of_looks = of_looks
        self._limit = limit
        self._keep = keep
        self._known: dict[Words, int] = {(): 0}

    def __missing__(self, step: tuple[int, int]) -> int:
        above, look = step
        words, more = self.words[above], self._of_looks[look]
        path = above
        if more and not (self._keep == "first" and len(words) == self._limit):
            joined = words + more
            if len(joined) > self._limit:
                joined = joined[-self._limit :] if self._keep == "last" else joined[: self._limit]
            path = self._known.setdefault(joined, len(self.words))
            if path == len(self.words):
                self.words.append(joined)
        self[step] = path
        return path


def page_input(page: ParsedPage, config: NetworkConfig) -> PageInput:
    """Return the word strings and features of a page's blocks for a network of this configuration."""
    if not page.text_blocks:
        return PageInput([], [], [], page.block_features())
    words = words_of_blocks(page.text_blocks, page.layout(), config.words, config.keep, page.lang)
    return PageInput(*words, page.block_features())
