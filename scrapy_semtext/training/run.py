"""The training of the network, from page sets to a bundle: ``semtext train labels``."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Protocol

import torch
from tqdm import tqdm

from scrapy_semtext.inference.config import CONFIGS
from scrapy_semtext.inference.vectors import WordVectors
from scrapy_semtext.labelers.bundle import Manifest, save_bundle
from scrapy_semtext.training.calibration import decision_candidates
from scrapy_semtext.training.corpus import Example, prepare, word_lines
from scrapy_semtext.training.datasets import SPLIT_SEED, AnnotatedPage, Side, may_ship, read_all, split_side
from scrapy_semtext.training.errors import TrainingError
from scrapy_semtext.training.settings import SETTINGS
from scrapy_semtext.training.trainer import Trainer
from scrapy_semtext.training.vectors import export, train_vectors
from scrapy_semtext.utils.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from scrapy_semtext.inference.config import NetworkConfig
    from scrapy_semtext.training.calibration import Choice
    from scrapy_semtext.training.settings import TrainingSettings

#: Page types of the sets that are kinds of page under another name.
_KINDS = {"news": "article", "thread": "forum", "qa": "forum"}

_USES: dict[Side, str] = {"train": "learn from", "valid": "stop by", "test": "measure"}


class _OfSet(Protocol):
    @property
    def dataset(self) -> str: ...


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """What to train, on which pages.

    ``data``: page sets (JSON lines); ``work``: folder for checkpoints, from which an interrupted training is resumed;
    ``any_licence``: whether pages are used whose licence does not allow weights to be given away; ``test_share`` and
    ``valid_share``: shares of the domains held out for tests and for early stopping; ``test_fold``: which fold of that
    size is the test side.
    """

    data: tuple[Path, ...]
    out: Path
    work: Path
    config: str = "compact"
    seed: int = 1
    device: str = "cpu"
    any_licence: bool = False
    test_share: float = 0.2
    valid_share: float = 0.08
    test_fold: int = 0
    epochs: int | None = None
    workers: int = 1


def train_bundle(job: TrainingJob, *, progress: bool = True) -> dict[str, Any]:
    """Train word vectors and a network, write the bundle, and return its training record.

    Raises TrainingError if a side of the split has no pages, or if the work folder holds another training's checkpoint;
    DatasetError or VectorsError for unusable data.
    """
    config, settings = CONFIGS[job.config], SETTINGS[job.config]
    if job.epochs is not None:
        settings = replace(settings, epochs=job.epochs)
    training = _examples(job, "train", config, progress=progress)
    validation = _examples(job, "valid", config, progress=progress)
    _claim_work_folder(job, settings, [*training, *validation])
    vectors = word_vectors(job.work / "vectors", config, settings, training, job.seed, progress=progress)
    table = VectorTable(vectors, [*training, *validation])
    trainer = Trainer(config, settings, table, seed=job.seed, device=job.device, checkpoint=job.work / "checkpoint.pt")
    choice = train_network(trainer, training, validation, progress=progress)
    record = _record(job, settings, training, validation, trainer)
    record["validation_word_f1"] = choice.f1
    manifest = Manifest(config, choice.decision, choice.probability, choice.temperature, record)
    save_bundle(job.out, trainer.best, vectors, manifest)
    return record


def train_network(
    trainer: Trainer, training: Sequence[Example], validation: Sequence[Example], *, progress: bool = True
) -> Choice:
    """Run the training, and return the decision that is best on the validation pages."""
    trainer.run(training, validation, progress=progress)
    choices = decision_candidates(trainer.best, trainer.vectors, validation, trainer.device, trainer.measure)
    return max(choices, key=lambda choice: choice.f1)


class VectorTable:
    """The vectors of all words of some pages, looked up once for speed."""

    def __init__(self, vectors: WordVectors, examples: Iterable[Example]) -> None:
        self.dim = vectors.dim
        self.fingerprint = vectors.fingerprint
        self._vectors = vectors
        words = {
            word
            for example in examples
            for strings in (example.input.tags, example.input.names, example.input.text)
            for string in strings
            for word in string
        }
        self._row = {word: row for row, word in enumerate(sorted(words))}
        self._matrix: NDArray[np.float32] = vectors.matrix(list(self._row))

    def vector(self, word: str) -> NDArray[np.float32]:
        """Return the word's vector, (dim,)."""
        found: NDArray[np.float32] = self._matrix[self._row[word]]
        return found

    def matrix(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of words that the pages have, (words, dim)."""
        found: NDArray[np.float32] = self._matrix[[self._row[word] for word in words]]
        return found


def _examples(job: TrainingJob, side: Side, config: NetworkConfig, *, progress: bool) -> list[Example]:
    """The examples of one side of the split; TrainingError if there are none."""
    left_out: Counter[str] = Counter()
    pages = pages_of(job, side, left_out)
    examples = prepare(pages, config, scored=side == "valid", workers=job.workers, progress=progress)
    if not examples:
        raise no_pages(job, side, left_out)
    return examples


def no_pages(job: TrainingJob, side: Side, left_out: Counter[str]) -> TrainingError:
    """The error to raise where a side of the split has no pages; ``left_out`` is what `pages_of` counted."""
    licence = ""
    if left_out:
        licence = f" {left_out.total()} were left out for their licence (--any-licence takes them)."
    return TrainingError(f"There are no pages to {_USES[side]} in {_names(job)}.{licence} Give more pages.")


def pages_of(job: TrainingJob, side: Side, left_out: Counter[str]) -> Iterator[AnnotatedPage]:
    """Yield the pages of one side of the split; those left out for their licence are counted by set."""
    for page in read_all(job.data):
        if split_side(page.domain, SPLIT_SEED, job.test_share, job.valid_share, job.test_fold) != side:
            continue
        if not job.any_licence and not may_ship(page):
            left_out[page.dataset] += 1
            continue
        yield replace(page, page_type=_KINDS.get(page.page_type or "", page.page_type))


def _names(job: TrainingJob) -> str:
    return ", ".join(path.name for path in job.data)


def _claim_work_folder(job: TrainingJob, settings: TrainingSettings, examples: list[Example]) -> None:
    """Record the job in the work folder, so that its checkpoint is resumed only by the same job.

    Raises TrainingError if the folder holds another job.
    """
    pages = hashlib.sha256("\n".join(sorted(f"{e.dataset}/{e.id}" for e in examples)).encode()).hexdigest()
    own = {
        "config": CONFIGS[job.config].to_dict(),
        "settings": asdict(settings),
        "seed": job.seed,
        "any_licence": job.any_licence,
        "split": [job.test_share, job.valid_share, job.test_fold],
        "pages": pages,
    }
    text = json.dumps(own, indent=2, sort_keys=True)
    path = job.work / "job.json"
    job.work.mkdir(parents=True, exist_ok=True)
    if path.exists():
        other = json.loads(path.read_text(encoding="utf-8"))
        differing = [name for name, value in json.loads(text).items() if other.get(name) != value]
        if differing:
            raise TrainingError(
                f"{job.work} holds a training that differs in {', '.join(differing)}. Use another --work folder."
            )
    path.write_text(text + "\n", encoding="utf-8")


def word_vectors(
    folder: Path,
    config: NetworkConfig,
    settings: TrainingSettings,
    training: Sequence[Example],
    seed: int,
    *,
    progress: bool = True,
) -> WordVectors:
    """Train word vectors on the words of examples and save them, or read those that the folder has."""
    if (folder / "vectors.json").exists():
        return WordVectors.load(folder)
    if progress:
        tqdm.write("training word vectors")
    model = train_vectors(
        word_lines(training),
        dim=config.dim,
        bucket=settings.vector_buckets,
        epochs=settings.vector_epochs,
        threads=os.cpu_count() or 1,
        seed=seed,
        progress=progress,
    )
    vectors = export(model, settings.vector_words, {"pages": len(training), "seed": seed})
    vectors.save(folder)
    return vectors


def _record(
    job: TrainingJob, settings: TrainingSettings, training: list[Example], validation: list[Example], trainer: Trainer
) -> dict[str, Any]:
    """The training record, the source of the model card."""
    return {
        **data_record(job, training, validation),
        "config": job.config,
        "settings": asdict(settings),
        "best_epoch": trainer.progress.best_epoch,
        "history": trainer.progress.history,
    }


def data_record(job: TrainingJob, training: Sequence[_OfSet], validation: Sequence[_OfSet]) -> dict[str, Any]:
    """The common part of training records: date, versions, pages and the split."""
    return {
        "date": datetime.now(tz=timezone.utc).date().isoformat(),
        "versions": {"scrapy-semtext": __version__, "torch": torch.__version__},
        "seed": job.seed,
        "data": {path.name: _digest(path) for path in job.data},
        "any_licence": job.any_licence,
        "split": {
            "by": "registered domain",
            "seed": SPLIT_SEED,
            "test_share": job.test_share,
            "test_fold": job.test_fold,
            "valid_share": job.valid_share,
        },
        "pages": {
            "training": dict(sorted(Counter(example.dataset for example in training).items())),
            "validation": dict(sorted(Counter(example.dataset for example in validation).items())),
        },
    }


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        digest = hashlib.sha256()
        for part in iter(lambda: file.read(1 << 20), b""):
            digest.update(part)
    return digest.hexdigest()
