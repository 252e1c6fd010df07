"""What ``semtext doctor`` checks: the installation, the model, the cost of a page, and the project in this folder."""

from __future__ import annotations

import logging
import os
import platform
import random
import re
import time
import warnings
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from importlib import metadata
from itertools import count
from statistics import median
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lxml import etree
from scrapy.exceptions import NotConfigured
from scrapy.utils.conf import closest_scrapy_cfg
from scrapy.utils.misc import load_object
from scrapy.utils.project import get_project_settings

from scrapy_semtext.integration.addon import ADVICE, COMPONENTS, Addon
from scrapy_semtext.integration.service import load_reader
from scrapy_semtext.integration.setting_values import SettingsError, is_enabled
from scrapy_semtext.integration.settings import QASettings, SemtextSettings, default_options, warn_about_names
from scrapy_semtext.models.storage import SHIPPED, BundleError
from scrapy_semtext.utils.extensions import extensions_note, missing_extensions
from scrapy_semtext.utils.version import __version__
from scrapy_semtext.words.decoding import html_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy.settings import BaseSettings

    from scrapy_semtext.extractor import Extractor


_DISTRIBUTION = "scrapy-semtext"
_LIBRARIES = ("numpy", "lxml", "Scrapy", "parsel", "torch")
#: Extras for developers of the package.
_OF_DEVELOPERS = frozenset(("dev", "docs", "example", "peers", "test"))

COST = "{ms:.1f} ms of CPU for a page of {kb:.0f} KB, {lxml_parses:.1f} times its lxml parse ({parse_ms:.1f} ms)"
_MEASURED_SECONDS, _MIN_MEASUREMENTS = 3.0, 3  # the latter for pages that take long

# Parts of the generated page besides words.
_SCRIPT = "window.dataLayer=window.dataLayer||[];(function(a,b){var c=b.createElement('script');c.async=1})(window);"
_STYLE = ".card{display:flex;margin:0 auto;padding:12px 16px;border:1px solid #ddd;background:#fff}"
_ICON = "<svg class='icon' viewBox='0 0 16 16'><g><path d='M1 1h14v14H1z'/><path d='M4 8h8'/></g></svg>"


class Problem(NamedTuple):
    """A problem. ``broken``: the package or the crawl does not work; ``hint``: a possible improvement."""

    level: Literal["broken", "hint"]
    text: str


@contextmanager
def caught(problems: list[Problem]) -> Iterator[None]:
    """Add the warnings and log messages that the package emits in this context as hints."""
    handler = _Collector(problems)
    logger = logging.getLogger("scrapy_semtext")
    propagates = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False  # otherwise Python prints them, too
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("default")
            yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagates
    problems.extend(Problem("hint", str(each.message)) for each in warned if "semtext" in str(each.message).lower())


class _Collector(logging.Handler):
    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(logging.WARNING)
        self._problems = problems

    def emit(self, record: logging.LogRecord) -> None:
        self._problems.append(Problem("hint", record.getMessage()))


def environment(problems: list[Problem]) -> dict[str, Any]:
    """Return versions, extensions and extras, the last with the packages that are missing."""
    missing = missing_extensions()
    if missing:
        problems.append(Problem("hint", extensions_note()))
    python = f"{platform.python_version()}, {platform.system()} {platform.machine()}"
    versions = {_DISTRIBUTION: __version__, "Python": python}
    versions |= {name: _version(name) or "not installed" for name in _LIBRARIES}
    versions["lxml"] += f", libxml2 {'.'.join(map(str, etree.LIBXML_VERSION))}"
    compiled = f"not compiled: {', '.join(missing)}" if missing else "compiled"
    return {"versions": versions, "extensions": compiled, "extras": extras(problems)}


def load_model(problems: list[Problem]) -> Extractor | None:
    """Return the shipped model, None if it cannot be loaded."""
    from scrapy_semtext.extractor import Extractor

    try:
        return Extractor.load()
    except (ImportError, OSError, ValueError) as error:  # BundleError is a ValueError
        problems.append(Problem("broken", f"The shipped model cannot be loaded: {error}"))
        return None


def extras(problems: list[Problem]) -> dict[str, list[str]]:
    """Return the missing packages of each extra, none if it is complete; {} if unknown."""
    try:
        lines = metadata.requires(_DISTRIBUTION) or []
        names = metadata.metadata(_DISTRIBUTION).get_all("Provides-Extra") or []
    except metadata.PackageNotFoundError:
        problems.append(
            Problem("hint", "scrapy-semtext is imported from a folder that is not installed, so extras are unknown")
        )
        return {}
    return {name: _missing(name, lines) for name in names if name not in _OF_DEVELOPERS}


def _missing(extra: str, lines: list[str]) -> list[str]:
    """Return the packages of an extra that are not installed; an extra may include other extras of this package."""
    missing: dict[str, None] = {}
    for line in lines:
        match = re.fullmatch(r"([\w.-]+)(?:\[([\w,-]+)\])?.*extra == ['\"]([\w-]+)['\"].*", line)
        if match is None or match[3] != extra:
            continue
        if match[1] == _DISTRIBUTION:
            missing |= dict.fromkeys(name for inner in match[2].split(",") for name in _missing(inner, lines))
        elif _version(match[1]) is None:
            missing[match[1]] = None
    return list(missing)


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def check_project(problems: list[Problem]) -> str | None:
    """Return the settings module of the project, None if there is no project.

    ``custom_settings`` of spiders are not checked.
    """
    if not closest_scrapy_cfg() and "SCRAPY_SETTINGS_MODULE" not in os.environ:
        return None
    try:
        settings = get_project_settings()
    except Exception as error:  # noqa: BLE001  the module is the user's code
        problems.append(Problem("broken", f"The settings of the project cannot be loaded: {error!r}"))
    else:
        problems += _problems_of(settings)
    return os.environ.get("SCRAPY_SETTINGS_MODULE") or closest_scrapy_cfg()


