"""The labelers by name, loaded on first use from a bundle: a folder with a trained model, without code.

=======================  =============================================================================================
``bundle.json``          format version, configuration, features, decision, training (data, seed, scores), checksums
``network.safetensors``  the network's parameters
``vectors.json``, ``vectors.safetensors``  the word vectors (see vectors.py)
=======================  =============================================================================================
"""

from __future__ import annotations

import ctypes
import logging
import math
import sys
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import numpy as np

from scrapy_semtext.features.blocks import FEATURES
from scrapy_semtext.features.table import ParsedPage, PostBlocks, page_input
from scrapy_semtext.models.config import NetworkConfig, PageInput, sequences
from scrapy_semtext.models.network import CpuNetwork, TwoLabelChain
from scrapy_semtext.models.scores import DECISIONS, Decision, Scores, probabilities_of
from scrapy_semtext.models.storage import SHIPPED, BundleError, ModelFiles, Weights
from scrapy_semtext.models.vectors import Vectors, WordVectors
from scrapy_semtext.utils.extras import MissingExtraError, load_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy_semtext.models.torch_network import SemTextNetwork
    from scrapy_semtext.utils.arrays import Floats


Probability = Literal["marginal", "emission"]
PROBABILITIES: tuple[Probability, ...] = ("marginal", "emission")

# The maximum number of blocks in a batch: larger ones only cost memory. The few longer pages are split into sequences
# of at most that length.
_BATCH_BLOCKS = 6000

_FILES = ModelFiles("network", "bundle", 1, "semtext dev train labels", about="bundle.json")

T = TypeVar("T")

_logger = logging.getLogger(__name__)

#: SemText's network averaged with structure trees; the same, but trees only for pages where these are sure; only the
#: network; only the trees; the networks of Web2Text; and the rules of TextSweeper (docs/labelers.md).
LabelerName = Literal["semtext", "cascade", "network", "trees", "web2text", "textsweeper"]
LABELERS: tuple[LabelerName, ...] = ("semtext", "cascade", "network", "trees", "web2text", "textsweeper")


class NetworkLabeler:
    """A trained network with its word vectors on one device: "cpu" (without torch) or another torch device name.

    ``probability``: the definition of a block's probability, the marginal of the CRF or the softmax of the block's
    emission; ``temperature`` divides its log-odds, because networks are overconfident (see train/trainer.py).
    """

    def __init__(
        self,
        weights: Weights,
        config: NetworkConfig,
        vectors: Vectors,
        probability: Probability = "marginal",
        temperature: float = 1.0,
        device: str = "cpu",
    ) -> None:
        self.config = config
        self.vectors = vectors
        self.device = device
        self._network = _runner(weights, config, vectors, device)
        self._running = Lock()  # networks cache strings and words
        self._chain = TwoLabelChain(weights)
        self.probability: Probability = probability
        self.temperature = temperature

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        """Score pages, each independently; a page without blocks gets empty scores."""
        return self.score_inputs([page_input(page, self.config) for page in pages])

    def score_inputs(self, pages: Sequence[PageInput]) -> list[Scores]:
        """Score pages given by their inputs, in batches of at most _BATCH_BLOCKS blocks."""
        longest = self.config.max_blocks or _BATCH_BLOCKS
        spans = [(page, b, e) for page in range(len(pages)) for b, e in sequences(len(pages[page]), longest)]
        spans.sort(key=lambda span: span[2] - span[1])
        parts: dict[tuple[int, int], Scores] = {}
        for batch in _batches(spans):
            inputs = [pages[page].cut(begin, end) for page, begin, end in batch]
            for (page, begin, _), scores in zip(batch, self._run(inputs), strict=True):
                parts[page, begin] = scores
        return [
            _joined([parts[page, begin] for begin, _ in sequences(len(pages[page]), longest)])
            for page in range(len(pages))
        ]

    def _run(self, inputs: list[PageInput]) -> list[Scores]:
        with self._running:
            pages = self._network.run(inputs)
        emissions, ends = np.concatenate(pages), np.cumsum([len(page) for page in pages], dtype=np.int64)
        log_odds = self._chain.marginals(emissions, ends) if self.probability == "marginal" else emissions
        probabilities = np.split(probabilities_of(log_odds / self.temperature), ends[:-1])
        best = np.split(self._chain.viterbi(emissions, ends), ends[:-1])
        return list(map(Scores, probabilities, best))


