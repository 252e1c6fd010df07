"""Web2Text as a labeler (Vogels et al. 2018): its features, its networks and their weights in a bundle.

The paper's leaves are the text nodes of the page. Here they are the text blocks that every labeler of this package
labels: a block is below the innermost element around all of its text, so a paragraph with a link in it is one leaf, not
three. In the collapsed DOM (3.1), elements without a block are omitted (the paper removes nodes without text), and a
node with a single child is merged with it, repeatedly.

The 128 block features and 25 edge features (3.3 and appendix A) are in the paper's order. Where possible, details
missing in the paper follow the authors' code (github.com/dalab/web2text, `features/extractor`):

* b21, b22 and b27 are powers of b20 and b26; the text of the table names other rows ("b25 squared", "17 squared").
* b3 uses the tags and classes of all elements from the root to the block.
* b24 is clipped to 10.
* b31 to b47 repeat b6 to b22 for the parent, b70 and so on for the grandparent and the root; there the logarithm of the
  characters is clipped between 2.5 and 10, because a node contains more than a block.
* b49 to b68 are the parent's tags, ul twice; the table says b49 to b69, where b69 is "has grandparent".
* Counts of a node are sums over its blocks; it ends as its last block ends.
* Undefined values (a ratio over no words or marks, a missing parent) are missing here, and 0 once standardized.

In addition, Chinese and Japanese punctuation counts too, stop words are those of the page's language, a form element is
an <input>, <select> or <textarea>, and source positions are computed from the parsed tree (`source_spans`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from lxml import etree
from torch import Tensor, nn

from scrapy_semtext.labelers.bundle import usable_device
from scrapy_semtext.models.scores import DECISIONS, Decision, Scores
from scrapy_semtext.models.storage import SHIPPED, ModelFiles
from scrapy_semtext.tree.parsing import with_ancestors
from scrapy_semtext.tree.segmentation import Scope, TextBlock, common_ancestor
from scrapy_semtext.utils.arrays import Bools, Floats, Ints, Singles
from scrapy_semtext.words.words import stop_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from scrapy_semtext.features.table import ParsedPage


# The number of source characters around an element's tag, "<>" at its start and "</>" at its end, and around an
# attribute, ' =""'.
_START, _END, _ATTRIBUTE = 2, 3, 4

#: The columns of `counts`; those from "copyright" on are 0 or 1.
COUNTS = (
    "characters",
    "words",
    "word characters",
    "stop words",
    "capitals",
    "punctuation",
    "digits",
    "sentences",
    "link characters",
    "copyright",
    "email",
    "url",
    "year",
)

# The paper's punctuation marks, and their equivalents in Chinese and Japanese.
_MARK_CHARACTERS = ".,?;:!。，、？；：！"
_QUESTION_MARKS = "?？"
_PUNCTUATION = re.compile(f"[{_MARK_CHARACTERS}]")
_SENTENCE_END = re.compile(r"(?<![.?!])[.?!]+(?=\s|$)|[。？！]+|\n")
_WORD = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
_EMAIL = re.compile(r"\w@\w[\w-]*\.\w")
_URL = re.compile(r"\b(?:https?|ftp)://[^\s/]")
_YEAR = re.compile(r"\b\d{4}\b")
_PARENT_TAGS = "td div p tr table body ul span li blockquote b small a ol ul i form dl strong pre".split()
_TAGS = "a p td b li span i tr div strong em h3 h2 table h4 small sup h1 blockquote".split()

#: Elements that browsers lay out side by side, without a line break in an unstyled page.
_SIDE_BY_SIDE = frozenset(("td", "th", "button"))
_FORM_ELEMENTS = ("input", "select", "textarea")
_CHARACTERS, _WORDS, _WORD_CHARACTERS, _STOP, _CAPITALS, _MARKS, _DIGITS, _SENTENCES, _LINKS, _FLAGS = (
    *range(9),
    slice(9, len(COUNTS)),
)

_FILES = ModelFiles("web2text", "web2text", 1, "semtext dev train labels --labeler web2text")

#: The paper's lambda.
INFLUENCE = 0.1

Logs = Floats

FILTERS = (50, 50, 50, 10)
KERNELS = (1, 1, 3, 3, 3)
DROPOUT = 0.2

_EMPTY = Scores(np.zeros(0), np.zeros(0, dtype=np.bool_))


class Node:
    """A node of the collapsed DOM: merged elements, the outermost first; a leaf contains one block.

    ``tags``: those of the merged elements; ``path``: their tags and classes, after those of all ancestors; ``first``
    and ``last``: indexes of its first and last leaf; ``depth``: 0 for the root; ``element``: the outermost of the
    merged elements, None for a leaf that is only a block.
    """

    __slots__ = ("depth", "element", "first", "last", "parent", "path", "tags")

    def __init__(self, tags: frozenset[str], path: str, parent: Node | None, leaf: int, element: Any) -> None:
        self.tags = tags
        self.path = path
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.first = self.last = leaf
        self.element = element


def collapsed_dom(blocks: Sequence[TextBlock]) -> list[Node]:
    """Return the leaves of a page's collapsed DOM, one for each block, in page order."""
    homes = [_home(block) for block in blocks]
    children = _children(home for home, *_ in homes)
    inner: dict[Any, Node] = {}
    leaves = []
    for number, (home, tags, steps) in enumerate(homes):
        merged, branching = _climb(home, children)
        parent = _node(branching, children, inner, number)
        around = "" if parent is None else parent.path
        path = "/".join((around, *map(_step, merged), *sorted(steps)))
        own = frozenset(str(element.tag) for element in merged) | tags
        leaves.append(Node(own, path, parent, number, merged[0] if merged else None))
        while parent is not None:
            parent.last = number
            parent = parent.parent
    return leaves


