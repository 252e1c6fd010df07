"""The kept text of a page with its structure in a canonical form, from which HTML and Markdown are written.

Pages nest elements in any order. The outline does not: inline markup is inside block elements (a link around two
paragraphs becomes a link in each), list items are in lists, cells in tables, and text directly in a <div> becomes a
paragraph. White space is collapsed and moved outside adjacent markup. Few attributes are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, takewhile
from typing import Any, Literal

from scrapy_semtext.tree.segmentation import Run, is_space_missing
from scrapy_semtext.tree.tags import GROUPS, HEADING_LEVELS, Group
from scrapy_semtext.utils.address import parsed, resolved
from scrapy_semtext.utils.remembering import remembered
from scrapy_semtext.words.characters import one_line
from scrapy_semtext.words.word_tables import code_languages, paragraphs

# Classes and attributes that state the language of code. The first group of prefixes is followed by nothing else.
_PREFIXED = re.compile(
    r"(?:^|\s)(?:((?:mw-highlight-|shj-)?lang(?:uage)?[-:]|brush:\s*)|src-|sh_|highlight-(?:source-|text-(?=\w))?)"
    r"([\w+#.-]{1,40})"
)
_ATTRIBUTE = re.compile(r"data-(?:\w+-)*(?:lang|language|code-wrap|syntaxhighlighter-params)$")
_NO_LANGUAGE = frozenset("auto default no-highlight nohighlight none null plain undefined unknown".split())
# Next to such a class, another class may be the bare name of a language.
_CODE_CLASS = re.compile(r"code|highlight|hljs|listing|snippet|source|syntax", re.IGNORECASE)
_CODE = frozenset(("pre", "code", "samp"))
# Elements that may surround code, how many levels up its language is searched for, and among how many children.
_WRAPPERS = frozenset("div figure code span p section td tr tbody table".split())
_MAX_LANGUAGE_LEVELS, _MAX_CHILDREN = 8, 6
#: The class of GitHub's alerts.
ALERT = re.compile(r"markdown-alert-(?:note|tip|important|warning|caution)\b")
_LINKS = frozenset(("", "http", "https", "mailto", "tel"))
_IGNORED_IN_URL = re.compile(r"[\t\n\r]")  # browsers ignore these as well, see the URL standard, "basic URL parser"
# Integer attributes, with the minimum and maximum that are kept; 1000 is the limit of the HTML standard.
_SPANS = (("colspan", 2, 1000), ("rowspan", 2, 1000))
_NUMBERS = {"td": _SPANS, "th": _SPANS, "ol": (("start", 0, 10**9),), "li": (("value", 0, 10**9),)}
_KEPT = {"abbr": "title", "dfn": "title", "img": "alt", "time": "datetime"}
#: Block and inline elements that are kept, by their output tag. Other group-3 elements only separate paragraphs.
BLOCKS, _INLINE = (
    {tag: tags[0] for tags in map(str.split, lines) for tag in tags} for _, *lines in paragraphs("markup")
)
BLOCK_TAGS = frozenset(BLOCKS.values())
#: Inline elements that are not merged when two are adjacent.
_DISTINCT = frozenset("a code kbd samp abbr dfn time".split())

_LISTS = frozenset(("ul", "ol"))
_SECTIONS = frozenset(("thead", "tbody", "tfoot"))
#: The allowed children of elements that contain no text themselves; the first wraps disallowed content.
_CHILDREN: dict[str, tuple[str, ...]] = {
    "ul": ("li",),
    "ol": ("li",),
    "dl": ("dd", "dt"),
    "table": ("tr", "caption", *_SECTIONS),
    **dict.fromkeys(_SECTIONS, ("tr",)),
    "tr": ("td", "th"),
}
#: Required parents: a missing list is created, cells outside a table are not kept.
_PARENTS = {
    child: frozenset(parent for parent, children in _CHILDREN.items() if child in children)
    for child in chain.from_iterable(_CHILDREN.values())
}
_PARENTS |= {cell: _PARENTS[cell] | _SECTIONS for cell in ("td", "th")}
_MISSING_PARENT = {"li": "ul", "dt": "dl", "dd": "dl"}
#: Elements with inline content only, and those that may contain text without a paragraph.
_PHRASING = frozenset((*HEADING_LEVELS, "p", "pre", "dt", "caption", "summary"))
_DIRECT = _PHRASING | {"li", "dd", "td", "th", "figcaption"}
_HOLDING_IMAGES = _DIRECT | {"figure"}
# Elements that pages use within a line as well as around blocks; custom elements are similar.
_CONTROLS = frozenset(("button", "noscript", "template"))
# How many nodes to search for the checkbox of a list item, and how many ancestors decide if a control is in a line.
_MAX_CHECKBOX_NODES, _MAX_LINE_LEVELS = 7, 4
#: The maximum depth. Deeper nesting is of no use to a reader; below this, elements only separate text.
_MAX_DEPTH = 40

_SPACE = re.compile(r"[ \t\n\r\f]+")


@dataclass(frozen=True, slots=True)
class Start:
    """The start of an element."""

    tag: str
    attributes: tuple[tuple[str, str], ...] = ()


#: A line break, which has no end, like images.
BREAK = Start("br")


@dataclass(frozen=True, slots=True)
class End:
    """The end of an element."""

    tag: str


#: A part of the outline; a plain string is unescaped text.
Token = Start | End | str


def outline(
    runs: Sequence[Run],
    base_url: str | None = None,
    *,
    links: bool = True,
    images: Mapping[Any, str] | None = None,
) -> list[Token]:
    """Return the text nodes ``runs`` (in page order) with the structure around them.

    A part of a list or table includes the list or table, so that the result is valid. Without ``links``, only their
    text is kept. ``images`` maps <img> elements, which are among ``runs``, to their URLs.
    """
    writer = _OutlineWriter(base_url, links=links, images=images or {})
    unwritten = dict.fromkeys(runs)
    while unwritten:  # once, unless the text nodes belong to several trees
        _write_tree(writer, unwritten)
    writer.finish()
    return writer.tokens


def _write_tree(writer: _OutlineWriter, unwritten: dict[Run, None]) -> None:
    """Write the text nodes of one tree, and remove them from ``unwritten``."""
    for step, element in _steps(next(iter(unwritten))):
        if step == "enter":
            writer.enter(element)
        elif step == "leave":
            writer.leave(element)
        elif (element, step == "tail") in unwritten:
            del unwritten[element, step == "tail"]
            writer.write((element, step == "tail"))
            if not unwritten:
                return


def _steps(run: Run) -> Iterator[tuple[Literal["enter", "leave", "text", "tail"], Any]]:
    """Walk the tree in page order from a text node on, after entering its ancestors from the root down."""
    node, is_tail = run
    holder = node.getparent() if is_tail else node
    for element in reversed([holder, *holder.iterancestors()]):
        yield "enter", element
    entered = not is_tail
    while node is not None:
        yield ("text" if entered else "tail"), node
        following = next(iter(node), None) if entered else node.getnext()
        if following is not None:
            node, entered = following, True
            yield "enter", node
        elif entered:
            entered = False
            yield "leave", node
        else:
            node = node.getparent()
            if node is not None:
                yield "leave", node


class _OutlineWriter:
    """Converts the walk into tokens. Elements are written when text inside them is, so none is empty."""

    def __init__(self, base_url: str | None, *, links: bool, images: Mapping[Any, str]) -> None:
        self.tokens: list[Token] = []
        self._images = images
        self._base_url = base_url
        self._keeps_links = links
        self._open: list[tuple[str, Any]] = []  # block elements written and not ended; element None: implied
        self._path: list[tuple[Any, str | None]] = []  # block elements around the walk; tag None: not kept
        self._pre = 0  # number of preformatted elements among them
        self._written = 0  # length of the part of the path that was already handled
        self._inline: dict[str, list[Any]] = {}  # inline elements around the walk, by tag
        self._open_inline: list[tuple[str, Any]] = []  # those written and not ended
        self._space = False  # white space since the last text
        self._breaks = 0  # number of line breaks since the last text
        self._cut = False  # block boundary since the last text
        self._cells: set[Any] = set()  # table cells that have been written
        self._task: Any = None  # the checkbox of the current list item, before its text

    def enter(self, element: Any) -> None:
        """Record that the walk has entered an element."""
        tag = element.tag
        if not isinstance(tag, str):
            return
        if tag == "br":
            self._breaks += 1
        elif (written_as := _INLINE.get(tag)) is not None:
            if tag != "a" or (self._keeps_links and link_of(element, self._base_url)):
                self._inline.setdefault(written_as, []).append(element)
        elif _divides(element):
            self._boundary()
            is_alert = tag == "div" and ALERT.search(element.get("class", ""))
            written_as = "blockquote" if is_alert else BLOCKS.get(tag)
            self._path.append((element, written_as))
            self._pre += written_as == "pre"
        elif tag == "button" and (element.text or "").strip():
            self._space = True

    def leave(self, element: Any) -> None:
        """Record that the walk has left an element."""
        tag = element.tag
        if not isinstance(tag, str):
            return
        if (written_as := _INLINE.get(tag)) is not None:
            opened = self._inline.get(written_as)
            if opened and opened[-1] is element:
                opened.pop()
                if not opened:
                    del self._inline[written_as]
        elif _divides(element):
            if self._path and self._path[-1][0] is element:
                self._pre -= self._path.pop()[1] == "pre"
                self._written = min(self._written, len(self._path))
            self._boundary()
            self._close(element)
        elif tag == "button" and (element.tail or " ")[0].isalnum():
            self._space = True

    def write(self, run: Run) -> None:
        """Write a text node or an image."""
        element, is_tail = run
        if not is_tail and element in self._images:
            self._image(element)
            return
        text = (element.tail if is_tail else element.text) or ""
        if self._pre:
            self._preformatted(text)
            return
        core = _SPACE.sub(" ", text.strip())
        if not core:
            self._space = True
            return
        self._write_containers()
        self._separate(core, run, spaced=self._space or text[0].isspace())
        if self._task is not None:
            self.tokens += [Start("input", tuple(attributes_of("input", self._task))), " "]
            self._task = None
        self._mark_up()
        self.tokens.append(core)
        self._space = text[-1].isspace()

    def finish(self) -> None:
        """End every element."""
        self._end_inline(0)
        while self._open:
            self._close_last()

    def _image(self, element: Any) -> None:
        """Write an image, never inside a link, and directly inside a <figure>."""
        self._end_inline(0)
        self._write_path()
        if not self._open or self._open[-1][0] not in _HOLDING_IMAGES:
            self._begin("p", None)
        self._separate("", (element, False), spaced=True)
        self.tokens.append(Start("img", (("src", self._images[element]), *attributes_of("img", element))))
        self._space = True

    def _preformatted(self, text: str) -> None:
        """Write a text inside <pre> with its white space."""
        self._write_containers()
        at_start = self._at_start()
        if at_start:
            text = text.lstrip("\r\n")
        text = "\n" * (self._breaks or (self._cut and not at_start)) + text.replace("\xa0", " ")
        self._breaks, self._cut, self._space = 0, False, False
        if text:
            self._mark_up()
            self.tokens.append(text)

    def _boundary(self) -> None:
        """End inline markup and an implied paragraph, because a block begins or ends."""
        self._end_inline(0)
        if self._open and self._open[-1] == ("p", None):
            self._close_last()
        self._cut, self._space, self._breaks = True, False, 0

    def _write_path(self) -> None:
        """Write the block elements around the walk that have not been written yet."""
        for element, tag in self._path[self._written :]:
            if tag is not None:
                self._begin(tag, element)
        self._written = len(self._path)

    def _write_containers(self) -> None:
        """Write the block elements around a text that have not been written yet."""
        self._write_path()
        written = self._open[-1][0] if self._open else None
        innermost = self._path[-1][1] if self._path else None
        if written not in _DIRECT or innermost not in _DIRECT:
            self._begin("p", None)

    def _begin(self, tag: str, element: Any) -> None:
        """Write the start of a block element and of its required parents, unless it is not allowed here."""
        self._end_implied(tag)
        if len(self._open) >= _MAX_DEPTH or any(outer in _PHRASING for outer, _ in self._open):
            return
        parent = self._open[-1][0] if self._open else ""
        if tag in _PARENTS and parent not in _PARENTS[tag]:
            if tag not in _MISSING_PARENT:
                return
            self._begin(_MISSING_PARENT[tag], None)
        if parent in _LISTS and tag in _LISTS:
            if isinstance(self.tokens[-1], Start):  # a list that is only used for indentation
                return
            self.tokens.pop()  # the end of the item that the list belongs to
            self._open.append(("li", None))
        while (parent := self._open[-1][0] if self._open else "") in _CHILDREN and tag not in _CHILDREN[parent]:
            self._push(_CHILDREN[parent][0], None)
        if tag in ("td", "th") and element is not None:
            self._empty_cells(element)
        self._push(tag, element)

    def _empty_cells(self, element: Any) -> None:
        """Write the empty cells before one in its row, so that it stays in its column."""
        missing = takewhile(lambda cell: cell not in self._cells, element.itersiblings(preceding=True))
        for cell in reversed([cell for cell in missing if cell.tag in ("td", "th")]):
            self._push(cell.tag, cell)
            self._close_last()
            self._cells.add(cell)
        self._cells.add(element)

    def _end_implied(self, tag: str) -> None:
        """End implied elements that cannot contain ``tag``, like HTML's optional end tags."""
        parents, depth = _PARENTS.get(tag, frozenset()), len(self._open)
        while depth and self._open[depth - 1][1] is None and self._open[depth - 1][0] not in parents:
            depth -= 1
        has_parent = bool(depth) and self._open[depth - 1][0] in parents
        while self._open and self._open[-1][1] is None:
            outer = self._open[-1][0]
            if len(self._open) <= depth or not (has_parent or (outer in _CHILDREN and tag not in _CHILDREN[outer])):
                break
            self._close_last()

    def _push(self, tag: str, element: Any) -> None:
        """Write the start of a block element."""
        if tag in ("li", "pre"):
            self._task = None if tag == "pre" or element is None else _checkbox(element)
        self._open.append((tag, element))
        self.tokens.append(Start(tag, () if element is None else tuple(attributes_of(tag, element))))

    def _close(self, element: Any) -> None:
        """End an element, if it was written, and all inside it."""
        if any(opened is element for _, opened in self._open):
            while self._close_last() is not element:
                pass

    def _close_last(self) -> Any:
        """End the innermost block element, and return it; None if it is implied."""
        tag, element = self._open.pop()
        self.tokens.append(End(tag))
        return element

    def _separate(self, core: str, run: Run, *, spaced: bool) -> None:
        """Write the separator between a text and the previous one: nothing, a space, a line break, a new paragraph."""
        previous = self.tokens[-1] if self.tokens else ""
        shared = self._shared_inline()
        if not self._at_start():
            if self._breaks > 1 and self._open[-1:] and self._open[-1][0] == "p" and not self._cut:
                self._end_inline(0)
                self._close_last()
                self._begin("p", None)
            else:
                self._end_inline(shared)
                if self._cut or self._breaks:
                    self.tokens.append(BREAK)
                elif spaced or (isinstance(previous, str) and is_space_missing(previous, core, *run)):
                    self.tokens.append(" ")
        self._cut, self._breaks = False, 0

    def _at_start(self) -> bool:
        """Return whether the last token is the start or end of a block element, so that no separator is needed."""
        last = self.tokens[-1] if self.tokens else Start("p")
        return not isinstance(last, str) and last.tag in BLOCK_TAGS

    def _shared_inline(self) -> int:
        """Return how many of the open inline elements also apply to the next text."""
        shared = 0
        for (tag, element), next_tag in zip(self._open_inline, self._inline, strict=False):
            if tag != next_tag or (tag in _DISTINCT and element is not self._inline[next_tag][-1]):
                break
            shared += 1
        return shared

    def _mark_up(self) -> None:
        """End and start inline elements, so that those around the next text are open."""
        shared = self._shared_inline()
        self._end_inline(shared)
        for tag, elements in islice(self._inline.items(), shared, None):
            element = elements[-1]
            link = (("href", link_of(element, self._base_url)),) if tag == "a" else ()
            self.tokens.append(Start(tag, (*link, *attributes_of(tag, element))))
            self._open_inline.append((tag, element))

    def _end_inline(self, keep: int) -> None:
        """End the innermost inline elements until ``keep`` are open."""
        while len(self._open_inline) > keep:
            self.tokens.append(End(self._open_inline.pop()[0]))


