"""Derive a rule for a site from labeled pages: selectors of what the model wrongly keeps or drops.

LABELS are files of `semtext label`. The rule of each site is shown with the corrections on the labeled pages, and its
gain on labeled pages that it was not derived from. With --rules it is written after confirmation.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.models import add_model_arguments, load_extractor
from scrapy_semtext.cli.terminal import counted
from scrapy_semtext.cli.tune import (
    add_label_arguments,
    gain_text,
    labeled_sites,
    write_rule,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from scrapy_semtext.tuning import Correction, Gain


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_label_arguments(parser, "add the rule to this file; without it, the rule is only shown")
    parser.add_argument(
        "--yes", action="store_true", help="do not ask before writing rules that are better on held-out pages"
    )
    add_model_arguments(parser, markup=False)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from scrapy_semtext.tuning import derive, examples_of

    sites = labeled_sites(arguments)
    extractor = load_extractor(arguments)
    for site, pages in sites.items():
        examples = examples_of(pages, extractor, templates=arguments.site_templates)
        corrections, gain = derive(examples, extractor)
        _show(site, corrections, gain, len(pages))
        if corrections and arguments.rules is not None and _is_agreed(arguments, site, gain):
            write_rule(arguments.rules, site, _values(corrections))
    return 0


def _show(site: str, corrections: Sequence[Correction], gain: Gain | None, pages: int) -> None:
    write = sys.stdout.write
    name = site or "pages without a URL"
    if not corrections:
        write(f"{name}: no selector corrects anything on its {counted(pages, 'labeled page')}\n")
        return
    write(f"{name}, {counted(pages, 'labeled page')}:\n")
    for each in corrections:
        effect = f"{counted(each.words, 'word')} corrected, found on {counted(each.pages, 'page')}"
        write(f"  {each.action}  {each.selector}    {effect}\n")
    write(f"  {gain_text(gain)}\n")
    write(f"  {json.dumps({site: _values(corrections)}, ensure_ascii=False)}\n")


def _values(corrections: Sequence[Correction]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for each in corrections:
        values.setdefault(each.action, []).append(each.selector)
    return values


def _is_agreed(arguments: argparse.Namespace, site: str, gain: Gain | None) -> bool:
    """Ask whether to write a rule. Without a terminal, --yes is required and applies only to improvements."""
    if not site:
        sys.stderr.write("A rule needs the URL of its site: label pages whose URL is known.\n")
        return False
    is_better = gain is not None and gain.is_better
    if arguments.yes or not sys.stdin.isatty():
        if arguments.yes and is_better:
            return True
        reason = "it is not known to be better" if arguments.yes else "--yes was not given"
        sys.stderr.write(f"The rule of {site} is not written, because {reason}.\n")
        return False
    choice = "Y/n" if is_better else "y/N"
    sys.stderr.write(f"Write the rule of {site} to {arguments.rules}? [{choice}] ")
    sys.stderr.flush()
    answer = sys.stdin.readline().strip().lower()
    return answer in ("y", "yes") if answer else is_better
