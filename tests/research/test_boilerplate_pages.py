"""Articles with added boxes around them: the article is unchanged, and the boxes quote others in its language."""

from __future__ import annotations

from research.boilerplate_pages import made_pages
from scrapy_semtext.features.table import describe
from scrapy_semtext.train.corpus import label_blocks
from scrapy_semtext.train.datasets import AnnotatedPage


def article(number: int) -> AnnotatedPage:
    said = [
        f"Report {number} says in sentence {n} what was seen on the river, by whom, and what {number * n} others think."
        for n in range(1, 12)
    ]
    html = f"<nav>Home</nav><main><h1>Report {number}</h1>{''.join(f'<p>{text}</p>' for text in said)}</main>"
    url = f"https://www.paper{number}.example/{number}"
    extra = {"title": f"Report {number}", "author": "Ann Reed"}
    return AnnotatedPage(
        str(number), "fundus_testdata", url, "article", "en", html, "\n".join(said), url.split("/")[2], extra=extra
    )


def test_boxes_stand_beside_an_article_that_stays_as_it_is() -> None:
    pages = [article(number) for number in range(12)]
    made = list(made_pages(pages, 1.0, seed=1))
    assert len(made) == len(pages)
    for page, line in zip(pages, made, strict=True):
        texts = [block.text for block in describe(line["html"], line["url"]).text_blocks]
        labels = label_blocks(texts, line["text"])
        assert line["text"] == page.text
        assert line["url"] == f"https://m.paper{page.id}.example/{page.id}"
        assert sum(len(text) for text, main in zip(texts, labels, strict=True) if main) >= 0.9 * len(page.text)
        assert sum(not main for main in labels) >= 3  # the menu, the heading and boxes
