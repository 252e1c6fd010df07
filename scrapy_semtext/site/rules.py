"""Users' rules for sites: what to keep and drop, and how to find the title, the next page and the posts.

A rule is plain data, so that worker processes can receive it. It overrides the models, which decide the rest. It may
have a model of the site, which ``semtext tune`` learns.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from cssselect import SelectorError
from lxml import etree
from parsel.csstranslator import HTMLTranslator

from scrapy_semtext.models.scores import Scores, log_odds_of, probabilities_of
from scrapy_semtext.reading import RuledPosts
from scrapy_semtext.tree.elements import all_text
from scrapy_semtext.tree.parsing import nearest
from scrapy_semtext.tree.scopes import block_places
from scrapy_semtext.utils import UserError, hint_for
from scrapy_semtext.utils.address import parsed, resolved, without_www
from scrapy_semtext.utils.extras import MissingExtraError, load_extra
from scrapy_semtext.words.characters import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scrapy_semtext.page import Page
    from scrapy_semtext.tree.nodes import PageNodes
    from scrapy_semtext.tree.segmentation import TextBlock
    from scrapy_semtext.utils.arrays import Bools, Floats


FILE = "site.json"
FORMAT = 1
_MIN_PROBABILITY, _MAX_SHIFT = 1e-6, 1e6

#: A selector is reported when it has found nothing on this many pages, and on this share of the pages of its rule.
MIN_PAGES, MIN_SHARE = 20, 0.9

#: The beginnings of XPath expressions; everything else is CSS.
_XPATH = ("/", "./", "(", "xpath:")


class TunedModelError(ValueError):
    """A folder contains no usable site model; the message says why."""


@dataclass(frozen=True, slots=True)
class TunedModel:
    """Corrections of the log-odds of a site's blocks: ``shifts`` by place, see `tree.scopes.block_places`.

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
            isinstance(shift, int | float) and abs(shift) < _MAX_SHIFT for shift in shifts.values()
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


@dataclass(frozen=True, slots=True)
class QARule:
    """The posts of a thread: ``post`` selects the texts of all of them, ``question`` that of the opening post.

    With ``text``, these are whole posts, in which it selects the text. ``author`` and ``date`` select what is in posts,
    ``quote`` quotations, which are left out.
    """

    post: str
    question: str | None = None
    text: str | None = None
    author: str | None = None
    date: str | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class SiteRule:
    """The rule of one site; selectors are CSS or XPath.

    ``keep`` and ``drop`` select elements whose text is or is not main content; for nested elements the innermost
    decides, and ``drop`` wins if both select the same element. What is dropped is in no pair, either. ``title`` and
    ``next_page`` select an element or a text; for links, the URL is used. ``model`` is a folder written by ``semtext
    tune``.
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
        qa = {} if self.qa is None else {f"qa.{key}": selector for key, selector in asdict(self.qa).items()}
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
        return _decided(blocks, keep, self._verdicts(("keep", True), ("drop", False)))

    def dropped(self, nodes: PageNodes) -> frozenset[int]:
        """Return the numbers of the blocks that are not in the text of a post, as they are dropped or another part."""
        kept: Bools = np.ones(len(nodes.blocks), np.bool_)
        if self._rule.qa is not None and self._rule.qa.text is not None:
            parts = self._verdicts(("qa.post", False), ("qa.question", False), ("qa.text", True))
            kept = _decided(nodes.blocks, kept, parts)
        others = ((key, False) for key in ("qa.author", "qa.date", "qa.quote", "drop"))
        kept &= _decided(nodes.blocks, kept, self._verdicts(("keep", True), *others))
        return frozenset(np.flatnonzero(~kept).tolist())

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

    def posts(self, nodes: PageNodes) -> RuledPosts | None:
        """Return the posts in page order; None if the rule selects none: then the models decide."""
        if self._rule.qa is None:
            return None
        places = {scope.element: node for node, scope in enumerate(nodes.scopes)}
        bodies = sorted({places[found] for found in self._of("qa.post") if found in places})
        opening = next((places[found] for found in self._of("qa.question") if found in places), None)
        of_element = {nodes.scopes[node].element: node for node in (*bodies, opening) if node is not None}
        authors, dates = self._of_posts("qa.author", of_element), self._of_posts("qa.date", of_element)
        return RuledPosts(bodies, opening, authors, dates) if bodies else None

    def _of_posts(self, key: str, posts: Mapping[Any, int]) -> dict[int, str]:
        """Return the first text that a selector finds in each post, by the post's node."""
        known: dict[Any, int | None] = {**posts}
        texts: dict[int, str] = {}
        for found in self._of(key):
            is_text = isinstance(found, str)  # of an element, or of its attribute
            post = nearest(found.getparent() if is_text else found, known)
            text = one_line(found if is_text else found.get("datetime") or all_text(found))
            if post is not None and text:
                texts.setdefault(post, text)
        return texts

    def _verdicts(self, *keys: tuple[str, bool]) -> dict[Any, bool | None]:
        """Return what later ones of the keys say about the elements that they select."""
        return {found: verdict for key, verdict in keys for found in self._elements(key)}

    def _of(self, key: str) -> list[Any]:
        return [
            found for named, all_found in self._found.items() if named.startswith(f"{key}: ") for found in all_found
        ]

    def _elements(self, key: str) -> Iterator[Any]:
        return (found for found in self._of(key) if not isinstance(found, str))


