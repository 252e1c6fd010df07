"""Builds the compiled extensions (see pyproject.toml) with the headers of lxml."""

from __future__ import annotations

import lxml
from setuptools.command.build_ext import build_ext


class BuildExt(build_ext):
    """`build_ext` with the headers of the installed lxml, and of its libxml2."""

    def finalize_options(self) -> None:
        """Add the include folders of lxml."""
        super().finalize_options()
        self.include_dirs = [*(self.include_dirs or ()), *lxml.get_include()]