def _checkbox(item: Any) -> Any:
    """Return the checkbox at the beginning of a list item, None without one."""
    for element in islice(item.iter("*"), _MAX_CHECKBOX_NODES):
        if element.tag == "input":
            return element if element.get("type", "").lower() == "checkbox" else None
        if element.text and not element.text.isspace():
            break
    return None


def _divides(element: Any) -> bool:
    """Return whether an element separates blocks of text; one without visible text is inline, like a letter."""
    divides = _tag_divides(element.tag)
    return divides and not ((element.tag in _CONTROLS or "-" in element.tag) and _is_in_line(element))


@remembered(1 << 10)
def _tag_divides(tag: str) -> bool:
    """Return whether elements with this tag separate blocks of text."""
    return tag in BLOCKS or GROUPS[tag] > Group.BREAK or tag == "html"


def _is_in_line(element: Any) -> bool:
    """Return whether an element (or an inline one around it) is next to text or in an inline-only element."""
    for _ in range(_MAX_LINE_LEVELS):
        previous, outer = element.getprevious(), element.getparent()
        if outer is None:
            break
        adjacent_texts = (outer.text if previous is None else previous.tail, element.tail)
        if BLOCKS.get(outer.tag) in _DIRECT or any(text and not text.isspace() for text in adjacent_texts):
            return True
        if GROUPS[outer.tag] not in (Group.INLINE, Group.LINK):
            break
        element = outer
    return False


