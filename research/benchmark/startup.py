"""CPU time until a crawl can read its first page, measured in a fresh interpreter."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_SCRIPT = """
import importlib, json, sys, time
import scrapy
clock = time.process_time
scrapy_done = clock()
importlib.import_module("scrapy_semtext")
imported = clock()
from scrapy_semtext.extractor import Extractor
extractor = Extractor.load(json.loads(sys.argv[1]), "cpu")
loaded = clock()
page = "<html><body><h1>Bread</h1><p>Take flour, water and salt, and wait for a long time.</p></body></html>"
extractor.read(page)
first = clock()
extractor.read(page)
second = clock()
times = [scrapy_done, imported - scrapy_done, loaded - imported, first - loaded, second - first]
from research.benchmark.memory import peak_memory
print(json.dumps([1000 * seconds for seconds in times] + [peak_memory()]))
"""


@dataclass(frozen=True, slots=True)
class Startup:
    """Milliseconds of CPU: to import Scrapy, then scrapy_semtext, to load the bundle, to read a small page, and again.

    ``memory`` is the peak memory of the process in bytes, None where it is unknown.
    """

    scrapy_ms: float
    import_ms: float
    load_ms: float
    first_page_ms: float
    second_page_ms: float
    memory: int | None


def startup(bundle: Path | None) -> Startup:
    """Start an interpreter, load the bundle (the shipped one for None) and read a page.

    Raises RuntimeError with the output of the interpreter if it fails.
    """
    where = json.dumps(None if bundle is None else str(bundle))
    done = subprocess.run([sys.executable, "-c", _SCRIPT, where], capture_output=True, text=True, check=False)  # noqa: S603 - our own script
    if done.returncode:
        raise RuntimeError(f"A fresh interpreter could not read a page:\n{done.stderr}")
    return Startup(*json.loads(done.stdout.splitlines()[-1]))
