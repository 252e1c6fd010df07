"""Settings of the project that a spider adds to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.settings import SETTINGS_PRIORITIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import BaseSettings


def add_to_dict(settings: BaseSettings, name: str, values: Mapping[str, Any], *, wins: bool = False) -> None:
    """Add values to a setting that is a dict; where the setting has them already, they stay unless ``wins``.

    The result has the priority of the setting, for instance that of the command line, but at least that of a spider.
    """
    own = settings.getdict(name)
    priority = max(settings.getpriority(name) or 0, SETTINGS_PRIORITIES["spider"])
    settings.set(name, {**own, **values} if wins else {**values, **own}, priority)
