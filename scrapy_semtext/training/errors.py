"""What the modules of training raise where the user has to do something."""

from __future__ import annotations


class UserError(ValueError):
    """Unusable data or choices; the message says what is wrong, where, and what to do."""


class TrainingError(UserError):
    """A training that cannot start; the message says what is missing."""
