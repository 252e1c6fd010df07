"""The tables of the file of a crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

SCHEMA = """
CREATE TABLE IF NOT EXISTS addresses (
    id INTEGER PRIMARY KEY, key TEXT UNIQUE, url TEXT, host TEXT, pattern TEXT, state INTEGER, role TEXT,
    place TEXT, depth INTEGER, via INTEGER, outcome TEXT, owner INTEGER);
CREATE INDEX IF NOT EXISTS waiting ON addresses (host, pattern, id) WHERE state = 0;
CREATE INDEX IF NOT EXISTS owned ON addresses (owner) WHERE owner IS NOT NULL;
CREATE TABLE IF NOT EXISTS contents (owner INTEGER, host TEXT, url TEXT, title TEXT, exact INTEGER, near TEXT);
CREATE INDEX IF NOT EXISTS exact_contents ON contents (host, exact);
CREATE TABLE IF NOT EXISTS bands (host TEXT, band INTEGER, value INTEGER, content INTEGER);
CREATE INDEX IF NOT EXISTS near_contents ON bands (host, band, value);
CREATE TABLE IF NOT EXISTS items (address INTEGER PRIMARY KEY, item TEXT, round INTEGER);
CREATE TABLE IF NOT EXISTS rounds (round INTEGER PRIMARY KEY, complete INTEGER);
INSERT OR IGNORE INTO rounds VALUES (0, 0);
CREATE TABLE IF NOT EXISTS failures (address INTEGER PRIMARY KEY, reason TEXT);
CREATE TABLE IF NOT EXISTS hosts (host TEXT PRIMARY KEY, state TEXT);
"""


def forget_contents(database: sqlite3.Connection, owners: str) -> None:
    """Forget the contents of pages; ``owners`` is a query for their addresses."""
    contents = f"(SELECT rowid FROM contents WHERE owner IN {owners})"  # noqa: S608  no values in it
    database.execute(f"DELETE FROM bands WHERE content IN {contents}")  # noqa: S608
    database.execute(f"DELETE FROM contents WHERE owner IN {owners}")  # noqa: S608
