"""The text of a page given as bytes, and the detection of bytes that are not a page: a PDF, an image, an archive."""

from __future__ import annotations

import operator
import re
from typing import NamedTuple

from w3lib.encoding import (
    html_body_declared_encoding,
    html_to_unicode,
    http_content_type_encoding,
    read_bom,
    resolve_encoding,
)

from scrapy_semtext.words.word_tables import WORDS

#: The share of control characters, at the beginning of a text, from which it is an image or an archive instead of text.
#: Random bytes have a tenth of them, and real pages next to none.
_MIN_CONTROL_SHARE = 0.05
_CHECKED_CHARS = 4096
# NUL is excluded: it is what remains of undeclared UTF-16, and HTML parsers drop it.
_CONTROLS = bytes((*range(1, 9), *range(14, 27), *range(28, 32)))
# Beginnings of files that are not pages, with the type of file and what to do.
_FILE_TYPES = {
    rb"\s*%PDF-": "a PDF: take its text with a PDF reader such as pypdf",
    rb".PNG\r?\n|GIF8[79]a|\xff\xd8\xff|RIFF....WEBP|II\*\0|MM\0\*|\0\0\x01\0|BM....\0\0\0\0": "a picture",
    rb"\x1f\x8b|BZh[1-9]1AY|\xfd7zXZ\0|\x28\xb5\x2f\xfd": "a packed file: unpack it first",
    rb"PK[\x03\x05]|7z\xbc\xaf|Rar!\x1a": "an archive or an office document: unpack or convert it first",
    rb"\xd0\xcf\x11\xe0|\{\\rtf\d|%!PS-": "an office document: convert it to HTML first",
    rb"ID3[\x02-\x04]|OggS\0|\0...ftyp|RIFF....(?:WAVE|AVI )|\x1aE\xdf\xa3": "a sound or a film",
    rb"wOF[F2]\0|\0asm|\x7fELF|MZ\x90\0|SQLite format 3\0|PAR1\x15": "a program, a font or a database",
}
_FILES = re.compile(b"|".join(b"(%s)" % begin for begin in _FILE_TYPES), re.DOTALL)
#: Codecs that browsers do not support: they raise an exception for any page, or take quadratic time.
FOREIGN_ENCODINGS = frozenset(WORDS["foreign"])
#: East Asian encodings without their later extensions: a few of their characters may also be valid UTF-8, except single
#: ones next to Latin letters.
_NARROW = {"gb18030": "gb2312", "big5hkscs": "big5", "cp949": "euc_kr", "cp932": "shift_jis", "euc_jp": "euc_jp"}
_MAX_FEW = 4
_IN_WORD = re.compile(
    rb"[A-Za-z][\x80-\xff]{2,3}(?![\x80-\xff])|(?<![\x80-\xff])[\x80-\xff]{2,3}[a-z]|[a-z][\x80-\xff]{4,6}[a-z]"
)
#: The encodings, besides UTF-8, of pages without a declaration.
_GUESSES = WORDS["guesses"]
# The number of bytes of a page, and of its text, that are used to guess its encoding.
_MAX_BYTES, _MAX_TEXT_BYTES = 1 << 18, 1 << 12
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
# In no encoding are these signs part of another character.
_MARKUP = re.compile(rb"[<>\r\n\";]+")
# Spaces, quotation marks and similar signs say nothing about the language, nor does a single letter.
_MIN_LETTERS = 2
_ASCII = bytes(range(128))
_SIGNS = "\xa0©®°·«»–—‘’“”„•…™€£".encode("cp1252")


class NotAPageError(ValueError):
    """The bytes are not a page but a PDF, an image, an archive or similar; the message says what, and what to do."""


class Decoded(NamedTuple):
    """The text of a page, its encoding, and a note on unexpected steps in decoding.

    ``note`` is a sentence after ``encoding:`` if the page declares a different encoding, and after ``replaced:`` if
    characters could not be decoded and became U+FFFD; None otherwise.
    """

    text: str
    encoding: str
    note: str | None = None


def decoded(body: bytes, content_type: str | None = None) -> Decoded:
    """Decode a page by its byte order mark, HTTP header, <meta>, or else a guess from its bytes.

    ``content_type`` is the HTTP header Content-Type, such as ``text/html; charset=iso-8859-2``. No content raises an
    error; an unknown encoding, or one that the bytes do not fit, is ignored.
    """
    encoding, declared = encoding_of(body, content_type)
    text = html_to_unicode(f"charset={encoding}", body)[1]
    notes = [f"encoding: declared as {declared}, read as {encoding}"] if declared else []
    if (replaced := text.count("\ufffd")) and (replaced := replaced - body.count("\ufffd".encode())) > 0:
        notes.append(f"replaced: {replaced} characters could not be decoded")
    return Decoded(text, encoding, "; ".join(notes) or None)


