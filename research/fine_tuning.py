"""Fine-tuning of the shipped network and structure trees on a few pages.

The learning rate of the network, the weight of the trees in the mean with it, and the threshold of the log-odds are
chosen by cross-validation over these pages.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from research.engine_folds import assign_folds
from research.shifts import Choice, Shifted, best_shift, log_odds
from research.structure_fine_tuning import fine_tune_trees
from research.trials import ExperimentError
from scrapy_semtext.features.block_features import page_input
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.inference.storage import SHIPPED
from scrapy_semtext.inference.torch_network import weights_of
from scrapy_semtext.inference.vectors import WordVectors
from scrapy_semtext.labelers.bundle import NetworkLabeler, load_network
from scrapy_semtext.labelers.structure_trees import AveragedLabeler, averaged, require_structure
from scrapy_semtext.qa.pair_models import load_pair_models
from scrapy_semtext.qa.reader import find_posts
from scrapy_semtext.training.corpus import prepare_page
from scrapy_semtext.training.run import VectorTable
from scrapy_semtext.training.structure_fit import structure_example
from scrapy_semtext.training.trainer import Trainer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from research.trials import Trials
    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.inference.config import NetworkConfig
    from scrapy_semtext.labelers.registry import Labeler
    from scrapy_semtext.qa.posts import PostModels
    from scrapy_semtext.training.corpus import Example
    from scrapy_semtext.training.datasets import AnnotatedPage
    from scrapy_semtext.training.structure_fit import StructureExample
    from scrapy_semtext.training.trainer import TrainingSettings

#: The learning rates of the network and the weights of the trees that are tried.
RATES = (3e-3, 6e-3, 1.2e-2)
SHARES = (0.3, 0.45, 0.6, 0.75)

_FOLDS = 4
_LEAST_PAGES = 2


@dataclass(slots=True)
class Ready:
    """A training page: for the network, for the trees, and parsed."""

    domain: str
    network: Example
    trees: StructureExample
    described: ParsedPage


class TunedChoices(NamedTuple):
    """The choices of the cross-validation: for only the network, and for its mean with the trees."""

    rate: float
    network: Choice
    share: float
    both: Choice


class FineTuner:
    """The shipped network and trees, and the pages to fine-tune them on."""

    def __init__(self, pages: Iterable[AnnotatedPage], settings: TrainingSettings, trials: Trials) -> None:
        """Prepare the pages; those without blocks, or with too little of their true text, are left out."""
        self.settings = settings if trials.epochs is None else replace(settings, epochs=trials.epochs)
        self.trials = trials
        self._start = load_network(SHIPPED)
        models = load_pair_models().posts
        self._trees = require_structure(SHIPPED).trees
        self.pages = [ready for page in pages if (ready := _ready(page, self._start.config, models)) is not None]
        self._vectors = WordVectors.load(SHIPPED)
        self._table = VectorTable(self._vectors, [page.network for page in self.pages])

    def choose(self) -> TunedChoices:
        """Choose by cross-validation over the domains of the pages. Raises ExperimentError for fewer than 2 pages."""
        if len(self.pages) < _LEAST_PAGES:
            raise ExperimentError(
                f"There are {len(self.pages)} pages to fine-tune on, which are too few for cross-validation."
            )
        trees: list[NDArray[np.float64]] = self._out_of_fold(self._trees_odds)
        return max((self._choices_for(rate, trees) for rate in RATES), key=lambda found: found.both.f1)

    def labelers(self, found: TunedChoices) -> tuple[Labeler, Labeler]:
        """The network fine-tuned on all pages, and its mean with the fine-tuned trees, both with their choices."""
        network = self._network(self.pages, found.rate)
        trees = fine_tune_trees(self._trees, [page.trees for page in self.pages])
        return Shifted(network, found.network.shift), Shifted(
            AveragedLabeler(network, trees, found.share), found.both.shift
        )

    def _choices_for(self, rate: float, trees: Sequence[NDArray[np.float64]]) -> TunedChoices:
        probabilities = self._out_of_fold(lambda learned, held: self._network_probabilities(learned, held, rate))
        alone = self._choice([log_odds(each) for each in probabilities])
        shares = {}
        for share in SHARES:
            means = [
                averaged(network, odds, page.described.word_counts(), page.described.posts, share)
                for network, odds, page in zip(probabilities, trees, self.pages, strict=True)
            ]
            shares[share] = self._choice(means)
        best = max(SHARES, key=lambda share: shares[share].f1)
        return TunedChoices(rate, alone, best, shares[best])

    def _choice(self, odds: Sequence[NDArray[np.float64]]) -> Choice:
        return best_shift(odds, [page.network.labels for page in self.pages], [p.network.words for p in self.pages])

    def _out_of_fold(
        self, read: Callable[[list[Ready], list[Ready]], list[NDArray[np.float64]]]
    ) -> list[NDArray[np.float64]]:
        """The result of ``read`` for each page, trained on the pages of the other folds."""
        folds = assign_folds([page.domain for page in self.pages], _FOLDS)
        results: dict[int, NDArray[np.float64]] = {}
        for out in sorted(set(folds)):
            learned = [page for page, where in zip(self.pages, folds, strict=True) if where != out]
            held = [place for place, where in enumerate(folds) if where == out]
            results.update(zip(held, read(learned, [self.pages[place] for place in held]), strict=True))
        return [results[place] for place in range(len(self.pages))]

    def _trees_odds(self, learned: list[Ready], held: list[Ready]) -> list[NDArray[np.float64]]:
        trees = fine_tune_trees(self._trees, [page.trees for page in learned])
        return trees.log_odds([page.described for page in held])

    def _network_probabilities(self, learned: list[Ready], held: list[Ready], rate: float) -> list[NDArray[np.float64]]:
        scores = self._network(learned, rate).score_inputs([page.network.input for page in held])
        return [each.probabilities for each in scores]

    def _network(self, learned: Sequence[Ready], rate: float) -> NetworkLabeler:
        settings = replace(self.settings, learning_rate=rate)
        device = self.trials.device
        trainer = Trainer(self._start.config, settings, self._table, seed=self.trials.seed, device=device)
        trainer.start_from(self._start)
        for _ in range(settings.epochs):
            trainer.epoch([page.network for page in learned], progress=self.trials.progress)
        return NetworkLabeler(weights_of(trainer.average), trainer.average.config, self._vectors, device=device)


def _ready(page: AnnotatedPage, config: NetworkConfig, models: PostModels) -> Ready | None:
    example = prepare_page(page, partial(page_input, config=config), scored=False)
    rows = structure_example(page, models)
    if example is None or rows is None:
        return None
    described = describe(page.html, page.url)
    find_posts([described], models)
    return Ready(page.domain, example, rows, described)
