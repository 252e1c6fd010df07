"""Threads that process pages are replaced, and libxml2's memory for each of them is freed."""

from __future__ import annotations

import sys
import threading

import pytest
from crawling import run_python

from scrapy_semtext.utils.process_tuning import MOST, RenewedThreads

# Prints how many MB are left of 99 pages with 4,000 attributes each that no other page has; the argument is MOST.
_PAGES = """
import os, sys
from pathlib import Path
from lxml import etree
from scrapy_semtext.utils import process_tuning

def parse(number):
    names = range(4_000 * number, 4_000 * (number + 1))
    etree.fromstring("".join(f"<p data-{name:080d}='a'>x</p>" for name in names), etree.HTMLParser())

def memory():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

process_tuning.MOST = int(sys.argv[1])
threads = process_tuning.RenewedThreads()
for number in range(120):
    threads.submit(400_000, parse, number).result()
    if number == 20:
        before = memory()
print(memory() - before)
"""


@pytest.fixture
def threads() -> RenewedThreads:
    return RenewedThreads()


def ident(threads: RenewedThreads, size: int) -> int:
    return threads.submit(size, threading.get_native_id).result()


def test_a_thread_is_replaced_after_large_pages(threads: RenewedThreads) -> None:
    first, second = ident(threads, MOST), ident(threads, 1)
    third = threads.submit(0, threading.current_thread).result()
    assert first == second != third.native_id
    threads.close()
    assert not third.is_alive()


def test_what_was_begun_is_finished_beside_a_new_thread(threads: RenewedThreads) -> None:
    met = threading.Barrier(2, timeout=10)
    first, second = (threads.submit(MOST + 1, met.wait) for _ in range(2))
    assert {first.result(), second.result()} == {0, 1}
    threads.close()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_names_of_pages_are_freed_with_their_thread() -> None:
    kept, renewed = (float(run_python(_PAGES, str(most))) for most in (10**12, 1_000_000))
    assert kept > 25
    assert renewed < 5
