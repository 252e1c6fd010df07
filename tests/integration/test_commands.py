"""The Scrapy commands that new users try, in a separate project with a server on loopback."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from commanding import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.slow, pytest.mark.crawl]

ROOT = Path(__file__).parents[2]

SETTINGS = """
BOT_NAME = "first"
SPIDER_MODULES = ["first.spiders"]
ADDONS = {"scrapy_semtext.Addon": 300}
SEMTEXT_ENABLED = True
SEMTEXT_EXTRACTOR = "crawling.FakeExtractor"
TELNETCONSOLE_ENABLED = REMOTE_CONTROL_ENABLED = False
"""

SPIDER = """
import scrapy

from scrapy_semtext import page_of


class First(scrapy.Spider):
    name = "first"

    def parse(self, response):
        \"\"\"
        @url URL/page
        @returns items 1 1
        @scrapes url
        \"\"\"
        yield {"url": response.url, "blocks": len(page_of(response).blocks)}
"""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serving() as url:
        yield url


@pytest.fixture
def project(tmp_path: Path, server: str) -> Path:
    """A project, with the entry points of pyproject.toml as in an installed package."""
    entry_points = re.search(r'\[project.entry-points."scrapy.commands"\]\n(.*?)\n\n', pyproject(), re.DOTALL)
    assert entry_points is not None
    for path, text in {
        "scrapy.cfg": "[settings]\ndefault = first.settings\n",
        "first/__init__.py": "",
        "first/settings.py": SETTINGS,
        "first/spiders/__init__.py": "",
        "first/spiders/first.py": SPIDER.replace("URL", server),
        "installed/own-1.dist-info/METADATA": "Name: own\nVersion: 1\n",
        "installed/own-1.dist-info/entry_points.txt": f"[scrapy.commands]\n{entry_points[1]}\n".replace('"', ""),
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


def pyproject() -> str:
    return (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def scrapy(project: Path, *arguments: str) -> tuple[str, str]:
    """Run a Scrapy command; return its output and its log."""
    search = [str(ROOT), str(ROOT / "tests"), str(project / "installed")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(search), "SCRAPY_PYTHON_SHELL": "python"}
    command = [sys.executable, "-m", "scrapy", *arguments]
    done = subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_page_of_works_in_callbacks_of_parse(project: Path, server: str) -> None:
    out, _ = scrapy(project, "parse", "--spider", "first", "--nocolour", f"{server}/page")
    assert "'blocks': " in out
    assert "main_text" not in out


def test_contracts_are_checked_on_what_the_callback_yields(project: Path) -> None:
    _, log = scrapy(project, "check", "first")
    assert "Ran 2 contracts" in log
    assert log.rstrip().endswith("OK")


def test_the_shell_has_page_of_where_the_package_is_enabled(project: Path, server: str) -> None:
    page = f"{server}/page"
    out, _ = scrapy(project, "shell", page, "-c", "page_of(response)")
    assert out.startswith(f"<Page url={page!r}, title='Bread'")
    off = ("-s", "SEMTEXT_ENABLED=False")
    assert scrapy(project, "shell", page, *off, "-c", "'page_of' in dir()")[0] == "False\n"
