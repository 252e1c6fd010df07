"""The training settings of each network configuration."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from scrapy_semtext.inference.config import NetworkConfig


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
