"""MkDocs with the theme Material: chapters in a navigation of folders, previous and next page, sitemap."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from research.site_crawls.known import KnownItem
from research.site_crawls.sites import articles
from research.site_crawls.sites.job import SiteJob, run, serve_folder

_CHAPTER = 12  # pages


def fill(job: SiteJob) -> None:
    """Write the sources in chapters and build the site."""
    docs, known, found = job.folder / "docs", [], job.content()
    docs.mkdir()
    (docs / "index.md").write_text("# Handbook\n\nThe chapters are on the left.\n")
    for number, (article, slug) in enumerate(zip(found, articles.slugs_of(found), strict=True)):
        chapter = docs / f"chapter-{1 + number // _CHAPTER}"
        chapter.mkdir(exist_ok=True)
        (chapter / f"{slug}.md").write_text(articles.documentation(article), encoding="utf-8")
        text = "\n".join([article["title"], *article["paragraphs"]])
        known.append(KnownItem("doc", [f"/{chapter.name}/{slug}/"], article["title"], text))
    theme = {"name": "material", "font": False, "features": ["navigation.footer", "navigation.tabs", "toc.follow"]}
    settings = {"site_name": "Handbook", "site_url": f"http://{job.host}/", "theme": theme, "docs_dir": "docs"}
    (job.folder / "mkdocs.yml").write_text(json.dumps(settings))  # JSON is YAML
    program = Path(sys.executable).with_name("mkdocs")
    subprocess.run([program, "build", "-q"], check=True)  # noqa: S603
    job.write_known(known)


def serve(job: SiteJob) -> None:
    """Serve the built site."""
    serve_folder(job, "site")


if __name__ == "__main__":
    run(fill, serve)
