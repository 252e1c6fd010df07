"""The training loop: batches, steps, validation, early stopping, checkpoints."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from itertools import repeat
from math import cos, pi
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from tqdm import tqdm

from scrapy_semtext.features.block_features import FEATURES
from scrapy_semtext.inference.collate import HostVectors, collate
from scrapy_semtext.inference.config import PAGE_KINDS
from scrapy_semtext.inference.inputs import sequences
from scrapy_semtext.inference.torch_network import SemTextNetwork
from scrapy_semtext.training.calibration import choices_of
from scrapy_semtext.training.loss import Targets, loss_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from scrapy_semtext.inference.config import NetworkConfig
    from scrapy_semtext.inference.vectors import Vectors
    from scrapy_semtext.training.calibration import Measure
    from scrapy_semtext.training.corpus import Example
    from scrapy_semtext.training.settings import TrainingSettings


@dataclass(frozen=True, slots=True)
class Stretch:
    """A page, or a sequence of blocks cut from it, to be learned in one piece."""

    example: Example
    begin: int
    end: int

    def __len__(self) -> int:
        return self.end - self.begin


@dataclass(slots=True)
class Progress:
    """How far a training is; everything that a resumed training needs beside the parameters."""

    epoch: int = 0
    best: float = -1.0
    best_epoch: int = 0
    history: list[dict[str, Any]] = field(default_factory=list)


class Trainer:
    """Trains one network on examples; `run` trains until it is done, a checkpoint an epoch."""

    def __init__(
        self,
        config: NetworkConfig,
        settings: TrainingSettings,
        vectors: Vectors,
        *,
        seed: int,
        device: str = "cpu",
        checkpoint: Path | None = None,
        measure: Measure = "words",
    ) -> None:
        torch.manual_seed(seed)
        self.settings = settings
        self.vectors = vectors
        self.seed = seed
        self.device = torch.device(device)
        self.checkpoint = checkpoint
        self.measure: Measure = measure
        self.network = SemTextNetwork(config, len(FEATURES)).to(self.device)
        self.average = deepcopy(self.network).eval()
        self.best = deepcopy(self.network).eval()
        self.optimizer = _optimizer(self.network, settings)
        self.progress = Progress()
        self.steps = 0
        self._started = False

    def start_from(self, network: SemTextNetwork) -> None:
        """Go on from the parameters of a trained network instead of random ones; it has to be of the same shape."""
        for own in (self.network, self.average, self.best):
            own.load_state_dict(network.state_dict())
        self._started = True

    def run(self, training: Sequence[Example], validation: Sequence[Example], *, progress: bool = False) -> Progress:
        """Train on ``training`` until ``validation`` gets no better; the best parameters end up in ``best``."""
        if self.checkpoint is not None and self.checkpoint.exists():
            self._restore(self.checkpoint)
        elif not self._started:  # a trained network knows the mean and deviation of its numbers
            self._measure_numbers(training)
        while self.progress.epoch < self.settings.epochs and not self._stalled():
            loss = self._epoch(training, progress=progress)
            choices = choices_of(self.average, self.vectors, validation, self.device, self.measure)
            self._note(loss, {choice.name: choice.f1 for choice in choices}, progress=progress)
            if self.checkpoint is not None:
                self._save(self.checkpoint)
        return self.progress

    def run_all(self, training: Sequence[Example], *, progress: bool = False) -> None:
        """Train for all epochs with no pages to choose one by; the running mean of the parameters ends up in ``best``.

        The parameters are those that `start_from` was given.
        """
        while self.progress.epoch < self.settings.epochs:
            self._epoch(training, progress=progress)
        self.best.load_state_dict(self.average.state_dict())

    def _stalled(self) -> bool:
        return self.progress.epoch - self.progress.best_epoch >= self.settings.patience

    def _measure_numbers(self, training: Sequence[Example]) -> None:
        rows = np.concatenate([example.input.features for example in training])
        for network in (self.network, self.average, self.best):
            network.mean.copy_(torch.from_numpy(rows.mean(0)))
            network.deviation.copy_(torch.from_numpy(rows.std(0) + 1e-3))

    def _epoch(self, training: Sequence[Example], *, progress: bool) -> float:
        """Go once through the training pages; the mean loss of the steps."""
        self.network.train()
        rng = np.random.default_rng([self.seed, self.progress.epoch])
        torch.manual_seed(self.seed * 1000 + self.progress.epoch)  # so that a resumed epoch is the same one
        batches = _batches(self._stretches(training, rng), self.settings, rng)
        losses = []
        title = f"epoch {self.progress.epoch + 1}/{self.settings.epochs}"
        bar = tqdm(batches, desc=title, unit=" batches", disable=not progress)
        for number, batch in enumerate(bar):
            self._set_rate((self.progress.epoch + number / len(batches)) / self.settings.epochs)
            losses.append(self._step(batch, rng))
            bar.set_postfix(loss=f"{np.mean(losses[-50:]):.3f}", refresh=False)
        self.progress.epoch += 1
        return float(np.mean(losses))

    def _stretches(self, training: Sequence[Example], rng: np.random.Generator) -> list[Stretch]:
        """The pages as this epoch shows them: cut into sequences, or to a random stretch if very long."""
        stretches = []
        limit = self.network.config.max_blocks
        for example in self._repeated(training):
            count = len(example.input)
            if limit is not None:
                stretches += [Stretch(example, begin, end) for begin, end in sequences(count, limit)]
            else:
                begin = int(rng.integers(max(count - self.settings.longest, 0) + 1))
                stretches.append(Stretch(example, begin, min(count, begin + self.settings.longest)))
        return stretches

    def _repeated(self, training: Sequence[Example]) -> Iterator[Example]:
        for example in training:
            yield from repeat(example, 1 if example.kind in (None, "article") else self.settings.repeats)

    def _step(self, stretches: list[Stretch], rng: np.random.Generator) -> float:
        inputs = [stretch.example.input.cut(stretch.begin, stretch.end) for stretch in stretches]
        for page, (no_names, no_text) in zip(inputs, rng.random((len(inputs), 2)), strict=True):
            if no_names < self.settings.string_dropout:
                page.names = [()] * len(page)
            if no_text < self.settings.string_dropout:
                page.text = [()] * len(page)
        batch = collate(inputs, HostVectors(self.vectors, self.device), self.device)
        for strings in batch.strings:
            dropped = torch.rand(strings.words.shape, device=self.device) < self.settings.word_dropout
            strings.words = strings.words.masked_fill(dropped, 0)
        output = self.network(batch)
        targets = _targets(stretches, output.mask.shape[1], self.device)
        loss = loss_of(output, targets, self.network.crf, self.settings.loss)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.settings.clip)
        self.optimizer.step()
        self._average()
        return float(loss.detach())

    def _average(self) -> None:
        """Move the running mean of the parameters; it follows faster at first, when there is little to average."""
        self.steps += 1
        decay = min(self.settings.averaging, (1 + self.steps) / (10 + self.steps)) if self.settings.averaging else 0.0
        with torch.no_grad():
            for mean, value in zip(self.average.parameters(), self.network.parameters(), strict=True):
                mean.lerp_(value, 1 - decay)

    def _set_rate(self, done: float) -> None:
        """Warm up over the first fiftieth of the training, then fall along a cosine to the final share."""
        final = self.settings.final_share
        share = min(done * 50 + 0.02, 1.0) * (final + (1 - final) * (1 + cos(pi * done)) / 2)
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.learning_rate * share

    def _note(self, loss: float, scores: dict[str, float], *, progress: bool) -> None:
        best = max(scores.values())
        self.progress.history.append({"epoch": self.progress.epoch, "loss": round(loss, 4), **scores})
        if best > self.progress.best:
            self.progress.best, self.progress.best_epoch = best, self.progress.epoch
            self.best.load_state_dict(self.average.state_dict())
        if progress:
            figures = "  ".join(f"{name} {value:.4f}" for name, value in scores.items())
            tqdm.write(f"epoch {self.progress.epoch}: loss {loss:.4f}  validation F1 of {self.measure}: {figures}")

    def _save(self, path: Path) -> None:
        state = {
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "best": self.best.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "steps": self.steps,
            "epoch": self.progress.epoch,
            "best_score": self.progress.best,
            "best_epoch": self.progress.best_epoch,
            "history": self.progress.history,
        }
        partial = path.with_suffix(".partial")
        torch.save(state, partial)
        partial.replace(path)

    def _restore(self, path: Path) -> None:
        state = torch.load(path, map_location=self.device, weights_only=True)
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        self.best.load_state_dict(state["best"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.steps = state["steps"]
        self.progress = Progress(state["epoch"], state["best_score"], state["best_epoch"], state["history"])


def _optimizer(network: SemTextNetwork, settings: TrainingSettings) -> torch.optim.Optimizer:
    kind = torch.optim.SGD if settings.optimizer == "sgd" else torch.optim.AdamW
    return kind(network.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay)


def _batches(stretches: list[Stretch], settings: TrainingSettings, rng: np.random.Generator) -> list[list[Stretch]]:
    """Random batches of stretches of like length, so that little of a batch is padding."""
    order = rng.permutation(len(stretches))
    batches: list[list[Stretch]] = []
    portion = 8 * settings.batch_pages
    for begin in range(0, len(order), portion):
        batch: list[Stretch] = []
        for stretch in sorted((stretches[i] for i in order[begin : begin + portion]), key=len):
            full = len(batch) == settings.batch_pages or (len(batch) + 1) * len(stretch) > settings.batch_blocks
            if batch and full:
                batches.append(batch)
                batch = []
            batch.append(stretch)
        batches.append(batch)
    return [batches[i] for i in rng.permutation(len(batches))]


def _targets(stretches: list[Stretch], longest: int, device: torch.device) -> Targets:
    labels = np.zeros((len(stretches), longest), dtype=np.int64)
    counts = np.zeros((len(stretches), longest), dtype=np.float32)
    kinds = np.full(len(stretches), -1)
    for row, stretch in enumerate(stretches):
        part = slice(stretch.begin, stretch.end)
        labels[row, : len(stretch)] = stretch.example.labels[part]
        counts[row, : len(stretch)] = stretch.example.words[part]
        if stretch.example.kind in PAGE_KINDS:
            kinds[row] = PAGE_KINDS.index(stretch.example.kind)
    return Targets(
        torch.from_numpy(labels).to(device), torch.from_numpy(counts).to(device), torch.from_numpy(kinds).to(device)
    )
