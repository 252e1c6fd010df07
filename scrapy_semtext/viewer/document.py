"""Assembly of the documents: a template with its style sheets and scripts, and the policy that restricts them.

A page in a document is a copy that is safe to open: it runs nothing, loads nothing and links nowhere, but looks like
the page. Only listed elements and attributes are copied; everything else is dropped, or becomes a plain <div> or <span>
if text of the page is inside it. Style sheets inside the page are kept; what they would load, the policy blocks.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from lxml import etree

from scrapy_semtext.tree.parsing import with_ancestors
from scrapy_semtext.tree.tags import GROUPS, Group, tag_of
from scrapy_semtext.utils.address import parsed

if TYPE_CHECKING:
    from scrapy_semtext.tree.segmentation import Run


#: Nothing may be run or fetched; styles and images come from the file itself.
BASE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def document(
    mode: str,
    title: str,
    body: str,
    parts: Mapping[str, str],
    *,
    styles: Sequence[str],
    scripts: Sequence[str],
    data: Any = None,
    connects: bool = False,
) -> str:
    """Return a document whose body is a template from the folder ``assets``, with ``parts``, which are HTML, inserted.

    ``title`` is text, and also a part; ``mode`` is the class of the body. Only the document's script may run,
    identified by its hash; ``data`` is its input. Only with ``connects`` may it send data, and only to the document's
    server.
    """
    script = "\n".join(map(asset, scripts))
    return Template(asset("document.html")).substitute(
        mode=mode,
        title=escape(title),
        body=Template(asset(body)).substitute(parts, title=escape(title)),
        policy=policy(script, connects=connects),
        style="\n".join(map(asset, styles)),
        script=script,
        data=json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"),
    )


def policy(script: str, *, connects: bool = False) -> str:
    """Return the content security policy of a document with one script."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return f"{BASE_POLICY}; script-src 'sha256-{digest}'" + "; connect-src 'self'" * connects


def link(href: str | None, text: str, name: str) -> str:
    """Return a link, or nothing without ``href``.

    Raises ValueError if ``href`` is neither relative nor a URL of a file or a web page.
    """
    if href is None:
        return ""
    return f'<a id="{name}" href="{escape(safe_href(href))}">{escape(text)}</a>'


def safe_href(href: str) -> str:
    """Return a URL that leads to a page; raises ValueError for other URLs, such as ``javascript:``."""
    address = parsed(href.strip())
    if address is None or address.scheme not in ("", "http", "https", "file"):
        raise ValueError(f"{href!r} is not the URL of a page")
    return href


def percent(share: float) -> str:
    """Return a probability in percent; values that are only close to 0 or 1 are not rounded to these."""
    if 0.99 < share < 1:
        return "over 99 %"
    if 0 < share < 0.01:
        return "under 1 %"
    return f"{share:.0%}".replace("%", " %")


@lru_cache
def asset(name: str) -> str:
    """Return the text of a file of the folder ``assets``."""
    return files(__package__).joinpath("assets").joinpath(name).read_text("utf-8")


# Elements and attributes that are copied unchanged, because they only affect a page's appearance or text.
_LISTS = {name: frozenset(" ".join(words).split()) for name, words in json.loads(asset("copied.json")).items()}
_VOID, _LEFT_OUT = _LISTS["void elements"], _LISTS["elements left out, unless text blocks are in them"]
_COPIED, _ATTRIBUTES = _VOID | _LISTS["elements"], _LISTS["attributes"]

#: Elements whose content is dropped.
_EMPTIED = frozenset(("select", "textarea"))

#: Elements that become properties of their form by id: one with id "style" would shadow the form's own property.
_NAMED_IN_FORMS = frozenset("button fieldset img input object output select textarea".split())

_CUSTOM = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
_INLINE_IMAGE = re.compile(r"data:image/(?:png|jpe?g|gif|webp|avif|svg\+xml)[;,]", re.IGNORECASE)


def safe_copy(root: Any, marks: Mapping[Run, str], head: str) -> str:
    """Return the page as an HTML document, with its text nodes wrapped in the start tags from ``marks``.

    A mark is the start tag of a <semtext-mark>. ``head`` is HTML to put first in the copy's head.
    """
    copy = _Copy(root, marks, head)
    return "".join(copy.out)


class _Copy:
    """A single non-recursive walk over the tree that writes the copy."""

    def __init__(self, root: Any, marks: Mapping[Run, str], head: str) -> None:
        self.out = [f"<!doctype html>\n<html{''.join(_attributes(root))}><head>{head}"]
        self._marks = marks
        self._holders = with_ancestors(element.getparent() if is_tail else element for element, is_tail in marks)
        self._ends: list[str] = []  # what to write at the ends of the open elements
        self._walk(root)

    def _walk(self, root: Any) -> None:
        walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        for event, element in walker:
            if event == "start":
                if self._start(element):
                    self._text(element, element.text, is_tail=False)
                else:
                    walker.skip_subtree()
                continue
            if event == "end":
                self.out.append(self._ends.pop())
            if element is not root:
                self._text(element, element.tail, is_tail=True)

    def _start(self, element: Any) -> bool:
        """Write a start tag; return False if the content of the element is not to be copied."""
        tag = tag_of(element)
        holds_text = element in self._holders
        start, end = "", ""
        goes_in = holds_text or tag not in _LEFT_OUT | _EMPTIED
        if tag == "style" and not holds_text:
            start, goes_in = _style(element), False
        elif tag == "body":
            start = f"<body{''.join(_attributes(element))}>"
        elif not _is_frame_of_head(element, tag) and (goes_in or tag in _EMPTIED):
            name = _name(tag, holds_text)
            start = f"<{name}{''.join(_attributes(element))}>"
            end = f"</{name}>" * (name not in _VOID)
        self.out.append(start)
        self._ends.append(end)
        return goes_in and (holds_text or tag not in _VOID)

    def _text(self, element: Any, text: str | None, *, is_tail: bool) -> None:
        if not text:
            return
        mark = self._marks.get((element, is_tail))
        if mark is None or text.isspace():
            self.out.append(escape(text, quote=False))
        else:
            self.out.append(f"{mark}{escape(text, quote=False)}</semtext-mark>")


def _style(element: Any) -> str:
    style = (element.text or "").replace("<", "\\3c ")  # so that it cannot end the element
    return f"<style>{style}</style>"


def _is_frame_of_head(element: Any, tag: str) -> bool:
    """Return whether an element only has content for the head, where a <div> would end it; its tags are dropped."""
    return tag in ("html", "head") or (tag == "noscript" and element.getparent().tag == "head")


def _name(tag: str, holds_text: bool) -> str:
    """Return the tag that an element is copied as."""
    if tag in _COPIED and not (holds_text and tag in _EMPTIED | _VOID):
        return tag
    if _CUSTOM.fullmatch(tag):
        return tag
    return "span" if Group.INLINE <= GROUPS[tag] <= Group.BREAK else "div"


def _attributes(element: Any) -> Iterator[str]:
    """Yield the element's attributes that are copied, each preceded by a space."""
    for name, value in element.attrib.items():
        if _is_copied(element.tag, name, value):
            yield f' {name}="{escape(value)}"'
    if element.tag == "template":
        yield " hidden"
    elif element.tag == "details" and "open" not in element.attrib:
        yield ' open=""'


def _is_copied(tag: str, name: str, value: str) -> bool:
    if name == "id":
        return tag not in _NAMED_IN_FORMS
    return name in _ATTRIBUTES or (name == "src" and tag == "img" and _INLINE_IMAGE.match(value) is not None)
