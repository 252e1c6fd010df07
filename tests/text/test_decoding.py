"""Bytes become the text that browsers show."""

from __future__ import annotations

import pytest

from scrapy_semtext.text.decoding import decode_html


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
