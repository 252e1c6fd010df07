"""Text blocks converted back to clean HTML or Markdown, from their tree nodes.

Only structure and emphasis are kept: no styles, no scripts, images only on request, and no attributes except links and
spans of table cells. Links are made absolute if a base URL is given, and kept only if they lead to the web, a mail
address or a telephone number; ``links=False`` keeps only their text. Time and memory are linear in the part of the tree
between the first and the last text node; nothing is recursive.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from html import escape
from itertools import dropwhile, takewhile
from typing import TYPE_CHECKING, Any, Literal

from lxml import etree

from scrapy_semtext.dom.letters import plain_letters
from scrapy_semtext.dom.tags import HEADING_LEVELS
from scrapy_semtext.dom.tree import base_url
from scrapy_semtext.output.images import main_images, with_captions
from scrapy_semtext.output.markdown import to_markdown
from scrapy_semtext.output.metadata import PARTS, markup_of, metadata_of
from scrapy_semtext.output.outline import BLOCK_TAGS, BREAK, End, Start, outline
from scrapy_semtext.output.page_details import details_of
from scrapy_semtext.output.title import same_title
from scrapy_semtext.utils.address import address_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scrapy_semtext.dom.segmentation import Run, TextBlock
    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.options import Options
    from scrapy_semtext.output.outline import Token
    from scrapy_semtext.page import Page


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
    runs = _with_images(_runs(with_captions(blocks, main, images)), images) if images else _runs(main)
    tokens = outline(runs, base_url, links=links, images=images) if main else _paragraphs(page.main_text)
    if title and tokens and page.title and not same_title(_first_heading(tokens), page.title):
        tokens = [Start("h1"), page.title, End("h1"), *tokens]
    return to_html(tokens) if form == "html" else to_markdown(tokens)


def _with_images(runs: list[Run], images: Mapping[Any, str]) -> list[Run]:
    kept = set(runs)
    every: list[Run] = []
    for event, element in etree.iterwalk(runs[0][0].getroottree(), events=("start", "end", "comment", "pi")):
        if event == "start" and (element in images or (element, False) in kept):
            every.append((element, False))
        elif event != "start" and (element, True) in kept:
            every.append((element, True))
    return every


def _paragraphs(text: str) -> list[Token]:
    lines = [line for line in text.splitlines() if line.strip()]
    return [token for line in lines for token in (Start("p"), line, End("p"))]


def _first_heading(tokens: Iterable[Token]) -> str:
    """Return the text of the first heading, "" without one."""
    begun = dropwhile(lambda token: not (isinstance(token, Start) and token.tag in HEADING_LEVELS), tokens)
    inside = takewhile(lambda token: not (isinstance(token, End) and token.tag in HEADING_LEVELS), begun)
    return "".join(token for token in inside if isinstance(token, str))


def _runs(blocks: Iterable[TextBlock]) -> list[Run]:
    return [run for block in blocks for run in block.runs]


def to_html(tokens: Iterable[Token]) -> str:
    """Write an outline as an HTML fragment, one block element per line; all text is escaped."""
    tokens = list(tokens)
    return "".join(map(_written, tokens, ["", *tokens])).strip("\n")


def _written(token: Token, last: Token) -> str:
    if isinstance(token, Start):
        attributes = "".join(f' {name}="{escape(value)}"' for name, value in token.attributes)
        return f"<{token.tag}{attributes}>" + "\n" * (token.tag in _HOLDERS or token == BREAK)
    if isinstance(token, End):
        return f"</{token.tag}>" + "\n" * (token.tag in BLOCK_TAGS)
    is_power = isinstance(last, Start) and last.tag in ("sup", "sub")
    return escape(plain_letters(token) if is_power else token, quote=False)


def add_on_demand(page: Page, parsed: ParsedPage, options: Options, kinds: dict[str, float]) -> None:
    """Add the optional results to a page with main text; ``kinds`` has the probabilities of page kinds, if known."""
    blocks, links = parsed.text_blocks, options.links
    base = base_url(parsed.root, page.url)
    if options.markdown:
        page.markdown = render_page(page, blocks, base, links=links)
    wants_images = options.main_html or options.details
    images = main_images(parsed.root, blocks, page.blocks, base) if wants_images else {}
    if options.main_html:
        page.main_html = render_page(page, blocks, base, "html", links=links, title=False, images=images)
    if not options.reads_metadata:
        return
    stated = list(markup_of(parsed.root)) if options.markup else []
    metadata = metadata_of(parsed.root, page.main_text, page.url, stated=stated, title=page.title)
    for name in PARTS:
        setattr(page, name, getattr(metadata, name))
    page.metadata_sources = metadata.sources
    if options.details:
        details = details_of(parsed.root, metadata, stated, page.title, base)
        rounded = {kind: round(probability, 4) for kind, probability in kinds.items()}
        page.details = replace(
            details,
            images=list(images.values()),
            hostname=address_of(page.url).hostname or address_of(details.canonical_url).hostname or None,
            content_hash=sha256(page.main_text.encode(errors="replace")).hexdigest() if page.main_text else None,
            kinds=rounded,
        )
