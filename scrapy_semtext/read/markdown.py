"""Text blocks converted back to clean HTML or Markdown (CommonMark 0.31 with GitHub's tables and deletions).

Only structure and emphasis are kept: no styles, no scripts, images only on request, and no attributes except links and
spans of table cells. Links are made absolute if a base URL is given, and kept only if they lead to the web, a mail
address or a telephone number; ``links=False`` keeps only their text. Time and memory are linear in the part of the tree
between the first and the last text node; nothing is recursive.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from html import escape
from itertools import dropwhile, pairwise, takewhile, zip_longest
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lxml import etree

from scrapy_semtext.read.images import with_captions
from scrapy_semtext.read.outline import BLOCK_TAGS, BREAK, End, Start, Token, outline
from scrapy_semtext.read.title import same_title
from scrapy_semtext.reading import Models, Reading, reader
from scrapy_semtext.tree.letters import plain_letters
from scrapy_semtext.tree.parsing import base_url
from scrapy_semtext.tree.tags import HEADING_LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scrapy_semtext.page import Page
    from scrapy_semtext.tree.segmentation import Run, TextBlock


_EMPHASIS = {"strong": "**", "em": "*", "var": "*", "s": "~~", "del": "~~"}
_LITERAL = frozenset(("code", "kbd", "samp", "pre"))
_LISTS = {"ul": "-*", "ol": ".)"}  # two markers each: adjacent lists with the same marker would merge
_MAX_SPAN = 50  # columns that a table cell may span
_IN_CELLS = frozenset(("p", "dt", "ul", "ol", "pre"))  # blocks that a table cell can contain
_MAX_CELL_CHARS, _MAX_HEADED_CELL_CHARS = 500, 2000  # maximum characters per cell in a table without and with headings
_HARD_BREAK = "  \n"
_ESCAPE = r"\\"  # one backslash, as a replacement
_ESCAPED = r"\\\g<0>"
_ALERT = re.compile(r"^\\\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\\\](?=\s)")
_MAX_NUMBER = 999_999_999  # maximum number of a list item

# Characters with a meaning anywhere; "_" only at the edge of a word, "&" only in a character reference.
_ANYWHERE = re.compile(r"[\\`*\[\]]|(?<![^\W_])_|_(?![^\W_])|<(?=[a-zA-Z/!?])|~(?=~)|&(?=#?\w+;)")
# Syntax at the beginning of a line: heading, quote, list item, fence, underline of a heading or table.
_AT_LINE_START = re.compile(r"^(?=#{1,6}(?:\s|$)|>|[-+](?:\s|$)|~~~|=+[ \t]*$|[-|:][-|: \t]*$)", re.MULTILINE)
_NUMBER_AT_LINE_START = re.compile(r"^(\d{1,9})(?=[.)](?:\s|$))", re.MULTILINE)
_BACKTICKS = re.compile(r"`+")
# Characters that would end a URL or its line, or be read as other syntax.
_CONTROLS = "".join(map(chr, [*range(32), 127]))
_URL_ESCAPES = str.maketrans({character: f"%{ord(character):02X}" for character in f"{_CONTROLS} ()<>\\`|*[]~\"'"})

_TEXT = ("title", "blocks", "main_text")  # the needs of readers
_HOLDERS = frozenset("ul ol dl table thead tbody tfoot tr blockquote figure details".split())


def render_page(
    page: Page,
    blocks: Sequence[TextBlock],
    base_url: str | None = None,
    form: Literal["html", "markdown"] = "markdown",
    *,
    links: bool = True,
    title: bool = True,
    images: Mapping[Any, str] | None = None,
) -> str:
    """Return the main content of a page with its title as heading, as HTML or Markdown; "" if there is none.

    ``blocks`` are the text blocks that ``page.blocks`` describes. If none of them is main content, the lines of the
    main text become paragraphs. The title is omitted if the first heading says the same, or if ``title`` is false.
    ``images`` maps the <img> elements to keep to their URLs; their captions are kept with them.
    """
    main = [source for source, block in zip(blocks, page.blocks, strict=True) if block.is_main]
    runs = [run for block in (with_captions(blocks, main, images) if images else main) for run in block.runs]
    if main:
        runs = _with_images(runs, images) if images else runs
        tokens = outline(runs, base_url, links=links, images=images)
    else:
        lines = [line for line in page.main_text.splitlines() if line.strip()]
        tokens = [token for line in lines for token in (Start("p"), line, End("p"))]
    if title and tokens and page.title and not same_title(_first_heading(tokens), page.title):
        tokens = [Start("h1"), page.title, End("h1"), *tokens]
    return to_html(tokens) if form == "html" else to_markdown(tokens)


def _with_images(runs: list[Run], images: Mapping[Any, str]) -> list[Run]:
    """Return text nodes and images in page order; an image is written like a text at its beginning."""
    kept_runs = set(runs)
    all_runs: list[Run] = []
    for event, element in etree.iterwalk(runs[0][0].getroottree(), events=("start", "end", "comment", "pi")):
        if event == "start" and (element in images or (element, False) in kept_runs):
            all_runs.append((element, False))
        elif event != "start" and (element, True) in kept_runs:
            all_runs.append((element, True))
    return all_runs


def _first_heading(tokens: Iterable[Token]) -> str:
    """Return the text of the first heading, "" without one."""
    begun = dropwhile(lambda token: not (isinstance(token, Start) and token.tag in HEADING_LEVELS), tokens)
    inside = takewhile(lambda token: not (isinstance(token, End) and token.tag in HEADING_LEVELS), begun)
    return "".join(token for token in inside if isinstance(token, str))


def to_html(tokens: Iterable[Token]) -> str:
    """Write an outline as an HTML fragment, one block element per line; all text is escaped."""
    tokens = list(tokens)
    return "".join(map(_to_html, tokens, ["", *tokens])).strip("\n")


def _to_html(token: Token, previous: Token) -> str:
    """Return a token as HTML; after the start of an exponent, its letters are converted back to plain ones."""
    if isinstance(token, Start):
        attributes = "".join(f' {name}="{escape(value)}"' for name, value in token.attributes)
        return f"<{token.tag}{attributes}>" + "\n" * (token.tag in _HOLDERS or token == BREAK)
    if isinstance(token, End):
        return f"</{token.tag}>" + "\n" * (token.tag in BLOCK_TAGS)
    is_power = isinstance(previous, Start) and previous.tag in ("sup", "sub")
    return escape(plain_letters(token) if is_power else token, quote=False)


class _Chunk(NamedTuple):
    """A block of finished Markdown, its type of element, and a list's marker or an item's number."""

    text: str
    tag: str
    marker: str = ""


class _Cell(NamedTuple):
    """A table cell: its blocks, whether it is a heading, and how many columns and rows it spans."""

    chunks: list[_Chunk]
    heads: bool
    span: int
    rows: int


@dataclass(slots=True)
class _Frame:
    """An open element."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)  # inline content since the last block inside
    chunks: list[_Chunk] = field(default_factory=list)
    cells: list[_Cell] = field(default_factory=list)  # of the current table row
    rows: list[list[_Cell]] = field(default_factory=list)  # of a table or a table section

    def flush(self) -> None:
        """Convert the pending inline content to a paragraph."""
        text = _AT_LINE_START.sub(_ESCAPE, "".join(self.words).strip())
        self.words = []
        if text:
            self.chunks.append(_Chunk(_NUMBER_AT_LINE_START.sub(r"\1\\", text), "p"))


