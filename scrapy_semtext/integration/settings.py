"""The settings SEMTEXT_*, read into typed objects, SEMTEXT_QA among them, and the changes to them by requests.

Invalid values raise an error at startup that states the problem and the valid values.
"""

from __future__ import annotations

import difflib
import logging
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from scrapy_semtext.integration.setting_values import (
    SettingsError,
    key_name,
    named_fields,
    read_bool,
    read_dict,
    read_fields,
    read_group,
    read_number,
    read_text,
    setting,
    values_of,
)
from scrapy_semtext.limits import PAGE_LIMITS, Limits
from scrapy_semtext.read.pair_rows import DEFAULT_COLUMNS, ITEM_COLUMNS, PairRules, check_languages
from scrapy_semtext.results import IN_ITEMS, OF_GROUPS, OF_OPTIONS, RESULTS
from scrapy_semtext.utils import hint_for
from scrapy_semtext.utils.extras import MissingExtraError

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.settings import BaseSettings

    from scrapy_semtext.options import Options
    from scrapy_semtext.site.rules import SiteRules

logger = logging.getLogger(__name__)


SETTING = "SEMTEXT_QA"
#: The result that gives the reason why a response has no page.
NOTE = "note"
DEFAULT_EXTRACTOR = "scrapy_semtext.extractor.Extractor"

#: What former settings did, in the warning about them.
_REMOVED = {"SEMTEXT_VIEW_KEEP": ": the pages that the model was least sure of are kept"}


@dataclass(frozen=True, slots=True)
class QASettings:
    """The values of SEMTEXT_QA; docs/settings.md describes each.

    Each attribute is a key of the dict, and so is each attribute of ``rules``.
    """

    item_per_pair: bool = setting(False, read_bool)
    fields: Mapping[str, str] = field(default_factory=lambda: {name: name for name in DEFAULT_COLUMNS})
    dedup: bool = setting(False, read_bool)
    dedup_threshold: float = setting(0.85, read_number, kind=float, least=0.0)
    dedup_size: int = setting(50_000, read_number, kind=int, least=1)
    rules: PairRules = field(default_factory=PairRules)

    @classmethod
    def read(cls, settings: BaseSettings) -> QASettings:
        """Read the settings of a crawl; raise SettingsError for an invalid value."""
        group = read_group(settings, SETTING, QA_KEYS)
        columns = read_fields(group, _name("fields"), DEFAULT_COLUMNS, ITEM_COLUMNS)
        read = cls(fields=columns, rules=_read_rules(group), **values_of(cls, group, _name))
        if not 0.1 <= read.dedup_threshold <= 1:
            given = f"{_name('dedup_threshold')} is {read.dedup_threshold!r}"
            raise SettingsError(f"{given}; it has to be a number from 0.1 to 1")
        return read


#: The keys of SEMTEXT_QA.
QA_KEYS = tuple(each.name for each in (*fields(QASettings), *fields(PairRules)) if each.name != "rules")


def _name(key: str) -> str:
    return key_name(SETTING, key)


def _read_rules(group: BaseSettings) -> PairRules:
    given = {rule.name: group.get(_name(rule.name)) for rule in fields(PairRules)}
    rules = {key: _as_number(value) for key, value in given.items() if value is not None}
    if "accepted_only" in rules:
        rules["accepted_only"] = read_bool(group, _name("accepted_only"))
    if isinstance(given["languages"], str):
        rules["languages"] = [code.strip() for code in given["languages"].split(",") if code.strip()]
    try:
        read = PairRules(**rules)
    except ValueError as error:
        key, _, rest = str(error).partition(" ")
        raise SettingsError(f"{_name(key)} {rest}") from None
    try:
        check_languages(read.languages)
    except (MissingExtraError, ValueError) as error:
        raise SettingsError(f"{_name('languages')} is {list(read.languages)}: {error}") from error
    return read


def _as_number(value: Any) -> Any:
    """Convert a string that is a number, because the command line gives strings; return other values unchanged."""
    for kind in (int, float):
        try:
            return kind(value) if isinstance(value, str) else value
        except ValueError:  # noqa: PERF203  two tries
            continue
    return value


@dataclass(frozen=True, slots=True)
class SemtextSettings:
    """The settings of one crawl; docs/settings.md describes each.

    The attribute ``batch_size`` is the setting ``SEMTEXT_BATCH_SIZE``, and so on. ``max_body`` is in bytes, and
    ``timeout`` in seconds.
    """

    fields: Mapping[str, str]
    options: Mapping[str, Any]
    extractor: str | type
    bundle: str | None = setting(None, read_text)
    device: str = setting("auto", read_text)
    batch_size: int = setting(16, read_number, kind=int, least=1)
    processes: int = setting(0, read_number, kind=int, least=0)
    max_body: int = setting(PAGE_LIMITS.body, read_number, kind=int, least=1)
    max_blocks: int = setting(PAGE_LIMITS.blocks, read_number, kind=int, least=0)
    timeout: float = setting(PAGE_LIMITS.seconds, read_number, kind=float, least=0.0)
    site_templates: bool = setting(False, read_bool)
    process_tuning: bool = setting(True, read_bool)
    short_log: bool = setting(True, read_bool)
    sites: SiteRules | None = None
    sites_file: str | None = setting(None, read_text)
    view_dir: str | None = setting(None, read_text)
    view_max: int = setting(1000, read_number, kind=int, least=1)

    @classmethod
    def read(cls, settings: BaseSettings) -> SemtextSettings:
        """Read the settings of a crawl; raise SettingsError for an invalid value."""
        read = cls(
            fields=cls.fields_of(settings),
            options=read_dict(settings, "SEMTEXT_OPTIONS", {}),
            extractor=settings.get("SEMTEXT_EXTRACTOR") or DEFAULT_EXTRACTOR,
            sites=read_rules(settings),
            **values_of(cls, settings, lambda name: f"SEMTEXT_{name.upper()}"),
        )
        if read.processes and read.site_templates:
            raise SettingsError(
                f"SEMTEXT_SITE_TEMPLATES is on and SEMTEXT_PROCESSES is {read.processes}: worker processes cannot share"
                " site templates; switch one of the two off"
            )
        return read

    @property
    def page_fields(self) -> dict[str, str]:
        """The fields of items whose response has a page."""
        return {result: field for result, field in self.fields.items() if result != NOTE}

    @property
    def limits(self) -> Limits:
        """The maximum cost of a page."""
        return Limits(self.timeout, self.max_blocks)

    @staticmethod
    def fields_of(settings: BaseSettings) -> dict[str, str]:
        """Read SEMTEXT_FIELDS; raise SettingsError for an invalid value. A feed of chunks adds these to the default."""
        default = (*IN_ITEMS, "chunks") if feeds_in(settings, ("semtext-chunks",)) else IN_ITEMS
        return read_fields(settings, "SEMTEXT_FIELDS", default, (*RESULTS, NOTE), OF_GROUPS)

    @staticmethod
    def sparse_results(settings: BaseSettings) -> frozenset[str]:
        """Return the results that are omitted from items when empty: pairs, unless SEMTEXT_FIELDS names them."""
        named, _ = named_fields(settings, "SEMTEXT_FIELDS", OF_GROUPS)
        return frozenset(("qa_pairs",)) - named.keys()


