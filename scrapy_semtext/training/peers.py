"""Extractors of other packages ("peers") that `semtext evaluate` can measure.

A module of peers has a dictionary ``PEERS`` from names to `Peer`. The repository has one in research/peers.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from scrapy_semtext.training.errors import UserError

#: The module of the repository. It is not part of the installed package.
CHECKOUT_PEERS = "research.peers"

#: Extracts the main text of a page, given its HTML and its address if known.
Read = Callable[[str, "str | None"], str]


@dataclass(frozen=True, slots=True)
class Peer:
    """An extractor of another package: the package's name on PyPI, and a function that imports it and gives a reader.

    ``load`` has to be a function of a module, since it is sent to the process that reads.
    """

    package: str
    load: Callable[[], Read]

    def version(self) -> str | None:
        """The installed version, None if the package is not installed."""
        try:
            return version(self.package)
        except PackageNotFoundError:
            return None


def load_peers(module: str | None = None) -> dict[str, Peer]:
    """Import a module and return its ``PEERS``.

    By default that is research.peers of the checkout that the package is run from; {} if it is installed without one.
    Modules are also looked for in the current folder. Raises UserError if the module cannot be imported.
    """
    checkout = Path(__file__).parents[2]
    sys.path += [folder for folder in (str(checkout), str(Path.cwd())) if folder not in sys.path]
    name = module or CHECKOUT_PEERS
    try:
        peers: dict[str, Peer] = import_module(name).PEERS
    except ModuleNotFoundError as error:
        if module is None and error.name in (CHECKOUT_PEERS.partition(".")[0], CHECKOUT_PEERS):
            return {}
        raise UserError(f"The module of peers {name!r} cannot be imported: {error}") from error
    except AttributeError as error:
        raise UserError(f"The module {name!r} has no PEERS.") from error
    return peers