def source_spans(root: Any, blocks: Sequence[TextBlock]) -> list[tuple[int, int]]:
    """Return where each block's text begins and ends in the source, in characters.

    A parsed tree has no source positions, so they are computed as if the tree were serialized. The difference from the
    original page is white space inside tags and the like.
    """
    texts, tails = _text_counts(root)
    spans = []
    for block in blocks:
        (first, first_is_tail), (last, last_is_tail) = block.runs[0], block.runs[-1]
        end = (tails if last_is_tail else texts)[last] + len(_text(last, last_is_tail))
        spans.append(((tails if first_is_tail else texts)[first], end))
    return spans


def _text(element: Any, is_tail: bool) -> str:
    return (element.tail if is_tail else element.text) or ""


def _holder(element: Any, is_tail: bool) -> Any:
    return element.getparent() if is_tail else element


def _text_counts(root: Any) -> tuple[dict[Any, int], dict[Any, int]]:
    """Return where the text inside each element begins, and the text after it."""
    texts: dict[Any, int] = {}
    tails: dict[Any, int] = {}
    at = 0
    for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if event == "end":
            at += _END + len(element.tag)
        else:
            if event == "start":
                at += _START + len(element.tag)
                at += sum(len(name) + len(value) + _ATTRIBUTE for name, value in element.items())
            texts[element] = at
            at += len(element.text or "")
            if event == "start":
                continue
        tails[element] = at
        at += len(element.tail or "")
    return texts, tails


def _home(block: TextBlock) -> tuple[Any, frozenset[str], frozenset[str]]:
    """Return the innermost element around all of a block's text, and the tags inside it around every text node.

    The tags are given without and with their classes. White space between elements is not a text node.
    """
    runs = [run for run in block.runs if not _text(*run).isspace()]
    holders = [_holder(*run) for run in runs]
    paths = [[holder, *holder.iterancestors()][::-1] for holder in dict.fromkeys(holders)]
    shared = min(map(len, paths))
    while any(path[shared - 1] is not paths[0][shared - 1] for path in paths):
        shared -= 1
    tags = (frozenset(str(element.tag) for element in path[shared:]) for path in paths)
    steps = (frozenset(map(_step, path[shared:])) for path in paths)
    return paths[0][shared - 1], frozenset.intersection(*tags), frozenset.intersection(*steps)


