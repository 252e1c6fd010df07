"""Pages without their main content: where it is, what is put beside it, and frames for other content."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import etree
from lxml import html as lxml_html

from scrapy_semtext.train.corpus import label_blocks
from scrapy_semtext.train.posts import word_f1, words_of
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.elements import all_text, text_line
from scrapy_semtext.tree.nodes import PageNodes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from scrapy_semtext.train.datasets import AnnotatedPage

#: Names of comments in HTML.
COMMENTED = re.compile(r"""(?:class|id)=["']?[^"'>]*(?:comment|disqus|\brespon(?:d|ses)\b)""", re.IGNORECASE)
_INSIDE = 0.5  # share of pages with other content inside the element around the article
_ARTICLE_SHARE = 0.85  # minimum share of an article's characters in the element around it
_SHORTEST = 400  # minimum number of characters of an article
_LONGEST_FRAME = 60_000
_PLACE, _HEAD = "@@content@@", "@@title@@"
_NO_PLACE = ("html", "body", "td", "tr", "tbody", "li", "ul", "ol", "p")


def insert(parts: Sequence[Any], article: Any, rng: Random) -> None:
    """Put elements into or after the element around the article."""
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        parent = article.getparent()
        if parent is None or article.tag in ("body", "html") or parent.tag in ("body", "html"):
            break
        article = parent
    if article.tag in ("body", "html", "td") or rng.random() < _INSIDE:
        article.extend(parts)
    else:
        for element in reversed(parts):
            article.addnext(element)


def article_of(nodes: PageNodes, truth: str) -> Any:
    """Return the innermost element around nearly all of the true text; None if there is none."""
    labels = label_blocks(nodes.texts, truth)
    is_main = [len(text) if main else 0 for text, main in zip(nodes.texts, labels, strict=True)]
    total = sum(is_main)
    if total < _SHORTEST:
        return None
    sums = np.append(0, np.cumsum(is_main))
    holding = np.flatnonzero(sums[nodes.last] - sums[nodes.first] >= _ARTICLE_SHARE * total)
    return nodes.scopes[holding[-1]].element


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
