"""Reads pages from standard input, a line of JSON each, and prints the fingerprints of their readings."""

from __future__ import annotations

import json
import sys

from research.fuzzing import invariants
from research.fuzzing.targets import EVERYTHING, RULES
from scrapy_semtext.extractor import Extractor, Source
from scrapy_semtext.site.rules import SiteRules


def main() -> None:
    """Answer until standard input ends."""
    extractor = Extractor.load(device="cpu")
    extractor.sites = SiteRules.of(RULES)
    for line in sys.stdin:
        html, url = json.loads(line)
        (page,) = extractor.read_many([Source(html, url, EVERYTHING)])
        sys.stdout.write(json.dumps(invariants.fingerprint(page)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
