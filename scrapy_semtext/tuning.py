"""Corrections for one site, learned from pages that a person has labeled: its rule, and its model.

A rule has selectors of what the model wrongly keeps or drops: CSS for the elements around a block, by id, class names
and tag. A site model is a logistic regression on the places of blocks, with the log-odds of the frozen model as offset.
Neither torch nor a compiler is needed. The shipped models are not changed; each page is scored once, and the effect of
a correction is computed from its scores.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from scrapy_semtext.models.scores import probabilities_of
from scrapy_semtext.options import Source
from scrapy_semtext.site.places import PageTemplates
from scrapy_semtext.site.rules import PageRule, SiteRule, TunedModel, log_odds
from scrapy_semtext.tree.scopes import block_places
from scrapy_semtext.utils import UserError
from scrapy_semtext.words.characters import word_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scrapy_semtext.extractor import Annotation, Extractor
    from scrapy_semtext.site.labeled_pages import LabeledPage
    from scrapy_semtext.tree.segmentation import TextBlock
    from scrapy_semtext.utils.arrays import Bools, Floats, Ints


#: If there are more pages than this, they are held out in this many parts instead of one by one.
MAX_PARTS = 20

_NORMAL = 1.96  # standard errors to both sides of a mean that have 95 % of a normal distribution

Action = Literal["keep", "drop"]

#: A selector is used if at least this share of the text that it selects on all pages has the selector's label.
MIN_RIGHT = 0.98

#: The minimum number of words that a selector corrects in excess of those that it breaks, and the maximum number of
#: selectors.
MIN_WORDS, MAX_SELECTORS = 5, 20

# Names with digits mostly belong to a single page (post-17), or change with each release of a site (css-1x2y3z).
_NAME = re.compile(r"-?[A-Za-z_][A-Za-z_-]*")

# Tags that may be selected on their own.
_TELLING = frozenset(
    "address aside blockquote caption cite details dl figcaption figure footer form h1 h2 h3 h4 h5 h6 header nav ol pre"
    " summary table time ul".split()
)

_OUTER = frozenset(("html", "body"))

#: The sum of the weights of a page's blocks. The penalty is relative to it: evidence grows with the number of pages,
#: not with their length.
PAGE_WEIGHT = 100.0

#: The candidate penalties on squared shifts, and the one for a single page, where no choice is possible.
PENALTIES = (0.1, 0.3, 1.0, 3.0)
PENALTY = 1.0

_ITERATIONS = 150
_NEGLIGIBLE = 0.01  # smaller shifts are dropped


class ExampleError(UserError):
    """A labeled page cannot be used; the message says which, and why."""


@dataclass(slots=True)
class TuningExample:
    """A labeled page with the model's results.

    ``main``: (blocks,), whether a person labeled each block as main content; ``kept``: (blocks,), whether the model
    does; ``log_odds``: (blocks,), the model's; ``words``: (blocks,), the number of words; ``places``: the
    `block_places` of each block.
    """

    annotation: Annotation
    main: Bools
    kept: Bools
    log_odds: Floats
    words: Floats
    places: list[tuple[str, ...]]

    @property
    def blocks(self) -> list[TextBlock]:
        """The text blocks of the page."""
        return self.annotation.text_blocks


def examples_of(pages: Sequence[LabeledPage], extractor: Extractor, *, templates: bool = False) -> list[TuningExample]:
    """Convert labeled pages, with ``templates`` as these show them to be.

    Raises ExampleError for one whose blocks differ from this version's segmentation.
    """
    if templates:
        extractor.templates = PageTemplates.learn(extractor, lambda: [Source(page.html, page.url) for page in pages])
    try:
        return [_example(page, extractor) for page in pages]
    finally:
        extractor.templates = None


def _example(page: LabeledPage, extractor: Extractor) -> TuningExample:
    """Return a labeled page with the model's results, without the rule of its site.

    Raises ExampleError if its blocks have changed.
    """
    annotation = extractor.annotate(page.html, page.url)
    reading = annotation.reading
    texts = [block.text for block in annotation.text_blocks]
    if reading is None or texts != [block.text for block in page.blocks]:
        name = page.url or page.id
        raise ExampleError(f"the blocks of {name} are not those of this version; open its labels with `semtext label`")
    kept = [block.is_main for block in extractor.relabeled(annotation, rule=None)]
    return TuningExample(
        annotation,
        np.array([block.label == "main" for block in page.blocks], np.bool_),
        np.array(kept, np.bool_),
        log_odds(reading.scores),
        word_counts(texts),
        block_places(annotation.text_blocks),
    )


def kept_with(example: TuningExample, rule: SiteRule, extractor: Extractor) -> Bools:
    """Return which blocks of a page are main content with a rule, (blocks,)."""
    blocks = extractor.relabeled(example.annotation, PageRule(rule, example.annotation.root))
    return np.array([block.is_main for block in blocks], np.bool_)


def kept_f1(example: TuningExample, kept: Bools) -> float:
    """Return the F1 over the words of the kept blocks and those that should be kept, 0 to 1; 1 if there are none."""
    both = example.words[kept].sum() + example.words[example.main].sum()
    return float(2 * example.words[kept & example.main].sum() / both) if both else 1.0


@dataclass(frozen=True, slots=True)
class Gain:
    """The word F1 of held-out pages ``before`` and ``after`` a correction, (pages,) each, from 0 to 1.

    F1 compares the words of the kept blocks with those of the blocks that a person labeled as main content.
    """

    before: Floats
    after: Floats

    @property
    def mean(self) -> float:
        """The mean gain."""
        return float((self.after - self.before).mean())

    @property
    def error(self) -> float:
        """The standard error of the mean gain."""
        gains = self.after - self.before
        return float(gains.std(ddof=1) / np.sqrt(len(gains)))

    @property
    def lower(self) -> float:
        """The mean gain minus its standard error."""
        return self.mean - self.error

    @property
    def is_better(self) -> bool:
        """Whether the mean gain on pages that the correction was not derived from exceeds its standard error."""
        return self.lower > 0

    def interval(self) -> tuple[float, float, float]:
        """Return the mean gain and the ends of its 95 % interval, in the normal approximation."""
        return self.mean, self.mean - _NORMAL * self.error, self.mean + _NORMAL * self.error


def validated(
    examples: Sequence[TuningExample], correct: Callable[[Sequence[TuningExample]], SiteRule], extractor: Extractor
) -> Gain:
    """Return the gain on each page from the correction that ``correct`` derives from the pages of the other parts.

    A part is one page or, for more than MAX_PARTS pages, every MAX_PARTS-th. At least two pages are required.
    """
    parts = min(len(examples), MAX_PARTS)
    after = np.zeros(len(examples))
    for part in range(parts):
        others = [example for place, example in enumerate(examples) if place % parts != part]
        rule = correct(others)
        for place in range(part, len(examples), parts):
            after[place] = kept_f1(examples[place], kept_with(examples[place], rule, extractor))
    return Gain(np.array([kept_f1(example, example.kept) for example in examples]), after)


class Correction(NamedTuple):
    """A selector of a rule, the number of ``words`` that it corrects, and of ``pages`` on which it matches."""

    action: Action
    selector: str
    words: int
    pages: int


class _Candidate(NamedTuple):
    """A selector with the blocks that it selects, (all blocks of all pages,), and the number of its pages."""

    selector: str
    blocks: Bools
    pages: int


def derive(examples: Sequence[TuningExample], extractor: Extractor) -> tuple[list[Correction], Gain | None]:
    """Return the selectors of a rule, and its gain on labeled pages that it was not derived from.

    The gain is None for a single page.
    """
    gain = None
    if len(examples) > 1:
        gain = validated(examples, lambda others: rule_of("derived", corrections_of(others)), extractor)
    return corrections_of(examples), gain


def rule_of(name: str, corrections: Sequence[Correction]) -> SiteRule:
    """Return the rule with these corrections."""
    keep, drop = (tuple(each.selector for each in corrections if each.action == action) for action in ("keep", "drop"))
    return SiteRule(name, keep, drop)


def corrections_of(examples: Sequence[TuningExample]) -> list[Correction]:
    """Choose selectors one by one, each time the one that corrects the most words that are still wrong.

    A selector must match on two pages (unless there is only one), and must be right about nearly all of the text that
    it selects there, regardless of the model.
    """
    kept = np.concatenate([example.kept for example in examples])
    main = np.concatenate([example.main for example in examples])
    words = np.concatenate([example.words for example in examples])
    candidates = list(_candidates(examples, kept != main))
    chosen: list[Correction] = []
    while len(chosen) < MAX_SELECTORS:
        best = max(_corrections(candidates, kept, main, words, min(len(examples), 2)), key=_worth, default=None)
        if best is None or best[0].words < MIN_WORDS:
            break
        correction, blocks = best
        chosen.append(correction)
        kept = np.where(blocks, correction.action == "keep", kept)
    return chosen


def _candidates(examples: Sequence[TuningExample], wrong: Bools) -> Iterator[_Candidate]:
    """Yield the selectors that select at least one wrong block."""
    selectors = [found for example in examples for found in selectors_of(example.blocks)]
    page = np.repeat(np.arange(len(examples)), [len(example.blocks) for example in examples])
    places: dict[str, list[int]] = {
        selector: [] for found, is_wrong in zip(selectors, wrong, strict=True) if is_wrong for selector in found
    }
    for place, found in enumerate(selectors):
        for selector in found:
            if selector in places:
                places[selector].append(place)
    for selector, blocks in places.items():
        mask = np.zeros(len(selectors), np.bool_)
        mask[blocks] = True
        yield _Candidate(selector, mask, len(np.unique(page[blocks])))


def _corrections(
    candidates: Sequence[_Candidate], kept: Bools, main: Bools, words: Floats, least_pages: int
) -> Iterator[tuple[Correction, Bools]]:
    """Yield the corrections by each selector if it were used next, with the blocks that it selects."""
    for candidate in candidates:
        total = words[candidate.blocks].sum()
        if candidate.pages < least_pages or not total:
            continue
        share = words[candidate.blocks & main].sum() / total
        if MIN_RIGHT > share > 1 - MIN_RIGHT:
            continue
        action: Action = "keep" if share >= MIN_RIGHT else "drop"
        changed = candidate.blocks & (kept != (action == "keep"))
        right = main == (action == "keep")
        corrected = words[changed & right].sum() - words[changed & ~right].sum()
        yield Correction(action, candidate.selector, int(corrected), candidate.pages), candidate.blocks


def _worth(found: tuple[Correction, Bools]) -> tuple[int, int, str]:
    """Sort key: the most words, then the shortest selector."""
    correction, _ = found
    return correction.words, -len(correction.selector), correction.selector


def selectors_of(blocks: list[TextBlock]) -> list[frozenset[str]]:
    """Return for each block the selectors that select an element around all of its text."""
    known: dict[Any, frozenset[str]] = {}
    holders = [{element.getparent() if is_tail else element for element, is_tail in block.runs} for block in blocks]
    return [frozenset.intersection(*(_around(holder, known) for holder in each)) for each in holders]


def _around(element: Any, known: dict[Any, frozenset[str]]) -> frozenset[str]:
    """Return the selectors of an element and of its ancestors."""
    chain = []
    while element is not None and element not in known:
        chain.append(element)
        element = element.getparent()
    found: frozenset[str] = frozenset() if element is None else known[element]
    for each in reversed(chain):
        found = found.union(_selectors(each))
        known[each] = found
    return found


def _selectors(element: Any) -> Iterator[str]:
    tag = element.tag
    if not isinstance(tag, str) or tag in _OUTER or not _NAME.fullmatch(re.sub(r"\d", "", tag)):
        return
    yield from _named(element)
    if tag in _TELLING:
        yield tag
    parent = element.getparent()
    if parent is not None and isinstance(parent.tag, str) and parent.tag not in _OUTER:
        yield from (f"{named} > {tag}" for named in _named(parent))


def _named(element: Any) -> Iterator[str]:
    """Yield selectors by the element's own id and class names."""
    identifier = element.get("id")
    if identifier and _NAME.fullmatch(identifier):
        yield f"#{identifier}"
    classes = [name for name in (element.get("class") or "").split() if _NAME.fullmatch(name)]
    yield from (f"{element.tag}.{name}" for name in classes)
    if len(classes) > 1:
        yield ".".join((element.tag, *classes))


