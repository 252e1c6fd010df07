"""Pages that try to run, send or navigate: nothing happens in a browser, in any of the documents."""

from __future__ import annotations

from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import pytest
from viewing import PAGE, annotated, labeled

from scrapy_semtext.page import Comment, Page, QAPair, Record, Section
from scrapy_semtext.viewer import IndexRow, index_page, label_page, view_page
from scrapy_semtext.viewer.index import CountTable, report_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from viewing import Open, Opened

RUN = "top.__ran=parent.__ran=window.__ran=1;alert(1)"
BREAKOUTS = f"""</textarea></title></style></script></iframe></noscript></template></xmp></select></svg></math>--> ]]>
"><script>{RUN}</script><img src=x onerror="{RUN}"><svg onload="{RUN}">"""
PAGE_HTML = f"""
<html onload="{RUN}" manifest=EVIL/manifest><head><base href="EVIL/base/"><title>{BREAKOUTS}</title>
<meta http-equiv=refresh content="0;url=EVIL/refresh"><meta http-equiv=Content-Security-Policy content="script-src *">
<script>{RUN}</script><script src=EVIL/script></script><script type=module>import "EVIL/module"</script>
<link rel=stylesheet href=EVIL/style><link rel=preload as=image href=EVIL/preload><link rel=prefetch href=EVIL/prefetch>
<link rel=dns-prefetch href=EVIL><link rel=icon href=EVIL/icon>
<style>@import "EVIL/import"; @font-face {{ font-family: f; src: url(EVIL/font) }} * {{ font-family: f }}
body {{ background: url(EVIL/url) }} p::before {{ content: u\\72l("EVIL/escaped") }}
i {{ cursor: image-set("EVIL/set" 1x) }}
html::after {{ content: ""; position: fixed; inset: 0; background: red; z-index: 2147483647 }}</style>
<style></style ><script>{RUN}</script></style>
<noscript><style>x</noscript><img src=x onerror="{RUN}"></style></noscript>
</head><body background=EVIL/background onload="{RUN}" onmouseover="{RUN}" onclick="{RUN}" onkeydown="{RUN}">
<p style="background:url(EVIL/attribute)" onclick="{RUN}">The content <a href="javascript:{RUN}" target=_top>link</a>
<a href="EVIL/link" ping="EVIL/ping" target=_top>a link</a> <a href="data:text/html,<script>{RUN}</script>">data</a></p>
<img src=EVIL/image srcset="EVIL/srcset 2x" onerror="{RUN}">
<picture><source srcset=EVIL/source><img src=EVIL/i></picture>
<iframe src="javascript:{RUN}"></iframe><iframe src=EVIL/frame></iframe>
<iframe srcdoc="<script>{RUN}</script>"></iframe>
<object data=EVIL/object><embed src=EVIL/embed></object><video src=EVIL/video poster=EVIL/poster autoplay></video>
<audio src=EVIL/audio autoplay></audio><track src=EVIL/track><input type=image src=EVIL/input>
<form action=EVIL/form method=post target=_top><input name=a autofocus onfocus="{RUN}"><button>Send</button>
<button formaction="javascript:{RUN}">Go</button></form>
<form><input id=style><input id=parentElement><input id=setAttribute><input id=querySelector><p>Form content</p></form>
<svg><script>{RUN}</script><animate onbegin="{RUN}" attributeName=x dur=1s /><image href=EVIL/svg />
<use href=EVIL/use#a />
<foreignObject><p>Foreign content</p><iframe src="javascript:{RUN}"></iframe></foreignObject></svg>
<math><mtext><table><mglyph>
<style><!--</style><img title="--&gt;&lt;img src=1 onerror={RUN}&gt;"></table></mtext></math>
<noscript><p title="</noscript><img src=x onerror={RUN}>">No script content</p></noscript>
<template><script>{RUN}</script><p>Template content</p></template><textarea></textarea><script>{RUN}</script>
<xmp><script>{RUN}</script></xmp><plain-text is=x onclick="{RUN}">Custom content</plain-text>
<semtext-mark data-block=0 onclick="{RUN}">Mark content</semtext-mark><div id=data data-block=99999>Number content</div>
<p>&lt;script&gt;{RUN}&lt;/script&gt; content</p><p>{BREAKOUTS.replace("<", "&lt;")} content</p>
<p id="page" class='"><script>{RUN}</script>' lang='"&gt;<img src=x onerror={RUN}>'>Attribute content</p>
<div style="position:fixed;inset:0;opacity:0" onmousemove="{RUN}"></div></body></html>
"""
EVERYWHERE = replace(
    PAGE,
    title=f"{BREAKOUTS} title",
    url=f"javascript:{RUN}//{BREAKOUTS}",
    page_kind=BREAKOUTS,
    qa_pairs=[QAPair(BREAKOUTS, BREAKOUTS, author=BREAKOUTS, date=BREAKOUTS)],
    records=[Record(BREAKOUTS, f"javascript:{RUN}", BREAKOUTS, numbers={BREAKOUTS: BREAKOUTS})],
    comments=[Comment(BREAKOUTS, BREAKOUTS)],
    sections=[Section(BREAKOUTS, BREAKOUTS)],
)


