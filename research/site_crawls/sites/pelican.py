"""Pelican with the theme that it brings: an index over pages, archives, categories, tags, authors and feeds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from research.site_crawls.sites import articles
from research.site_crawls.sites.job import SiteJob, run, serve_folder

_SETTINGS = """
SITENAME, SITEURL, AUTHOR, TIMEZONE = "Reading room", "http://{host}", "Vera", "UTC"
DEFAULT_PAGINATION, DEFAULT_LANG, THEME = 10, "en", "{theme}"
FEED_ALL_ATOM, FEED_ALL_RSS = "feeds/all.atom.xml", "feeds/all.rss.xml"
CATEGORY_FEED_ATOM = "feeds/{{slug}}.atom.xml"
YEAR_ARCHIVE_SAVE_AS, MONTH_ARCHIVE_SAVE_AS = "{{date:%Y}}/index.html", "{{date:%Y}}/{{date:%m}}/index.html"
LINKS = (("Elsewhere", "https://elsewhere.example/"),)
TYPOGRIFY = False
"""


def fill(job: SiteJob) -> None:
    """Write the sources and build the site."""
    (job.folder / "content").mkdir()
    (job.folder / "pelicanconf.py").write_text(_SETTINGS.format(host=job.host, theme="notmyidea"))
    known, found = [], job.content()
    for number, (article, slug) in enumerate(zip(found, articles.slugs_of(found), strict=True)):
        head = {
            "Title": articles.escaped(article["title"]),
            "Date": articles.day_of(number),
            "Category": articles.category_of(number),
            "Tags": ", ".join(articles.tags_of(number)),
            "Slug": slug,
            "Author": "Vera",
        }
        lines = "".join(f"{name}: {value}\n" for name, value in head.items())
        (job.folder / "content" / f"{slug}.md").write_text(f"{lines}\n{articles.markdown(article)}", encoding="utf-8")
        known.append(articles.article_item(article, f"/{slug}.html"))
    program = Path(sys.executable).with_name("pelican")
    subprocess.run([program, "-s", "pelicanconf.py", "-o", "output", "content"], check=True)  # noqa: S603
    job.write_known(known)


def serve(job: SiteJob) -> None:
    """Serve the built site."""
    serve_folder(job, "output")


if __name__ == "__main__":
    run(fill, serve)
