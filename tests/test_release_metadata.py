"""The release workflow makes links absolute for the page of a package index."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
REPOSITORY = "https://example.com/owner/name"


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / ".github/release_metadata.py"))


def test_links_of_the_readme_lead_to_the_repository(script: dict[str, Any]) -> None:
    readme = (ROOT / "README.md").read_text()
    absolute = script["absolute_links"](readme, REPOSITORY, "v1")
    links = re.findall(r"\]\(([^)]+)\)", absolute)
    assert len(links) == len(re.findall(r"\]\(([^)]+)\)", readme)) > 10
    assert all(link.startswith(("https://", "#")) for link in links)
    assert f"[settings]({REPOSITORY}/blob/v1/docs/settings.md)" in absolute
    assert f"({REPOSITORY}/raw/v1/docs/view.png)" in absolute


def test_the_project_gets_its_urls(script: dict[str, Any]) -> None:
    project = script["with_urls"]((ROOT / "pyproject.toml").read_text(), REPOSITORY, "v1")
    assert f'Homepage = "{REPOSITORY}"\n' in project
    assert f'Issues = "{REPOSITORY}/issues"\n' in project
    with pytest.raises(ValueError, match="has 0 lines that start with 'Homepage = '"):
        script["with_urls"]("[project]", REPOSITORY, "v1")
