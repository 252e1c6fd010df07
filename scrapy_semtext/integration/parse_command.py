"""The response that an item of ``scrapy parse`` is from.

The command calls callbacks itself, and with ``--pipelines`` it passes their items to the pipelines while the callback's
response is being handled, past ``process_spider_output`` of all spider middlewares.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.http import Response

#: What the command adds to the meta of its requests.
_META = frozenset(("_depth", "_callback"))

# The tasks that handle the items are started by the one that handles the response, and get a copy of its context.
_response: ContextVar[Response | None] = ContextVar("_response", default=None)


def is_of_command(response: Response) -> bool:
    """Return whether a response was downloaded by ``scrapy parse``."""
    return response.meta.keys() >= _META


def remember_response(response: Response) -> None:
    """Remember the response whose callback is about to be called."""
    _response.set(response)


def response_of_item() -> Response | None:
    """Return the response that the item in the pipelines is from; None in other crawls than that of the command."""
    return _response.get()