def tune(examples: Sequence[TuningExample], extractor: Extractor) -> tuple[TunedModel, Gain | None]:
    """Fit a site model with the penalty that is best on held-out pages; return it with the gain on these.

    The best penalty has the greatest mean gain minus its standard error. The gain is None for a single page. Because it
    is the best of several penalties, it is slightly optimistic.
    """
    if len(examples) < 2:
        return fit_site_model(examples), None
    found = {penalty: validated(examples, partial(_rule, penalty=penalty), extractor) for penalty in PENALTIES}
    best = max(PENALTIES, key=lambda penalty: found[penalty].lower)
    return fit_site_model(examples, best), found[best]


def _rule(examples: Sequence[TuningExample], penalty: float) -> SiteRule:
    return SiteRule("tuned", tuned=fit_site_model(examples, penalty))


def fit_site_model(examples: Sequence[TuningExample], penalty: float = PENALTY) -> TunedModel:
    """Return the shifts of log-odds by place that explain the labels of pages best.

    The logistic loss of a block is weighted by the square root of its words. ``penalty`` applies to the squares of the
    shifts, which are 0 where the model needs no correction.
    """
    places = [block for example in examples for block in example.places]
    number = {name: index for index, name in enumerate(dict.fromkeys(name for block in places for name in block))}
    if not number:
        return TunedModel({})
    columns = np.array([[number[name] for name in block] for block in places], np.int64)  # (blocks, places of each)
    target = np.concatenate([example.main for example in examples]).astype(np.float64)
    offset = np.concatenate([example.log_odds for example in examples])
    weights = np.concatenate([_weights(example) for example in examples])
    shifts = _minimum(columns, offset, target, weights, penalty)
    return TunedModel(
        {name: round(float(shift), 4) for name, shift in zip(number, shifts, strict=True) if abs(shift) > _NEGLIGIBLE}
    )


