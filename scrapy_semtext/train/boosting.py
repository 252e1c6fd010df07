"""Training data for gradient-boosted trees, fitting with LightGBM, and conversion to arrays."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import lightgbm
import numpy as np

from scrapy_semtext.models.trees import TreeEnsemble
from scrapy_semtext.train.datasets import SPLIT_SEED, may_ship, read_all, split_side
from scrapy_semtext.utils.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_semtext.train.datasets import AnnotatedPage
    from scrapy_semtext.train.posts import PairPage

    Part = tuple[NDArray[np.float32], NDArray[Any], NDArray[np.float64]]


_COMMON = {"verbose": -1, "num_threads": 1, "deterministic": True, "lambda_l2": 5.0}
_TYPES = {"feature": np.int32, "threshold": np.float64, "left": np.int32, "right": np.int32, "value": np.float64}


@dataclass(frozen=True, slots=True)
class TreeTrainingJob:
    """What to train, like `scrapy_semtext.train.network.TrainingJob`, but holding out only the test side."""

    data: tuple[Path, ...]
    out: Path
    seed: int = 1
    any_licence: bool = False
    test_share: float = 0.2
    test_fold: int = 0

    def keeps_out(self, page: AnnotatedPage | PairPage) -> bool:
        """Return whether the domain of a page is on the test side."""
        return split_side(page.domain, test_share=self.test_share, test_fold=self.test_fold) == "test"

    def pages(self, *, tests: bool = False) -> Iterator[AnnotatedPage]:
        """Yield the pages whose licence allows training; unless ``tests``, without those of the test side."""
        for page in read_all(self.data):
            if (self.any_licence or may_ship(page)) and (tests or not self.keeps_out(page)):
                yield page

    def record(self) -> dict[str, Any]:
        """Return the common part of training records: date, versions, and the domains held out."""
        return {
            "date": datetime.now(timezone.utc).date().isoformat(),
            "version": __version__,
            "lightgbm": lightgbm.__version__,
            "seed": self.seed,
            "any_licence": self.any_licence,
            "split": {
                "by": "registered domain",
                "seed": SPLIT_SEED,
                "test_share": self.test_share,
                "test_fold": self.test_fold,
            },
        }


def stacked(parts: Iterable[Part]) -> Part:
    """Concatenate one or more parts."""
    rows, targets, weights = zip(*parts, strict=True)
    return np.concatenate(rows), np.concatenate(targets), np.concatenate(weights)


def boosted(data: lightgbm.Dataset, settings: Mapping[str, Any], rounds: int, seed: int) -> lightgbm.Booster:
    """Fit trees with LightGBM."""
    return lightgbm.train({**_COMMON, **settings, "seed": seed}, data, rounds)


def fit_trees(
    rows: NDArray[np.float32],
    targets: NDArray[Any],
    weights: NDArray[np.float64] | None,
    settings: Mapping[str, Any],
    rounds: int,
    seed: int,
    *,
    groups: Sequence[int] | None = None,
) -> TreeEnsemble:
    """Fit trees to (rows, features); ``groups`` are the numbers of rows of each page, for ranking."""
    data = lightgbm.Dataset(rows, targets, weight=weights, group=groups)
    return ensemble_of(boosted(data, settings, rounds, seed))


def frequent_words(pages: Iterable[tuple[str, Iterable[str]]], most: int, least_domains: int) -> list[str]:
    """Return the words that occur in most domains; pages are given by domain and words."""
    of_domain: defaultdict[str, set[str]] = defaultdict(set)
    for domain, words in pages:
        of_domain[domain].update(words)
    domains = Counter(word for words in of_domain.values() for word in words)
    ranked = sorted(domains.items(), key=lambda item: (-item[1], item[0]))
    return [word for word, count in ranked[:most] if count >= least_domains]


def ensemble_of(booster: lightgbm.Booster) -> TreeEnsemble:
    """Return the trees of a booster without categories and missing values."""
    columns: dict[str, list[Any]] = {name: [] for name in _TYPES}
    roots, deepest = [], 1
    for tree in booster.dump_model()["tree_info"]:
        roots.append(len(columns["feature"]))
        deepest = max(deepest, _flatten(tree["tree_structure"], columns))
    return TreeEnsemble(
        roots=np.array(roots, dtype=np.int32),
        **{name: np.array(columns[name], dtype=dtype) for name, dtype in _TYPES.items()},
        depth=deepest,
        columns=booster.num_feature(),
    )


def joined(ensembles: Sequence[TreeEnsemble]) -> TreeEnsemble:
    """Combine the trees of several ensembles over the same features, in order."""
    begins = np.cumsum([0, *(len(each.feature) for each in ensembles)])
    moved = [
        (each.roots + begin, each.left + begin, each.right + begin)
        for each, begin in zip(ensembles, begins, strict=False)
    ]
    return TreeEnsemble(
        roots=np.concatenate([roots for roots, _, _ in moved]).astype(np.int32),
        feature=np.concatenate([each.feature for each in ensembles]),
        threshold=np.concatenate([each.threshold for each in ensembles]),
        left=np.concatenate([left for _, left, _ in moved]).astype(np.int32),
        right=np.concatenate([right for _, _, right in moved]).astype(np.int32),
        value=np.concatenate([each.value for each in ensembles]),
        depth=max(each.depth for each in ensembles),
        columns=ensembles[0].columns,
    )


def of_columns(trees: TreeEnsemble) -> tuple[TreeEnsemble, NDArray[np.intp]]:
    """Return the same trees restricted to the columns that they use, and the indices of these columns."""
    used = np.unique(trees.feature[trees.feature >= 0])
    feature = np.where(trees.feature < 0, -1, np.searchsorted(used, trees.feature)).astype(np.int32)
    return replace(trees, feature=feature, columns=len(used)), used.astype(np.intp)


def _flatten(node: dict[str, Any], columns: dict[str, list[Any]]) -> int:
    """Write a subtree into the arrays, its root first; return its depth."""
    place = len(columns["feature"])
    is_leaf = "leaf_value" in node
    columns["feature"].append(-1 if is_leaf else node["split_feature"])
    columns["threshold"].append(0.0 if is_leaf else node["threshold"])
    columns["value"].append(node["leaf_value"] if is_leaf else 0.0)
    columns["left"].append(place)
    columns["right"].append(place)
    if is_leaf:
        return 0
    columns["left"][place] = len(columns["feature"])
    left = _flatten(node["left_child"], columns)
    columns["right"][place] = len(columns["feature"])
    right = _flatten(node["right_child"], columns)
    return 1 + max(left, right)
