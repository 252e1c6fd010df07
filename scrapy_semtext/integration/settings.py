"""The settings SEMTEXT_*, read into typed objects, SEMTEXT_QA among them, and the changes to them by requests.

Invalid values raise an error at startup that states the problem and the valid values.
"""

from __future__ import annotations

import difflib
import json
import logging
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings

from scrapy_semtext.limits import PAGE_LIMITS, Limits
from scrapy_semtext.read.pair_rows import DEFAULT_COLUMNS, ITEM_COLUMNS, PairRules, check_languages
from scrapy_semtext.results import IN_ITEMS, OF_GROUPS, OF_OPTIONS, RESULTS
from scrapy_semtext.site.template import MIN_SIZE, SITE_KINDS, SITES, SIZE, SiteKind
from scrapy_semtext.utils import hint_for
from scrapy_semtext.utils.extras import MissingExtraError

if TYPE_CHECKING:
    from scrapy import Request

    from scrapy_semtext.options import Options
    from scrapy_semtext.site.rules import SiteRules

logger = logging.getLogger(__name__)


_T = TypeVar("_T")

SETTING, TEMPLATES = "SEMTEXT_QA", "SEMTEXT_SITE_TEMPLATES"
#: The result that gives the reason why a response has no page.
NOTE = "note"
DEFAULT_EXTRACTOR = "scrapy_semtext.extractor.Extractor"
DEFAULT_VIEW_MAX = 1000

#: What former settings did, in the warning about them.
_REMOVED = {"SEMTEXT_VIEW_KEEP": ": the pages that the model was least sure of are kept"}


class SettingsError(ValueError):
    """A SEMTEXT_* setting has an invalid value; the message names the setting and the valid values."""


def _in_a_line(record: logging.LogRecord) -> bool:
    """Log an error of this package that stops a crawl at its start, and that users can fix, without its traceback."""
    error = record.exc_info[1] if record.exc_info else None
    if type(error).__module__.startswith("scrapy_semtext."):
        record.msg, record.args, record.exc_info = f"The crawl has not started: {error}", (), None
    return True


def log_errors_in_a_line() -> None:
    """Log errors of settings and bundles on one line where Scrapy leaves them to asyncio or Twisted."""
    for name in ("asyncio", "twisted"):
        logging.getLogger(name).addFilter(_in_a_line)


def read_bool(settings: BaseSettings, name: str, *, default: bool = False) -> bool:
    """Return a boolean setting; raise SettingsError for other values."""
    if settings.get(name) is None:
        return default
    try:
        return settings.getbool(name)
    except (TypeError, ValueError):
        raise SettingsError(f"{name} is {settings.get(name)!r}; it has to be True or False") from None


def read_number(settings: BaseSettings, name: str, default: _T, kind: Callable[[Any], _T], *, least: _T) -> _T:
    """Return a number of type ``kind``, int or float; raise SettingsError if invalid or below ``least``."""
    value = settings.get(name)
    if value is None:
        return default
    try:
        number = kind(value)
        is_valid = math.isfinite(float(value)) and float(value) == number and not isinstance(value, bool)
    except (TypeError, ValueError, OverflowError):
        is_valid = False
    if not is_valid or number < least:  # type: ignore[operator]
        what = "a whole number" if kind is int else "a number"
        raise SettingsError(f"{name} is {value!r}; it has to be {what} of at least {least}")
    return number


def read_path(settings: BaseSettings, name: str) -> str | None:
    """Return a path, or None if none is set."""
    value = settings.get(name)
    return str(value) if value else None


def read_choice(settings: BaseSettings, name: str, choices: Sequence[_T]) -> _T:
    """Return one of the choices, by default the first; raise SettingsError for other values."""
    value = settings.get(name)
    if value is None:
        return choices[0]
    if value not in choices:
        raise SettingsError(f"{name} is {value!r}; it has to be one of {', '.join(map(str, choices))}")
    return choices[choices.index(value)]


def read_dict(settings: BaseSettings, name: str, default: dict[str, Any]) -> dict[str, Any]:
    """Return a dict, which may be written as JSON; raise SettingsError for other values."""
    if settings.get(name) is None:
        return default
    try:
        return settings.getdict(name)
    except (TypeError, ValueError):
        raise SettingsError(
            f"{name} is {settings.get(name)!r}; it has to be a dict, or a dict written as JSON"
        ) from None


def read_group(
    settings: BaseSettings, name: str, keys: Sequence[str], values: dict[str, Any] | None = None
) -> BaseSettings:
    """Return the values of a dict setting as settings, named as by `key_name`.

    ``values`` replaces the dict. Raises SettingsError for an unknown key.
    """
    values = read_dict(settings, name, {}) if values is None else values
    for key in values:
        if key not in keys:
            raise SettingsError(f"{name} has no key {key!r}; {hint_for(key, keys, 'keys')}")
    return BaseSettings({key_name(name, key): value for key, value in values.items()})


