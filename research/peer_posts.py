"""Posts and comments found by other packages: ``python -m research.peer_posts PAGES.jsonl.xz ...``.

PAGES are pages of threads or of articles with comments whose posts are known, such as those of `research.engines`. The
packages that are installed are compared with this one: ``pip install harvest-webforum trafilatura news-please``.

Posts are found if their word F1 with a true one is at least 0.8; those of threads are the opening post and the answers,
those of articles the comments. Packages that do not separate posts are measured only by the words of their output.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections import defaultdict
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import fmean

from tqdm import tqdm

from scrapy_semtext import Extractor, Options
from scrapy_semtext.train.datasets import read_measured
from scrapy_semtext.train.posts import PairPage, pair_page, posts_f1, word_f1, words_of

#: Reads the posts of a page; one text if the package does not tell them apart.
Read = Callable[[PairPage], "list[str] | str"]


def _semtext() -> Read:
    extractor = Extractor.load(options=Options(markup=False))

    def read(page: PairPage) -> list[str]:
        result = extractor.read(page.html, url=page.url)
        pairs, comments = result.qa_pairs, result.comments or []
        posts = [*dict.fromkeys(pair.question_body for pair in pairs if pair.question_body)]
        return posts + ([pair.answer for pair in pairs] or [comment.text for comment in comments])

    return read


def _harvest() -> Read:
    extract = import_module("harvest").extract_data
    return lambda page: [post["post_text"] for post in extract(page.html, page.url)["posts"]]


def _trafilatura() -> Read:
    extract = import_module("trafilatura").bare_extraction

    def read(page: PairPage) -> str:
        document = extract(page.html, url=page.url, include_comments=True)
        comments = (document and document.comments) or ""
        text = (document and document.text) or ""
        return comments if page.role == "comments" else f"{text}\n{comments}"

    return read


def _news_please() -> Read:
    please = import_module("newsplease").NewsPlease
    return lambda page: "" if page.role == "comments" else please.from_html(page.html, url=page.url).maintext or ""


PACKAGES: dict[str, Callable[[], Read]] = {
    "scrapy-semtext": _semtext,
    "harvest-webforum": _harvest,
    "trafilatura": _trafilatura,
    "news-please": _news_please,
}


def main() -> int:
    """Read the pages with each package, and print a table for each engine."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("pages", type=Path, nargs="+")
    parser.add_argument("--packages", nargs="+", default=[*PACKAGES], choices=[*PACKAGES])
    arguments = parser.parse_args()
    pages = [page for page in map(pair_page, read_measured(arguments.pages)) if page.role in ("posts", "comments")]
    sys.stdout.write("| package | pages | posts found, F1 | words, F1 | failed |\n|---|---|--:|--:|--:|\n")
    for name in arguments.packages:
        try:
            read, number = PACKAGES[name](), version(name)
        except (ImportError, PackageNotFoundError) as error:
            sys.stderr.write(f"{name} is left out: {error}\n")
            continue
        scores: dict[str, list[tuple[float | None, float, bool]]] = defaultdict(list)
        for page in tqdm(pages, desc=name):
            scores[f"{page.engine}, {page.kind}"].append(_scores(page, read))
        for group, rows in sorted(scores.items()):
            posts = [found for found, _, _ in rows if found is not None]
            found = f"{100 * fmean(posts):.1f}" if posts else ""
            words, failed = 100 * fmean(score for _, score, _ in rows), sum(each for *_, each in rows)
            sys.stdout.write(f"| {name} {number} | {group} ({len(rows)}) | {found} | {words:.1f} | {failed} |\n")
    return 0


def _scores(page: PairPage, read: Read) -> tuple[float | None, float, bool]:
    """F1 of the posts, of their words, and whether the package failed, which counts as nothing found."""
    try:
        found, failed = read(page), False
    except Exception:  # noqa: BLE001 - of any package
        found, failed = [], True
    posts = None if isinstance(found, str) else posts_f1(found, page.posts)
    text = found if isinstance(found, str) else "\n".join(found)
    return posts, word_f1(words_of(text), words_of("\n".join(page.posts))), failed


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)  # what packages say of pages
    sys.exit(main())
