from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.tree.segmentation import Scope, TextBlock
from scrapy_semtext.tree.tags import Style

def search(
    root: Any,
    scopes: type[Scope],
    blocks: type[TextBlock],
    preformatted: Callable[[str], str],
    holds_page: Callable[[Any], bool],
    are_apart: Callable[[str, str, Any, bool], bool],
    restyled: Callable[[Style, str, bool, str | None, str | None], Style],
    plain: Style,
) -> tuple[list[TextBlock], list[Scope], array[int], array[int], list[tuple[str, str]]]: ...
def separators(
    of_block: NDArray[np.int64],
    parent: NDArray[np.int64],
    children: NDArray[np.int64],
    type_of_scope: NDArray[np.int64],
    is_cell: NDArray[np.uint8],
    has_names: NDArray[np.uint8],
    out: NDArray[np.int8],
) -> None: ...
def collect(
    root: Any,
    columns: dict[str, int],
    named: frozenset[str],
    counts: NDArray[np.int64],
    display: Callable[[str], str],
) -> tuple[list[tuple[Any, str]], list[str | None]]: ...
