"""The folder of the shipped models, and the error for an unusable one."""

from __future__ import annotations

from pathlib import Path

#: The folder of the bundle that ships with the package.
SHIPPED = Path(__file__).parent.parent / "bundle"


class BundleError(ValueError):
    """A bundle cannot be used; the message names the file, the problem and what to do."""
