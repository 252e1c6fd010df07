"""Articles as source files of static generators. Standard library alone."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from research.engines.saving import date_of
from research.site_crawls.known import KnownItem

TAGS = ("water", "trade", "school", "travel", "health", "music", "garden", "science")
CATEGORIES = ("News", "Guides", "Opinion", "Notes")
_HEADING = 9  # words that a heading of documentation has at most


def slug_of(title: str, number: int) -> str:
    """The name of an article in addresses."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall(r"[a-z0-9]+", plain)[:7]) or f"article-{number}"


def slugs_of(articles: list[dict[str, Any]]) -> list[str]:
    """A different name for each."""
    slugs = [slug_of(article["title"], number) for number, article in enumerate(articles)]
    return [slug if slugs.count(slug) == 1 else f"{slug}-{number}" for number, slug in enumerate(slugs)]


def article_item(article: dict[str, Any], path: str) -> KnownItem:
    """An article as known item, whose text is title and paragraphs."""
    return KnownItem("article", [path], article["title"], "\n".join([article["title"], *article["paragraphs"]]))


def markdown(article: dict[str, Any]) -> str:
    """The paragraphs as Markdown without any mark."""
    return "\n\n".join(map(escaped, article["paragraphs"])) + "\n"


def documentation(article: dict[str, Any]) -> str:
    """A page of documentation: the title, and short lines as headings."""
    lines = [f"# {escaped(article['title'])}"]
    for paragraph in article["paragraphs"]:
        is_heading = len(paragraph.split()) <= _HEADING and paragraph[-1].isalnum()
        lines.append(f"## {escaped(paragraph)}" if is_heading else escaped(paragraph))
    return "\n\n".join(lines) + "\n"


def escaped(line: str) -> str:
    """A line in which nothing is Markdown; references such as &amp; are shown as they are."""
    line = re.sub(r"([\\`*_{}\[\]<>|~$])", r"\\\1", line.replace("&", "&amp;"))
    return re.sub(r"^(\s*)([-+#=:!.]|\d+[.)])", lambda match: f"{match[1]}\u200b{match[2]}", line)


def tags_of(number: int) -> list[str]:
    """Two or three tags."""
    return list(dict.fromkeys(TAGS[number // step % len(TAGS)] for step in (1, 3, 5)))


def category_of(number: int) -> str:
    """The category of an article."""
    return CATEGORIES[number % len(CATEGORIES)]


def day_of(number: int) -> str:
    """The day of an article: three a week, in the order of their numbers."""
    return f"{date_of(number * 7 // 3, 0):%Y-%m-%d}"