def _children(homes: Any) -> dict[Any, int]:
    """Return how many children each element has: elements that contain blocks, and blocks directly below it."""
    children: dict[Any, int] = {}
    for home in homes:
        element = home
        while element is not None:
            known = element in children
            children[element] = children.get(element, 0) + 1
            if known:
                break
            element = element.getparent()
    return children


def _climb(element: Any, children: dict[Any, int]) -> tuple[list[Any], Any]:
    """Return the chain of single-child elements from here outwards, outermost first, and its parent."""
    merged = []
    while element is not None and children[element] == 1:
        merged.append(element)
        element = element.getparent()
    return merged[::-1], element


def _node(element: Any, children: dict[Any, int], inner: dict[Any, Node], leaf: int) -> Node | None:
    """Return the node of an element with several children, creating it and its ancestors if necessary."""
    waiting: list[list[Any]] = []  # the elements of nodes to create, from the inside out
    while element is not None and element not in inner:
        outer, above = _climb(element.getparent(), children)
        waiting.append([*outer, element])
        element = above
    parent = None if element is None else inner[element]
    for elements in reversed(waiting):
        path = "/".join(("" if parent is None else parent.path, *map(_step, elements)))
        tags = frozenset(str(each.tag) for each in elements)
        parent = inner[elements[-1]] = Node(tags, path, parent, leaf, elements[0])
    return parent


def _step(element: Any) -> str:
    return ".".join((str(element.tag), *sorted(element.get("class", "").split())))


def counts(blocks: Sequence[TextBlock], stop: frozenset[str]) -> Floats:
    """Return the counts in each block's text; (blocks, COUNTS)."""
    return np.array([_row(block, stop) for block in blocks], dtype=np.float64).reshape(-1, len(COUNTS))


def endings(blocks: Sequence[TextBlock]) -> Bools:
    """Return whether each block ends with a punctuation mark, and with a question mark; (blocks, 2)."""
    rows = [(block.text[-1] in _MARK_CHARACTERS, block.text[-1] in _QUESTION_MARKS) for block in blocks]
    return np.array(rows, dtype=np.bool_).reshape(-1, 2)


def _row(block: TextBlock, stop: frozenset[str]) -> list[int]:
    text = block.text
    words = _WORD.findall(text)
    return [
        len(text),
        len(words),
        sum(map(len, words)),
        sum(word in stop for word in map(str.lower, words)),
        sum(word[0].isupper() for word in words),
        len(_PUNCTUATION.findall(text)),
        len(_DIGIT.findall(text)),
        _sentences(text),
        block.link_chars,
        "©" in text,
        _EMAIL.search(text) is not None,
        _URL.search(text) is not None,
        _YEAR.search(text) is not None,
    ]


def _sentences(text: str) -> int:
    """Count sentences; the text after the last sentence end counts as one, and so does a line."""
    return sum(_WORD.search(part) is not None for part in _SENTENCE_END.split(text)) or 1


class Feature(NamedTuple):
    """A feature's name, and whether it is binary; other features are standardized."""

    name: str
    binary: bool = False


def _binary(*names: str) -> list[Feature]:
    return [Feature(name, binary=True) for name in names]


def _plain(*names: str) -> list[Feature]:
    return [Feature(name) for name in names]


_TEXT = [  # b6-b22, and the same for nodes
    *_plain("avg word length"),
    *_binary("has stopword"),
    *_plain("stopword ratio", "log(n characters)", "log(punctuation ratio)"),
    *_binary("has numeric"),
    *_plain("numeric ratio", "log(avg sentence length)"),
    *_binary("ends with punctuation", "ends with question mark"),
    *_binary("contains copyright", "contains email", "contains url", "contains year"),
    *_plain("ratio words with capital", "ratio words with capital^2", "ratio words with capital^3"),
]
_NODE = [*_plain("body percentage", "link density"), *_TEXT, *_binary("contains form element")]


