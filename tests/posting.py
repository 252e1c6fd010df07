"""Helpers for tests about the posts of a page: its nodes, and the nodes of the bodies by their class."""

from __future__ import annotations

from scrapy_semtext.dom import tree
from scrapy_semtext.dom.segmentation import search
from scrapy_semtext.qa.nodes import PageNodes


def posts_of(html: str, body: str | None = "text") -> tuple[PageNodes, list[int]]:
    root = tree.parse(html)
    nodes = PageNodes(root, search(root))
    bodies = [number for number, scope in enumerate(nodes.scopes) if body in scope.names.split()]
    assert bodies or body is None
    return nodes, bodies
