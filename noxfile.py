"""Checks in environments of their own: `nox --list` names them, `nox -s oldest` runs one."""

from __future__ import annotations

import nox

nox.needs_version = ">=2025.2.9"
nox.options.sessions = ["lint", "tests-3.13", "oldest"]

FAST = ("-m", "not slow")


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
def datasets(session: nox.Session) -> None:
    """Load the outputs of the page "Training data" with datasets of Hugging Face."""
    session.install("-e", ".[test]", "datasets>=4.0", "pyarrow>=18.0")
    session.run("pytest", "tests/docs/test_training_data.py", *session.posargs)


@nox.session(python="3.11")
def lint(session: nox.Session) -> None:
    """Check style, types and layers."""
    session.install("-e", ".[dev]", env={"SEMTEXT_BUILD_EXTENSIONS": "none"})
    session.run("pre-commit", "run", "--all-files", "--show-diff-on-failure")


@nox.session(python="3.11")
def sizes(session: nox.Session) -> None:
    """Print what the core and each extra bring: `nox -s sizes -- dist/WHEEL`."""
    (wheel,) = session.posargs
    extras = "qa,metadata,page-objects,mcp,crawl,render,sites,train"  # the others are in these
    session.install(f"{wheel}[{extras}]", "packaging")
    session.run("python", "-m", "research.installed_sizes")