def read_rules(settings: BaseSettings) -> SiteRules | None:
    """Return the rules of SEMTEXT_SITES and SEMTEXT_SITES_FILE, None without any.

    A site in SEMTEXT_SITES takes precedence over the same site in the file. Raises SettingsError for an invalid rule.
    """
    path = read_text(settings, "SEMTEXT_SITES_FILE")
    values = read_dict(settings, "SEMTEXT_SITES", {})
    if not path and not values:
        return None
    from scrapy_semtext.site.rules import RuleError, SiteRules  # loads numpy, which a crawl without rules may not need

    try:
        of_file = SiteRules.load(path) if path else SiteRules(())
    except RuleError as error:
        raise SettingsError(f"SEMTEXT_SITES_FILE is {path!r}, but {error}") from error
    try:
        return SiteRules.of(values).before(of_file) or None
    except RuleError as error:
        raise SettingsError(f"SEMTEXT_SITES: {error}") from error


def feeds_in(settings: BaseSettings, formats: Container[str]) -> list[tuple[str, dict[str, Any]]]:
    """Return the URIs and options of the feeds in some formats."""
    feeds = settings.getdict("FEEDS").items()
    return [(str(uri), feed) for uri, feed in feeds if isinstance(feed, dict) and feed.get("format") in formats]


def warn_about_names(settings: BaseSettings) -> None:
    """Log unknown SEMTEXT_* settings, which may belong to the project."""
    known = {"SEMTEXT_ENABLED", SETTING, *(f"SEMTEXT_{each.name.upper()}" for each in fields(SemtextSettings))}
    from scrapy_semtext.options import Options  # loads numpy, which a crawl without the package does not need

    names = [name for name in settings if isinstance(name, str) and name.startswith("SEMTEXT_") and name not in known]
    for name in names:
        near = difflib.get_close_matches(name, known, n=1)
        if (option := name.removeprefix("SEMTEXT_").lower()) in Options.__dataclass_fields__:
            near = [f'SEMTEXT_OPTIONS["{option}"]']
        hint = _REMOVED.get(name) or (f"; did you mean {near[0]}?" if near else "")
        logger.warning("scrapy-semtext has no setting %s%s", name, hint)


def default_options(settings: SemtextSettings) -> Options:
    """Return the options that the settings request; raise SettingsError for invalid ones.

    Options in OF_OPTIONS follow the fields, unless SEMTEXT_OPTIONS sets them.
    """
    from scrapy_semtext.options import Options  # see `warn_about_names`

    asked: dict[str, Any] = {
        option: not settings.fields.keys().isdisjoint(names) for option, names in OF_OPTIONS.items()
    }
    try:
        return override_options(Options(**asked), settings.options)
    except (TypeError, ValueError) as error:
        raise SettingsError(f"SEMTEXT_OPTIONS is {settings.options!r}: {error}") from error


def override_options(options: Options, overrides: Mapping[str, Any]) -> Options:
    """Return options with some replaced; raise TypeError or ValueError for an invalid name or value."""
    if not isinstance(overrides, dict):
        raise TypeError(f"it has to be True, False or a dict of options, not {overrides!r}")
    known = [option.name for option in fields(options)]
    for name in overrides:
        if name not in known:
            raise ValueError(f"there is no option {name!r}; {hint_for(name, known, 'options')}")
    return replace(options, **overrides)


def request_options(options: Options, overrides: Mapping[str, Any]) -> Options:
    """Return options with some replaced by ``meta["semtext"]`` of a request.

    Raises TypeError or ValueError for an invalid name or value, MissingExtraError for an extra that is not installed.
    """
    changed = override_options(options, overrides)
    from scrapy_semtext.options import require_extras

    require_extras(changed)
    return changed


def drops_overview(options: Options, request: Request | None) -> bool:
    """Return whether items of a request are dropped if their page is an overview, by its meta or else by ``options``.

    Invalid meta is ignored; it was counted and logged when the page was read.
    """
    overrides = None if request is None else request.meta.get("semtext")
    if overrides in (None, True, False):
        return options.drop_overview
    try:
        return request_options(options, overrides).drop_overview
    except (TypeError, ValueError, MissingExtraError):
        return options.drop_overview
