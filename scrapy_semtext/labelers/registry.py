"""The labellers by name; each is loaded when it is first asked for, so that nobody pays for one that is not used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_semtext.inference.decision import Decision
    from scrapy_semtext.inference.scores import Labeller

#: What labels blocks: the network of SemText averaged with structure trees, either alone, the networks of Web2Text, or
#: TextSweeper's rules (docs/labellers.md).
LabellerName = Literal["semtext", "network", "trees", "web2text", "textsweeper"]
LABELLERS: tuple[LabellerName, ...] = ("semtext", "network", "trees", "web2text", "textsweeper")


@dataclass(frozen=True, slots=True)
class LoadedLabeller:
    """A labeller, and the decision to be used with it where none is asked for.

    ``wants_posts``: whether it goes by the posts of a page (`Described.posts`), which then have to be looked for first.
    """

    labeller: Labeller
    decision: Decision
    wants_posts: bool = False


class Labellers:
    """Loads labellers from one bundle (the shipped one by default) onto one device, each once.

    ``vectors`` is a fastText .bin that the network is to use instead of the bundled vectors. "semtext" is the network
    alone in a bundle that has no structure trees.
    """

    def __init__(self, bundle: Path | None = None, device: str = "auto", vectors: Path | None = None) -> None:
        self._bundle = bundle
        self._device = device
        self._vectors = vectors
        self._loaded: dict[LabellerName, LoadedLabeller] = {}

    def get(self, name: LabellerName) -> LoadedLabeller:
        """The labeller of a name. Raises BundleError or VectorsError if its weights or the device cannot be used."""
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def _load(self, name: LabellerName) -> LoadedLabeller:
        if name == "textsweeper":
            from scrapy_semtext.labelers.textsweeper import TextSweeperLabeller

            return LoadedLabeller(TextSweeperLabeller(), "viterbi")
        if name == "web2text":
            from scrapy_semtext.labelers.web2text.bundle import load_web2text, read_web2text_manifest

            web2text = load_web2text(self._bundle, device=self._device)
            return LoadedLabeller(web2text, read_web2text_manifest(self._bundle).decision)
        from scrapy_semtext.labelers.averaged import AveragedLabeller, TreesLabeller
        from scrapy_semtext.labelers.structure_storage import load_structure, require_structure

        if name == "trees":
            return LoadedLabeller(TreesLabeller(require_structure(self._bundle).trees), "expected-f1", wants_posts=True)
        from scrapy_semtext.labelers.bundle import load_labeller, read_manifest

        network = load_labeller(self._bundle, device=self._device, vectors=self._vectors)
        decision = read_manifest(self._bundle).decision
        structure = load_structure(self._bundle) if name == "semtext" else None
        if structure is None:
            return LoadedLabeller(network, decision)
        return LoadedLabeller(AveragedLabeller(network, structure.trees), decision, wants_posts=True)


def training_of(name: LabellerName, bundle: Path | None = None) -> dict[str, Any]:
    """What a labeller's weights say of their training; {} for one that was not trained. Raises BundleError."""
    if name == "textsweeper":
        return {}
    if name == "web2text":
        from scrapy_semtext.labelers.web2text.bundle import read_web2text_manifest

        return read_web2text_manifest(bundle).training
    if name == "trees":
        from scrapy_semtext.labelers.structure_storage import require_structure

        return require_structure(bundle).training
    from scrapy_semtext.labelers.bundle import read_manifest

    return read_manifest(bundle).training
