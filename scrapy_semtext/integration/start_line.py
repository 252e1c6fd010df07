"""What reads the pages of a crawl, on one line for its log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_semtext.integration.settings import DEFAULT_EXTRACTOR
from scrapy_semtext.labelers.registry import LABELLERS
from scrapy_semtext.results import OF_OPTIONS
from scrapy_semtext.utils.extensions import extensions_note
from scrapy_semtext.utils.version import __version__

if TYPE_CHECKING:
    from scrapy_semtext.extractor import Options
    from scrapy_semtext.integration.batches import PageReader
from scrapy_semtext.integration.settings import SemtextSettings


def start_line(settings: SemtextSettings, options: Options, reader: PageReader) -> str:
    """Return version, labeller, model, device and extensions, and the results that no field or option asks for.

    For example ``scrapy-semtext 0.1.0: labeller semtext, bundled model, cpu, compiled extensions; not asked for:
    records, sections, metadata, markdown``.
    """
    device = str(getattr(reader, "device", settings.device))  # an extractor of the user's own may have none
    parts = [
        f"labeller {options.labeller or LABELLERS[0]}",
        f"model {settings.bundle}" if settings.bundle else "bundled model",
        _processes(settings.processes, device),
        extensions_note(),
    ]
    if settings.extractor != DEFAULT_EXTRACTOR:
        parts.insert(0, f"extractor {_name(settings.extractor)}")
    unasked = ", ".join(option for option in OF_OPTIONS if not getattr(options, option))
    return f"scrapy-semtext {__version__}: {', '.join(parts)}{unasked and f'; not asked for: {unasked}'}"


def _processes(count: int, device: str) -> str:
    return f"{count} process{'es' * (count > 1)} on {device}" if count else device


def _name(kind: Any) -> str:
    return kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}"
