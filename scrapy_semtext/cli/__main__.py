"""`python -m scrapy_semtext.cli`: the command ``semtext``."""

import sys

from scrapy_semtext.cli import main

sys.exit(main())