def key_name(name: str, key: str) -> str:
    """Return the name of a dict setting's key in messages."""
    return f'{name}["{key}"]'


def named_fields(
    settings: BaseSettings, name: str, groups: Mapping[str, Iterable[str]] = MappingProxyType({})
) -> tuple[dict[str, str | None], bool]:
    """Return the results that a setting maps to fields, and whether it adds them to the default.

    The setting is a dict, or a list of results that go to fields of the same name, where a group name represents all
    its results; on the command line it is JSON, or names separated by commas. A "+" before a name adds all of them to
    the default. Raises SettingsError for other values.
    """
    value = settings.get(name)
    if value is None:
        return {}, True
    if isinstance(value, str) and value.lstrip().startswith("["):
        with suppress(ValueError):
            value = json.loads(value)
    if isinstance(value, str) and not value.lstrip().startswith(("[", "{")):
        value = value.split(",")
    if isinstance(value, list | tuple):
        given = [str(each).strip() for each in value]
        adds, names = any(each.startswith("+") for each in given), [each.removeprefix("+") for each in given]
        return {one: one for each in names for one in groups.get(each, (each,))}, adds
    try:
        stated = settings.getdict(name)
    except (TypeError, ValueError):
        raise SettingsError(
            f"{name} is {settings.get(name)!r}; it has to be a dict or a list of results, which may be written as JSON"
        ) from None
    return {each.removeprefix("+"): to for each, to in stated.items()}, any(each.startswith("+") for each in stated)


def read_fields(
    settings: BaseSettings,
    name: str,
    default: Sequence[str],
    results: Sequence[str],
    groups: Mapping[str, Iterable[str]] = MappingProxyType({}),
) -> dict[str, str]:
    """Return a map of results to fields of items, without the results that are mapped to None.

    ``default`` are results that go to fields of the same names, see `named_fields`. Raises SettingsError for an unknown
    result, and for two results in one field.
    """
    named, adds = named_fields(settings, name, groups)
    mapping = {**dict(zip(default, default, strict=True) if adds else ()), **named}
    fields = {result: field for result, field in mapping.items() if field is not None}
    for result, field_name in fields.items():
        if result not in results:
            raise SettingsError(f"{name} maps {result!r}, which is not a result; the results are {', '.join(results)}")
        if not isinstance(field_name, str) or not field_name:
            raise SettingsError(f"{name} maps {result!r} to {field_name!r}; it has to be the name of a field")
    if len(set(fields.values())) < len(fields):
        raise SettingsError(f"{name} maps two results to one field: {fields!r}")
    return fields


@dataclass(frozen=True, slots=True)
class QASettings:
    """The values of SEMTEXT_QA; docs/settings.md describes each.

    Each attribute is a key of the dict, and so is each attribute of ``rules``.
    """

    item_per_pair: bool = False
    fields: Mapping[str, str] = field(default_factory=lambda: {name: name for name in DEFAULT_COLUMNS})
    dedup: bool = False
    dedup_threshold: float = 0.85
    dedup_size: int = 50_000
    rules: PairRules = field(default_factory=PairRules)

    @classmethod
    def read(cls, settings: BaseSettings) -> QASettings:
        """Read the settings of a crawl; raise SettingsError for an invalid value."""
        group = read_group(settings, SETTING, QA_KEYS)
        threshold = read_number(group, _name("dedup_threshold"), 0.85, float, least=0.0)
        if not 0.1 <= threshold <= 1:
            given = f"{_name('dedup_threshold')} is {threshold!r}"
            raise SettingsError(f"{given}; it has to be a number from 0.1 to 1")
        return cls(
            item_per_pair=read_bool(group, _name("item_per_pair")),
            fields=read_fields(group, _name("fields"), DEFAULT_COLUMNS, ITEM_COLUMNS),
            dedup=read_bool(group, _name("dedup")),
            dedup_threshold=threshold,
            dedup_size=read_number(group, _name("dedup_size"), 50_000, int, least=1),
            rules=_read_rules(group),
        )


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
class SiteTemplateSettings:
    """The keys of SEMTEXT_SITE_TEMPLATES; docs/settings.md describes each."""

    size: int = SIZE
    sites: int = SITES
    by: SiteKind = "host"

    @classmethod
    def read(cls, settings: BaseSettings) -> SiteTemplateSettings | None:
        """Read the setting, which is a boolean or a dict; None if it is off. Raises SettingsError for other values."""
        value = settings.get(TEMPLATES)
        is_dict = isinstance(value, dict) or (isinstance(value, str) and value.lstrip().startswith("{"))
        if not is_dict and not read_bool(settings, TEMPLATES):
            return None
        group = read_group(settings, TEMPLATES, SITE_KEYS, None if is_dict else {})
        return cls(
            size=read_number(group, key_name(TEMPLATES, "size"), SIZE, int, least=MIN_SIZE),
            sites=read_number(group, key_name(TEMPLATES, "sites"), SITES, int, least=1),
            by=read_choice(group, key_name(TEMPLATES, "by"), SITE_KINDS),
        )


