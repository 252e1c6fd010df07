"""`scrapy shell` with `page_of`."""

from __future__ import annotations

from typing import Any

from scrapy.commands import shell

from scrapy_semtext.integration.pages import page_of
from scrapy_semtext.integration.setting_values import is_enabled


class Command(shell.Command):
    """Scrapy's own command, with ``page_of`` among the variables of the shell if the package is enabled."""

    def update_vars(self, vars: dict[str, Any]) -> None:  # noqa: A002  Scrapy's name
        """Add page_of."""
        if is_enabled(vars["settings"]):
            vars["page_of"] = page_of
