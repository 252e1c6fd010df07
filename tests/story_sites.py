"""A site with three stories, to which tests add what is hostile, and a crawl of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crawling import Answer, crawler_for
from event_loop import run_async
from scrapy import signals

from scrapy_semtext.spiders import SiteSpider

if TYPE_CHECKING:
    from scrapy import Request

START = "http://site.test/"
XML, TEXT = {"Content-Type": "application/xml"}, {"Content-Type": "text/plain"}


class FastSpider(SiteSpider):
    custom_settings = {**SiteSpider.custom_settings, "AUTOTHROTTLE_ENABLED": False}  # noqa: RUF012


def page(title: str, head: str = "", links: str = "") -> Answer:
    words = " ".join(f"{title} is told in word {number} of a long story." for number in range(9))
    text = f"<html><head><title>{title}</title>{head}</head><body><h1>{title}</h1><p>{words}</p>{links}</body></html>"
    return Answer(text.encode())


def moved(to: str, status: int = 302) -> Answer:
    return Answer(b"", status, {"Location": to})


def story_site(head: str = "", links: str = "") -> dict[str, Answer]:
    """Return a site with three stories; its first page also has ``head`` and ``links``."""
    names = ["bread", "garden", "music"]
    listed = "".join(f'<a href="/{name}.html">{name}</a>' for name in names)
    return {START: page("All stories", head, links + listed)} | {f"{START}{name}.html": page(name) for name in names}


def crawled(site: dict[str, Answer], settings: dict[str, Any] | None = None, **arguments: str) -> tuple[set[str], Any]:
    """Crawl a site from its first page; return the requested hosts, and the stats."""
    crawler = crawler_for(site, FastSpider, {"CLOSESPIDER_TIMEOUT": 60, **(settings or {})})
    hosts: set[str] = set()

    def keep(request: Request) -> None:
        hosts.add(request.url.split("/")[2].removeprefix("www.").rstrip("."))

    crawler.signals.connect(keep, signal=signals.request_reached_downloader)
    run_async(crawler.crawl_async(**{"urls": START, **arguments}))
    return hosts, crawler.stats.get_stats()


def robots(*sitemaps: str) -> dict[str, Answer]:
    return {f"{START}robots.txt": Answer("\n".join(f"Sitemap: {url}" for url in sitemaps).encode(), 200, TEXT)}
