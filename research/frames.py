"""Frames of pages, to put other content in: those of real pages, and drawn ones."""

# ruff: noqa: E501 - templates
from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from lxml import etree
from lxml import html as lxml_html

from research.making.comments import COMMENTED, article_of
from research.making.content import random_author
from scrapy_semtext.train.posts import word_f1, words_of
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.elements import all_text, text_line
from scrapy_semtext.tree.nodes import PageNodes

if TYPE_CHECKING:
    from research.making.writing import Writer
    from scrapy_semtext.train.datasets import AnnotatedPage

#: Names of sites.
SITE_NAMES = (
    "Werkbank", "Open Lab", "Kaleido", "The Workshop", "Nordlicht", "Plaza", "Terra", "Mosaik", "Harbour", "Green Thumb", "Riverside",
)  # fmt: skip
_LONGEST_FRAME = 60_000
_PLACE, _HEAD = "@@content@@", "@@title@@"
_NO_PLACE = ("html", "body", "td", "tr", "tbody", "li", "ul", "ol", "p")


@dataclass(frozen=True)
class Frame:
    """A page with places for its title and its main content, which are apart: ``title`` and ``main``, the elements."""

    html: str
    title: str
    main: tuple[str, ...]

    def around(self, title: str, content: str) -> str:
        """Return the page with a title (HTML) and content."""
        return self.html.replace(_HEAD, title).replace(_PLACE, content, 1)


def frame_of(page: AnnotatedPage) -> Frame | None:
    """Return a page's frame; None if its main text is not in one place, or if comments are outside it."""
    root = parsing.parse(page.html, page.url)
    article = article_of(PageNodes.of_page(root), page.text)
    if article is None or (article := _widened(article)).tag in _NO_PLACE:
        return None
    title = words_of(page.extra.get("title") or " ".join(text_line(each) for each in root.iter("title")))
    etree.strip_elements(root, "script", "style", "svg", "noscript", "iframe", etree.Comment, with_tail=False)
    main = [str(lxml_html.tostring(child, encoding="unicode")) for child in article]
    for child in list(article):
        article.remove(child)
    article.text = _PLACE
    for heading in [*root.iter("h1", "h2")]:
        if word_f1(words_of(all_text(heading)), title) > 0.6:
            parsing.drop(heading)
    for meta in [*root.iter("meta", "link")]:
        if not meta.get("charset") and meta.getparent() is not None:
            parsing.drop(meta)
    named = ""
    for each in root.iter("title"):
        named, each.text = escape(text_line(each)), _HEAD
    html = str(lxml_html.tostring(root, encoding="unicode", doctype="<!DOCTYPE html>"))
    is_usable = len(html) < _LONGEST_FRAME and html.count(_PLACE) == 1 and not COMMENTED.search(html)
    return Frame(html, named, tuple(main)) if is_usable else None


def _widened(article: Any) -> Any:
    """Return the outermost element around an article that has little more text: its title, author and date."""
    size = len(all_text(article))
    while (outer := article.getparent()) is not None and outer.tag not in ("body", "html"):
        if len(all_text(outer)) > 1.25 * size + 200:
            break
        article = outer
    return article


