"""A browser for the documents of the viewer: Chromium, driven by playwright."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
from viewing import Opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import BrowserContext
    from viewing import Open

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]


@pytest.fixture(scope="module")  # playwright keeps an event loop running, which other tests must not find
def browser() -> Iterator[BrowserContext]:
    """A headless Chromium; without one, tests are skipped, or fail if SEMTEXT_REQUIRE_BROWSER is set."""
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _unavailable("playwright is not installed")
    if path is None:
        _unavailable(f"none of {', '.join(_NAMES)} is installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        yield browser.new_context()
        browser.close()


def _unavailable(reason: str) -> None:
    if os.environ.get("SEMTEXT_REQUIRE_BROWSER"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def open_page(browser: BrowserContext, tmp_path: Path) -> Iterator[Open]:
    """Open documents; the test fails if a script has failed."""
    opened_pages = []

    def open_(document: str, *, width: int = 1280, height: int = 800) -> Opened:
        opened = Opened(browser.new_page())
        opened_pages.append(opened)
        page = opened.page
        page.set_default_timeout(5_000)
        page.set_viewport_size({"width": width, "height": height})
        page.on("pageerror", lambda error: opened.errors.append(str(error)))
        page.on("dialog", opened.answer)
        address = document
        if not document.startswith("http"):
            path = tmp_path / f"page{len(opened_pages)}.html"
            path.write_text(document, "utf-8")
            address = path.as_uri()
        page.on("request", lambda request: opened.requests.append(request.url))
        page.on("requestfailed", opened.forget_blocked)
        page.goto(address)
        page.wait_for_selector("body[data-ready]")
        return opened

    yield open_
    for opened in opened_pages:
        opened.page.close()
    assert [error for opened in opened_pages for error in opened.errors] == []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Call what opens a page in a browser slow."""
    for item in items:
        if "open_page" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
