"""The text of a page that comes as bytes."""

from __future__ import annotations

from w3lib.encoding import html_to_unicode


def decode_html(body: bytes, content_type: str | None = None) -> str:
    """Decode a page as browsers do: byte order mark, HTTP header, <meta>, then UTF-8 or, if it is none, cp1252.

    ``content_type`` is the HTTP header Content-Type, such as ``text/html; charset=iso-8859-2``. No content raises.
    """
    return html_to_unicode(content_type, body, auto_detect_fun=_guessed_encoding)[1]


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


def _guessed_encoding(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"
