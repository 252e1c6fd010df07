"""The network's configurations by name (the paper's, and that of the bundled weights), and its inputs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from scrapy_semtext.utils.arrays import Singles


#: The kinds of page that the network classifies as a second task (the page types of WCXB).
PAGE_KINDS = ("article", "collection", "documentation", "forum", "listing", "product", "service")

#: The words of a string, in order.
WordString = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NetworkConfig:
    """The shape of a network. ``words`` is the paper's n, ``max_blocks`` its m; one of ``filters`` per width."""

    name: str
    dim: int = 64  # of a word vector
    words: int = 50  # maximum number in a string
    keep: Literal["first", "last"] = "last"  # which words of a path are kept: "first" counts from the root
    max_blocks: int | None = None  # longer pages are split into sequences of at most this many blocks
    widths: tuple[int, ...] = (1, 3, 5)
    filters: tuple[int, ...] = (48, 48, 64)
    hidden: int = 160  # units of the LSTM in each direction
    numbers: bool = True  # whether to use block features besides the words
    page_vector: int = 0  # size of the page summary that is an input of every emission
    dropout: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the configuration as JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> NetworkConfig:
        """Build a configuration from JSON values; raises ValueError for unknown or missing settings."""
        known = {field.name for field in fields(cls)}
        if unknown := values.keys() - known:
            raise ValueError(f"unknown network settings: {', '.join(sorted(unknown))}")
        if "name" not in values:
            raise ValueError("the network settings have no name")
        lists: dict[str, Any] = {key: tuple(values[key]) for key in ("widths", "filters") if key in values}
        return cls(**(values | lists))


#: Zhang & Wang 2022, IV-B: n = 50, m = 85, kernels 3/5/7 with 128/128/256 filters, 512 hidden units (256 a direction).
PAPER = NetworkConfig(
    name="paper",
    keep="first",
    max_blocks=85,
    widths=(3, 5, 7),
    filters=(128, 128, 256),
    hidden=256,
    numbers=False,
)

#: A smaller network for whole pages, with block features and a page summary besides the words.
COMPACT = NetworkConfig(name="compact", page_vector=64, dropout=0.5)

CONFIGS = {config.name: config for config in (COMPACT, PAPER)}


@dataclass(slots=True)
class PageInput:
    """The blocks of a page, or of a sequence cut from it: a tag, a name and a text string for each, and its features.

    ``features``: (blocks, features), float32, of `scrapy_semtext.features.blocks.FEATURES`.
    """

    tags: list[WordString]
    names: list[WordString]
    text: list[WordString]
    features: Singles

    def __len__(self) -> int:
        return len(self.tags)

    def cut(self, begin: int, end: int) -> PageInput:
        """Return the blocks from ``begin`` to ``end`` (exclusive)."""
        part = slice(begin, end)
        return PageInput(self.tags[part], self.names[part], self.text[part], self.features[part])


def sequences(blocks: int, longest: int | None) -> list[tuple[int, int]]:
    """Split a page into the fewest sequences of at most ``longest`` blocks, of nearly equal length (paper, IV-B).

    Returns (begin, end) of each; a page without blocks has none.
    """
    if not blocks:
        return []
    count = 1 if longest is None else -(-blocks // longest)
    edges = [blocks * part // count for part in range(count + 1)]
    return list(pairwise(edges))
