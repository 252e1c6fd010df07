"""A thread of several pages: one of the bundled questions, whose answers are put on pages of ten.

No two of the pages that may be given on belong to one thread, so this one is taken apart, as forums do it: later pages
show the title but not the question, links lead to the page after and the page before, and all pages name the first as
their canonical address.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from lxml import etree
from parsel import Selector

from example.bundled import bundled_pages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from example.bundled import BundledPage

#: The question with the most answers.
NAME = "stackoverflow.com-how-do-you-generate-dynamic-parameterize"
ANSWERS_A_PAGE = 10


def thread_link() -> tuple[str, str]:
    """Return the path of the first page, and its title."""
    page = _bundled()
    return _path(1), f"{page.title} (a thread of several pages)"


@lru_cache(maxsize=1)
def thread_pages() -> dict[str, str]:
    """Return the HTML of each page by its path on the site."""
    answers = len(_answers(_parsed()))
    count = -(-answers // ANSWERS_A_PAGE)
    return {_path(number): _page(number, count) for number in range(1, count + 1)}


def _page(number: int, count: int) -> str:
    """Return the HTML of one of the pages."""
    root = _parsed()
    for n, answer in enumerate(_answers(root)):
        if n // ANSWERS_A_PAGE != number - 1:
            answer.getparent().remove(answer)
    if number > 1:
        for question in root.xpath("//*[@id='question']"):
            question.getparent().remove(question)
    for canonical in root.xpath("//link[@rel='canonical']"):
        canonical.set("href", _path(1))
    head = root.find("head")
    head.extend(_links(number, count))
    note = f" Part {number} of {count} of {_bundled().url}, taken apart for this example. {_bundled().licence}. "
    head.append(etree.Comment(note))
    html: str = etree.tostring(root, method="html", encoding="unicode", doctype="<!doctype html>")
    return html


def _links(number: int, count: int) -> Iterator[etree._Element]:
    for relation, other in (("prev", number - 1), ("next", number + 1)):
        if 1 <= other <= count:
            yield etree.Element("link", rel=relation, href=_path(other))


def _answers(root: Any) -> list[Any]:
    return list(root.xpath("//div[starts-with(@id, 'answer-')]"))


def _parsed() -> Any:
    return Selector(_bundled().html()).root


def _bundled() -> BundledPage:
    return bundled_pages()[f"/pages/{NAME}.html"]


def _path(number: int) -> str:
    return f"/threads/{NAME}-{number}.html"
