"""Helpers for tests about the posts of a page: its nodes, and the nodes of the bodies by their class."""

from __future__ import annotations

from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.nodes import PageNodes


def posts_of(html: str, body: str | None = "text") -> tuple[PageNodes, list[int]]:
    root = parsing.parse(html)
    nodes = PageNodes.of_page(root)
    bodies = [number for number, scope in enumerate(nodes.scopes) if body in scope.names.split()]
    assert bodies or body is None
    return nodes, bodies
