"""Limits of the site templates and kinds of site. Settings import them without loading NumPy."""

from __future__ import annotations

from typing import Literal

#: The default and the minimum number of blocks that a template stores.
SIZE = 4096
LEAST_SIZE = 16

#: The default number of sites that are stored.
SITES = 64

#: The meaning of a site: all pages of one host, ignoring "www.", or of one registered domain.
SiteKind = Literal["host", "domain"]
SITE_KINDS: tuple[SiteKind, ...] = ("host", "domain")
