"""What commands raise where the user has to do something."""

from __future__ import annotations


class CommandError(Exception):
    """A command that cannot go on; the message says what is wrong and is shown without a traceback."""
