"""The fit of all heads of trees: examples of pages, LightGBM, folds, the training record and the files.

A head's module has what is its own: how a page becomes examples, which trees are fitted to them, and what is reported.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import lightgbm
import numpy as np
from tqdm import tqdm

from scrapy_semtext.models.trees import TreeEnsemble
from scrapy_semtext.train.datasets import Job, TrainingError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.models.storage import TreeHead

    #: Rows (rows, features), their targets, and their weights if they differ, (rows,).
    Part = tuple[NDArray[np.float32], NDArray[Any], NDArray[np.float64] | None]

Page = TypeVar("Page")
Example = TypeVar("Example")
Model = TypeVar("Model")

_DEFAULTS = {
    "objective": "binary",
    "feature_fraction": 0.3,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "verbose": -1,
    "num_threads": 1,
    "deterministic": True,
}
_TYPES = {"feature": np.int32, "threshold": np.float64, "left": np.int32, "right": np.int32, "value": np.float64}


@dataclass(frozen=True)
class HeadTraining(Generic[Page, Example, Model]):
    """A head of trees: ``files`` store its model, ``fit`` makes it of examples.

    ``reader`` returns the function that makes examples of a page; ``needs`` says which pages have any. ``pages``: the
    pages of a job; ``set_of``: the name under which a page is counted. With ``checks``, the examples of pages on the
    test side are not learned from. ``report`` returns what the record states besides, given the model, the examples
    learned from, and the others. ``training``: what a model stores as its training, given a record.
    """

    files: TreeHead[Model]
    reader: Callable[[Job], Callable[[Page], Sequence[Example]]]
    fit: Callable[[Sequence[Example], Job], Model]
    needs: str
    pages: Callable[[Job], Iterable[Any]] = Job.pages
    set_of: Callable[[Page], str] = attrgetter("dataset")
    checks: bool = False
    report: Callable[[Model, Sequence[Example], Sequence[Example]], dict[str, Any]] = lambda *_: {}
    training: Callable[[Model, dict[str, Any]], dict[str, Any]] = lambda _, record: record


def train(head: HeadTraining[Any, Any, Any], job: Job) -> dict[str, Any]:
    """Fit a head, write it into the folder of a bundle, and return its training record.

    Raises TrainingError if there are no suitable pages; DatasetError for unusable data; BundleError for an unusable
    model that it depends on.
    """
    examples: dict[str, list[Any]] = {"training": [], "test": []}
    counted: dict[str, Counter[str]] = {"training": Counter(), "test": Counter()}
    read = head.reader(job)
    for page in _shown(head.pages(job)):
        role = "test" if head.checks and job.side_of(page) == "test" else "training"
        if found := read(page):
            examples[role] += found
            counted[role][head.set_of(page)] += 1
    if not examples["training"]:
        raise TrainingError(
            f"There are no pages to learn from in {job.data_names}. Needed are {head.needs}, outside the domains held "
            "out for tests, whose licence allows it (--any-licence takes all). Give more pages."
        )
    model = head.fit(examples["training"], job)
    record = {
        **job.record(lightgbm=lightgbm.__version__),
        "pages": {role: dict(sorted(pages.items())) for role, pages in counted.items() if pages},
        **head.report(model, examples["training"], examples["test"]),
    }
    head.files.write(job.out, replace(model, training=head.training(model, record)))
    return record


def read_examples(pages: Iterable[Page], read: Callable[[Page], Sequence[Example]]) -> list[Example]:
    """Return the examples that ``read`` makes of pages."""
    return [example for page in _shown(pages) for example in read(page)]


def _shown(pages: Iterable[Page]) -> Iterable[Page]:
    return tqdm(pages, desc="preparing pages", unit=" pages", disable=None)


class Trees:
    """How trees are fitted with LightGBM: their number, and its settings where they differ from `_DEFAULTS`."""

    def __init__(self, rounds: int, *, leaves: int, rate: float, least: int, **settings: Any) -> None:
        self.rounds = rounds
        own = {"num_leaves": leaves, "learning_rate": rate, "min_data_in_leaf": least}
        self.settings = {**_DEFAULTS, **own, **settings}

    def boosted(self, part: Part, seed: int, groups: Sequence[int] | None = None) -> lightgbm.Booster:
        """Fit a booster; ``groups`` are the numbers of rows of each page, for ranking."""
        rows, targets, weights = part
        data = lightgbm.Dataset(rows, targets, weight=weights, group=groups)
        return lightgbm.train({**self.settings, "seed": seed}, data, self.rounds)

    def fit(self, part: Part, seed: int, *, groups: Sequence[int] | None = None, parts: int = 1) -> TreeEnsemble:
        """Fit trees like `boosted`; ``parts``: the number of fits with different seeds, whose trees are joined."""
        return joined([ensemble_of(self.boosted(part, each, groups)) for each in range(seed, seed + parts)])


def stacked(parts: Iterable[Part]) -> Part:
    """Concatenate one or more parts."""
    rows, targets, weights = zip(*parts, strict=True)
    return np.concatenate(rows), np.concatenate(targets), np.concatenate(weights)


def outside_folds(folds: Sequence[int], domains: Sequence[str], parts: int) -> Iterator[tuple[int, list[int]]]:
    """Yield each of ``parts`` folds, and the places of the examples outside it of no domain with examples in it.

    ``folds``: that of each example, by site or by family of software; ``domains``: the domain of each.
    """
    for held_out in range(parts):
        inside = {domain for domain, where in zip(domains, folds, strict=True) if where == held_out}
        places = enumerate(zip(domains, folds, strict=True))
        yield held_out, [place for place, (domain, where) in places if where != held_out and domain not in inside]


def frequent_words(pages: Iterable[tuple[str, Iterable[str]]], most: int, least_domains: int) -> list[str]:
    """Return the words that occur in most domains; pages are given by domain and words."""
    of_domain: defaultdict[str, set[str]] = defaultdict(set)
    for domain, words in pages:
        of_domain[domain].update(words)
    domains = Counter(word for words in of_domain.values() for word in words)
    ranked = sorted(domains.items(), key=lambda item: (-item[1], item[0]))
    return [word for word, count in ranked[:most] if count >= least_domains]


def named(places: Iterable[int], *names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the names of columns at these places, for each list of names that follow each other as columns."""
    begin, found = 0, []
    for each in names:
        found.append(tuple(each[place - begin] for place in places if begin <= place < begin + len(each)))
        begin += len(each)
    return tuple(found)


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
    begins = np.cumsum([0, *(len(each.feature) for each in ensembles[:-1])], dtype=np.int32)
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(each, name) for each in ensembles]) for name in ("roots", *_TYPES)
    }
    for name in ("roots", "left", "right"):
        arrays[name] += np.repeat(begins, [len(getattr(each, name)) for each in ensembles])
    return TreeEnsemble(**arrays, depth=max(each.depth for each in ensembles), columns=ensembles[0].columns)


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
