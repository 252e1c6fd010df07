"""Optional dependencies, compiled extensions and process settings; errors of users, and hints for misspelled names."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches


class UserError(Exception):
    """An error that the user can fix; the message states the problem, its place and, if known, the solution."""


def hint_for(name: object, known: Sequence[str], what: str) -> str:
    """Return a hint for a name that is not known: "did you mean 'x'?", or "the keys are x, y"; ``what`` is "keys"."""
    near = get_close_matches(str(name), known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"the {what} are {', '.join(known)}"