def _weights(example: TuningExample) -> Floats:
    """Return the weights of a page's blocks, (blocks,)."""
    roots: Floats = np.sqrt(np.maximum(example.words, 1.0))
    scaled: Floats = PAGE_WEIGHT * roots / roots.sum()
    return scaled


def _minimum(columns: Ints, offset: Floats, target: Floats, weights: Floats, penalty: float) -> Floats:
    """Minimize the penalized loss by accelerated gradient descent (Nesterov 1983); return the shifts, (places,).

    ``columns``: (blocks, n), the places of each block; all other arrays (blocks,). Step sizes are bounded for each
    place by the greatest possible curvature of its blocks, so that no line search is needed.
    """
    count, each = int(columns.max()) + 1, columns.shape[1]
    flat = columns.ravel()

    def collected(values: Floats) -> Floats:
        sums: Floats = np.bincount(flat, weights=np.repeat(values, each), minlength=count).astype(np.float64)
        return sums

    step = 1 / (penalty + 0.25 * each * collected(weights))  # the second derivative of the logistic loss is at most 1/4
    shifts = ahead = np.zeros(count)
    momentum = 1.0
    for _ in range(_ITERATIONS):
        odds = offset + ahead[columns].sum(axis=1)
        error = weights * (probabilities_of(odds) - target)
        following = ahead - step * (collected(error) + penalty * ahead)
        grown = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = following + (momentum - 1) / grown * (following - shifts)
        shifts, momentum = following, grown
    return shifts
