"""Training pages of recorded sites: what the truth says of a page is what models learn from it."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

from research.recorded_pages import lines_of, read_recording
from scrapy_semtext.train.posts import PairPage, read_pair_pages

LICENCE = "CC0"


def pages_of(folder: Path, kind: str, truth: list[dict[str, Any]], bodies: dict[str, str]) -> dict[str, PairPage]:
    """The pages made of an archive of such a site, by their paths."""
    about = {"type": "meta", "kind": kind, "software": "Quill! 2.1, theme Plain"}
    site = [
        {"target": target, "status": 200, "type": "text/html; charset=utf-8", "body": body}
        for target, body in bodies.items()
    ]
    archive = folder / "quill_de.tar.xz"
    with tarfile.open(archive, "w:xz") as out:
        for name, rows in (("truth", [about, *truth]), ("site", site)):
            data = "\n".join(map(json.dumps, rows)).encode()
            member = tarfile.TarInfo(f"quill_de/{name}.jsonl")
            member.size = len(data)
            out.addfile(member, io.BytesIO(data))
    made = folder / "made.jsonl"
    lines = lines_of(read_recording(archive), LICENCE, most=8)
    made.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    pages = list(read_pair_pages([made]))
    assert {(page.shippable, page.domain) for page in pages} == {(True, "quill-de.quill.example")}
    return {(page.url or "").removeprefix("http://quill-de.quill.example"): page for page in pages}


def post(*forms: str) -> dict[str, Any]:
    return {"author": "Ann", "time": 1640995200, "to": None, "forms": forms}


def test_threads_are_read_page_by_page(tmp_path: Path) -> None:
    asked, first, second = "My kettle stopped boiling.", "Clean the plug with vinegar.", "That helped me as well."
    thread = {
        "type": "thread",
        "title": "Cold kettle",
        "pages": [{"url": "/t1", "posts": [0, 1]}, {"url": "/t1?p=2", "posts": [2]}],
        "posts": [post(asked), post(first, f"Ann wrote: {asked}\n{first}"), post(second)],
    }
    other = {
        "type": "thread",
        "title": "Lamp",
        "pages": [{"url": "/t2", "posts": [0]}],
        "posts": [post("Which bulb fits the lamp?")],
    }
    bodies = {
        "/": "<a href='http://127.0.0.1:8080/t1'>Cold kettle</a>",
        "/t1": f"<p>{asked}</p><p>{first}</p>",
        "/t1?p=2": f"<p>{second}</p>",
        "/t2": "<p>Which bulb fits the lamp?</p>",
        "/post/2": f"<p>{asked}</p><p>{first}</p>",  # the thread by the address of a post
        "/ann": f"<p>{asked}</p><p>Which bulb fits the lamp?</p>",  # posts of several threads
    }
    pages = pages_of(tmp_path, "forum", [thread, other, {"type": "list", "url": "/"}], bodies)
    assert {path: page.role for path, page in pages.items()} == {
        "/": "none",
        "/t1": "posts",
        "/t1?p=2": "posts",
        "/t2": "posts",
        "/ann": "none",
    }
    assert (pages["/t1"].title, pages["/t1"].opening) == ("Cold kettle", asked)
    assert pages["/t1"].posts == [asked, f"Ann wrote: {asked}\n{first}"]
    assert (pages["/t1?p=2"].opening, pages["/t1?p=2"].posts) == ("", [second])
    assert "http://quill-de.quill.example/t1" in pages["/"].html


def test_articles_are_read_with_their_comments_or_as_pages_without_any(tmp_path: Path) -> None:
    comment = {"text": "Thank you for this report.", "author": "Bo", "date": "2024-05-06"}
    articles: list[dict[str, Any]] = [
        {"type": "page", "url": "/a", "title": "A", "text": "What we saw.", "comments": [comment]},
        {"type": "page", "url": "/b", "title": "B", "text": "What we heard.", "comments": []},
    ]
    bodies = {"/a": f"<p>What we saw.</p><p>{comment['text']}</p>", "/b": "<p>What we heard.</p>", "/feed": "<p>B</p>"}
    pages = pages_of(tmp_path, "blog", articles, bodies)
    found = {path: (page.role, page.posts, page.main_text) for path, page in pages.items()}
    assert found == {
        "/a": ("comments", [comment["text"]], "What we saw."),
        "/b": ("comments", [], "What we heard."),
        "/feed": ("none", [], "B"),
    }


def test_help_centres_of_one_question_a_page_give_pairs(tmp_path: Path) -> None:
    answer = "Choose Register and pick a password."
    question = {
        "type": "thread",
        "title": "How do I register?",
        "pages": [{"url": "/1", "posts": [1]}],
        "posts": [post(""), post(answer)],
    }
    pages = pages_of(tmp_path, "faq", [question], {"/1": f"<h1>How do I register?</h1><p>{answer}</p>"})
    assert pages["/1"].role == "faq"
    assert pages["/1"].pairs == [(("How do I register?",), answer)]
