"""Skins: the page of an engine as other sites that run it look, with names, wrappers and a frame of their own.

A skin is drawn at random once for an engine, and what it does to an element depends on the element's tag and classes
alone: all posts of a page get the same.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from random import Random
from typing import TYPE_CHECKING, Any

from lxml import html as lxml_html

from research.engines.frame import framed
from research.engines.saving import require

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The skins of an engine; 0 is the page as it is.
SKINS = 6
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
#: What theme authors call the same; a skin takes one of each row.
_SYNONYMS = (
    "post message entry item reply".split(), "comment response note remark reply".split(),
    "author user poster byline member".split(), "content body text message prose".split(),
    "date time posted stamp when".split(), "header head top bar meta".split(),
    "footer foot bottom actions tools".split(),
    "list items stream feed rows".split(), "topic thread discussion conversation subject".split(),
    "title heading name subject caption".split(), "container wrapper inner box area".split(),
    "avatar userpic gravatar photo portrait".split(), "answer reply solution response".split(),
    "row line block cell unit".split(), "col column part side pane".split(),
)  # fmt: skip
_BLOCKS = ("div", "section", "article")
_KEEPS_CHILDREN = frozenset({"table", "tbody", "thead", "tr", "ul", "ol", "dl", "select", "form"})
_CLOSED = re.compile(r"(<html\b[^>]*?)\s*/>")  # which lxml takes for all of the page
_TRIES = (0.25, 0.0)  # how many kinds of elements have their children in another order


def dressed(row: dict[str, Any], skin: int, titles: Sequence[str]) -> str:
    """The HTML of a page (a line of saving.Job) in a skin; ``titles`` are those of other threads of the site."""
    if skin == 0:
        return str(row["html"])
    body = row.get("question", {}).get("body", "")
    texts = [answer["text"] for answer in row.get("answers", ())]
    for turned in _TRIES:
        root = lxml_html.document_fromstring(_CLOSED.sub(r"\1>", row["html"], count=1))
        _Skin(f"{row['engine']} {skin}", turned).put_on(root)
        framed(root, Random(f"{row['engine']} {skin}"), titles, row["site_lang"])  # noqa: S311 - no secret
        html: str = "<!DOCTYPE html>\n" + lxml_html.tostring(root, encoding="unicode")
        try:
            require(body, texts, html, row["url"])
        except ValueError:
            continue
        return html
    raise ValueError(f"{row['id']}: skin {skin} of {row['engine']} hides a post")


class _Skin:
    def __init__(self, name: str, turned: float) -> None:
        rng = Random(name)  # noqa: S311 - no secret
        self.name = name
        self.names = rng.choice(("kept", "synonyms", "synonyms", "prefixed", "hashed"))
        self.words = {word: rng.choice(row) for row in _SYNONYMS for word in row if rng.random() < 0.8}
        self.joint = rng.choice(("-", "_", "__", ""))
        self.prefix = rng.choice(("c", "ui", "theme", "x", "forum", "site", "lc"))
        self.retagged, self.wrapped, self.turned = rng.choice((0.0, 0.4, 0.8)), rng.choice((0.0, 0.15, 0.3)), turned

    def put_on(self, root: Any) -> None:
        for element in [*root.body.iter("*")]:
            kind = f"{element.tag} {element.get('class') or ''}"
            if element.tag in _BLOCKS and element.get("class"):
                self._change(element, kind)
        for element in root.body.iter("*"):
            for key in ("class", "id"):
                if element.get(key):
                    element.set(key, " ".join(map(self._renamed, element.get(key).split())))

    def _change(self, element: Any, kind: str) -> None:
        if self._share(f"{kind} turned") < self.turned and len(element) == 2 and not _own_text(element):
            element.append(element[0])
        if self._share(f"{kind} tag") < self.retagged:
            element.tag = _BLOCKS[int(3 * self._share(f"{kind} which"))]
        if self._share(f"{kind} wrapped") < self.wrapped and element.getparent().tag not in _KEEPS_CHILDREN:
            inner = lxml_html.Element("div", {"class": f"{self.prefix}-inner"})
            inner.text, element.text = element.text, None
            inner.extend(element[:])
            element.append(inner)

    def _renamed(self, name: str) -> str:
        if self.names == "kept":
            return name
        if self.names == "hashed":
            return f"{self.prefix}{blake2b(f'{self.name} {name}'.encode(), digest_size=4).hexdigest()}"
        if self.names == "prefixed":
            return f"{self.prefix}{self.joint or '-'}{name}"
        words = [self.words.get(word.lower(), word.lower()) for word in _WORD.findall(name)]
        return self.joint.join(words) if self.joint else "".join(word.title() for word in words)

    def _share(self, kind: str) -> float:
        """A number from 0 to 1 for a kind of element, always the same in a skin."""
        return int.from_bytes(blake2b(f"{self.name} {kind}".encode(), digest_size=4).digest(), "big") / 2**32


def _own_text(element: Any) -> str:
    return "".join(filter(None, [element.text, *(child.tail for child in element)])).strip()