def _decided(blocks: Sequence[TextBlock], keep: Bools, known: dict[Any, bool | None]) -> Bools:
    """Return which blocks are kept, (blocks,): by what is ``known`` of the elements around them, else ``keep``."""
    decided: Bools = keep.copy()
    for place, block in enumerate(blocks):
        verdicts = {nearest(element.getparent() if is_tail else element, known) for element, is_tail in block.runs}
        if len(verdicts) == 1 and (verdict := verdicts.pop()) is not None:
            decided[place] = verdict
    return decided


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


#: The keys of a rule.
KEYS = tuple(each.name for each in fields(SiteRule) if each.name not in ("name", "tuned"))


class RuleError(UserError, ValueError):
    """A rule cannot be used; the message names it and the problem."""


@dataclass(frozen=True, slots=True)
class SiteRules:
    """The rules of all sites, by name: a host, a registered domain, or a pattern of URLs.

    A host's rule also applies to its subdomains. A pattern has a slash, or an asterisk that matches any characters:
    ``example.com/blog/*``. Of the rules that match a URL, the one with the longest name is used.
    """

    rules: tuple[SiteRule, ...]

    @classmethod
    def of(cls, values: Mapping[str, Any], folder: Path | None = None) -> SiteRules:
        """Read rules from plain values; relative folders of models are resolved against ``folder``.

        Raises RuleError for anything that is not a rule.
        """
        if not isinstance(values, dict):
            raise RuleError(f"rules have to be a dict of sites, not {values!r}")
        rules = [_rule(str(name), value, folder or Path()) for name, value in values.items()]
        return cls(_sorted(rules))

    @classmethod
    def load(cls, path: str | Path) -> SiteRules:
        """Read rules from a JSON or YAML file; raise RuleError if they cannot be used."""
        path = Path(path)
        try:
            text = path.read_text("utf-8")
            values = json.loads(text) if path.suffix.lower() == ".json" else _yaml(text, path)
        except (OSError, ValueError, RecursionError) as error:
            raise RuleError(f"{path} cannot be read: {error}") from error
        try:
            return cls.of(values, path.parent)
        except RuleError as error:
            raise RuleError(f"{path}: {error}") from error

    def __bool__(self) -> bool:
        return bool(self.rules)

    def before(self, others: SiteRules) -> SiteRules:
        """Return these rules, plus those of ``others`` for other sites."""
        names = {rule.name for rule in self.rules}
        return SiteRules(_sorted([*self.rules, *(rule for rule in others.rules if rule.name not in names)]))

    def rule_for(self, url: str | None) -> SiteRule | None:
        """Return the rule for a URL, None if there is none."""
        if url is None:
            return None
        return next((rule for rule in self.rules if _matches(rule.name, url)), None)

    def for_page(self, url: str | None, root: Any) -> PageRule | None:
        """Return the rule for a page with the matches of its selectors, None if there is none."""
        rule = self.rule_for(url)
        return None if rule is None else PageRule(rule, root)


def _sorted(rules: Sequence[SiteRule]) -> tuple[SiteRule, ...]:
    """Return the rules with the longest (most specific) names first."""
    return tuple(sorted(rules, key=lambda rule: -len(rule.name)))


