"""Chunks are slices of the main text, split along sections and at sentences, and never inside tables and code."""

from __future__ import annotations

import json
import pickle
from itertools import pairwise
from typing import Any

import pytest
from chunking import URL, chunks_of, page_in_chunks, require_whole, sentences
from gate.quality import read_sample
from shipped import extractor

from scrapy_semtext import Chunk, ChunkOptions, Options, Page, Source
from scrapy_semtext.features.table import describe
from scrapy_semtext.read.chunks import count_words, read_chunks, sentence_starts

GUIDE = f"""
<html><title>Knives</title><body><h1>Knives</h1><p>{sentences(6)}</p>
<h2 id=steel>Steel</h2><p>{sentences(8, first=10)}</p>
<h3><a name="care%20it">Care</a></h3><p>{sentences(7, first=20)}</p>
<h2>Handles</h2><p>{sentences(7, first=30)}</p></body></html>
"""


@pytest.mark.smoke
def test_a_chunk_for_each_section() -> None:
    page = page_in_chunks(GUIDE)
    require_whole(page)
    assert [(chunk.headings, chunk.url) for chunk in page.chunks] == [
        (["Knives"], URL),
        (["Knives", "Steel"], f"{URL}#steel"),
        (["Knives", "Steel", "Care"], f"{URL}#care%2520it"),
        (["Knives", "Handles"], URL),
    ]
    first = page.chunks[1]
    assert first.text == f"Steel\n{sentences(8, first=10)}"
    assert (first.position, first.size, first.kind, first.oversize) == (1, 81, "text", False)
    assert page.main_text[first.start : first.end] == first.text
    assert pickle.loads(pickle.dumps(page.chunks)) == page.chunks


def test_the_page_has_them_only_if_asked_for_and_without_sections_too() -> None:
    page = page_in_chunks(GUIDE, sections=False)
    assert page.sections == []
    assert page.segments == []
    assert page.chunks == page_in_chunks(GUIDE).chunks
    assert "chunks" not in page.to_dict()
    assert page.to_dict(chunks=True)["chunks"][3]["headings"] == ["Knives", "Handles"]
    assert page_in_chunks(GUIDE, None).chunks == []


def test_a_title_that_is_no_heading_stands_above_the_others() -> None:
    html = GUIDE.replace("<h1>Knives</h1>", "<h1>Of blades and their edges, an introduction</h1>")
    assert chunks_of(html)[1].headings == ["Knives", "Of blades and their edges, an introduction", "Steel"]


def test_a_long_paragraph_is_cut_at_sentences_into_parts_of_one_size() -> None:
    page = page_in_chunks(f"<p>{sentences(33)}</p>", 100)
    require_whole(page)
    assert [chunk.size for chunk in page.chunks] == [80, 80, 90, 80]
    assert all(chunk.text.startswith("Sentence ") and chunk.text.endswith(".") for chunk in page.chunks)


def test_a_long_sentence_is_cut_at_words() -> None:
    page = page_in_chunks(f"<p>Short one. {sentences(1, 250)}</p>", 100)
    require_whole(page)
    assert max(chunk.size for chunk in page.chunks) <= 100
    assert not any(chunk.oversize for chunk in page.chunks)


def test_a_text_without_spaces_is_cut_at_characters() -> None:
    page = page_in_chunks(f"<p>{'文' * 250}</p>", 100)
    require_whole(page)
    assert [chunk.size for chunk in page.chunks] == [83, 84, 83]


def test_a_word_that_is_too_large_is_a_chunk_of_its_own() -> None:
    tokens = {"tokens": 50, "tokenizer": list}
    page = page_in_chunks(f"<p>See {'x' * 80} now.</p>", tokens)
    require_whole(page)
    assert [(chunk.text, chunk.oversize) for chunk in page.chunks] == [
        ("See", False),
        ("x" * 80, True),
        ("now.", False),
    ]


TABLE = "<table><tr><th>Name</th><th>Steel</th></tr>{}</table>"
ROWS = "".join(f"<tr><td>Knife {row}</td><td>Steel {row}</td></tr>" for row in range(30))


