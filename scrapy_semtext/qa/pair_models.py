"""The pair models on disk: trees as safetensors, and a description of their training as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.dom import tree
from scrapy_semtext.dom.segmentation import search
from scrapy_semtext.inference.storage import ModelFiles
from scrapy_semtext.inference.trees import TreeEnsemble
from scrapy_semtext.page_kinds.model import KINDS, load_kinds
from scrapy_semtext.qa.faq_features import FEATURES
from scrapy_semtext.qa.nodes import PageNodes
from scrapy_semtext.qa.page_words import PageWords
from scrapy_semtext.qa.posts import CommentModels, PostModels, SetModels, page_evidence, search_comments, search_posts
from scrapy_semtext.qa.question import question_of

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_semtext.page_kinds.model import KindModel

_FILES = ModelFiles("pairs", "pair models", 6, "semtext dev train pairs")


@dataclass(frozen=True, slots=True)
class PairModels:
    """The models that extract pairs. ``training`` describes how they were fitted: data, seed, dates and scores."""

    posts: PostModels
    faq: TreeEnsemble
    training: dict[str, Any] = field(default_factory=dict)


def save_pair_models(folder: Path, models: PairModels) -> None:
    """Write the models into the folder of a bundle, which is created if necessary."""
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
        ("faq", models.faq),
    ):
        arrays |= trees.arrays(name)
    about = {
        "training": models.training,
        "search_from": posts.search_from,
    }
    _FILES.save(folder, arrays, about)


def load_pair_models(folder: Path | None = None) -> PairModels:
    """Load the models from the folder of a bundle, or the shipped ones if the bundle has none.

    The same applies to the model of page kinds that they require. Raises BundleError if a file is missing, broken,
    foreign or of another version.
    """
    return _FILES.load_or_shipped(folder, lambda about, arrays: _models(about, arrays, load_kinds(folder)))


def _models(description: dict[str, Any], arrays: dict[str, Any], kinds: KindModel) -> PairModels:
    def trees(name: str) -> TreeEnsemble:
        return TreeEnsemble.from_arrays(arrays, name)

    threads = SetModels(trees("node"), trees("candidate"))
    comments = CommentModels(SetModels(trees("comment_node"), trees("comment_candidate")), trees("comment_page"))
    posts = PostModels(
        kinds,
        threads,
        trees("page"),
        trees("question"),
        comments,
        float(description["search_from"]),
    )
    models = PairModels(posts, trees("faq"), description["training"])
    _check_features(models)
    return models


def _check_features(models: PairModels) -> None:
    """Raise ValueError if the models were trained on other features than this release computes."""
    root = tree.parse("<div><p>One?</p><p>Two.</p></div>")
    nodes = PageNodes(root, search(root))
    evidence = page_evidence([PageWords.of(nodes, None)], np.zeros((1, len(KINDS))))
    search_posts([nodes], evidence, models.posts)
    question_of(nodes, (0, 0), np.zeros(len(nodes)), None, None, models.posts.question)
    search_comments([nodes], evidence, models.posts.comments)
    models.faq.scores(np.zeros((1, len(FEATURES)), dtype=np.float32))
