from collections.abc import Callable
from typing import Any

from scrapy_semtext.segment import Scope, TextBlock

def search(
    root: Any,
    hiding: set[Any],
    scopes: type[Scope],
    blocks: type[TextBlock],
    preformatted: Callable[[str], str],
    holds_page: Callable[[Any], bool],
) -> list[TextBlock]: ...
def combined(found: list[TextBlock], scopes: type[Scope], blocks: type[TextBlock]) -> list[TextBlock]: ...
