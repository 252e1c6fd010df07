"""What holds for the reading of any page."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scrapy_semtext.results import RESULTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_semtext.extractor import Annotation
    from scrapy_semtext.page import Page

#: The most CPU seconds for a page: so many, and so many for each character.
SECONDS, SECONDS_PER_CHARACTER = 1.0, 30e-6


def violations(annotation: Annotation) -> Iterator[str]:
    """Yield what does not hold for a page with its tree."""
    page = annotation.page
    for block in page.blocks:
        if block.label not in ("main", "boilerplate") or not 0 <= block.probability <= 1:
            yield f"a block is {block!r}"
            break
    main = [block.text for block in page.blocks if block.is_main]
    if main and _squeezed("".join(main)) != _squeezed(page.main_text):
        yield "the main text is not that of the main blocks"
    if [block.text for block in page.blocks] != [block.text for block in annotation.text_blocks]:
        yield "the blocks of the page are not those of its tree"
    yield from _out_of_order(annotation)
    yield from _bad_numbers(page)
    try:
        json.dumps(everything(page), allow_nan=False)
    except (TypeError, ValueError) as error:
        yield f"the page is no JSON: {error}"


def _out_of_order(annotation: Annotation) -> Iterator[str]:
    """The blocks are text of the page, in its order; scripts and the like may stand within their words."""
    text, blocks = _squeezed("".join(map(str, annotation.root.itertext()))), annotation.text_blocks
    at = 0
    for squeezed in map(_squeezed, (block.text for block in blocks)):  # the usual case, and quick
        at = text.find(squeezed, at) + len(squeezed)
        if at < len(squeezed):
            break
    else:
        return
    characters = iter(text)
    for block in blocks:
        if not all(character in characters for character in _squeezed(block.text)):
            yield f"the block {block.text[:80]!r} is not in the page behind the block before"
            return


def _bad_numbers(page: Page) -> Iterator[str]:
    for pair in page.qa_pairs:
        if not pair.question or not pair.answer:
            yield f"a pair is empty: {pair!r}"
        if not (0 <= pair.score <= 1 and 0 <= pair.question_score <= 1):
            yield f"the score of a pair is not from 0 to 1: {pair!r}"
    for value in (page.page_kind_probability, page.overview_probability):
        if value is not None and not (math.isfinite(value) and 0 <= value <= 1):
            yield f"the probability of the kind is {value}"
    for place, comment in enumerate(page.comments):
        if comment.parent is not None and not 0 <= comment.parent < place:
            yield f"comment {place} answers {comment.parent}"


def _squeezed(text: str) -> str:
    return "".join(text.split())


def everything(page: Page) -> dict[str, Any]:
    """Return a page as plain values, with all that was read."""
    return page.values(RESULTS)


def fingerprint(page: Page | Exception) -> str:
    """Return what is equal for equal readings; scores do not count, whose last digits may differ."""
    if isinstance(page, Exception):
        return repr(page)
    text = json.dumps(_without_floats(asdict(page)), ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _without_floats(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_floats(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_without_floats(each) for each in value]
    return None if isinstance(value, float) else value
