"""The pair models on disk: trees as safetensors, word weights and what they were trained on as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.dom import tree
from scrapy_semtext.dom.segmentation import search
from scrapy_semtext.inference.tree_storage import TreeFiles
from scrapy_semtext.inference.trees import TreeEnsemble
from scrapy_semtext.qa.faq_features import FEATURES
from scrapy_semtext.qa.nodes import PageNodes
from scrapy_semtext.qa.page_words import PageWords, gate_features
from scrapy_semtext.qa.posts import CommentModels, PostModels, SetModels, passes_gate, search_comments, search_posts
from scrapy_semtext.qa.question import question_of

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_FILES = TreeFiles("pairs", "pair models", 5, "semtext train pairs")


@dataclass(frozen=True, slots=True)
class PairModels:
    """The models that read pairs. ``training`` describes how they were fitted: data, seed, dates and scores."""

    posts: PostModels
    faq: TreeEnsemble
    training: dict[str, Any] = field(default_factory=dict)


def save_pair_models(folder: Path, models: PairModels) -> None:
    """Write the models into the folder of a bundle, which is made if need be."""
    posts = models.posts
    arrays: dict[str, NDArray[np.generic]] = {}
    for name, trees in (
        ("node", posts.threads.node),
        ("candidate", posts.threads.candidate),
        ("page", posts.page),
        ("question", posts.question),
        ("comment_node", posts.comments.sets.node),
        ("comment_candidate", posts.comments.sets.candidate),
        ("comment_page", posts.comments.page),
        ("gate", posts.gate),
        ("faq", models.faq),
    ):
        arrays |= trees.arrays(name)
    about = {
        "training": models.training,
        "gate_from": posts.gate_from,
        "words": {"names": dict(posts.name_weights), "labels": dict(posts.label_weights)},
    }
    _FILES.save(folder, arrays, about)


def replace_faq(folder: Path, faq: TreeEnsemble, training: dict[str, Any]) -> None:
    """Write another FAQ model into the pair models of a bundle, beside the shipped others where it has none.

    Raises BundleError as `load_pair_models`.
    """
    about, arrays = _FILES.load_or_shipped(folder, lambda description, arrays: (description, arrays))
    about["training"]["faq"] = training
    others = {name: values for name, values in arrays.items() if not name.startswith("faq.")}
    _FILES.save(folder, others | faq.arrays("faq"), {name: about[name] for name in ("training", "gate_from", "words")})


def load_pair_models(folder: Path | None = None) -> PairModels:
    """Load the models from the folder of a bundle, or the shipped ones where it has none.

    Raises BundleError if a file is missing, broken, foreign or of another version.
    """
    return _FILES.load_or_shipped(folder, _models)


def _models(description: dict[str, Any], arrays: dict[str, Any]) -> PairModels:
    def trees(name: str) -> TreeEnsemble:
        return TreeEnsemble.from_arrays(arrays, name)

    words, gate_from = description["words"], float(description["gate_from"])
    threads = SetModels(trees("node"), trees("candidate"))
    comments = CommentModels(SetModels(trees("comment_node"), trees("comment_candidate")), trees("comment_page"))
    posts = PostModels(
        threads,
        trees("page"),
        trees("question"),
        comments,
        trees("gate"),
        gate_from,
        words["names"],
        words["labels"],
    )
    models = PairModels(posts, trees("faq"), description["training"])
    _check_features(models)
    return models


def _check_features(models: PairModels) -> None:
    """Raise ValueError if the models were trained on other features than this release computes."""
    root = tree.parse("<div><p>One?</p><p>Two.</p></div>")
    nodes = PageNodes(root, search(root))
    gate = gate_features([PageWords.of(nodes, None)], models.posts.weights)
    passes_gate(gate, models.posts)
    search_posts([nodes], gate, models.posts)
    question_of(nodes, (0, 0), np.zeros(len(nodes)), None, None, models.posts.question)
    search_comments([nodes], gate, models.posts.comments)
    models.faq.scores(np.zeros((1, len(FEATURES)), dtype=np.float32))
