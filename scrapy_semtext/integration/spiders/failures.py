"""Why an address could not be fetched, in words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest
from scrapy.spidermiddlewares.httperror import HttpError

if TYPE_CHECKING:
    from twisted.python.failure import Failure

_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def reason_of(failure: Failure) -> str:
    """Return why a request failed: "status 404", "robots.txt", or the name of the error, as "timeout"."""
    error = failure.value
    if isinstance(error, HttpError):
        return f"status {error.response.status}"
    if isinstance(error, IgnoreRequest):
        return "robots.txt" if "robots.txt" in str(error) else f"ignored: {error}"
    name = type(error).__name__.removesuffix("Error").removesuffix("Exception")
    return _CAPITAL.sub(" ", name).lower()