class _Network(Protocol):
    def run(self, pages: Sequence[PageInput]) -> list[Floats]: ...


def _runner(weights: Weights, config: NetworkConfig, vectors: Vectors, device: str) -> _Network:
    if device == "cpu":
        return CpuNetwork(weights, config, vectors)
    from scrapy_semtext.models.torch_network import DeviceNetwork

    return DeviceNetwork(weights, config, vectors, device)


def _batches(spans: list[tuple[int, int, int]]) -> list[list[tuple[int, int, int]]]:
    """Group spans, sorted by length, into batches of at most _BATCH_BLOCKS blocks, padding included."""
    batches: list[list[tuple[int, int, int]]] = []
    for span in spans:
        longest = span[2] - span[1]
        if batches and (len(batches[-1]) + 1) * longest <= _BATCH_BLOCKS:
            batches[-1].append(span)
        else:
            batches.append([span])
    return batches


def _joined(parts: list[Scores]) -> Scores:
    """Concatenate the scores of a page's sequences."""
    if not parts:
        return Scores(np.zeros(0), np.zeros(0, dtype=np.bool_))
    if len(parts) == 1:
        return parts[0]
    return Scores(
        np.concatenate([part.probabilities for part in parts]),
        np.concatenate([part.viterbi for part in parts]),
    )


@dataclass(slots=True)
class Manifest:
    """The contents of ``bundle.json``. ``training``: data, seed, dates and scores, for information."""

    network: NetworkConfig
    decision: Decision = "expected-f1"
    probability: Probability = "marginal"
    temperature: float = 1.0
    training: dict[str, Any] = field(default_factory=dict)


def save_bundle(folder: Path, network: SemTextNetwork, vectors: WordVectors, manifest: Manifest) -> None:
    """Write a bundle into the folder, which is created if needed."""
    about = {
        "network": manifest.network.to_dict(),
        "features": list(FEATURES),
        "decision": manifest.decision,
        "probability": manifest.probability,
        "temperature": manifest.temperature,
        "vectors": vectors.fingerprint,
        "training": manifest.training,
    }
    _FILES.save(folder, {name: tensor.detach().cpu().numpy() for name, tensor in network.state_dict().items()}, about)
    vectors.save(folder)


def read_manifest(folder: Path | None = None) -> Manifest:
    """Read and check ``bundle.json`` (of the shipped bundle by default) without loading torch. Raises BundleError."""
    return _FILES.describe(folder or SHIPPED, _manifest)


def load_labeler(folder: Path | None = None, *, device: str = "auto") -> NetworkLabeler:
    """Load a bundle (the shipped one by default) onto a device: "auto", "cpu", "cuda" or another torch device name.

    Raises BundleError if a file is missing, broken, of another format or version, or if the device cannot be used.
    """
    folder = folder or SHIPPED
    manifest, weights, fingerprint = _FILES.load(folder, _network)
    vectors = WordVectors.load(folder)
    if vectors.fingerprint != fingerprint:
        raise BundleError(
            f"{folder}: the word vectors are not those that the network was trained with. {_FILES.repair}"
        )
    return NetworkLabeler(
        weights, manifest.network, vectors, manifest.probability, manifest.temperature, usable_device(device)
    )


def load_network(folder: Path | None = None) -> SemTextNetwork:
    """Load the network of a bundle (the shipped one by default) for further training. Raises BundleError."""
    from scrapy_semtext.models.torch_network import network_of

    manifest, weights, _ = _FILES.load(folder or SHIPPED, _network)
    return network_of(weights, manifest.network)


def _network(description: dict[str, Any], arrays: dict[str, Any]) -> tuple[Manifest, Weights, Any]:
    """The manifest, the parameters, and the fingerprint of the word vectors."""
    weights = {name: values.astype(np.float32) for name, values in arrays.items()}
    return _manifest(description), weights, description.get("vectors")


def _manifest(description: dict[str, Any]) -> Manifest:
    if description["features"] != list(FEATURES):
        raise ValueError("the network was trained on other block features")
    temperature = float(description["temperature"])
    if not 0 < temperature < math.inf:
        raise ValueError(f"the temperature is {temperature!r}")
    return Manifest(
        NetworkConfig.from_dict(description["network"]),
        _one_of(description["decision"], DECISIONS),
        _one_of(description["probability"], PROBABILITIES),
        temperature,
        description["training"],
    )


