"""Variants of threads generated for training: their content, and their truth."""

from __future__ import annotations

import pytest

pytest.importorskip("lightgbm")


from research.making.threads import thread_variants
from scrapy_semtext.train.posts import PairPage

_POSTS = [
    "My kettle leaks at the spout since Monday, what can I do about it?",
    "Look at the seal inside the spout first, it is cheap to replace.",
    "I had the same leak last year and the seal was brittle.",
    "Where did you buy the seal, and does one size fit all kettles?",
    "Any shop for kitchen parts has them, but measure the spout before.",
    "Mine came with the wrong colour and works all the same.",
]


def _thread(number: int) -> PairPage:
    records = "".join(
        f"<div class=post><b>User{n}</b><div class=body>{text}</div></div>" for n, text in enumerate(_POSTS)
    )
    html = (
        f"<html><head><title>Kettle leaks {number}</title></head><body><h1>Kettle leaks {number}</h1>"
        f"<main>{records}</main><footer>Imprint</footer></body></html>"
    )
    return PairPage(
        f"t{number}", "posts", "thread", "engine", "forum.example", f"https://forum.example/t/{number}", "webforum52",
        html, list(_POSTS), None, "", shippable=True, title=f"Kettle leaks {number}", opening=_POSTS[0],
    )  # fmt: skip


def test_there_is_a_variant_of_each_kind() -> None:
    variants = [*thread_variants([_thread(1)])]
    assert [page.kind for page in variants] == ["title", "moved", "later", "first", "rewritten"]
    assert {page.role for page in variants} == {"variant"}
    assert len({page.id for page in variants}) == len(variants)
