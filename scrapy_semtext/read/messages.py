"""Pages of one message of a mailing list, a newsgroup or a board.

A message begins with its head: lines near each other, in a list, a table or preformatted text, each with a label (From,
Date, Subject) and its value; or below the title, in an archive with links to the messages before and after, a line with
a name and an address and one with a date. Its subject is the title of the page, unless such links say that this is an
archive. A page with several heads of the same form is a thread, not a message. The text ends where links to other
messages begin or, without these, at a rule beside the element that it begins in.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import timezone
from email.utils import parsedate_to_datetime
from itertools import chain, dropwhile, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from scrapy_semtext.page import Message
from scrapy_semtext.read.dates import read_dates
from scrapy_semtext.read.metadata import person_name
from scrapy_semtext.reading import reader
from scrapy_semtext.tree.elements import text_line
from scrapy_semtext.tree.parsing import base_url, language
from scrapy_semtext.utils.address import resolved, without_fragment
from scrapy_semtext.words.characters import letters_of, one_line
from scrapy_semtext.words.cues import SUBJECT, days_in
from scrapy_semtext.words.word_tables import alternatives, labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy_semtext.reading import Models, Reading
    from scrapy_semtext.tree.nodes import PageNodes

_KINDS = ("author", "date", "subject", "id", "parents", "other")
_SEVERAL = ("parents", "other")  # kinds of lines that a head may have more than one of
_NAMES = "|".join(f"(?P<{kind}>{alternatives('message ' + kind)})" for kind in _KINDS)
_FIELD = re.compile(rf"\W{{0,3}}(?:{_NAMES})\s?(?:[:：]\s*(?P<value>.*)|$)", re.IGNORECASE)
_LABELLED = re.compile(r"[^\n:]{1,30}:\s?[^\n]{0,400}")  # a line of a head with another label
_HEADER = re.compile(r"[\w-]{1,40}:\s|\s+\S")  # the same in preformatted text
_PARENTS, _REPLIES, _NEAR = (alternatives(f"message {name}") for name in ("parents", "replies", "neighbours"))
_ARCHIVE, _LEADS_ON = (
    re.compile(rf"\W{{0,3}}(?:{names})\s?(?:[:：\])|>]|$)", re.IGNORECASE)
    for names in (_NEAR, f"{_NEAR}|{_PARENTS}|{_REPLIES}")
)
_RELATION = re.compile(rf"\W*(?:(?P<parent>{_PARENTS})|{_REPLIES})\W*", re.IGNORECASE)
_BY = labels("by", r"\W{0,3}{}")
_ADDRESS = re.compile(
    r"[<(\[]?(?:mailto:)?[\w.+=-]{1,64}(?:(?:@|_at_|\s?[(\[]at[)\]]\s?)[\w…-]{1,63}|\sat\s[\w-]{1,63}(?=\.\w))"
    r"(?:\.[\w-]{1,63}){0,5}[>)\]]?",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"[<(\[]([^<>()\[\]]*)[>)\]]")
_VIA = re.compile(r" via .*|^'|'(?= ?<|$)", re.IGNORECASE)
_ID = re.compile(r"<([^<>\s@]{1,200}@[^<>\s]{1,100})>")
_REPLY = re.compile(rf"\s*(?:{SUBJECT}|(?:odp|ynt|rif|r|答复)\s*[:：])\s*", re.IGNORECASE)
#: A tag in a subject, such as that of a list.
TAG = re.compile(r" ?\[([^\[\]]{1,40})\] ?")
_RECEIVED = re.compile(rf"\W{{0,3}}(?:{alternatives('message received')})\W", re.IGNORECASE)
_RULE = re.compile(r"\s*[_=*~-]{5,}\s*")
_OF_LIST = re.compile(rf"(?s)(?=.*(?:://|@))(?=.*(?:{alternatives('message list')}))", re.IGNORECASE)

_MAX_HEAD_LINES, _MAX_FIELD_CHARS, _MAX_LABEL_CHARS, _MAX_NAME_CHARS = 30, 400, 60, 24
# Characters above a head, and in a block below a message, outside links.
_MAX_CHARS_ABOVE, _MAX_CHARS_BELOW = 800, 300
_MIN_NEIGHBOURS = 2  # texts that lead through an archive
_MAX_FOOTER_LINES, _MAX_SIGNATURE_LINES = 12, 8
_LINKED = 0.5  # share of a block that leads elsewhere
_ENDS = frozenset(("hr", "footer", "nav", "form", "address"))  # elements behind a message
_CELLS, _LISTS = frozenset(("dt", "th", "td")), frozenset(("ul", "ol", "dl"))
_NEW_LINES = frozenset("br dt hr li p tr".split())  # elements before which a label ends
_MAX_LEVELS = 6  # elements around a link that may begin with its label


class _Head(NamedTuple):
    """The head of a message: its first block, the block and the line where the text behind it begins, its values."""

    first: int
    block: int
    line: int
    values: dict[str, str]


def message_in(nodes: PageNodes, url: str | None, title: str) -> tuple[Message, tuple[int, int]] | None:
    """Return the message that a page shows with the first and the end of its blocks, None for other pages.

    The blocks are those of the search phase; ``title`` is the text of <title>.
    """
    head = _head_of(nodes) or _signed(nodes)
    if head is None or not _is_of_page(nodes, head, title):
        return None
    first, last, text = _body(nodes, head)
    values = head.values
    (date,) = read_dates([values["date"]], nodes.texts, language(nodes.root))
    if not text or date is None or not date[:4].isdigit():
        return None
    parents, replies = _links(nodes.root, base_url(nodes.root, url) or url)
    message = Message(
        subject=one_line(values.get("subject") or _heading(nodes) or title),
        text=text,
        author=_author(values["author"]),
        date=date,
        sent=_sent(values["date"], date),
        ids=_ID.findall(values.get("id", "")),
        parents=[*_ID.findall(values.get("parents", "")), *parents],
        replies=replies,
    )
    return message, (first, last)


def _fields(nodes: PageNodes) -> Iterator[tuple[int, int, int, str, str]]:
    """Yield the labelled values of blocks that begin with one; of blocks of several lines, up to an empty line.

    Each has its block, the block and the line where the text behind it begins, its kind and its value.
    """
    texts = nodes.texts
    for block, text in enumerate(texts):
        begin = text[:_MAX_NAME_CHARS]  # a much faster test
        if ":" not in begin and "：" not in begin and (text != begin or nodes.blocks[block].scope.tag not in _CELLS):
            continue
        lines = text.split("\n", _MAX_HEAD_LINES)[:_MAX_HEAD_LINES]
        for number, line in enumerate(lines):
            match = _FIELD.match(line[:_MAX_FIELD_CHARS])
            if match is None and (not number or not line.strip()):
                break
            if match is not None:
                value, end = (match["value"] or "").strip(), (block, number + 1)
                if not value and len(lines) == 1 and block + 1 < len(texts):
                    value, end = texts[block + 1].partition("\n")[0], (block + 2, 0)
                yield block, *end, next(kind for kind in _KINDS if match[kind]), value


def _head_of(nodes: PageNodes) -> _Head | None:
    """Return the first group of labelled values with an author and a date; None if another is in such an element."""
    heads: list[_Head] = []
    for first, block, line, kind, value in _fields(nodes):
        between = nodes.texts[heads[-1].block + bool(heads[-1].line) : first] if heads else ()
        is_new = not heads or (kind in heads[-1].values and kind not in _SEVERAL)
        if is_new or not all(map(_LABELLED.fullmatch, between)):
            heads.append(_Head(first, block, line, {kind: value}))
        else:
            heads[-1] = heads[-1]._replace(block=block, line=line, values={kind: value, **heads[-1].values})
    full = [head for head in heads if head.values.get("author") and days_in(head.values.get("date", ""))]
    paths = [_path(nodes, head.first) for head in full]
    is_name = bool(full) and any(map(str.isalpha, full[0].values["author"])) and not days_in(full[0].values["author"])
    return full[0] if is_name and paths[0] not in paths[1:] else None


def _signed(nodes: PageNodes) -> _Head | None:
    """Return the head of a page of an archive of which one block, below the title, has a name or address and a date."""
    title = next((block for block, level in enumerate(nodes.block_headings) if 0 < level <= 3), None)
    if title is None or not any(map(_is_byline, nodes.texts[title + 1 : title + 5])) or not _is_in_archive(nodes):
        return None
    bylines = [block for block, text in enumerate(nodes.texts) if block > title and _is_byline(text)]
    if _path(nodes, bylines[0]) in (_path(nodes, block) for block in bylines[1:]):
        return None
    lines = nodes.texts[bylines[0]].split("\n")
    author = next((line for line in lines if _is_byline(line, dated=False)), lines[0])
    date = next((number for number, line in enumerate(lines) if days_in(line)), 0)
    values = {"author": (_BY.match(author) and person_name(author)) or author, "date": lines[date]}
    return _Head(title, bylines[0], date + 1, {**values, "subject": nodes.texts[title]})


def _is_byline(text: str, *, dated: bool = True) -> bool:
    """Return whether a short text names an author, after "by" or with an address, and, if ``dated``, a day."""
    is_short = len(text) <= _MAX_FIELD_CHARS
    return is_short and bool(_BY.match(text) or _ADDRESS.search(text)) and (not dated or bool(days_in(text)))


def _path(nodes: PageNodes, block: int) -> list[str]:
    """Return the tags of the four innermost elements around a block."""
    return [scope.tag for scope in islice(nodes.blocks[block].scope.ancestry(), 4)]


def _is_in_archive(nodes: PageNodes) -> bool:
    """Return whether texts of a page, even in a <map>, which is in no block, lead through an archive of messages."""
    return sum(_ARCHIVE.match(text.strip()) is not None for text in nodes.root.itertext()) >= _MIN_NEIGHBOURS


def _heading(nodes: PageNodes) -> str:
    """Return the text of the first <h1>, "" without one."""
    return next((text for text, level in zip(nodes.texts, nodes.block_headings, strict=True) if level == 1), "")


def _is_of_page(nodes: PageNodes, head: _Head, title: str) -> bool:
    """Return whether a head is that of the whole page, and not part of a text that quotes a message."""
    if sum(len(block.text) - block.link_chars for block in nodes.blocks[: head.first]) > _MAX_CHARS_ABOVE:
        return False
    subject = letters_of(split_subject(head.values.get("subject", ""))[0])
    page_names = letters_of(f"{title} {_heading(nodes)}")
    return (bool(subject) and subject in page_names) or _is_in_archive(nodes)


def _author(text: str) -> str | None:
    """Return the name in the value of a head, or the local part of its address if it has no name."""
    text = _VIA.sub("", one_line(text[:_MAX_FIELD_CHARS]))
    address, without_address = _ADDRESS.search(text), _ADDRESS.sub(" ", text)
    for name in (_BRACKETS.sub(" ", without_address), _BRACKETS.sub(r"\1", without_address)):
        if any(map(str.isalpha, name)):
            return one_line(name).strip(' ,;:<>()"')
    return address and re.split(r"@|\W?at\W", address[0].strip("<([ "))[0]


def _sent(text: str, date: str) -> str:
    """Return when a message was sent, in UTC if it says so, for comparisons."""
    with suppress(ValueError, TypeError, OverflowError):
        sent = parsedate_to_datetime(text)
        return (sent if sent.tzinfo is None else sent.astimezone(timezone.utc)).strftime("%Y-%m-%dT%H:%M:%S")
    return date


def _body(nodes: PageNodes, head: _Head) -> tuple[int, int, str]:
    """Return the first block and the end of the blocks behind a head that are its text, and the text."""
    first, texts = head.block, nodes.texts
    lines = texts[first].split("\n")[head.line :] if head.line and first < len(texts) else []
    begin = "\n".join(dropwhile(_HEADER.match, lines)).strip("\n")
    if not begin:
        lists = {outer for outer in _outward(nodes.blocks[head.first].scope.element) if outer.tag in _LISTS}
        first += bool(head.line)
        while first < len(texts) and (
            _leads_on(nodes, first) or _is_linked(nodes, first) or _is_in(nodes, first, lists)
        ):
            first += 1
    if first >= len(texts):
        return first, first, ""
    unlinked = [len(block.text) - block.link_chars for block in nodes.blocks]
    last_long = max((block for block in range(first, len(texts)) if unlinked[block] > _MAX_CHARS_BELOW), default=first)
    end = next((block for block in range(last_long + 1, len(texts)) if _leads_on(nodes, block)), len(texts))
    # without links to other messages, a rule is the end, otherwise it may stand between the parts of a message
    elements, last = _elements_of(nodes, head.first, first, _ENDS - {"hr"} if end < len(texts) else _ENDS), first + 1
    while last < end and (not elements or _is_in(nodes, last, elements)):
        last += 1
    while last > first + 1 and (nodes.block_headings[last - 1] or _is_linked(nodes, last - 1)):
        last -= 1
    return first, last, _without_end("\n".join([begin or texts[first], *texts[first + 1 : last]]))


def _leads_on(nodes: PageNodes, block: int) -> bool:
    """Return whether a block leads to other messages, or is the label of such blocks."""
    linked = any(each.link_chars for each in nodes.blocks[block : block + 2])
    return linked and any(_LEADS_ON.match(line) for line in nodes.texts[block].split("\n", 3)[:3])


def _is_linked(nodes: PageNodes, block: int) -> bool:
    """Return whether most of a block is links."""
    return nodes.blocks[block].link_chars > _LINKED * len(nodes.texts[block])


def _is_in(nodes: PageNodes, block: int, elements: set[Any]) -> bool:
    """Return whether a block is inside one of these elements."""
    return bool(elements) and not elements.isdisjoint(_outward(nodes.blocks[block].scope.element))


def _outward(element: Any) -> Iterable[Any]:
    """Yield an element and its ancestors, from the inside out."""
    return chain([element], element.iterancestors())


def _elements_of(nodes: PageNodes, head: int, first: int, ends: frozenset[str]) -> set[Any]:
    """Return the element beside a head with the first block of its text, and those behind it up to one of ``ends``.

    Empty if the text is not in an element beside the head.
    """
    element, top = (nodes.blocks[block].scope.element for block in (head, first))
    ancestors = {*_outward(element)}
    if top in ancestors and top is not element:
        return set()
    while top is not element and top.getparent() not in ancestors:
        top = top.getparent()
    elements = {top}
    while (top := top.getnext()) is not None and top.tag not in ends:
        elements.add(top)
    return elements


def _without_end(text: str) -> str:
    """Return the text of a message without when it was received, what the list adds, and the signature."""
    lines = text.rstrip().split("\n")
    if len(lines) > 1 and _RECEIVED.match(lines[-1]) and days_in(lines[-1][:_MAX_FIELD_CHARS]):
        del lines[-1]
    for index in range(max(1, len(lines) - _MAX_FOOTER_LINES), len(lines)):
        if _RULE.fullmatch(lines[index]) and _OF_LIST.match("\n".join(lines[index + 1 :])):
            del lines[index:]
            break
    for index in range(max(1, len(lines) - _MAX_SIGNATURE_LINES), len(lines)):
        if lines[index].rstrip() == "--":
            del lines[index:]
            break
    return "\n".join(lines).strip()


def _links(root: Any, base: str | None) -> tuple[list[str], list[str]]:
    """Return the URLs that a page calls those of messages that this one answers, and of its answers.

    What a link leads to is said by itself, by the text before it, or by that at the beginning of an item around it.
    """
    found: dict[str, list[str]] = {"parent": [], "reply": []}
    label = ""
    for event, element in etree.iterwalk(root, events=("start", "end")):
        is_start, is_link = event == "start", element.tag in ("a", "link")
        if is_start and is_link and (address := resolved(element.get("href", "#"), base) or "").startswith("http"):
            rels = element.get("rel", "").lower().split()
            kind = "parent" if "in-reply-to" in rels or _relation(text_line(element)) == "parent" else _relation(label)
            items = islice(element.iterancestors("li"), _MAX_LEVELS)
            relations = (_relation(next(filter(str.strip, islice(item.itertext(), 3)), "")) for item in items)
            if kind := kind or next(filter(None, relations), ""):
                found[kind].append(without_fragment(address))
        text = (element.text if is_start else element.tail) or ""
        if is_start and element.tag in _NEW_LINES:
            label = ""
        if any(map(str.isalnum, text)) and not (is_start and is_link):
            label = text
    return found["parent"], found["reply"]


def _relation(text: str) -> str:
    """Return what the last line of a text labels: a "parent", a "reply", or ""."""
    match = _RELATION.fullmatch(text[-_MAX_LABEL_CHARS:].strip("\n").rpartition("\n")[2])
    return "" if match is None else "parent" if match["parent"] else "reply"


def split_subject(subject: str, tags: Iterable[str] = ()) -> tuple[str, bool]:
    """Return a subject without "Re:" and the tags of its list, and whether it was that of a reply."""
    is_reply = False
    while subject:
        if match := _REPLY.match(subject):
            is_reply = True
        elif not ((match := TAG.match(subject)) and (match[1].lower() in tags or _REPLY.match(subject, match.end()))):
            break
        subject = subject[match.end() :]
    return subject.strip(), is_reply


@reader(("message", "message_blocks"), asked=lambda _: True)
def message_reader(reading: Reading, _: Models) -> tuple[Message | None, tuple[int, int] | None]:
    """Read the message that a page shows, and where its text is."""
    parsed = reading.parsed
    found = message_in(parsed.raw_tree, reading.source.url, parsed.title) if parsed.raw_blocks else None
    return found or (None, None)
