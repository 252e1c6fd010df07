"""The pages of the site that the project makes itself: an index, and lists of pages by kind and of odd things."""

from __future__ import annotations

from html import escape
from itertools import groupby

from example.bundled import BundledPage, bundled_pages
from example.threads import thread_link

#: Links on one page of a list; the rest is behind "next".
LIST_LENGTH = 5

ROBOTS = "User-agent: *\nDisallow: /private/\n"

#: The one page that the lists know by an old address only; the site redirects it.
MOVED = "/moved/"

#: What a crawler meets besides pages: path to name.
ODD_LINKS = {
    "/odd/picture.png": "A picture",
    "/odd/notes.txt": "A plain text",
    "/odd/empty.html": "A page without a byte",
    "/odd/binary.html": "A picture that claims to be a page",
    "/odd/unclosed.html": "A page that closes nothing",
    "/odd/missing.html": "A page that is not there",
    "/private/page.html": "A page that robots.txt asks not to fetch",
}


def make_navigation() -> dict[str, str]:
    """Return the navigation pages by path."""
    made = {}
    kinds: dict[str, str] = {}
    for kind, members in groupby(bundled_pages().values(), key=lambda page: page.kind):
        pages = list(members)
        kinds[kind] = f"/lists/{kind}-1.html"
        made.update(_lists(kind, pages))
    made["/lists/thread-1.html"] = _document("thread, 1", _links(dict([thread_link()])))
    kinds["thread"] = "/lists/thread-1.html"
    made["/lists/odd-1.html"] = _document("Odd ends", _links(ODD_LINKS))
    kinds["odd"] = "/lists/odd-1.html"
    links = "".join(f'<li><a data-kind="{kind}" href="{path}">{kind}</a></li>' for kind, path in kinds.items())
    made["/"] = _document("Real pages to crawl", f"<nav><ul>{links}</ul></nav>")
    return made


def _lists(kind: str, pages: list[BundledPage]) -> dict[str, str]:
    """Return the pages that list one kind, each with a link to the next."""
    made = {}
    starts = range(0, len(pages), LIST_LENGTH)
    for number, start in enumerate(starts, 1):
        body = _links({_address(page): page.title for page in pages[start : start + LIST_LENGTH]})
        if number < len(starts):
            body += f'<a rel="next" href="/lists/{kind}-{number + 1}.html">next</a>'
        made[f"/lists/{kind}-{number}.html"] = _document(f"{kind}, {number}", body)
    return made


def _address(page: BundledPage) -> str:
    """Return where the lists say a page is: the very first one has moved since."""
    first = next(iter(bundled_pages().values()))
    return f"{MOVED}{page.name}.html" if page is first else page.path


def _links(links: dict[str, str]) -> str:
    rows = "".join(f'<li><a href="{escape(path)}">{escape(name)}</a></li>' for path, name in links.items())
    return f"<main><ul>{rows}</ul></main>"


def _document(title: str, body: str) -> str:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title></head>'
        f"<body><h1>{escape(title)}</h1>{body}</body></html>"
    )
