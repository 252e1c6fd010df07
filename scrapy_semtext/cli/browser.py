"""A document opened in the user's browser."""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from pathlib import Path


def show_in_browser(document: str) -> None:
    """Write a document to a temporary file, say where it is, and open it; the file stays, as the browser reads it."""
    descriptor, name = tempfile.mkstemp(prefix="semtext-", suffix=".html")
    with os.fdopen(descriptor, "wb") as file:
        file.write(document.encode("utf-8", "replace"))
    address = Path(name).as_uri()
    sys.stderr.write(f"{address}\n")
    if not webbrowser.open(address):
        sys.stderr.write("No browser could be started: open the file above yourself.\n")