def attributes_of(tag: str, element: Any) -> Iterator[tuple[str, str]]:
    """Yield the few attributes that carry meaning, for an element that is written as ``tag``."""
    for name, minimum, maximum in _NUMBERS.get(tag, ()):
        if (value := _number(element.get(name))) is not None and minimum <= value <= maximum:
            yield name, str(value)
    if tag == "ol" and element.get("reversed") is not None:
        yield "reversed", ""
    elif tag == "input":
        yield from (("type", "checkbox"), ("disabled", ""), *[("checked", "")] * (element.get("checked") is not None))
    elif tag in ("pre", "code"):
        if language := _language(element) if tag == "pre" else _stated_language(element, by_name=False):
            yield "class", f"language-{language}"
    elif tag == "blockquote" and (kind := ALERT.search(element.get("class", ""))):
        yield "class", kind[0]
    elif tag in _KEPT and (text := one_line(element.get(_KEPT[tag]))):
        yield _KEPT[tag], text


def _language(element: Any) -> str:
    """Return the language stated by preformatted text, the code in it or the elements around it; "" if none."""
    inner = (child for child in islice(element, _MAX_CHILDREN) if child.tag in _CODE)
    wrappers = takewhile(_wraps_code, islice(element.iterancestors(), _MAX_LANGUAGE_LEVELS))
    return next(filter(None, map(_stated_language, (element, *inner, *wrappers))), "")


