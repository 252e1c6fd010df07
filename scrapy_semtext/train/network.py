"""Training of the network, from page sets to a bundle: ``semtext dev train labels``.

Word vectors are trained with fastText on the words of the pages. With ``--from BUNDLE``, the network of a bundle is
trained further: its word vectors are not changed, and it counts as epoch 0, so that the result is never worse on the
validation pages. Pages of few domains are split by page.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import torch
from tqdm import tqdm

from scrapy_semtext.features.table import page_input
from scrapy_semtext.labelers.bundle import Manifest, load_labeler, load_network, read_manifest, save_bundle
from scrapy_semtext.models.config import CONFIGS
from scrapy_semtext.models.storage import SHIPPED
from scrapy_semtext.models.vectors import WordVectors
from scrapy_semtext.train.corpus import Example, PageExample, prepare, word_lines
from scrapy_semtext.train.datasets import (
    LICENCE,
    NOT_DONE,
    SPLIT_SEED,
    UNKNOWN_DOMAIN,
    AnnotatedPage,
    Job,
    Side,
    TrainingError,
    read_all,
)
from scrapy_semtext.train.trainer import SETTINGS, Trainer, decision_candidates, further_settings, labeler_choice
from scrapy_semtext.utils import UserError
from scrapy_semtext.utils.extras import load_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scrapy_semtext.features.table import ParsedPage
    from scrapy_semtext.models.config import NetworkConfig
    from scrapy_semtext.train.trainer import Choice, TrainingSettings


#: fastText 0.9.3 initializes its weights in tenths, one thread each, and the remainder in another. With fewer threads,
#: most of the weights are uninitialized memory.
MIN_THREADS = 11


def train_vectors(
    lines: Iterable[Sequence[str]],
    dim: int = 64,
    bucket: int = 100_000,
    min_count: int = 5,
    epochs: int = 5,
    threads: int = MIN_THREADS,
    seed: int = 0,
    progress: bool = False,
) -> Any:
    """Train fastText's skip-gram model on lines of words and return it, for `export`.

    A line is a context: words of different lines are never combined. There are always at least MIN_THREADS threads, on
    any number of cores. The seed gives the same start, but the vectors still differ somewhat between runs, because in
    fastText's design threads update the weights without locks. ``progress`` lets fastText write its bar to stderr.

    Raises UserError if fasttext is not installed, or cannot train: if no word occurs ``min_count`` times, or if the
    training diverges to NaN, which it is prone to on small corpora.
    """
    fasttext: Any = load_extra("fasttext.FastText", "train")
    settings = {"dim": dim, "bucket": bucket, "minn": 3, "maxn": 6, "minCount": min_count}
    settings |= {"epoch": epochs, "seed": seed, "thread": max(threads, MIN_THREADS), "verbose": 2 * progress}
    with tempfile.TemporaryDirectory(prefix="semtext-") as folder:
        file = Path(folder) / "words.txt"
        with file.open("w", encoding="utf-8", errors="replace", newline="\n") as stream:  # replace lone surrogates
            stream.writelines(" ".join(line) + "\n" for line in lines if line)
        # the same as fasttext.train_unsupervised(), which does not accept a seed in 0.9.3
        arguments = fasttext._build_args({**fasttext.unsupervised_default, "input": str(file), **settings}, set())
        trained = fasttext._FastText(args=arguments)
        try:
            fasttext.fasttext.train(trained.f, arguments)
        except (ValueError, RuntimeError) as error:
            raise UserError(f"fastText could not train ({error}). Give more text.") from error
    trained.set_args(trained.f.getArgs())
    return trained


def export(model: Any, max_words: int | None = None, training: dict[str, Any] | None = None) -> WordVectors:
    """Convert a fastText model to WordVectors, of its ``max_words`` most frequent words if given.

    The vectors of other words are those of their n-grams, as for unseen words. Size estimate: (words + bucket) * (dim +
    4) bytes, plus the words themselves. Raises UserError if numbers are not finite.
    """
    words = model.get_words()
    arguments = model.f.getArgs()
    kept = words[:max_words]
    word_matrix = np.array([*map(model.get_word_vector, kept)], dtype=np.float32)
    ngram_matrix = model.get_input_matrix()[len(words) :]
    try:
        return WordVectors.of(kept, word_matrix, ngram_matrix, arguments.minn, arguments.maxn, training)
    except ValueError as error:
        raise UserError(f"{error} Or give more text.") from error


#: The share of the domains held out for early stopping.
VALID_SHARE = 0.08

_Input = TypeVar("_Input")

#: Page types of the sets that are page kinds under another name.
_KINDS = {"news": "article", "thread": "forum", "qa": "forum"}

_USES: dict[Side, str] = {"train": "learn from", "valid": "stop by", "test": "measure"}


@dataclass(frozen=True, kw_only=True)
class TrainingJob(Job):
    """A job for a network; ``work``: the folder for checkpoints, from which an interrupted training is resumed."""

    work: Path
    config: str = "compact"
    device: str = "cpu"
    valid_share: float = VALID_SHARE
    epochs: int | None = None
    workers: int = 1


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
    trainer = Trainer(
        config, settings, vectors, seed=job.seed, device=job.device, checkpoint=job.work / "checkpoint.pt"
    )
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


def side_examples(
    job: TrainingJob, side: Side, read: Callable[[ParsedPage], _Input], left_out: Counter[str], *, progress: bool
) -> list[PageExample[_Input]]:
    """Return the examples of one side of the split, see `prepare`; TrainingError if there are none.

    ``left_out``: as for `Job.pages`.
    """
    pages = (
        replace(page, page_type=_KINDS.get(page.page_type or "", page.page_type))
        for page in job.pages(side, left_out=left_out)
    )
    examples = prepare(pages, read, scored=side == "valid", workers=job.workers, progress=progress)
    if examples:
        return examples
    reasons = ""
    if left_out[LICENCE]:
        reasons += f" {left_out[LICENCE]} were left out for their licence (--any-licence takes them)."
    if left_out[NOT_DONE]:
        reasons += f" {left_out[NOT_DONE]} are {NOT_DONE}."
    raise TrainingError(f"There are no pages to {_USES[side]} in {job.data_names}.{reasons} Give more pages.")


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
        **job.record(torch=torch.__version__),
        "pages": {
            "training": dict(sorted(Counter(example.dataset for example in training).items())),
            "validation": dict(sorted(Counter(example.dataset for example in validation).items())),
        },
    }


#: With fewer domains, the split is by page: some domains would be too few for validation, or too many to do without.
LEAST_DOMAINS = 20

# The parts of the initial network's training record that are included in the new one.
_PROVENANCE = ("date", "seed", "data", "any_licence", "from")


@dataclass(frozen=True, kw_only=True)
class ContinuedJob(TrainingJob):
    """What to train further, on which pages; the network is that of the bundle ``start``, so ``config`` is unused.

    Pages without a licence are assumed to be the user's own. With a ``test_share`` the split is that of the training of
    a bundle. ``valid_pages``: the pages for validation (see `_page_key`) if split by page; set by `continue_training`.
    """

    test_share: float = 0.0
    valid_share: float = 0.2
    start: Path = SHIPPED
    valid_pages: frozenset[str] | None = None

    def side_of(self, page: AnnotatedPage) -> Side:
        """Return the side of the split that a page is on."""
        if self.valid_pages is None:
            return super().side_of(page)
        return "valid" if _page_key(page) in self.valid_pages else "train"

    def may_use(self, page: AnnotatedPage) -> bool:
        """Return whether a page may be used: its licence allows it, or it states none."""
        return page.licence is None or super().may_use(page)

    def split_record(self) -> dict[str, Any]:
        """Return how pages are split, for the training record; without a test side it has no ``test_share``."""
        if self.test_share:
            return super().split_record()
        by = "registered domain" if self.valid_pages is None else "page"
        return {"by": by, "seed": SPLIT_SEED, "valid_share": self.valid_share}


def continue_training(job: ContinuedJob, *, progress: bool = True) -> dict[str, Any]:
    """Train the network of a bundle further, write a bundle with its other models, and return the training record.

    Raises TrainingError if there are too few pages, if the work folder has another training's checkpoint, or if the
    bundle would overwrite its start; BundleError if the start cannot be read; DatasetError for unusable data.
    """
    if job.out.resolve() == job.start.resolve():
        raise TrainingError(f"{job.out} is the bundle to start from. Write to another folder.")
    network, start = load_network(job.start), read_manifest(job.start)
    labeler, vectors = load_labeler(job.start, device="cpu"), WordVectors.load(job.start)
    job = _with_split(job)
    left_out: Counter[str] = Counter()
    read = partial(page_input, config=network.config)
    training = side_examples(job, "train", read, left_out, progress=progress)
    validation = side_examples(job, "valid", read, Counter(), progress=progress)
    settings = further_settings(network.config, len(training), job.epochs)
    digest = hashlib.sha256((job.start / "bundle.json").read_bytes()).hexdigest()
    own = identity(job, network.config, settings, [*training, *validation])
    claim_work_folder(job.work, own | {"start": digest})
    before = labeler_choice(labeler, start.decision, validation)
    checkpoint = job.work / "checkpoint.pt"
    trainer = Trainer(network.config, settings, vectors, seed=job.seed, device=job.device, checkpoint=checkpoint)
    trainer.start_from(network)
    trainer.count_start(before.name, before.f1, progress=progress)
    choice = train_network(trainer, training, validation, progress=progress)
    if trainer.progress.best_epoch == 0:
        choice = before
    record = {
        **network_record(job, training, validation, trainer, left_out),
        "from": {"sha256": digest, **{key: start.training[key] for key in _PROVENANCE if key in start.training}},
        "start_word_f1": before.f1,
        "validation_word_f1": choice.f1,
    }
    _copy_models(job.start, job.out)
    manifest = Manifest(network.config, choice.decision, choice.probability, choice.temperature, record)
    save_bundle(job.out, trainer.best, vectors, manifest)
    return record


def _with_split(job: ContinuedJob) -> ContinuedJob:
    """Return the job with validation pages if the split is by page. Raises TrainingError if there are too few pages."""
    left_out: Counter[str] = Counter()
    keys, domains = [], set()
    for page in read_all(job.data, left_out=left_out):
        keys.append(_page_key(page))
        if not page.domain.startswith(UNKNOWN_DOMAIN):
            domains.add(page.domain)
    if len(keys) < 2:
        undone = f" {left_out[NOT_DONE]} pages are {NOT_DONE}." if left_out else ""
        raise TrainingError(
            f"Pages in {job.data_names}: {len(keys)}.{undone} Give at least two, one to learn from and one to validate "
            "on, and better 20 or more."
        )
    if len(domains) >= LEAST_DOMAINS:
        return job
    if job.test_share:
        raise TrainingError(
            f"{job.data_names}: pages of {len(domains)} known domains are split by page, without pages for tests; it "
            f"takes {LEAST_DOMAINS} domains. Leave --test-share out, and keep pages for tests in another file."
        )
    count = min(max(1, ceil(job.valid_share * len(keys))), len(keys) - 1)
    return replace(job, valid_pages=frozenset(sorted(keys)[:count]))


def _page_key(page: AnnotatedPage) -> str:
    """Return a hash of domain and id, by which pages are ranked."""
    name = f"{SPLIT_SEED}\n{page.domain}\n{page.dataset}/{page.id}"
    return hashlib.blake2b(name.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def _copy_models(source: Path, target: Path) -> None:
    """Copy all models of a bundle, each described by a JSON file with its name, except the network."""
    target.mkdir(parents=True, exist_ok=True)
    for weights in source.glob("*.safetensors"):
        description = weights.with_suffix(".json")
        if description.exists():
            for path in (weights, description):
                shutil.copyfile(path, target / path.name)
