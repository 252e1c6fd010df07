"""Read hostile pages for some minutes: ``python -m research.fuzzing --seed N --minutes M``.

What breaks is kept in --out, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from research.fuzzing.campaign import Campaign, gate_pages
from research.fuzzing.links import crawl_hostile_site


def main() -> int:
    """Run a campaign and print its figures."""
    parser = argparse.ArgumentParser(description="Read hostile pages, and check what has to hold.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--inputs", type=int, default=sys.maxsize, help="stop earlier after as many inputs")
    parser.add_argument("--out", type=Path, default=Path("fuzzing-found"), help="for the pages that break something")
    parser.add_argument("--extremes", action="store_true", help="read the largest and deepest pages instead, each once")
    parser.add_argument("--links", type=int, metavar="N", help="crawl a site with N hostile links instead")
    arguments = parser.parse_args()
    if arguments.links is not None:
        return _crawl(arguments.seed, arguments.links)
    campaign = Campaign(arguments.seed, arguments.out, gate_pages())
    if arguments.extremes:
        campaign.run_extremes()
    else:
        campaign.run(arguments.minutes, arguments.inputs)
    sys.stdout.write(campaign.report())
    return 1 if campaign.found else 0


def _crawl(seed: int, links: int) -> int:
    began = time.monotonic()
    done = crawl_hostile_site(seed, links)
    seconds = time.monotonic() - began
    sys.stdout.write(f"{done.links:,} links, {done.requests:,} requests, {seconds:.0f} s\n{done.printed}")
    sys.stdout.write(f"violations: {len(done.violations)}\n" + "".join(f"  {each}\n" for each in done.violations[:50]))
    return 1 if done.violations else 0


if __name__ == "__main__":
    sys.exit(main())
