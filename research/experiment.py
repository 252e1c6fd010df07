"""The command line of the experiments of the SemText paper."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from research.bootstrap import RESAMPLES
from research.tables import comparison_table, summarize
from research.trials import Trials
from scrapy_semtext.cli.annotated_pages import add_data_argument, reported_errors
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.outputs import write_out

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from research.measuring import SystemScores

    Experiment = Callable[[Sequence[Path], Trials], dict[str, SystemScores]]


def main(experiment: Experiment, doc: str | None, arguments: Sequence[str] | None = None) -> int:
    """Run an experiment, print its tables and write them to --out; return the exit status.

    Trained bundles and word vectors are kept in --out, so that an interrupted experiment can be resumed. The bundles
    are for measurements only, since pages of any licence are used.
    """
    chosen = _parser(doc).parse_args(arguments)
    out: Path = chosen.out
    out.mkdir(parents=True, exist_ok=True)
    trials = Trials(out, chosen.seed, chosen.device, sys.stderr.isatty(), chosen.epochs, chosen.every)
    try:
        with reported_errors():
            values = summarize(experiment(chosen.data, trials), RESAMPLES, seed=0)
    except CommandError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    text = "\n".join([*trials.notes, "", comparison_table(values)])
    (out / "table.md").write_text(text, encoding="utf-8")
    table = {"data": [path.name for path in chosen.data], "notes": trials.notes, "systems": values}
    (out / "table.json").write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")
    write_out(text.rstrip("\n"))
    return 0


def _parser(doc: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=doc)
    add_data_argument(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="for the tables and the bundles")
    parser.add_argument("--seed", type=int, default=1, help="random seed (%(default)s)")
    parser.add_argument("--device", default="cpu", help="cpu (the default), cuda, or another name of a torch device")
    quick = parser.add_argument_group("for a quick run")
    quick.add_argument("--epochs", type=int, help="instead of the experiment's own number")
    quick.add_argument("--every", type=int, default=1, metavar="N", help="train on every Nth page only (%(default)s)")
    return parser
