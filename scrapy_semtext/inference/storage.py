"""Where the models that ship are kept, and the error for a folder that holds no usable model."""

from __future__ import annotations

from pathlib import Path

#: The folder of the bundle that ships with the package.
SHIPPED = Path(__file__).parent.parent / "bundle"


class BundleError(ValueError):
    """A bundle that cannot be used; the message says which file, what is wrong with it and what to do."""
