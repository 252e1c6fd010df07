"""Counts of things in messages."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """Return the count and its noun, such as "1 page" and "2 pages"; the plural has to end in -s."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
