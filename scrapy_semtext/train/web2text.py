"""Training of Web2Text's two networks (Vogels et al. 2018, 4.2): ``semtext dev train labels --labeler web2text``.

Each is trained separately with Adam, on batches of 128 excerpts of nine blocks, for 5,000 iterations or until there is
no improvement on the validation pages for a while (the paper stops early, too, but does not say how); the best
parameters on these are kept. The paper says no more about excerpts: here a page is drawn uniformly, then a position in
it; a page of fewer blocks is used whole. "The lowest error on the validation set" is interpreted as the cross-entropy,
unless the settings say otherwise.
"""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy
from tqdm import tqdm

from scrapy_semtext.labelers.web2text import (
    BLOCK_FEATURES,
    EDGE_FEATURES,
    PageFeatures,
    PotentialNetwork,
    Web2TextLabeler,
    Web2TextManifest,
    Web2TextNetworks,
    save_web2text,
    web2text_features,
)
from scrapy_semtext.models.scores import DECISIONS, Decision
from scrapy_semtext.train.corpus import PageExample
from scrapy_semtext.train.network import TrainingJob, data_record, side_examples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


Web2TextExample = PageExample[PageFeatures]


@dataclass(frozen=True, slots=True)
class Web2TextSettings:
    """The settings, those of the paper except ``validation_interval`` and ``patience``; biases have no weight decay."""

    iterations: int = 5000
    batch: int = 128
    excerpt: int = 9
    learning_rate: float = 1e-3
    weight_decay: float = 1e-4
    #: Iterations between two validations, and the number of validations without improvement that ends the training.
    validation_interval: int = 100
    patience: int = 10


@dataclass(slots=True)
class _Sequences:
    """Rows of many pages, concatenated; ``begins`` and ``lengths``: (pages,)."""

    rows: Tensor
    classes: Tensor
    begins: Tensor
    lengths: Tensor


def train_web2text(
    job: TrainingJob, settings: Web2TextSettings | None = None, *, progress: bool = True
) -> dict[str, Any]:
    """Train on the training side of the job's pages, write the weights, and return the training record.

    The job's ``work``, ``config`` and ``epochs`` are not used. Raises TrainingError if a side of the split has no
    pages, DatasetError for unusable data.
    """
    settings = settings or Web2TextSettings()
    training = side_examples(job, "train", web2text_features, Counter(), progress=progress)
    validation = side_examples(job, "valid", web2text_features, Counter(), progress=progress)
    networks, history = train_networks(
        training, validation, settings, seed=job.seed, device=job.device, progress=progress
    )
    scores = decision_scores(networks.cpu(), validation)
    decision = max(scores, key=lambda name: scores[name])
    record = {
        **data_record(job, training, validation),
        "settings": asdict(settings),
        "validation_word_f1": {name: round(score, 4) for name, score in scores.items()},
        "history": {name: [round(error, 4) for error in errors] for name, errors in history.items()},
    }
    save_web2text(job.out, networks, Web2TextManifest(decision, record))
    return record


def train_networks(
    training: Sequence[Web2TextExample],
    validation: Sequence[Web2TextExample],
    settings: Web2TextSettings,
    *,
    seed: int,
    device: str = "cpu",
    progress: bool = True,
) -> tuple[Web2TextNetworks, dict[str, list[float]]]:
    """Train both networks; return them, and the validation cross-entropies of each."""
    torch.manual_seed(seed)
    networks = Web2TextNetworks()
    networks.unary.fit_standardization(np.concatenate([e.input.blocks for e in training]), BLOCK_FEATURES)
    networks.pairwise.fit_standardization(np.concatenate([e.input.edges for e in training]), EDGE_FEATURES)
    networks.to(device)
    history = {}
    for name, network, excerpt in (
        ("unary", networks.unary, settings.excerpt),
        ("pairwise", networks.pairwise, settings.excerpt - 1),
    ):
        learned, looked_at = (_sequences(name, network, examples, device) for examples in (training, validation))
        title = name if progress else None
        torch.manual_seed(seed)  # makes each training independent of the length of the other
        history[name] = _train(network, learned, looked_at, excerpt, settings, seed=seed, title=title)
    return networks.eval(), history


