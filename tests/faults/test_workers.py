"""Worker processes that are stopped, killed or out of memory: a page is tried again, or its item gives the reason."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from crawling import URL, Answer, Crawl, FakeExtractor, crawl
from typing_extensions import Self

if TYPE_CHECKING:
    from scrapy_semtext import Page, Source

pytestmark = [
    pytest.mark.slow,
    pytest.mark.crawl,
    pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of Unix"),
]

FIELDS = {"main_text": "main_text", "note": "note"}
PAGES = 8


def first_time(source: Source) -> bool:
    """Return whether a page is processed for the first time; the mark is a file, because processes share no memory."""
    mark = Path(str(source.url).partition("?")[2])
    is_first = not mark.exists()
    mark.touch()
    return is_first


class Failing(FakeExtractor):
    """Does to its process what the text of the page says."""

    def read(self, source: Source) -> Page:
        if "STOPS" in source.html:
            os.kill(os.getpid(), signal.SIGSTOP)
        if "KILLED ONCE" in source.html and first_time(source):
            os.kill(os.getpid(), signal.SIGKILL)
        if "TOO LARGE" in source.html:
            self._fill_memory()
        if "MEMORY ERROR" in source.html:
            raise MemoryError
        return super().read(source)

    @staticmethod
    def _fill_memory() -> None:
        import resource

        before = resource.getrlimit(resource.RLIMIT_AS)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 50_000_000, before[1]))
        try:
            bytearray(2_000_000_000)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, before)


class Unreplaceable(Failing):
    """Can only be loaded once."""

    @classmethod
    def load(cls, *, bundle: Any, device: str, options: Any) -> Self:
        if Path(bundle).exists():
            raise FileNotFoundError("the bundle was removed")
        Path(bundle).touch()
        return cls(options)


def crawl_with(page: str, processes: int = 1, query: str = "", **settings: Any) -> Crawl:
    """Crawl a site with one page that may fail."""
    site = {f"{URL}{number}": Answer() for number in range(PAGES)}
    site[f"{URL}bad{query}"] = Answer(f"<p>{page}</p>".encode())
    given = {"SEMTEXT_EXTRACTOR": Failing, "SEMTEXT_PROCESSES": processes, "SEMTEXT_FIELDS": FIELDS}
    done = crawl(site, settings={**given, **settings})
    assert sorted(item["url"] for item in done.items) == sorted(site)
    return done


def bad(done: Crawl) -> dict[str, Any]:
    """Return the item of the page that may fail; the others are filled."""
    (item,) = [item for item in done.items if "bad" in item["url"]]
    others = [each for each in done.items if each is not item]
    assert all(each["main_text"] == "Mix flour and water.\nBake it." for each in others)
    return {name: value for name, value in item.items() if name != "url"}


def test_a_worker_that_is_stopped_is_replaced() -> None:
    done = crawl_with("STOPS", SEMTEXT_TIMEOUT=1.0)
    assert bad(done) == {"note": "timeout"}
    assert done.count("workers_died") in (1, 2)  # with its batch, then by itself


@pytest.mark.parametrize("processes", [1, 2])
def test_a_worker_that_is_killed_once_costs_nothing(processes: int, tmp_path: Path) -> None:
    done = crawl_with("KILLED ONCE", processes, query=f"?{tmp_path / 'mark'}")
    assert bad(done) == {"main_text": "KILLED ONCE"}
    assert done.count("workers_died") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process")
def test_a_page_that_does_not_fit_into_memory() -> None:
    done = crawl_with("TOO LARGE")
    assert bad(done) == {"note": "error"}
    assert done.count("errors/MemoryError") == done.count("errors") == 1
    assert done.count("workers_died") == 0


def test_a_worker_that_cannot_be_replaced_costs_no_item(tmp_path: Path) -> None:
    done = crawl_with(
        "KILLED ONCE",
        query=f"?{tmp_path / 'mark'}",
        SEMTEXT_EXTRACTOR=Unreplaceable,
        SEMTEXT_BUNDLE=str(tmp_path / "loaded"),
        CONCURRENT_REQUESTS=2,
    )
    notes = [item.get("note") for item in done.items]
    assert done.count("items/filled") == notes.count(None)
    assert notes.count("error") == done.count("errors") > 0
    assert len(done.items) == PAGES + 1
