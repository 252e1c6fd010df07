"""Crawl the bundled site and say what came of it: ``python example_project/run.py``.

``python example_project/run.py qa`` harvests its question-answer pairs instead. With ``--view DIR``, each page is also
written with its blocks colored, to look at.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Run the crawl; return 1 if a page of the site did not become an item with text, or no pair was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spider", nargs="?", choices=["pages", "qa"], default="pages", help="what to run (pages)")
    parser.add_argument("--output", type=Path, help="folder for items and log (example_project/output)")
    parser.add_argument("--view", type=Path, metavar="DIR", help="folder for colored pages, a new or an empty one")
    given = parser.parse_args()
    if given.output is not None:
        os.environ["EXAMPLE_OUTPUT"] = str(given.output)
    os.environ["SCRAPY_SETTINGS_MODULE"] = "example.settings"
    sys.path.insert(0, str(HERE))

    from example.harvest import harvest_summary
    from example.settings import OUTPUT

    OUTPUT.mkdir(parents=True, exist_ok=True)
    say(f"Crawling the bundled site, log in {OUTPUT / 'crawl.log'} ...")
    if given.spider == "qa":
        stats = crawl(OUTPUT, "qa", given.view, threads=10)
        say(*harvest_summary(OUTPUT / "qa.jsonl", stats), *view_summary(given.view))
        return 0 if stats.get("semtext/pairs/kept") else 1
    stats = crawl(OUTPUT, "pages", given.view)
    say(*summary(OUTPUT, stats), *view_summary(given.view))
    return 1 if pages_without_text(OUTPUT) else 0


def crawl(output: Path, spider: str, view: Path | None = None, **arguments: Any) -> dict[str, Any]:
    """Run a spider as ``scrapy crawl`` would; return the crawl's stats, which are left in the folder too.

    With ``view``, colored pages are written to that folder.
    """
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.utils.project import get_project_settings

    settings = get_project_settings()
    settings.setdict({"LOG_FILE": str(output / "crawl.log"), "LOG_FILE_APPEND": False}, priority="cmdline")
    if view is not None:
        settings.set("SEMTEXT_VIEW_DIR", str(view), priority="cmdline")
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(spider)
    crawling = process.crawl(crawler, **arguments)
    process.start()
    crawling.result()  # raises what kept the crawl from starting, such as a broken bundle
    stats = crawler.stats.get_stats()
    (output / "stats.json").write_text(json.dumps(stats, indent=1, default=str) + "\n", encoding="utf-8")
    return stats


def read_items(output: Path) -> list[dict[str, Any]]:
    """Return the crawl's items."""
    with (output / "items.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def pages_without_text(output: Path) -> list[str]:
    """Return the names of the bundled pages that gave no item, or one without text."""
    from example.bundled import bundled_pages, page_at

    with_text = {page_at(item["url"]) for item in read_items(output) if item.get("main_text")}
    return [page.name for page in bundled_pages().values() if page not in with_text]


def scores_by_kind(items: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Return the word F1 of each item's main text against the bundled truth, by kind of page."""
    from example.bundled import bundled_pages, page_at, true_texts

    from scrapy_semtext.train.corpus import word_prf

    truth = true_texts()
    scores: dict[str, list[float]] = {page.kind: [] for page in bundled_pages().values()}
    for item in items:
        page = page_at(item["url"])
        if page is not None:
            scores[page.kind].append(word_prf(item.get("main_text") or "", truth[page.path]).f1)
    return {kind: values for kind, values in scores.items() if values}


def summary(output: Path, stats: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that say what came of the crawl."""
    items = read_items(output)
    scores = scores_by_kind(items)
    yield f"{'kind of page':<16}{'items':>6}{'word F1':>9}"
    for kind, values in scores.items():
        yield f"{kind:<16}{len(values):>6}{sum(values) / len(values):>9.3f}"
    every = [value for values in scores.values() for value in values]
    yield f"{'all':<16}{len(every):>6}{sum(every) / max(1, len(every)):>9.3f}"
    yield f"other responses {len(items) - len(every):>6}"
    yield ""
    for name, key in (
        ("pages read", "semtext/pages"),
        ("responses left alone", "semtext/pages/skipped"),
        ("errors", "semtext/errors"),
    ):
        yield f"{name + ':':<26}{stats.get(key, 0)}"
    seconds = stats.get("semtext/seconds", 0.0)
    yield f"{'reading took:':<26}{seconds:.2f} s in {stats.get('semtext/batches', 0)} batches, in a thread"
    yield ""
    yield f"items:          {output / 'items.jsonl'}"


def view_summary(view: Path | None) -> Iterator[str]:
    """Yield what can be done with the colored pages, if there are any."""
    if view is not None:
        yield f"colored pages: {view.absolute() / 'index.html'}"
        yield f"correct them:   semtext label {view} -o labels.jsonl"


def say(*lines: str) -> None:
    """Print lines at once."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
