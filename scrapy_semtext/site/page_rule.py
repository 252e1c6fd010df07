"""The rule of one site as plain data, its application to a page, and the model that ``semtext tune`` learns."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from cssselect import SelectorError
from lxml import etree
from parsel.csstranslator import HTMLTranslator

from scrapy_semtext.dom.element_text import all_text
from scrapy_semtext.dom.scope_tree import block_places
from scrapy_semtext.dom.tree import nearest
from scrapy_semtext.inference.scores import Scores, log_odds_of, probabilities_of
from scrapy_semtext.text.folding import one_line
from scrapy_semtext.utils.address import resolved

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.qa.nodes import PageNodes
    from scrapy_semtext.utils.arrays import Bools, Floats

FILE = "site.json"
FORMAT = 1
_MIN_PROBABILITY, _MOST_SHIFT = 1e-6, 1e6


class TunedModelError(ValueError):
    """A folder contains no usable site model; the message says why."""


@dataclass(frozen=True, slots=True)
class TunedModel:
    """Corrections of the log-odds of a site's blocks: ``shifts`` by place, see `dom.scope_tree.block_places`.

    ``about`` describes its training data and evaluation.
    """

    shifts: Mapping[str, float]
    about: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: str | Path) -> TunedModel:
        """Load a site model; raise TunedModelError if the folder contains none."""
        path = Path(folder) / FILE
        try:
            values = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise TunedModelError(f"{path} cannot be read: {error}") from error
        if not isinstance(values, dict) or values.get("format") != FORMAT:
            raise TunedModelError(f"{path} is not a site model of format {FORMAT}")
        shifts = values.get("shifts")
        if not isinstance(shifts, dict) or not all(
            isinstance(shift, int | float) and abs(shift) < _MOST_SHIFT for shift in shifts.values()
        ):
            raise TunedModelError(f"{path} is damaged: its shifts are not numbers from -1e6 to 1e6")
        return cls(shifts, values.get("about", {}))

    def save(self, folder: str | Path) -> Path:
        """Write the model to a folder, which is created if necessary; return the path of its file."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / FILE
        text = json.dumps({"format": FORMAT, **asdict(self)}, ensure_ascii=False, indent=1)
        path.write_text(f"{text}\n", "utf-8")
        return path

    def revised(self, scores: Scores, blocks: Sequence[TextBlock]) -> Scores:
        """Return the scores of a page's blocks with their log-odds shifted."""
        shifts = [sum(self.shifts.get(place, 0.0) for place in places) for places in block_places(blocks)]
        odds = log_odds(scores) + np.array(shifts)
        return replace(scores, probabilities=probabilities_of(odds), viterbi=odds > 0)


def log_odds(scores: Scores) -> Floats:
    """Return the blocks' log-odds of being main content, (blocks,), clipped."""
    return log_odds_of(scores.probabilities, _MIN_PROBABILITY)


#: The beginnings of XPath expressions; everything else is CSS.
_XPATH = ("/", "./", "(", "xpath:")


@dataclass(frozen=True, slots=True)
class QARule:
    """The posts of a thread: ``post`` selects all of them, ``question`` the opening post."""

    post: str
    question: str | None = None


@dataclass(frozen=True, slots=True)
class SiteRule:
    """The rule of one site; selectors are CSS or XPath.

    ``keep`` and ``drop`` select elements whose text is or is not main content; for nested elements the innermost
    decides, and ``drop`` wins if both select the same element. ``title`` and ``next_page`` select an element or a text;
    for links, the URL is used. ``model`` is a folder written by ``semtext tune``.
    """

    name: str
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    title: str | None = None
    next_page: str | None = None
    qa: QARule | None = None
    model: str | None = None
    tuned: TunedModel | None = field(default=None, repr=False)

    def selectors(self) -> Iterator[tuple[str, str]]:
        """Yield each selector with its key, as in ``drop: aside``."""
        for key in ("keep", "drop"):
            yield from ((f"{key}: {selector}", selector) for selector in getattr(self, key))
        qa = {"qa.post": self.qa.post, "qa.question": self.qa.question} if self.qa is not None else {}
        for key, selector in {"title": self.title, "next_page": self.next_page, **qa}.items():
            if selector is not None:
                yield f"{key}: {selector}", selector


