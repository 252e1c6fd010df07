"""How sure the model is of a page, to look at the doubtful pages first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.text.tokens import word_counts

if TYPE_CHECKING:
    from scrapy_semtext.page import Page


def confidence(page: Page) -> float:
    """Return the expected share of the page's words whose label is right (0 to 1), by the model's own probabilities.

    A word counts with the probability of the label that its block was given: p for main content, 1 - p for boilerplate.
    It is 0 for a page without words, as such a page should be looked at.
    """
    blocks = page.blocks
    words = word_counts([block.text for block in blocks])
    total = float(words.sum()) if blocks else 0.0
    if not total:
        return 0.0
    probabilities = np.array([block.probability for block in blocks])
    right = np.where([block.is_main for block in blocks], probabilities, 1 - probabilities)
    return float(np.clip(right @ words / total, 0.0, 1.0))