def _wraps_code(element: Any) -> bool:
    """Return whether an element around code contains little else."""
    is_wrapper = element.tag in _WRAPPERS or "-" in element.tag
    return is_wrapper and next(islice(element, _MAX_CHILDREN, None), None) is None


def _stated_language(element: Any, *, by_name: bool = True) -> str:
    """Return the language that an element's attributes state or, with ``by_name``, the name of one of its classes."""
    stated = [element.get("class", "")]
    stated += (value if ":" in value else f"lang-{value}" for name, value in element.items() if _ATTRIBUTE.match(name))
    names: list[tuple[str, str]] = [(name, prefix) for prefix, name in _PREFIXED.findall(" ".join(stated).lower())]
    if by_name and (element.tag in _CODE or _CODE_CLASS.search(stated[0])):
        names += [(name, "") for name in (*stated[0].lower().split(), element.get("lang", ""))]
    for name, prefix in names:
        if name in code_languages() or (prefix and element.tag in _CODE and name not in _NO_LANGUAGE):
            return name
    return ""


def link_of(element: Any, base_url: str | None) -> str:
    """Return the URL of a link, absolute if there is a base; empty if there is no URL that is safe to follow."""
    href = _IGNORED_IN_URL.sub("", element.get("href", "")).strip("".join(map(chr, range(33))))
    found = resolved(href, base_url) if base_url and href else href
    address = None if found is None else parsed(found)
    return found if found and address is not None and address.scheme in _LINKS else ""


def _number(value: str | None) -> int | None:
    """Return a whole number of at most nine digits, None for any other text."""
    value = (value or "").strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None