@pytest.fixture
def heard() -> Iterator[tuple[str, list[str]]]:
    """Yield the URL of a server, and the requests that it receives."""
    requests: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.requestline)
            self.send_error(404)

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", requests
        server.shutdown()


def page_of(evil: str) -> tuple[str, Page]:
    return PAGE_HTML.replace("EVIL", evil), EVERYWHERE


def viewed(evil: str) -> str:
    html, about = page_of(evil)
    return view_page(annotated(html, about=about))


def to_label(evil: str) -> str:
    html, about = page_of(evil)
    annotation = annotated(html, about=about)
    page = labeled(annotation, html)
    page.id, page.url = BREAKOUTS, about.url
    return label_page(annotation, page, save_url="labels", progress=BREAKOUTS)


def to_label_and_save(evil: str) -> str:
    html, about = page_of(evil)
    annotation = annotated(html, about=about)
    return label_page(annotation, labeled(annotation, html), save_url="labels")


def indexed(evil: str) -> str:
    rows = [IndexRow(None, f"{evil}/{BREAKOUTS}", BREAKOUTS, BREAKOUTS, confidence=0.5, note=BREAKOUTS)]
    return index_page([*rows, IndexRow(f"a.html?{BREAKOUTS}", f"javascript:{RUN}", None)])


def reported(evil: str) -> str:
    table = CountTable(BREAKOUTS, BREAKOUTS, (BREAKOUTS, "count"), [(f"{evil}/{BREAKOUTS}", 1)])
    rows = [IndexRow(None, f"{evil}/{BREAKOUTS}", BREAKOUTS, BREAKOUTS, 3, 1, note=BREAKOUTS, outcome=BREAKOUTS)]
    return report_page(BREAKOUTS, BREAKOUTS, {BREAKOUTS: BREAKOUTS}, [table], rows)


def touch_everything(opened: Opened) -> None:
    """Point at and click all elements that do not navigate away, and press keys."""
    page = opened.page
    for frame in page.frames:
        frame.evaluate(
            """() => {
                for (const element of document.querySelectorAll("body *:not(nav a, td a, option)"))
                    for (const type of ["mouseover", "mousedown", "mouseup", "click", "focus", "submit"])
                        element.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true }));
            }"""
        )
    page.keyboard.press("Escape")
    for key in ("n", "m", "ArrowDown", "Tab", "Space", "g", "Control+z"):
        page.keyboard.press(key)
    page.mouse.move(200, 300)
    page.mouse.click(200, 300)
    page.wait_for_timeout(200)


@pytest.mark.parametrize("make", [viewed, to_label, to_label_and_save, indexed, reported])
def test_nothing_runs_and_nothing_is_sent(
    open_page: Open, heard: tuple[str, list[str]], make: Callable[[str], str]
) -> None:
    evil, requests = heard
    opened = open_page(make(evil))
    address = opened.page.url
    touch_everything(opened)
    assert [frame.evaluate("window.__ran") for frame in opened.page.frames] == [None] * len(opened.page.frames)
    assert opened.page.url == address
    assert len(opened.page.frames) == (1 if make in (indexed, reported) else 2)
    assert opened.dialogs == []
    own = {address, "about:srcdoc", urljoin(address, "labels")}  # the document, its frame, and where it saves labels
    assert set(opened.requests) <= own
    assert requests == []


def test_what_the_page_says_is_shown_as_text(open_page: Open) -> None:
    opened = open_page(viewed("http://127.0.0.1:9"))
    assert opened.page.locator("h1").inner_text().startswith("</textarea></title></style></script>")
    for name in ("Form content", "Custom content", "Mark content", "Attribute content"):
        assert opened.is_on_top(name)


@pytest.mark.parametrize("href", ["javascript:alert(1)", " JavaScript:alert(1)", "data:text/html,x", "vbscript:x"])
def test_addresses_that_would_run_something_are_refused(href: str) -> None:
    with pytest.raises(ValueError, match="not the URL of a page"):
        index_page([IndexRow(href, None, "title")])
    annotation = annotated("<p>x")
    with pytest.raises(ValueError, match="not the URL of a page"):
        label_page(annotation, labeled(annotation), save_url=href)
