"""Loads what reads the pages of a crawl: an extractor, or worker processes with one each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.utils.misc import load_object

from scrapy_semtext.inference.storage import BundleError
from scrapy_semtext.integration.batches import PageReader, UnsupportedRulesError, loaded
from scrapy_semtext.integration.processes.messages import Setup, wanted_level
from scrapy_semtext.integration.processes.pool import SetupError, WorkerPool
from scrapy_semtext.integration.setting_values import SettingsError
from scrapy_semtext.results import OF_EXTRAS
from scrapy_semtext.utils.extras import MissingExtraError

if TYPE_CHECKING:
    from scrapy_semtext.extractor import Options
    from scrapy_semtext.integration.settings import SemtextSettings


def load_reader(settings: SemtextSettings, options: Options) -> PageReader:
    """Load the class that SEMTEXT_EXTRACTOR names, here or in SEMTEXT_PROCESSES workers.

    Raises SettingsError for invalid settings, BundleError if the shipped model cannot be loaded.
    """
    kind = _extractor_class(settings)
    arguments = {"bundle": settings.bundle, "device": settings.device}
    try:
        level, tuning = wanted_level(), settings.process_tuning
        setup = Setup(kind, arguments, options, level, tuning, settings.sites, settings.limits)
        return WorkerPool(setup, settings.processes) if settings.processes else loaded(setup)
    except MissingExtraError as error:
        raise SettingsError(f"{_reason_for_metadata(settings)}, but {error}") from error
    except UnsupportedRulesError as error:
        raise SettingsError(f"SEMTEXT_SITES is set, but {error}") from error
    except SetupError as error:
        raise SettingsError(f"SEMTEXT_PROCESSES is {settings.processes}, but {error}") from error
    except BundleError as error:
        given = [f"SEMTEXT_{name.upper()} is {value!r}" for name, value in arguments.items() if value]
        given = [text for text in given if text != "SEMTEXT_DEVICE is 'auto'"]
        if not given:
            raise
        raise SettingsError(f"{' and '.join(given)}, but: {error}") from error


def _extractor_class(settings: SemtextSettings) -> Any:
    try:
        kind = load_object(settings.extractor)
    except (ImportError, NameError, TypeError, ValueError) as error:
        raise SettingsError(f"SEMTEXT_EXTRACTOR is {settings.extractor!r}, which cannot be loaded: {error}") from error
    if not callable(getattr(kind, "load", None)):
        raise SettingsError(f"SEMTEXT_EXTRACTOR is {settings.extractor!r}, which has no class method load()")
    return kind


def _reason_for_metadata(settings: SemtextSettings) -> str:
    for option in ("metadata", "details"):
        if settings.options.get(option):
            return f"{option} in SEMTEXT_OPTIONS is True"
    return f"SEMTEXT_FIELDS has {', '.join(name for name in OF_EXTRAS['metadata'] if name in settings.fields)}"
