"""Further training of a bundle's network on your own pages: ``semtext dev train labels --from BUNDLE``.

The word vectors are not changed. The initial network counts as epoch 0, so that the result is never worse than it on
the validation pages. Pages of few domains are split by page.
"""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

from scrapy_semtext.features.block_words import page_input
from scrapy_semtext.inference.storage import SHIPPED
from scrapy_semtext.inference.vectors import WordVectors
from scrapy_semtext.labelers.bundle import Manifest, load_labeler, load_network, read_manifest, save_bundle
from scrapy_semtext.training.calibration import labeler_choice
from scrapy_semtext.training.datasets import NOT_DONE, SPLIT_SEED, UNKNOWN_DOMAIN, AnnotatedPage, Side, read_all
from scrapy_semtext.training.errors import TrainingError
from scrapy_semtext.training.network_settings import further_settings
from scrapy_semtext.training.run import (
    TrainingJob,
    VectorTable,
    claim_work_folder,
    identity,
    network_record,
    side_examples,
    train_network,
)
from scrapy_semtext.training.trainer import Trainer

#: With fewer domains, the split is by page: some domains would be too few for validation, or too many to do without.
LEAST_DOMAINS = 20

# The parts of the initial network's training record that are included in the new one.
_PROVENANCE = ("date", "seed", "data", "any_licence", "from")


@dataclass(frozen=True)
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
    table = VectorTable(vectors, [*training, *validation])
    checkpoint = job.work / "checkpoint.pt"
    trainer = Trainer(network.config, settings, table, seed=job.seed, device=job.device, checkpoint=checkpoint)
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
