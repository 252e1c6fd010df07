"""How many pages a perfect crawler needs: the content, and the fewest lists found that lead to all of it."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.parse import urldefrag, urljoin, urlsplit
from urllib.request import urlopen

from parsel import Selector

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from collections.abc import Set as AbstractSet

    from research.site_crawls.recording import RecordedSite
    from research.site_crawls.site import Site

_PATIENCE = 60  # seconds


def needed_lists(site: Site | RecordedSite) -> list[str]:
    """The paths of lists that a perfect crawler fetches, the first page of the site among them.

    Raises ValueError if the lists and the content do not lead to all content: the site is not what it should be.
    """
    content = {path for item in site.known for path in item.pages}
    links = _links(site, content)
    return lists_for(site.software.start, links, content, follows_content=site.software.follows_content)


def _links(site: Site | RecordedSite, content: AbstractSet[str]) -> dict[str, set[str]]:
    """The links among the lists and the content of a site, by path."""
    is_list = re.compile(site.software.lists)
    links: dict[str, set[str]] = {}
    queue = deque([site.software.start])
    while queue:
        path = queue.popleft()
        if path in links:
            continue
        links[path] = _links_of(urljoin(site.start, path))
        queue += (each for each in links[path] if each not in links and (each in content or is_list.fullmatch(each)))
    return links


def _links_of(url: str) -> set[str]:
    try:
        with urlopen(url, timeout=_PATIENCE) as response:  # noqa: S310 - of this machine
            page, base = Selector(response.read().decode(errors="replace")), response.url
    except HTTPError:
        return set()
    host = urlsplit(url).netloc
    targets = (urldefrag(urljoin(base, href.strip())).url for href in page.css("a::attr(href)").getall())
    return {path_of(target) for target in targets if urlsplit(target).netloc == host}


def path_of(url: str) -> str:
    """The path of an address with its query."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def lists_for(
    start: str, links: Mapping[str, Collection[str]], content: AbstractSet[str], *, follows_content: bool
) -> list[str]:
    """The lists that lead to all content, found greedily: next comes the one with the most new content a fetch.

    Content leads to the other pages of its thread (which have its path before the query), and with ``follows_content``
    to all that it links to. Raises ValueError if some content is not reached.
    """
    lists, known, fetched = [start], set[str](), set[str]()

    def fetch(path: str) -> None:
        stack = [path]
        while stack:
            current = stack.pop()
            fetched.add(current)
            targets = links.get(current, ())
            if current in content and not follows_content:
                own = current.partition("?")[0]
                targets = [each for each in targets if each.partition("?")[0] == own]
            known.update(targets)
            stack += (each for each in targets if each in content and each not in fetched)
            fetched.update(each for each in targets if each in content)

    fetch(start)
    while content - fetched:
        path = _best_way(links, known, fetched, content)
        if not path:
            left = sorted(content - fetched)
            raise ValueError(f"no list leads to {len(left)} pages of content, such as {left[0]}")
        for each in path:
            lists.append(each)
            fetch(each)
    return lists


def _best_way(
    links: Mapping[str, Collection[str]], known: AbstractSet[str], fetched: AbstractSet[str], content: AbstractSet[str]
) -> list[str]:
    """The shortest ways over lists to each list that shows new content: the one with the most new content a list."""
    ways = {path: [path] for path in known if path in links and path not in fetched and path not in content}
    queue, best, gain = deque(ways), [], 0.0
    while queue:
        path = queue.popleft()
        new = sum(each in content and each not in fetched for each in links[path]) / len(ways[path])
        if new > gain:
            best, gain = ways[path], new
        for each in links[path]:
            if each in links and each not in ways and each not in content and each not in fetched:
                ways[each] = [*ways[path], each]
                queue.append(each)
    return best
