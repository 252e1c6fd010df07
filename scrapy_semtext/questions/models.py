"""The pair models on disk: trees as safetensors, word weights and what they were trained on as JSON."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from scrapy_semtext import tree
from scrapy_semtext.model.bundle import SHIPPED, BundleError
from scrapy_semtext.model.trees import TreeEnsemble
from scrapy_semtext.questions.faq_features import FEATURES
from scrapy_semtext.questions.nodes import PageNodes
from scrapy_semtext.questions.page_words import PageWords
from scrapy_semtext.questions.posts import PostModels, find_posts, may_have_posts
from scrapy_semtext.segment import search

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

FORMAT = "scrapy-semtext pair models"
VERSION = 2
_DESCRIPTION, _TREES = "pairs.json", "pairs.safetensors"
_REPAIR = "Install scrapy-semtext again, or train the models again with `semtext train-pairs`."


@dataclass(frozen=True, slots=True)
class PairModels:
    """What reads pairs from structure. ``training`` holds data, seed, dates and scores, for the reader."""

    posts: PostModels
    faq: TreeEnsemble
    training: dict[str, Any] = field(default_factory=dict)


def save_pair_models(folder: Path, models: PairModels) -> None:
    """Write the models into the folder of a bundle, which is made if need be."""
    posts = models.posts
    arrays: dict[str, NDArray[np.generic]] = {}
    for name, trees in (
        ("node", posts.node),
        ("candidate", posts.candidate),
        ("page", posts.page),
        ("gate", posts.gate),
        ("faq", models.faq),
    ):
        arrays |= trees.arrays(name)
    data = save(arrays)
    description = {
        "format": FORMAT,
        "version": VERSION,
        "sha256": hashlib.sha256(data).hexdigest(),
        "training": models.training,
        "gate_from": posts.gate_from,
        "words": {"names": dict(posts.name_weights), "labels": dict(posts.label_weights)},
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _TREES).write_bytes(data)
    text = json.dumps(description, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    (folder / _DESCRIPTION).write_text(text + "\n", encoding="utf-8")


def load_pair_models(folder: Path | None = None) -> PairModels:
    """Load the models from the folder of a bundle, or the shipped ones where it has none.

    Raises BundleError if a file is missing, broken, foreign or of another version.
    """
    if folder is None or not (folder / _DESCRIPTION).exists():
        folder = SHIPPED
    path = folder / _DESCRIPTION
    try:
        description = json.loads(path.read_text(encoding="utf-8"))
        data = (folder / _TREES).read_bytes()
    except (OSError, ValueError) as error:
        raise BundleError(f"The pair models in {folder} cannot be read: {error}. {_REPAIR}") from error
    if not isinstance(description, dict) or (description.get("format"), description.get("version")) != (
        FORMAT,
        VERSION,
    ):
        raise BundleError(f"{path} does not describe {FORMAT} of version {VERSION}. {_REPAIR}")
    if hashlib.sha256(data).hexdigest() != description.get("sha256"):
        raise BundleError(f"{folder / _TREES} is not the file that {path.name} describes. {_REPAIR}")
    try:
        models = _models(description, load(data))
        _try_out(models)
    except (KeyError, TypeError, ValueError, SafetensorError) as error:
        raise BundleError(f"{path} is broken, or was trained for another release: {error}. {_REPAIR}") from error
    return models


def _models(description: dict[str, Any], arrays: dict[str, Any]) -> PairModels:
    node, candidate, page, gate, faq = (
        TreeEnsemble.from_arrays(arrays, name) for name in ("node", "candidate", "page", "gate", "faq")
    )
    words, gate_from = description["words"], float(description["gate_from"])
    posts = PostModels(node, candidate, page, gate, gate_from, words["names"], words["labels"])
    return PairModels(posts, faq, description["training"])


def _try_out(models: PairModels) -> None:
    """Raise ValueError if the models were trained on other features than this release computes."""
    root = tree.parse("<div><p>One?</p><p>Two.</p></div>")
    nodes = PageNodes(root, search(root))
    words = PageWords.of(nodes, None)
    may_have_posts(words, models.posts)
    find_posts(nodes, words, models.posts)
    models.faq.scores(np.zeros((1, len(FEATURES)), dtype=np.float32))