def _one_of(value: Any, known: tuple[T, ...]) -> T:
    if value not in known:
        raise ValueError(f"{value!r} is none of {', '.join(map(repr, known))}")
    return known[known.index(value)]


def usable_device(name: str) -> str:
    """Return torch's name of a usable device; "auto" is the GPU if there is one. Raises BundleError.

    For the CPU, torch is not imported (which takes a second) and need not be installed.
    """
    if name == "cpu" or (name == "auto" and not _may_have_gpu()):
        return "cpu"
    try:
        torch = load_extra("torch", "torch")
        if name == "auto":
            return "cuda" if torch.cuda.is_available() else "cpu"
        torch.empty(0, device=name)
    except MissingExtraError as error:
        if name == "auto":
            _logger.warning("There may be a GPU, but pages are read on the CPU: %s", error)
            return "cpu"
        raise BundleError(f"The device {name!r} cannot be used: {error}") from error
    except (RuntimeError, AssertionError) as error:
        raise BundleError(f"The device {name!r} cannot be used: {error}. Use auto, cpu or cuda.") from error
    return name


def _may_have_gpu() -> bool:
    """Return whether a CUDA or ROCm driver exists, without which torch finds no GPU."""
    try:
        ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return Path("/dev/kfd").exists()
    return True


class Labeler(Protocol):
    """Scores the text blocks of pages. It is called from only one thread at a time.

    ``score`` of one that `LoadedLabeler.requires_posts` has a second argument: where the blocks of each page are in its
    posts (`scrapy_semtext.features.table.PostBlocks`), None for a page without posts.
    """

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        """Score pages, each independently; a page without blocks gets empty scores."""
        ...


@dataclass(frozen=True, slots=True)
class LoadedLabeler:
    """A labeler and its default decision.

    ``requires_posts``: whether its scores depend on the posts of a page; ``tidies``: whether units
    are completed, and notices and repeated text dropped, after labeling. ``device``: its torch device. With
    ``ignores_posts``, posts are not searched for on its behalf, and readers' comments are main content like other text.
    """

    labeler: Labeler
    decision: Decision
    requires_posts: bool = False
    tidies: bool = False
    device: str = "cpu"
    ignores_posts: bool = False

    def score(self, pages: Sequence[ParsedPage], posts: Sequence[PostBlocks | None]) -> list[Scores]:
        """Score pages, given where their blocks are in posts."""
        score: Callable[..., list[Scores]] = self.labeler.score
        return score(pages, posts) if self.requires_posts else score(pages)


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
            try:
                load_extra("torch", "torch")
            except MissingExtraError as error:
                raise BundleError(f"The labeler 'web2text' cannot be used: {error}") from error
            from scrapy_semtext.labelers.web2text import load_web2text, read_web2text_manifest

            web2text = load_web2text(self._bundle, device=self._device)
            decision = read_web2text_manifest(self._bundle).decision
            return LoadedLabeler(web2text, decision, device=str(web2text.device))
        from scrapy_semtext.labelers import structure_trees as trees

        if name == "trees":
            own = trees.require_structure(self._bundle).trees
            return LoadedLabeler(trees.TreesLabeler(own), "expected-f1", requires_posts=True, tidies=True)
        network = load_labeler(self._bundle, device=self._device)
        decision = read_manifest(self._bundle).decision
        structure = None if name == "network" else trees.load_structure(self._bundle)
        if structure is None:
            return LoadedLabeler(network, decision, device=network.device)
        average = trees.AveragedLabeler(network, structure.trees)
        if name == "cascade":  # without posts it takes two thirds of the time
            cascade = trees.CascadeLabeler(average)
            return LoadedLabeler(cascade, decision, tidies=True, device=network.device, ignores_posts=True)
        return LoadedLabeler(average, decision, requires_posts=True, tidies=True, device=network.device)


def training_of(name: LabelerName, bundle: Path | None = None) -> dict[str, Any]:
    """Return the training information of a labeler's weights, {} for a labeler without. Raises BundleError."""
    read: Callable[..., Any] = read_manifest
    if name == "textsweeper":
        return {}
    if name == "web2text":
        from scrapy_semtext.labelers.web2text import read_web2text_manifest as read
    elif name == "trees":
        from scrapy_semtext.labelers.structure_trees import require_structure as read
    training: dict[str, Any] = read(bundle).training
    return training
