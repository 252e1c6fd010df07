"""What is compiled tells the same of lines as the Python that it stands in for, on real pages and on odd texts."""

from __future__ import annotations

from itertools import islice
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gate import quality

from scrapy_semtext.compiled import lines
from scrapy_semtext.describe import describe
from scrapy_semtext.sectioning import features, numbering, scopes, texts
from scrapy_semtext.sectioning import lines as sectioned
from scrapy_semtext.sectioning.lines import lines_of

pytestmark = pytest.mark.skipif(lines is None, reason="nothing was compiled")

PIECES = (
    *" \t\n\x1c\x7f\xa0\u200b..!?。…'\"”’)]】[[0123456789:：,;、，abcdeABCDEİßǅⒶⅧ٣²_第三章アÄΣé•–-*",
    *("\U0001f600", "\ud800", "2024", "19", "[12]", ". ", ": ", "the ", "Title", "nav", "Bar", "FOOT", "\u212a"),
    *("Article", "\u017fection", "§", "étape", "Étape", "часть", "(", "IV", "xvi", "abcdefg", "Step", "Teil "),
)
EDGES = [
    *("x", "_", ".[12]", ".)[1]", ".]", "[1]", ".[1]\n", ":\n \n", ":    ", ":     ", "1.", "(", "第", "\n", " " * 400),
    *(f".[{'1' * count}]" for count in range(15, 20)),
    *(text * count for text in ("A", "ä", "アb", "\U0001f600 ", "1 ") for count in (199, 200, 201, 400, 401, 2000)),
    " " * 500 + "x",
]
ODD_LINES = [
    *(
        "1. One",
        "2. Two",
        "(a) x",
        "b) y",
        "IV. Four",
        "Section 5",
        "A",
        "ALL CAPS 2024",
        "\u7b2c\u4e09\u7ae0 x",
        "• item:",
    ),
    *(
        "A sentence of ten words and more, which is running text by its end.",
        "Another one that is as long, with a comma.",
    ),
    *("<a href=x>link</a>", "a title", "x y " * 80, "<i>half</i> of it."),
]
TITLE = frozenset("the a i\u0307 ß 19 第三章 ab 2024 title titles k é σ ς".split())
LONG_TITLE = TITLE | {f"word{number}" for number in range(99)}


def odd_texts() -> list[str]:
    rng = np.random.default_rng(5)
    sizes = rng.choice((1, 2, 3, 5, 9, 30, 200, 400), size=3000)
    return ["".join(PIECES[place] for place in rng.integers(len(PIECES), size=size)) for size in sizes]


def real_pages() -> list[str]:
    return [page.html for page in islice(quality.read_sample(), 12)]


def test_facts_of_texts() -> None:
    own = [line.text for html in real_pages() for line in _lines(html)]
    for each in (own, odd_texts(), EDGES):
        for title in (TITLE, LONG_TITLE, frozenset[str]()):
            found, expected = np.zeros((2, len(each), 20))
            lines.facts_of_texts(each, title, found)
            texts._count(each, title, expected)
            assert np.array_equal(found, expected, equal_nan=True)


def test_facts_of_texts_need_characters_and_room() -> None:
    with pytest.raises(IndexError, match="without text"):
        lines.facts_of_texts([""], TITLE, np.zeros((1, 20)))
    for shape in ((1, 20), (2, 13)):
        with pytest.raises(ValueError, match="no room"):
            lines.facts_of_texts(["a", "b"], TITLE, np.zeros(shape))


def test_no_plain_text_has_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    each = [*odd_texts(), *EDGES, "ok.", "Abcdefg)", "Abcdefgh)", "x", "#1", "clear", "Claſs 3", "step 3", "Step"]
    told = [numbering.numbering(text) for text in each]
    monkeypatch.setattr(numbering, "_is_plain", lambda text: False)
    assert [numbering.numbering(text) for text in each] == told


def test_perhaps_numbered() -> None:
    own = [line.text for html in real_pages() for line in _lines(html)]
    each = [*own, *odd_texts(), *EDGES, "ok.", "Abcdefg)", "Abcdefgh)", "#1", "clear", "Cla\u017fs 3", "step 3", "Ste"]
    expected = [place for place, text in enumerate(each) if not numbering._is_plain(text)]
    assert lines.perhaps_numbered(each, numbering.BEGINNINGS) == expected
    assert lines.perhaps_numbered([""], numbering.BEGINNINGS) == []


def test_features_of_lines() -> None:
    parts = "<p> </p> <div> <b> </b> <h2 class=title> </h2> <ul><li> <nav> <br> <big> <center> <p class=''>".split(" ")
    rng = np.random.default_rng(9)
    odd = [
        "".join(np.array([*parts, *ODD_LINES])[rng.integers(len(parts) + len(ODD_LINES), size=60)]) for _ in range(99)
    ]
    for html in ("x", "<h1>1. x", "<b>x" * 2, "<big>" * 80 + "x", *odd, *real_pages()):
        found = _lines(html)
        told = texts.Texts(found.texts, "a title of it")
        expected = features._features_in_python(found, told)
        assert np.array_equal(features._features(found, told), expected)
        assert np.isfinite(expected).all()


