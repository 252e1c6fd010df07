"""Pages whose blocks a person has labeled.

``semtext label`` writes labeled pages as JSON lines; ``semtext tune`` and ``semtext dev train labels`` learn from it::

    {"id": ..., "url": ..., "html": ..., "done": true,
     "blocks": [{"text": ..., "path": ..., "label": "main", "probability": 0.31, "by": "person"}, ...]}

``blocks`` are all text blocks of the page in page order, as `Extractor.annotate` returns them. Pairs in files of
version 0.2 are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from scrapy_semtext.page import BlockLabel


class LabeledPageError(ValueError):
    """A line is not a labeled page; the message gives the line and the problem."""


@dataclass(slots=True)
class LabeledBlock:
    """A text block with its label.

    ``path`` is from `scrapy_semtext.tree.scopes`, ``probability`` is the model's probability of main content, and
    ``by`` says whether a person changed the model's label.
    """

    text: str
    path: str
    label: BlockLabel
    probability: float
    by: Literal["model", "person"] = "model"


@dataclass(slots=True)
class LabeledPage:
    """A page with its labeled blocks; ``done`` is whether a person has finished it."""

    id: Any
    url: str | None
    html: str
    blocks: list[LabeledBlock] = field(default_factory=list)
    done: bool = False

    def to_json(self) -> str:
        """Return the page as a line of JSON, without a newline."""
        return json.dumps(asdict(self), ensure_ascii=False)


def read_labeled(lines: Iterable[bytes]) -> Iterator[LabeledPage]:
    """Yield the pages of a file, skipping blank lines; raise LabeledPageError for an invalid line."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                page = labeled_page(json.loads(line.decode("utf-8-sig")))
            except (ValueError, RecursionError) as error:
                raise LabeledPageError(f"line {number} is not a labeled page: {error}") from error
            yield page


def labeled_page(values: Any) -> LabeledPage:
    """Return the page that the JSON value of a line describes; raise LabeledPageError if the value is invalid."""
    try:
        known = {name: value for name, value in values.items() if name != "pairs"}
        page = LabeledPage(**{**known, "blocks": [LabeledBlock(**block) for block in values["blocks"]]})
    except (KeyError, TypeError, AttributeError) as error:
        raise LabeledPageError(str(error)) from error
    if not isinstance(page.html, str) or not isinstance(page.url, str | None) or not isinstance(page.done, bool):
        raise LabeledPageError("html, url or done has a value of another type")
    for block in page.blocks:
        if (type(block.text), type(block.path)) != (str, str) or type(block.probability) not in (int, float):
            raise LabeledPageError("text, path or probability of a block has a value of another type")
        if block.label not in get_args(BlockLabel) or block.by not in ("model", "person"):
            raise LabeledPageError(f"a block has the label {block.label!r} by {block.by!r}")
    return page
