"""The sizes of the dependencies of the core and of each extra, if all of them are installed, as a Markdown table.

Usage: ``python -m research.installed_sizes``. The package itself is not among the sizes.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = "scrapy-semtext"
_FOR_DEVELOPERS = {"dev", "docs", "example", "peers", "test"}


def brought(package: str, extra: str = "") -> dict[str, float]:
    """Return the size in MB of each package that a package with an extra requires, without the package itself."""
    found: dict[str, float] = {}
    waiting = [(canonicalize_name(package), extra)]
    seen = set(waiting)
    while waiting:
        for requirement in _requirements(*waiting.pop()):
            name = canonicalize_name(requirement.name)
            found[name] = _megabytes(name)
            more = {(name, part) for part in ("", *requirement.extras)} - seen
            seen |= more
            waiting += more
    found.pop(PROJECT, None)
    return found


@cache
def _requirements(name: str, extra: str) -> list[Requirement]:
    """Return the requirements of a package in this environment; with an extra, only those that the extra adds."""
    every = [Requirement(line) for line in metadata.requires(name) or ()]
    plain = [each for each in every if each.marker is None or each.marker.evaluate({"extra": ""})]
    if not extra:
        return plain
    return [each for each in every if each not in plain and each.marker and each.marker.evaluate({"extra": extra})]


def _megabytes(name: str) -> float:
    files = metadata.files(name) or []
    paths = [Path(file.locate()) for file in files]
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def main() -> None:
    """Print the table."""
    core = brought(PROJECT)
    extras = sorted({*(metadata.metadata(PROJECT).get_all("Provides-Extra") or ())} - _FOR_DEVELOPERS)
    rows = {"core": core} | {f"`{extra}`": _without(core, brought(PROJECT, extra)) for extra in extras}
    sys.stdout.write("|extra|packages|MB|the largest|\n|---|--:|--:|---|\n")
    sys.stdout.writelines(_row(name, packages) for name, packages in rows.items())


def _without(core: dict[str, float], packages: dict[str, float]) -> dict[str, float]:
    return {name: size for name, size in packages.items() if name not in core}


def _row(name: str, packages: dict[str, float]) -> str:
    largest = sorted(packages, key=lambda each: -packages[each])[:3]
    listed = ", ".join(f"{each} {packages[each]:.0f}" for each in largest if packages[each] >= 1)
    return f"|{name}|{len(packages)}|{sum(packages.values()):.0f}|{listed}|\n"


if __name__ == "__main__":
    main()