def to_markdown(tokens: Sequence[Token]) -> str:
    """Write an outline as Markdown; literal syntax in the text is escaped."""
    writer = _MarkdownWriter()
    for token, following in zip(tokens, _following(tokens), strict=True):
        if isinstance(token, End):
            writer.end(token.tag, following)
        elif isinstance(token, str):
            writer.write(_ANYWHERE.sub(_ESCAPED, token), token)
        elif token == BREAK:
            writer.write(_HARD_BREAK, "\n")
        elif token.tag == "input":
            writer.write("[x]" if ("checked", "") in token.attributes else "[ ]")
        else:
            writer.start(token)
    return writer.finish()


def _following(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield for each token the first character of the text after it, "" if a block boundary comes first."""
    characters = []
    character = ""
    for token in reversed(tokens):
        characters.append(character)
        if isinstance(token, str):
            character = token[:1]
        elif token.tag in BLOCK_TAGS or token == BREAK:
            character = ""
    return reversed(characters)


class _MarkdownWriter:
    """Maintains a stack of open elements; each becomes text when it ends and is added to its parent."""

    def __init__(self) -> None:
        self._stack = [_Frame("")]
        self._literal = 0  # number of open code elements

    def start(self, token: Start) -> None:
        """Begin an element."""
        if token.tag in BLOCK_TAGS:
            self._stack[-1].flush()
        self._literal += token.tag in _LITERAL
        self._stack.append(_Frame(token.tag, dict(token.attributes)))

    def write(self, text: str, literal: str | None = None) -> None:
        """Add inline content: in code ``literal``, if given, elsewhere ``text``."""
        self._stack[-1].words.append(literal if literal is not None and self._literal else text)

    def end(self, tag: str, following: str) -> None:
        """End the innermost element, whose tag is ``tag``; ``following``: the character after it, see `_following`."""
        frame, outer = self._stack.pop(), self._stack[-1]
        self._literal -= tag in _LITERAL
        if tag in BLOCK_TAGS:
            _end_block(frame, outer)
        elif self._literal:
            outer.words += frame.words
        elif tag in _EMPHASIS and all(_EMPHASIS.get(open_.tag) != _EMPHASIS[tag] for open_ in self._stack):
            outer.words.append(_emphasis(tag, "".join(frame.words), self._last_char(), following))
        else:
            if tag == "a" and outer.words and outer.words[-1][-1:] == "!":  # "!" would turn the link into an image
                outer.words[-1] = f"{outer.words[-1][:-1]}\\!"
            in_cell = any(open_.tag in ("td", "th") for open_ in self._stack)
            outer.words.append(_inline(frame, self._last_char(), in_cell=in_cell))

    def _last_char(self) -> str:
        """Return the last character that was written, "" at the beginning of a block or after a mark."""
        for frame in reversed(self._stack):
            if frame.words:
                return frame.words[-1][-1:]
            if frame.tag in BLOCK_TAGS or frame.tag in _EMPHASIS or frame.tag == "a":
                break
        return ""

    def finish(self) -> str:
        """Return the Markdown of all elements."""
        self._stack[0].flush()
        return _joined(self._stack[0].chunks)


def _emphasis(tag: str, text: str, last_char: str, following: str) -> str:
    """Mark emphasis, with an HTML tag where Markdown's marks would not be recognized.

    They are not between a letter and punctuation, as in "**Note:**text" (CommonMark 6.2), nor next to the same mark.
    """
    mark = _EMPHASIS[tag]
    is_unrecognized = _is_sign(text[:1]) and _is_letter(last_char), _is_sign(text[-1:]) and _is_letter(following)
    tildes = mark == "~~" and "~" in (text[:1], text[-1:], following)
    if any(is_unrecognized) or last_char == mark[0] or tildes:
        return f"<{tag}>{text}</{tag}>"
    return f"{mark}{text}{mark}"


def _is_sign(character: str) -> bool:
    """Return whether a character is punctuation or a symbol, which CommonMark treats as punctuation from 0.31 on."""
    return character != "" and unicodedata.category(character)[0] in "PS"


def _is_letter(character: str) -> bool:
    """Return whether a character is neither white space nor, in any version of CommonMark, punctuation."""
    if character == "" or character.isspace():
        return False
    return not (_is_sign(character) if character.isascii() else unicodedata.category(character)[0] == "P")


def _inline(frame: _Frame, last_char: str, *, in_cell: bool) -> str:
    """Return the Markdown of an inline element that is not emphasis; ``last_char``: the character before it."""
    text = "".join(frame.words)
    if frame.tag in _LITERAL:
        # Two adjacent code spans would merge, and a pipe after a backslash cannot be escaped in one.
        if last_char == "`" or (in_cell and "\\|" in text):
            return f"<{frame.tag}>{_ANYWHERE.sub(_ESCAPED, text)}</{frame.tag}>"
        return _code(text)
    if frame.tag == "a":
        return f"[{text}]({frame.attributes['href'].translate(_URL_ESCAPES)})"
    return text


def _code(text: str) -> str:
    """Return a code span; its fence is longer than any run of backticks inside."""
    text = " ".join(text.split("\n"))
    fence = "`" * (1 + max(map(len, _BACKTICKS.findall(text)), default=0))
    pad = " " if len(fence) > 1 else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _end_block(frame: _Frame, outer: _Frame) -> None:
    """Add a finished block to the parent element."""
    tag = frame.tag
    if tag == "pre":
        outer.chunks.append(_fenced("".join(frame.words), frame.attributes.get("class", "")))
        return
    frame.flush()
    if tag in ("td", "th"):
        span, rows = (int(frame.attributes.get(name, 1)) for name in ("colspan", "rowspan"))
        outer.cells.append(_Cell(frame.chunks, tag == "th", min(span, _MAX_SPAN), rows))
    elif tag == "tr":
        outer.rows.append(frame.cells)
    elif tag in ("thead", "tbody", "tfoot"):
        heads = tag == "thead"
        outer.rows += [[cell._replace(heads=heads or cell.heads) for cell in row] for row in frame.rows]
    elif frame.chunks or frame.rows:
        outer.chunks += _blocks(frame, outer)


def _blocks(frame: _Frame, outer: _Frame) -> list[_Chunk]:
    """Return the Markdown of a block; for most elements, it is that of the blocks in them."""
    tag, chunks = frame.tag, frame.chunks
    if tag in _LISTS:
        return [_list(frame, outer.chunks[-1] if outer.chunks else None)]
    if tag == "li":
        return [_Chunk(_item(chunks), tag, frame.attributes.get("value", ""))]
    if tag == "blockquote":
        return [_Chunk(_prefixed(_alert(chunks, frame.attributes.get("class", "")), "> ", "> "), tag)]
    if tag == "table":
        return chunks + _table(frame.rows)
    if tag[0] == "h" or tag == "dt":
        line = " ".join(" ".join(chunk.text.split()) for chunk in chunks)
        if tag == "dt":
            return [_Chunk(line if "**" in line else f"**{line}**", tag)]
        return [_Chunk(f"{'#' * int(tag[1])} {_with_closing_hashes(line)}", tag)]
    return chunks


def _alert(chunks: list[_Chunk], name: str) -> str:
    """Return the blocks of a quotation; one that is an alert of GitHub (rendered or source) begins with its type."""
    kind = name.rpartition("-")[2].upper()
    if kind:
        untitled = chunks[0].text.upper() == kind
        return f"[!{kind}]\n{_joined(chunks[untitled:])}"
    return _ALERT.sub(r"[!\1]", _joined(chunks))


def _with_closing_hashes(line: str) -> str:
    """Return the text of a heading, extended if a "#" at its end would be parsed as the closing sequence."""
    without_hashes = line.rstrip("#")
    return line if without_hashes == line else f"{without_hashes}\\{line[len(without_hashes) :]}"


def _fenced(text: str, language: str) -> _Chunk:
    """Return preformatted text as a fenced code block; ``language`` is its class, such as language-python."""
    text = "\n".join(map(str.rstrip, text.splitlines())).strip("\n")
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))
    return _Chunk(f"{fence}{language.removeprefix('language-')}\n{text}\n{fence}", "pre")


def _list(frame: _Frame, previous: _Chunk | None) -> _Chunk:
    """Return a list; its marker differs from that of a list directly before it (``previous``)."""
    markers = _LISTS[frame.tag]
    marker = markers[1] if previous is not None and previous.marker == markers[0] else markers[0]
    items = []
    step = -1 if "reversed" in frame.attributes else 1
    number = int(frame.attributes.get("start", 1 if step == 1 else len(frame.chunks)))
    for remaining, chunk in zip(range(len(frame.chunks), 0, -1), frame.chunks, strict=True):
        number = min(int(chunk.marker or number), max(1, _MAX_NUMBER - remaining))
        bullet = f"{max(number, 0)}{marker} " if frame.tag == "ol" else f"{marker} "
        items.append(_prefixed(chunk.text, bullet, " " * len(bullet)))
        number += step
    is_loose = any("\n\n" in chunk.text for chunk in frame.chunks)
    return _Chunk(("\n\n" if is_loose else "\n").join(items), frame.tag, marker)


def _item(chunks: list[_Chunk]) -> str:
    """Return the blocks of a list item, with an empty line between them unless a list follows a paragraph."""
    parts = [chunks[0].text]
    for previous, chunk in pairwise(chunks):
        follows = previous.tag == "p" and (chunk.tag == "ul" or (chunk.tag == "ol" and chunk.text[:2] in ("1.", "1)")))
        parts += ("\n" if follows else "\n\n", chunk.text)  # other list numbers cannot interrupt a paragraph
    return "".join(parts)


def _table(rows: list[list[_Cell]]) -> list[_Chunk]:
    """Write a data table as a table, and a layout table as its cells' blocks; columns without text are dropped."""
    rows = [row for row in rows if row]
    grid = _grid(rows)
    used = [column for column, texts in enumerate(zip_longest(*grid)) if any(texts)]
    if not any(sum(map(bool, line)) > 1 for line in grid) or not _holds_data(rows):
        return [chunk for row in rows for cell in row for chunk in cell.chunks]
    lines = [[line[column] for column in used if column < len(line)] for line in grid]
    head = lines.pop(0) if all(cell.heads or not cell.chunks for cell in rows[0]) else []
    lines = [head + [""] * (len(used) - len(head)), ["---"] * len(used), *lines]
    return [_Chunk("\n".join(f"| {' | '.join(line)} |" for line in lines), "table")]


def _holds_data(rows: list[list[_Cell]]) -> bool:
    """Return whether every cell is one paragraph, or several rows have only short blocks that fit on a line."""
    cells = [cell for row in rows for cell in row]
    if all(len(cell.chunks) < 2 and (not cell.chunks or cell.chunks[0].tag == "p") for cell in cells):
        return True
    longest = _MAX_HEADED_CELL_CHARS if any(cell.heads for cell in cells) else _MAX_CELL_CHARS
    chunks = [chunk for cell in cells for chunk in cell.chunks]
    return len(rows) > 1 and all(chunk.tag in _IN_CELLS and len(chunk.text) <= longest for chunk in chunks)


def _grid(rows: list[list[_Cell]]) -> list[list[str]]:
    """Return the text of each cell by row and column; "" where another cell spans it."""
    grid = []
    spanned: dict[int, int] = {}  # by column, the row number to which a cell above extends
    for number, row in enumerate(rows):
        line: list[str] = []
        for cell in row:
            while spanned.get(len(line), 0) > number:
                line.append("")
            columns = range(len(line), min(len(line) + cell.span, _MAX_SPAN))
            spanned.update(dict.fromkeys(columns, number + cell.rows))
            line += [_line_of_cell(cell.chunks), *[""] * (cell.span - 1)]
        grid.append(line)
    return grid


def _line_of_cell(chunks: list[_Chunk]) -> str:
    """Write blocks on one line, with those of lists and code separated by line breaks."""
    lines = []
    for chunk in chunks:
        if chunk.tag == "pre":
            lines += [_code(line) for line in chunk.text.split("\n")[1:-1] if line]
        elif chunk.tag in _LISTS:
            lines += [line.strip() for line in chunk.text.split("\n") if line]
        else:
            lines.append(" ".join(chunk.text.split()))
    return "<br>".join(lines).replace("|", r"\|")


def _joined(chunks: list[_Chunk]) -> str:
    """Return blocks with an empty line between them."""
    return "\n\n".join(chunk.text for chunk in chunks)


def _prefixed(text: str, first: str, indent: str) -> str:
    """Indent the first line with ``first`` and the others with ``indent``, without trailing white space."""
    begin, *others = text.split("\n")
    return "\n".join([first + begin, *(indent + line if line else indent.rstrip() for line in others)])


@reader("markdown", _TEXT, asked=lambda options: options.markdown)
def markdown_reader(reading: Reading, _: Models) -> str:
    """Write the main text as Markdown."""
    page, parsed = reading.page, reading.parsed
    return render_page(page, parsed.text_blocks, base_url(parsed.root, page.url), links=reading.options.links)


@reader("main_html", (*_TEXT, "images"), asked=lambda options: options.main_html)
def main_html_reader(reading: Reading, _: Models) -> str:
    """Write the main text as HTML, with its images."""
    page, blocks, base = reading.page, reading.parsed.text_blocks, base_url(reading.parsed.root, reading.page.url)
    links = reading.options.links
    return render_page(page, blocks, base, "html", links=links, title=False, images=reading.images)