@pytest.mark.parametrize(("size", "texts"), [(50, 3), (200, 1)])
def test_a_table_is_not_cut(size: int, texts: int) -> None:
    page = page_in_chunks(f"<h2>List</h2><p>All of them.</p>{TABLE.format(ROWS)}<p>That is all.</p>", size)
    require_whole(page)
    assert len(page.chunks) == texts
    (chunk,) = [chunk for chunk in page.chunks if "Knife 7\tSteel 7" in chunk.text]
    assert "Knife 0\tSteel 0\n" in chunk.text
    assert chunk.text.count("\t") == 31
    assert (chunk.kind, chunk.oversize) == (("table", True) if size == 50 else ("text", False))


def test_a_line_that_leads_to_a_table_stays_with_it() -> None:
    page = page_in_chunks(f"<h2>List</h2><p>{sentences(3)}</p><p>All of them:</p>{TABLE.format(ROWS)}", 60)
    assert [chunk.text.split("\n")[0] for chunk in page.chunks] == ["List", "All of them:"]
    assert page.chunks[1].oversize


def test_a_table_that_lays_out_a_page_is_cut() -> None:
    html = f"<table><tr><td>{sentences(12)}</td><td>{sentences(12, first=20)}</td></tr></table>"
    page = page_in_chunks(html, 70)
    require_whole(page)
    assert len(page.chunks) == 4
    assert {chunk.kind for chunk in page.chunks} == {"text"}


def test_a_table_around_another_one_is_no_table() -> None:
    inner = TABLE.format(ROWS[:400])
    page = page_in_chunks(f"<table><tr><td>Menu</td><td>Intro<br>{inner}</td></tr></table>", 20)
    require_whole(page)
    assert [chunk.kind for chunk in page.chunks] == ["text", "table"]


def test_code_is_not_cut_and_keeps_its_lines() -> None:
    code = "".join(f"    line {number}\n" for number in range(40))
    page = page_in_chunks(f"<h2>Example</h2><pre>def run():\n{code}</pre><p>{sentences(4)}</p>", 50)
    require_whole(page)
    first, second = page.chunks
    assert first.text == f"Example\ndef run():\n{code}".rstrip()
    assert (first.oversize, second.oversize) == (True, False)


def test_small_sections_of_one_parent_are_merged() -> None:
    entries = "".join(f"<h3>Term {number}</h3><p>{sentences(2, first=number)}</p>" for number in range(12))
    page = page_in_chunks(f"<title>Glossary</title><h1>Glossary</h1><h2>Terms</h2>{entries}", 100)
    require_whole(page)
    assert [chunk.text.count("Term ") for chunk in page.chunks] == [4, 4, 4]
    assert {tuple(chunk.headings) for chunk in page.chunks} == {("Glossary", "Terms")}


def test_small_sections_of_different_parents_are_not() -> None:
    html = "".join(f"<h2>Part {part}</h2><p>{sentences(9)}</p><h3>Note</h3><p>{sentences(2)}</p>" for part in "AB")
    assert [chunk.headings for chunk in chunks_of(html, 100)] == [
        ["Part A"],
        ["Part A", "Note"],
        ["Part B"],
        ["Part B", "Note"],
    ]


def test_titles_without_text_go_to_what_follows_inside_them_or_came_before() -> None:
    html = f"<h2>One</h2><h3>Two</h3><p>{sentences(6)}</p><h2>Empty</h2><h2>Last</h2><p>{sentences(6, first=9)}</p>"
    page = page_in_chunks(html, 100)
    require_whole(page)
    assert [(chunk.headings, chunk.text.split("Sentence")[0]) for chunk in page.chunks] == [
        (["One", "Two"], "One\nTwo\n"),
        (["Last"], "Last\n"),
    ]
    assert page.chunks[0].text.endswith("\nEmpty")


@pytest.mark.parametrize(
    "heading",
    [
        "<h2 id=it>Title</h2>",
        "<h2><span id=it>Title</span></h2>",
        "<section id=it><h2>Title</h2></section>",
        "<a name=it></a><h2>Title</h2>",
        "<section><span id=it></span><h2>Title</h2></section>",
    ],
)
def test_where_the_fragment_may_be(heading: str) -> None:
    html = f"<p>{sentences(9)}</p>{heading}<p>{sentences(6, first=9)}</p>"
    assert [chunk.url for chunk in chunks_of(html, 100)] == [URL, f"{URL}#it"]


