"""What ``semtext doctor`` checks: the installation, the model, and the project in this folder."""

from __future__ import annotations

import logging
import os
import platform
import warnings
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import metadata
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lxml import etree
from scrapy.exceptions import NotConfigured
from scrapy.utils.conf import closest_scrapy_cfg
from scrapy.utils.misc import load_object
from scrapy.utils.project import get_project_settings

from scrapy_semtext.integration.addon import ADVICE, COMPONENTS, Addon, missing_components, missing_text
from scrapy_semtext.integration.service import load_reader
from scrapy_semtext.integration.setting_values import SettingsError, is_enabled
from scrapy_semtext.integration.settings import QASettings, SemtextSettings, default_options, warn_about_names
from scrapy_semtext.models.storage import BundleError
from scrapy_semtext.utils.extensions import extensions_note, missing_extensions
from scrapy_semtext.utils.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

    from scrapy_semtext.extractor import Extractor


#: The libraries whose versions are shown; those from torch on are of extras.
_LIBRARIES = (
    *(
        "numpy",
        "lxml",
        "Scrapy",
        "parsel",
        "torch",
        "datasketch",
        "fasttext",
        "lightgbm",
        "mcp",
        "py3langid",
        "pyarrow",
    ),
    *("pyyaml", "scrapy-playwright", "scrapy-poet", "scrapy-spider-metadata", "warcio", "zyte-common-items"),
)


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
    """Return versions, and whether the extensions are compiled."""
    missing = missing_extensions()
    if missing:
        problems.append(Problem("hint", extensions_note()))
    python = f"{platform.python_version()}, {platform.system()} {platform.machine()}"
    versions = {"scrapy-semtext": __version__, "Python": python}
    versions |= {name: _version(name) or "not installed" for name in _LIBRARIES}
    versions["lxml"] += f", libxml2 {'.'.join(map(str, etree.LIBXML_VERSION))}"
    compiled = f"not compiled: {', '.join(missing)}" if missing else "compiled"
    return {"versions": versions, "extensions": compiled}


def load_model(problems: list[Problem]) -> Extractor | None:
    """Return the shipped model, None if it cannot be loaded."""
    from scrapy_semtext.extractor import Extractor

    try:
        return Extractor.load()
    except (ImportError, OSError, ValueError) as error:  # BundleError is a ValueError
        problems.append(Problem("broken", f"The shipped model cannot be loaded: {error}"))
        return None


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
        has_addon = _has_addon(settings)
        enabled, missing = is_enabled(settings), missing_components(settings)
    except (ImportError, NameError, TypeError, ValueError) as error:  # SettingsError is a ValueError
        return [Problem("broken", str(error))]
    if not enabled:
        return _problems_if_off(settings, has_parts=has_addon or len(missing) < len(COMPONENTS))
    problems = _problems_at_start(settings, has_addon=has_addon)
    if missing and not has_addon:
        why = "ADDONS has no add-on" if len(missing) == len(COMPONENTS) else missing_text(missing)
        text = f"SEMTEXT_ENABLED is True, but items are not filled: {why}. {ADVICE}"
        problems.insert(0, Problem("broken", text))
    return problems


def _has_addon(settings: BaseSettings) -> bool:
    addons = [load_object(each) for each, order in settings.getdict("ADDONS").items() if order is not None]
    return any(isinstance(each, type) and issubclass(each, Addon) for each in addons)


def _problems_if_off(settings: BaseSettings, *, has_parts: bool) -> list[Problem]:
    if settings.get("SEMTEXT_ENABLED") is not None:
        return []
    if has_parts:
        return [Problem("hint", "SEMTEXT_ENABLED is not set, so items are not filled: set SEMTEXT_ENABLED = True")]
    return [Problem("hint", f"The project does not use scrapy-semtext: set SEMTEXT_ENABLED = True. {ADVICE}")]


def _problems_at_start(settings: BaseSettings, *, has_addon: bool) -> list[Problem]:
    """Do what a crawl does before its first request, except starting worker processes; return its errors."""
    try:
        if has_addon:
            with suppress(NotConfigured):
                Addon().update_settings(settings)
        warn_about_names(settings)
        QASettings.read(settings)
        own = replace(SemtextSettings.read(settings), processes=0)
        load_reader(own, default_options(own))
    except (SettingsError, BundleError) as error:
        return [Problem("broken", str(error))]
    except Exception as error:  # noqa: BLE001  a user's own extractor may raise anything
        return [Problem("broken", f"A crawl cannot start: {error!r}")]
    return []
