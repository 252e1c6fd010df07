"""Style sheets of strangers, made so that they load nothing and cannot end the element they stand in."""

from __future__ import annotations

import re

# A string, or a comment; both may end with the sheet.
_STRING_OR_COMMENT = re.compile(r"""("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|/\*.*?(?:\*/|\Z)""", re.DOTALL)
# An escaped letter: \75 and \u are both "u" (CSS Syntax 3, 4.3.7), so "url(" can be written in many ways.
_ESCAPED_LETTER = re.compile(r"\\(?:(?:0000([4-7][0-9a-fA-F])|0{0,3}([4-7][0-9a-fA-F])(?![0-9a-fA-F]))\s?|([g-zG-Z]))")
_IMPORT = re.compile(r"@import\b[^;{}]*;?", re.IGNORECASE)
_URL = re.compile(r"""url\(\s*("[^"]*"?|'[^']*'?|[^)"']*)\s*\)?""", re.IGNORECASE)
_OTHER_LOADERS = re.compile(r"\b(?:image-set|cross-fade|image|src|expression)(?=\()", re.IGNORECASE)
_INLINE_IMAGE = re.compile(r"""["']?\s*data:image/""", re.IGNORECASE)


def safe_css(text: str) -> str:
    """Return a style sheet, or the value of a style attribute, without anything that would be fetched.

    ``@import`` and every ``url()`` that is not an image written out in the sheet itself (``data:``) are taken out. No
    ``<`` is left, so that the result can stand inside a <style> element. Linear in the length of the text.
    """
    text = text.replace("\0", "").replace("<!--", " ").replace("-->", " ")
    text = _STRING_OR_COMMENT.sub(lambda match: match[1] or " ", text)
    text = _ESCAPED_LETTER.sub(_letter, text)
    text = _IMPORT.sub(" ", text)
    text = _URL.sub(lambda match: match[0] if _INLINE_IMAGE.match(match[1]) else "none", text)
    return _OTHER_LOADERS.sub("none", text).replace("<", "\\3c ")


def _letter(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    letter = chr(int(code, 16)) if code else match[3]
    return letter if letter.isalpha() else match[0]
