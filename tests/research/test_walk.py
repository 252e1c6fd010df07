"""How much of the package a thread enters."""

from __future__ import annotations

from research.walk import PAGES, THREAD, html_of, walk_of_page


def test_a_thread_enters_few_files() -> None:
    walk = walk_of_page(html_of(PAGES / THREAD))
    assert {"tree/parsing.py", "extractor.py", "read/posts.py"} <= walk.keys()
    assert len(walk) <= 50, sorted(walk)
