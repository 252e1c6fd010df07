"""Bytes become the text that browsers show."""

from __future__ import annotations

import encodings
import pkgutil

import pytest
from w3lib.encoding import resolve_encoding

from scrapy_semtext.text.decoding import FOREIGN_ENCODINGS, decode_html


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
    assert decode_html(body, content_type).endswith(text)
    assert "\ufffd" not in decode_html(body, content_type)


@pytest.mark.parametrize("label", sorted(FOREIGN_ENCODINGS))
def test_codecs_that_are_no_encodings_of_pages_are_passed_over(label: str) -> None:
    """Some raise an exception, and punycode would take an hour for this page."""
    body = "<p>café ".encode() + b"-" + b"zz9a" * 500_000
    assert decode_html(body, f"text/html; charset={label}").startswith("<p>café -zz9a")
    assert decode_html(f"<meta charset={label}>".encode() + body).startswith(f"<meta charset={label}><p>café -zz9a")
    assert decode_html(f"<meta charset={label}><p>".encode() + b"caf\xe9", "text/html; charset=cp1252").endswith("café")


def test_every_codec_that_is_no_text_encoding_is_passed_over() -> None:
    found = {resolve_encoding(module.name) for module in pkgutil.iter_modules(encodings.__path__)} - {None}
    for name in found:
        decode_html("<p>café".encode(), f"text/html; charset={name}")
