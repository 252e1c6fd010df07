"""MediaWiki: articles in categories that refer to each other, talk pages, histories and special pages.

Debian's package mediawiki, with its database in one file.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape

from research.engines.saving import date_of
from research.site_crawls.known import KnownItem
from research.site_crawls.sites import articles
from research.site_crawls.sites.job import SiteJob, run

_INSTALLED = Path("/usr/share/mediawiki")
_SEE = 3  # articles that an article refers to
_SETTINGS = """
$wgArticlePath = '/index.php/$1';
$wgEnableUploads = false;
$wgJobRunRate = 0;
$wgMainCacheType = CACHE_NONE;
$wgMessageCacheType = CACHE_NONE;
$wgCacheDirectory = '{folder}/cache';
"""


def fill(job: SiteJob) -> None:
    """Install the wiki and import its pages."""
    found = job.content()
    titles = [_title(article["title"]) for article in found]
    pages = [*_pages(found, titles)]
    dump = "".join(_page(number, *page) for number, page in enumerate(pages))
    (job.folder / "pages.xml").write_text(f"<mediawiki>{dump}</mediawiki>", encoding="utf-8")
    (job.folder / "cache").mkdir()
    options = ["--dbtype=sqlite", f"--dbpath={job.folder / 'data'}", f"--server=http://{job.host}", "--scriptpath="]
    options += [f"--confpath={job.folder}", "--pass=known-by-all-1", "--skins=Vector"]
    _maintain(job, "install", *options, "Commons of texts", "Root")
    with (job.folder / "LocalSettings.php").open("a") as settings:
        settings.write(_SETTINGS.format(folder=job.folder))
    _maintain(job, "importDump", str(job.folder / "pages.xml"))
    _maintain(job, "rebuildrecentchanges")
    _maintain(job, "refreshLinks")
    _maintain(job, "initSiteStats", "--update")
    job.write_known(_item(article, title, see) for article, title, see in _articles(found, titles))


def _title(text: str) -> str:
    """A title that MediaWiki keeps as it is."""
    text = " ".join("".join(" " if each in "/:?&%+\"'" else each for each in text).split())[:80].strip()
    return text[0].upper() + text[1:]


def _articles(found: list[dict[str, Any]], titles: list[str]) -> list[tuple[dict[str, Any], str, list[str]]]:
    return [
        (article, titles[number], [titles[(number * 7 + 13 * each) % len(titles)] for each in range(1, 1 + _SEE)])
        for number, article in enumerate(found)
    ]


def _pages(found: list[dict[str, Any]], titles: list[str]) -> list[tuple[str, str]]:
    pages = []
    for number, (article, title, see) in enumerate(_articles(found, titles)):
        lines = [f"<nowiki>{escape(line)}</nowiki>" for line in article["paragraphs"]]
        lines.append("See also " + ", ".join(f"[[{other}]]" for other in see) + ".")
        lines += [f"[[Category:{tag.capitalize()}]]" for tag in articles.tags_of(number)]
        pages.append((title, "\n\n".join(lines)))
        talk = "\n\n".join(f"<nowiki>{escape(comment['text'])}</nowiki>" for comment in article["comments"])
        if talk:
            pages.append((f"Talk:{title}", f"== Remarks ==\n\n{talk}"))
    pages += [(f"Category:{tag.capitalize()}", f"All that is about {tag}.") for tag in articles.TAGS]
    links = "\n".join(f"* [[:Category:{tag.capitalize()}]]" for tag in articles.TAGS)
    start = ("Portal", f"The texts are sorted by subject.\n\n{links}")
    return [*pages, start, ("MediaWiki:Mainpage", start[0])]


def _page(number: int, title: str, text: str) -> str:
    revision = f"<timestamp>{date_of(number, 0):%Y-%m-%dT%H:%M:%SZ}</timestamp><contributor><username>Vera</username>"
    revision += f'</contributor><text xml:space="preserve">{escape(text)}</text>'
    return f"<page><title>{escape(title)}</title><revision>{revision}</revision></page>"


def _item(article: dict[str, Any], title: str, see: list[str]) -> KnownItem:
    text = "\n".join([title, *article["paragraphs"], f"See also {', '.join(see)}."])
    path = "/index.php/" + quote(title.replace(" ", "_"), safe=";@$!*(),~:-_.")
    return KnownItem("article", [path], title, text)


def _maintain(job: SiteJob, script: str, *options: str) -> None:
    subprocess.run(  # noqa: S603
        ["php", _INSTALLED / "maintenance" / f"{script}.php", *options],  # noqa: S607
        check=True,
        stdout=subprocess.DEVNULL,
        env=_environment(job),
    )


def _environment(job: SiteJob) -> dict[str, str]:
    """The installation of the package is shared; its settings are the site's, once it has some."""
    return {**os.environ, "MW_CONFIG_FILE": str(job.folder / "LocalSettings.php")}


def serve(job: SiteJob) -> None:
    """Run PHP's own server."""
    command = ["php", "-S", f"127.0.0.1:{job.port}", "-t", str(_INSTALLED)]
    environment = {**_environment(job), "PHP_CLI_SERVER_WORKERS": "2"}
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, env=environment)  # noqa: S603


if __name__ == "__main__":
    run(fill, serve)
