"""Fit the model of page kinds: ``semtext dev train kinds`` (needs LightGBM).

An overview is a page that lists others: a listing or a collection.

Many small trees with few columns each are used, because there are more words than pages. Rare kinds have a greater
weight: the square root of the count of the most frequent kind relative to theirs.

Page sets without overviews (news, threads) add articles and threads of other sites and languages. Their pages have half
the weight, and the frequencies of kinds are those of the other sets: offsets of the log-odds make the mean probability
of each kind equal to its frequency there.

The threshold for overviews is half of the F1 that it reaches, the optimum for a calibrated probability (Lipton, Elkan &
Naryanaswamy 2014, "Optimal thresholding of classifiers to maximize F1 measure"). That F1 is estimated on the training
pages, by an inner cross-validation by domain. The empirical optimum of the curve is too noisy: a few pages move it by a
tenth, and the F1 by a hundredth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.features.table import PageTable, ParsedPage, describe
from scrapy_semtext.read.kinds import (
    COLUMNS,
    KINDS,
    OVERVIEWS,
    KindModel,
    kind_probabilities,
    overview_probability,
    page_columns,
    page_words,
    spelt,
)
from scrapy_semtext.read.kinds import HEAD as KIND_FILES
from scrapy_semtext.train.datasets import GENERATED, RECORDED, SPLIT_SEED, VARIED, AnnotatedPage, fold
from scrapy_semtext.train.fit import HeadTraining, Trees, frequent_words, joined, named, of_columns, outside_folds
from scrapy_semtext.tree.nodes import matrix_of
from scrapy_semtext.utils.arrays import Bools, Floats, Ints, Singles

if TYPE_CHECKING:
    from scrapy_semtext.train.fit import Part

#: Kinds by the page types of page sets.
KIND_OF_TYPE = {
    **{kind: kind for kind in KINDS},
    **dict.fromkeys(("news", "recipe", "comments"), "article"),
    **dict.fromkeys(("thread", "qa"), "forum"),
    "search_results": "listing",
}

#: The kinds that overviews are distinguished from in the measure that excludes shops and services.
AMONG = ("article", "documentation", "forum")

_THRESHOLDS = np.arange(1, 100) / 100
# The number of iterations for offsets: about ten make them accurate to a hundredth.
_STEPS = 50

_TREES = Trees(
    200, leaves=6, rate=0.08, least=15, objective="multiclass", num_class=len(KINDS), feature_fraction=0.15, max_bin=63
)
_PARTS = 4  # models that are averaged
_WORDS, _LEAST_DOMAINS = 4000, 8  # maximum number of words considered, and minimum number of domains that use one
_OTHERS = 0.5  # the weight of a page of a set without overviews
# The types of generated pages that are learned, and the weights of their kinds relative to pages of real programs.
_GENERATED_TYPES, _GENERATED_WEIGHTS = ("thread", "forum", "comments"), {"forum": 1.0, "article": 0.5}
_INNER_FOLDS = 4
# Kinds of pages of which one in this many is also learned as plain paragraphs, and their maximum number.
_PROSE, _PLAIN, _MOST_LINES = ("article", "documentation", "service"), 8, 30


@dataclass(frozen=True, slots=True)
class KindExample:
    """A page: its kind (index in KINDS, -1 if unknown), its numeric features, (COLUMNS,), and its words with places."""

    dataset: str
    domain: str
    kind: int
    numbers: Singles
    words: frozenset[str]


def kind_examples(page: AnnotatedPage) -> list[KindExample]:
    """Return the example of a page and, for some pages, its `plain_examples`; none if its kind is not learned."""
    if _kind_of(page.dataset, page.page_type) < 0:
        return []
    parsed = describe(page.html, page.url)
    own = [kind_example_of(parsed, page.dataset, page.domain, page.page_type)] if parsed.text_blocks else []
    return [*own, *plain_examples(page.id, page.text, page.url, page.dataset, page.domain, page.page_type)]


def plain_examples(
    name: str, text: str, url: str | None, dataset: str, domain: str, page_type: str | None
) -> list[KindExample]:
    """Return the example of a page's true text in plain elements, like handmade pages; none for most pages.

    Otherwise, the lack of names and of surrounding content would be evidence for the plain templates of forums.
    """
    if dataset == GENERATED or KIND_OF_TYPE.get(page_type or "") not in _PROSE or fold(name, 1, _PLAIN) > 0:
        return []
    title, *lines = [line for line in map(escape, text.split("\n")) if line.strip()] or [""]
    body = "".join(f"<p>{line}</p>" for line in lines[: 2 + fold(name, 2, _MOST_LINES)])
    html = f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>"
    parsed = describe(html, url)
    return [kind_example_of(parsed, dataset, domain, page_type)] if parsed.text_blocks else []


def kind_example_of(parsed: ParsedPage, dataset: str, domain: str, page_type: str | None) -> KindExample:
    """Create an example from a page with text."""
    table, kind = PageTable([parsed]), _kind_of(dataset, page_type)
    words, numbers = frozenset(spelt(page_words(table)[0])), matrix_of(page_columns(table).values())[0]
    return KindExample(dataset, domain, kind, numbers, words)


def _kind_of(dataset: str, page_type: str | None) -> int:
    """Return the index in KINDS, -1 if the kind is unknown or not learned from the set."""
    is_learned = page_type in KIND_OF_TYPE and (dataset != GENERATED or page_type in _GENERATED_TYPES)
    return KINDS.index(KIND_OF_TYPE[page_type or ""]) if is_learned else -1


def fit_kinds(
    examples: Sequence[KindExample],
    seed: int = 1,
    *,
    settings: Trees = _TREES,
    inner_folds: int = _INNER_FOLDS,
    parts: int = _PARTS,
    like: KindModel | None = None,
) -> KindModel:
    """Fit the trees of ``parts`` models, and choose offsets and threshold. Raises ValueError without pages.

    Offsets and threshold are those of the model ``like``, if it is given.

    Half of the models, rounded down, do not learn recorded and generated pages. With these, blogs with comments are
    less often taken for forums, and without them plain forums more often for such (research/notes/qa-pairs.md).
    """
    if not examples:
        raise ValueError("There are no pages to fit the model of kinds to.")
    if like is None:
        offsets, threshold = _offsets_and_threshold(examples, seed, settings, inner_folds)
    else:
        offsets, threshold = np.array(like.offsets), like.threshold
    vocabulary = _vocabulary(examples)
    some, every = (_part(examples, vocabulary, made=made) for made in (False, True))
    fitted = [settings.fit(some, seed, parts=parts // 2)] if parts > 1 else []
    trees, used = of_columns(joined([*fitted, settings.fit(every, seed + parts // 2, parts=parts - parts // 2)]))
    columns, words = named(used.tolist(), COLUMNS, vocabulary)
    return KindModel(trees, parts, columns, words, tuple(offsets.tolist()), threshold)


def predicted(model: KindModel, examples: Sequence[KindExample]) -> Floats:
    """Return the probabilities of KINDS that a model assigns to examples, (examples, kinds)."""
    places = [COLUMNS.index(name) for name in model.columns]
    rows = np.zeros((len(examples), len(places) + len(model.words)), dtype=np.float32)
    for row, example in zip(rows, examples, strict=True):
        row[: len(places)] = example.numbers[places]
        row[len(places) :] = [word in example.words for word in model.words]
    return model.of_rows(rows)


def overview_f1s(found: Bools, kinds: Ints) -> tuple[float, float]:
    """Return the F1 of pages classified as overviews: among overviews and AMONG, and among all pages.

    ``found``: (pages,); ``kinds``: (pages,), indices in KINDS.
    """
    true = _are(OVERVIEWS, kinds)
    hits, expected = (found & true).sum(), true.sum()
    among, of_all = found[_are((*OVERVIEWS, *AMONG), kinds)].sum(), found.sum()
    return float(2 * hits / max(among + expected, 1)), float(2 * hits / max(of_all + expected, 1))


def overview_threshold(likely: Floats, kinds: Ints) -> float:
    """Return the threshold that is half of the resulting F1; the F1 among AMONG counts twice, among all pages once.

    ``likely``: (pages,), out-of-fold probabilities of an overview; ``kinds``: (pages,), indices in KINDS. With these
    weights, a product or service classified as an overview costs a third of what an article
    does, like OFFER_WEIGHT in `overview_probability`.
    """
    return next((float(at) for at in _THRESHOLDS if _half_f1(likely >= at, kinds) <= at), float(_THRESHOLDS[-1]))


def _half_f1(found: Bools, kinds: Ints) -> float:
    among, of_all = overview_f1s(found, kinds)
    return (2 * among + of_all) / 6


def frequency_offsets(odds: Floats, kinds: Ints) -> Floats:
    """Return offsets of the log-odds that make the mean probability of each kind equal to its frequency; (KINDS,).

    ``odds``: (pages, KINDS), out-of-fold by domain; ``kinds``: (pages,), indices in KINDS. The offset of a kind without
    pages is 0, and so is the mean of the others.
    """
    frequent = np.bincount(kinds, minlength=len(KINDS)) / len(kinds)
    present = frequent > 0
    offsets = np.zeros(len(KINDS))
    for _ in range(_STEPS):
        likely = kind_probabilities(odds + offsets).mean(0)
        offsets[present] += np.log(frequent[present] / likely[present])
        offsets[present] -= offsets[present].mean()
    return offsets


def _offsets_and_threshold(
    examples: Sequence[KindExample], seed: int, settings: Trees, inner_folds: int
) -> tuple[Floats, float]:
    """Return the offsets and the threshold, from out-of-fold predictions for the pages of sets with overviews."""
    ours = np.flatnonzero(_in_sets_with_overviews(examples))
    kinds, odds = _kinds(examples), np.zeros((len(examples), len(KINDS)))
    domains = [example.domain for example in examples]
    of_page = np.array([fold(domain, SPLIT_SEED + 1, inner_folds) for domain in domains])
    for number, others in outside_folds(of_page.tolist(), domains, inner_folds):
        if not others or number not in of_page[ours]:  # all pages are of one domain, or no page counts
            continue
        seen = [examples[place] for place in others]
        vocabulary = _vocabulary(seen)
        held_out = np.flatnonzero(of_page == number).tolist()
        rows = _table([examples[at] for at in held_out], vocabulary)
        for made in (False, True):
            booster = settings.boosted(_part(seen, vocabulary, made=made), seed)
            odds[held_out] += 0.5 * np.asarray(booster.predict(rows, raw_score=True))
    offsets = frequency_offsets(odds[ours], kinds[ours])
    likely = overview_probability(kind_probabilities(odds[ours] + offsets))
    return offsets, overview_threshold(likely, kinds[ours])


def _in_sets_with_overviews(examples: Sequence[KindExample]) -> Bools:
    """Return which examples are from real page sets with overviews, (examples,); all of them if no set has any."""
    overviews = _are(OVERVIEWS, _kinds(examples))
    sets = {example.dataset for example, is_overview in zip(examples, overviews, strict=True) if is_overview}
    sets -= {*VARIED}
    return np.array([not sets or example.dataset in sets for example in examples])


def _part(examples: Sequence[KindExample], vocabulary: Sequence[str], *, made: bool) -> Part:
    """Return the table, the kinds and the weights of the examples; ``made``: with recorded and generated pages."""
    examples = [each for each in examples if made or each.dataset not in (RECORDED, GENERATED)] or examples
    kinds, ours = _kinds(examples), _in_sets_with_overviews(examples)
    counts = np.maximum(np.bincount(kinds[ours], minlength=len(KINDS)), 1)
    weights = np.sqrt(counts.max() / counts[kinds]) * np.where(ours, 1.0, _OTHERS)
    weights *= [_GENERATED_WEIGHTS[KINDS[each.kind]] if each.dataset == GENERATED else 1.0 for each in examples]
    return _table(examples, vocabulary), kinds, weights


def _vocabulary(examples: Sequence[KindExample]) -> list[str]:
    return frequent_words(((example.domain, example.words) for example in examples), _WORDS, _LEAST_DOMAINS)


def _table(examples: Sequence[KindExample], vocabulary: Sequence[str]) -> Singles:
    column = {word: place for place, word in enumerate(vocabulary, len(COLUMNS))}
    table = np.zeros((len(examples), len(COLUMNS) + len(vocabulary)), dtype=np.float32)
    for row, example in zip(table, examples, strict=True):
        row[: len(COLUMNS)] = example.numbers
        row[[column[word] for word in example.words & column.keys()]] = 1
    return table


def _kinds(examples: Sequence[KindExample]) -> Ints:
    return np.array([example.kind for example in examples], dtype=np.int64)


def _are(names: Sequence[str], kinds: Ints) -> Bools:
    return np.isin(kinds, [KINDS.index(name) for name in names])


def _report(model: KindModel, examples: Sequence[KindExample], _: Sequence[KindExample]) -> dict[str, Any]:
    kinds = Counter(KINDS[example.kind] for example in examples)
    offsets = [round(offset, 3) for offset in model.offsets]
    return {"kinds": dict(sorted(kinds.items())), "offsets": offsets, "threshold": round(model.threshold, 4)}


HEAD = HeadTraining(
    files=KIND_FILES,
    reader=lambda _: kind_examples,
    fit=lambda examples, job: fit_kinds(examples, job.seed),
    needs=f"pages whose page_type is one of {', '.join(KIND_OF_TYPE)}",
    report=_report,
)
