"""Training of a network: its settings, the training loop, checkpoints, calibration and the choice of the decision.

A trained network is overconfident on new pages, and decisions by expected F1 require calibrated probabilities.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from math import cos, pi
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch
from torch.nn import functional
from tqdm import tqdm

from scrapy_semtext.features.blocks import FEATURES
from scrapy_semtext.labelers.bundle import PROBABILITIES, NetworkLabeler, Probability
from scrapy_semtext.models.config import PAGE_KINDS, sequences
from scrapy_semtext.models.scores import Decision, expected_f1_choice, log_odds_of, probabilities_of
from scrapy_semtext.models.torch_network import DeviceVectors, SemTextNetwork, collate, weights_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from torch import Tensor

    from scrapy_semtext.models.config import NetworkConfig
    from scrapy_semtext.models.torch_network import LinearChainCRF, Output
    from scrapy_semtext.models.vectors import Vectors
    from scrapy_semtext.train.corpus import Example
    from scrapy_semtext.utils.arrays import Bools, Floats


@dataclass(frozen=True, slots=True)
class LossWeights:
    """The weights of the parts of the loss. The paper uses the likelihood of the CRF only."""

    likelihood: float = 1.0
    words: float = 1.0
    f1: float = 1.0
    kind: float = 0.2


PAPER_LOSS = LossWeights(likelihood=1.0, words=0.0, f1=0.0, kind=0.0)


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """Settings of one training run."""

    epochs: int = 16
    #: Epochs without a better validation score before stopping.
    patience: int = 5
    optimizer: Literal["adamw", "sgd"] = "adamw"
    learning_rate: float = 2e-3
    #: Final learning rate, relative to the initial one.
    final_share: float = 0.05
    weight_decay: float = 0.01
    clip: float = 1.0
    batch_pages: int = 16
    #: Blocks in a batch, padding included.
    batch_blocks: int = 4000
    #: Longer pages are cut to a random sequence of this many blocks in each epoch.
    longest: int = 700
    #: Repetitions per epoch of pages that are not articles, because most pages of the public sets are articles.
    repeats: int = 2
    #: Share of words replaced by padding.
    word_dropout: float = 0.15
    #: Share of pages that lose all their name strings, and likewise all text, so that the network does not rely on
    #: known sites.
    string_dropout: float = 0.1
    #: Decay of the running mean of the parameters, which is saved (0: no averaging).
    averaging: float = 0.998
    loss: LossWeights = field(default_factory=LossWeights)
    vector_epochs: int = 5
    vector_words: int = 50_000
    vector_buckets: int = 80_000


#: The settings of each network configuration by name. The paper: stochastic gradient descent, batches of 64 sequences.
SETTINGS = {
    "compact": TrainingSettings(),
    "paper": TrainingSettings(
        epochs=60,
        optimizer="sgd",
        learning_rate=0.1,
        batch_pages=64,
        batch_blocks=64 * 85,
        weight_decay=0.0,
        word_dropout=0.0,
        string_dropout=0.0,
        averaging=0.0,
        repeats=1,
        loss=PAPER_LOSS,
    ),
}


#: The number of training pages from which a trained network is trained further in large batches.
MANY_PAGES = 1_000


def further_settings(config: NetworkConfig, pages: int, epochs: int | None = None) -> TrainingSettings:
    """Return the settings to train a trained network further: for few ``pages``, few small steps in small batches."""
    settings = replace(SETTINGS.get(config.name, TrainingSettings()), patience=4)
    settings = replace(settings, learning_rate=settings.learning_rate / 2, epochs=8 if epochs is None else epochs)
    if pages >= MANY_PAGES:
        return replace(settings, averaging=0.99, final_share=0.1)
    return replace(settings, batch_pages=4, averaging=0.98)


TEMPERATURES = tuple(float(t) for t in np.arange(0.5, 5.25, 0.25))
_LEAST = 1e-7


@dataclass(frozen=True, slots=True)
class Choice:
    """A decision for labels, and its mean F1 on the validation pages."""

    decision: Decision
    probability: Probability
    temperature: float
    f1: float

    @property
    def name(self) -> str:
        """Its name in the training record."""
        return self.decision if self.decision == "viterbi" else f"{self.decision} {self.probability}"


def decision_candidates(
    network: SemTextNetwork,
    vectors: Vectors,
    examples: Sequence[Example],
    device: torch.device,
) -> list[Choice]:
    """Evaluate Viterbi, and expected F1 with either kind of probability at its best temperature."""
    choices: list[Choice] = []
    for probability in PROBABILITIES:
        labeler = NetworkLabeler(weights_of(network), network.config, vectors, probability, device=str(device))
        scores = labeler.score_inputs([e.input for e in examples])
        odds = [log_odds_of(score.probabilities, _LEAST) for score in scores]
        temperature = fit_temperature(odds, examples)
        kept = [
            expected_f1_choice(probabilities_of(o / temperature), e.words) for o, e in zip(odds, examples, strict=True)
        ]
        choices.append(Choice("expected-f1", probability, temperature, _mean_f1(examples, kept)))
        if probability == "marginal":
            viterbi = _mean_f1(examples, [score.viterbi for score in scores])
            choices.append(Choice("viterbi", probability, temperature, viterbi))
    return choices


def labeler_choice(labeler: NetworkLabeler, decision: Decision, examples: Sequence[Example]) -> Choice:
    """Evaluate a labeler unchanged, with one decision."""
    scores = labeler.score_inputs([e.input for e in examples])
    kept = [
        score.viterbi if decision == "viterbi" else expected_f1_choice(score.probabilities, e.words)
        for score, e in zip(scores, examples, strict=True)
    ]
    f1 = _mean_f1(examples, kept)
    return Choice(decision, labeler.probability, labeler.temperature, f1)


def fit_temperature(odds: Sequence[Floats], examples: Sequence[Example]) -> float:
    """Return the temperature with the least cross-entropy; pages have equal weights, blocks are weighted by words."""
    return min(TEMPERATURES, key=lambda t: sum(map(_cross_entropy, (o / t for o in odds), examples)))


def _mean_f1(examples: Sequence[Example], kept: Sequence[Bools]) -> float:
    return round(float(np.mean([e.f1(keep) for e, keep in zip(examples, kept, strict=True)])), 4)


def _cross_entropy(odds: Floats, example: Example) -> float:
    signed = np.where(example.labels, odds, -odds)
    return float((np.logaddexp(0, -signed) * example.words).sum() / max(example.words.sum(), 1))


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
        self._rows = DeviceVectors(vectors, self.device)
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
        batch = collate(inputs, self._rows, self.device)
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
