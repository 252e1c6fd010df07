"""Two crawler processes that share a queue in a Redis server."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from example.bundled import bundled_pages
from example.server import SiteServerThread
from harvesting import environment

pytest.importorskip("scrapy_redis", reason="scrapy-redis is not installed")

from redis import Redis

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.crawl, pytest.mark.slow]


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """A Redis server; without one, tests are skipped, or fail if SEMTEXT_REQUIRE_REDIS is set."""
    program = shutil.which("redis-server")
    if program is None:
        if os.environ.get("SEMTEXT_REQUIRE_REDIS"):
            pytest.fail("redis-server is not installed, and SEMTEXT_REQUIRE_REDIS is set")
        pytest.skip("redis-server is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    options = {"port": number, "bind": "127.0.0.1", "save": "", "dir": tmp_path}
    command = [program, *(str(word) for name, value in options.items() for word in (f"--{name}", value))]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            _wait_for(number)
            yield number
        finally:
            server.terminate()


def _wait_for(port: int) -> None:
    for _ in range(100):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail("the Redis server does not answer")


def crawler(port: int, folder: Path) -> subprocess.Popen[bytes]:
    folder.mkdir(exist_ok=True)
    script = Path(__file__).with_name("shared_crawl.py")
    return subprocess.Popen([sys.executable, str(script), str(port), str(folder)], env=environment())


def wait_for_clients(server: Redis, count: int) -> None:
    """Wait until both processes have connected, because otherwise the first one may process all pages."""
    until = time.monotonic() + 60
    while len({client["addr"] for client in server.client_list()}) < count and time.monotonic() < until:
        time.sleep(0.1)


def items(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "items.jsonl").read_text("utf-8").splitlines()]


def test_two_processes_fill_every_item_once(port: int, tmp_path: Path) -> None:
    site = SiteServerThread()
    folders = [tmp_path / "first", tmp_path / "second"]
    try:
        with Redis(port=port) as server:
            processes = [crawler(port, folder) for folder in folders]
            wait_for_clients(server, 1 + len(processes))
            server.lpush("pages:start_urls", json.dumps({"url": site.url}))
        assert [process.wait(120) for process in processes] == [0, 0]
    finally:
        site.close()
    shares = [items(folder) for folder in folders]
    assert all(len(share) > 5 for share in shares), "both have read"
    found = {item["url"]: item for share in shares for item in share}
    assert Counter(item["url"] for share in shares for item in share) == Counter(
        f"{site.url.rstrip('/')}{path}" for path in bundled_pages()
    )
    for item in found.values():
        assert item["main_text"], item["url"]
    _check_job(folders, shares)


def _check_job(folders: list[Path], shares: list[list[dict[str, Any]]]) -> None:
    """Each process has counted its own pages."""
    for folder, share in zip(folders, shares, strict=True):
        stats = json.loads((folder / "stats.json").read_text())
        assert stats["semtext/pages"] >= len(share)
