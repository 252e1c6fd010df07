"""Nothing is fetched: not on import, not when models are loaded, and not when pages are processed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from generated_sites import blog, serving

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

#: Is imported when Python starts, in worker processes too: writes down each attempt to reach more than this machine.
WATCH = """
import os, sys
LOCAL = ("127.0.0.1", "localhost", "::1", "0.0.0.0", None, "", b"127.0.0.1")
NAMES = ("socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo", "socket.gethostbyname")
def watch(event, args):
    if event in NAMES:
        place = args[1] if event in NAMES[:3] else args[0]
        host = place[0] if isinstance(place, tuple) else place
        if host not in LOCAL and not (event in NAMES[:3] and isinstance(place, (str, bytes))):
            with open(os.environ["ATTEMPTS"], "a") as file:
                file.write(f"{event} {place!r} {sys.argv}\\n")
            raise OSError("the network is closed")
sys.addaudithook(watch)
"""
READ = """
import sys, warnings
import scrapy_semtext
from scrapy_semtext.extractor import Extractor, Options, Source
from scrapy_semtext.labelers.bundle import LABELERS
html = open(sys.argv[1], encoding="utf-8").read()
everything = dict(metadata=True, markdown=True, records=True, chunks=True, join_comments=True, drop_quotes=True)
extractor = Extractor.load(device="cpu")
url = "http://www.example.co.uk/a"
for labeler in LABELERS:
    page = extractor.read(html, url, Options(labeler=labeler, **everything))
    assert page.main_text, labeler
from scrapy_semtext.utils.address import site_of
assert site_of(url, "domain") == "example.co.uk"
from scrapy_semtext.crawl.scope import CrawlScope
assert CrawlScope([url], by_domain=True).holds("http://other.example.co.uk/")
"""
HTML = """<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://evil.test/xhtml.dtd" [
<!ENTITY x SYSTEM "http://evil.test/entity"> <!ENTITY y SYSTEM "file:///etc/passwd">]>
<html xmlns:xi="http://www.w3.org/2001/XInclude" manifest="http://evil.test/m"><head><title>Bread</title>
<base href="http://evil.test/"><link rel=stylesheet href="http://evil.test/s.css"><script src="//evil.test/s"></script>
<script type="application/ld+json">{"@context": "http://evil.test/context.jsonld", "@type": "Article",
"@id": "http://evil.test/id", "author": {"@id": "http://evil.test/a"}, "datePublished": "2024-01-02"}</script></head>
<body vocab="http://evil.test/vocab" prefix="e: http://evil.test/e"><xi:include href="http://evil.test/i"/>
<img src="http://evil.test/i.png"><iframe src="http://evil.test/f"></iframe>
<p>&x; &y; Mix the flour with the water, add salt and yeast, and let the dough rise for an hour in a warm place.</p>
<p>Bake it at 220 degrees for forty minutes, until the crust is brown and sounds hollow when you knock on it.</p>"""


@pytest.fixture
def attempts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file with attempts to use the network, in all processes that are started."""
    (tmp_path / "watch").mkdir()
    (tmp_path / "watch" / "sitecustomize.py").write_text(WATCH)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "watch"), *filter(None, sys.path)]))
    monkeypatch.setenv("ATTEMPTS", str(tmp_path / "attempts"))
    monkeypatch.setenv("HOME", str(tmp_path))  # no cache of an earlier run
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "attempts"


def run(*arguments: str) -> None:
    done = subprocess.run([sys.executable, *arguments], check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def tried(attempts: Path) -> str:
    return attempts.read_text() if attempts.exists() else ""


def test_an_attempt_would_be_seen(attempts: Path) -> None:
    code = "import urllib.request as u\ntry: u.urlopen('http://example.com/')\nexcept OSError as error: print(error)"
    run("-c", code)
    assert "example.com" in tried(attempts)


def test_importing_loading_and_reading_with_all_options(attempts: Path, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(HTML)
    run("-c", READ, "page.html")
    assert tried(attempts) == ""


def test_the_commands_batch_and_view(attempts: Path, tmp_path: Path) -> None:
    rows = [{"id": n, "url": "http://www.example.co.uk/", "html": HTML} for n in range(20)]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, rows)))
    options = ("--metadata", "--markdown", "--records", "--chunks", "--comments", "--segments", "--blocks")
    run("-m", "scrapy_semtext", "batch", "in.jsonl", "out.jsonl", "--workers", "2", "--strict", *options)
    assert "passwd" not in (text := (tmp_path / "out.jsonl").read_text())
    assert "root:" not in text
    run("-m", "scrapy_semtext", "view", "in.jsonl", "-o", "views/")
    assert tried(attempts) == ""


@pytest.mark.crawl
def test_a_crawl_asks_its_site_alone(attempts: Path) -> None:
    with serving(blog()) as site:
        run("-m", "scrapy_semtext", "crawl", site.url, "-o", "blog.jsonl", "--metadata", "--scope", "domain")
        assert site.count() > 5
    assert tried(attempts) == ""
