"""The settings of the Scrapy project in the current folder."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured
from scrapy.utils.conf import closest_scrapy_cfg
from scrapy.utils.misc import load_object
from scrapy.utils.project import get_project_settings

from scrapy_semtext.cli.doctor.environment import Problem
from scrapy_semtext.inference.storage import BundleError
from scrapy_semtext.integration.addon import Addon
from scrapy_semtext.integration.components import ADVICE, COMPONENTS
from scrapy_semtext.integration.qa_settings import QASettings
from scrapy_semtext.integration.reader_loading import load_reader
from scrapy_semtext.integration.request_options import default_options
from scrapy_semtext.integration.settings import SemtextSettings, SettingsError, is_enabled, warn_about_names

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


def check_project(problems: list[Problem]) -> str | None:
    """Return the settings module of the project, None if there is no project.

    ``custom_settings`` of spiders are not checked.
    """
    if not closest_scrapy_cfg() and "SCRAPY_SETTINGS_MODULE" not in os.environ:
        return None
    try:
        settings = get_project_settings()
    except Exception as error:  # noqa: BLE001  the module is code of the user's
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
    except Exception as error:  # noqa: BLE001  an extractor of the user's own may raise anything
        problems.append(Problem("broken", f"A crawl cannot start: {error!r}"))
    return problems


def _problems_if_off(settings: BaseSettings, *, has_parts: bool) -> list[Problem]:
    if settings.get("SEMTEXT_ENABLED") is not None:
        return []
    if has_parts:
        return [Problem("hint", "SEMTEXT_ENABLED is not set, so items are not filled: set SEMTEXT_ENABLED = True")]
    return [Problem("hint", f"The project does not use scrapy-semtext: set SEMTEXT_ENABLED = True. {ADVICE}")]


def _load(settings: BaseSettings, *, has_addon: bool) -> None:
    """Do what a crawl does before its first request, but for worker processes; raise what makes it fail."""
    if has_addon:
        with suppress(NotConfigured):
            Addon().update_settings(settings)
    warn_about_names(settings)
    QASettings.read(settings)
    own = replace(SemtextSettings.read(settings), processes=0)
    load_reader(own, default_options(own))