def page_text(html: str | bytes, content_type: str | None = None) -> Decoded:
    """Return the text of a page given as str or bytes; bytes are decoded by `decoded`.

    Raises TypeError for anything else, NotAPageError for content that is not a page.
    """
    if not isinstance(html, str | bytes):
        raise TypeError(
            f"html has to be the source of a page as str or bytes, not {type(html).__name__}; pass for instance"
            " response.text, response.content or pathlib.Path(name).read_bytes()"
        )
    page = decoded(html, content_type) if isinstance(html, bytes) else Decoded(html, "")
    require_page(page.text if page.encoding else "", html)
    return page


def html_text(html: str | bytes, content_type: str | None = None) -> str:
    """Return the text of a page as `page_text` does."""
    return page_text(html, content_type).text


def require_page(text: str, source: str | bytes) -> None:
    """Raise NotAPageError for the text of a PDF, an image, an archive...; ``source`` is what it was decoded from."""
    start = source[:_CHECKED_CHARS].encode("latin-1", "replace") if isinstance(source, str) else source[:_CHECKED_CHARS]
    if (found := _FILES.match(start)) and found.lastindex:
        raise NotAPageError(f"not a page but {[*_FILE_TYPES.values()][found.lastindex - 1]}")
    beginning = text[:_CHECKED_CHARS].encode("latin-1", "replace")
    if len(beginning) - len(beginning.translate(None, _CONTROLS)) > _MIN_CONTROL_SHARE * len(beginning):
        raise NotAPageError("not a page but a picture, an archive or other data that is not text")


def encoding_of(body: bytes, content_type: str | None = None) -> tuple[str, str | None]:
    """Return the encoding of a page, and the one that it declares if that is different."""
    if (marked := read_bom(body)[0]) is not None:
        return marked, None
    declared = http_content_type_encoding(content_type) or html_body_declared_encoding(body)
    if declared is None or declared in FOREIGN_ENCODINGS:
        return _guessed(body), None
    if not _is_wrong(declared, body) or (guess := _guessed(body)) == declared:
        return declared, None
    return guess, declared


def _is_wrong(declared: str, body: bytes) -> bool:
    """Return whether a page is not in its declared encoding: usually it is UTF-8, or declared so but is not."""
    if declared.startswith(("utf-16", "utf-32")):
        return b"\0" not in body[:_CHECKED_CHARS]
    if body.isascii() or _decodes(body, "utf-8") == (declared == "utf-8"):
        return False
    characters, broken = _as_utf8(body)
    if broken:
        return broken >= characters
    may_be = characters < _MAX_FEW and declared in _NARROW and not _IN_WORD.search(body)
    return not (may_be and _decodes(body, _NARROW[declared]))


def _as_utf8(body: bytes) -> tuple[int, int]:
    """Return how many non-ASCII characters of a page are valid in UTF-8, and how many are not."""
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    return len(text) - len(text.encode("ascii", "ignore")) - broken, broken


def _decodes(body: bytes, encoding: str) -> bool:
    """Return whether bytes are valid in an encoding."""
    try:
        body.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _guessed(body: bytes) -> str:
    """Guess the encoding of a page without a declaration: UTF-16 or UTF-8 if valid, else by its language's letters."""
    beginning = body[:_CHECKED_CHARS]
    even, odd = beginning[::2].count(0), beginning[1::2].count(0)
    if max(even, odd) > len(beginning) / 4 and b"\0<\0" in beginning:
        return "utf-16-be" if even > odd else "utf-16-le"
    if body.isascii():
        return "iso2022_jp" if b"\x1b$" in body else "cp1252"
    if _decodes(body, "utf-8") or operator.gt(*_as_utf8(body)):
        return "utf-8"
    sample = _sample(body)
    if len(sample.translate(None, _SIGNS + _ASCII)) < _MIN_LETTERS:
        return "cp1252"
    import chardet

    detected = chardet.detect(sample, include_encodings=[*_GUESSES])["encoding"]
    return resolve_encoding(detected or "") or "cp1252"


def _sample(body: bytes) -> bytes:
    """Return the beginning of the non-ASCII parts of a page between (or inside) its tags."""
    first = _NOT_ASCII.search(body)
    begin = max(0, first.start() - _MAX_TEXT_BYTES) if first else 0
    parts = _MARKUP.split(body[begin : begin + _MAX_BYTES])
    return b"\n".join(part for part in parts if not part.isascii())[:_MAX_TEXT_BYTES]
