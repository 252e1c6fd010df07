"""The commands of ``semtext``, each a module with ``add_arguments(parser)`` and ``run(arguments) -> exit status``.

A module's docstring is the help text of its command. Heavy packages (torch, LightGBM, Scrapy) are imported by ``run``,
so that ``--help`` and usage errors are fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from scrapy_semtext.cli import batch, crawl, doctor, extract, label, mcp, rule, site, tune, view, warc
from scrapy_semtext.cli.evaluate import ceiling as evaluate_ceiling
from scrapy_semtext.cli.evaluate import comments as evaluate_comments
from scrapy_semtext.cli.evaluate import kinds as evaluate_kinds
from scrapy_semtext.cli.evaluate import pairs as evaluate_pairs
from scrapy_semtext.cli.evaluate import records as evaluate_records
from scrapy_semtext.cli.evaluate import site as evaluate_site
from scrapy_semtext.cli.evaluate import text as evaluate_text
from scrapy_semtext.cli.train import kinds as train_kinds
from scrapy_semtext.cli.train import labels as train_labels
from scrapy_semtext.cli.train import pairs as train_pairs
from scrapy_semtext.cli.train import records as train_records
from scrapy_semtext.cli.train import sections as train_sections
from scrapy_semtext.cli.train import structure as train_structure

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


class Command(Protocol):
    """The interface of a command's module."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Run the command and return its exit status."""


@dataclass(frozen=True)
class Group:
    """Commands that share their first word; ``default`` is run if the second word is not one of ``commands``."""

    help: str
    default: str
    commands: dict[str, Command]


#: The commands by name, in the order in which the help lists them.
COMMANDS: dict[str, Command | Group] = {
    "extract": extract,
    "batch": batch,
    "warc": warc,
    "crawl": crawl,
    "view": view,
    "label": label,
    "rule": rule,
    "tune": tune,
    "site": site,
    "mcp": mcp,
    "doctor": doctor,
    "train": Group(
        "Train a model and write it to a bundle.",
        "labels",
        {
            "labels": train_labels,
            "structure": train_structure,
            "sections": train_sections,
            "kinds": train_kinds,
            "pairs": train_pairs,
            "records": train_records,
        },
    ),
    "evaluate": Group(
        "Measure how good results are, on annotated pages.",
        "text",
        {
            "text": evaluate_text,
            "pairs": evaluate_pairs,
            "comments": evaluate_comments,
            "kinds": evaluate_kinds,
            "records": evaluate_records,
            "site": evaluate_site,
            "ceiling": evaluate_ceiling,
        },
    ),
}


def resolve(words: Sequence[str]) -> list[str]:
    """Add the default NAME of a group: ``semtext evaluate DATA`` becomes ``semtext evaluate text DATA``."""
    if not words:
        return []
    first, *rest = words
    group = COMMANDS.get(first)
    if isinstance(group, Group) and rest and rest[0] not in (*group.commands, "-h", "--help"):
        return [first, group.default, *rest]
    return list(words)
