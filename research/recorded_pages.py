"""Makes training pages from recorded sites: ``python -m research.recorded_pages OUT ARCHIVE... --licence TEXT``.

An archive NAME.tar.xz has two files of JSON lines: NAME/site.jsonl, what a server answered (``target``, ``status``,
``type``, ``body``), and NAME/truth.jsonl, whose first line describes the site and whose others state what its pages
show: a ``thread`` with its ``posts`` and the ``pages`` that show them, a ``page`` with an article and maybe its
``comments``, a ``static`` page or a ``list``. The lines written are of the form of qa_dev:

- threads, as in `research.engines`; on sites of kind "faq", which answer one question a page, FAQ pages of one pair;
- articles with their comments, of which there may be none;
- static pages, lists and some other pages of the site, without pairs. Other pages that seem to show a
  thread or comments are left out: they may be the same page by another address.

Of each kind, at most ``--most`` pages of a site are taken, half as many of those without posts. The engine is the
program, without its version. The licence is that of the texts (see `may_ship`).
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
import sys
import tarfile
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_semtext.read.title import title_of
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.elements import all_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SHORTEST = 12  # the fewest letters by which a post is recognized on a page
_ORIGIN = re.compile(r"https?://127\.0\.0\.1:\d+")
_Row = dict[str, Any]


class Recording(NamedTuple):
    """A recorded site: its description, the lines of its truth, and its HTML pages by target."""

    name: str
    about: _Row
    truth: list[_Row]
    pages: dict[str, str]

    @property
    def program(self) -> str:
        """The name of the program, without its version."""
        return re.sub(r"\W.*", "", self.about["software"].strip().lower())

    @property
    def host(self) -> str:
        """The host that the pages get."""
        return f"{self.name.replace('_', '-')}.{self.program}.example"


def read_recording(path: Path) -> Recording:
    """Read an archive."""
    name = path.name.partition(".")[0]
    with tarfile.open(path) as archive:
        rows = {part: list(_rows(archive, f"{name}/{part}.jsonl")) for part in ("truth", "site")}
    shown = (row for row in rows["site"] if row["status"] == 200 and "html" in (row["type"] or ""))
    return Recording(name, rows["truth"][0], rows["truth"][1:], {row["target"]: row["body"] for row in shown})


def _rows(archive: tarfile.TarFile, member: str) -> Iterator[_Row]:
    lines = archive.extractfile(member)
    yield from map(json.loads, lines or ())


def pages_of(site: Recording) -> Iterator[_Row]:
    """Yield the pages of a site with their truth in random order, those that it does not mention last; no HTML."""
    stated: set[str] = set()
    rng = Random(site.name)  # noqa: S311 - no secret
    for row in rng.sample(site.truth, len(site.truth)):
        shown = row.get("pages") or [row]
        stated.update(page["url"] for page in shown)
        if row["type"] == "thread":
            yield from (_of_thread(row, page, is_faq=site.about["kind"] == "faq") for page in shown)
        elif row["type"] == "page":
            yield _commented(row)
        else:
            yield {"url": row["url"], "kind": row["type"]}
    others = [target for target in site.pages if target not in stated]
    rng.shuffle(others)
    posts = [(row["title"], _letters(text)) for row in site.truth for text in _texts(row)]
    for target in others:
        if not _may_be_shown(site.pages[target], posts):
            yield {"url": target, "kind": "other"}


def _of_thread(row: _Row, page: _Row, *, is_faq: bool) -> _Row:
    posts = [_post(row["posts"][number]) for number in page["posts"]]
    if is_faq:
        pairs = [{"question": row["title"], "answer": post["text"]} for post in posts]
        return {"url": page["url"], "kind": "faq", "pairs": pairs, "main_text": f"{row['title']}\n{posts[0]['text']}"}
    is_first = 0 in page["posts"]
    opening = posts[page["posts"].index(0)] if is_first else {"text": "", "author": None, "date": None}
    question = {"title": row["title"], "body": opening["text"], "author": opening["author"], "date": opening["date"]}
    answers = [post for post in posts if post is not opening]
    text = "\n".join(post["text"] for post in posts)
    return {"url": page["url"], "kind": "thread", "question": question, "answers": answers, "first_page": is_first,
            "main_text": text}  # fmt: skip


def _post(post: _Row) -> _Row:
    """The post; of the forms of its text, which differ in what they say of quotations, that with the most."""
    date = datetime.fromtimestamp(post["time"], timezone.utc).isoformat() if post.get("time") else None
    return {"text": max(post["forms"], key=len), "author": post["author"], "date": date}


def _commented(row: _Row) -> _Row:
    question = {"title": row["title"], "body": row["text"], "author": row.get("author"), "date": row.get("date")}
    answers = [{name: comment.get(name) for name in ("text", "author", "date")} for comment in row.get("comments", ())]
    return {"url": row["url"], "kind": "comments", "question": question, "answers": answers, "main_text": row["text"]}


def _texts(row: _Row) -> Iterator[str]:
    """Yield the longest line of each post of a thread, and of each comment on an article."""
    texts = [max(post["forms"], key=len) for post in row.get("posts", ())]
    texts += [comment["text"] for comment in row.get("comments", ())]
    yield from (max(text.split("\n"), key=len) for text in texts)


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text)


def _may_be_shown(html: str, posts: Iterable[tuple[str, str]]) -> bool:
    """Whether a page shows posts of one thread alone, or those of the thread that its title names.

    ``posts``: the title of the thread, or article, and the letters of each post or comment.
    """
    root = parsing.parse(html)
    letters, title = _letters(all_text(root)), title_of(root) or ""
    shown = {name for name, post in posts if len(post) >= _SHORTEST and post in letters}
    return len(shown) == 1 or any(name in title for name in shown)


def lines_of(site: Recording, licence: str | None, most: int) -> Iterator[_Row]:
    """Yield the lines of a site; pages that were not recorded are left out."""
    taken: Counter[str] = Counter()
    for page in pages_of(site):
        has_posts = bool(page.get("answers") or page.get("pairs"))
        kind = f"{page['kind']} {has_posts}"
        if taken[kind] == (most if has_posts else most // 2):
            if page["kind"] == "other":
                break
            continue
        if page["url"] not in site.pages:
            continue
        taken[kind] += 1
        html = _ORIGIN.sub(f"http://{site.host}", site.pages[page["url"]])
        main = page.get("main_text") or all_text(parsing.parse(html))
        row = {**page, "id": f"{site.name}{page['url']}", "dataset": "recorded_sites", "engine": site.program}
        row |= {"url": f"http://{site.host}{page['url']}", "site": site.host, "html": html, "main_text": main}
        yield row | {"licence": licence}


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("archives", type=Path, nargs="+")
    parser.add_argument("--licence", help="of the texts of the sites; without it, no model that ships may learn them")
    parser.add_argument("--most", type=int, default=28, help="pages of each kind of a site")
    arguments = parser.parse_args()
    with lzma.open(arguments.out, "wt", encoding="utf-8", preset=1) as out:
        for path in arguments.archives:
            for row in lines_of(read_recording(path), arguments.licence, arguments.most):
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