def _named(prefix: str, features: Iterable[Feature]) -> list[Feature]:
    return [Feature(f"{prefix} {feature.name}", feature.binary) for feature in features]


#: b1 to b128.
BLOCK_FEATURES: tuple[Feature, ...] = (
    *_binary("has duplicate", "has 10 duplicates"),
    *_plain("r same class path"),
    *_binary("has word"),
    *_plain("log(n words)"),
    *_TEXT,
    *_binary("contains punctuation"),
    *_plain("n punctuation"),
    *_binary("has multiple sentences"),
    *_plain("relative position", "relative position^2"),
    *_binary("has parent"),
    *_named("parent", _NODE),
    *_binary(*(f"parent tag {tag}" for tag in _PARENT_TAGS)),
    *_binary("has grandparent"),
    *_named("grandparent", _NODE),
    *_named("root", _NODE),
    *_binary(*(f"tag {tag}" for tag in _TAGS)),
)

#: Features of each pair of adjacent blocks.
EDGE_FEATURES: tuple[Feature, ...] = (
    *_binary("tree distance 2", "tree distance 3", "tree distance 4", "tree distance > 4", "line break"),
    *_named("common ancestor", _NODE),
)
_FEATURES = {"block": [each.name for each in BLOCK_FEATURES], "edge": [each.name for each in EDGE_FEATURES]}


class PageFeatures(NamedTuple):
    """``blocks``: (blocks, 128), ``edges``: (blocks - 1, 25), before standardizing; NaN for missing values."""

    blocks: Singles
    edges: Singles


def web2text_features(page: ParsedPage) -> PageFeatures:
    """Compute the features of a page with at least one block."""
    return _Page(page).features()