class DrawnFrame:
    """The frame of a site; its boxes are the same on all of its pages."""

    def __init__(self, site: Writer, name: str) -> None:
        rng = self._rng = site.rng
        self._site, self._name = site, name
        self._before = self._header() + (self._crumbs() if rng.random() < 0.5 else "")
        self._main = rng.choice(("main", "div", "div", "td", "section"))
        self._sides = [self._aside() for _ in range(rng.choice((0, 0, 1, 1, 1, 2)))]
        self._first = rng.random() < 0.4
        self._after = self._footer() + (self._consent() if rng.random() < 0.3 else "")
        self._depth = rng.choice((0, 1, 2, 3))

    def around(self, title: str, content: str) -> str:
        """Return the page with a title (HTML) and content."""
        names = self._site.names
        for _ in range(self._depth):
            content = f"<div{names('wrap')}>{content}</div>"
        sides = [
            f"<{'td' if self._main == 'td' else 'aside'}{names('side-bar')}>{side}</{'td' if self._main == 'td' else 'aside'}>"
            for side in self._sides
        ]
        middle = [f"<{self._main}{names('content')}>{content}</{self._main}>", *sides]
        inner = "".join(middle[::-1] if self._first else middle)
        inner = (
            f"<table width='100%'><tr>{inner}</tr></table>"
            if self._main == "td"
            else f"<div{names('page')}>{inner}</div>"
        )
        head = f'<meta charset="utf-8"><title>{title}</title>'
        return f'<!DOCTYPE html>\n<html lang="{self._site.language}"><head>{head}</head><body>{self._before}{inner}{self._after}</body></html>'

    def _menu(self, key: str, most: int, tag: str = "ul") -> str:
        words = self._site.words.some(key, most, 3)
        if tag == "ul":
            return f"<ul{self._site.names(key)}>{''.join(f'<li><a href=/{n}>{word}</a></li>' for n, word in enumerate(words))}</ul>"
        return f"<div{self._site.names(key)}>{' | '.join(f'<a href=/{n}>{word}</a>' for n, word in enumerate(words))}</div>"

    def _header(self) -> str:
        rng, name = self._rng, self._name
        logos = (
            f'<h1><a href="/">{name}</a></h1>',
            f'<a href="/"><img src="/logo.png" alt="{name}"></a>',
            f'<div><a href="/">{name}</a><p>{self._site.said(8)}</p></div>',
            f"<p><b>{name}</b></p>",
        )
        parts = [
            rng.choice(logos),
            self._menu("menu", 8, rng.choice(("ul", "div"))),
            self._menu("account", 4, rng.choice(("ul", "div"))),
        ]
        rng.shuffle(parts)
        tag = rng.choice(("header", "div", "nav"))
        return f"<{tag}{self._site.names('header')}>{''.join(parts)}</{tag}>"

    def _crumbs(self) -> str:
        words = self._site.words
        links = (
            f'<a href="/">{words.all("menu")[0]}</a>',
            f'<a href="/f">{self._name}</a>',
            f'<a href="/b">{words.one("boards")}</a>',
        )
        return f"<div{self._site.names('crumbs')}>{self._rng.choice((' » ', ' / ', ' &gt; ')).join(links)}</div>"

    def _aside(self) -> str:
        """Draw boxes: the latest posts and comments, archives, tags, members."""
        rng, site = self._rng, self._site
        boxes = []
        level = rng.choice(("h2", "h3", "h4", "strong", "div"))
        for heading in site.words.some("recent", 6, 2):
            kind = rng.choice(("titles", "titles", "dated", "comments", "words", "members", "months"))
            rows = [self._entry(kind) for _ in range(rng.randint(3, 8))]
            listed = f"<ul>{''.join(f'<li>{row}</li>' for row in rows)}</ul>"
            inner = (
                ", ".join(rows)
                if kind in ("words", "members")
                else rng.choice((listed, listed, "".join(f"<p>{row}</p>" for row in rows)))
            )
            boxes.append(f"<div{site.names('box')}><{level}>{heading}</{level}>{inner}</div>")
        return "".join(boxes)

    def _entry(self, kind: str) -> str:
        site, rng = self._site, self._rng
        words, number = site.words, rng.randint(2, 28)
        title = f'<a href="/a/{number}">{site.title()}</a>'
        author = f'<a href="/u/{number}">{random_author(site.language, rng)}</a>'
        entries = {
            "titles": title, "dated": f"{title} <small>{number}.03.2019</small>", "comments": f"{author}: {self._site.said(12)} {title}",
            "words": f'<a href="/tag/{number}">{words.one("boards")}</a>', "members": author,
            "months": f'<a href="/2012/{number}">{words.one("months")} 2012</a> ({number})',
        }  # fmt: skip
        return entries[kind]

    def _footer(self) -> str:
        rng, site = self._rng, self._site
        columns = (
            "".join(f"<div><h4>{heading}</h4>{self._menu('menu', 6)}</div>" for heading in site.words.some("recent", 3))
            if rng.random() < 0.4
            else ""
        )
        text = f"<p>{self._site.said(30)}</p>" if rng.random() < 0.2 else ""
        return f"<{(tag := rng.choice(('footer', 'div')))}{site.names('footer')}>{columns}{text}{self._menu('legal', 6, 'div')}<p>© 2024 {self._name}</p></{tag}>"

    def _consent(self) -> str:
        text, *buttons = self._site.words.all("cookie")
        return f"<div{self._site.names('consent')} role=dialog><p>{text}</p>{''.join(f'<button>{each}</button>' for each in buttons)}</div>"
