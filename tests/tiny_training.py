"""A site of articles, a network and settings small enough for training in seconds."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.features.blocks import FEATURES
from scrapy_semtext.labelers.bundle import Manifest, save_bundle
from scrapy_semtext.models.config import COMPACT
from scrapy_semtext.models.storage import SHIPPED
from scrapy_semtext.models.vectors import WordVectors
from scrapy_semtext.train.trainer import TrainingSettings

if TYPE_CHECKING:
    from pathlib import Path

NAVIGATION = "<nav class=menu><ul><li><a href=/>Home</a></li><li><a href=/a>About us</a></li></ul></nav>"
TINY = replace(COMPACT, name="tiny", dim=8, filters=(8, 8, 8), hidden=12, page_vector=4)
FAST = TrainingSettings(
    epochs=8, batch_pages=8, learning_rate=1e-2, vector_epochs=1, vector_words=500, vector_buckets=200, averaging=0.9
)


def write_site(path: Path, pages: int = 60) -> None:
    """Write articles of many domains, all with a menu and a footer."""
    with path.open("w", encoding="utf-8") as out:
        for number in range(pages):
            paragraphs = [f"Sentence {line} of story {number} tells what happened, at length." for line in range(6)]
            body = "".join(f"<p>{text}</p>" for text in paragraphs[:3]) + f"<div class=x>{paragraphs[3]}</div>"
            html = f"<title>{number}</title>{NAVIGATION}<main>{body}</main><footer>Copyright, terms, contact</footer>"
            text = "\n".join(paragraphs[:4])
            row = {"id": str(number), "dataset": "wcxb_dev", "url": f"https://site{number}.example/a", "html": html}
            out.write(json.dumps(row | {"text": text, "page_type": "article", "lang": None, "extra": {}}) + "\n")


def write_untrained_bundle(folder: Path) -> None:
    """Write a bundle with an untrained network and the shipped models of structure and pairs."""
    import torch

    from scrapy_semtext.models.torch_network import SemTextNetwork

    torch.manual_seed(5)
    rng = np.random.default_rng(5)
    vectors = WordVectors.of(["the"], rng.standard_normal((1, 8)), rng.standard_normal((200, 8)), 3, 5)
    training = {"date": "2026-01-02", "seed": 5, "history": []}
    save_bundle(folder, SemTextNetwork(TINY, len(FEATURES)), vectors, Manifest(TINY, "viterbi", training=training))
    for name in ("structure", "pairs"):
        for suffix in (".json", ".safetensors"):
            shutil.copy(SHIPPED / (name + suffix), folder)
