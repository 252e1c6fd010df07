"""The results of a page are consistent with each other, and so are the names in the package."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest
from example.bundled import BundledPage, bundled_pages

import scrapy_semtext
from scrapy_semtext import Extractor, Options, Page

PAGES = {page.name: page for page in bundled_pages().values()}


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor.load(device="cpu", options=Options(records=True))


def has_thread(page: Page) -> bool:
    """Return whether pairs of the page come from posts: all of them answer one question, that of the opening post."""
    return any(pair.question_body for pair in page.qa_pairs)


@pytest.mark.parametrize("bundled", PAGES.values(), ids=PAGES)
def test_kind_pairs_comments_and_records_agree(bundled: BundledPage, extractor: Extractor) -> None:
    page = extractor.read(bundled.html(), bundled.url)
    assert page.main_text
    assert page.is_overview == (page.page_kind in {"listing", "collection"})

    # Pairs are those of a thread or of a list of questions, and a thread is a forum page.
    questions = {pair.question for pair in page.qa_pairs}
    if has_thread(page):
        assert (page.page_kind, page.is_overview, len(questions)) == ("forum", False, 1)
    else:
        assert len(questions) == len(page.qa_pairs) != 1, (
            "each question of a list has an answer, and a list has several"
        )
    if page.page_kind == "forum":
        assert page.qa_pairs or page.records, "a forum page is a thread or an index of threads"

    # Comments stand below what is no thread; records are those of overviews, and of indexes of a forum.
    assert not (page.comments and has_thread(page))
    assert not page.records or page.is_overview or (page.page_kind == "forum" and not page.qa_pairs)
    assert page.next_page is None or page.records or has_thread(page)

    # The main text has what the posts say.
    said = {word for pair in page.qa_pairs if has_thread(page) for word in pair.answer.split()}
    assert len(said - {*page.main_text.split()}) <= 0.1 * len(said)


def test_no_two_modules_define_the_same_public_name() -> None:
    modules = [
        ast.parse(path.read_text(encoding="utf-8")) for path in Path(scrapy_semtext.__file__).parent.rglob("*.py")
    ]
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = Counter(each.name for module in modules for each in module.body if isinstance(each, definitions))
    commands = {"add_arguments", "run"}  # the interface of the modules of commands
    assert len(names) > 1_000
    assert not [name for name, times in names.items() if times > 1 and name[0] != "_" and name not in commands]
