from __future__ import annotations

import gzip
import json
import lzma
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_semtext.train.datasets import (
    AnnotatedPage,
    DatasetError,
    may_ship,
    read_all,
    read_pages,
    registered_domain,
    without_duplicates,
)

if TYPE_CHECKING:
    from pathlib import Path


def line(**changes: Any) -> str:
    row = {"id": "1", "dataset": "wcxb_dev", "url": "https://blog.example.co.uk/a", "html": "<p>Hi", "text": "Hi"}
    return json.dumps({**row, **changes}, ensure_ascii=False)


def qa_line(**changes: Any) -> str:
    row = {"id": "q1", "engine": "discourse", "kind": "thread", "url": "https://meta.example.org/t/1", "lang": "en"}
    row |= {"html": "<p>How?", "html_nomarkup": "<p>How?", "main_text": "How?", "licence": "MIT; page text: posters"}
    return json.dumps({**row, **changes})


def write(folder: Path, *lines: str, name: str = "pages.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def page(identity: str = "1", dataset: str = "wcxb_dev", licence: str | None = None, **extra: Any) -> AnnotatedPage:
    return AnnotatedPage(
        id=identity,
        dataset=dataset,
        url=extra.pop("url", None),
        page_type=None,
        lang=None,
        html=extra.pop("html", f"<p>{dataset} {identity}"),
        text="",
        domain=extra.pop("domain", "example.org"),
        licence=licence,
        extra=extra,
    )


class TestReading:
    def test_fields(self, tmp_path: Path) -> None:
        path = write(tmp_path, line(page_type="article", lang="en", extra={"title": "Hé"}), "", "  ")
        (found,) = read_pages(path)
        assert found == AnnotatedPage(
            "1", "wcxb_dev", "https://blog.example.co.uk/a", "article", "en", "<p>Hi", "Hi", "example.co.uk", None,
            {"title": "Hé"},
        )  # fmt: skip

    @pytest.mark.parametrize(("suffix", "compress"), [("", bytes), (".gz", gzip.compress), (".xz", lzma.compress)])
    def test_compressions(self, tmp_path: Path, suffix: str, compress: Any) -> None:
        path = tmp_path / f"set.jsonl{suffix}"
        path.write_bytes(compress(f"{line()}\n\n{line(id='2')}\n".encode()))
        assert [found.id for found in read_pages(path)] == ["1", "2"]

    def test_question_and_answer_pages_have_a_shape_of_their_own(self, tmp_path: Path) -> None:
        path = write(tmp_path, qa_line(), name="qa_dev.jsonl")
        (found,) = read_pages(path)
        assert (found.dataset, found.page_type, found.text) == ("qa_dev", "thread", "How?")
        assert found.licence == "MIT; page text: posters"
        assert found.extra["engine"] == "discourse"

    def test_the_text_of_an_faq_page_is_not_all_its_main_content(self, tmp_path: Path) -> None:
        path = write(tmp_path, qa_line(kind="faq"), qa_line(id="q2"))
        assert [found.id for found in read_pages(path)] == ["q2"]
        assert [found.id for found in read_pages(path, faq=True)] == ["q1", "q2"]

    @pytest.mark.parametrize(
        ("broken", "message"),
        [
            ("{", "line 2: not JSON"),
            ("[1]", "line 2: a page is a JSON object, not list"),
            (line(html=None), "line 2: missing or not a string: html"),
            (json.dumps({"id": "1"}), "line 2: missing or not a string: html, text"),
            (json.dumps({"id": "1", "engine": "phpbb"}), "line 2: missing or not a string: html"),
        ],
    )
    def test_a_broken_line_is_named(self, tmp_path: Path, broken: str, message: str) -> None:
        path = write(tmp_path, line(), broken)
        with pytest.raises(DatasetError, match=message) as error:
            list(read_pages(path))
        assert str(path) in str(error.value)

    def test_a_file_cut_short_is_named_with_the_last_good_line(self, tmp_path: Path) -> None:
        path = tmp_path / "set.jsonl.gz"
        path.write_bytes(gzip.compress("\n".join([line()] * 500).encode())[:-20])
        with pytest.raises(DatasetError, match=r"set\.jsonl\.gz: cannot be read after line \d+"):
            list(read_pages(path))


class TestDomain:
    @pytest.mark.parametrize(
        ("url", "domain"),
        [
            ("https://news.bbc.co.uk/1/hi.stm", "bbc.co.uk"),
            ("http://www.stackoverflow.com:80/questions/1", "stackoverflow.com"),
            ("blog.example.com/path", "example.com"),
            ("https://EXAMPLE.com", "example.com"),
            ("https://alice.github.io/", "github.io"),
            ("https://web.archive.org/web/2005id_/http://www.cnn.com/2005/", "cnn.com"),
            ("http://127.0.0.1:8000/", "127.0.0.1"),
            ("http://localhost/", "localhost"),
            ("http://[broken", ""),
            ("", ""),
        ],
    )
    def test_registered_domain(self, url: str, domain: str) -> None:
        assert registered_domain(url) == domain

    @pytest.mark.parametrize(
        ("changes", "domain"),
        [
            ({"extra": {"domain": "shop.example.com"}}, "example.com"),
            ({"extra": {"host": "finance.ifeng.com"}}, "ifeng.com"),
            ({"html": '<text id="http://cdp1998.org/details.asp?id=2359" title="x">\n<p>'}, "cdp1998.org"),
            ({"html": "<!doctype html>\n<!-- saved from url=(0026)https://www.inc.com/amy -->"}, "inc.com"),
            ({"html": "<head><link rel='canonical' href='http://www.canon.example.net/x'>"}, "example.net"),
            ({"html": '<meta property="og:url" content="https://og.example.net/x">'}, "example.net"),
            ({}, "id:wcxb_dev/1"),
        ],
    )
    def test_a_page_without_address(self, tmp_path: Path, changes: dict[str, Any], domain: str) -> None:
        path = write(tmp_path, line(url=None, **changes))
        assert [found.domain for found in read_pages(path)] == [domain]


class TestShipping:
    def test_sets_with_an_open_licence(self) -> None:
        assert may_ship(page(dataset="wcxb_dev"))
        assert may_ship(page(dataset="webforum52"))
        assert not may_ship(page(dataset="cleaneval_dev"))
        assert not may_ship(page(dataset="a_set_of_my_own"))
        assert not may_ship(page(dataset="qa_dev"))

    @pytest.mark.parametrize(
        ("licence", "ships"),
        [
            ("CC-BY-4.0 (dataset as stated by repo); page text: rights of the site/posters", True),
            ("CC BY-SA 4.0", True),
            ("CC0", True),
            ("MIT; page text: rights of the site/posters (Stack Exchange: CC BY-SA)", True),
            ("Apache-2.0; page text: rights of the site/posters", True),
            ("no licence file in repo; page text: rights of the site/posters (Stack Exchange: CC BY-SA)", False),
            ("AGPL-3.0 (repo LICENSE.md)", False),
            ("CC BY-NC 4.0", False),
            ("CC-BY-NC-SA-4.0", False),
            ("CC BY-ND", False),
            ("CC BY-SA-NC", False),
            ("MITRE terms of use", False),
            ("", False),
        ],
    )
    def test_lines_with_a_licence(self, licence: str, ships: bool) -> None:
        assert may_ship(page(dataset="qa_dev", licence=licence)) is ships


class TestLabeledPages:
    @staticmethod
    def labeled(**changes: Any) -> str:
        blocks = [
            {"text": text, "path": "p", "label": label, "probability": 0.5}
            for text, label in (("Menu", "boilerplate"), ("Hi", "main"), ("there", "main"))
        ]
        row = {"id": "a", "url": "https://a.example.org/x", "html": "<p>Hi", "done": True, "blocks": blocks}
        return json.dumps({**row, **changes})

    def test_the_text_is_that_of_the_main_blocks(self, tmp_path: Path) -> None:
        pairs = [{"question": "Hi?", "answer": "Hi"}]
        (found,) = read_pages(write(tmp_path, self.labeled(pairs=pairs), name="labels.jsonl"))
        assert (found.text, found.domain, found.dataset) == ("Hi\nthere", "example.org", "labels")

    def test_ids_become_unique_strings(self, tmp_path: Path) -> None:
        lines = [self.labeled(id=name, html=f"<p>{html}") for name, html in ((None, 1), (None, 2), (7, 3), (7, 4))]
        ids = [found.id for found in read_pages(write(tmp_path, *lines))]
        assert len(set(ids)) == 4
        assert all(name.startswith("7-") for name in ids[2:])
        assert [found.id for found in read_pages(write(tmp_path, *lines))] == ids

    def test_pages_that_are_not_done_are_counted(self, tmp_path: Path) -> None:
        path = write(tmp_path, self.labeled(done=False), self.labeled())
        left_out: Counter[str] = Counter()
        assert len(list(read_all([path], left_out=left_out))) == 1
        assert left_out == {"not marked as done": 1}

    def test_a_line_that_is_no_labeled_page(self, tmp_path: Path) -> None:
        with pytest.raises(DatasetError, match=r"line 1: not a page of `semtext label`: .*unexpected keyword"):
            list(read_pages(write(tmp_path, self.labeled(blocks=[{"words": 3}]))))


class TestDuplicates:
    def test_by_address(self) -> None:
        one, other = page("1", url="http://a.org/x"), page("3", url="http://a.org/y")
        pages = [one, page("2", "another set", url="https://a.org/x#top"), other]
        assert [one.id for one in without_duplicates(pages)] == ["1", "3"]

    @pytest.mark.smoke
    def test_pages_of_the_qa_set_that_are_wcxb_pages(self) -> None:
        pages = [page("0501"), page("q", "qa_dev", wcxb_id="0501"), page("r", "qa_dev", wcxb_id="9999")]
        assert [one.id for one in without_duplicates(pages)] == ["0501", "r"]
        assert [one.id for one in without_duplicates(pages[::-1])] == ["r", "q"]

    def test_over_several_files(self, tmp_path: Path) -> None:
        one, two = write(tmp_path, line()), write(tmp_path, line(dataset="x"), line(id="2", url=None), name="two.jsonl")
        assert [(found.dataset, found.id) for found in read_all([one, two])] == [("wcxb_dev", "1")]
