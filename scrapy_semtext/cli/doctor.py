"""Check the installation and, in the folder of a Scrapy project, its settings.

Prints versions, compiled extensions and device, followed by problems and their solutions. The exit status is 1
if something is broken, and 0 otherwise, even if there are hints.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.terminal import write_out

if TYPE_CHECKING:
    import argparse

    from scrapy_semtext.cli.checks import Problem


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print all findings as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from scrapy_semtext.cli import checks

    problems: list[Problem] = []
    with checks.caught(problems):
        found = checks.environment(problems)
        extractor = checks.load_model(problems)
        found["device"] = None if extractor is None else extractor.device
        found["project"] = checks.check_project(problems)
    report = {**found, "problems": [problem._asdict() for problem in problems]}
    write_out(json.dumps(report, ensure_ascii=False, indent=2) if arguments.json else _as_text(found, problems))
    return int(any(problem.level == "broken" for problem in problems))


def _as_text(found: dict[str, Any], problems: list[Problem]) -> str:
    """Return a line for each finding, followed by the problems."""
    rows = [
        *found["versions"].items(),
        ("extensions", found["extensions"]),
        ("device", found["device"]),
        ("project", found["project"] or "none in this folder"),
    ]
    said = [f"{level.upper()}: {text}" for level, text in problems] or ["All is well."]
    return "\n".join([*(f"{name:<22} {value}" for name, value in rows if value), "", *said])
