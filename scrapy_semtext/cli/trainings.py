"""What the commands have in common that work on pages with a known main text."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.errors import CommandError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from scrapy_semtext.training.tree_plan import TreePlan

_EXTRA = frozenset(("fasttext", "lightgbm", "tldextract", "torch"))


def add_data_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the page sets."""
    parser.add_argument(
        "data",
        nargs="+",
        type=Path,
        metavar="DATA",
        help="page sets: JSON lines (plain, .gz or .xz) with the keys id, url, html and text",
    )


def add_tree_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the commands have in common that train trees by the split of domains."""
    add_data_argument(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the bundle")
    parser.add_argument("--test-share", type=float, default=0.2, help="of the domains, kept for tests (%(default)s)")
    parser.add_argument(
        "--test-fold", type=int, default=0, help="which fold of that size is kept for tests (%(default)s)"
    )
    add_seed_and_licence(parser)


def add_seed_and_licence(parser: argparse.ArgumentParser) -> None:
    """Declare ``--seed`` and ``--any-licence``."""
    parser.add_argument("--seed", type=int, default=1, help="(%(default)s)")
    parser.add_argument(
        "--any-licence",
        action="store_true",
        help="also learn from pages whose licence does not allow models trained on them to be given away",
    )


def tree_plan(arguments: argparse.Namespace) -> TreePlan:
    """What `add_tree_arguments` declared, as a plan."""
    from scrapy_semtext.training.tree_plan import TreePlan

    return TreePlan(
        tuple(arguments.data),
        arguments.out,
        arguments.seed,
        arguments.any_licence,
        arguments.test_share,
        arguments.test_fold,
    )


@contextmanager
def training_errors() -> Iterator[None]:
    """Turn what a user can mend into a CommandError: a missing extra, unusable data, a training that cannot start."""
    from scrapy_semtext.inference.storage import BundleError
    from scrapy_semtext.inference.vectors import VectorsError
    from scrapy_semtext.training.errors import UserError
    from scrapy_semtext.utils.extras import MissingExtraError

    try:
        yield
    except ModuleNotFoundError as error:
        _explain(error)
        raise
    except (UserError, BundleError, MissingExtraError, VectorsError) as error:
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