class PageRule:
    """A rule with the matches of its selectors on a page.

    ``unmatched`` are the selectors without a match, each with its key, as in ``drop: aside``.
    """

    def __init__(self, rule: SiteRule, root: Any) -> None:
        self.name = rule.name
        self._rule = rule
        self._found = {named: select(selector, root) for named, selector in rule.selectors()}
        self.unmatched = [named for named, found in self._found.items() if not found]

    def scores(self, scores: Scores, blocks: Sequence[TextBlock]) -> Scores:
        """Return the scores of the blocks, corrected by the rule's model if it has one."""
        return scores if self._rule.tuned is None else self._rule.tuned.revised(scores, blocks)

    def decide(self, blocks: Sequence[TextBlock], keep: Bools) -> Bools:
        """Return which blocks are main content, (blocks,): by the rule where it applies, otherwise ``keep``.

        Time is linear in the page: decisions about elements are cached for their descendants.
        """
        known: dict[Any, bool | None] = {}
        known.update(dict.fromkeys(self._elements("keep"), True))
        known.update(dict.fromkeys(self._elements("drop"), False))
        decided: Bools = keep.copy()
        for place, block in enumerate(blocks):
            verdicts = {nearest(element.getparent() if is_tail else element, known) for element, is_tail in block.runs}
            if len(verdicts) == 1 and (verdict := verdicts.pop()) is not None:
                decided[place] = verdict
        return decided

    def decides(self) -> bool:
        """Return whether the rule keeps or drops anything on the page."""
        return next(self._elements("keep"), None) is not None or next(self._elements("drop"), None) is not None

    def title(self) -> str | None:
        """Return the title that the rule selects, None if there is none."""
        for found in self._of("title"):
            # the text of a <meta> is in an attribute
            text = found if isinstance(found, str) else found.get("content") or all_text(found)
            if title := one_line(str(text)):
                return title
        return None

    def next_page(self, base: str | None) -> str | None:
        """Return the absolute URL of the next page that the rule selects, None if there is none."""
        for found in self._of("next_page"):
            address = found if isinstance(found, str) else found.get("href") or found.get("content")
            if address and address.strip() and (absolute := resolved(str(address).strip(), base)) is not None:
                return absolute
        return None

    def posts(self, nodes: PageNodes) -> tuple[list[int], int | None] | None:
        """Return the nodes of the posts in page order, and the node of the opening post if selected separately.

        Returns None if the rule selects no posts; then the models decide.
        """
        if self._rule.qa is None:
            return None
        places = {scope.element: node for node, scope in enumerate(nodes.scopes)}
        bodies = sorted({places[found] for found in self._of("qa.post") if found in places})
        opening = next((places[found] for found in self._of("qa.question") if found in places), None)
        return (bodies, opening) if bodies else None

    def _of(self, key: str) -> list[Any]:
        return [
            found for named, all_found in self._found.items() if named.startswith(f"{key}: ") for found in all_found
        ]

    def _elements(self, key: str) -> Iterator[Any]:
        return (found for found in self._of(key) if not isinstance(found, str))


def select(selector: str, root: Any) -> list[Any]:
    """Return the elements and texts that a selector finds in a tree; none if the selector fails there."""
    try:
        found = _compiled(selector)(root)
    except etree.XPathError:  # an unknown function, or one with wrong arguments
        return []
    return found if isinstance(found, list) else [found] if isinstance(found, str) and found else []


def check_selector(selector: str) -> None:
    """Raise ValueError, with the reason, for a selector that is neither CSS nor XPath."""
    try:
        _compiled(selector)
    except (SelectorError, etree.XPathSyntaxError) as error:
        kind = "XPath" if selector.startswith(_XPATH) else "CSS"
        raise ValueError(f"{selector!r} is no {kind} selector: {error}") from error


@lru_cache(maxsize=4096)
def _compiled(selector: str) -> etree.XPath:
    if selector.startswith(_XPATH):
        return etree.XPath(selector.removeprefix("xpath:"))
    return etree.XPath(HTMLTranslator().css_to_xpath(selector.removeprefix("css:")))
