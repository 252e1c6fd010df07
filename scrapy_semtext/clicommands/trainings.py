"""What the commands have in common that work on pages with a known main text."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_semtext.clicommands.errors import CommandError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

_EXTRA = frozenset(("fasttext", "lightgbm", "tldextract"))


def add_data_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the page sets."""
    parser.add_argument(
        "data",
        nargs="+",
        type=Path,
        metavar="DATA",
        help="page sets: JSON lines (plain, .gz or .xz) with the keys id, url, html and text",
    )


@contextmanager
def training_errors() -> Iterator[None]:
    """Turn what a user can mend into a CommandError: a missing extra, unusable data, a training that cannot start."""
    try:
        from scrapy_semtext.model.vectors import VectorsError
        from scrapy_semtext.training.datasets import DatasetError
        from scrapy_semtext.training.post_fit import PairTrainingError
        from scrapy_semtext.training.run import TrainingError
        from scrapy_semtext.training.section_fit import SectionTrainingError
    except ModuleNotFoundError as error:
        _explain(error)
        raise
    try:
        yield
    except ModuleNotFoundError as error:
        _explain(error)
        raise
    except (DatasetError, PairTrainingError, SectionTrainingError, TrainingError, VectorsError) as error:
        raise CommandError(str(error)) from error


def write_table(groups: Mapping[str, Mapping[str, Any]]) -> None:
    """Print scores by group of pages, shares in percent."""
    columns = [name for name in next(iter(groups.values()), {}) if name not in ("pages", "errors")]
    lines = [f"{'':15}{'pages':>7}" + "".join(f"{name:>11}" for name in columns)]
    lines += [
        f"{group:15}{row['pages']:7}" + "".join(f"{100 * row[name]:11.1f}" for name in columns)
        for group, row in groups.items()
    ]
    if errors := groups.get("all", {}).get("errors"):
        lines.append(f"{errors} pages could not be read and count as empty")
    sys.stdout.write("\n".join(lines) + "\n")


def _explain(error: ModuleNotFoundError) -> None:
    if error.name in _EXTRA:
        raise CommandError(f"{error.name} is not installed. Run: pip install 'scrapy-semtext[train]'") from error
