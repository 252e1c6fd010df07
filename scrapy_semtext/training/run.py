"""Training of the network, from page sets to a bundle: ``semtext dev train labels``."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from tqdm import tqdm

from scrapy_semtext.features.block_words import page_input
from scrapy_semtext.inference.config import CONFIGS
from scrapy_semtext.inference.vectors import WordVectors
from scrapy_semtext.labelers.bundle import Manifest, save_bundle
from scrapy_semtext.training.calibration import decision_candidates
from scrapy_semtext.training.corpus import Example, PageExample, prepare, word_lines
from scrapy_semtext.training.datasets import NOT_DONE, SPLIT_SEED, AnnotatedPage, Side, may_ship, read_all, split_side
from scrapy_semtext.training.errors import TrainingError
from scrapy_semtext.training.network_settings import SETTINGS
from scrapy_semtext.training.trainer import Trainer
from scrapy_semtext.training.vector_fit import export, train_vectors
from scrapy_semtext.utils.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.inference.config import NetworkConfig
    from scrapy_semtext.training.calibration import Choice
    from scrapy_semtext.training.network_settings import TrainingSettings

#: The share of the domains held out for early stopping.
VALID_SHARE = 0.08

_Input = TypeVar("_Input")

#: Page types of the sets that are page kinds under another name.
_KINDS = {"news": "article", "thread": "forum", "qa": "forum"}

# The reason for which `pages_of` skips pages.
_LICENCE = "licence"

_USES: dict[Side, str] = {"train": "learn from", "valid": "stop by", "test": "measure"}


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """What to train, on which pages.

    ``data``: page sets (JSON lines); ``work``: folder for checkpoints, from which an interrupted training is resumed;
    ``any_licence``: whether to use pages whose licence does not allow distributing weights; ``test_share`` and
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
    valid_share: float = VALID_SHARE
    test_fold: int = 0
    epochs: int | None = None
    workers: int = 1

    @property
    def data_names(self) -> str:
        """The names of the page sets."""
        return ", ".join(path.name for path in self.data)

    def side_of(self, page: AnnotatedPage) -> Side:
        """Return the side of the split that a page is on."""
        return split_side(page.domain, SPLIT_SEED, self.test_share, self.valid_share, self.test_fold)

    def may_use(self, page: AnnotatedPage) -> bool:
        """Return whether the licence of a page allows its use."""
        return self.any_licence or may_ship(page)

    def split_record(self) -> dict[str, Any]:
        """Return how pages are split, for the training record."""
        return {
            "by": "registered domain",
            "seed": SPLIT_SEED,
            "test_share": self.test_share,
            "test_fold": self.test_fold,
            "valid_share": self.valid_share,
        }


def train_bundle(job: TrainingJob, *, progress: bool = True) -> dict[str, Any]:
    """Train word vectors and a network, write the bundle, and return its training record.

    Raises TrainingError if a side of the split has no pages, or if the work folder has another training's checkpoint; a
    UserError for unusable data.
    """
    config, settings = CONFIGS[job.config], SETTINGS[job.config]
    if job.epochs is not None:
        settings = replace(settings, epochs=job.epochs)
    left_out: Counter[str] = Counter()
    read = partial(page_input, config=config)
    training = side_examples(job, "train", read, left_out, progress=progress)
    validation = side_examples(job, "valid", read, Counter(), progress=progress)
    claim_work_folder(job.work, identity(job, config, settings, [*training, *validation]))
    vectors = word_vectors(job.work / "vectors", config, settings, training, job.seed, progress=progress)
    table = VectorTable(vectors, [*training, *validation])
    trainer = Trainer(config, settings, table, seed=job.seed, device=job.device, checkpoint=job.work / "checkpoint.pt")
    choice = train_network(trainer, training, validation, progress=progress)
    record = network_record(job, training, validation, trainer, left_out)
    record["validation_word_f1"] = choice.f1
    manifest = Manifest(config, choice.decision, choice.probability, choice.temperature, record)
    save_bundle(job.out, trainer.best, vectors, manifest)
    return record


def train_network(
    trainer: Trainer, training: Sequence[Example], validation: Sequence[Example], *, progress: bool = True
) -> Choice:
    """Run the training, and return the decision that is best on the validation pages."""
    trainer.run(training, validation, progress=progress)
    choices = decision_candidates(trainer.best, trainer.vectors, validation, trainer.device)
    return max(choices, key=lambda choice: choice.f1)


