"""A crawl logs on one line how it processes pages."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from crawling import URL, Answer, FakeExtractor, crawl

from scrapy_semtext.utils import extensions
from scrapy_semtext.utils.version import __version__

pytestmark = pytest.mark.crawl


def said_by(caplog: pytest.LogCaptureFixture, settings: dict[str, Any]) -> str:
    with caplog.at_level(logging.INFO):
        crawl({URL: Answer()}, settings=settings)
    start = f"scrapy-semtext {__version__}: "
    (said,) = [message for message in caplog.messages if message.startswith(start)]
    said, _, unasked = said.removeprefix(start).rpartition("; ")
    assert unasked == "not asked for: records, sections, metadata, markdown, chunks, main_html, details"
    return said


@pytest.fixture
def _compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "scrapy_semtext.integration.downloader_middleware.extensions_note", lambda: "compiled extensions"
    )


@pytest.mark.slow
@pytest.mark.usefixtures("_compiled")
@pytest.mark.parametrize(("processes", "where"), [(0, "cpu"), (2, "2 processes on cpu")])
def test_the_shipped_model(processes: int, where: str, caplog: pytest.LogCaptureFixture) -> None:
    settings = {"SEMTEXT_EXTRACTOR": None, "SEMTEXT_DEVICE": "cpu", "SEMTEXT_PROCESSES": processes}
    assert said_by(caplog, settings) == f"labeler semtext, bundled model, {where}, compiled extensions"


@pytest.mark.usefixtures("_compiled")
def test_what_the_settings_say(caplog: pytest.LogCaptureFixture) -> None:
    settings = {"SEMTEXT_OPTIONS": {"labeler": "trees"}, "SEMTEXT_BUNDLE": "my/bundle", "SEMTEXT_DEVICE": "cuda"}
    own = f"extractor {FakeExtractor.__module__}.FakeExtractor"
    assert said_by(caplog, settings) == f"{own}, labeler trees, model my/bundle, cuda, compiled extensions"


def test_what_is_not_compiled_is_said_with_its_cost(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("SEMTEXT_COMPILED", raising=False)
    for name in extensions.EXTENSIONS:
        monkeypatch.setattr(extensions, name, None if name in ("network", "walk") else object())
    assert said_by(caplog, {}).endswith(
        "extensions not compiled: network, walk (pages take up to 3 times as long; reinstall scrapy-semtext where there"
        " is a C compiler)"
    )
    monkeypatch.setenv("SEMTEXT_COMPILED", "0")
    assert extensions.extensions_note().startswith("extensions switched off by SEMTEXT_COMPILED=0")
