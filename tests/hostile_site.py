"""Links as hostile pages write them, and a site full of them."""

from __future__ import annotations

import re
from html import escape
from random import Random

from crawling import Answer

_BEGINNINGS = (
    *("http://",) * 12, "https://", "HTTP://", "http:///", "http:/", "http:", "http:\\\\", "http:\\/", "ht\ttp://",
    "\x01http://", " http://", "//", "///", "////", "/\\", "\\\\", "\\/", "://", "http://http://", "feed:http://",
    "view-source:http://", "ftp://", "file:///", "ws://", "gopher://", "x-unknown://", "about:", "javascript:",
    "data:text/html,", "mailto:",
)  # fmt: skip
# {here} is the host of the site, {name} that without its port, {there} another one.
_HOSTS = (
    *("{here}",) * 8, *("{there}",) * 3, "{there}\\@{here}", "{here}\\@{there}", "{there}\\{here}", "{here}@{there}",
    "{there}@{here}", "u:p@{here}", "@{here}", "[::1]@{here}", "[{here}]", "[{here}", "{here}]", "[::1]",
    "[::ffff:{name}]", "[v1.x]", "[]", "[fe80::1%25eth0]", "{name}:port", "{name}:99999", "{name}:-1", "{name}:",
    "{name}:0", "{name}:\u0661\u0662", "{here}:80", "{name}:1e3", "", ".", "..", ".{here}", "{name}.", "{name}..",
    "www.{here}", "{name},", "*.{name}", "-", "_", "{name}\u3002", "{here}%00.{there}", "%31%32%37.0.0.1", "{name}%2e",
    "{name}%3a80", "{name}%40{there}", "{name}%2f{there}", "%", "%zz", "{here}\x00", "{here}\t", "{here} ",
    "{here}\n.evil.test", "{here}\x7f", "{name}\r\nX: y", "{here}\ud800", "\udfff{name}", "{here}#@{there}",
    "{here}?@{there}", "{there}#@{here}", "{there}?{here}", "{there};@{here}", "{here}&@{there}", "b\xfccher.test",
    "xn--a", "xn--bcher-kva.test", "\uff11\uff12\uff17.0.0.1", "\u2488", "\u0130.test", "\xdf.test", "2130706433",
    "0x7f.1", "0177.0.0.1", "127.1", "169.254.169.254", "localhost", "a" * 70 + ".test", "a." * 200 + "test",
)  # fmt: skip
_PATHS = (
    "", "/", "/x", "/x/y/z", "/{word}/{number}", "/{word}/{number}", "/{word}.html", "/{word}?id={number}", "?{word}",
    "/../../..", "/./.", "/.", "/..", "/...", "/%2e%2e/", "/a//b///c", "//", "///", "/\\..\\x", "/;jsessionid=1;x",
    "/%", "/%zz", "/%00", "/%ud800", "/%C3", "/\x00", "/\x1f", "/a\tb\nc", "/ a b ", "/\ud800", "/?\udc00", "#\ud800",
    "/\x85", "/#", "#", "/#[", "/?[", "/]", "/?#?#", "/|", "/^`{}", "/\xfc", "/\u5317", "/" + "\u5317" * 300,
    "/" + "a" * 8_000, "/?page=" + "9" * 5_000, "/page/" + "9" * 5_000 + "/", "/?page=\u0663", "/?page=\xb2",
    "/?start=-1", "/?offset=1e9", "/" + "a/" * 2_000, "/?" + "a=b&" * 500, "/?" + "a" * 8_000, "/?a[]=1&a[]=2",
    "/robots.txt", "/sitemap.xml", "/x.pdf",
)  # fmt: skip
_WORDS = (
    "bread", "garden", "music", "letters", "rivers", "winter", "clocks", "bridges", "painting", "markets", "stones",
)  # fmt: skip
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNSENT = re.compile("[\x00\r\n]")  # what no header can have
_ITEMS, _HUGE = 40, "9" * 5_000


def hostile_link(random: Random, here: str, there: str) -> str:
    """Return a link as no page should write it; ``here`` is the host of the page, ``there`` another one, with ports."""
    word, number = "".join(random.choices("abcdefghij", k=6)), random.randrange(1_000_000)
    host = random.choice(_HOSTS).format(here=here, there=there, name=here.partition(":")[0])
    path = random.choice(_PATHS).replace("{word}", word).replace("{number}", str(number))
    link = random.choice(_BEGINNINGS) + host + path
    if random.random() < 0.2:
        place = random.randrange(len(link) + 1)
        link = link[:place] + random.choice("@\\/:[]%#?\t\n\r\x00\ud800. \xad\u200b\u202e") + link[place:]
    return link


