"""What the modules of all engines share. Standard library alone: they run in the environment of their engine.

``python -m research.site_crawls.sites.ENGINE fill|serve FOLDER PORT PUBLIC_PORT``: ``fill`` makes the site in an empty
folder from ``content.json`` and writes ``known.jsonl`` there; ``serve`` serves it on PORT until it is ended. A reader
comes by PUBLIC_PORT, which is what absolute links of the site have to name.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from research.site_crawls import known

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True)
class SiteJob:
    """A site to fill or to serve."""

    folder: Path
    port: int
    public_port: int

    @property
    def host(self) -> str:
        """The site's host and port as readers see them."""
        return f"127.0.0.1:{self.public_port}"

    def content(self) -> Any:
        """The threads or articles that the site is to hold."""
        return json.loads((self.folder / "content.json").read_text(encoding="utf-8"))

    def write_known(self, items: Iterable[known.KnownItem]) -> None:
        """Write what the site holds."""
        known.write(self.folder / "known.jsonl", items)


def run(fill: Callable[[SiteJob], None], serve: Callable[[SiteJob], None]) -> None:
    """Do what the command line says, in the site's folder."""
    action, folder, port, public_port = sys.argv[1:5]
    os.chdir(folder)
    {"fill": fill, "serve": serve}[action](SiteJob(Path(folder), int(port), int(public_port)))


def serve_wsgi(job: SiteJob) -> None:
    """Serve the Django project that is configured."""
    from django.core.wsgi import get_wsgi_application  # type: ignore[import-not-found,unused-ignore]
    from waitress import serve  # type: ignore[import-untyped,import-not-found,unused-ignore]

    serve(get_wsgi_application(), host="127.0.0.1", port=job.port, threads=4)


def serve_folder(job: SiteJob, name: str) -> None:
    """Serve the files below a folder of the site."""
    folder = str(job.folder / name)
    os.execv(sys.executable, [sys.executable, "-m", "http.server", str(job.port), "-b", "127.0.0.1", "-d", folder])  # noqa: S606


def pages_of(path: str, posts: int, size: int, url: str = "{}?page={}") -> list[str]:
    """The paths of a thread's pages; ``url`` is that of a later page."""
    return [path, *(url.format(path, page) for page in range(2, 1 + -(-posts // size)))]
