"""`semtext doctor` shows what is installed, and problems."""

from __future__ import annotations

import json
import re
from importlib import metadata
from typing import TYPE_CHECKING, Any

import pytest
from commanding import install

from scrapy_semtext.cli import checks, main
from scrapy_semtext.utils import extensions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ADDON = 'ADDONS = {"scrapy_semtext.Addon": 300}\n'
ON = "SEMTEXT_ENABLED = True\n"
WITH_ADDON = "broken: SEMTEXT_ENABLED is True, but items are not filled: "
OWN = """
class SEMTEXT_EXTRACTOR:
    @classmethod
    def load(cls, **_):
        raise ZeroDivisionError("own")
"""
BY_HAND = 'ITEM_PIPELINES = {"scrapy_semtext.pipelines.SemtextPipeline": 50}\n'


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Use no model, all extensions, and no project."""
    install(monkeypatch)
    monkeypatch.setattr(checks, "missing_extensions", list)
    monkeypatch.delenv("SCRAPY_SETTINGS_MODULE", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def problems_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return the exit status and the problems of a project with the given settings."""

    def check(settings: str) -> tuple[int, list[str]]:
        module = f"settings_of_{tmp_path.name}"
        (tmp_path / f"{module}.py").write_text(settings, encoding="utf-8")
        (tmp_path / "scrapy.cfg").write_text(f"[settings]\ndefault = {module}\n", encoding="utf-8")
        monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", module)
        monkeypatch.syspath_prepend(tmp_path)
        status = main(["doctor", "--json"])
        found = json.loads(capsys.readouterr().out)
        assert found["project"] == module
        return status, [f"{problem['level']}: {problem['text']}" for problem in found["problems"]]

    return check


def test_what_is_installed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    for name in ("scrapy-semtext", "numpy", "lxml", "Scrapy", "parsel"):
        assert re.search(rf"^{name} +{re.escape(metadata.version(name))}", out, re.MULTILINE), name
    assert re.search(r"^device +cpu$", out, re.MULTILINE)
    assert re.search(r"^project +none in this folder$", out, re.MULTILINE)
    assert out.endswith("\nAll is well.\n")


LANGUAGES = "SEMTEXT_QA = {'languages': ['eng']}"


@pytest.mark.parametrize(
    ("settings", "status", "problem"),
    [
        (ADDON + ON, 0, None),
        (ADDON + "SEMTEXT_ENABLED = False\n", 0, None),
        (ADDON, 0, "hint: SEMTEXT_ENABLED is not set, so items are not filled: set SEMTEXT_ENABLED = True"),
        ("", 0, "hint: The project does not use scrapy-semtext: set SEMTEXT_ENABLED = True. ADDONS = "),
        (ON, 1, WITH_ADDON + 'ADDONS has no add-on. ADDONS = {"scrapy_semtext.Addon": 300} adds all components'),
        (ON + BY_HAND, 1, WITH_ADDON + "DOWNLOADER_MIDDLEWARES has no scrapy_semtext.middlewares.SemtextDown"),
        (ADDON + ON + "SEMTEXT_BATCH_SIZE = 0", 1, "broken: SEMTEXT_BATCH_SIZE is 0; it has to be a whole number"),
        (ADDON + ON + "SEMTEXT_QA = {'dup': 1}", 1, "broken: SEMTEXT_QA has no key 'dup'; did you mean 'dedup'?"),
        (
            ADDON + ON + LANGUAGES,
            1,
            "broken: SEMTEXT_QA[\"languages\"] is ['eng']: the language 'eng' cannot be detected",
        ),
        (ADDON + ON + "SEMTEXT_BUNDLE = 'none'", 1, "broken: SEMTEXT_BUNDLE is 'none', but: none is no bundle."),
        (ADDON + ON + OWN, 1, "broken: A crawl cannot start: ZeroDivisionError('own')"),
        (ADDON + ON + "SEMTEXT_FEILDS = {}", 0, "hint: scrapy-semtext has no setting SEMTEXT_FEILDS; did you mean"),
        (ADDON + "SEMTEXT_ENABLED = 'perhaps'", 1, "broken: SEMTEXT_ENABLED is 'perhaps'; it has to be True or False"),
        ("ADDONS = {'nowhere.Addon': 1}", 1, "broken: No module named 'nowhere'"),
        ("import nowhere", 1, "broken: The settings of the project cannot be loaded: ModuleNotFoundError("),
    ],
)
def test_what_is_wrong_with_a_project(
    settings: str, status: int, problem: str | None, problems_of: Callable[[str], tuple[int, list[str]]]
) -> None:
    found, problems = problems_of(settings)
    assert found == status
    assert len(problems) == (problem is not None), problems
    assert problem is None or problems[0].startswith(problem)


def test_what_is_not_compiled_and_not_installed_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(extensions, "walk", None)
    monkeypatch.setattr(checks, "missing_extensions", lambda: ["walk"])
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^torch +", out, re.MULTILINE)
    hint = out.splitlines()[-1]
    assert hint.startswith(("HINT: extensions not compiled: ", "HINT: extensions switched off"))
