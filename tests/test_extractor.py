"""From HTML to a Page with the shipped model, on real pages of sites that training never saw."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from threading import Barrier, BrokenBarrierError
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from gate.quality import GatePage, read_sample

from scrapy_semtext import Extractor, Options, Page, Source, extract
from scrapy_semtext.models.network import CpuNetwork
from scrapy_semtext.models.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.extractor import Annotation
    from scrapy_semtext.features.table import ParsedPage
    from scrapy_semtext.models.config import PageInput


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor.load(device="cpu")


@pytest.fixture(scope="module")
def real_pages() -> list[GatePage]:
    return list(islice(read_sample(), 12))


@pytest.mark.smoke
def test_a_page_is_handed_over_with_its_tree(extractor: Extractor) -> None:
    given: list[Annotation] = []
    sources = [Source(f"<main><p>Page {n} is about bread.</p></main>", on_read=given.append) for n in range(3)]
    pages = extractor.read_many([*sources, Source("<p>Nobody asked for this one.")])
    assert [each.page for each in given] == pages[:3]
    assert [each.text_blocks[0].text for each in given] == [f"Page {n} is about bread." for n in range(3)]
    assert given[0].root.tag == "html"


def test_what_is_raised_when_a_page_is_handed_over_is_its_result(extractor: Extractor) -> None:
    def fail(_: Annotation) -> None:
        raise ZeroDivisionError

    bad, good = extractor.read_many([Source("<p>One.", on_read=fail), Source("<p>Two.")])
    assert isinstance(bad, ZeroDivisionError)
    assert isinstance(good, Page)


def test_pages_are_small_and_picklable(extractor: Extractor, real_pages: list[GatePage]) -> None:
    page = extractor.read(real_pages[0].html)
    assert pickle.loads(pickle.dumps(page)) == page
    assert len(pickle.dumps(page)) < len(real_pages[0].html)


class Meeting:
    """Where two threads wait for each other, at most half a second; ``most`` were there at a time."""

    def __init__(self) -> None:
        self.barrier, self.there, self.most = Barrier(2), 0, 0

    def wait(self) -> None:
        self.there += 1
        self.most = max(self.most, self.there)
        with suppress(BrokenBarrierError):
            self.barrier.wait(0.5)
        self.there -= 1


#: Two pages with equally many blocks, of which the network keeps different ones.
NAMES = ("content", "sidebar ads", "footer nav", "comment")
TWINS = [
    "".join(
        f"<div class='{name}'><p>The kiln was fired at dawn, and the bowls in it cracked. {name}</p></div>"
        for name in names
    )
    for names in (NAMES, NAMES[::-1])
]


def test_threads_share_an_extractor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that change the extractor meet then, so that both go on with the last change."""
    meeting = Meeting()
    extractor = Extractor.load(device="cpu")
    alone = [extractor.read(html) for html in TWINS]
    assert alone[0].blocks != alone[1].blocks

    def change(self: Extractor, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        meeting.wait()

    monkeypatch.setattr(Extractor, "__setattr__", change, raising=False)
    with ThreadPoolExecutor(2) as threads:
        assert [*threads.map(extractor.read, TWINS)] == alone


def test_one_thread_at_a_time_runs_the_network(extractor: Extractor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The network caches the encodings of strings, so a second thread waits."""
    meeting, run = Meeting(), CpuNetwork.run

    def meet(self: CpuNetwork, pages: Sequence[PageInput]) -> Any:
        meeting.wait()
        return run(self, pages)

    monkeypatch.setattr(CpuNetwork, "run", meet)
    with ThreadPoolExecutor(2) as threads:
        [*threads.map(extractor.read, TWINS)]
    assert meeting.most == 1


def test_a_page_that_fails_does_not_take_its_batch_with_it(
    extractor: Extractor, real_pages: list[GatePage], monkeypatch: pytest.MonkeyPatch
) -> None:
    good = extractor.read(real_pages[1].html)

    def title_of(root: Any, _named: object) -> str:
        if root.findtext(".//title") == "boom":
            raise RuntimeError("no title today")
        return "a title"

    monkeypatch.setattr("scrapy_semtext.read.title.title_of", title_of)
    bad, fine = extractor.read_many([Source("<title>boom</title><p>text"), Source(real_pages[1].html)])
    assert isinstance(bad, RuntimeError)
    assert isinstance(fine, Page)
    assert fine.main_text == good.main_text


def test_markup_is_read_only_if_wanted(extractor: Extractor) -> None:
    html = """<script type="application/ld+json">{"@context": "https://schema.org", "@type": "FAQPage", "mainEntity":
    [{"@type": "Question", "name": "Why?", "acceptedAnswer": {"@type": "Answer", "text": "Because."}}]}</script>"""
    (pair,) = extractor.read(html).qa_pairs
    assert (pair.question, pair.answer, pair.source) == ("Why?", "Because.", "markup")
    assert extractor.read(html, options=Options(markup=False)).qa_pairs == []


def test_what_is_not_wanted_is_left_out_and_the_rest_stays(extractor: Extractor, real_pages: list[GatePage]) -> None:
    page = real_pages[0]
    whole = extractor.read(page.html, page.url)
    bare = extractor.read(page.html, page.url, Options(pairs=False, sections=False, kinds=False))
    assert whole.sections
    assert whole.segments
    assert whole.page_kind
    assert (bare.sections, bare.segments, bare.page_kind, bare.is_overview) == ([], [], None, None)
    assert (bare.main_text, bare.blocks, bare.title) == (whole.main_text, whole.blocks, whole.title)


def test_text_of_markup_alone_has_no_section_if_none_is_wanted(extractor: Extractor) -> None:
    stated = '{"@context": "https://schema.org", "@type": "Article", "articleBody": "A text in the markup."}'
    html = f'<script type="application/ld+json">{stated}</script>'
    assert [section.text for section in extractor.read(html).sections] == ["A text in the markup."]
    bare = extractor.read(html, options=Options(sections=False))
    assert (bare.main_text, bare.sections) == ("A text in the markup.", [])


def test_overviews_cannot_be_dropped_without_kinds() -> None:
    with pytest.raises(ValueError, match="drop_overview is True and kinds is False"):
        Options(drop_overview=True, kinds=False)


@pytest.mark.smoke
def test_extract_is_the_shipped_model_in_one_call(extractor: Extractor, real_pages: list[GatePage]) -> None:
    real = real_pages[2]
    page, expected = extract(real.html, url=real.url), extractor.read(real.html, real.url)
    # which strings an extractor remembers shapes its products of matrices, and with them the last digits
    likely, wanted = ([block.probability for block in read.blocks] for read in (page, expected))
    assert likely == pytest.approx(wanted, abs=1e-5)
    page.blocks = [replace(block, probability=other) for block, other in zip(page.blocks, wanted, strict=True)]
    assert page == expected


@pytest.mark.smoke
def test_bytes_are_decoded_by_the_header_or_as_the_page_says(extractor: Extractor) -> None:
    text = "Żółta łódź podwodna płynie powoli przez zimne morze, a na brzegu nikt już na nią nie czeka."
    html = f"<title>Łódź</title><p>{text}</p>"
    assert extractor.read(html.encode()).main_text == text
    assert extractor.read(html.encode("iso-8859-2"), content_type="text/html; charset=iso-8859-2").main_text == text
    assert extract(f"<meta charset=windows-1250>{html}".encode("cp1250")).title == "Łódź"
    assert extract(html, content_type="text/html; charset=iso-8859-2").main_text == text, "a str is decoded already"
    assert extractor.annotate(html.encode()).page.main_text == text


@pytest.mark.parametrize("wrong", [None, Path("page.html"), 3, ["<p>Text"]])
def test_what_is_no_source_of_a_page_is_refused(wrong: Any) -> None:
    message = f"html has to be the source of a page as str or bytes, not {type(wrong).__name__}; pass for instance"
    with pytest.raises(TypeError, match=message):
        extract(wrong)


def test_a_page_that_cannot_be_labeled_does_not_take_its_batch_with_it(real_pages: list[GatePage]) -> None:
    class Choosy:
        """Labels nothing as main content, and fails on pages that mention dragons."""

        def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
            if any("dragon" in block.text for page in pages for block in page.text_blocks):
                raise RuntimeError("here be dragons")
            return [Scores(np.zeros(n), np.zeros(n, dtype=np.bool_)) for n in (len(p.text_blocks) for p in pages)]

    results = Extractor(Choosy(), "viterbi").read_many([Source("<p>a dragon"), Source(real_pages[0].html), Source("")])
    assert str(results[0]) == "here be dragons"
    assert isinstance(results[1], Page)
    assert isinstance(results[2], Page)
    assert (results[2].page_kind, results[2].is_overview) == (None, None), "nothing is told of a page without text"


def test_bytes_that_are_no_page_give_a_page_that_says_so() -> None:
    with pytest.warns(UserWarning, match="^http://a.test/b is not a page but a PDF: take its text with a PDF reader"):
        page = extract(b"%PDF-1.7\n%\xe2\xe3\n1 0 obj", "http://a.test/b")
    assert (page.url, page.main_text, page.title) == ("http://a.test/b", "", None)
    assert page.note == "not a page but a PDF: take its text with a PDF reader such as pypdf"


def test_a_page_says_in_which_encoding_it_was_read() -> None:
    body = "<p>Am Vormittag öffnet die Mühle, und am Abend schließt sie für alle Gäste wieder.</p>".encode()
    assert extract(body, content_type="text/html").note is None
    assert extract(body, content_type="text/html; charset=gbk").note == "encoding: declared as gb18030, read as utf-8"
