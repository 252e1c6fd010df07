"""TextSweeper, a labeler without training (Lang, Wohlgenannt & Weichselbraun 2012).

A modified text-to-tag ratio finds the element with most of the main content, and a tolerance selects those with a ratio
close to it. Everything below the innermost element around these is main content, except parts that are short or mostly
links. The paper gives no numbers except a tolerance of 0.9 as an example; those here, `SweepRules`, were set on
training pages.

The nodes of the paper are here the elements that bound text blocks (`scrapy_semtext.tree.segmentation.Scope`), as its
ratio ignores inline tags:

* The text of a node is that of its blocks. A block is weighted by its length and by the layout tags around it, and by
  those of its parent (equation 1).
* Link text is the text in links or in elements with an ``onclick``. A block that ends like a teaser ("Read more",
  "...") counts as a link together with its element; if the block is only that phrase, so does its parent, unless it is
  too long.
* The tags of a node are its descendants that bound blocks, including empty ones (equation 2); its level is its depth.
* Forms are not removed, unlike in the paper, because whole pages may be inside one.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.models.scores import Scores
from scrapy_semtext.tree.segmentation import Scope, TextBlock, common_ancestor
from scrapy_semtext.tree.tags import GROUPS, HEADING_LEVELS, Group
from scrapy_semtext.words.word_tables import alternatives

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scrapy_semtext.features.table import ParsedPage
    from scrapy_semtext.utils.arrays import Bools, Floats


#: A page with less net text than this, in characters, is classified as an overview page.
MIN_ARTICLE_CHARS = 1500

_BOLD = frozenset(("b", "strong"))
_TEASER_END = re.compile(
    rf"(?:\.\.\.|…|阅读全文|查看更多|\b(?:{alternatives('teasers')}))[\s.…\])>»›→]*$",
    re.IGNORECASE,
)
_MAX_PHRASE_CHARS = 40


@dataclass(frozen=True, slots=True)
class SweepRules:
    """The parameters of TextSweeper; lengths are in characters.

    ``tolerance``: the share of the best ratio that a relevant node must exceed; ``min_text``: the weighted length
    below which a node is deleted; ``max_link_share``: the share of link text above which it is deleted.
    """

    tolerance: float = 0.3
    min_text: float = 20
    max_link_share: float = 0.5
    heading_weight: float = 2.0
    bold_weight: float = 1.5
    long_text: int = 100
    long_weight: float = 2.0
    max_teaser: int = 500


RULES = SweepRules()


@dataclass(slots=True)
class Swept:
    """The results for a page: ``ratios`` and ``main`` of each block, (blocks,), and the ``net_length``.

    A block's ratio is the best one of the nodes around it within the returned node, or that of its own element if it is
    outside. ``net_length`` counts the characters of the main blocks that are not link text.
    """

    ratios: Floats
    main: Bools
    net_length: int


class TextSweeperLabeler:
    """TextSweeper's rules as a labeler; its own labels are returned by the decision "viterbi".

    It has no probabilities. Instead, it returns the best ratio around a block relative to the best of the page: 0 to 1,
    and only useful for ranking.
    """

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        """Score pages, each independently; a page without blocks gets empty scores."""
        return [self._scores(sweep(page)) for page in pages]

    @staticmethod
    def _scores(swept: Swept) -> Scores:
        best = swept.ratios.max(initial=0.0)
        return Scores(swept.ratios / best if best > 0 else swept.ratios, swept.main)


def sweep(page: ParsedPage, rules: SweepRules = RULES) -> Swept:
    """Label the blocks of a page."""
    blocks = page.text_blocks
    if not blocks:
        return Swept(np.zeros(0), np.zeros(0, dtype=np.bool_), 0)
    own = _block_sizes(blocks, rules)
    nodes = _node_sizes(blocks, own)
    ratios = _ratios(nodes, page.root)
    best = max(ratios.values())
    relevant = (scope for scope, ratio in ratios.items() if ratio > rules.tolerance * best or ratio == best)
    home = reduce(common_ancestor, relevant)
    keeps = _keepers(nodes, home, rules)
    main = np.array([best > 0 and keeps[b.scope] and _stays(size, rules) for b, size in zip(blocks, own, strict=True)])
    net = np.array([size.characters - size.links for size in own])[main].sum()
    return Swept(np.array([_best_ratio(block.scope, home, ratios) for block in blocks]), main, int(net))


def _ratios(nodes: dict[Scope, _Size], root: Any) -> dict[Scope, float]:
    """Return the ratio of text to tags of each node (equation 2)."""
    tags = _tag_counts(root)
    return {scope: size.net / (tags[scope.element] + scope.depth or 1) for scope, size in nodes.items()}


@dataclass(slots=True)
class _Size:
    """The text of a node or a block: characters, link characters, and both weighted, and the weighted net text."""

    characters: int = 0
    links: int = 0
    weighted: float = 0.0
    net: float = 0.0

    def add(self, other: _Size) -> None:
        self.characters += other.characters
        self.links += other.links
        self.weighted += other.weighted
        self.net += other.net


def _block_sizes(blocks: Sequence[TextBlock], rules: SweepRules) -> list[_Size]:
    links = _link_characters(blocks, rules)
    sizes = []
    for block, inside in zip(blocks, links, strict=True):
        weight, length = _weight(block, rules), len(block.text)
        sizes.append(_Size(length, inside, weight * length, weight * (length - inside)))
    return sizes


def _node_sizes(blocks: Sequence[TextBlock], own: Sequence[_Size]) -> dict[Scope, _Size]:
    """Return the sizes of all elements around blocks, from those of their blocks; outermost elements last."""
    sizes: dict[Scope, _Size] = {}
    for block in blocks:
        for scope in block.scope.ancestry():
            if scope in sizes:
                break
            sizes[scope] = _Size()
    for block, size in zip(blocks, own, strict=True):
        sizes[block.scope].add(size)
    ordered = sorted(sizes, key=lambda scope: -scope.depth)
    for scope in ordered:
        if scope.parent is not None:
            sizes[scope.parent].add(sizes[scope])
    return {scope: sizes[scope] for scope in ordered}


def _weight(block: TextBlock, rules: SweepRules) -> float:
    """Return the text weight of a block times that of its parent (equation 1)."""
    parent = block.scope.parent
    weight = rules.heading_weight if block.scope.tag in HEADING_LEVELS else 1.0
    weight *= rules.heading_weight if parent is not None and parent.tag in HEADING_LEVELS else 1.0
    weight *= rules.bold_weight if _is_all_in(block, lambda element: element.tag in _BOLD) else 1.0
    return weight * (rules.long_weight if len(block.text) >= rules.long_text else 1.0)


def _link_characters(blocks: Sequence[TextBlock], rules: SweepRules) -> list[int]:
    """Return how many characters of each block count as link text."""
    teasers = {block.scope for block in blocks if _teaser_length(block) == len(block.text)}
    lengths: Counter[Scope | None] = Counter()
    for block in blocks:
        lengths[block.scope] += len(block.text)
        lengths[block.scope.parent] += len(block.text)
    around = {*teasers, *(scope.parent for scope in teasers)} - {None}
    linked = {scope for scope in around if lengths[scope] <= rules.max_teaser}
    return [
        len(block.text)
        if _is_link(block) or not linked.isdisjoint((block.scope, block.scope.parent))
        else block.link_chars
        for block in blocks
    ]


def _teaser_length(block: TextBlock) -> int:
    """Return the length of the phrase at the end of a block that ends like a teaser, 0 for other blocks."""
    ending = _TEASER_END.search(block.text[-_MAX_PHRASE_CHARS:])
    return 0 if ending is None else ending.end() - ending.start()


def _is_link(block: TextBlock) -> bool:
    """Return whether a whole block counts as a link: it ends like a teaser, or is clickable."""
    return _teaser_length(block) > 0 or _is_all_in(block, lambda element: element.get("onclick") is not None)


def _is_all_in(block: TextBlock, test: Callable[[Any], bool]) -> bool:
    """Return whether each text node of a block is in an element within that of the block that passes a test."""
    holders = {element.getparent() if is_tail else element for element, is_tail in block.runs}
    return all(any(map(test, _chain(holder, block.scope.element))) for holder in holders)


def _chain(element: Any, outermost: Any) -> Iterable[Any]:
    """Yield an element and its ancestors, up to ``outermost`` or to one that bounds blocks."""
    while element is not None:
        yield element
        if element is outermost or GROUPS[element.tag] >= Group.BOUNDARY:
            return
        element = element.getparent()


def _tag_counts(root: Any) -> Counter[Any]:
    """Count the descendants of each element that bound blocks."""
    counts: Counter[Any] = Counter()
    for element in [*root.iter("*")][::-1]:
        parent = element.getparent()
        if parent is not None:
            counts[parent] += counts[element] + (GROUPS[element.tag] >= Group.BOUNDARY)
    return counts


def _keepers(nodes: dict[Scope, _Size], home: Scope, rules: SweepRules) -> dict[Scope, bool]:
    """Return whether each node is in the returned one, and neither it nor an ancestor within that is deleted."""
    keeps: dict[Scope, bool] = {}
    for scope in reversed(nodes):  # outermost first
        if scope is home:
            keeps[scope] = True
        else:
            keeps[scope] = scope.parent is not None and keeps[scope.parent] and _stays(nodes[scope], rules)
    return keeps


def _stays(size: _Size, rules: SweepRules) -> bool:
    return size.weighted >= rules.min_text and size.links <= rules.max_link_share * size.characters


def _best_ratio(scope: Scope, home: Scope, ratios: dict[Scope, float]) -> float:
    """Return the best ratio of the nodes around a block within the returned node, else that of its own element."""
    inside: list[float] = []
    for each in scope.ancestry():
        inside.append(ratios[each])
        if each is home:
            return max(inside)
    return ratios[scope]
