"""The frame of a site around a page: logo, menu, sidebars, and footer, in the language of the site."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from lxml import html as lxml_html

from research.frames import SITE_NAMES, DrawnFrame
from research.making.content import Pool
from research.making.writing import Writer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random


def framed(root: Any, rng: Random, titles: Sequence[str], language: str) -> None:
    """Put a page into the frame of a site, whose look is drawn from ``rng``; ``titles`` are linked beside it."""
    drops, demotes = rng.random() < 0.5, rng.random() < 0.6
    name, body = rng.choice(SITE_NAMES), root.body
    frame = DrawnFrame(Writer(Pool.of_posts(titles or [name]), rng, "en", language.partition("-")[0]), name)
    if drops:
        for element in [*body.iter("nav", "footer")]:
            element.drop_tree()
    if demotes:
        for heading in body.iter("h1"):
            heading.tag = "h2"
    inner = [lxml_html.tostring(child, encoding="unicode") for child in body]
    page: Any = lxml_html.document_fromstring(frame.around("", escape(body.text or "") + "".join(inner)))
    page.body.attrib.update(body.attrib)
    root.replace(body, page.body)
