"""The tutorials are run unchanged, on small sites that are served on loopback."""

from __future__ import annotations

import json
import re
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


def test_corrected_pairs_replace_those_of_the_crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (TUTORIALS[0].parent / "qa-set.md").read_text(encoding="utf-8")
    code = re.findall(r"^<!-- not run: needs labels -->\n```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[0]
    rows = [("a", "wrong"), ("a", "right"), ("b", "as found")]
    chats = [{"messages": [answer], "metadata": {"url": url}} for url, answer in rows]
    labels = [
        {"url": "a", "pairs": [{"question": "Why?", "answer": "right"}]},
        {"url": "b", "pairs": None},
    ]
    for name, lines in (("chat.jsonl", chats), ("labels.jsonl", labels)):
        Path(name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    exec(compile(code, "tutorial", "exec"), {})  # noqa: S102
    kept = [json.loads(line) for line in Path("kept.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [chat["metadata"]["url"] for chat in kept] == ["b", "a"]
    assert [message["content"] for message in kept[1]["messages"]] == ["Why?", "right"]


def test_a_corpus_keeps_the_english_pages_of_every_country(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (TUTORIALS[0].parent / "corpus.md").read_text(encoding="utf-8")
    code = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[1]
    languages = ("en", "en-US", "eng", "de", None, "en-GB")
    corpus = [
        {"language": each, "main_text": "word " * 100, "url": each, "published": None, "author": None}
        for each in languages
    ]
    exec(compile(code, "tutorial", "exec"), {"corpus": corpus, "json": json})  # noqa: S102
    kept = [json.loads(line)["url"] for line in Path("clean.jsonl").read_text(encoding="utf-8").splitlines()]
    assert kept == ["en", "en-US", "en-GB"]


def test_what_is_printed_is_compared() -> None:
    assert matches(
        "12 items, 3 pairs; ... ended: finished\n...", "9 items, 10 pairs; 28 pages; ended: finished\n  left: 2\n"
    )
    assert not matches("12 items; ended: finished", "9 items; ended: shutdown")
    assert not matches("12 items", "12 items\nand an error")
