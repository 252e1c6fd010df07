"""The tutorials are run unchanged, on small sites that are served on loopback."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from generated_sites import blog, docs, forum, serving
from running_tutorials import Tutorial, matches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TUTORIALS = sorted((Path(__file__).parents[2] / "docs" / "tutorials").glob("*.md"))


@pytest.fixture(scope="module")
def hosts() -> Iterator[Mapping[str, str]]:
    with serving(blog()) as blog_site, serving(forum()) as forum_site, serving(docs()) as docs_site:
        served = {"blog": blog_site, "forum": forum_site, "docs": docs_site}
        yield {f"https://{name}.example/": site.url for name, site in served.items()}


@pytest.mark.slow
@pytest.mark.crawl
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_does_what_it_says(path: Path, hosts: Mapping[str, str], tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    saved.mkdir()
    for name, answer in list(blog().items())[:3]:
        (saved / f"{name.strip('/').replace('/', '-') or 'index'}.html").write_text(answer({}) or "", encoding="utf-8")
    Tutorial(tmp_path, hosts).run(path.read_text(encoding="utf-8"))


def test_what_is_printed_is_compared() -> None:
    assert matches(
        "12 items, 3 pairs; ... ended: finished\n...", "9 items, 10 pairs; 28 pages; ended: finished\n  left: 2\n"
    )
    assert not matches("12 items; ended: finished", "9 items; ended: shutdown")
    assert not matches("12 items", "12 items\nand an error")
