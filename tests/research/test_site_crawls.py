"""The scores of crawls of known sites."""

from __future__ import annotations

from typing import Any

from research.site_crawls.recording import Hit, KnownItem, KnownPair
from research.site_crawls.scoring import score

BREAD = KnownItem("article", ["/bread/"], "Bread", "Bread\nMix flour, water and salt, and bake it.")
FORMS = ["Oven too hot\nHow do I cool it?", "Oven too hot", "How do I cool it?"]
THREAD = KnownItem(
    "thread",
    ["/topic/1/", "/topic/1/?page=2"],
    "Oven too hot",
    "Oven too hot\nHow do I cool it?\nOpen the door a little.\nTurn the knob to the left.",
    [
        KnownPair(FORMS, "Open the door a little."),
        KnownPair(FORMS, "Turn the knob to the left."),
    ],
)
ITEMS: list[dict[str, Any]] = [
    {"url": "http://site.test/bread/", "main_text": BREAD.main_text, "qa_pairs": []},
    {
        "url": "http://site.test/topic/1/#post-2",
        "main_text": THREAD.main_text,
        "qa_pairs": [{"question": "Oven too hot", "answer": pair.answer} for pair in THREAD.pairs],
    },
]


def hit(path: str, status: int = 200) -> Hit:
    return Hit(path, status)


def hits(*paths: str) -> list[Hit]:
    return [hit(path) for path in ("/robots.txt", *paths)]


def test_crawl_without_fault() -> None:
    scored = score([BREAD, THREAD], ["/"], hits("/", "/bread/", "/topic/1/", "/topic/1/?page=2"), ITEMS)

    assert (scored.pages, scored.lists, scored.requests) == (3, 1, 4)  # robots.txt costs nothing
    assert (scored.found, scored.wasted, scored.words, scored.pairs) == (1, 0, 1, 1)
    assert (scored.items, scored.others, scored.twice, scored.items_twice) == (2, 0, 0, 0)
