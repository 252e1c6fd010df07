"""Errors that the user can fix."""

from __future__ import annotations


class UserError(ValueError):
    """Unusable data or options; the message states the problem, its place, and the solution."""


class TrainingError(UserError):
    """A training that cannot start; the message says what is missing."""