class _Page:
    """A page's blocks with the data for their features."""

    def __init__(self, page: ParsedPage) -> None:
        self.blocks = page.text_blocks
        self.leaves = collapsed_dom(self.blocks)
        rows = counts(self.blocks, stop_words(page.lang))
        self.sums = np.concatenate([np.zeros((1, len(COUNTS))), np.cumsum(rows, axis=0)])
        self.rows = rows
        self.ends = endings(self.blocks)
        self.spans = np.array(source_spans(page.root, self.blocks), dtype=np.float64)
        self.form_holders = with_ancestors(page.root.iter(*_FORM_ELEMENTS))

    def features(self) -> PageFeatures:
        """Return the features of all blocks and of all pairs of adjacent blocks."""
        parents = [leaf.parent for leaf in self.leaves]
        grandparents = [parent and parent.parent for parent in parents]
        root = self.leaves[0]
        while root.parent is not None:
            root = root.parent
        columns = [
            self._own(),
            _given(parents),
            self._nodes(parents),
            _tags(parents, _PARENT_TAGS),
            _given(grandparents),
            self._nodes(grandparents),
            np.repeat(self._nodes([root]), len(self.leaves), axis=0),
            _tags(self.leaves, _TAGS),
        ]
        return PageFeatures(np.concatenate(columns, axis=1).astype(np.float32), self._edges().astype(np.float32))

    def _own(self) -> Floats:
        """Return b1 to b27."""
        rows, number = self.rows, len(self.rows)
        texts = _repeats([block.text for block in self.blocks])
        paths = _repeats([leaf.path for leaf in self.leaves])
        body_start, body_length = self._body()
        position = (self.spans[:, 0] - body_start) / body_length
        columns = [
            texts > 1,
            texts > 10,
            paths / number,
            rows[:, _WORDS] > 0,
            _log(rows[:, _WORDS], 0, 3.5),
            *_text_columns(rows, self.ends, most_characters=5.5),
            rows[:, _MARKS] > 0,
            np.minimum(rows[:, _MARKS], 10),
            rows[:, _SENTENCES] > 1,
            position,
            position**2,
        ]
        return np.stack(columns, axis=1)

    def _nodes(self, nodes: Sequence[Node | None]) -> Floats:
        """Return the features of nodes, (nodes, 20); a missing node has missing values, or 0 if binary."""
        known = [self.leaves[0] if node is None else node for node in nodes]
        first, last = (np.array([getattr(node, name) for node in known]) for name in ("first", "last"))
        rows = self.sums[last + 1] - self.sums[first]
        _, body_length = self._body()
        columns = [
            (self.spans[last, 1] - self.spans[first, 0]) / body_length,
            rows[:, _LINKS] / rows[:, _CHARACTERS],
            *_text_columns(rows, self.ends[last], most_characters=10),
            np.array([node.element in self.form_holders for node in known]),
        ]
        table = np.stack(columns, axis=1).astype(np.float64)
        missing = [0.0 if feature.binary else np.nan for feature in _NODE]
        table[[index for index, node in enumerate(nodes) if node is None]] = missing
        return table

    def _edges(self) -> Floats:
        pairs = list(zip(self.leaves, self.leaves[1:], strict=False))
        if not pairs:
            return np.zeros((0, len(EDGE_FEATURES)))
        shared = [common_ancestor(*pair) for pair in pairs]
        # the hops from both leaves to their common ancestor (3.3)
        distance = np.array([a.depth + b.depth - 2 * node.depth for (a, b), node in zip(pairs, shared, strict=True)])
        breaks = [
            breaks_line(first.scope, second.scope) for first, second in zip(self.blocks, self.blocks[1:], strict=False)
        ]
        near = np.stack([distance == 2, distance == 3, distance == 4, distance > 4, breaks], axis=1)
        return np.concatenate([near, self._nodes(shared)], axis=1)

    def _body(self) -> tuple[float, float]:
        """Return where the first block begins in the source, and the distance from there to the end of the last."""
        start = float(self.spans[0, 0])
        return start, max(float(self.spans[-1, 1]) - start, 1.0)


def breaks_line(first: Scope, second: Scope) -> bool:
    """Return whether an unstyled page shows the second block on a new line, judging by the elements between the two."""
    a, b = first, second
    side_a = side_b = ""
    while a is not b:
        if a.depth >= b.depth and a.parent is not None:
            side_a, a = a.tag, a.parent
        elif b.parent is not None:
            side_b, b = b.tag, b.parent
    return any(tag and tag not in _SIDE_BY_SIDE for tag in (side_a, side_b))


def _text_columns(rows: Floats, ends: Bools, *, most_characters: float) -> list[Any]:
    """Return b6 to b22, or the same for nodes, from counts (rows, COUNTS) and endings (rows, 2)."""
    words = np.where(rows[:, _WORDS] > 0, rows[:, _WORDS], np.nan)
    marks = np.where(rows[:, _MARKS] > 0, rows[:, _MARKS], np.nan)
    characters = rows[:, _CHARACTERS]
    capitals = rows[:, _CAPITALS] / words
    return [
        np.clip(rows[:, _WORD_CHARACTERS] / words, 3, 15),
        rows[:, _STOP] > 0,
        rows[:, _STOP] / words,
        _log(characters, 2.5, most_characters),
        np.clip(np.log(marks / characters), -4, -2.5),
        rows[:, _DIGITS] > 0,
        rows[:, _DIGITS] / characters,
        _log(characters / rows[:, _SENTENCES], 2, 5),
        *ends.T,
        *(rows[:, _FLAGS] > 0).T,
        capitals,
        capitals**2,
        capitals**3,
    ]


def _log(values: Floats, least: float, most: float) -> Floats:
    """Return logarithms between two limits; missing for 0."""
    result: Floats = np.clip(np.log(np.where(values > 0, values, np.nan)), least, most)
    return result


