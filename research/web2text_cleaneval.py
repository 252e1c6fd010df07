"""Web2Text on CleanEval, trained and measured as in its paper (Vogels et al. 2018, 4.1 and table 1).

    python -m research.web2text_cleaneval cleaneval_dev.jsonl.xz cleaneval_final.jsonl.xz

Split "original": trained on the development pages (five of them for early stopping), tested on the final ones; a final
page that is also a development page is left out. Split "random": all pages, 531 for training, 58 for early stopping,
148 for the test. The paper does not give its splits, so each is drawn per seed; the table has the mean and the range.

Pages with an empty truth are left out of training, and of the test unless ``--empty``. Blocks have equal weights over
all pages. Main content is derived from the true text in two ways: "aligned" as in the paper (two thirds of a
block's characters, `scrapy_semtext.training.corpus`), and "words" (two thirds of its words in difflib's alignment).
"leaves" is the first of these for the text nodes, the paper's blocks, each with the label of the block that it is in.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tqdm import tqdm

from research.block_scoring import aligned_words
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.labelers.web2text.features import page_features
from scrapy_semtext.labelers.web2text.labeler import Web2TextLabeler
from scrapy_semtext.training.corpus import CONTENT_SHARE, label_blocks, prepare_page
from scrapy_semtext.training.datasets import DatasetError, read_pages
from scrapy_semtext.training.scoring import words
from scrapy_semtext.training.web2text import Web2TextSettings, train_networks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_semtext.labelers.web2text.features import PageFeatures
    from scrapy_semtext.training.datasets import AnnotatedPage
    from scrapy_semtext.training.web2text import Web2TextExample

Split = Literal["original", "random"]
SPLITS: tuple[Split, ...] = ("original", "random")
WAYS = ("aligned", "words", "leaves")
_STOP_BY = {"original": 5, "random": 58}
_LEARN_SHARE = (531 + 58) / 737


@dataclass(slots=True)
class LabeledPage:
    """The features of a page, and for each of WAYS the true labels of its units (``truth``) and their ``blocks``."""

    features: PageFeatures
    truth: dict[str, list[bool]]
    blocks: dict[str, Sequence[int]]


@dataclass(slots=True)
class Counts:
    """Counts of units over all pages: true positives, predicted, expected, correct, and all."""

    both: int = 0
    predicted: int = 0
    expected: int = 0
    right: int = 0
    all: int = 0

    def add(self, predicted: Sequence[bool], truth: Sequence[bool]) -> None:
        """Count the units of a page."""
        for found, true in zip(predicted, truth, strict=True):
            self.both += found and true
            self.predicted += found
            self.expected += true
            self.right += found == true
            self.all += 1

    def scores(self) -> tuple[float, float, float, float]:
        """Accuracy, precision, recall and F1."""
        precision = self.both / max(self.predicted, 1)
        recall = self.both / max(self.expected, 1)
        f1 = 2 * precision * recall / (precision + recall) if self.both else 0.0
        return self.right / max(self.all, 1), precision, recall, f1


@dataclass(slots=True)
class Corpus:
    """CleanEval: the pages of both parts by id; ``final`` has the ids of the final part."""

    pages: dict[str, AnnotatedPage]
    final: frozenset[str]
    examples: dict[str, Web2TextExample]

    def sample(self, split: Split, seed: int) -> tuple[list[str], list[str], list[str]]:
        """The ids of the pages for training, for early stopping, and for the test."""
        order = sorted(self.pages)
        random.Random(seed).shuffle(order)  # noqa: S311 - no secret
        if split == "random":
            learn = round(_LEARN_SHARE * len(order))
            order, test = order[:learn], order[learn:]
        else:
            order, test = [i for i in order if i not in self.final], [i for i in order if i in self.final]
        known = [name for name in order if name in self.examples]
        stop = min(_STOP_BY[split], len(known) // 2)
        return known[stop:], known[:stop], test


def read_corpus(development: Path, final: Path) -> Corpus:
    """Read both parts; final pages that are development pages too are left out.

    Raises DatasetError for a file that cannot be read, or if there is nothing to learn from.
    """
    pages = {f"dev-{page.id}": page for page in read_pages(development)}
    seen = {page.html.strip() for page in pages.values()} | {page.url for page in pages.values() if page.url}
    late = {f"final-{p.id}": p for p in read_pages(final) if p.html.strip() not in seen and p.url not in seen}
    pages |= late
    known = {name: page for name, page in pages.items() if page.text.strip()}
    prepared = {name: prepare_page(page, page_features, scored=True) for name, page in known.items()}
    examples = {name: example for name, example in prepared.items() if example is not None}
    if len(examples.keys() - late.keys()) < 2 or not examples.keys() & late.keys():
        raise DatasetError(f"{development} and {final} hold too few pages with a main text.")
    return Corpus(pages, frozenset(late), examples)


def label_units(page: AnnotatedPage) -> LabeledPage | None:
    """Label the units of a page; None if it has no blocks."""
    described = describe(page.html, page.url)
    blocks = described.text_blocks
    if not blocks:
        return None
    texts = [block.text for block in blocks]
    runs = [((e.tail if tail else e.text) or "", number) for number, b in enumerate(blocks) for e, tail in b.runs]
    runs = [(text, number) for text, number in runs if not text.isspace()]
    leaves = [text for text, _ in runs]
    truth = {
        "aligned": label_blocks(texts, page.text),
        "words": word_labels(texts, page.text),
        "leaves": label_blocks(leaves, page.text),
    }
    of_block = {"aligned": range(len(texts)), "words": range(len(texts)), "leaves": [number for _, number in runs]}
    return LabeledPage(page_features(described), truth, of_block)


def word_labels(blocks: Sequence[str], truth: str, share: float = CONTENT_SHARE) -> list[bool]:
    """Whether at least ``share`` of each block's words are in the stretches that page and truth share in order."""
    texts = [words(block) for block in blocks]
    hit = aligned_words([word for text in texts for word in text], words(truth))
    labels, at = [], 0
    for text in texts:
        labels.append(bool(text) and sum(hit[at : at + len(text)]) >= share * len(text))
        at += len(text)
    return labels


