"""The engines: what each needs, and what its lists of content look like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Software:
    """An engine. ``lists`` matches whole paths of lists that lead to all content, by which needed pages are counted.

    ``requirements`` are packages of PyPI, ``programs`` those of the operating system (Debian's package and a file of
    it). ``start`` is the path at which a crawl begins. With ``follows_content`` items are reached from items as well.
    A ``held_out`` engine is not looked at while the crawler is built.
    """

    name: str
    title: str
    content: Literal["threads", "articles"]
    requirements: tuple[str, ...]
    start: str
    lists: str
    programs: tuple[tuple[str, str], ...] = ()
    follows_content: bool = False
    held_out: bool = False


_WAITRESS = "waitress==3.0.2"
_PHP = (
    ("php-cli", "/usr/bin/php"),
    ("php-mbstring", "/usr/share/doc/php-mbstring"),
    ("php-xml", "/usr/share/doc/php-xml"),
)

SOFTWARE = {
    each.name: each
    for each in (
        Software(
            "wordpress",
            "WordPress 6.1 (blog)",
            "articles",
            (),
            "/",
            r"/page/\d+/",
            programs=(
                *_PHP,
                ("php-mysql", "/usr/share/doc/php-mysql"),
                ("mariadb-server", "/usr/sbin/mariadbd"),
                ("wordpress", "/usr/share/wordpress"),
                ("wordpress-theme-twentytwentyone", "/usr/share/wordpress/wp-content/themes/twentytwentyone"),
            ),
        ),
        Software(
            "mediawiki",
            "MediaWiki 1.39 (wiki)",
            "articles",
            (),
            "/index.php/Portal",
            r"/index\.php/Category:\w+",
            programs=(*_PHP, ("php-sqlite3", "/usr/share/doc/php-sqlite3"), ("mediawiki", "/usr/share/mediawiki")),
            follows_content=True,
        ),
        Software(
            "machina",
            "django-machina 1.3.1 (forum)",
            "threads",
            ("django-machina==1.3.1", "Django<5", "whoosh", _WAITRESS),
            "/forum/",
            r"/forum/forum/[\w-]+/(?:\?page=\d+)?",
        ),
        Software(
            "spirit",
            "Spirit 0.14.3 (forum)",
            "threads",
            ("django-spirit==0.14.3", "setuptools", _WAITRESS),
            "/",
            r"/(?:category/.*)?(?:\?page=\d+)?",
        ),
        Software(
            "pybbm",
            "pybbm 0.19.0 (forum)",
            "threads",
            ("pybbm==0.19.0", "bbcode", "Django<3", _WAITRESS),
            "/forum/",
            r"/forum/(?:forum/\d+/)?(?:\?page=\d+)?",
            held_out=True,
        ),
        Software(
            "askbot",
            "askbot 0.13.0 (Q&A)",
            "threads",
            ("askbot==0.13.0", "setuptools<81", _WAITRESS),
            "/questions/",
            r"/questions/(?:scope:all/sort:activity-desc/page:\d+/|\?page=\d+)?",
        ),
        Software(
            "mkdocs",
            "MkDocs Material (documentation)",
            "articles",
            ("mkdocs-material",),
            "/",
            r"/",
            follows_content=True,
        ),
        Software("pelican", "Pelican (static blog)", "articles", ("pelican", "markdown"), "/", r"/index\d+\.html"),
        Software("nikola", "Nikola (static blog)", "articles", ("nikola",), "/", r"/index-\d+\.html", held_out=True),
    )
}
