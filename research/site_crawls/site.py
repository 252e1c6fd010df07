"""A site on this machine: its environment, its folder, its two servers."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.request import urlopen
from venv import EnvBuilder

from research.site_crawls import known, texts
from research.site_crawls.software import SOFTWARE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from research.site_crawls.known import KnownItem
    from research.site_crawls.software import Software

_ROOT = Path(__file__).parents[2]
_FIRST_PORT = 18_800
_BEHIND = 100  # from a public port to that of the engine
_PATIENCE = 120  # seconds until a server answers


@dataclass(frozen=True)
class Site:
    """An engine with ``count`` threads or articles, below a folder for all engines."""

    software: Software
    work: Path
    count: int = 220

    @property
    def folder(self) -> Path:
        """Where sources, database and known content are."""
        return self.work / "sites" / self.software.name

    @property
    def port(self) -> int:
        """The port that readers use: each engine has one of its own, as some write it into their pages."""
        return _FIRST_PORT + [*SOFTWARE].index(self.software.name)

    @property
    def start(self) -> str:
        """The address at which crawls begin."""
        return f"http://127.0.0.1:{self.port}{self.software.start}"

    @cached_property
    def known(self) -> list[KnownItem]:
        """What the site holds."""
        return known.read(self.folder / "known.jsonl")

    def prepare(self, data: dict[str, Any]) -> None:
        """Install the engine and fill the site, unless that was done before."""
        if (self.folder / "known.jsonl").exists():
            return
        self._require_programs()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        draw = texts.threads if self.software.content == "threads" else texts.articles
        content = draw(data, self.count, seed=self.port)
        (self.folder / "content.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
        with (self.folder / "fill.log").open("w") as log:
            command = self._command("fill")
            code = subprocess.run(command, check=False, env=_environment(), stdout=log, stderr=log).returncode  # noqa: S603
        if code:
            raise RuntimeError(f"{self.software.name} was not filled: see {self.folder / 'fill.log'}")

    @contextmanager
    def serving(self, log: Path) -> Iterator[None]:
        """Run the engine, and before it the server that writes ``log``."""
        for port in (self.port, self.port + _BEHIND):
            _require_free(port)
        proxy = [sys.executable, "-m", "research.site_crawls.proxy", str(self.port), str(self.port + _BEHIND), str(log)]
        with (self.folder / "serve.log").open("w") as output:
            processes = [
                subprocess.Popen(command, env=_environment(), stdout=output, stderr=output, start_new_session=True)  # noqa: S603
                for command in (self._command("serve"), proxy)
            ]
            try:
                _wait(self.start, processes)
                log.unlink(missing_ok=True)
                yield
            finally:
                for process in processes:
                    _end(process)

    def _command(self, action: str) -> list[str]:
        module = f"research.site_crawls.sites.{self.software.name}"
        ports = [str(self.port + _BEHIND), str(self.port)]
        return [str(self._python()), "-m", module, action, str(self.folder), *ports]

    def _python(self) -> Path:
        """The Python of the engine's environment, which is made on first use."""
        home = self.work / "venvs" / self.software.name
        if not self.software.requirements:
            return Path(sys.executable)
        if not (home / "bin" / "python").exists():
            EnvBuilder(with_pip=True).create(home)
            install: list[str | Path] = [home / "bin" / "pip", "install", "-q", *self.software.requirements]
            try:
                subprocess.run(install, check=True)  # noqa: S603
            except subprocess.CalledProcessError:
                shutil.rmtree(home)
                raise
        return home / "bin" / "python"

    def _require_programs(self) -> None:
        missing = [package for package, path in self.software.programs if not Path(path).exists()]
        if missing:
            packages = " ".join(missing)
            raise RuntimeError(f"install these packages first: apt-get install --no-install-recommends {packages}")


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(_ROOT)}


def _require_free(port: int) -> None:
    with socket.socket() as probe:
        if not probe.connect_ex(("127.0.0.1", port)):
            raise RuntimeError(f"port {port} is taken: is another run of the engine going on?")


def _wait(url: str, processes: list[subprocess.Popen[bytes]]) -> None:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and all(process.poll() is None for process in processes):
        try:
            with urlopen(url, timeout=_PATIENCE):  # noqa: S310 - of this machine
                return
        except HTTPError as error:
            if error.code != HTTPStatus.BAD_GATEWAY:
                raise RuntimeError(f"{url} answers {error.code}") from error
        except (URLError, ConnectionError):
            pass
        time.sleep(0.5)
    raise RuntimeError(f"{url} does not answer")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a server with the processes that it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
    process.wait()
