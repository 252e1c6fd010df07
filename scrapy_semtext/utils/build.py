"""How setuptools builds the compiled modules (see pyproject.toml): those that walk over trees need lxml's headers."""

from __future__ import annotations

import lxml
from setuptools.command.build_ext import build_ext


class BuildExt(build_ext):
    """Builds extensions with the headers of lxml, and of its libxml2, that are installed where it runs."""

    def finalize_options(self) -> None:
        """Add lxml's folders of headers to those that are looked in."""
        super().finalize_options()
        self.include_dirs = [*(self.include_dirs or ()), *lxml.get_include()]
