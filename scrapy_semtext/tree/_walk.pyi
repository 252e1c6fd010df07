from array import array
from collections.abc import Callable
from typing import Any

from scrapy_semtext.tree.segmentation import Scope, TextBlock
from scrapy_semtext.tree.tags import Style

def search(
    root: Any,
    scopes: type[Scope],
    blocks: type[TextBlock],
    collapsed: Callable[[str], str],
    preformatted: Callable[[str], str],
    holds_page: Callable[[Any], bool],
    are_apart: Callable[[str, str, Any, bool], bool],
    restyled: Callable[[Style, str, bool, str | None, str | None], Style],
    plain: Style,
) -> tuple[list[TextBlock], list[Scope], array[int], array[int], list[tuple[str, str]]]: ...
def most_attributes(html: bytes) -> int: ...
