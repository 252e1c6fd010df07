"""Nikola with its default theme: an index over pages, an archive, tags, categories, sources of posts, feeds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from research.site_crawls.sites import articles
from research.site_crawls.sites.job import SiteJob, run, serve_folder


def fill(job: SiteJob) -> None:
    """Write the sources and build the site."""
    program = Path(sys.executable).with_name("nikola")
    subprocess.run([program, "init", "-q", "site"], check=True)  # noqa: S603
    site = job.folder / "site"
    with (site / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write(f'\nSITE_URL = "http://{job.host}/"\nBLOG_TITLE = "Reading room"\nINDEX_DISPLAY_POST_COUNT = 10\n')
        conf.write('INDEX_TEASERS = True\nGENERATE_RSS = True\nPOSTS = (("posts/*.md", "posts", "post.tmpl"),)\n')
    known, found = [], job.content()
    (site / "posts").mkdir(exist_ok=True)
    for number, (article, slug) in enumerate(zip(found, articles.slugs_of(found), strict=True)):
        head = {
            "title": article["title"],
            "slug": slug,
            "date": f"{articles.day_of(number)} 08:15:00 UTC",
            "tags": ", ".join(articles.tags_of(number)),
            "category": articles.category_of(number),
        }
        lines = "".join(f".. {name}: {value}\n" for name, value in head.items())
        text = f"<!--\n{lines}-->\n\n{articles.markdown(article)}"
        (site / "posts" / f"{slug}.md").write_text(text, encoding="utf-8")
        known.append(articles.article_item(article, f"/posts/{slug}/"))
    subprocess.run([program, "build", "-v", "0"], check=True, cwd=site)  # noqa: S603
    job.write_known(known)


def serve(job: SiteJob) -> None:
    """Serve the built site."""
    serve_folder(job, "site/output")


if __name__ == "__main__":
    run(fill, serve)
