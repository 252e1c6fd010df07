from collections.abc import Callable
from typing import Any

from scrapy_semtext.sectioning.style import Style
from scrapy_semtext.segment import Scope, TextBlock

def search(
    root: Any,
    make_scope: type[Scope],
    make_block: type[TextBlock],
    preformatted: Callable[[str], str],
    holds_page: Callable[[Any], bool],
    is_hidden: Callable[[Any, list[str]], bool],
    styling: frozenset[str],
    styled: Callable[[Style, Any], Style],
    plain: Style,
) -> list[TextBlock]: ...
