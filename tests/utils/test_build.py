"""The extensions in a build, depending on the environment."""

from __future__ import annotations

import pytest

pytest.importorskip("setuptools", minversion="80")

from types import SimpleNamespace

from setuptools import Distribution, Extension
from setuptools.command.build_ext import build_ext
from setuptools.errors import OptionError

from scrapy_semtext.utils.build import BdistWheel, BuildExt

VARIABLE = "SEMTEXT_BUILD_EXTENSIONS"


def distribution() -> Distribution:
    return Distribution({"name": "example", "ext_modules": [Extension("example", ["example.c"], optional=True)]})


def extension(monkeypatch: pytest.MonkeyPatch, wanted: str) -> Extension:
    """Return the extension as compiled."""
    monkeypatch.setenv(VARIABLE, wanted)
    command = BuildExt(distribution())
    command.ensure_finalized()
    return command.extensions[0]


def tag(monkeypatch: pytest.MonkeyPatch, wanted: str) -> str:
    """Return the tag of the wheel."""
    monkeypatch.setenv(VARIABLE, wanted)
    command = BdistWheel(distribution())
    command.ensure_finalized()
    return "-".join(command.get_tag())


def test_a_user_can_do_without_a_compiler_and_a_wheel_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    assert extension(monkeypatch, "").optional
    assert not extension(monkeypatch, "required").optional


def test_only_a_wheel_without_extensions_is_for_every_python(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tag(monkeypatch, "none") == "py3-none-any"
    assert tag(monkeypatch, "").startswith("cp3")
    assert tag(monkeypatch, "required").startswith("cp3")


def test_extensions_are_compiled_at_once_and_it_is_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(build_ext, "build_extensions", lambda _: None)
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    command = BuildExt(distribution())
    command.ensure_finalized()
    command.compiler = SimpleNamespace(compiler_type="unix")
    command.build_extensions()
    assert command.parallel == 8
    assert "Compiling 1 extensions, 8 at a time" in caplog.text


def test_another_value_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match="SEMTEXT_BUILD_EXTENSIONS is 'no'; it has to be 'required', 'none' or unset"):
        tag(monkeypatch, "no")


def test_on_windows_clang_compiles_if_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    class Compiler:
        compiler_type = "msvc"
        cc = "cl.exe"

        def initialize(self, platform: str) -> None:
            assert platform == command.plat_name

    command = BuildExt(distribution())
    command.ensure_finalized()
    command.extensions = []
    for found, used in ((None, "cl.exe"), (r"C:\LLVM\clang-cl.exe", r"C:\LLVM\clang-cl.exe")):
        command.compiler = Compiler()
        monkeypatch.setattr("shutil.which", lambda name, found=found: found)
        command.build_extensions()
        assert command.compiler.cc == used
