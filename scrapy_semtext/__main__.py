"""``python -m scrapy_semtext``: the same as the command ``semtext``."""

from __future__ import annotations

import sys

from scrapy_semtext.cli import main

if __name__ == "__main__":
    sys.exit(main())