class HostileSite:
    """The answers of a site with so many hostile links, by URL: pages, robots.txt, sitemaps, feeds, redirects."""

    def __init__(self, seed: int, links: int, here: str, there: str) -> None:
        self._random = Random(seed)  # noqa: S311  to be repeated
        self._here, self._there = here, there
        self.items = [f"/story/{_WORDS[number % len(_WORDS)]}-of-{number}.html" for number in range(_ITEMS)]
        self.answers: dict[str, Answer] = {}
        few, many = links // 20, links // 5
        self._add_lists(self._links(few), self._links(few), self._links(many), self._links(few))
        shown = self._add_redirects(self._links(few)) + self._links(links - 4 * few - many)
        self._random.shuffle(shown)
        self._add_pages(shown)

    def _links(self, count: int) -> list[str]:
        return [hostile_link(self._random, self._here, self._there) for _ in range(count)]

    def _add(self, path: str, body: str, kind: str = "text/html; charset=utf-8") -> None:
        url = f"http://{self._here}{path}"
        self.answers[url] = Answer(body.encode("utf-8", "surrogatepass"), 200, {"Content-Type": kind})

    def _add_lists(self, robots: list[str], indexed: list[str], listed: list[str], fed: list[str]) -> None:
        lines = ["User-agent: *", f"Crawl-delay: {_HUGE}", f"Sitemap: http://{self._here}/index.xml"]
        lines += [f"Sitemap: {_UNSENT.sub('', link)}\nDisallow: /never{link}" for link in robots]
        self._add("/robots.txt", "\n".join(lines), "text/plain")
        locations = map(_written, [f"http://{self._here}/map.xml", *indexed])
        index = "".join(f"<sitemap><loc>{each}</loc><lastmod>{_HUGE}</lastmod></sitemap>" for each in locations)
        self._add("/index.xml", f"<sitemapindex>{index}</sitemapindex>", "application/xml")
        urls = "".join(f"<url><loc>{_written(each)}</loc><lastmod>0000-99-99</lastmod></url>" for each in listed)
        self._add("/map.xml", f"<urlset>{urls}</urlset>", "application/xml")
        items = "".join(f"<item><link>{_written(each)}</link><pubDate>{_HUGE}</pubDate></item>" for each in fed)
        self._add("/feed", f"<rss><channel>{items}</channel></rss>", "application/rss+xml")

    def _add_redirects(self, links: list[str]) -> list[str]:
        """Add addresses that lead to the links, half of them by a header; return their paths."""
        paths = [f"/{self._random.choice(_WORDS)}/{number}" for number in range(len(links))]
        for number, (path, link) in enumerate(zip(paths, links, strict=True)):
            self._add(path, f'<meta http-equiv="refresh" content="0; url={_written(link)}">')
            if number % 2:
                sent = _UNSENT.sub("", link)
                cookie = f"a=b; domain={sent[:200]}; Max-Age=1e999"
                headers = {"Location": sent, "Retry-After": _HUGE, "Set-Cookie": cookie}
                self.answers[f"http://{self._here}{path}"] = Answer(b"", 302, headers)
        return paths

    def _add_pages(self, links: list[str]) -> None:
        share = len(links) // (_ITEMS + 1) + 1
        shares = [links[start : start + share] for start in range(0, share * (_ITEMS + 1), share)]
        listed = "".join(f'<h2><a href="{path}">{_title(number)}</a></h2>' for number, path in enumerate(self.items))
        feed = '<link rel="alternate" type="application/rss+xml" href="/feed">'
        self._add("/", _page("All stories of the town", feed, listed, shares.pop()))
        for number, path in enumerate(self.items):
            following, canonical = map(_written, self._links(2))
            if number % 2:
                following = f"http://{self._there}/story"
            head = f'<link rel="next" href="{following}"><link rel="canonical" href="{canonical}">'
            self._add(path, _page(_title(number), head, _text(self._random), shares.pop()))


def _title(number: int) -> str:
    return f"What is told of {_WORDS[number % len(_WORDS)]} in street {number}"


def _page(title: str, head: str, body: str, links: list[str]) -> str:
    listed = "".join(f'<li><a href="{_written(link)}">more</a></li>' for link in links)
    return (
        f"<html><head><title>{title}</title>{head}</head><body><main><h1>{title}</h1>{body}</main>"
        f"<footer><ul>{listed}</ul></footer></body></html>"
    )


def _text(random: Random) -> str:
    sentences = [" ".join(random.choices(_WORDS, k=12)).capitalize() + "." for _ in range(20)]
    return "".join(f"<p>{' '.join(sentences[start : start + 5])}</p>" for start in range(0, 20, 5))


def _written(link: str) -> str:
    """A link as markup has it; lone surrogates as references, as no encoding has them."""
    return _SURROGATE.sub(lambda found: f"&#x{ord(found[0]):x};", escape(link))
