"""Errors that the user can fix."""

from __future__ import annotations


class UserError(ValueError):
    """Unusable data or options; the message says what is wrong, where, and what to do."""


class TrainingError(UserError):
    """A training that cannot start; the message says what is missing."""
