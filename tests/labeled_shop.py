"""Labeled pages for the tests of rules and site models."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.site.labeled_pages import LabeledBlock, LabeledPage
from scrapy_semtext.train.corpus import label_blocks
from scrapy_semtext.tree.scopes import block_paths

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_semtext.extractor import Extractor

GATE = Path(__file__).parent / "gate" / "gate.jsonl.xz"


def labeled(html: str, url: str, extractor: Extractor, is_main: Callable[[str], bool]) -> LabeledPage:
    """Return a page with labels by a person who labels blocks with certain texts as main content."""
    annotation = extractor.annotate(html, url)
    blocks = [
        LabeledBlock(block.text, path, "main" if is_main(block.text) else "boilerplate", block.probability)
        for block, path in zip(annotation.page.blocks, block_paths(annotation.text_blocks), strict=True)
    ]
    return LabeledPage(url, url, html, blocks, done=True)


def steam_pages(extractor: Extractor) -> list[LabeledPage]:
    """Return the nine real pages of a shop among those of the quality gate, labeled from their true texts."""
    with lzma.open(GATE, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    pages = []
    for row in rows:
        if row["url"] and "store.steampowered.com" in row["url"]:
            texts = [block.text for block in extractor.annotate(row["html"], row["url"]).page.blocks]
            main = {text for text, is_main in zip(texts, label_blocks(texts, row["text"]), strict=True) if is_main}
            pages.append(labeled(row["html"], row["url"], extractor, main.__contains__))
    return pages


def shop_page(number: int) -> str:
    """Return a fictional page: the labeler of the tests keeps its advertisement, and drops its price."""
    return (
        f"<html><head><title>Kettle {number}</title></head><body><div class='text'><p>Kettle number {number} boils"
        f" water faster than any pot, as {number} readers of ours have found out.</p></div>"
        "<div class='box ad'><p>"
        f"Order kettle {number} today, and get a discount of ten percent on all cups!</p></div>"
        f"<div class='price'>{number} euros</div><ul><li>Imprint</li></ul></body></html>"
    )


def shop_pages(extractor: Extractor, count: int) -> list[LabeledPage]:
    """Return labeled fictional pages: the advertisement is boilerplate, the price is main content."""
    return [
        labeled(
            shop_page(number),
            f"https://shop.test/kettle/{number}",
            extractor,
            lambda text: "boils" in text or "euros" in text,
        )
        for number in range(count)
    ]
