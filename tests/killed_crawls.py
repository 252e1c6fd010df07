"""Crawls that are killed, or asked to stop, at random moments and resumed until they end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from generated_sites import sentences, serving
from harvesting import environment

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from generated_sites import Answer

_LONGEST = 300  # seconds that a run may take


@dataclass(slots=True)
class Outcome:
    """What came of a crawl that was ended ``ends`` times: pages of which there is no item, or more than one.

    ``asked`` is how often pages were asked for, ``warnings`` what was logged.
    """

    ends: int
    pages: int
    lost: int
    doubled: int
    asked: int
    warnings: list[str]


def tree(count: int) -> dict[str, Answer]:
    """Return a site of articles, each of which links to two others."""
    return {_path(number): _page(number, count) for number in range(count)}


def _path(number: int) -> str:
    return f"/story/{number}/" if number else "/"


def _page(number: int, count: int) -> Answer:
    links = "".join(
        f'<li><a href="{_path(other)}">Story of number {other}</a></li>'
        for other in (2 * number + 1, 2 * number + 2)
        if other < count
    )
    text = "".join(f"<p>{' '.join(sentences(f'{_path(number)}{part}', 4))}</p>" for part in range(3))
    html = (
        f"<html><title>Story of number {number}</title><p>All stories of this site are read by many people.</p>"
        f"<article><h1>Story of number {number}</h1>{text}</article><ul>{links}</ul></html>"
    )
    return lambda _: html


def end_spider(mode: str, how: signal.Signals, ends: int, folder: Path, pages: int = 127) -> Outcome:
    """End a crawl with JOBDIR again and again; ``mode`` is one of killed_spider."""
    feed, job = folder / "feed.jsonl", folder / "job"
    with serving(tree(pages)) as site:
        command = [sys.executable, "-m", "killed_spider", site.url, str(job), str(feed), mode]
        warnings = _run_again_and_again(command, ends, how, site.count)
        asked = site.count()
    lines = [line for line in feed.read_bytes().split(b"\n") if line.endswith(b"}")]
    counts = Counter(_url_of(line) for line in lines)
    lost, doubled = pages - len(counts), counts.total() - len(counts)
    return Outcome(ends, pages, lost, doubled, asked, warnings)


def end_command(processes: int, ends: int, folder: Path, pages: int = 127) -> Outcome:
    """Kill ``semtext crawl --job`` again and again."""
    out, job = folder / "out.jsonl", folder / "job"
    with serving(tree(pages)) as site:
        command = [sys.executable, "-m", "scrapy_semtext", "crawl", site.url, "-o", str(out), "--job", str(job)]
        command += [
            "-s",
            "DOWNLOAD_DELAY=0.02",
            "-s",
            f"SEMTEXT_PROCESSES={processes}",
            "-s",
            "AUTOTHROTTLE_ENABLED=False",
        ]
        warnings = _run_again_and_again(command, ends, signal.SIGKILL, site.count)
        asked = site.count("/story/")
    counts = Counter(json.loads(line)["url"] for line in out.read_bytes().splitlines())
    return Outcome(ends, pages, pages - len(counts), counts.total() - len(counts), asked, warnings)


def _run_again_and_again(command: Sequence[str], ends: int, how: signal.Signals, asked: Callable[[], int]) -> list[str]:
    """Run a command; end it so many times once it has asked for more pages, then wait for it; return its log."""
    moments = Random(3)  # noqa: S311
    log: list[str] = []
    for end in range(ends + 1):
        process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=environment(),
        )
        if end < ends:
            _wait_for(process, asked() + moments.randint(3, 12), asked)
            time.sleep(moments.uniform(0, 0.1))
            if process.poll() is None:
                os.killpg(process.pid, how)
        _, printed = process.communicate(timeout=_LONGEST)
        log += [line for line in printed.splitlines() if "WARNING" in line or "ERROR" in line]
    return log


def _wait_for(process: subprocess.Popen[str], least: int, asked: Callable[[], int]) -> None:
    until = time.monotonic() + _LONGEST
    while process.poll() is None and asked() < least and time.monotonic() < until:
        time.sleep(0.01)


def _url_of(line: bytes) -> str:
    """The address of an item; a line that follows one which was cut off begins in its middle."""
    return str(json.loads(line[line.rindex(b'{"url"') :])["url"])
