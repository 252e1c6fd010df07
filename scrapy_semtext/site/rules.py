"""Users' rules for sites: what to keep and drop, and how to find the title, the next page and the posts.

A rule is plain data, so that worker processes can receive it. It overrides the models; they decide the rest.
"""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_semtext.site.page_rule import PageRule, QARule, SiteRule, TunedModel, check_selector
from scrapy_semtext.utils.address import parsed, without_www
from scrapy_semtext.utils.extras import MissingExtraError, load_extra

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scrapy_semtext.page import Page

#: The keys of a rule.
KEYS = tuple(each.name for each in fields(SiteRule) if each.name not in ("name", "tuned"))
#: A selector is reported when it has found nothing on this many pages, and on this share of the pages of its rule.
LEAST_PAGES, LEAST_SHARE = 20, 0.9


class RuleError(ValueError):
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
            near = difflib.get_close_matches(str(key), KEYS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"the keys are {', '.join(KEYS)}"
            raise RuleError(f"{where} has no key {key!r}; {hint}")
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
    if not isinstance(values, dict) or "post" not in values or not values.keys() <= {"post", "question"}:
        raise RuleError(f"{where}: qa is {values!r}; it has to be a dict with the key post, and question if need be")
    post = _text(where, "qa.post", values["post"])
    if post is None:
        raise RuleError(f"{where}: qa.post is empty")
    return QARule(post, _text(where, "qa.question", values.get("question")))


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
    from scrapy_semtext.site.page_rule import (  # avoids loading numpy in a crawl without such models
        TunedModel,
        TunedModelError,
    )

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
            if key not in self._reported and missed >= LEAST_PAGES and missed >= LEAST_SHARE * pages:
                self._reported.add(key)
                yield (
                    f"{selector!r} in the rule of {page.rule!r} found nothing on {missed} of {pages} pages;"
                    " has the site changed?"
                )
