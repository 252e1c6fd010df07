"""The documents put together: a template with its style sheets and scripts in it, and the policy that binds them."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from scrapy_semtext.utils.address import parsed

#: Nothing may run or be fetched; styles and images come from the file itself.
BASE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def document(
    mode: str,
    title: str,
    body: str,
    parts: Mapping[str, str],
    *,
    styles: Sequence[str],
    scripts: Sequence[str],
    data: Any = None,
    connects: bool = False,
) -> str:
    """Return a document whose body is a template of the folder ``assets``, with ``parts``, which are HTML, in it.

    ``title`` is text, and another part; ``mode`` is the class of the body. The script is the one that may run, by its
    hash; ``data`` is what it reads. Only with ``connects`` may it send something, and only to the server that the
    document came from.
    """
    script = "\n".join(map(asset, scripts))
    return Template(asset("document.html")).substitute(
        mode=mode,
        title=escape(title),
        body=Template(asset(body)).substitute(parts, title=escape(title)),
        policy=policy(script, connects=connects),
        style="\n".join(map(asset, styles)),
        script=script,
        data=json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"),
    )


def policy(script: str, *, connects: bool = False) -> str:
    """Return the content security policy of a document with one script."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return f"{BASE_POLICY}; script-src 'sha256-{digest}'" + "; connect-src 'self'" * connects


def link(href: str | None, text: str, name: str) -> str:
    """Return a link, or nothing without ``href``.

    Raises ValueError if ``href`` is neither relative nor a URL of a file or a web page.
    """
    if href is None:
        return ""
    return f'<a id="{name}" href="{escape(safe_href(href))}">{escape(text)}</a>'


def safe_href(href: str) -> str:
    """Return a URL that leads to a page; raises ValueError if it does anything else, as ``javascript:`` does."""
    address = parsed(href.strip())
    if address is None or address.scheme not in ("", "http", "https", "file"):
        raise ValueError(f"{href!r} is not the URL of a page")
    return href


@lru_cache
def asset(name: str) -> str:
    """Return the text of a file of the folder ``assets``."""
    return files(__package__).joinpath("assets").joinpath(name).read_text("utf-8")
