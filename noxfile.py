"""Checks in environments of their own: `nox --list` names them, `nox -s oldest` runs one."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.sessions = ["lint", "tests-3.13", "oldest"]

FAST = ("-m", "not slow")
EXTRAS = ("poet", "dedup", "language", "parquet", "qa", "warc", "crawl", "sites", "metadata", "train", "torch")


@nox.session(python=["3.10", "3.11", "3.12", "3.13", "3.14"])
def tests(session: nox.Session) -> None:
    """Run the fast tests with the newest version of everything."""
    session.install("-e", ".[dev]")
    session.run("pytest", *FAST, *session.posargs)


@nox.session(python=["3.15"], name="tests")
def tests_without_torch(session: nox.Session) -> None:
    """Run the fast tests on a Python for which torch and fastText need not be there."""
    session.install("-e", ".[test]")
    session.run("pytest", *FAST, *session.posargs)


@nox.session(python="3.10", venv_backend="uv")
def oldest(session: nox.Session) -> None:
    """Run the fast tests with the oldest version of everything, Scrapy and lxml among them."""
    session.install("--resolution=lowest-direct", "-r", "pyproject.toml", "--extra", "test")
    session.install("--no-deps", ".")
    session.run("pytest", *FAST, *session.posargs)


@nox.session(python="3.11")
def fallback(session: nox.Session) -> None:
    """Run the fast tests in an environment without compiled extensions."""
    session.install("-e", ".[dev]", env={"SEMTEXT_BUILD_EXTENSIONS": "none"})
    session.run("pytest", *FAST, *session.posargs)


@nox.session(python="3.11")
def lint(session: nox.Session) -> None:
    """Check style, types and layers."""
    session.install("-e", ".[dev]", env={"SEMTEXT_BUILD_EXTENSIONS": "none"})
    session.run("pre-commit", "run", "--all-files", "--show-diff-on-failure")


@nox.session(venv_backend="none")
def sizes(session: nox.Session) -> None:
    """Print what the core and each extra of a wheel cost, as a Markdown table: `nox -s sizes -- dist/WHEEL`.

    Each is installed into an environment of its own, twice, so that the second time, which counts, downloads nothing.
    """
    (wheel,) = session.posargs
    core: set[str] = set()
    print("| | further packages | MB | seconds |\n|---|--:|--:|--:|")
    for extra in ("", *EXTRAS):
        environment = Path(session.create_tmp(), extra or "core")
        for _ in range(2):
            session.run("python", "-m", "venv", "--clear", str(environment), silent=True)
            start = time.monotonic()
            pip = str(environment / "bin" / "pip")
            session.run(pip, "install", "--quiet", f"{wheel}[{extra}]" if extra else wheel, silent=True)
            seconds = time.monotonic() - start
        (packages,) = environment.glob("lib/python*/site-packages")
        size = sum(path.stat().st_size for path in packages.rglob("*") if path.is_file())
        names = {path.name.partition("-")[0] for path in packages.glob("*.dist-info")}
        core = core or names
        print(f"| {extra or 'core'} | {len(names - core) or len(names)} | {size / 1e6:.0f} | {seconds:.0f} |")
        shutil.rmtree(environment)
