"""Signatures of texts, by which the same content is found under several addresses."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    import sqlite3

_SCHEMA = """
CREATE TABLE IF NOT EXISTS contents (owner INTEGER, host TEXT, url TEXT, title TEXT, exact INTEGER, near TEXT);
CREATE INDEX IF NOT EXISTS exact_contents ON contents (host, exact);
CREATE TABLE IF NOT EXISTS bands (host TEXT, band INTEGER, value INTEGER, content INTEGER);
CREATE INDEX IF NOT EXISTS near_contents ON bands (host, band, value);
"""
_MOST_COMPARED = 50  # contents that a near-identical text is looked for in, for each band

_WORD = re.compile(r"[^\W_]+")
_SHINGLE = 4  # words
_LEAST_WORDS = 100  # shorter texts are compared as a whole: of few words, too many may differ
_MOST_WORDS = 5000
_BANDS = 4
#: Bits in which the signatures of near-identical texts may differ; one of the bands is then equal.
MOST_BITS = 3


class Signature(NamedTuple):
    """``exact`` is equal for the same letters; ``near`` differs in few bits for near-identical texts, None if short."""

    exact: int
    near: int | None

    @property
    def bands(self) -> tuple[int, ...]:
        """Parts of ``near``, of which near-identical texts share one; none without it."""
        return () if self.near is None else tuple(self.near >> 16 * band & 0xFFFF for band in range(_BANDS))


def signature_of(text: str) -> Signature | None:
    """Return the signature of a text, None for one without letters. Case, punctuation and white space do not count."""
    words = _WORD.findall(text.casefold())
    if not words:
        return None
    digest = blake2b(" ".join(words).encode("utf-8", "replace"), digest_size=8).digest()
    exact = int.from_bytes(digest, "big", signed=True)
    return Signature(exact, _near(words[:_MOST_WORDS]) if len(words) >= _LEAST_WORDS else None)


def bits_between(one: int, other: int) -> int:
    """Return the number of bits in which two signatures differ."""
    return (one ^ other).bit_count()


def _near(words: list[str]) -> int:
    """Return the SimHash of the shingles of words, 64 bits."""
    shingles = {" ".join(words[start : start + _SHINGLE]) for start in range(len(words) - _SHINGLE + 1)}
    codes = [shingle.encode("utf-8", "replace") for shingle in sorted(shingles)]
    halves = np.array([(crc32(code), crc32(code, 0x9E3779B9)) for code in codes], dtype=">u4")  # (shingles, 2)
    bits = np.unpackbits(halves.view(np.uint8), axis=1)  # (shingles, 64)
    return int.from_bytes(np.packbits(2 * bits.sum(axis=0, dtype=np.int64) > len(codes)).tobytes(), "big")


class KnownContents:
    """The contents of the pages of a crawl, in its database; each has an owner, the number of an address."""

    def __init__(self, database: sqlite3.Connection) -> None:
        database.executescript(_SCHEMA)
        self._database = database

    def find(self, host: str, owner: int, title: str, signature: Signature) -> str | None:
        """Return the address of a page of a host with the same content, None if there is none of another owner.

        Near-identical texts are the same if their titles are.
        """
        return self._exact(host, owner, signature) or self._near(host, owner, title, signature)

    def remember(self, host: str, owner: int, url: str, title: str, signature: Signature) -> None:
        """Keep the content of a page."""
        near = None if signature.near is None else str(signature.near)  # an integer of SQLite has a sign
        added = self._database.execute(
            "INSERT INTO contents VALUES (?, ?, ?, ?, ?, ?)", (owner, host, url, title, signature.exact, near)
        ).lastrowid
        self._database.executemany(
            "INSERT INTO bands VALUES (?, ?, ?, ?)",
            [(host, band, value, added) for band, value in enumerate(signature.bands)],
        )

    def forget(self, owners: str) -> None:
        """Forget contents; ``owners`` is a query for the numbers of their owners, without values from outside."""
        contents = f"(SELECT rowid FROM contents WHERE owner IN {owners})"  # noqa: S608
        self._database.execute(f"DELETE FROM bands WHERE content IN {contents}")  # noqa: S608
        self._database.execute(f"DELETE FROM contents WHERE owner IN {owners}")  # noqa: S608

    def _exact(self, host: str, owner: int, signature: Signature) -> str | None:
        found = self._database.execute(
            "SELECT url FROM contents WHERE host = ? AND exact = ? AND owner != ? LIMIT 1",
            (host, signature.exact, owner),
        ).fetchone()
        return None if found is None else found[0]

    def _near(self, host: str, owner: int, title: str, signature: Signature) -> str | None:
        for band, value in enumerate(signature.bands):
            rows = self._database.execute(
                "SELECT url, title, near, owner FROM bands JOIN contents ON contents.rowid = content"
                " WHERE bands.host = ? AND band = ? AND value = ? LIMIT ?",
                (host, band, value, _MOST_COMPARED),
            )
            for url, other, near, other_owner in rows:
                same = other_owner != owner and other == title and signature.near is not None
                if same and bits_between(int(near), signature.near or 0) <= MOST_BITS:
                    return str(url)
        return None