def _problems_of(settings: BaseSettings) -> list[Problem]:
    try:
        addons = [load_object(each) for each, order in settings.getdict("ADDONS").items() if order is not None]
        has_addon = any(isinstance(each, type) and issubclass(each, Addon) for each in addons)
        enabled = is_enabled(settings)
        missing = [component for component in COMPONENTS if not component.is_in(settings)]
    except (ImportError, NameError, TypeError, ValueError) as error:  # SettingsError is a ValueError
        return [Problem("broken", str(error))]
    if not enabled:
        return _problems_if_off(settings, has_parts=has_addon or len(missing) < len(COMPONENTS))
    problems = []
    if missing and not has_addon:
        names = " and ".join(f"{component.setting} has no {component.path}" for component in missing)
        why = "ADDONS has no add-on" if missing == list(COMPONENTS) else names
        problems.append(Problem("broken", f"SEMTEXT_ENABLED is True, but items are not filled: {why}. {ADVICE}"))
    try:
        _load(settings, has_addon=has_addon)
    except (SettingsError, BundleError) as error:
        problems.append(Problem("broken", str(error)))
    except Exception as error:  # noqa: BLE001  a user's own extractor may raise anything
        problems.append(Problem("broken", f"A crawl cannot start: {error!r}"))
    return problems


def _problems_if_off(settings: BaseSettings, *, has_parts: bool) -> list[Problem]:
    if settings.get("SEMTEXT_ENABLED") is not None:
        return []
    if has_parts:
        return [Problem("hint", "SEMTEXT_ENABLED is not set, so items are not filled: set SEMTEXT_ENABLED = True")]
    return [Problem("hint", f"The project does not use scrapy-semtext: set SEMTEXT_ENABLED = True. {ADVICE}")]


def _load(settings: BaseSettings, *, has_addon: bool) -> None:
    """Do what a crawl does before its first request, except starting worker processes; raise the same errors."""
    if has_addon:
        with suppress(NotConfigured):
            Addon().update_settings(settings)
    warn_about_names(settings)
    QASettings.read(settings)
    own = replace(SemtextSettings.read(settings), processes=0)
    load_reader(own, default_options(own))


def cost(extractor: Extractor, body: bytes | None = None) -> dict[str, float]:
    """Return the CPU time of a page, and of parsing it with lxml: medians in milliseconds, measured for three seconds.

    Without ``body`` each page is a different one, generated from the same words. The first run, which loads everything
    that is loaded on first use, is not counted.
    """
    given = None if body is None else html_text(body)
    extractor.read(sample_page(0))
    reading: list[float] = []
    parsing: list[float] = []
    sizes: list[int] = []
    end = time.monotonic() + _MEASURED_SECONDS
    for number in count(1):
        html = sample_page(number) if given is None else given
        parsing.append(seconds_of(parse_alone, html))
        reading.append(seconds_of(extractor.read, html))
        sizes.append(size_in_bytes(html))
        if number >= _MIN_MEASUREMENTS and time.monotonic() > end:
            break
    ms, parse_ms = 1000 * median(reading), 1000 * median(parsing)
    return {"ms": ms, "parse_ms": parse_ms, "lxml_parses": ms / parse_ms, "bytes": median(sizes), "pages": len(sizes)}


def parse_alone(html: str) -> Any:
    """Parse a page with lxml, which is the unit of costs."""
    return etree.fromstring(html.encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8", huge_tree=True))


def seconds_of(function: Callable[..., Any], *arguments: Any) -> float:
    """Return the CPU seconds of a call."""
    began = time.process_time()
    function(*arguments)
    return time.process_time() - began


def size_in_bytes(html: str) -> int:
    """Return the size of a page in UTF-8."""
    return len(html.encode("utf-8", "replace"))


def sample_page(seed: int) -> str:
    """Return an article with menus, cards and a footer: about 125 KB, 1,800 elements and 2,700 words.

    Its words are those of the model card, in an order that depends on ``seed``.
    """
    chance = random.Random(seed)  # noqa: S311  no secret

    def some(number: int) -> str:
        return " ".join(chance.choices(_vocabulary(), k=number))

    menu = "".join(f"<li class='nav-item'><a href='/{n}'>{_ICON}<span>{some(2)}</span></a></li>" for n in range(80))
    text = "".join(f"<h2>{some(5)}</h2><p>{some(60)} <a href='/a/{n}'>{some(3)}</a>.</p>" for n in range(28))
    card = "<div class='col-12 card'><div class='card-body p-3'>{}<h3><a href='/p'>{}</a></h3></div></div>"
    cards = "".join(card.format(_ICON, some(6)) for _ in range(75))
    return (
        f"<!DOCTYPE html><html lang='en'><head><title>{some(7)} | Site</title><style>{_STYLE * 300}</style><script>"
        f"{_SCRIPT * 400}</script></head><body><nav class='menu'><ul>{menu}</ul></nav><main><article><h1>{some(7)}</h1>"
        f"{text}</article></main><aside>{cards}</aside><footer><ul>{menu}</ul></footer></body></html>"
    )


@cache
def _vocabulary() -> list[str]:
    """Return the words of the model card with repetitions, so that frequent words stay frequent."""
    return re.findall(r"[A-Za-z]{2,}", (SHIPPED / "MODEL_CARD.md").read_text(encoding="utf-8"))
