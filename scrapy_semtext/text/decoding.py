"""The text of a page that comes as bytes, unless these are a picture, a PDF or an archive sent as HTML."""

from __future__ import annotations

from w3lib.encoding import html_body_declared_encoding, html_to_unicode, http_content_type_encoding

#: The share of control characters, in the beginning of a text, from which on it is no text but a picture or an archive.
#: Random bytes have a tenth of them, and real pages next to none.
_SHARE = 0.05
_LOOK = 4096
# NUL is not among them: it is what is left of UTF-16 that nobody declared, and HTML parsers drop it.
_CONTROLS = frozenset(map(chr, (*range(1, 9), *range(14, 27), *range(28, 32))))

#: Codecs that browsers do not know: these raise an exception for any page, or take the square of its length.
FOREIGN_ENCODINGS = frozenset(
    "base64 bz2 hex idna punycode quopri raw-unicode-escape rot-13 undefined unicode-escape utf-7 uu zlib".split()
)


def decode_html(body: bytes, content_type: str | None = None) -> str:
    """Decode a page as browsers do: byte order mark, HTTP header, <meta>, then UTF-8 or, if it is none, cp1252.

    ``content_type`` is the HTTP header Content-Type, such as ``text/html; charset=iso-8859-2``. No content raises;
    an encoding that there is not is passed over.
    """
    if (http_content_type_encoding(content_type) or html_body_declared_encoding(body)) in FOREIGN_ENCODINGS:
        content_type = f"charset={guessed_encoding(body)}"
    return html_to_unicode(content_type, body, auto_detect_fun=guessed_encoding)[1]


def html_text(html: str | bytes, content_type: str | None = None) -> str:
    """Return the text of a page that is given as str or bytes; raise TypeError for anything else."""
    if isinstance(html, str):
        return html
    if isinstance(html, bytes):
        return decode_html(html, content_type)
    raise TypeError(
        f"html has to be the source of a page as str or bytes, not {type(html).__name__}; pass for instance"
        " response.text, response.content or pathlib.Path(name).read_bytes()"
    )


def guessed_encoding(body: bytes) -> str:
    """Return the encoding of a page that declares none."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def is_binary(text: str) -> bool:
    """Return whether what was decoded as a page's text is that of a PDF, a picture or an archive."""
    start = text[:_LOOK]
    return start.startswith("%PDF-") or sum(map(_CONTROLS.__contains__, start)) > _SHARE * len(start)
