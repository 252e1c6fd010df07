"""Run an experiment of the SemText paper again: cleaneval, ablation or community (see docs/experiments.md).

Trained bundles and word vectors are kept in --out, so that an interrupted experiment goes on; what they are is for
measuring alone, as pages of any licence are used. Needs the extra scrapy-semtext[train].
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.outputs import write_out
from scrapy_semtext.cli.trainings import add_data_argument, training_errors

if TYPE_CHECKING:
    import argparse

EXPERIMENTS = ("cleaneval", "ablation", "community")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("name", choices=EXPERIMENTS, metavar="NAME", help="cleaneval, ablation or community")
    add_data_argument(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="for the tables and the bundles")
    parser.add_argument("--seed", type=int, default=1, help="(%(default)s)")
    parser.add_argument("--device", default="cpu", help="cpu (the default), cuda, or another of torch's names")
    quick = parser.add_argument_group("a quick look")
    quick.add_argument("--epochs", type=int, help="instead of the experiment's own number")
    quick.add_argument("--every", type=int, default=1, metavar="N", help="learn from each Nth page alone (%(default)s)")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    with training_errors():
        from scrapy_semtext.training.bootstrap import DRAWS
        from scrapy_semtext.training.comparison import summary
        from scrapy_semtext.training.experiments.trials import Trials
        from scrapy_semtext.training.tables import comparison_table

        trials = Trials(out, arguments.seed, arguments.device, sys.stderr.isatty(), arguments.epochs, arguments.every)
        module = import_module(f"scrapy_semtext.training.experiments.{arguments.name}")
        values = summary(module.run(arguments.data, trials), DRAWS, seed=0)
    text = "\n".join([*trials.notes, "", comparison_table(values)])
    (out / "table.md").write_text(text, encoding="utf-8")
    table = {"data": [path.name for path in arguments.data], "notes": trials.notes, "systems": values}
    (out / "table.json").write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")
    write_out(text.rstrip("\n"))
    return 0
