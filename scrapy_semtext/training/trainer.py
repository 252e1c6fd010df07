"""The training loop: batches, steps, the loss, validation, early stopping, checkpoints."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from math import cos, pi
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from tqdm import tqdm

from scrapy_semtext.features.block_features import FEATURES
from scrapy_semtext.inference.block_inputs import sequences
from scrapy_semtext.inference.config import PAGE_KINDS
from scrapy_semtext.inference.torch_network import HostVectors, SemTextNetwork, collate
from scrapy_semtext.training.calibration import decision_candidates

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy_semtext.inference.config import NetworkConfig
    from scrapy_semtext.inference.torch_network import LinearChainCRF, Output
    from scrapy_semtext.inference.vectors import Vectors
    from scrapy_semtext.training.corpus import Example
    from scrapy_semtext.training.network_settings import LossWeights, TrainingSettings


@dataclass(frozen=True, slots=True)
class BlockSequence:
    """A page, or a sequence of its blocks, that is one training sequence."""

    example: Example
    begin: int
    end: int

    def __len__(self) -> int:
        return self.end - self.begin


@dataclass(slots=True)
class Targets:
    """The truth of a batch.

    ``labels``: (pages, blocks) int64, 1 for main content, -1 if unknown; ``words``: (pages, blocks) words of each
    block, 0 after the end of a page and if the label is unknown; ``kinds``: (pages,) index of the page kind, -1 if
    unknown.
    """

    labels: Tensor
    words: Tensor
    kinds: Tensor


@dataclass(slots=True)
class Progress:
    """The progress of a training: everything except the parameters that is needed to resume it."""

    epoch: int = 0
    best: float = -1.0
    best_epoch: int = 0
    history: list[dict[str, Any]] = field(default_factory=list)


_SAVED = ("network", "average", "best", "optimizer")  # parts of a trainer in a checkpoint


class Trainer:
    """Trains a network on examples, with a checkpoint after each epoch."""

    def __init__(
        self,
        config: NetworkConfig,
        settings: TrainingSettings,
        vectors: Vectors,
        *,
        seed: int,
        device: str = "cpu",
        checkpoint: Path | None = None,
    ) -> None:
        torch.manual_seed(seed)
        self.settings = settings
        self.vectors = vectors
        self.seed = seed
        self.device = torch.device(device)
        self.checkpoint = checkpoint
        self.network = SemTextNetwork(config, len(FEATURES)).to(self.device)
        self.average = deepcopy(self.network).eval()
        self.best = deepcopy(self.network).eval()
        kind = torch.optim.SGD if settings.optimizer == "sgd" else torch.optim.AdamW
        self.optimizer: torch.optim.Optimizer = kind(
            self.network.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
        )
        self.progress = Progress()
        self.steps = 0
        self._started = False

    def start_from(self, network: SemTextNetwork) -> None:
        """Start from the parameters of a trained network of the same shape."""
        for own in (self.network, self.average, self.best):
            own.load_state_dict(network.state_dict())
        self._started = True

    def count_start(self, name: str, score: float, *, progress: bool = False) -> None:
        """Count the parameters of `start_from` as epoch 0: ``best`` keeps them unless an epoch has a better score.

        ``name`` and ``score``: a decision, and its F1 on the validation pages. A resumed training uses the checkpoint's
        score.
        """
        self._note({"epoch": 0}, {name: score}, progress=progress)

    def run(self, training: Sequence[Example], validation: Sequence[Example], *, progress: bool = False) -> Progress:
        """Train on ``training`` until the score on ``validation`` stops improving; ``best`` has the best parameters."""
        if self.checkpoint is not None and self.checkpoint.exists():
            self._restore(self.checkpoint)
        elif not self._started:  # a trained network already has the mean and deviation of its features
            self._measure_numbers(training)
        patience = self.settings.patience
        while self.progress.epoch < min(self.settings.epochs, self.progress.best_epoch + patience):
            loss = self.epoch(training, progress=progress)
            choices = decision_candidates(self.average, self.vectors, validation, self.device)
            result = {"epoch": self.progress.epoch, "loss": round(loss, 4)}
            self._note(result, {choice.name: choice.f1 for choice in choices}, progress=progress)
            if self.checkpoint is not None:
                self._save(self.checkpoint)
        return self.progress

    def _measure_numbers(self, training: Sequence[Example]) -> None:
        rows = np.concatenate([example.input.features for example in training])
        for network in (self.network, self.average, self.best):
            network.mean.copy_(torch.from_numpy(rows.mean(0)))
            network.deviation.copy_(torch.from_numpy(rows.std(0) + 1e-3))

    def epoch(self, training: Sequence[Example], *, progress: bool) -> float:
        """Run one epoch; return the mean loss of the steps."""
        self.network.train()
        rng = np.random.default_rng([self.seed, self.progress.epoch])
        torch.manual_seed(self.seed * 1000 + self.progress.epoch)  # so that a resumed epoch is the same one
        batches = _batches(self._sequences(training, rng), self.settings, rng)
        losses = []
        title = f"epoch {self.progress.epoch + 1}/{self.settings.epochs}"
        bar = tqdm(batches, desc=title, unit=" batches", disable=not progress)
        for number, batch in enumerate(bar):
            self._set_rate((self.progress.epoch + number / len(batches)) / self.settings.epochs)
            losses.append(self._step(batch, rng))
            bar.set_postfix(loss=f"{np.mean(losses[-50:]):.3f}", refresh=False)
        self.progress.epoch += 1
        return float(np.mean(losses))

    def _sequences(self, training: Sequence[Example], rng: np.random.Generator) -> list[BlockSequence]:
        """Return the sequences of this epoch: pages split into sequences, or a random part of very long ones."""
        parts = []
        limit = self.network.config.max_blocks
        for example in training:
            count = len(example.input)
            for _ in range(1 if example.kind in (None, "article") else self.settings.repeats):
                if limit is not None:
                    parts += [BlockSequence(example, begin, end) for begin, end in sequences(count, limit)]
                else:
                    begin = int(rng.integers(max(count - self.settings.longest, 0) + 1))
                    parts.append(BlockSequence(example, begin, min(count, begin + self.settings.longest)))
        return parts

    def _step(self, parts: list[BlockSequence], rng: np.random.Generator) -> float:
        inputs = [part.example.input.cut(part.begin, part.end) for part in parts]
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
        targets = _targets(parts, output.mask.shape[1], self.device)
        loss = loss_of(output, targets, self.network.crf, self.settings.loss)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.settings.clip)
        self.optimizer.step()
        self._average()
        return float(loss.detach())

    def _average(self) -> None:
        """Update the running mean of the parameters, with a smaller decay in the first steps."""
        self.steps += 1
        decay = min(self.settings.averaging, (1 + self.steps) / (10 + self.steps)) if self.settings.averaging else 0.0
        with torch.no_grad():
            for mean, value in zip(self.average.parameters(), self.network.parameters(), strict=True):
                mean.lerp_(value, 1 - decay)

    def _set_rate(self, done: float) -> None:
        """Set the learning rate: linear warm-up over the first fiftieth of the training, then cosine decay."""
        final = self.settings.final_share
        share = min(done * 50 + 0.02, 1.0) * (final + (1 - final) * (1 + cos(pi * done)) / 2)
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.learning_rate * share

    def _note(self, result: dict[str, float], scores: dict[str, float], *, progress: bool) -> None:
        best = max(scores.values())
        self.progress.history.append({**result, **scores})
        if best > self.progress.best:
            self.progress.best, self.progress.best_epoch = best, self.progress.epoch
            self.best.load_state_dict(self.average.state_dict())
        if progress:
            figures = "  ".join(f"{name} {value:.4f}" for name, value in scores.items())
            loss = f"loss {result['loss']:.4f}  " if "loss" in result else ""
            tqdm.write(f"epoch {result['epoch']}: {loss}validation F1 of words: {figures}")

    def _save(self, path: Path) -> None:
        state = {
            **{part: getattr(self, part).state_dict() for part in _SAVED},
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
        for part in _SAVED:
            getattr(self, part).load_state_dict(state[part])
        self.steps = state["steps"]
        self.progress = Progress(state["epoch"], state["best_score"], state["best_epoch"], state["history"])


def _batches(
    parts: list[BlockSequence], settings: TrainingSettings, rng: np.random.Generator
) -> list[list[BlockSequence]]:
    """Return random batches of sequences of similar length, to limit padding."""
    order = rng.permutation(len(parts))
    batches: list[list[BlockSequence]] = []
    portion = 8 * settings.batch_pages
    for begin in range(0, len(order), portion):
        batch: list[BlockSequence] = []
        for part in sorted((parts[i] for i in order[begin : begin + portion]), key=len):
            full = len(batch) == settings.batch_pages or (len(batch) + 1) * len(part) > settings.batch_blocks
            if batch and full:
                batches.append(batch)
                batch = []
            batch.append(part)
        batches.append(batch)
    return [batches[i] for i in rng.permutation(len(batches))]


def _targets(parts: list[BlockSequence], longest: int, device: torch.device) -> Targets:
    labels = np.zeros((len(parts), longest), dtype=np.int64)
    counts = np.zeros((len(parts), longest), dtype=np.float32)
    kinds = np.full(len(parts), -1)
    for row, part in enumerate(parts):
        blocks = slice(part.begin, part.end)
        known = part.example.known[blocks]
        labels[row, : len(part)] = np.where(known, part.example.labels[blocks], -1)
        counts[row, : len(part)] = part.example.words[blocks] * known
        if part.example.kind in PAGE_KINDS:
            kinds[row] = PAGE_KINDS.index(part.example.kind)
    return Targets(
        torch.from_numpy(labels).to(device), torch.from_numpy(counts).to(device), torch.from_numpy(kinds).to(device)
    )


def loss_of(output: Output, targets: Targets, crf: LinearChainCRF, weights: LossWeights) -> Tensor:
    """Return the loss of a batch, a scalar; pages have equal weights."""
    likelihood = crf.log_likelihood(output.emissions, output.mask, targets.labels) / output.mask.sum(1)
    loss = -weights.likelihood * likelihood.mean()
    if weights.words:
        loss = loss + weights.words * word_cross_entropy(output.emissions, targets)
    if weights.f1:
        loss = loss + weights.f1 * (1 - soft_word_f1(output.emissions, targets)).mean()
    if weights.kind and output.kinds is not None and bool((targets.kinds >= 0).any()):
        loss = loss + weights.kind * functional.cross_entropy(output.kinds, targets.kinds, ignore_index=-1)
    return loss


def word_cross_entropy(emissions: Tensor, targets: Targets) -> Tensor:
    """Return the cross-entropy of the emissions with blocks weighted by their words; a scalar."""
    flat, labels = emissions.flatten(0, 1), targets.labels.flatten()
    each = functional.cross_entropy(flat, labels, reduction="none", ignore_index=-1)
    each = each.view_as(targets.words)  # (pages, blocks)
    total = (each * targets.words).sum(1) / targets.words.sum(1).clamp(min=1)
    return total.mean()


def soft_word_f1(emissions: Tensor, targets: Targets) -> Tensor:
    """Return the word F1 of each page, (pages,), with probabilities instead of labels."""
    main = torch.softmax(emissions, dim=2)[:, :, 1] * targets.words
    truth = targets.labels * targets.words
    hits = (main * targets.labels).sum(1)
    return (2 * hits + 1) / (main.sum(1) + truth.sum(1) + 1)  # adding 1 avoids division by zero for pages without words
