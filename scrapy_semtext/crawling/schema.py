"""The tables of the file of a crawl, but for those of contents."""

from __future__ import annotations

SCHEMA = """
CREATE TABLE IF NOT EXISTS addresses (
    id INTEGER PRIMARY KEY, key TEXT UNIQUE, url TEXT, host TEXT, pattern TEXT, state INTEGER, role TEXT,
    place TEXT, depth INTEGER, via INTEGER, outcome TEXT, owner INTEGER);
CREATE INDEX IF NOT EXISTS waiting ON addresses (host, pattern, id) WHERE state = 0;
CREATE INDEX IF NOT EXISTS owned ON addresses (owner) WHERE owner IS NOT NULL;
CREATE TABLE IF NOT EXISTS items (address INTEGER PRIMARY KEY, item TEXT, round INTEGER);
CREATE TABLE IF NOT EXISTS rounds (round INTEGER PRIMARY KEY, complete INTEGER);
INSERT OR IGNORE INTO rounds VALUES (0, 0);
CREATE TABLE IF NOT EXISTS failures (address INTEGER PRIMARY KEY, reason TEXT);
CREATE TABLE IF NOT EXISTS hosts (host TEXT PRIMARY KEY, state TEXT);
"""