#: The keys of SEMTEXT_SITE_TEMPLATES.
SITE_KEYS = tuple(each.name for each in fields(SiteTemplateSettings))


@dataclass(frozen=True, slots=True)
class SemtextSettings:
    """The settings of one crawl; docs/settings.md describes each.

    The attribute ``batch_size`` is the setting ``SEMTEXT_BATCH_SIZE``, and so on. ``max_body`` is in bytes, and
    ``timeout`` in seconds.
    """

    fields: Mapping[str, str]
    options: Mapping[str, Any]
    extractor: str | type
    bundle: str | None = None
    device: str = "auto"
    batch_size: int = 16
    processes: int = 0
    max_body: int = PAGE_LIMITS.body
    max_blocks: int = PAGE_LIMITS.blocks
    timeout: float = PAGE_LIMITS.seconds
    site_templates: SiteTemplateSettings | None = None
    process_tuning: bool = True
    short_log: bool = True
    sites: SiteRules | None = None
    sites_file: str | None = None
    view_dir: str | None = None
    view_max: int = DEFAULT_VIEW_MAX

    @classmethod
    def read(cls, settings: BaseSettings) -> SemtextSettings:
        """Read the settings of a crawl; raise SettingsError for an invalid value."""
        read = cls(
            fields=cls.fields_of(settings),
            options=read_dict(settings, "SEMTEXT_OPTIONS", {}),
            extractor=settings.get("SEMTEXT_EXTRACTOR") or DEFAULT_EXTRACTOR,
            bundle=read_path(settings, "SEMTEXT_BUNDLE"),
            device=str(settings.get("SEMTEXT_DEVICE") or "auto"),
            batch_size=read_number(settings, "SEMTEXT_BATCH_SIZE", 16, int, least=1),
            processes=read_number(settings, "SEMTEXT_PROCESSES", 0, int, least=0),
            max_body=read_number(settings, "SEMTEXT_MAX_BODY", PAGE_LIMITS.body, int, least=1),
            max_blocks=read_number(settings, "SEMTEXT_MAX_BLOCKS", PAGE_LIMITS.blocks, int, least=0),
            timeout=read_number(settings, "SEMTEXT_TIMEOUT", PAGE_LIMITS.seconds, float, least=0.0),
            site_templates=SiteTemplateSettings.read(settings),
            process_tuning=read_bool(settings, "SEMTEXT_PROCESS_TUNING", default=True),
            short_log=is_log_short(settings),
            sites=read_rules(settings),
            sites_file=read_path(settings, "SEMTEXT_SITES_FILE"),
            view_dir=read_path(settings, "SEMTEXT_VIEW_DIR"),
            view_max=read_number(settings, "SEMTEXT_VIEW_MAX", DEFAULT_VIEW_MAX, int, least=1),
        )
        if read.processes and read.site_templates is not None:
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
        default = (*IN_ITEMS, "chunks") if feeds_in(settings, "semtext-chunks") else IN_ITEMS
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
    path = read_path(settings, "SEMTEXT_SITES_FILE")
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


def feeds_in(settings: BaseSettings, format_: str) -> list[str]:
    """Return the URIs of the feeds in a format."""
    feeds = settings.getdict("FEEDS").items()
    return [str(uri) for uri, feed in feeds if isinstance(feed, dict) and feed.get("format") == format_]


def is_enabled(settings: BaseSettings) -> bool:
    """Return whether SEMTEXT_ENABLED is on; raise SettingsError if it is neither true nor false."""
    return read_bool(settings, "SEMTEXT_ENABLED")


def is_log_short(settings: BaseSettings) -> bool:
    """Return whether long texts of items are cut in the log; raise SettingsError for an invalid value."""
    return read_bool(settings, "SEMTEXT_SHORT_LOG", default=True)


def require_enabled(settings: BaseSettings) -> None:
    """Raise NotConfigured, which makes Scrapy disable the component, unless SEMTEXT_ENABLED is on."""
    log_errors_in_a_line()
    if not is_enabled(settings):
        raise NotConfigured("SEMTEXT_ENABLED is not True")


def warn_about_names(settings: BaseSettings) -> None:
    """Log unknown SEMTEXT_* settings, which may belong to the project."""
    known = {
        "SEMTEXT_ENABLED",
        SETTING,
        *(f"SEMTEXT_{each.name.upper()}" for each in fields(SemtextSettings)),
    }
    from scrapy_semtext.options import Options  # loads numpy, which a crawl without the package does not need

    options = {each.name for each in fields(Options)}
    names = [name for name in settings if isinstance(name, str) and name.startswith("SEMTEXT_") and name not in known]
    for name in names:
        near = difflib.get_close_matches(name, known, n=1)
        if (option := name.removeprefix("SEMTEXT_").lower()) in options:
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
