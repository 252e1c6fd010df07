"""Ray Data on a local cluster of two workers."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from archiving import gate_pages, write_archive

from scrapy_semtext import Extractor
from scrapy_semtext.cli import main

ray: Any = pytest.importorskip("ray", reason="the extra ray is not installed")

import pyarrow.parquet as pq  # noqa: E402

from scrapy_semtext.bulk.ray import archives, clean  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),
    pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc"),
]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


@pytest.fixture
def names(tmp_path: Path) -> list[str]:
    """Six archives of twenty pages each, all with distinct URLs."""
    pages = gate_pages(20)
    return [
        str(write_archive(tmp_path / f"{part}.warc.gz", ((f"{url}#{part}", html) for url, html in pages)))
        for part in range(6)
    ]


def workers() -> list[int]:
    """The process IDs of the actors of Ray Data that descend from this process."""
    found = []
    for path in Path("/proc").iterdir():
        if path.name.isdigit() and _command(path).startswith("ray::") and "MapWorker" in _command(path):
            found += [int(path.name)] if os.getpid() in _ancestors(int(path.name)) else []
    return found


def _command(path: Path) -> str:
    try:
        return (path / "cmdline").read_text(errors="replace")
    except OSError:  # it has ended
        return ""


def _ancestors(pid: int) -> Iterator[int]:
    while pid > 1:
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return
        yield pid


def test_a_worker_that_is_killed_costs_no_page(names: list[str]) -> None:
    found: list[tuple[str, str | None]] = []
    killed: list[int] = []
    for batch in clean(archives(names), 2, batch_size=5).iter_batches(batch_size=5, prefetch_batches=0):
        found += list(zip(batch["url"], batch["error"], strict=True))
        if not killed:
            killed = workers()
            assert killed
            os.kill(killed[0], signal.SIGKILL)
    urls = [f"{url}#{part}" for part in range(6) for url, _ in gate_pages(20)]
    assert sorted(found) == sorted((url, None) for url in urls)


def test_parquet_in_and_out_as_of_batch(names: list[str], tmp_path: Path) -> None:
    pages = [{"id": str(number), "url": url, "html": html} for number, (url, html) in enumerate(gate_pages(8))]
    ray.data.from_items(pages).write_parquet(str(tmp_path / "in"))
    clean(ray.data.read_parquet(str(tmp_path / "in")), (1, 2), options={"kinds": False}).write_parquet(
        str(tmp_path / "out")
    )
    rows = sorted(pq.read_table(tmp_path / "out").to_pylist(), key=lambda row: row["id"])
    files = [str(path) for path in sorted((tmp_path / "in").iterdir())]
    assert main(["batch", *files, str(tmp_path / "batch.parquet"), "--no-kinds"]) == 0
    wanted = sorted(pq.read_table(tmp_path / "batch.parquet").to_pylist(), key=lambda row: row["id"])
    assert rows == [{name: value for name, value in row.items() if name in rows[0]} for row in wanted]
    assert rows[0]["main_text"] == Extractor.load().read(pages[0]["html"], pages[0]["url"]).main_text