def run_split(
    corpus: Corpus,
    split: Split,
    seed: int,
    test: dict[str, LabeledPage],
    settings: Web2TextSettings,
    *,
    progress: bool = False,
) -> dict[str, tuple[float, float, float, float]]:
    """Train on one draw of a split and measure: way -> accuracy, precision, recall, F1 of the Viterbi labels."""
    learn, stop, measure = corpus.sample(split, seed)
    networks, _ = train_networks(
        [corpus.examples[name] for name in learn],
        [corpus.examples[name] for name in stop],
        settings,
        seed=seed,
        progress=progress,
    )
    labeler = Web2TextLabeler(networks)
    counts = {way: Counts() for way in WAYS}
    for page in (test[name] for name in measure if name in test):
        labels = labeler.score_features(page.features).viterbi.tolist()
        for way, count in counts.items():
            count.add([labels[block] for block in page.blocks[way]], page.truth[way])
    return {way: count.scores() for way, count in counts.items()}


def table(rows: dict[tuple[str, str], list[tuple[float, float, float, float]]]) -> str:
    """Mean scores over the seeds in percent, and the range of F1."""
    columns = ("split", "blocks", "accuracy", "precision", "recall", "F1", "F1 of the draws")
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for (split, way), scores in rows.items():
        means = [f"{100 * sum(column) / len(scores):.1f}" for column in zip(*scores, strict=True)]
        draws = " ".join(f"{100 * score[3]:.1f}" for score in scores)
        lines.append(f"| {split} | {way} | {' | '.join(means)} | {draws} |")
    return "\n".join(lines)


def main(arguments: Iterable[str] | None = None) -> int:
    """Train, measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("development", type=Path, help="cleaneval_dev (JSON lines)")
    parser.add_argument("final", type=Path, help="cleaneval_final (JSON lines)")
    parser.add_argument("--splits", nargs="+", choices=SPLITS, default=SPLITS)
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3], help="a training for each (1 2 3)")
    parser.add_argument("--iterations", type=int, default=Web2TextSettings().iterations, help="(%(default)s)")
    parser.add_argument("--stop-by", choices=("cross-entropy", "wrong labels"), default="cross-entropy")
    parser.add_argument("--empty", action="store_true", help="measure by pages with an empty truth too")
    chosen = parser.parse_args(None if arguments is None else [*arguments])
    try:
        corpus = read_corpus(chosen.development, chosen.final)
    except DatasetError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    bar = tqdm(corpus.pages.items(), desc="labeling", disable=None)
    pages = {name: label_units(page) for name, page in bar if chosen.empty or page.text.strip()}
    test = {name: page for name, page in pages.items() if page is not None}
    settings = Web2TextSettings(iterations=chosen.iterations, stop_by=chosen.stop_by)
    rows: defaultdict[tuple[str, str], list[tuple[float, float, float, float]]] = defaultdict(list)
    for split in chosen.splits:
        learn, stop, measure = (len(names) for names in corpus.sample(split, chosen.seeds[0]))
        sys.stderr.write(f"{split}: {learn} pages to learn from, {stop} to stop by, {measure} to measure\n")
        for seed in chosen.seeds:
            for way, scores in run_split(corpus, split, seed, test, settings).items():
                rows[split, way].append(scores)
            sys.stderr.write(f"seed {seed}: F1 {' '.join(f'{way} {rows[split, way][-1][3]:.4f}' for way in WAYS)}\n")
    sys.stdout.write(f"{table(rows)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
