"""Worker processes: whole crawls with one or two of them, even if a process dies."""

from __future__ import annotations

import gc
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from crawling import URL, Answer, FakeExtractor, crawl, run_python
from harvesting import environment

from scrapy_semtext import Options, Page, Source
from scrapy_semtext.integration.processes import Setup, SetupError, UnsendableError, WorkerDiedError, WorkerPool
from scrapy_semtext.integration.setting_values import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

pytestmark = [pytest.mark.slow, pytest.mark.crawl]

logger = logging.getLogger(__name__)


class TwoFacedError(Exception):
    """Cannot be pickled, because its arguments differ from those of its constructor."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


class Moody(FakeExtractor):
    """Does what the text of the page says: KILL ends the process, ONCE does so the first time, and so on."""

    def read(self, source: Source) -> Page:
        if "KILL" in source.html:
            os.kill(os.getpid(), signal.SIGKILL)
        if "ONCE" in source.html and not (mark := Path(str(source.url).rpartition("#")[2])).exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if "PID" in source.html:
            return Page(main_text=str(os.getpid()), title=os.environ.get("OMP_NUM_THREADS"))
        if "THREAD" in source.html:
            return Page(main_text=str(threading.get_native_id()))
        if "LOG" in source.html:
            print("not for the pipe")  # noqa: T201
            logger.warning("%s is odd", source.url)
        return super().read(source)

    def read_many(self, sources: Sequence[Source]) -> list[Page | Exception]:
        if any("FACED" in source.html for source in sources):
            raise TwoFacedError("a", "b")
        return super().read_many(sources)


class Unloadable(FakeExtractor):
    @classmethod
    def load(cls, **given: Any) -> Any:
        raise FileNotFoundError("there is no bundle here")


class Fatal(FakeExtractor):
    @classmethod
    def load(cls, **given: Any) -> Any:
        os._exit(3)


def setup(kind: type[Any] = Moody) -> Setup:
    return Setup(kind, {"bundle": None, "device": "cpu"}, Options(), logging.INFO)


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("OMP_NUM_THREADS", raising=False)
        made = WorkerPool(setup(), 1)
    yield made
    made.close()


def texts(results: Sequence[Page | Exception]) -> list[str]:
    return [result.main_text if isinstance(result, Page) else type(result).__name__ for result in results]


def read(pool: WorkerPool, *pages: str) -> list[str]:
    return texts(pool.read_many([Source(f"<p>{page}</p>", URL) for page in pages]))


def pids(pool: WorkerPool) -> list[int]:
    return [slot.worker.pid for slot in pool._slots if slot.worker is not None]


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_another_process_reads_in_one_thread(pool: WorkerPool) -> None:
    (page,) = pool.read_many([Source("PID")])
    assert isinstance(page, Page)
    assert [int(page.main_text)] == pids(pool) != [os.getpid()]
    assert page.title == "1"


def test_errors_come_back_with_their_traceback(pool: WorkerPool) -> None:
    assert read(pool, "fine", "BOOM") == ["fine", "ZeroDivisionError"]
    first, second = pool.read_many([Source("<p>FACED"), Source("<p>FACED, too")])
    assert isinstance(first, UnsendableError)
    assert str(first) == str(second) == "TwoFacedError: ab"
    assert "in read_many" in str(first.__cause__)


def test_what_is_logged_there_is_logged_here_and_what_is_printed_harms_nobody(
    pool: WorkerPool, caplog: pytest.LogCaptureFixture
) -> None:
    assert read(pool, "LOG", "fine") == ["LOG", "fine"]
    assert [record.getMessage() for record in caplog.records] == [f"{URL} is odd"]
    assert caplog.records[0].name == __name__


def test_a_page_that_kills_its_process_is_tried_twice_and_costs_no_other(caplog: pytest.LogCaptureFixture) -> None:
    pool = WorkerPool(setup(), 1)
    (before,) = pids(pool)
    assert read(pool, "one", "KILL", "two") == ["one", "WorkerDiedError", "two"]
    assert pool.deaths == 2  # in the batch, and alone
    assert len(caplog.records) == 2
    assert "ended with the exit code -9" in caplog.text
    (after,) = pids(pool)
    pool.close()
    assert not is_running(before)
    assert not is_running(after)


def test_no_process_is_left_when_a_pool_is_forgotten() -> None:
    pool = WorkerPool(setup(), 1)
    (pid,) = pids(pool)
    del pool
    gc.collect()
    assert not is_running(pid)


@pytest.mark.parametrize(
    ("kind", "error", "message"),
    [
        (Unloadable, FileNotFoundError, "there is no bundle here"),
        (Fatal, WorkerDiedError, "exit code 3"),
        (type("Nowhere", (FakeExtractor,), {}), SetupError, "worker processes cannot load Nowhere"),
        (type("Script", (FakeExtractor,), {"__module__": "__main__"}), SetupError, "put it into a module of its own"),
    ],
)
def test_what_cannot_be_loaded_is_said_at_once(kind: type[Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        WorkerPool(setup(kind), 1)


# Whole crawls.

ON = {"SEMTEXT_EXTRACTOR": Moody, "SEMTEXT_PROCESSES": 1}


def test_a_crawl_with_processes_gives_what_one_with_the_thread_gives() -> None:
    site = {f"{URL}{n}": Answer(f"<title>{n}</title><p>Page {n}.</p>".encode()) for n in range(12)}
    site[f"{URL}bad"] = Answer(b"<p>BOOM</p>")
    site[f"{URL}paper"] = Answer(b"%PDF-1.7 a paper")
    settings = {"SEMTEXT_BATCH_SIZE": 4}
    alone = crawl(site, settings=settings)
    shared = crawl(site, settings={**settings, **ON, "SEMTEXT_PROCESSES": 2})

    def by_url(items: list[Any]) -> list[Any]:
        return sorted(items, key=lambda item: str(item["url"]))

    assert by_url(shared.items) == by_url(alone.items)
    for name in ("pages", "errors", "errors/ZeroDivisionError", "pages/skipped/binary", "items/filled", "blocks"):
        assert shared.count(name) == alone.count(name), name
    assert shared.count("batch_size_max") <= 4
    assert shared.count("workers_died") == 0
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("semtext")]


def test_a_crawl_outlives_its_workers(caplog: pytest.LogCaptureFixture) -> None:
    site = {f"{URL}{n}": Answer() for n in range(6)} | {f"{URL}deadly": Answer(b"<p>KILL</p>")}
    result = crawl(site, settings=ON)
    assert sorted(item["url"] for item in result.items) == sorted(site)
    assert result.count("items/filled") == 6
    assert result.count("errors/WorkerDiedError") == result.count("errors") == 1
    assert result.count("workers_died") == 2
    assert "<200 http://site.test/deadly> could not be read: WorkerDiedError" in caplog.text


def test_what_does_not_work_with_processes_is_said_at_the_start() -> None:
    site = {URL: Answer()}
    with pytest.raises(SettingsError, match="SEMTEXT_SITE_TEMPLATES is on and SEMTEXT_PROCESSES is 1"):
        crawl(site, settings={**ON, "SEMTEXT_SITE_TEMPLATES": True})
    local = type("Local", (FakeExtractor,), {})
    with pytest.raises(SettingsError, match="SEMTEXT_PROCESSES is 1, but worker processes cannot load Local"):
        crawl(site, settings={**ON, "SEMTEXT_EXTRACTOR": local})


SETTINGS = {
    "ADDONS": {"scrapy_semtext.Addon": 300},
    "SEMTEXT_ENABLED": True,
    "SEMTEXT_PROCESSES": 1,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "ERROR",
}
SCRIPT = f"""
from crawling import Answer, SiteHandler, spider_for
from scrapy.crawler import AsyncCrawlerProcess

