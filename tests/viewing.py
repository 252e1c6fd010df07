"""Annotated pages without a model, and opened pages: common parts of the tests of the viewer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from scrapy_semtext.extractor import Annotation
from scrapy_semtext.page import Block, Page
from scrapy_semtext.site.labeled_pages import LabeledBlock, LabeledPage
from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import block_paths, segment

if TYPE_CHECKING:
    from playwright.sync_api import Dialog, Frame, Request
    from playwright.sync_api import Page as BrowserPage

PAGE = Page(url="https://example.com/a?b=1&c=2", title="A <b>title</b>", page_kind="article")


def annotated(html: str, main: str = "content", about: Page = PAGE) -> Annotation:
    """Return the page with every block containing ``main`` labeled as main content."""
    root = parse(html)
    text_blocks = segment(root)
    blocks = [
        Block(block.text, "main", 0.9, block.scope.tag, block.scope.names)
        if main in block.text
        else Block(block.text, "boilerplate", 0.2, block.scope.tag, block.scope.names)
        for block in text_blocks
    ]
    return Annotation(root, text_blocks, replace(about, blocks=blocks))


def labeled(annotation: Annotation, html: str = "") -> LabeledPage:
    """Return the page with the model's labels, for a person to correct."""
    blocks = [
        LabeledBlock(block.text, path, block.label, block.probability)
        for block, path in zip(annotation.page.blocks, block_paths(annotation.text_blocks), strict=True)
    ]
    return LabeledPage("one", annotation.page.url, html, blocks)


@dataclass
class Opened:
    """A document in the browser; ``requests`` are those that its policy let pass, ``errors`` those of scripts."""

    page: BrowserPage
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def forget_blocked(self, request: Request) -> None:
        """Forget a request that the document's policy has blocked."""
        if "csp" in str(request.failure):
            self.requests.remove(request.url)

    def answer(self, dialog: Dialog) -> None:
        """Record the text of a dialog, and close it."""
        self.dialogs.append(dialog.message)
        dialog.accept()

    @property
    def copy(self) -> Frame:
        """The copy of the page in its frame."""
        return self.page.frames[1]

    def selected(self) -> str:
        """Return the text of the selected block in the list."""
        return self.page.locator("#blocks [data-selected] .text").inner_text()

    def labels(self) -> str:
        """Return the labels of all blocks as letters: m or b by the model, M or B by a person."""
        items = self.page.locator("#blocks li").all()
        both = [(item.get_attribute("data-label") or "", item.get_attribute("data-by")) for item in items]
        return "".join(label[0].upper() if by == "person" else label[0] for label, by in both)

    def in_view(self, text: str) -> bool:
        """Return whether a text of the copy is in the visible part of the frame."""
        return bool(
            self.copy.get_by_text(text, exact=True).first.evaluate(
                """element => {
                    const box = element.getBoundingClientRect();
                    return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight && box.right > 0;
                }"""
            )
        )

    def is_on_top(self, text: str) -> bool:
        """Return whether a text of the copy, scrolled into view, is not covered."""
        return bool(
            self.copy.get_by_text(text, exact=True).first.evaluate(
                """element => {
                    element.scrollIntoView({ block: "center", behavior: "instant" });
                    const box = element.getBoundingClientRect();
                    const found = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
                    return found === element && box.height > 5 && element.checkVisibility({ opacityProperty: true });
                }"""
            )
        )


class Open(Protocol):
    """Opens a document in the browser, from a file or by URL."""

    def __call__(self, document: str, *, width: int = 1280, height: int = 800) -> Opened: ...