class VectorTable:
    """The vectors of all words of some pages, looked up once for speed."""

    def __init__(self, vectors: WordVectors, examples: Iterable[Example]) -> None:
        self.dim = vectors.dim
        words = {
            word
            for example in examples
            for strings in (example.input.tags, example.input.names, example.input.text)
            for string in strings
            for word in string
        }
        self._row = {word: row for row, word in enumerate(sorted(words))}
        self._matrix: NDArray[np.float32] = vectors.matrix(list(self._row))

    def matrix(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of words that occur in the pages, (words, dim)."""
        found: NDArray[np.float32] = self._matrix[[self._row[word] for word in words]]
        return found


def side_examples(
    job: TrainingJob, side: Side, read: Callable[[ParsedPage], _Input], left_out: Counter[str], *, progress: bool
) -> list[PageExample[_Input]]:
    """Return the examples of one side of the split, see `prepare`; TrainingError if there are none.

    ``left_out``: as for `pages_of`.
    """
    pages = pages_of(job, side, left_out)
    examples = prepare(pages, read, scored=side == "valid", workers=job.workers, progress=progress)
    if examples:
        return examples
    reasons = ""
    if left_out[_LICENCE]:
        reasons += f" {left_out[_LICENCE]} were left out for their licence (--any-licence takes them)."
    if left_out[NOT_DONE]:
        reasons += f" {left_out[NOT_DONE]} are {NOT_DONE}."
    raise TrainingError(f"There are no pages to {_USES[side]} in {job.data_names}.{reasons} Give more pages.")


def pages_of(job: TrainingJob, side: Side, left_out: Counter[str]) -> Iterator[AnnotatedPage]:
    """Yield the pages of one side of the split; skipped pages are counted by reason.

    Pages skipped for their licence are those of this side; labeled pages that are not done are those of all sides.
    """
    for page in read_all(job.data, left_out=left_out):
        if job.side_of(page) != side:
            continue
        if not job.may_use(page):
            left_out[_LICENCE] += 1
            continue
        yield replace(page, page_type=_KINDS.get(page.page_type or "", page.page_type))


def identity(
    job: TrainingJob, config: NetworkConfig, settings: TrainingSettings, examples: Sequence[Example]
) -> dict[str, Any]:
    """Return the values that distinguish a training from others, for `claim_work_folder`."""
    pages = hashlib.sha256("\n".join(sorted(f"{e.dataset}/{e.id}" for e in examples)).encode()).hexdigest()
    return {
        "config": config.to_dict(),
        "settings": asdict(settings),
        "seed": job.seed,
        "any_licence": job.any_licence,
        "split": [job.test_share, job.valid_share, job.test_fold],
        "pages": pages,
    }


def claim_work_folder(work: Path, identity: dict[str, Any]) -> None:
    """Record a training, as JSON values, in its work folder, so that only the same one resumes its checkpoint.

    Raises TrainingError if the folder has another training.
    """
    text = json.dumps(identity, indent=2, sort_keys=True)
    path = work / "job.json"
    work.mkdir(parents=True, exist_ok=True)
    if path.exists():
        own, other = json.loads(text), json.loads(path.read_text(encoding="utf-8"))
        differing = [name for name in sorted(own.keys() | other.keys()) if own.get(name) != other.get(name)]
        if differing:
            raise TrainingError(
                f"{work} holds a training that differs in {', '.join(differing)}. Use another --work folder."
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
    """Train word vectors on the words of examples and save them, or load those in the folder."""
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


def network_record(
    job: TrainingJob,
    training: Sequence[Example],
    validation: Sequence[Example],
    trainer: Trainer,
    left_out: Counter[str],
) -> dict[str, Any]:
    """Return the training record, the source of the model card; ``left_out``: counts of skipped training pages."""
    return {
        **data_record(job, training, validation),
        "left_out": dict(left_out),
        "config": trainer.network.config.name,
        "settings": asdict(trainer.settings),
        "best_epoch": trainer.progress.best_epoch,
        "history": trainer.progress.history,
    }


def data_record(
    job: TrainingJob, training: Sequence[PageExample[Any]], validation: Sequence[PageExample[Any]]
) -> dict[str, Any]:
    """Return the common part of training records: date, versions, pages and the split."""
    return {
        "date": datetime.now(tz=timezone.utc).date().isoformat(),
        "versions": {"scrapy-semtext": __version__, "torch": torch.__version__},
        "seed": job.seed,
        "data": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in job.data},
        "any_licence": job.any_licence,
        "split": job.split_record(),
        "pages": {
            "training": dict(sorted(Counter(example.dataset for example in training).items())),
            "validation": dict(sorted(Counter(example.dataset for example in validation).items())),
        },
    }
