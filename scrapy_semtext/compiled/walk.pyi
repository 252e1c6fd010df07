from collections.abc import Callable
from typing import Any

from scrapy_semtext.sectioning.style import Style
from scrapy_semtext.segment import Scope, TextBlock

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
