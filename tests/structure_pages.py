"""Pages for the tests of structure trees."""

from __future__ import annotations

from scrapy_semtext.train.datasets import AnnotatedPage

PROSE = "This is a sentence of the article which says something, and goes on to say something more. "
HTML = f"""
<html><head><title>Otters</title></head><body>
  <nav class="mainMenu"><ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li></ul></nav>
  <div id="content"><article>
    <h1>Otters</h1>
    <p>{PROSE * 2}</p>
    <h2>Food</h2>
    <p>{PROSE * 2}</p>
    <div>{PROSE * 2}</div>
  </article></div>
  <footer><p>Imprint</p></footer>
</body></html>"""


def site_page(number: int) -> AnnotatedPage:
    texts = [f"Paragraph {i} of page {number}. {PROSE}".strip() for i in range(4)]
    html = (
        f"<nav class=menu>{''.join(f'<div><a href=/{i}>Section {i}</a></div>' for i in range(3))}</nav>"
        f"<main>{''.join(f'<p>{text}</p>' for text in texts)}</main>"
        f"<aside class=related><div>More of {number}: {PROSE}</div></aside>"
    )
    return AnnotatedPage(
        id=str(number),
        dataset="made",
        url=f"https://site{number}.example/",
        page_type="article",
        lang="en",
        html=html,
        text="\n".join(texts),
        domain=f"site{number}.example",
    )