def _repeats(values: Sequence[str]) -> Ints:
    """Return how often each value occurs among all; (values,)."""
    _, which, number = np.unique(np.array(values, dtype=object), return_inverse=True, return_counts=True)
    result: Ints = number[which]
    return result


def _given(nodes: Sequence[Node | None]) -> Floats:
    return np.array([[float(node is not None)] for node in nodes])


def _tags(nodes: Sequence[Node | None], tags: Sequence[str]) -> Floats:
    return np.array([[float(node is not None and tag in node.tags) for tag in tags] for node in nodes])


@dataclass(frozen=True, slots=True)
class Web2TextManifest:
    """The contents of ``web2text.json``. ``training`` has data, seed, dates and scores, for information."""

    decision: Decision
    training: dict[str, Any] = field(default_factory=dict)


def save_web2text(folder: Path, networks: Web2TextNetworks, manifest: Web2TextManifest) -> None:
    """Write the weights into the folder of a bundle, which is created if necessary."""
    arrays = {name: tensor.detach().cpu().contiguous().numpy() for name, tensor in networks.state_dict().items()}
    _FILES.save(folder, arrays, {"features": _FEATURES, "decision": manifest.decision, "training": manifest.training})


def read_web2text_manifest(folder: Path | None = None) -> Web2TextManifest:
    """Read and check ``web2text.json`` (the shipped one by default) without loading torch. Raises BundleError."""
    return _FILES.describe(folder or SHIPPED, _manifest)


def load_web2text(folder: Path | None = None, *, device: str = "auto") -> Web2TextLabeler:
    """Load the weights (the shipped ones by default) onto a device: "auto", "cpu", "cuda" or another torch device name.

    Raises BundleError if a file is missing, broken, foreign or of another version.
    """

    def networks_of(description: dict[str, Any], arrays: dict[str, Any]) -> Web2TextNetworks:
        _manifest(description)
        networks = Web2TextNetworks()
        try:
            networks.load_state_dict({name: torch.from_numpy(values) for name, values in arrays.items()})
        except RuntimeError as error:
            raise ValueError(f"it does not hold Web2Text's two networks: {error}") from error
        return networks

    return Web2TextLabeler(_FILES.load(folder or SHIPPED, networks_of), usable_device(device))


def _manifest(description: dict[str, Any]) -> Web2TextManifest:
    if description["features"] != _FEATURES:
        raise ValueError("the networks were trained on other features than this release computes")
    if description["decision"] not in DECISIONS or not isinstance(description["training"], dict):
        raise ValueError("it has no decision or no training record")
    return Web2TextManifest(description["decision"], description["training"])


def viterbi(unary: Logs, pairwise: Logs, influence: float = INFLUENCE) -> Bools:
    """Return the labels with the greatest weight, (blocks,); ties go to boilerplate.

    ``unary``: (blocks, 2), logarithms of the unary potentials; ``pairwise``: (blocks - 1, 2, 2), of the pairwise ones,
    by the labels of the first and of the second block.
    """
    steps = influence * pairwise
    best = unary[0]
    came_from = []
    for step, own in zip(steps, unary[1:], strict=True):
        reached = best[:, None] + step  # (previous label, label)
        came_from.append(reached.argmax(0))
        best = reached.max(0) + own
    labels = [int(best.argmax())]
    for before in reversed(came_from):
        labels.append(int(before[labels[-1]]))
    return np.array(labels[::-1], dtype=np.bool_)


