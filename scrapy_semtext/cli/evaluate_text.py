"""Measure the main text on annotated pages: word precision, recall and F1 by page type or language.

By default it measures the model on the domains that were held out of its training. --systems compares configurations of
this package and extractors of other packages, with 95 % bootstrap intervals over pages and differences to the first.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.annotated_pages import add_data_argument, reported_errors, write_table
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.models import add_model_arguments, load_extractor, options_of
from scrapy_semtext.cli.outputs import write_out

if TYPE_CHECKING:
    import argparse

    from scrapy_semtext.training.comparison import Selection

#: Bootstrap resamples for the intervals, and their random seed.
DRAWS, SEED = 2000, 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    parser.add_argument(
        "--all-domains",
        action="store_true",
        help="use every page, not only those of the domains that were held out of the training of the model",
    )
    parser.add_argument(
        "--by",
        choices=("type", "lang"),
        default="type",
        help="group pages by page type or by the language of their text (%(default)s)",
    )
    comparing = parser.add_argument_group("comparing systems")
    comparing.add_argument(
        "--systems",
        metavar="A,B,...",
        help="what to compare: semtext, semtext:viterbi, semtext:FOLDER (a bundle), trafilatura and other extractors",
    )
    comparing.add_argument(
        "--peers",
        metavar="MODULE",
        help="a module with the extractors of other packages (default: research.peers in a checkout of the repository)",
    )
    comparing.add_argument(
        "--bundles",
        nargs="+",
        type=Path,
        metavar="DIR",
        help="a bundle for each fold of the domains: every page is read by the one that held its domain out",
    )
    comparing.add_argument("--out", type=Path, metavar="DIR", help="write table.md and table.json there")
    add_model_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    arguments.no_pairs = arguments.no_sections = arguments.no_kinds = True  # the main text does not depend on them
    if arguments.systems or arguments.bundles or arguments.out:
        return _compare(arguments)
    extractor = load_extractor(arguments)
    with reported_errors():
        from scrapy_semtext.training.evaluate import evaluate
        from scrapy_semtext.training.systems import kept_out

        folds = () if arguments.all_domains else kept_out(arguments.bundle, arguments.labeler)
        groups = evaluate(arguments.data, extractor, folds=folds, by=arguments.by, progress=sys.stderr.isatty())
    write_table(groups)
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    if arguments.bundles and arguments.bundle:
        raise CommandError("--bundle is one bundle for all pages, --bundles one for each fold: give one of them.")
    with reported_errors():
        from scrapy_semtext.training.comparison import Selection, comparison_table, group_of, measure_systems, summarize
        from scrapy_semtext.training.systems import Own, find_systems, load_peers, unseen

        bundles = tuple(arguments.bundles or (arguments.bundle,))
        own = Own(bundles, arguments.device, options_of(arguments))
        names = (arguments.systems or "semtext").split(",")
        systems = find_systems(names, own, load_peers(arguments.peers))
        folds = () if arguments.all_domains else unseen(systems, own)
        selection = Selection(tuple(arguments.data), folds)
        scores = measure_systems(systems, selection, arguments.out, progress=sys.stderr.isatty())
        groups = [group_of(page, arguments.by) for page in selection.pages()]
        values = summarize(scores, DRAWS, SEED, groups)
        text = f"{_which_pages(arguments, selection)}\n\n{comparison_table(values, arguments.by)}"
        if arguments.out:
            _save(arguments, selection, values, text)
    write_out(text.rstrip("\n"))
    return 0


def _which_pages(arguments: argparse.Namespace, selection: Selection) -> str:
    """A sentence on which pages were read."""
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
    table = {
        "pages": _which_pages(arguments, selection),
        "by": arguments.by,
        "data": [path.name for path in arguments.data],
        "draws": DRAWS,
        "seed": SEED,
        "systems": values,
    }
    (out / "table.json").write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")
