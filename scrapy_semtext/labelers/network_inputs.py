"""From a parsed page to the inputs of the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.features.block_words import words_of_blocks
from scrapy_semtext.inference.inputs import PageInput

if TYPE_CHECKING:
    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.inference.config import NetworkConfig


def page_input(page: ParsedPage, config: NetworkConfig) -> PageInput:
    """Return the word strings and features of a page's blocks for a network of this configuration."""
    if not page.text_blocks:
        return PageInput([], [], [], page.block_features())
    words = words_of_blocks(page.text_blocks, page.layout(), config.words, config.keep, page.lang)
    return PageInput(*words, page.block_features())