# without asking for __name__, as many scripts do
site = {{f"http://site.test/{{n}}": Answer() for n in range(5)}}
handlers = {{"http": SiteHandler, "https": None, "ftp": None}}
own = {{"SEMTEXT_EXTRACTOR": "crawling.FakeExtractor", "SITE": site, "DOWNLOAD_HANDLERS": handlers}}
process = AsyncCrawlerProcess({SETTINGS} | own)
crawler = process.create_crawler(spider_for(site))
process.crawl(crawler)
process.start()
print(crawler.stats.get_value("semtext/items/filled"))
"""


def test_a_script_needs_no_guard_for_processes(tmp_path: Path) -> None:
    script = tmp_path / "crawl.py"
    script.write_text(SCRIPT)
    code = "import runpy, sys; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    assert run_python(code, str(script)) == "5\n"


class Slow(Moody):
    """Reports its process, then is slow."""

    def read(self, source: Source) -> Page:
        if (mark := str(source.url).rpartition("#")[2]).startswith("/"):
            Path(mark).write_text(str(os.getpid()))
            time.sleep(1)
        return super().read(source)


SLOW = f"""
import sys
import scrapy
from scrapy.crawler import AsyncCrawlerProcess

class OneSpider(scrapy.Spider):
    name = "one"
    async def start(self):
        yield scrapy.Request("data:text/html,<p>Text</p>#" + sys.argv[1])
    def parse(self, response):
        yield {{}}

process = AsyncCrawlerProcess({SETTINGS | {"SEMTEXT_EXTRACTOR": "test_processes.Slow"}})
crawler = process.create_crawler(OneSpider)
process.crawl(crawler)
process.start()
print(crawler.stats.get_value("semtext/pages"), crawler.stats.get_value("finish_reason"))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of Unix")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_processes_end_with_the_crawl(how: signal.Signals, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    crawling = subprocess.Popen(
        [sys.executable, "-c", SLOW, str(mark)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,  # a process group of its own, to which the signal goes as Ctrl-C does
    )
    deadline = time.monotonic() + 30
    while not (mark.exists() and mark.read_text()) and time.monotonic() < deadline:
        time.sleep(0.02)
    worker = int(mark.read_text())
    if how is signal.SIGINT:
        os.killpg(crawling.pid, how)
    else:
        crawling.kill()
    out, err = crawling.communicate(timeout=30)
    if how is signal.SIGINT:
        assert (out, err) == ("1 shutdown\n", "")
    while is_running(worker) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_running(worker)
