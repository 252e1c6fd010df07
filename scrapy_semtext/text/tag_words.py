"""Every HTML element in words: the paper's ``tag(x)`` string speaks English (Zhang & Wang 2022, III-B).

The words follow the one-line descriptions in the index of elements of the HTML Living Standard, and those of HTML 4.01
and older browsers for elements that are obsolete. Each element of the table has words of its own: two tags that the
model should be able to tell apart never read the same.
"""

from __future__ import annotations

import re

from scrapy_semtext.utils.remembering import remembered

#: Elements of the HTML Living Standard, in the order of its chapters.
_CURRENT = {
    # the document and its metadata
    "html": "document",
    "head": "document metadata",
    "title": "document title",
    "base": "base address",
    "link": "resource link",
    "meta": "metadata",
    "style": "style sheet",
    # sections
    "body": "body",
    "article": "article",
    "section": "section",
    "nav": "navigation",
    "aside": "sidebar",
    "h1": "primary headline",
    "h2": "secondary headline",
    "h3": "tertiary headline",
    "h4": "fourth headline",
    "h5": "fifth headline",
    "h6": "sixth headline",
    "hgroup": "headline group",
    "header": "header",
    "footer": "footer",
    "address": "contact information",
    # grouping content
    "p": "paragraph",
    "hr": "thematic break",
    "pre": "preformatted text",
    "blockquote": "block quotation",
    "ol": "ordered list",
    "ul": "unordered list",
    "menu": "menu",
    "li": "list item",
    "dl": "description list",
    "dt": "description term",
    "dd": "description details",
    "figure": "figure",
    "figcaption": "figure caption",
    "main": "main content",
    "search": "search",
    "div": "division",
    # text-level semantics and edits
    "a": "hyperlink",
    "em": "emphasis",
    "strong": "strong importance",
    "small": "side comment",
    "s": "inaccurate text",
    "cite": "citation",
    "q": "quotation",
    "dfn": "definition",
    "abbr": "abbreviation",
    "ruby": "ruby annotation",
    "rt": "ruby text",
    "rp": "ruby parenthesis",
    "data": "data value",
    "time": "date time",
    "code": "computer code",
    "var": "variable",
    "samp": "sample output",
    "kbd": "keyboard input",
    "sub": "subscript",
    "sup": "superscript",
    "i": "alternate voice",
    "b": "keyword",
    "u": "underlined annotation",
    "mark": "highlight",
    "bdi": "direction isolation",
    "bdo": "direction override",
    "span": "span",
    "br": "line break",
    "wbr": "break opportunity",
    "ins": "insertion",
    "del": "deletion",
    # embedded content
    "picture": "picture",
    "source": "media source",
    "img": "image",
    "iframe": "inline frame",
    "embed": "embedded plugin",
    "object": "external object",
    "video": "video",
    "audio": "audio",
    "track": "text track",
    "map": "image map",
    "area": "image map area",
    "svg": "vector graphics",
    "math": "mathematics",
    # tables
    "table": "table",
    "caption": "table caption",
    "colgroup": "table column group",
    "col": "table column",
    "tbody": "table body",
    "thead": "table head",
    "tfoot": "table foot",
    "tr": "table row",
    "td": "table data cell",
    "th": "table header cell",
    # forms and interactive elements
    "form": "form",
    "label": "form label",
    "input": "form input",
    "button": "button",
    "select": "option selection",
    "selectedcontent": "selected content",
    "datalist": "option suggestions",
    "optgroup": "option group",
    "option": "option",
    "textarea": "text input area",
    "output": "calculated output",
    "progress": "progress bar",
    "meter": "gauge",
    "fieldset": "form field set",
    "legend": "field set legend",
    "details": "disclosure details",
    "summary": "disclosure summary",
    "dialog": "dialog",
    # scripting
    "script": "script",
    "noscript": "script fallback",
    "template": "template",
    "slot": "shadow slot",
    "canvas": "bitmap canvas",
}

#: Elements no longer in the standard that pages still hold or once held.
_OBSOLETE = {
    "acronym": "acronym",
    "applet": "applet",
    "basefont": "base font",
    "bgsound": "background sound",
    "big": "big text",
    "blink": "blinking text",
    "center": "centered division",
    "command": "menu command",
    "content": "shadow content",
    "dir": "directory list",
    "element": "custom element",
    "fencedframe": "fenced frame",
    "font": "font",
    "frame": "frame",
    "frameset": "frame set",
    "image": "legacy image",
    "isindex": "search input",
    "keygen": "key generator",
    "layer": "layer",
    "listing": "code listing",
    "marquee": "scrolling text",
    "menuitem": "menu item",
    "multicol": "multiple columns",
    "nextid": "next identifier",
    "nobr": "unbroken text",
    "noembed": "plugin fallback",
    "noframes": "frame fallback",
    "nolayer": "layer fallback",
    "param": "object parameter",
    "plaintext": "plain text",
    "portal": "page portal",
    "rb": "ruby base",
    "rtc": "ruby text container",
    "server": "server script",
    "shadow": "shadow root",
    "spacer": "spacer",
    "strike": "struck text",
    "tt": "teletype text",
    "xmp": "example text",
}

#: Tag (lower case) -> its words.
TAG_WORDS: dict[str, tuple[str, ...]] = {tag: tuple(text.split()) for tag, text in (_CURRENT | _OBSOLETE).items()}

# Where the name of a custom, SVG or prefixed element is cut: "my-post", "o:p", "fb:like", "x_y.z".
_CUT = re.compile(r"[\W_]+")

# A tag name can be as long as the page; no word is.
_LONGEST = 64


@remembered(4096)
def tag_words(tag: str) -> tuple[str, ...]:
    """Return the words of an element's tag name: ``"td"`` -> ``("table", "data", "cell")``.

    The names of custom elements are cut at hyphens like class names (``"my-post"`` -> ``("my", "post")``); an unknown
    name that cannot be cut stays as it is, in lower case. Never empty except for an empty name.
    """
    tag = tag[:_LONGEST].lower()
    words = TAG_WORDS.get(tag)
    if words is None:
        words = tuple(word for word in _CUT.split(tag) if word) or ((tag,) if tag else ())
    return words
