from collections.abc import Callable
from typing import Any, TypeVar

from scrapy_semtext.dom.segmentation import Scope, TextBlock
from scrapy_semtext.dom.style import Style

_T = TypeVar("_T")

def made(kind: type[_T], names: tuple[str, ...], columns: tuple[list[Any], ...]) -> list[_T]: ...
def search(
    root: Any,
    scopes: type[Scope],
    blocks: type[TextBlock],
    preformatted: Callable[[str], str],
    holds_page: Callable[[Any], bool],
    restyled: Callable[[Style, str, bool, str | None, str | None], Style],
    plain: Style,
) -> list[TextBlock]: ...
def combined(found: list[TextBlock], scopes: type[Scope], blocks: type[TextBlock], plain: Style) -> list[TextBlock]: ...
