"""Fine-tune the shipped model to one site from labeled pages, in seconds.

LABELS are files of `semtext label`, with about 3 to 20 pages of one site that are marked as done. The result is tested
on labeled pages that it was not learned from, and written only if it is better there. Neither torch nor a compiler is
needed.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.labeled_sites import (
    add_label_arguments,
    gain_text,
    labeled_sites,
    load_examples,
    write_rule,
)
from scrapy_semtext.cli.models import add_model_arguments, load_extractor
from scrapy_semtext.utils.version import __version__

if TYPE_CHECKING:
    import argparse

    from scrapy_semtext.tuning import Gain


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_label_arguments(parser, "add the model to the site's rule in this file")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="DIR", help="the folder of the site model")
    parser.add_argument("--force", action="store_true", help="write the model even if it is not known to be better")
    add_model_arguments(parser, markup=False)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from scrapy_semtext.tuning import tune

    sites = labeled_sites(arguments)
    if len(sites) > 1:
        raise CommandError(f"A model is for one site; select it with --site: {', '.join(sorted(sites))}")
    ((site, pages),) = sites.items()
    extractor = load_extractor(arguments)
    model, gain = tune(load_examples(pages, extractor), extractor)
    sys.stdout.write(f"{site or 'pages without a URL'}: {gain_text(gain)}\n")
    if not arguments.force and (gain is None or not gain.is_better):
        raise CommandError("The model is not written. Label more pages, or use --force.")
    path = replace(model, about=_about(site, len(pages), gain)).save(arguments.output)
    sys.stderr.write(f"{path} is written, with {len(model.shifts)} shifts\n")
    if arguments.rules is not None and site:
        folder = Path(os.path.relpath(arguments.output, arguments.rules.parent))  # relative to the file of rules
        write_rule(arguments.rules, site, {"model": folder.as_posix()})
    else:
        sys.stderr.write(f'Use it with SEMTEXT_SITES = {{"{site or "HOST"}": {{"model": "{arguments.output}"}}}}\n')
    return 0


def _about(site: str, pages: int, gain: Gain | None) -> dict[str, Any]:
    about: dict[str, Any] = {"site": site, "pages": pages, "date": str(date.today()), "version": __version__}
    if gain is not None:
        about["word_f1"] = [round(float(gain.before.mean()), 4), round(float(gain.after.mean()), 4)]
        about["gain"] = [round(value, 4) for value in gain.interval()]
    return about
