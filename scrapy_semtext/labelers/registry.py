"""The labelers by name, loaded on first use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.inference.scores import Decision, Scores

#: SemText's network averaged with structure trees; the same, but trees only for pages where these are sure; only the
#: network; only the trees; the networks of Web2Text; and the rules of TextSweeper (docs/labelers.md).
LabelerName = Literal["semtext", "cascade", "network", "trees", "web2text", "textsweeper"]
LABELERS: tuple[LabelerName, ...] = ("semtext", "cascade", "network", "trees", "web2text", "textsweeper")


class Labeler(Protocol):
    """Scores the text blocks of pages. It is called from only one thread at a time."""

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        """Score pages, each independently; a page without blocks gets empty scores."""
        ...


@dataclass(frozen=True, slots=True)
class LoadedLabeler:
    """A labeler and its default decision.

    ``requires_posts``: whether it uses the posts of a page (`ParsedPage.posts`), which must be found first; ``tidies``:
    whether units are completed, and notices and repeated text dropped, after labeling. ``device``: its torch device.
    """

    labeler: Labeler
    decision: Decision
    requires_posts: bool = False
    tidies: bool = False
    device: str = "cpu"


class Labelers:
    """Loads labelers from one bundle (the shipped one by default) onto one device, each only once.

    Without structure trees in the bundle, "semtext" and "cascade" use only the network.
    """

    def __init__(self, bundle: Path | None = None, device: str = "auto") -> None:
        self._bundle = bundle
        self._device = device
        self._loaded: dict[LabelerName, LoadedLabeler] = {}

    def get(self, name: LabelerName) -> LoadedLabeler:
        """Return the labeler with this name. Raises BundleError if its weights or the device cannot be used."""
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def _load(self, name: LabelerName) -> LoadedLabeler:
        if name == "textsweeper":
            from scrapy_semtext.labelers.textsweeper import TextSweeperLabeler

            return LoadedLabeler(TextSweeperLabeler(), "viterbi")
        if name == "web2text":
            from scrapy_semtext.labelers.web2text.weights_files import load_web2text, read_web2text_manifest

            web2text = load_web2text(self._bundle, device=self._device)
            decision = read_web2text_manifest(self._bundle).decision
            return LoadedLabeler(web2text, decision, device=str(web2text.device))
        from scrapy_semtext.labelers import structure_trees as trees

        if name == "trees":
            # posts are found only if a result requires them: without, main text takes half the time and loses little
            own = trees.require_structure(self._bundle).trees
            return LoadedLabeler(trees.TreesLabeler(own), "expected-f1", tidies=True)
        from scrapy_semtext.labelers.bundle import load_labeler, read_manifest

        network = load_labeler(self._bundle, device=self._device)
        decision = read_manifest(self._bundle).decision
        structure = None if name == "network" else trees.load_structure(self._bundle)
        if structure is None:
            return LoadedLabeler(network, decision, device=network.device)
        averaged = trees.AveragedLabeler(network, structure.trees)
        if name == "cascade":  # without posts, like the trees
            return LoadedLabeler(trees.CascadeLabeler(averaged), decision, tidies=True, device=network.device)
        return LoadedLabeler(averaged, decision, requires_posts=True, tidies=True, device=network.device)


def training_of(name: LabelerName, bundle: Path | None = None) -> dict[str, Any]:
    """Return the training information of a labeler's weights, {} for a labeler without. Raises BundleError."""
    if name == "textsweeper":
        return {}
    if name == "web2text":
        from scrapy_semtext.labelers.web2text.weights_files import read_web2text_manifest

        return read_web2text_manifest(bundle).training
    if name == "trees":
        from scrapy_semtext.labelers.structure_trees import require_structure

        return require_structure(bundle).training
    from scrapy_semtext.labelers.bundle import read_manifest

    return read_manifest(bundle).training
