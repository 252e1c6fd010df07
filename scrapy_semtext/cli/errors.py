"""The error of commands."""

from __future__ import annotations


class CommandError(Exception):
    """An error that the user can fix; the message is printed without a traceback."""
