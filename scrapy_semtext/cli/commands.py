"""The commands of ``semtext``: modules or objects with ``add_arguments(parser)`` and ``run(arguments) -> exit status``.

The docstring of each is the help text of its command. Heavy packages (torch, LightGBM, Scrapy) are imported by ``run``,
so that ``--help`` and usage errors are fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from scrapy_semtext.cli import (
    batch,
    crawl,
    doctor,
    evaluate_results,
    evaluate_site,
    evaluate_text,
    extract,
    label,
    mcp,
    rule,
    site,
    train_labels,
    train_trees,
    tune,
    view,
    warc,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


class Command(Protocol):
    """The interface of a command."""

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
        "Train a model and write it to a bundle.", "labels", {"labels": train_labels, **train_trees.COMMANDS}
    ),
    "evaluate": Group(
        "Measure how good results are, on annotated pages.",
        "text",
        {"text": evaluate_text, "site": evaluate_site, **evaluate_results.COMMANDS},
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