def decision_scores(networks: Web2TextNetworks, examples: Sequence[Web2TextExample]) -> dict[Decision, float]:
    """Return the mean word F1 (0 to 1) of each decision on scored examples."""
    labeler = Web2TextLabeler(networks)
    scores = [labeler.score_features(example.input) for example in examples]
    return {
        decision: float(np.mean([e.f1(s.labels(decision, e.words)) for e, s in zip(examples, scores, strict=True)]))
        for decision in DECISIONS
    }


def _sequences(name: str, network: PotentialNetwork, examples: Sequence[Web2TextExample], device: str) -> _Sequences:
    """Return standardized rows and classes of all pages: of their blocks, or of their pairs of adjacent blocks."""
    if name == "unary":
        tables = [example.input.blocks for example in examples]
        classes = [example.labels.astype(np.int64) for example in examples]
    else:
        tables = [example.input.edges for example in examples]
        classes = [2 * example.labels[:-1].astype(np.int64) + example.labels[1:] for example in examples]
    lengths = torch.tensor([len(table) for table in tables])
    rows = network.standardized(torch.from_numpy(np.concatenate(tables)).to(device))
    there = lengths > 0
    begins = torch.cumsum(lengths, 0) - lengths
    return _Sequences(rows, torch.from_numpy(np.concatenate(classes)).to(device), begins[there], lengths[there])


def _train(
    network: PotentialNetwork,
    training: _Sequences,
    validation: _Sequences,
    excerpt: int,
    settings: Web2TextSettings,
    *,
    seed: int,
    title: str | None,
) -> list[float]:
    """Train a network, restore its best parameters, and return the cross-entropies on the validation pages."""
    random = torch.Generator().manual_seed(seed)
    decayed = [parameter for parameter in network.parameters() if parameter.dim() > 1]
    biases = [parameter for parameter in network.parameters() if parameter.dim() == 1]
    groups: list[dict[str, Any]] = [{"params": decayed, "weight_decay": settings.weight_decay}, {"params": biases}]
    optimizer = torch.optim.Adam(groups, lr=settings.learning_rate)
    best, history = deepcopy(network.state_dict()), [_error(network, validation)]
    for iteration in tqdm(range(1, settings.iterations + 1), desc=title, disable=title is None):
        rows, classes = _excerpts(training, settings.batch, excerpt, random)
        network.train()
        loss = cross_entropy(network(rows).flatten(0, 1), classes.flatten(), ignore_index=_PADDING)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if iteration % settings.validation_interval == 0 or iteration == settings.iterations:
            history.append(_error(network, validation))
            if history[-1] == min(history):
                best = deepcopy(network.state_dict())
            elif min(history) < min(history[-settings.patience :]):
                break
    network.load_state_dict(best)
    return history


_PADDING = -100


def _excerpts(pages: _Sequences, number: int, excerpt: int, random: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw excerpts: rows (number, excerpt, features), zero after the end of a page, and classes (number, excerpt)."""
    chosen = torch.randint(len(pages.begins), (number,), generator=random)
    lengths = pages.lengths[chosen]
    room = (lengths - excerpt).clamp(min=0) + 1
    shift = (torch.rand(number, generator=random) * room).long()
    place = torch.arange(excerpt)[None]  # (1, excerpt)
    there = (place < lengths[:, None]).to(pages.rows.device)
    row = ((pages.begins[chosen] + shift)[:, None] + place).clamp(max=len(pages.rows) - 1).to(pages.rows.device)
    return pages.rows[row] * there[:, :, None], torch.where(there, pages.classes[row], _PADDING)


@torch.inference_mode()
def _error(network: PotentialNetwork, pages: _Sequences) -> float:
    """Return the cross-entropy on the validation pages, a mean over all rows, for early stopping."""
    network.eval()
    total = 0.0
    for begin, length in zip(pages.begins.tolist(), pages.lengths.tolist(), strict=True):
        part = slice(begin, begin + length)
        logits = network(pages.rows[part][None])[0]
        total += float(cross_entropy(logits, pages.classes[part], reduction="sum"))
    return total / max(len(pages.rows), 1)
