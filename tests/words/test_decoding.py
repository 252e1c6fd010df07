"""Bytes become the text that browsers show, in the right encoding even if none or another one is declared."""

from __future__ import annotations

import encodings
import pkgutil
import time

import pytest
from w3lib.encoding import resolve_encoding

from scrapy_semtext.words.decoding import FOREIGN_ENCODINGS, NotAPageError, decoded, html_text


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        (b'<meta charset="iso-8859-1"><p>caf\xe9', None, "café"),
        ("<p>café".encode(), None, "café"),
        (b"<p>caf\xe9 \x80", None, "café €"),
        (b"\xef\xbb\xbf<meta charset=latin1><p>caf\xc3\xa9", None, "café"),
        (b"", None, ""),
        ("<p>café".encode(), "text/html", "café"),
        (b"<meta charset=utf-8><p>caf\xe9", "text/html; charset=iso-8859-1", "café"),
        (b"\xef\xbb\xbf<p>caf\xc3\xa9", "text/html; charset=iso-8859-1", "café"),
        ("<p>café".encode("utf-16"), "text/html; charset=iso-8859-1", "café"),
    ],
)
def test_byte_order_mark_then_header_then_meta_then_a_guess(body: bytes, content_type: str | None, text: str) -> None:
    assert decoded(body, content_type).text.endswith(text)
    assert "\ufffd" not in decoded(body, content_type).text


@pytest.mark.parametrize("label", sorted(FOREIGN_ENCODINGS))
def test_codecs_that_are_no_encodings_of_pages_are_passed_over(label: str) -> None:
    """Some raise an exception, and punycode would take an hour for this page."""
    body = "<p>café ".encode() + b"-" + b"zz9a" * 50_000
    assert decoded(body, f"text/html; charset={label}").text.startswith("<p>café -zz9a")
    assert decoded(f"<meta charset={label}>".encode() + body).text.startswith(f"<meta charset={label}><p>café -zz9a")
    assert decoded(f"<meta charset={label}><p>".encode() + b"caf\xe9", "text/html; charset=cp1252").text.endswith(
        "café"
    )


def test_every_codec_that_is_no_text_encoding_is_passed_over() -> None:
    found = {resolve_encoding(module.name) for module in pkgutil.iter_modules(encodings.__path__)} - {None}
    for name in found:
        decoded("<p>café".encode(), f"text/html; charset={name}")


#: Short texts of several languages, in the encodings that pages in them are found in.
TEXTS = {
    "Канал открыли весной, и в городе было двести домов": "cp1251 koi8-r iso8859-5 cp866",
    "Канал відкрили навесні, і в місті було двісті будинків": "cp1251 koi8-u",
    "Kanał otwarto wiosną, a miasto miało dwieście domów": "cp1250 iso8859-2",
    "Kanál otevřeli na jaře a město tehdy mělo dvě stě domů": "cp1250 iso8859-2",
    "Το κανάλι άνοιξε την άνοιξη και η πόλη είχε σπίτια": "cp1253 iso8859-7",
    "Kanal açıldı ve o zamanlar şehirde iki yüz ev vardı": "cp1254",
    "התעלה נפתחה באביב ובעיר היו אז מאתיים בתים": "cp1255",
    "افتتحت القناة في الربيع وكان في المدينة آنذاك مائتا منزل": "cp1256",
    "Kanalas buvo atidarytas pavasarį, o mieste buvo du šimtai namų": "cp1257",
    "คลองเปิดใช้ในฤดูใบไม้ผลิและเมืองมีบ้านสองร้อยหลัง": "cp874",
    "Der Kanal wurde im Frühjahr eröffnet, für zweihundert Häuser": "cp1252",
    "Kanalen öppnades på våren och staden hade då tvåhundra hus": "cp1252",
    "El canal se abrió en la primavera y la ciudad tenía después": "cp1252",
    "The keeper’s ledger – “a week’s wages”": "cp1252",
    "运河于春天开通，当时城里有二百栋房子和一座教堂": "gbk gb18030",
    "運河於春天開通，當時城裡有二百棟房子和一座教堂": "big5",
    "これは港の町について書かれた短い話です": "shift_jis euc-jp iso2022_jp",
    "운하는 봄에 개통되었고 당시 도시에는 교회가 있었다": "euc-kr",
}
NAMED = [(text, encoding) for text, encodings in TEXTS.items() for encoding in encodings.split()]
PAGE = (
    "<html><head>{}<title>Harbour Notes</title></head><body><nav><a href='/'>Home</a> <a href='/a'>All articles</a>"
    "</nav><p>{}</p><script>var a = 1;</script><footer>All rights reserved.</footer></body></html>"
)