def test_features_of_lines_need_room() -> None:
    found = _lines("<p>text")
    told = texts.Texts(found.texts, "")
    looks, table = np.zeros(1, dtype=np.int64), np.zeros((1, 9), dtype=np.float32)
    about = (found.marks, looks, found.layout.scopes, found.layout, looks, looks)
    with pytest.raises(ValueError, match="no room"):
        lines.features_of_lines(table, told.facts, told.which, told.follows().view(np.int8), *about, 3, 0.7)


def test_signs_of_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    own = [scope for html in real_pages() for line in _lines(html) for scope in line.scope.ancestry()]
    names = [*odd_texts(), *EDGES, "", "navBar", "NAVbar", "aNav", "adTop{Back", "top\u212a", "title title"]
    names += [*scopes._OF_NAME, *map(str.title, scopes._OF_NAME), "subscribesubscribe", "x" * 12, "x" * 13]
    each = [*((scope.tag, scope.names) for scope in own), *(("p", name) for name in names)]
    found = scopes.signs_of(each)
    with pytest.raises(ValueError, match="no room"):
        lines.signs_of_looks(each, lines.KnownNames({}, {}), str.count, np.zeros(1, dtype=np.int64))
    monkeypatch.setattr(scopes, "lines", None)
    assert found.tolist() == scopes.signs_of(each).tolist()


def test_known_names_are_short_words_of_letters() -> None:
    for word in ("", "a" * 13, "a-b", "Nav", "é"):
        with pytest.raises(ValueError, match="no word"):
            lines.KnownNames({word: 1}, {})
    with pytest.raises(ValueError, match="too many"):
        lines.KnownNames({chr(97 + at // 26) + chr(97 + at % 26): 1 for at in range(257)}, {})


def test_attributes_are_read_of_any_class() -> None:
    class Slotted:
        __slots__ = ("style", "text")

        def __init__(self, text: str) -> None:
            self.text = text

    own: list[Any] = [*describe("<p>x<br>y", None).pieces]
    for pieces in (own, [SimpleNamespace(text="x\ny")], [Slotted("x\ny")], own, [own[0], Slotted("a"), *own]):
        counts = np.zeros(len(pieces), dtype=np.int64)
        expected = [text for piece in pieces for text in piece.text.split("\n")]
        assert lines.texts_of_lines(pieces, counts) == expected
    for thing in (object(), Slotted.__new__(Slotted), None, slice(1)):
        with pytest.raises(AttributeError):
            lines.texts_of_lines([thing], counts)


def test_looks_of_lines() -> None:
    mixed = "<p>a <b>b<br>c</b> <i>\u212a\xa0d</i><font size=5>\U0001f600 e</font>"
    for html in (mixed, "<small>a <small>b</small></small>", *real_pages()):
        for piece in describe(html, None).pieces:
            styles = piece.style if isinstance(piece.style, list) else [(len(piece.text), piece.style)]
            for each in ([piece.text], piece.text.split("\n"), [f"{piece.text} and more", "", "of it"]):
                marks = np.full((len(each) + 2, 5), 7.0)
                lines.looks_of_lines(["", *each], 1, len(each) + 1, styles, marks)
                assert marks[1:-1].tolist() == list(map(list, sectioned._looks(each, styles)))
                assert (marks[[0, -1]] == 7).all()
    with pytest.raises(ValueError, match="no room"):
        lines.looks_of_lines(["a"], 0, 2, [], np.zeros((2, 5)))
    with pytest.raises(TypeError, match="six values"):
        lines.looks_of_lines(["a"], 0, 1, [(1, (True, True))], np.zeros((1, 5)))


def test_lines_of_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    one_style = "<big><big>a <span>b</span><br>c <span>d</span></big> e</big><small><p>f <i></i>g<pre>h\n\ni</pre>"
    headings = "<h2><div>a<br>b</div><section><div>c</section></h2><center hidden>d <b>e</b></center><h1>f"
    nested = "".join(f"<p>{'<big>' * depth}x <a href=y>y</a>, z<br>w" for depth in range(12))
    pages = [describe(html, None) for html in ("x", one_style, headings, nested, *real_pages())]
    found = [lines_of(page.pieces, page.text_blocks) for page in pages]
    monkeypatch.setattr(sectioned, "compiled", None)
    for page, own in zip(pages, found, strict=True):
        expected = lines_of(page.pieces, page.text_blocks)
        assert own.texts == expected.texts
        for columns in ("piece", "block", "marks"):
            assert np.array_equal(getattr(own, columns), getattr(expected, columns))
        assert list(own) == list(expected)  # with what glues them


def test_lines_of_pieces_need_blocks_and_room() -> None:
    page = describe("<p>One<p>Two", None)
    for blocks in (page.pieces[:1], page.pieces * 2):
        with pytest.raises(IndexError, match=r"piece|range"):
            lines_of(page.pieces, blocks)
    counts, marks = np.ones(2, dtype=np.int64), np.zeros((1, 10))
    with pytest.raises(ValueError, match="no room"):
        lines.columns_of_lines(page.pieces, ["One", "Two"], counts, counts, counts.copy(), counts.copy(), marks)


def _lines(html: str) -> sectioned.Lines:
    page = describe(html, None)
    return lines_of(page.pieces, page.text_blocks)
