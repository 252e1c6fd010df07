"""Lists of threads among the pages of engines, as lines of a training set."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from research.engines.__main__ import _for_training
from research.engines.saving import Job
from scrapy_semtext.training.pair_pages import read_pair_pages

if TYPE_CHECKING:
    from pathlib import Path

THREADS: list[dict[str, Any]] = [
    {
        "id": f"q{number}",
        "title": f"Question number {number}",
        "body": f"What is number {number}, and where does it come from?",
        "author": "anna",
        "accepted": None,
        "replies": [{"text": f"It is reply {number} of all.", "author": "bert", "votes": 0, "parent": None}],
        "licence": "MIT",
    }
    for number in range(8)
]


def _listed(titles: list[str]) -> str:
    rows = "".join(f'<tr class="topic"><td><a href="/t">{title}</a></td><td>4</td></tr>' for title in titles)
    return f"<html><head><title>Board</title></head><body><table>{rows}</table></body></html>"


def test_lists_are_pages_without_pairs_in_the_skins_of_their_engine(tmp_path: Path) -> None:
    job = Job("machina", THREADS, tmp_path / "pages.jsonl", tmp_path)
    for number, thread in enumerate(THREADS):
        posts = f"<h1>{thread['title']}</h1><div>{thread['body']}</div><div>It is reply {number} of all.</div>"
        job.save(number, "guest", f"/t/{number}", f"<html><body>{posts}</body></html>")
        html = _listed([each["title"] for each in THREADS[: number + 1]])
        job.save_lists(number, {"/": html, "/new/": html}.__getitem__, {"index": "/", "new": "/new/"})
    lines = [*_for_training(job.out.read_text(encoding="utf-8").splitlines(), 6)]
    (tmp_path / "set.jsonl").write_text("\n".join(lines), encoding="utf-8")
    pages = [*read_pair_pages([tmp_path / "set.jsonl"])]
    lists = [page for page in pages if page.dataset == "engine_lists"]
    assert len(pages) == 6 + 3
    assert len(lists) == 3, "half as many as threads"
    assert {(page.role, page.kind, page.shippable) for page in lists} == {("none", "thread_list", True)}
    assert {page.engine for page in pages} == {"machina"}, "lists are held out with the threads of their engine"
    assert all(page.main_text.startswith("Question number 0\nQuestion number 1") for page in lists)
    assert {json.loads(line)["skin"][-1] for line in lines} == set("012345")
