from collections.abc import Callable
from typing import Any

from scrapy_semtext.segment import Scope, TextBlock

def search(
    root: Any,
    hiding: set[Any],
    make_scope: type[Scope],
    make_block: type[TextBlock],
    preformatted: Callable[[str], str],
    holds_page: Callable[[Any], bool],
) -> list[TextBlock]: ...
