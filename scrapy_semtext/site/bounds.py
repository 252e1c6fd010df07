"""How much is remembered of sites, and what a site is: numbers and names that settings need without loading NumPy."""

from __future__ import annotations

from typing import Literal

#: Blocks of a site that are remembered by default, and the least that a template can do with.
SIZE = 4096
LEAST_SIZE = 16

#: Sites that are remembered by default.
SITES = 64

#: What a site is: all pages of one host, "www." aside, or of one registered domain.
SiteKind = Literal["host", "domain"]
SITE_KINDS: tuple[SiteKind, ...] = ("host", "domain")