def _matches(name: str, url: str) -> bool:
    parts = parsed(url)
    if parts is None:
        return False
    host = without_www(parts.hostname)
    if "/" in name or "*" in name:
        return _is_like(f"{host}{parts.path}" + (f"?{parts.query}" if parts.query else ""), name)
    return host == name or host.endswith(f".{name}")


def _is_like(address: str, pattern: str) -> bool:
    """Return whether a URL matches a pattern, in linear time, unlike a regular expression."""
    first, *others = pattern.split("*")
    if not others:
        return address == first
    *between, last = others
    if not address.startswith(first):
        return False
    at = len(first)
    for part in between:
        found = address.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return len(address) - at >= len(last) and address.endswith(last)


def _rule(name: str, values: Any, folder: Path) -> SiteRule:
    where = f"the rule of {name!r}"
    clean = without_www(re.sub(r"^https?://", "", name.strip().lower() if "/" not in name else name.strip()))
    if not clean or not isinstance(values, dict):
        raise RuleError(f"{where} is {values!r}; it has to be a dict with keys among {', '.join(KEYS)}")
    for key in values:
        if key not in KEYS:
            raise RuleError(f"{where} has no key {key!r}; {hint_for(key, KEYS, 'keys')}")
    model = values.get("model")
    rule = SiteRule(
        clean,
        keep=_texts(where, "keep", values.get("keep", ())),
        drop=_texts(where, "drop", values.get("drop", ())),
        title=_text(where, "title", values.get("title")),
        next_page=_text(where, "next_page", values.get("next_page")),
        qa=_qa(where, values.get("qa")),
        model=_text(where, "model", str(model) if isinstance(model, Path) else model),
        tuned=_tuned(where, folder / model) if model else None,
    )
    for named, selector in rule.selectors():
        try:
            check_selector(selector)
        except ValueError as error:  # noqa: PERF203  stop at the first one
            raise RuleError(f"{where}, {named.partition(':')[0]}: {error}") from error
    return rule


def _qa(where: str, values: Any) -> QARule | None:
    if values is None:
        return None
    keys = [each.name for each in fields(QARule)]
    if not isinstance(values, dict) or not values.get("post") or not values.keys() <= {*keys}:
        others = ", ".join(keys[1:])
        raise RuleError(f"{where}: qa is {values!r}; it has to be a dict with the key post and, if need be, {others}")
    given: dict[str, Any] = {key: _text(where, f"qa.{key}", value) for key, value in values.items()}
    return QARule(**given)


def _texts(where: str, key: str, value: Any) -> tuple[str, ...]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list | tuple) or not all(isinstance(each, str) and each.strip() for each in values):
        raise RuleError(f"{where}: {key} is {value!r}; it has to be a list of selectors")
    return tuple(values)


def _text(where: str, key: str, value: Any) -> str | None:
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise RuleError(f"{where}: {key} is {value!r}; it has to be a string")
    return value


def _tuned(where: str, folder: Path) -> TunedModel:
    try:
        return TunedModel.load(folder)
    except TunedModelError as error:
        raise RuleError(f"{where}: model: {error}") from error


def _yaml(text: str, path: Path) -> Any:
    try:
        yaml: Any = load_extra("yaml", "sites")
    except MissingExtraError as error:
        raise RuleError(f"{path} is YAML, but {error}") from error
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"not YAML: {error}") from error


class RuleWatch:
    """``pages``: how many pages each rule was applied to; ``unmatched``: on how many each selector found nothing.

    The keys of ``unmatched`` are pairs of a rule's name and a selector with its key.
    """

    def __init__(self) -> None:
        self.pages: Counter[str] = Counter()
        self.unmatched: Counter[tuple[str, str]] = Counter()
        self._reported: set[tuple[str, str]] = set()

    def add(self, page: Page) -> Iterator[str]:
        """Count a page; yield a sentence for each selector that should be reported now."""
        if page.rule is None:
            return
        self.pages[page.rule] += 1
        for selector in page.unmatched:
            key = page.rule, selector
            self.unmatched[key] += 1
            missed, pages = self.unmatched[key], self.pages[page.rule]
            if key not in self._reported and missed >= MIN_PAGES and missed >= MIN_SHARE * pages:
                self._reported.add(key)
                yield (
                    f"{selector!r} in the rule of {page.rule!r} found nothing on {missed} of {pages} pages;"
                    " has the site changed?"
                )