@pytest.mark.parametrize(("text", "encoding"), NAMED)
def test_the_encoding_of_a_short_page_is_guessed(text: str, encoding: str) -> None:
    page = decoded(PAGE.format("", text).encode(encoding), "text/html")
    assert (text in page.text, page.note) == (True, None)


@pytest.mark.parametrize(("text", "encoding"), NAMED)
def test_a_declaration_decides_where_it_can_be_right(text: str, encoding: str) -> None:
    for length in (2, 5, len(text)):
        page = decoded(PAGE.format("", text[:length]).encode(encoding), f"text/html; charset={encoding}")
        assert (text[:length] in page.text, page.note) == (True, None)


@pytest.mark.parametrize("declared", ["iso-8859-1", "windows-1251", "gbk", "big5", "shift_jis", "euc-kr", "utf-16"])
@pytest.mark.parametrize("text", ["Dvořák", "the keeper’s café", *TEXTS])
def test_utf_8_is_read_as_utf_8_whatever_it_is_declared_as(text: str, declared: str) -> None:
    page = decoded(PAGE.format(f"<meta charset={declared}>", text).encode())
    assert text in page.text
    assert page.note is not None
    assert page.note.startswith("encoding: declared as ")
    assert page.note.endswith("read as utf-8")


def test_what_says_it_is_utf_8_and_is_not_is_guessed() -> None:
    text = "Канал открыли весной, и в городе было двести домов"
    page = decoded(PAGE.format("<meta charset=utf-8>", text).encode("cp1251"))
    assert text in page.text
    assert page.note == "encoding: declared as utf-8, read as cp1251"


def test_a_few_broken_characters_are_replaced_and_counted() -> None:
    body = PAGE.format("<meta charset=utf-8>", "Frühjahr, Häuser, schön").encode() + b"\xff \xc3"
    for given in (body, body.replace(b"<meta charset=utf-8>", b"")):
        page = decoded(given)
        assert "Frühjahr, Häuser, schön" in page.text
        assert page.note == "replaced: 2 characters could not be decoded"
    assert decoded("<p>is a \ufffd of the page".encode()).note is None


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark(encoding: str) -> None:
    text = "Канал открыли весной"
    assert text in decoded(PAGE.format("", text).encode(encoding)).text


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"%PDF-1.7\n", "a PDF: take its text with a PDF reader"),
        (b"\x89PNG\r\n\x1a\n", "a picture"),
        (b"GIF89a", "a picture"),
        (b"\xff\xd8\xff\xe0", "a picture"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "a picture"),
        (b"\x1f\x8b\x08", "a packed file: unpack it first"),
        (b"PK\x03\x04", "an archive or an office document: unpack"),
        (b"\xd0\xcf\x11\xe0", "an office document: convert"),
        (b"{\\rtf1\\ansi", "an office document: convert"),
        (b"\0\0\0\x18ftypmp42", "a sound or a film"),
        (b"wOF2\0\x01", "a program, a font or a database"),
        (b"\x01\x02\x03\x04 and so on", "a picture, an archive or other data that is not text"),
    ],
)
def test_what_is_no_page_is_named(body: bytes, message: str) -> None:
    with pytest.raises(NotAPageError, match=f"^not a page but {message}"):
        html_text(body)


@pytest.mark.parametrize("text", ["ID3 is an algorithm", "PK is a key", "BM is a name", "MZ", "%PD", "", "\0\0<p>a"])
def test_texts_that_begin_like_files_are_pages(text: str) -> None:
    assert html_text(text.encode()) == html_text(text) == text


def test_a_large_page_is_guessed_by_a_part() -> None:
    body = b"x" * 500_000 + ("é" * 10).encode("cp1252") + b"<p a=" + "Kanał otwarto wiosną. ".encode("cp1250") * 200_000
    begin = time.process_time()
    decoded(body)
    assert time.process_time() - begin < 1
