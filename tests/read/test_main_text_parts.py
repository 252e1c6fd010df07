"""The parts of an article that are main text according to docs/main-text.md, and those that are not."""

from __future__ import annotations

import pytest

from scrapy_semtext import Page, extract

KEPT = [
    "For ninety years the small green ferry has carried people, bicycles and now and then a goat across the river.",
    "What it carried",
    "The books of the company show how much the traffic has changed over the decades, and in which direction.",
    "1960\t212,000",
    "pupils of the school on the northern bank",
    "A bridge was promised in 1931. We are still waiting for it.",
    "A bus will take the long way round from April. It needs forty minutes for what the ferry did in six.",
]
LEFT_OUT = [
    "Share",
    "has written about the harbour and the people who work in it since 2009",
    "We tried the new line before it opens and counted the stops on the way.",
    "I took it every day for eleven years. A sad thing.",
    "We use cookies to measure how our pages are used",
    "All rights reserved",
]
HTML = f"""<!doctype html><html lang="en"><head><title>The last ferry of Aldermouth - The Harbour Post</title></head>
<body><header><a href="/">The Harbour Post</a><nav><a href="/news">News</a> <a href="/sport">Sport</a></nav></header>
<main><article><h1>The last ferry of Aldermouth</h1>
<p class="byline">By <a rel="author" href="/ruth">Ruth Calder</a></p>
<div class="share"><a href="#">Share</a></div><p>{KEPT[0]}</p><h2>{KEPT[1]}</h2><p>{KEPT[2]}</p>
<table><tr><th>Year</th><th>People</th></tr>
<tr><td>1960</td><td>212,000</td></tr><tr><td>2020</td><td>41,000</td></tr></table>
<p>Three groups of people will miss it most, as far as the council knows:</p>
<ul><li>{KEPT[4]},</li><li>nurses who work at night,</li><li>people who walk.</li></ul>
<blockquote><p>{KEPT[5]}</p></blockquote><p>{KEPT[6]}</p></article>
<div class="author-box"><h4>Ruth Calder</h4><p>Ruth Calder {LEFT_OUT[1]}.</p></div>
<section class="related"><h3>Related articles</h3>
<div><h4><a href="/b">Forty minutes by bus</a></h4><p>{LEFT_OUT[2]}</p></div>
<div><h4><a href="/c">A bridge too dear</a></h4>
<p>Why the plan was never built, and who still has the drawings.</p></div>
</section><section id="comments"><h3>2 comments</h3>
<div class="comment"><b>Tom</b> <time>6 March 2024</time><p>{LEFT_OUT[3]}</p></div>
<div class="comment"><b>Ines</b> <time>7 March 2024</time><p>The bus does not even stop at the school.</p></div>
</section></main><div class="cookie-consent"><p>{LEFT_OUT[4]}.</p><button>Accept</button></div>
<footer><p>© 2024 The Harbour Post. {LEFT_OUT[5]}.</p></footer></body></html>"""


@pytest.fixture(scope="module")
def page() -> Page:
    return extract(HTML, "https://post.example/2024/03/05/last-ferry")


@pytest.mark.smoke
@pytest.mark.parametrize("text", KEPT)
def test_is_main_text(page: Page, text: str) -> None:
    assert text in page.main_text


@pytest.mark.smoke
@pytest.mark.parametrize("text", LEFT_OUT)
def test_is_not_main_text(page: Page, text: str) -> None:
    assert text not in page.main_text
