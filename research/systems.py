"""The systems that a comparison names: this package in a configuration, or a peer; each opened in its own process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from research.fold_bundles import checked
from research.peers import PEERS
from scrapy_semtext.labelers.bundle import LABELERS, LabelerName, training_of
from scrapy_semtext.models.scores import DECISIONS
from scrapy_semtext.train.evaluate import BATCH, Fold, fold_of
from scrapy_semtext.utils import UserError
from scrapy_semtext.utils.version import __version__

if TYPE_CHECKING:
    from research.peers import Peer, Read
    from scrapy_semtext.extractor import Extractor, Options
    from scrapy_semtext.page import Page
    from scrapy_semtext.train.datasets import AnnotatedPage

OWN: LabelerName = "semtext"


class SystemOutput(NamedTuple):
    """A system's output for a page: the main text and, if it labels blocks, (text, is main) of each block."""

    text: str
    blocks: list[tuple[str, bool]] | None = None


#: Reads a batch of pages; the result of a page that fails is its exception.
Reader = Callable[["Sequence[AnnotatedPage]"], "list[SystemOutput | Exception]"]


@dataclass(frozen=True, slots=True)
class System:
    """Something that reads pages. ``open`` is called in the process that reads, so it has to be picklable.

    ``batch``: pages read at a time. ``bundles``: the bundles that hold its ``labeler``, empty for a system without a
    trained model of this package. ``package``: for a peer, its name on PyPI. ``version`` is None for a peer that is
    not installed.
    """

    name: str
    version: str | None
    open: Callable[[], Reader]
    batch: int = 1
    bundles: tuple[Path | None, ...] = ()
    labeler: LabelerName = "semtext"
    package: str | None = None


@dataclass(frozen=True, slots=True)
class Own:
    """A configuration of this package: the arguments of Extractor.load; a bundle for each fold if there are more."""

    bundles: tuple[Path | None, ...] = (None,)
    device: str = "auto"
    options: Options | None = None
    folds: tuple[Fold, ...] = field(default=())

    def open(self) -> Reader:
        """Load the bundles. Raises BundleError."""
        from scrapy_semtext.extractor import Extractor

        extractors = [Extractor.load(bundle, self.device, self.options) for bundle in self.bundles]
        return partial(read_with, extractors, self.folds)


def find_systems(names: Sequence[str], own: Own) -> list[System]:
    """The systems with these names. ``own`` is the configuration of `semtext`.

    ``semtext:viterbi`` and ``semtext:expected-f1`` choose labels that way, ``semtext:FOLDER`` is a bundle in a folder,
    ``web2text`` and ``textsweeper`` are the other labelers.
    Raises UserError for an unknown or repeated name, and for bundles that do not fit; BundleError for unusable ones.
    """
    if repeated := [name for name in names if names.count(name) > 1]:
        raise UserError(f"{repeated[0]} is named twice.")
    return [_system(name, own) for name in names]


def unseen(systems: Sequence[System], own: Own) -> tuple[Fold, ...]:
    """The folds held out by all single bundles of the systems; those of ``own`` if no system has a bundle.

    A set of bundles with one for each fold restricts nothing. Raises UserError, BundleError.
    """
    trained = [(system.bundles, system.labeler) for system in systems if system.bundles]
    trained = trained or [(own.bundles, "semtext")]
    return tuple(dict.fromkeys(fold_of(bundles[0], name) for bundles, name in trained if len(bundles) == 1))


def _system(name: str, own: Own) -> System:
    family, _, variant = name.partition(":")
    if family in LABELERS:
        return _own(name, variant, own)
    if peer := PEERS.get(name):
        return System(name, peer.version(), partial(_open_peer, peer), package=peer.package)
    known = ", ".join((OWN, *(f"{OWN}:{decision}" for decision in DECISIONS), f"{OWN}:FOLDER", *LABELERS[1:], *PEERS))
    raise UserError(f"There is no system {name!r}. There are {known}.")


def _own(name: str, variant: str, own: Own) -> System:
    from scrapy_semtext.extractor import Options

    options = own.options or Options()
    family = name.partition(":")[0]
    labeler: LabelerName = next((other for other in LABELERS[1:] if other == family), options.labeler or OWN)
    options = replace(options, labeler=labeler)
    if variant in DECISIONS:
        options = replace(options, decision=variant)
    own = replace(own, options=options)
    if variant and variant not in DECISIONS:
        own = replace(own, bundles=(Path(variant),))
    if not training_of(labeler, own.bundles[0]):
        return System(name, __version__, replace(own, bundles=own.bundles[:1]).open, BATCH)
    if len(own.bundles) > 1:
        own = replace(own, folds=tuple(folds_of([Path(bundle) for bundle in own.bundles if bundle], labeler)))
    return System(name, __version__, own.open, BATCH, own.bundles, labeler)


def folds_of(bundles: Sequence[Path], labeler: LabelerName = "semtext") -> list[Fold]:
    """The folds of bundles that together read all domains, each domain by the bundle that left it out.

    Raises UserError as `checked` does.
    """
    return checked(bundles, [fold_of(bundle, labeler) for bundle in bundles])


def _open_peer(peer: Peer) -> Reader:
    return partial(_read_by_peer, peer.load())


def _read_by_peer(read: Read, pages: Sequence[AnnotatedPage]) -> list[SystemOutput | Exception]:
    found: list[SystemOutput | Exception] = []
    for page in pages:
        try:
            found.append(SystemOutput(read(page.html, page.url)))
        except Exception as error:  # noqa: BLE001, PERF203 - counted and shown
            found.append(error)
    return found


def read_with(
    extractors: Sequence[Extractor], folds: Sequence[Fold], pages: Sequence[AnnotatedPage]
) -> list[SystemOutput | Exception]:
    """Read each page with the extractor whose training held its domain out; with the only one if there are no folds."""
    from scrapy_semtext.extractor import Source

    found: list[SystemOutput | Exception] = [LookupError()] * len(pages)
    for place, extractor in enumerate(extractors):
        mine = [i for i, page in enumerate(pages) if not folds or folds[place].keeps_out(page.domain)]
        read = extractor.read_many([Source(pages[i].html, pages[i].url) for i in mine])
        for i, page in zip(mine, read, strict=True):
            found[i] = page if isinstance(page, Exception) else _reading(page)
    return found


def _reading(page: Page) -> SystemOutput:
    return SystemOutput(page.main_text, [(block.text, block.is_main) for block in page.blocks])
