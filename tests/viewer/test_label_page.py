"""Correcting labels in a browser, with and without a server that saves them."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from viewing import annotated, labeled

from scrapy_semtext.viewer import NeighborLinks, label_page, view_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from viewing import Open, Opened

POSTS = "".join(f'<article id="post-{number}"><p>Post {number} content</p><hr></article>' for number in range(1, 5))
HTML = f"<title>t</title><body><nav>Menu</nav><h1>The content</h1>{POSTS}<p hidden>Hidden</p><footer>Imprint</footer>"
LABELS = "bmmmmmbb"  # of Menu, The content, four posts, Hidden, Imprint


@dataclass
class Server:
    """A server that returns one document for all URLs and keeps what is posted to it."""

    url: str
    document: str = ""
    posted: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    works: bool = True


@contextmanager
def serving() -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(200, result.document.encode())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if result.works:
                assert self.headers["Content-Type"] == "application/json"
                result.posted.append((self.path, json.loads(body)))
            self._answer(200 if result.works else 500, b"")

        def _answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        result = Server(f"http://127.0.0.1:{listening.server_port}")
        Thread(target=listening.serve_forever, args=(0.02,), daemon=True).start()
        yield result
        listening.shutdown()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        annotation = annotated(HTML)
        server.document = label_page(
            annotation, labeled(annotation), save_url="labels", links=NeighborLinks(next_url="2"), progress="1 of 2"
        )
        yield server


@pytest.fixture
def opened(open_page: Open) -> Opened:
    annotation = annotated(HTML)
    return open_page(label_page(annotation, labeled(annotation, HTML), save_url="labels"))


def test_a_click_turns_a_block_in_the_page_and_in_the_list(opened: Opened) -> None:
    assert opened.labels() == LABELS
    opened.copy.get_by_text("Post 2 content").click()
    assert opened.labels() == "bmmBmmbb"
    opened.page.locator("#blocks").get_by_text("Imprint").click()
    assert opened.labels() == "bmmBmmbM"
    opened.page.locator("#blocks").get_by_text("Imprint").click()
    assert opened.labels() == "bmmBmmbB", "a label that was turned back is a person's too"
    assert "boilerplate (yours)" in opened.page.locator("#blocks li").last.evaluate(
        "item => item.querySelector('.label').textContent + getComputedStyle(item.querySelector('.label'), '::after')"
        ".content.replaceAll('\"', '')"
    )
    line = opened.copy.get_by_text("Post 2 content").evaluate("mark => getComputedStyle(mark).boxShadow")
    assert "2px" in line, "a person's labels can be told from the model's in the page"


def test_a_click_with_shift_labels_a_range_of_blocks(opened: Opened) -> None:
    opened.copy.get_by_text("Post 1 content").click()
    opened.copy.get_by_text("Post 3 content").click(modifiers=["Shift"])
    assert opened.labels() == "bmBBBmbb"
    opened.page.keyboard.press("Control+z")
    assert opened.labels() == "bmBmmmbb"


def test_a_key_labels_all_blocks_in_the_same_place_of_the_template(opened: Opened) -> None:
    opened.copy.get_by_text("Post 3 content").hover()
    assert (
        opened.page.locator("#about-block").inner_text().startswith("Block 5 · main content · 4 blocks like it (g) · ")
    )
    opened.page.keyboard.press("g")
    assert opened.labels() == "bmBBBBbb"
    opened.copy.get_by_text("Post 1 content").click()
    opened.page.keyboard.press("g")
    assert opened.labels() == "bmMMMMbb", "the others follow the one that was turned"


def test_undo_and_redo_go_through_all_steps(opened: Opened) -> None:
    press = opened.page.keyboard.press
    opened.copy.get_by_text("Post 1 content").click()
    press("g")
    press("Control+z")
    assert opened.labels() == "bmBmmmbb"
    opened.page.get_by_role("button", name="Undo").click()
    assert opened.labels() == LABELS
    assert opened.page.get_by_role("button", name="Undo").is_disabled()
    press("Control+Shift+Z")
    opened.page.get_by_role("button", name="Redo").click()
    assert opened.labels() == "bmBBBBbb"
    press("Control+z")
    opened.copy.get_by_text("Menu").click()
    assert opened.page.get_by_role("button", name="Redo").is_disabled(), "a new change ends what could be redone"


def test_changes_are_saved_soon_after_they_are_made(open_page: Open, server: Server) -> None:
    opened = open_page(f"{server.url}/1")
    opened.copy.get_by_text("Post 2 content").click()
    opened.page.get_by_text("Saved", exact=True).wait_for()
    ((path, sent),) = server.posted
    labels = ["boilerplate", "main", "main", "boilerplate", "main", "main", "boilerplate", "boilerplate"]
    by = ["model", "model", "model", "person", "model", "model", "model", "model"]
    assert path == "/labels"
    assert sent == {"labels": labels, "by": by, "done": False}


def test_enter_says_that_the_page_is_done_and_leads_to_the_next(open_page: Open, server: Server) -> None:
    opened = open_page(f"{server.url}/1")
    opened.page.get_by_role("button", name="Undo").hover()
    opened.page.keyboard.press("Enter")
    opened.page.wait_for_url("**/2")
    assert [sent["done"] for _, sent in server.posted] == [True]


def test_a_failed_save_is_told_and_tried_again(open_page: Open, server: Server) -> None:
    server.works = False
    opened = open_page(f"{server.url}/1")
    opened.copy.get_by_text("Menu").click()
    opened.page.get_by_text("Not saved").wait_for()
    opened.page.keyboard.press("Enter")
    opened.page.get_by_text("Not saved").wait_for()
    assert opened.page.url.endswith("/1"), "the page is not left before it is saved"
    server.works = True
    opened.page.get_by_role("button", name="Try again").click()
    opened.page.get_by_text("Saved", exact=True).wait_for()
    assert [sent["labels"][0] for _, sent in server.posted] == ["main"]


def test_labels_of_another_page_are_refused() -> None:
    annotation = annotated(HTML)
    other = labeled(annotated("<p>other"))
    with pytest.raises(ValueError, match="other text blocks"):
        label_page(annotation, other, save_url="labels")


def test_the_document_sends_only_to_its_server() -> None:
    annotation = annotated(HTML)
    assert "connect-src 'self'" in label_page(annotation, labeled(annotation), save_url="labels")
    assert "connect-src" not in view_page(annotation).partition("<style>")[0]
