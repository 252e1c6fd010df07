"""Process tuning: what is changed in the process, and when the change is undone."""

from __future__ import annotations

import gc
import json
import os
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from crawling import run_python

from scrapy_semtext.utils.process_tuning import (
    enable_tuning,
    gc_paused,
    release_free_memory,
    set_switch_interval,
    trim_malloc,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


pytestmark = pytest.mark.crawl


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc's malloc")
def test_free_memory_between_used_memory_is_returned() -> None:
    def memory() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    blocks = [(bytes(16_000), bytes(600)) for _ in range(3_000)]
    used = [block for _, block in blocks]
    del blocks
    before = memory()
    assert release_free_memory()
    assert memory() < before - 30_000_000
    assert len(used) == 3_000


@pytest.fixture
def switched_off(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if request.param == "setting":
        enable_tuning(False)
    else:
        monkeypatch.setenv("SEMTEXT_PROCESS_TUNING", "0")
    yield
    enable_tuning(True)


@pytest.mark.parametrize("switched_off", ["setting", "environment"], indirect=True)
@pytest.mark.usefixtures("switched_off")
def test_the_process_stays_as_it_is_with_tuning_off(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[float] = []
    monkeypatch.setattr(sys, "setswitchinterval", calls.append)
    set_switch_interval()
    assert not calls
    assert not trim_malloc()
    assert not release_free_memory()
    with gc_paused():
        assert gc.isenabled()


TUNED = """
import gc, json, sys
from crawling import URL, Answer, crawl
result = crawl({URL: Answer()}, settings=json.loads(sys.argv[1]))
print(result.count("pages"), sys.getswitchinterval(), gc.get_freeze_count() > 0)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "printed"), [({}, "1 0.0005 True"), ({"SEMTEXT_PROCESS_TUNING": False}, "1 0.005 False")]
)
def test_a_crawl_tunes_its_process_unless_told_not_to(settings: dict[str, Any], printed: str) -> None:
    assert run_python(TUNED, json.dumps(settings)).strip() == printed
