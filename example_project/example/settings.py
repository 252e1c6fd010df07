"""The settings of the example project."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

BOT_NAME = "example"
SPIDER_MODULES = ["example.spiders"]

# These two switch scrapy-semtext on; a project of your own needs no more.
ADDONS = {"scrapy_semtext.Addon": 300}
SEMTEXT_ENABLED = True

# Where the items go.
OUTPUT = Path(os.environ.get("EXAMPLE_OUTPUT") or Path(__file__).parent.parent / "output").resolve()
FEEDS = {OUTPUT / "items.jsonl": {"format": "jsonlines", "encoding": "utf8", "overwrite": True}}

# Near-identical pairs are found with a library that brings SciPy (143 MB), so it is not in the extra "example".
CAN_DEDUP = find_spec("datasketch") is not None

EXTENSIONS = {"example.extensions.SiteServer": 100}

LOG_LEVEL = "INFO"  # DEBUG would log every request and item
ROBOTSTXT_OBEY = True
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
