"""Trials of the experiments: the training of a bundle, and its test."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from tqdm import tqdm

from research.measuring import PageScore, SystemScores, score_pages
from research.systems import read_with
from scrapy_semtext.extractor import Extractor, Options
from scrapy_semtext.features.block_features import page_input
from scrapy_semtext.inference.config import PageInput
from scrapy_semtext.labelers.bundle import Manifest, load_labeler, load_network, read_manifest, save_bundle
from scrapy_semtext.training.corpus import PageExample, prepare
from scrapy_semtext.training.datasets import UserError
from scrapy_semtext.training.evaluate import BATCH
from scrapy_semtext.training.run import VectorTable, train_network, word_vectors
from scrapy_semtext.training.scoring import prf
from scrapy_semtext.training.trainer import Trainer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.inference.config import NetworkConfig, WordString
    from scrapy_semtext.inference.scores import Decision, Scores
    from scrapy_semtext.inference.vectors import WordVectors
    from scrapy_semtext.labelers.bundle import NetworkLabeler
    from scrapy_semtext.training.corpus import Example
    from scrapy_semtext.training.datasets import AnnotatedPage
    from scrapy_semtext.training.trainer import TrainingSettings

#: The word strings of a block.
Strings = Literal["tags", "names", "text"]


class ExperimentError(UserError):
    """An experiment lacks pages that it needs; the message names them."""


class BlockExample(PageExample[PageInput]):
    """A training page that is measured by its blocks with equal weights, as in the paper."""

    __slots__ = ()

    def f1(self, keep: NDArray[np.bool_]) -> float:
        """F1 of the page's blocks if these, (blocks,), were kept."""
        return prf(float((keep & self.labels).sum()), float(keep.sum()), float(self.labels.sum())).f1


@dataclass(slots=True)
class Trials:
    """The settings of trials.

    ``work`` holds vectors, checkpoints and bundles. For a quick run, ``epochs`` replaces the experiment's number, and
    only every ``every``-th page is used for training.
    """

    work: Path
    seed: int = 1
    device: str = "cpu"
    progress: bool = True
    epochs: int | None = None
    every: int = 1
    notes: list[str] = field(default_factory=list)

    def examples(self, pages: Iterable[AnnotatedPage], config: NetworkConfig, *, scored: bool = False) -> list[Example]:
        """Make the pages ready (see corpus.prepare), to be measured by blocks."""
        ready = prepare(pages, partial(page_input, config=config), scored=scored, progress=self.progress)
        return [BlockExample(*(getattr(each, part.name) for part in fields(each))) for each in ready]

    def vectors(self, examples: Sequence[Example], config: NetworkConfig, settings: TrainingSettings) -> WordVectors:
        """Train word vectors on the words of examples, once for all trials of an experiment."""
        return word_vectors(self.work / "vectors", config, settings, examples, self.seed, progress=self.progress)

    def train(
        self,
        name: str,
        config: NetworkConfig,
        settings: TrainingSettings,
        vectors: WordVectors,
        training: Sequence[Example],
        validation: Sequence[Example],
        start: Path | None = None,
    ) -> Path:
        """Train a bundle by the F1 of blocks, unless that was done, and return its folder.

        ``start`` is a bundle to go on from, of the same configuration and with these vectors.
        """
        folder = self.work / name
        if self.epochs is not None:
            settings = replace(settings, epochs=self.epochs)
        if (folder / "bundle.json").exists():
            return folder
        folder.mkdir(parents=True, exist_ok=True)
        trainer = Trainer(
            config,
            settings,
            VectorTable(vectors, [*training, *validation]),
            seed=self.seed,
            device=self.device,
            checkpoint=folder / "checkpoint.pt",
        )
        if start is not None:
            trainer.start_from(load_network(start))
        choice = train_network(trainer, training, validation, progress=self.progress)
        record: dict[str, Any] = {
            "experiment": name,
            "seed": self.seed,
            "pages": {"training": len(training), "validation": len(validation)},
            "best_epoch": trainer.progress.best_epoch,
            "history": trainer.progress.history,
        }
        manifest = Manifest(config, choice.decision, choice.probability, choice.temperature, record)
        save_bundle(folder, trainer.best, vectors, manifest)
        (folder / "checkpoint.pt").unlink()
        return folder

    def test(
        self,
        bundle: Path | None,
        pages: Sequence[AnnotatedPage],
        without: frozenset[Strings] = frozenset(),
        decision: Decision | None = None,
    ) -> SystemScores:
        """Read the pages without markup and without pairs by a bundle.

        ``without`` are strings that are blanked; ``decision``, if given, replaces the decision in its manifest.
        """
        labeler = load_labeler(bundle, device=self.device)
        seeing = Blind(labeler, without) if without else labeler
        extractor = Extractor(seeing, decision or read_manifest(bundle).decision, Options(markup=False, pairs=False))
        reader = partial(read_with, [extractor], ())
        scores = score_pages(reader, iter(pages), BATCH)
        bar = tqdm(scores, desc="testing", total=len(pages), unit=" pages", disable=not self.progress)
        found: list[PageScore] = list(bar)
        return SystemScores(bundle.name if bundle else "shipped", found)


class Blind:
    """A network's labeler for which some of the strings are blanked."""

    def __init__(self, labeler: NetworkLabeler, without: frozenset[Strings]) -> None:
        self._labeler = labeler
        self._without = without

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        """As NetworkLabeler.score."""
        config = self._labeler.config
        inputs = [page_input(page, config) for page in pages]
        return self._labeler.score_inputs([blinded(page, self._without) for page in inputs])


def blinded(page: PageInput, without: frozenset[Strings]) -> PageInput:
    """The page without some of its strings."""
    nothing: list[WordString] = [()] * len(page)
    return PageInput(
        nothing if "tags" in without else page.tags,
        nothing if "names" in without else page.names,
        nothing if "text" in without else page.text,
        page.features,
    )


def required(pages: Iterable[AnnotatedPage], names: str) -> list[AnnotatedPage]:
    """The pages as a list. Raises ExperimentError if there are none."""
    if found := list(pages):
        return found
    raise ExperimentError(f"This experiment needs pages of {names}: name those files, too.")