def marginals(unary: Logs, pairwise: Logs, influence: float = INFLUENCE) -> Floats:
    """Return the probability that each block is main content, (blocks,), from the weights of all labelings."""
    steps = influence * pairwise
    forward, backward = np.empty_like(unary), np.zeros_like(unary)
    forward[0] = unary[0]
    for block in range(1, len(unary)):
        forward[block] = unary[block] + np.logaddexp(*(forward[block - 1][:, None] + steps[block - 1]))
    for block in range(len(unary) - 2, -1, -1):
        backward[block] = np.logaddexp(*(steps[block] + unary[block + 1] + backward[block + 1]).T)
    odds = forward + backward
    result: Floats = np.exp(odds[:, 1] - np.logaddexp(odds[:, 0], odds[:, 1]))
    return result


class PotentialNetwork(nn.Module):
    """Potentials of ``classes`` kinds for each block: 2 (boilerplate, main), or 4 for a pair (00, 01, 10, 11)."""

    mean: Tensor
    scale: Tensor

    def __init__(self, features: int, classes: int) -> None:
        super().__init__()
        widths = (features, *FILTERS, classes)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(before, after, kernel, padding=kernel // 2)
            for before, after, kernel in zip(widths[:-1], widths[1:], KERNELS, strict=True)
        )
        self.dropout = nn.Dropout(DROPOUT)
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("scale", torch.ones(features))

    def fit_standardization(self, rows: Singles, features: Sequence[Feature]) -> None:
        """Set the mean and standard deviation to those of the rows of the training pages, (rows, features).

        Binary features are not scaled.
        """
        table = torch.from_numpy(rows).double()
        there = ~table.isnan()
        number = there.sum(0).clamp(min=1)
        mean = table.nan_to_num().sum(0) / number
        scale = (((table - mean).nan_to_num() ** 2 * there).sum(0) / number).sqrt()
        binary = torch.tensor([feature.binary for feature in features])
        self.mean.copy_(torch.where(binary, 0.0, mean))
        self.scale.copy_(torch.where(binary | (scale == 0), 1.0, scale))

    def standardized(self, rows: Tensor) -> Tensor:
        """Return features with zero mean and unit variance; missing values become 0."""
        return ((rows - self.mean) / self.scale).nan_to_num(nan=0.0)

    def forward(self, rows: Tensor) -> Tensor:
        """Return the logits of standardized features, (pages, blocks, features) -> (pages, blocks, classes)."""
        x = rows.transpose(1, 2)  # (pages, features, blocks)
        for layer in self.convolutions[:-1]:
            x = self.dropout(torch.relu(layer(x)))
        logits: Tensor = self.convolutions[-1](x).transpose(1, 2)
        return logits


class Web2TextNetworks(torch.nn.Module):
    """Both networks: for blocks and for pairs of adjacent blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.unary = PotentialNetwork(len(BLOCK_FEATURES), 2)
        self.pairwise = PotentialNetwork(len(EDGE_FEATURES), 4)


class Web2TextLabeler:
    """Labels blocks by Viterbi; a block's probability is its marginal in the chain that Viterbi maximizes."""

    def __init__(self, networks: Web2TextNetworks, device: str = "cpu") -> None:
        self.device = torch.device(device)
        self.networks = networks.to(self.device).eval()

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        """Score pages, each independently; a page without blocks gets empty scores."""
        return [self.score_features(web2text_features(page)) if page.text_blocks else _EMPTY for page in pages]

    def score_features(self, page: PageFeatures) -> Scores:
        """Score a page with at least one block."""
        with torch.inference_mode():
            unary = self._potentials(self.networks.unary, page.blocks)
            pairwise = self._potentials(self.networks.pairwise, page.edges).reshape(-1, 2, 2)
        return Scores(marginals(unary, pairwise), viterbi(unary, pairwise))

    def _potentials(self, network: PotentialNetwork, rows: Singles) -> Logs:
        """Return logarithms of the potentials, whose exponentials sum to one for each row."""
        if not len(rows):
            return np.zeros((0, 1))
        logits = network(network.standardized(torch.from_numpy(rows).to(self.device)).unsqueeze(0))[0]
        logs: Logs = torch.log_softmax(logits.double(), dim=1).cpu().numpy()
        return logs
