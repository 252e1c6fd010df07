"""Makes pages with more boilerplate than most: ``python -m research.boilerplate_pages OUT DATA...``.

Articles of real pages get teasers of other articles, with excerpts, boxes about an author, consent dialogs and calls to
subscribe, in random markup whose class names are meaningful on only half of the pages. The true text is still that of
the article. Teasers quote articles of the same language whose domains are not held out for tests. The lines are copied
from the given page sets and keep their domain and licence; pages whose licence does not allow distributing trained
weights are left out.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
from collections import defaultdict
from html import escape
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml.html import fragment_fromstring, tostring

from research.making.comments import article_of, insert
from scrapy_semtext.train.datasets import may_ship, read_all, split_side
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.nodes import PageNodes
from scrapy_semtext.words.words import language_of_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_semtext.train.datasets import AnnotatedPage

#: The texts of boxes around articles, by language; {name} is that of an author.
_RELATED, _MORE, _AUTHOR, _NOTICES, _BUTTONS = json.loads(
    Path(__file__).with_name("boilerplate_words.json").read_text(encoding="utf-8")
).values()

_ARTICLES = (None, "article", "news")
_LONGEST_PAGE = 600_000  # characters
_FEWEST = 8  # articles of a language, for teasers

_SAYING = """related related-posts more-stories recommended read-next teaser-list latest-posts also-like post-nav
    entry-related recirc promo-list author-box about-author bio newsletter-box consent cookie-notice widget
    outro""".split()
_MEMBERS = "card teaser item post-preview story-card media entry listing-item summary tile".split()
_SILENT = "row block box group wrap section inner region col-4 grid flex unit part area stack".split()


class Teaser(NamedTuple):
    """What a teaser shows of an article."""

    title: str
    excerpt: str
    domain: str


class Style:
    """The tags and names of a box, drawn once so that its members are alike."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.says = rng.random() < 0.5
        self.outer = rng.choice(("div", "section", "aside", "div"))
        self.outer_name = rng.choice(_SAYING) if self.says else self._silent()
        self.member_name = rng.choice(_MEMBERS) if self.says else self._silent()
        self.heading = rng.choice(("h2", "h3", "h4", "div", "p", "strong", ""))
        self.title = rng.choice(("h2", "h3", "h4", "div", "span", "strong"))
        self.list = rng.choice((("ul", "li"), ("div", "div"), ("div", "article"), ("div", "div"), ("ol", "li")))
        self.excerpt = rng.choice(("p", "div", "p", "span"))
        self.whole_link = rng.random() < 0.25
        self.shows = {part: rng.random() < share for part, share in _SHARES.items()}
        self.words = rng.choice((12, 20, 30, 50, 80))

    def _silent(self) -> str:
        if self.rng.random() < 0.5:
            return self.rng.choice(_SILENT)
        return f"css-{self.rng.randrange(16**5):05x}"


_SHARES = {"excerpt": 0.75, "date": 0.5, "more": 0.4, "image": 0.5, "author": 0.3}


def _words(table: dict[str, list[Any]], language: str) -> list[Any]:
    return table.get(language, table["en"])


def teasers(some: Sequence[Teaser], names: Sequence[str], language: str, rng: Random) -> str:
    """A box of teasers, HTML."""
    style = Style(rng)
    outer, inner = style.list
    members = "".join(
        f'<{inner} class="{style.member_name}">{_teaser(t, names, language, style)}</{inner}>' for t in some
    )
    heading = escape(rng.choice(_words(_RELATED, language)))
    head = f"<{style.heading}>{heading}</{style.heading}>" if style.heading else ""
    return f'<{style.outer} class="{style.outer_name}">{head}<{outer}>{members}</{outer}></{style.outer}>'


def _teaser(teaser: Teaser, names: Sequence[str], language: str, style: Style) -> str:
    rng, shows = style.rng, style.shows
    address = f"/{rng.randrange(10**6)}"
    title = f"<{style.title}>{_linked(escape(teaser.title), address, style)}</{style.title}>"
    parts = [f'<img src="{address}.jpg" alt="">'] if shows["image"] else []
    parts.append(title)
    if shows["date"]:
        parts.append(f"<time>{rng.randrange(1, 29)}.{rng.randrange(1, 13)}.20{rng.randrange(10, 26)}</time>")
    if shows["author"]:
        parts.append(f"<span>{escape(rng.choice(names))}</span>")
    if shows["excerpt"]:
        parts.append(f"<{style.excerpt}>{escape(_begin(teaser.excerpt, style.words))}</{style.excerpt}>")
    if shows["more"] and not style.whole_link:
        parts.append(f'<a href="{address}">{escape(rng.choice(_words(_MORE, language)))}</a>')
    inner = "".join(parts)
    return f'<a href="{address}">{inner}</a>' if style.whole_link else inner


def _linked(text: str, address: str, style: Style) -> str:
    return text if style.whole_link else f'<a href="{address}">{text}</a>'


def _begin(text: str, words: int) -> str:
    """The first words of a text; in scripts without spaces, the same number of pairs of letters."""
    return f"{' '.join(text.split()[:words])[: 6 * words].rstrip()}…"


