"""The commands of ``semtext``, each a module with ``add_arguments(parser)`` and ``run(arguments) -> exit status``.

A module's docstring is the command's help. Torch is imported by ``run``, so that help and mistakes come at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from scrapy_semtext.cli import (
    batch,
    benchmark,
    benchmark_crawl,
    ceiling,
    evaluate,
    evaluate_kinds,
    evaluate_pairs,
    evaluate_site,
    experiment,
    extract,
    site,
    train,
    train_kinds,
    train_pairs,
    train_sections,
    train_structure,
    view,
)

if TYPE_CHECKING:
    import argparse


class Command(Protocol):
    """What a command's module has."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Run the command and return its exit status."""


#: The commands by name, in the order in which the help lists them.
COMMANDS: dict[str, Command] = {
    "extract": extract,
    "batch": batch,
    "site": site,
    "view": view,
    "train": train,
    "evaluate": evaluate,
    "ceiling": ceiling,
    "experiment": experiment,
    "train-pairs": train_pairs,
    "train-structure": train_structure,
    "evaluate-pairs": evaluate_pairs,
    "benchmark": benchmark,
    "benchmark-crawl": benchmark_crawl,
    "evaluate-site": evaluate_site,
    "train-sections": train_sections,
    "train-kinds": train_kinds,
    "evaluate-kinds": evaluate_kinds,
}
