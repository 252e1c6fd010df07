"""The examples in the documentation work: Python code is run, settings are read, commands are parsed."""

from __future__ import annotations

import inspect
import json
import re
import shlex
import textwrap
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from example.bundled import bundled_pages
from running_tutorials import commands_of
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.settings import Settings

import scrapy_semtext
from scrapy_semtext import page_of, use_page
from scrapy_semtext.cli import build_parser
from scrapy_semtext.integration.settings import SemtextSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
#: What the examples of a page need beside the extra test.
NEEDED = {"distributed": "scrapy_redis", "labelers": "torch", "page-objects": "zyte_common_items"}
FENCE = re.compile(r"(?P<note><!-- not run: .*? -->\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(path: Path, kind: str) -> Iterator[str]:
    """Yield the fenced blocks of a page, except those below the comment "not run"."""
    for match in FENCE.finditer(path.read_text(encoding="utf-8")):
        if match["kind"] == kind and not match["note"]:
            yield match["text"]


def names(kind: str) -> dict[str, Any]:
    """Return what examples assume: a page and its response, and the public names."""
    page = next(page for page in bundled_pages().values() if page.kind == kind)
    response = HtmlResponse(page.url, body=page.html(), encoding="utf-8", request=Request(page.url))
    use_page(response, scrapy_semtext.extract(page.html(), url=page.url))
    public = {name: getattr(scrapy_semtext, name) for name in scrapy_semtext.__all__}
    pair = {"question_title": "Bread", "question_body": None}
    given = {
        "html": page.html(),
        "url": page.url,
        "link": page.url,
        "pages": [page.html()],
        "response": response,
        "pair": pair,
    }
    return {**public, **given, "Request": Request, "dataclass": dataclass}


def run(code: str, known: dict[str, Any], name: str) -> None:
    """Run an example; one with a yield as the body of a callback. Callbacks are called with the response."""
    before = set(known)
    if re.search(r"^yield ", code, re.MULTILINE):
        code = f"def parse_example(self, response):\n{textwrap.indent(code, '    ')}"
    with redirect_stdout(StringIO()):
        exec(compile(code, f"an example of {name}", "exec"), known)  # noqa: S102
        for name in {name for name in known if name.startswith("parse")} - before:
            call(known.pop(name), known)


def call(callback: Any, known: dict[str, Any]) -> None:
    """Call a callback, unless it requires what only scrapy-poet can provide."""
    wanted = set(inspect.signature(callback).parameters) - {"self", "response", "pages"}
    if wanted <= {"page"}:
        for each in callback(None, known["response"], **dict.fromkeys(wanted, page_of(known["response"]))):
            assert each is not None


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_python_examples_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if path.stem in NEEDED:
        pytest.importorskip(NEEDED[path.stem])
    monkeypatch.chdir(tmp_path)
    Path("sites.json").write_text("{}", encoding="utf-8")
    known = names({"results": "listing", "chunks": "documentation"}.get(path.stem, "faq"))
    for code in blocks(path, "python"):
        run(code, known, path.name)
    given = {name: value for name, value in known.items() if name.isupper()}
    SemtextSettings.read(Settings(given))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_commands_are_valid(path: Path) -> None:
    parser = build_parser()
    shell = [re.sub("^", "$ ", block, flags=re.MULTILINE) for block in blocks(path, "bash")]
    lines = [line for block in (*shell, *blocks(path, "console")) for line, _ in commands_of(block)]
    for words in (words for line in lines for words in semtext_commands(line)):
        assert parser.parse_args(words)  # exits if it is not valid, and says why


def semtext_commands(line: str) -> Iterator[list[str]]:
    """Yield the arguments of each call of semtext in a line of shell code."""
    for part in re.split(r"[|;]|&&|(?<=\s)>", line):
        words = shlex.split(part, comments=True)
        if words[:1] == ["semtext"] and "..." not in words:
            yield ["0" if word in ("K", "N") else word for word in words[1:]]


def test_the_item_in_the_readme_is_that_of_such_a_page() -> None:
    (text,) = blocks(ROOT / "README.md", "json")
    shown = json.loads(text)
    question, *answers = shown["main_text"].split("\n")
    heads = [("juniper", "2025-03-03T19:40"), *((pair["author"], pair["date"]) for pair in shown["qa_pairs"])]
    posts = "".join(
        f'<div class="msg"><header><a href="/people/{author}">{author}</a> <time datetime="{date}">{date[:10]}</time>'
        f"</header><div>{said}</div></div>"
        for (author, date), said in zip(heads, (question, *answers), strict=True)
    )
    html = (
        f"<html lang=en><title>{shown['title']} | The Crumb Club</title><nav><a href=/>Start</a></nav>"
        f"<main><p><a href=/b>Boards</a> &gt; <a href=/b/bread>Bread</a></p><h1>{shown['title']}</h1>{posts}"
        "<p><a href=/in>Log in</a> to reply.</p></main><footer>The Crumb Club, 4 Mill Lane. Imprint.</footer></html>"
    )
    page = scrapy_semtext.extract(html, url=shown["url"])
    for key in ("title", "page_kind", "main_text"):
        assert getattr(page, key) == shown[key]
    for pair, expected in zip(page.qa_pairs, shown["qa_pairs"], strict=True):
        assert pair.score == pytest.approx(expected.pop("score"), abs=0.1)
        assert {key: getattr(pair, key) for key in expected} == expected