def test_overlap_repeats_the_last_sentences() -> None:
    html = f"<h2>A</h2><p>{sentences(20)}</p><h2>B</h2><p>{sentences(6, first=30)}</p>"
    page = page_in_chunks(html, {"words": 80, "overlap": 25})
    assert [chunk.text.startswith("Sentence") for chunk in page.chunks] == [False, True, True, True, False]
    for before, chunk in zip(page.chunks[:4], page.chunks[1:4], strict=False):
        shared = page.main_text[chunk.start : before.end]
        assert before.text.endswith(shared)
        assert 10 <= len(shared.split()) <= 25
    assert max(chunk.size for chunk in page.chunks) <= 80
    assert all(chunk.text == page.main_text[chunk.start : chunk.end] for chunk in page.chunks)


def thread(posts: int) -> str:
    replies = "".join(
        f"<div class=post id=p{number}><div class=author><a href=/u/{number}>User{number}</a></div><div class=date>"
        f"2024-03-0{number + 1}</div><div class=content>{sentences(4, 12, first=10 * number)}</div></div>"
        for number in range(posts)
    )
    return (
        "<html><title>How do I sharpen a chisel?</title><body class=viewtopic><nav><a href=/>Forum index</a></nav>"
        f"<h1>How do I sharpen a chisel?</h1><div class=posts>{replies}</div></body></html>"
    )


def test_posts_of_a_thread_are_not_cut_at_a_size_that_they_fit_in() -> None:
    page = extractor().read(thread(6), "https://forum.example.com/t/1", Options(chunks=100))
    require_whole(page)
    assert len(page.qa_pairs) == 5
    texts = [chunk.text for chunk in page.chunks]
    for pair in page.qa_pairs:
        assert any(pair.answer in text for text in texts)
    assert [sum(pair.answer in text for pair in page.qa_pairs) for text in texts].count(2) == 0


def test_joined_comments_are_chunks_apart_from_the_sections() -> None:
    html = f"<title>Knives</title><h1>Knives</h1><p>{sentences(2)}</p>"
    page = page_in_chunks(html)
    joined = Page(main_text=f"{page.main_text}\nNice.\nI agree.", blocks=page.blocks, title="Knives")
    joined.chunks = read_chunks(joined, describe(html, URL), page.sections, ChunkOptions())
    require_whole(joined)
    assert [chunk.text for chunk in joined.chunks] == [page.main_text, "Nice.\nI agree."]
    assert joined.chunks[1].headings == ["Knives"]


def test_a_page_without_blocks_of_main_content_has_chunks_of_the_text_found_elsewhere() -> None:
    article = {"@context": "https://schema.org", "@type": "Article", "articleBody": sentences(30)}
    data = f'<script type="application/ld+json">{json.dumps(article)}</script>'
    html = f"<html>{data}<body><div id=root></div></body></html>"
    page = extractor().read(html, None, Options(chunks=100))
    assert page.main_text == sentences(30)
    require_whole(page)
    assert [chunk.url for chunk in page.chunks] == [None] * 3


@pytest.mark.slow
@pytest.mark.parametrize("size", [40, 200])
def test_chunks_of_real_pages_are_their_main_text_and_no_larger_than_asked_for(size: int) -> None:
    sources = [Source(page.html, page.url, Options(chunks=size, markup=False)) for page in read_sample()]
    count = 0
    for begin in range(0, len(sources), 16):
        for page in extractor().read_many(sources[begin : begin + 16]):
            assert isinstance(page, Page)
            require_whole(page)
            count += len(page.chunks)
            assert all(chunk.size == len(chunk.text.split()) for chunk in page.chunks if chunk.text.isascii())
            assert all(chunk.size <= size or chunk.oversize for chunk in page.chunks)
            assert not any(chunk.oversize and chunk.kind == "text" and _is_prose(chunk) for chunk in page.chunks)
    assert count > len(sources)


def _is_prose(chunk: Chunk) -> bool:
    """Return whether a chunk has neither table cells nor lines of code."""
    return "\t" not in chunk.text and "\n" not in chunk.text


