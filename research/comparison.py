"""Compare systems on annotated pages: configurations of this package, and extractors of other packages.

    python -m research.comparison DATA... --no-markup --systems semtext,semtext:viterbi,trafilatura --out results

It prints scores by page type or language, with 95 % bootstrap intervals over pages and differences to the first
system. By default the pages are those of the domains that were held out of the training of the bundles.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from research.data_command import run_command
from research.measuring import Selection, measure_systems
from research.systems import Own, find_systems, unseen
from research.tables import comparison_table, summarize
from scrapy_semtext.cli.evaluate import PAGE_OPTIONS
from scrapy_semtext.cli.models import add_model_arguments, options_of
from scrapy_semtext.cli.terminal import CommandError, write_out
from scrapy_semtext.cli.train import DataCommand
from scrapy_semtext.train.evaluate import group_of

if TYPE_CHECKING:
    import argparse

#: Bootstrap resamples for the intervals, and their random seed.
DRAWS, SEED = 2000, 0

OPTIONS: dict[str, dict[str, Any]] = {
    **PAGE_OPTIONS,
    "--systems": {
        "metavar": "A,B,...",
        "default": "semtext",
        "help": "what to compare: semtext, semtext:viterbi, semtext:FOLDER (a bundle), trafilatura and other extractors"
        " (%(default)s)",
    },
    "--bundles": {
        "nargs": "+",
        "type": Path,
        "metavar": "DIR",
        "help": "a bundle for each fold of the domains: every page is read by the one that held its domain out",
    },
    "--out": {"type": Path, "metavar": "DIR", "help": "write table.md and table.json there"},
}


def _work(arguments: argparse.Namespace, *, progress: bool) -> None:
    if arguments.bundles and arguments.bundle:
        raise CommandError("--bundle is one bundle for all pages, --bundles one for each fold: give one of them.")
    arguments.no_pairs = arguments.no_sections = arguments.no_kinds = True  # the main text does not depend on them
    own = Own(tuple(arguments.bundles or (arguments.bundle,)), arguments.device, options_of(arguments))
    systems = find_systems(arguments.systems.split(","), own)
    selection = Selection(tuple(arguments.data), () if arguments.all_domains else unseen(systems, own))
    scores = measure_systems(systems, selection, arguments.out, progress=progress)
    groups = [group_of(page, arguments.by) for page in selection.pages()]
    values = summarize(scores, DRAWS, SEED, groups)
    text = f"{_which_pages(arguments, selection)}\n\n{comparison_table(values, arguments.by)}"
    if arguments.out:
        _save(arguments, selection, values, text)
    write_out(text.rstrip("\n"))


def _which_pages(arguments: argparse.Namespace, selection: Selection) -> str:
    """Return a sentence that says which pages were read."""
    names = ", ".join(path.name for path in arguments.data)
    if arguments.all_domains:
        return f"All pages of {names}, whether or not a bundle was trained on them."
    if selection.folds:
        return f"The pages of {names} whose domains were held out of training."
    return f"All pages of {names}, each read by the bundle whose training held its domain out."


def _save(arguments: argparse.Namespace, selection: Selection, values: dict[str, dict[str, Any]], text: str) -> None:
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    (out / "table.md").write_text(text, encoding="utf-8")
    table = {"pages": _which_pages(arguments, selection), "by": arguments.by, "draws": DRAWS, "systems": values}
    (out / "table.json").write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")


_COMMAND = DataCommand(_work, __doc__ or "", OPTIONS, add_model_arguments)
main = partial(run_command, "research.comparison", _COMMAND)


if __name__ == "__main__":
    sys.exit(main())
