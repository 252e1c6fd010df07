"""The systems that a comparison names: this package in a configuration, or a peer; each opened in its own process.

Peers are extractors of other packages. A module of peers has a dictionary ``PEERS`` from names to `Peer`; the
repository has one in research/peers.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_semtext.inference.scores import DECISIONS
from scrapy_semtext.labelers.registry import LABELERS, LabelerName, training_of
from scrapy_semtext.labelers.structure_trees import load_structure
from scrapy_semtext.training.datasets import SPLIT_SEED, AnnotatedPage, split_side
from scrapy_semtext.training.errors import UserError
from scrapy_semtext.utils.version import __version__

if TYPE_CHECKING:
    from scrapy_semtext.extractor import Extractor, Options
    from scrapy_semtext.page import Page


class FoldError(UserError):
    """Bundles without held-out pages; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Fold:
    """The domains that a training held out: ``share`` of all domains, ``number`` the fold of that size (from 0)."""

    share: float
    number: int

    def keeps_out(self, domain: str) -> bool:
        """Whether no page of the domain was trained on."""
        return split_side(domain, test_share=self.share, test_fold=self.number) == "test"


def fold_of(bundle: Path | None, labeler: LabelerName = "semtext") -> Fold:
    """The fold that the training of a bundle's labeler (of the shipped bundle by default) kept out, as it says itself.

    Raises FoldError if it does not say, was split by another seed, or is of parts that kept out different domains;
    BundleError for a bundle that cannot be read.
    """
    name = str(bundle or "the shipped bundle")
    fold = stated_fold(training_of(labeler, bundle), name)
    if labeler == "semtext" and (structure := load_structure(bundle)) is not None:
        trees = stated_fold(structure.training, f"the structure trees of {name}")
        if trees != fold:
            raise FoldError(
                f"The network of {name} kept out fold {fold.number}, its structure trees fold {trees.number}: what one "
                "never saw the other learned. Fit the trees again with `semtext dev train structure`."
            )
    return fold


def stated_fold(training: dict[str, Any], name: str) -> Fold:
    """The fold that a training record states as held out; ``name`` is used in errors. Raises FoldError."""
    split = training.get("split")
    if not isinstance(split, dict) or "test_share" not in split:
        raise FoldError(f"{name} does not say which domains its training kept out. Use --all-domains for every page.")
    if split.get("seed", SPLIT_SEED) != SPLIT_SEED:
        raise FoldError(f"{name} was trained on a split by the seed {split['seed']}, this release has {SPLIT_SEED}.")
    return Fold(float(split["test_share"]), int(split.get("test_fold", 0)))


def kept_out(bundle: Path | None, labeler: LabelerName) -> tuple[Fold, ...]:
    """The fold to measure a labeler by; that of the network for one that is not trained, to have the same pages.

    Raises FoldError, BundleError.
    """
    return (fold_of(bundle, labeler if training_of(labeler, bundle) else "semtext"),)


def folds_of(bundles: Sequence[Path], labeler: LabelerName = "semtext") -> list[Fold]:
    """The folds of bundles that together are to read all domains, each domain by the one that kept it out.

    Raises FoldError if two kept out the same fold, if the folds are of different sizes, or if one is missing.
    """
    return checked(bundles, [fold_of(bundle, labeler) for bundle in bundles])


def checked(bundles: Sequence[Path], folds: list[Fold]) -> list[Fold]:
    """Return the folds of bundles if they make up all domains; raise FoldError as `folds_of` does if not."""
    shares = sorted({fold.share for fold in folds})
    if len(shares) > 1:
        raise FoldError(f"The bundles kept out different shares of the domains: {', '.join(map(str, shares))}.")
    for place, fold in enumerate(folds):
        if fold in folds[:place]:
            other = bundles[folds.index(fold)]
            raise FoldError(f"{other} and {bundles[place]} both kept out fold {fold.number}. Give one bundle a fold.")
    needed = range(round(1 / shares[0]))
    if missing := sorted(set(needed) - {fold.number for fold in folds}):
        numbers = ", ".join(map(str, missing))
        remedy = f"Train it with `semtext dev train labels --test-fold {missing[0]}`."
        raise FoldError(f"No bundle kept out fold {numbers} (of 0 to {needed[-1]}). {remedy}")
    return folds


#: The module of the repository. It is not part of the installed package.
CHECKOUT_PEERS = "research.peers"

#: Extracts the main text of a page, given its HTML and its URL if known.
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


OWN: LabelerName = "semtext"

#: Pages that this package reads at a time.
BATCH = 16


class SystemOutput(NamedTuple):
    """A system's output for a page: the main text and, if it labels blocks, (text, is main) of each block."""

    text: str
    blocks: list[tuple[str, bool]] | None = None


#: Reads a batch of pages; the result of a page that fails is its exception.
Reader = Callable[[Sequence[AnnotatedPage]], "list[SystemOutput | Exception]"]


@dataclass(frozen=True, slots=True)
class System:
    """Something that reads pages. ``open`` is called in the process that reads, so it has to be picklable.

    ``batch``: pages read at a time. ``bundles``: the bundles that hold its ``labeler``, empty for a system without a
    trained model of this package. ``package``: for a peer, its name on PyPI; its saved scores are reused as long as
    its version is the same. ``version`` is None for a peer that is not installed.
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


def find_systems(names: Sequence[str], own: Own, peers: Mapping[str, Peer] | None = None) -> list[System]:
    """The systems with these names. ``own`` is the configuration of `semtext`, ``peers`` are extractors by name.

    ``semtext:viterbi`` and ``semtext:expected-f1`` choose labels that way, ``semtext:FOLDER`` is a bundle of your own,
    ``web2text`` and ``textsweeper`` are the other labelers.
    Raises UserError for an unknown or repeated name, FoldError and BundleError for unusable bundles.
    """
    if repeated := [name for name in names if names.count(name) > 1]:
        raise UserError(f"{repeated[0]} is named twice.")
    return [_system(name, own, peers or {}) for name in names]


def unseen(systems: Sequence[System], own: Own) -> tuple[Fold, ...]:
    """The folds held out by all single bundles of the systems; those of ``own`` if no system has a bundle.

    A set of bundles with one for each fold restricts nothing. Raises FoldError, BundleError.
    """
    trained = [(system.bundles, system.labeler) for system in systems if system.bundles]
    trained = trained or [(own.bundles, "semtext")]
    return tuple(dict.fromkeys(fold_of(bundles[0], name) for bundles, name in trained if len(bundles) == 1))


def _system(name: str, own: Own, peers: Mapping[str, Peer]) -> System:
    family, _, variant = name.partition(":")
    if family in LABELERS:
        return _own(name, variant, own)
    if name in peers:
        return System(name, peers[name].version(), partial(_open_peer, peers[name]), package=peers[name].package)
    known = ", ".join((OWN, *(f"{OWN}:{decision}" for decision in DECISIONS), f"{OWN}:FOLDER", *LABELERS[1:], *peers))
    hint = "" if peers else " Extractors of other packages are measured in a checkout of the repository or by --peers."
    raise UserError(f"There is no system {name!r}. There are {known}.{hint}")


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
