"""What is read of a page only if its options ask for it: Markdown, HTML, metadata and details."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from scrapy_semtext.dom.tree import base_url
from scrapy_semtext.output.images import main_images
from scrapy_semtext.output.metadata import PARTS, markup_of, metadata_of
from scrapy_semtext.output.page_details import details_of
from scrapy_semtext.output.render import render_page
from scrapy_semtext.utils.address import address_of

if TYPE_CHECKING:
    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.options import Options
    from scrapy_semtext.page import Page


def add_on_demand(page: Page, parsed: ParsedPage, options: Options, kinds: dict[str, float]) -> None:
    """Complete a page that has its main text; ``kinds`` has the probability of each kind of page, if there are any."""
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