def author_box(name: str, language: str, rng: Random) -> str:
    """A box about an author, HTML."""
    style = Style(rng)
    said = escape(rng.choice(_words(_AUTHOR, language)).format(name=name))
    tag = style.heading or "span"
    inner = f'<img src="/a.jpg"><{tag}>{escape(name)}</{tag}><p>{said}</p>'
    return f'<{style.outer} class="{style.outer_name}">{inner}</{style.outer}>'


def notice(language: str, rng: Random) -> str:
    """A consent dialog or a call to subscribe, HTML."""
    style = Style(rng)
    title, *paragraphs = rng.choice(_words(_NOTICES, language))
    tag = style.heading or "div"
    buttons = "".join(f"<button>{escape(text)}</button>" for text in _words(_BUTTONS, language))
    body = "".join(f"<{style.excerpt}>{escape(text)}</{style.excerpt}>" for text in paragraphs)
    return f'<{style.outer} class="{style.outer_name}"><{tag}>{escape(title)}</{tag}>{body}{buttons}</{style.outer}>'


def made_pages(pages: Iterable[AnnotatedPage], share: float, seed: int) -> Iterator[dict[str, Any]]:
    """Yield a line for each article of a random share, if boxes could be put around it."""
    articles = [page for page in pages if _usable(page)]
    languages = {page.id: (page.lang or language_of_text(page.text) or "en")[:2] for page in articles}
    pool: dict[str, list[Teaser]] = defaultdict(list)
    names = [name for page in articles if (name := _author(page))] or ["Jo Miller"]
    for page in articles:
        if split_side(page.domain) != "test" and (teaser := _as_teaser(page)):
            pool[languages[page.id]].append(teaser)
    for page in articles:
        rng = Random(f"{seed} {page.dataset} {page.id}")  # noqa: S311 - no secret
        if rng.random() >= share:
            continue
        language = languages[page.id]
        others = [teaser for teaser in pool[language] if teaser.domain != page.domain]
        if (html := _with_boxes(page, others, names, language, rng)) is not None:
            yield _line(page, html)


def _usable(page: AnnotatedPage) -> bool:
    return page.page_type in _ARTICLES and may_ship(page) and len(page.text) > 600 and len(page.html) < _LONGEST_PAGE


def _author(page: AnnotatedPage) -> str | None:
    author: Any = page.extra.get("author") or next(iter(page.extra.get("authors") or ()), None)
    return author if isinstance(author, str) and 5 < len(author) < 40 else None


def _as_teaser(page: AnnotatedPage) -> Teaser | None:
    lines = [line for line in page.text.splitlines() if len(line) > 80]
    if not lines:
        return None
    title = page.extra.get("title") or " ".join(lines[-1].split()[:9])[:60]
    return Teaser(title, lines[0], page.domain)


def _with_boxes(
    page: AnnotatedPage, others: Sequence[Teaser], names: Sequence[str], language: str, rng: Random
) -> str | None:
    """The page's HTML with boxes in or after its article, and a notice at its beginning or end."""
    root = parsing.parse(page.html, page.url)
    article = article_of(PageNodes.of_page(root), page.text)
    if article is None:
        return None
    boxes = []
    if rng.random() < 0.35:
        boxes.append(author_box(rng.choice(names), language, rng))
    if len(others) >= _FEWEST:
        boxes += [
            teasers(rng.sample(others, rng.randint(2, min(9, len(others)))), names, language, rng)
            for _ in range(rng.choice((1, 1, 2)))
        ]
    if not boxes or rng.random() < 0.2:
        boxes.append(notice(language, rng))
    insert([fragment_fromstring(box) for box in boxes], article, rng)
    body = root.find("body")
    if body is not None and rng.random() < 0.3:
        body.insert(rng.choice((0, len(body))), fragment_fromstring(notice(language, rng)))
    made: str = tostring(root, encoding="unicode")
    return made


def _line(page: AnnotatedPage, html: str) -> dict[str, Any]:
    return {
        "id": f"boxes/{page.dataset}/{page.id}",
        "dataset": "boilerplate_pages",
        "url": page.url and re.sub(r"//(?:www\.)?", "//m.", page.url, count=1),  # another page than the original
        "page_type": "article",
        "lang": page.lang,
        "licence": page.licence or _LICENCES[page.dataset],
        "html": html,
        "text": page.text,
        "extra": {"domain": page.domain},
    }


_LICENCES = {
    "wcxb_dev": "CC-BY-4.0",
    "newspaper4k_articles": "Apache-2.0",
    "fundus_testdata": "MIT",
    "webforum52": "Apache-2.0",
    "chinese_wced": "MIT",
}


def main() -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path, help="file of the made pages, .jsonl.xz")
    parser.add_argument("data", type=Path, nargs="+", help="page sets")
    parser.add_argument("--share", type=float, default=0.5, help="share of the articles that get boxes (default: 0.5)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with lzma.open(arguments.out, "wt", encoding="utf-8") as out:
        for line in made_pages(read_all(arguments.data), arguments.share, arguments.seed):
            out.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
