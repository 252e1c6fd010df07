"""Fit the section models, ``semtext dev train sections``.

They decide which lines are main content, which of these are titles, and which belong to no section. The truth of the
page sets gives the main content of a page; its heading tags give the titles among these lines. A model that saw the
tags would learn nothing else, so each page is used twice: unchanged, and with its headings disguised as the paragraphs,
bold lines and <div> elements that are titles on pages without heading tags.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import etree

from scrapy_semtext.features.table import describe
from scrapy_semtext.read.line_features import is_prose, line_features
from scrapy_semtext.read.lines import SMALL_NAME, Lines, lines_of
from scrapy_semtext.read.sections import HEAD as SECTION_FILES
from scrapy_semtext.read.sections import MIN_PROBABILITY, SectionModels
from scrapy_semtext.train.corpus import CONTENT_SHARE, aligned_shares, prf
from scrapy_semtext.train.datasets import TrainingError
from scrapy_semtext.train.fit import HeadTraining, Trees
from scrapy_semtext.tree.nodes import PageNodes
from scrapy_semtext.tree.parsing import drop
from scrapy_semtext.tree.scopes import joined_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.models.trees import TreeEnsemble
    from scrapy_semtext.train.datasets import AnnotatedPage
    from scrapy_semtext.utils.arrays import Bools, Singles


#: Roles of lines; UNKNOWN if the tags do not determine it.
UNKNOWN, TITLE, PROSE, MISCELLANY = -1, 0, 1, 2

# Longer headings are teasers: whole paragraphs in a heading tag.
_LONGEST_TITLE = 30
# Lines with at least this many words are prose, however they end.
_PROSE_WORDS = 12
# Pages with less of their true text would have wrong labels.
_LEAST_RECALL = 0.5
_ITEMS = ("li", "dd", "td", "pre", "blockquote")
_CAPTIONS = ("figcaption", "caption")
_NEITHER = ("dt", "th", "summary", "legend", "button")

_TREES = {
    name: Trees(rounds, leaves=24, rate=0.1, least=60, feature_fraction=0.4)
    for name, rounds in {"relevant": 100, "title": 80, "miscellany": 40}.items()
}


@dataclass(slots=True)
class SectionExample:
    """A page, unchanged or with its headings disguised.

    ``rows``: (lines, FEATURES); ``relevant``: (lines,) bool, whether a line belongs to the main content; ``roles``:
    (lines,) of TITLE, PROSE, MISCELLANY and UNKNOWN.
    """

    disguised: bool
    rows: Singles
    relevant: Bools
    roles: NDArray[np.int8]


def fit_sections(examples: Sequence[SectionExample], seed: int) -> SectionModels:
    """Fit the models; raise TrainingError if a role has no lines."""
    if not examples:
        raise TrainingError("There are no pages to learn from. Give more pages.")
    parts = ((example.rows, example.relevant, example.roles) for example in examples)
    rows, relevant, roles = map(np.concatenate, zip(*parts, strict=True))
    weights = np.concatenate([np.full(len(one.rows), len(one.rows) ** -0.5) for one in examples])
    weights /= weights.mean()  # the weight of a page is the square root of its number of lines
    for role, what in ((TITLE, "titles"), (PROSE, "prose"), (MISCELLANY, "miscellany")):
        if not (roles == role).any():
            raise TrainingError(f"There is no {what} among the lines of the pages to learn from.")
    known = roles != UNKNOWN
    text = known & (roles != TITLE)

    def fitted(name: str, chosen: Bools, targets: Bools) -> TreeEnsemble:
        return _TREES[name].fit((rows[chosen], targets[chosen], weights[chosen]), seed)

    return SectionModels(
        relevant=fitted("relevant", np.ones(len(rows), dtype=np.bool_), relevant),
        title=fitted("title", known, roles == TITLE),
        miscellany=fitted("miscellany", text, roles == MISCELLANY),
    )


def role_scores(models: SectionModels, examples: Sequence[SectionExample]) -> dict[str, dict[str, dict[str, float]]]:
    """Return precision, recall and F1 of the lines of each role, on unchanged pages and with headings disguised.

    Titles and miscellany are scored on lines whose role is known.
    """
    report = {}
    for name, disguised in (("as they are", False), ("headings disguised", True)):
        chosen = [
            (example.rows, example.relevant, example.roles) for example in examples if example.disguised == disguised
        ]
        if not chosen:
            continue
        rows, relevant, roles = map(np.concatenate, zip(*chosen, strict=True))
        scores = models.score(rows)
        title = scores.title >= MIN_PROBABILITY
        miscellany = ~title & (scores.miscellany >= MIN_PROBABILITY)
        known = roles != UNKNOWN
        report[name] = {
            "relevant": _prf(scores.relevant >= MIN_PROBABILITY, relevant),
            "title": _prf(title[known], roles[known] == TITLE),
            "miscellany": _prf(miscellany[known], roles[known] == MISCELLANY),
        }
    return report


def _prf(found: Bools, true: Bools) -> dict[str, float]:
    scores = prf(float((found & true).sum()), float(found.sum()), float(true.sum()))
    return {name: round(value, 4) for name, value in scores._asdict().items()}


def section_examples(page: AnnotatedPage, seed: int) -> list[SectionExample]:
    """Return a page unchanged and disguised; [] if it has too little of its true text."""
    shown = describe(page.html, page.url)
    lines = lines_of([shown])
    texts = lines.texts
    shares = aligned_shares(texts, page.text)
    found = sum(share * _length(text) for share, text in zip(shares, texts, strict=True))
    if not lines or found < _LEAST_RECALL * _length(page.text):
        return []
    relevant = np.array(shares) >= CONTENT_SHARE
    roles = roles_of(lines, relevant)
    rows = line_features(lines, [shown.title])
    result = [SectionExample(disguised=False, rows=rows, relevant=relevant, roles=roles)]
    if lines.heading.any():
        disguise(shown.root, random.Random(f"{seed}/{page.dataset}/{page.id}"))  # noqa: S311  no secret
        tree = PageNodes.of_page(shown.root)
        blocks, starts = joined_blocks(tree)
        lines = lines_of([replace(shown, raw_tree=tree, text_blocks=blocks, starts=starts)])
        places = _places(texts, lines.texts)
        still = np.array([at is not None and relevant[at] for at in places], dtype=np.bool_)
        roles = np.array([UNKNOWN if at is None else roles[at] for at in places], dtype=np.int8)
        rows = line_features(lines, [shown.title])
        result.append(SectionExample(disguised=True, rows=rows, relevant=still, roles=roles))
    return result


def _length(text: str) -> int:
    return len("".join(text.split()))


def roles_of(lines: Lines, relevant: Bools) -> NDArray[np.int8]:
    """Return the roles of a page's relevant lines according to its tags; UNKNOWN for all other lines.

    Lines in heading tags are titles. Sentences, long lines, list items and cells are prose, and so are short lines
    between such lines. Short lines before the first of them and after the last, captions, and lines whose class names
    say so (byline, date) are miscellany. A short bold line before prose may be a title without a tag: unknown.
    """
    texts, headings, of_line = lines.texts, np.array(lines.heading, dtype=bool), lines.scope_tree.of_block
    tags = [lines.scope_tree.scopes[at].tag for at in of_line.tolist()]
    lengths = np.array([*map(len, texts)])
    spaces = np.array([text.count(" ") for text in texts])
    is_small = (lines.element_kinds.take(of_line) & SMALL_NAME) > 0
    may_be_title = (np.maximum(lines.bold, lines.underlined) > 0.8) & (np.append(lengths[1:], 0) > lengths)
    running = relevant & ~headings & (np.array([*map(is_prose, texts)], dtype=bool) | (spaces + 1 >= _PROSE_WORDS))
    is_between = (np.cumsum(running) > 0) & (np.cumsum(running[::-1])[::-1] > 0)
    rules = (
        (~relevant, UNKNOWN),
        (headings & (spaces < _LONGEST_TITLE), TITLE),
        (headings, UNKNOWN),
        (running | np.isin(tags, _ITEMS), PROSE),
        (is_small | np.isin(tags, _CAPTIONS), MISCELLANY),
        (may_be_title | np.isin(tags, _NEITHER), UNKNOWN),
        (is_between, PROSE),
    )
    conditions, roles = zip(*rules, strict=True)
    found: NDArray[np.int8] = np.select(conditions, roles, default=MISCELLANY).astype(np.int8)
    return found


def _places(before: Sequence[str], after: Sequence[str]) -> list[int | None]:
    """Return for each line of a disguised page the index of the same line in the original."""
    if before == after:
        return list(range(len(before)))
    places: list[int | None] = [None] * len(after)
    for a, b, size in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks():
        places[b : b + size] = range(a, a + size)
    return places


def disguise(root: Any, rng: random.Random) -> None:
    """Replace the heading elements of a page by other heading markup, the same for all headings of a level."""
    looks = {f"h{level}": _Look(rng) for level in range(1, 7)}
    for element in list(root.iter(*looks)):
        looks[element.tag].put_on(element)


class _Look:
    """The markup that replaces the headings of one level."""

    def __init__(self, rng: random.Random) -> None:
        self.kind = rng.choices(("bold", "plain", "styled", "run-in"), (10, 3, 3, 2))[0]
        self.tag = rng.choices(("p", "div", "li", "td"), (12, 6, 1, 0))[0]
        self.inner = rng.choice(("b", "strong", "strong", "u"))
        self.style = rng.choice(("font-weight:bold", "font-size:18px", "font-size:1.4em;font-weight:bold"))
        self.names = rng.choice((None, None, "", "", "title", "section-heading", "subtitle"))

    def put_on(self, element: Any) -> None:
        behind = element.getnext()
        if self.names is not None:  # otherwise, it keeps its own
            for name in ("class", "id"):
                element.attrib.pop(name, None)
            if self.names:
                element.set("class", self.names)
        if self.kind == "run-in" and behind is not None and behind.tag == "p" and not len(element):
            _run_in(element, behind, self.inner)
            return
        element.tag = self.tag
        if self.kind in ("bold", "run-in"):
            _wrap(element, self.inner)
        elif self.kind == "styled":
            element.set("style", self.style)


def _wrap(element: Any, tag: str) -> None:
    """Wrap the content of an element in a child element."""
    inner = etree.Element(tag)
    inner.text, element.text = element.text, None
    inner.extend(list(element))
    element.append(inner)


def _run_in(element: Any, paragraph: Any, tag: str) -> None:
    """Make a heading without child elements the first line of the following paragraph."""
    line, end = etree.Element(tag), etree.Element("br")
    line.text, end.tail, paragraph.text = element.text, paragraph.text, None
    paragraph.insert(0, line)
    paragraph.insert(1, end)
    drop(element)


def _report(
    models: SectionModels, examples: Sequence[SectionExample], tested: Sequence[SectionExample]
) -> dict[str, Any]:
    lines = {"training": sum(len(each.rows) for each in examples), "test": sum(len(each.rows) for each in tested)}
    return {"lines": lines, "scores": role_scores(models, tested)}


HEAD = HeadTraining(
    files=SECTION_FILES,
    reader=lambda job: partial(section_examples, seed=job.seed),
    fit=lambda examples, job: fit_sections(examples, job.seed),
    needs="pages with at least half of their true text",
    pages=lambda job: job.pages("train", "test"),
    checks=True,
    report=_report,
)