def by_letters(text: str) -> list[str]:
    """A tokenizer with a special token at both ends, like those of BERT."""
    return ["[CLS]", *(text[at : at + 3] for at in range(0, len(text), 3)), "[SEP]"]


@pytest.mark.parametrize(
    ("text", "words"),
    [("Two words", 2), ("", 0), ("a - b", 3), ("東京 2024年", 4), ("ไทย", 3), ("don't stop-motion", 2)],
)
def test_words(text: str, words: int) -> None:
    assert count_words(text) == words


@pytest.mark.parametrize(
    ("value", "size"),
    [(True, 200), (50, 50), ({"words": 50}, 50), ({"tokenizer": "test_chunks.by_letters"}, 256)],
)
def test_what_the_option_may_be(value: Any, size: int) -> None:
    options = Options(chunks=value)
    assert isinstance(options.chunks, ChunkOptions)
    assert options.chunks.size == size
    assert Options(chunks=options.chunks) == options
    assert pickle.loads(pickle.dumps(options)) == options


@pytest.mark.parametrize("value", [None, False])
def test_no_chunks(value: Any) -> None:
    assert Options(chunks=value).chunks is None
    assert chunks_of(f"<p>{sentences(3)}</p>", value) == []


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("many", "chunks is 'many'; it has to be True, False, a number of words or a dict"),
        ({"size": 3}, "chunks has no key 'size'; the keys are words, tokens, tokenizer, overlap"),
        (-3, "words is -3; it has to be a whole number of at least 1"),
        ({"words": 1.5}, "words is 1.5; it has to be a whole number"),
        ({"tokens": 512}, "tokens needs a tokenizer"),
        ({"words": 5, "tokenizer": len}, "words and a tokenizer exclude each other"),
        ({"words": 50, "overlap": 26}, "overlap is 26; it has to be at most half of the size, 50"),
        ({"tokenizer": "no.such.module"}, "tokenizer is 'no.such.module', which cannot be imported: No module"),
        ({"tokenizer": "json:dump_it"}, "cannot be imported: module 'json' has no attribute 'dump_it'"),
        ({"tokenizer": 5}, "tokenizer is 5, which cannot be called"),
    ],
)
def test_what_is_refused(value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("[", r"\[")):
        Options(chunks=value)


@pytest.mark.parametrize("tokenizer", [by_letters, "test_chunks.by_letters", "test_chunks:by_letters"])
def test_tokens_of_a_tokenizer(tokenizer: Any) -> None:
    html = f"<p>{sentences(12)}</p><p>{sentences(30, first=50)}</p>"
    chunks = chunks_of(html, {"tokens": 100, "tokenizer": tokenizer})
    assert [chunk.size for chunk in chunks] == [len(by_letters(chunk.text)) for chunk in chunks]
    assert max(chunk.size for chunk in chunks) <= 100
    assert min(chunk.size for chunk in chunks[:-1]) > 50
    assert all(chunk.text.endswith(".") for chunk in chunks)


def test_a_size_that_no_word_fits_in() -> None:
    chunks = chunks_of("<p>One two.</p>", {"tokens": 2, "tokenizer": by_letters})
    assert [(chunk.text, chunk.size, chunk.oversize) for chunk in chunks] == [("One", 3, True), ("two.", 4, True)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["It rains. ", "It pours! ", "Does it? ", "Yes…"],
        ['He said "Go." ', "She went.[12] ", "(They did not.) ", "1984 was a year."],
        ["See Dr. Smith, J. R. Tolkien and e.g. Fig. 3 on p. 4. ", "Then go."],
        ["The file is a.b.c and v1.2.3 is out. ", "Get it."],
        ["Wait... what? ", "No."],
        ["So did I. ", "They left."],
        ["今日は雨です。", "明日は晴れ！", "「はい。」", "終わり"],
        ["Es regnet. ", "Über Nacht z.B. nicht.\n", "Gut."],
    ],
)
def test_sentences(sentences: list[str]) -> None:
    text = "".join(sentences)
    starts = [0, *sentence_starts(text, 0, len(text)), len(text)]
    assert [text[begin:end] for begin, end in pairwise(starts)] == sentences


def test_only_a_part_of_a_text_is_searched() -> None:
    text = "One. Two. Three. Four."
    assert [*sentence_starts(text, 5, 16)] == [10]
