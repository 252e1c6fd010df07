"""How setuptools builds the package: with the compiled extensions (see pyproject.toml), or without any.

This depends on the environment variable SEMTEXT_BUILD_EXTENSIONS. If unset, an extension that cannot be compiled is
skipped with a warning, and its Python fallback is used. ``required``: this is an error, as wheels need it. ``none``:
nothing is compiled, and the wheel is valid for every Python version.
"""

from __future__ import annotations

import logging
import os
import shutil

import lxml
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.errors import OptionError

_VARIABLE = "SEMTEXT_BUILD_EXTENSIONS"


class BuildExt(build_ext):
    """`build_ext` in parallel, with the headers of the installed lxml, and of its libxml2."""

    def finalize_options(self) -> None:
        """Add the include folders of lxml, use all processors, and make failures fatal if extensions are required."""
        super().finalize_options()
        self.include_dirs = [*(self.include_dirs or ()), *lxml.get_include()]
        self.parallel = self.parallel or os.cpu_count()
        if _wanted() == "required":
            for extension in self.extensions or ():
                extension.optional = False

    def build_extensions(self) -> None:
        """Compile with clang-cl on Windows, if available: Microsoft's own compiler does not support vector types."""
        clang = shutil.which("clang-cl")
        if self.compiler.compiler_type == "msvc" and clang is not None:
            self.compiler.initialize(self.plat_name)
            self.compiler.cc = clang
        count = len(self.extensions)
        self.announce(
            f"Compiling {count} extensions, {self.parallel} at a time; this can take minutes.", logging.WARNING
        )
        super().build_extensions()


class BdistWheel(bdist_wheel):
    """`bdist_wheel`, without extensions if none are wanted: only then is the wheel valid for every Python version."""

    def finalize_options(self) -> None:
        """Remove the extensions before the tag of the wheel is chosen."""
        if _wanted() == "none":
            self.distribution.ext_modules = []
        super().finalize_options()


def _wanted() -> str:
    value = os.environ.get(_VARIABLE, "")
    if value not in ("", "none", "required"):
        raise OptionError(f"{_VARIABLE} is {value!r}; it has to be 'required', 'none' or unset")
    return value
