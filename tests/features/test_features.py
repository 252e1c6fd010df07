"""Features of blocks: numbers, words of paths, and structure trees."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from gate.quality import read_sample
from structure_pages import HTML

from scrapy_semtext.extractor import Extractor
from scrapy_semtext.features.blocks import FEATURES, BlockWords, block_features, words_of_blocks
from scrapy_semtext.features.table import PostBlocks
from scrapy_semtext.features.table import describe as described
from scrapy_semtext.labelers.structure_trees import (
    LENGTH_DISCOUNT,
    TREES_SHARE,
    averaged,
    load_structure,
    require_structure,
)
from scrapy_semtext.models.storage import BundleError
from scrapy_semtext.train.corpus import word_prf
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import ScopeTree, segment
from scrapy_semtext.tree.segmentation import Scope, TextBlock

if TYPE_CHECKING:
    from pathlib import Path


PAGE = """
<title>On cats</title>
<nav><a href=1>Home</a><a href=2>Cats</a></nav>
<main><h1>On cats</h1><p>Cats sleep, eat and sleep. They are 4000 years old.</p><p class=n hidden>Later.</p></main>
<div><div>Cats sleep</div></div>
"""


def describe(html: str = PAGE, title: str = "On cats") -> dict[str, list[float]]:
    page = described(html, None)
    stop = frozenset(("and", "are", "they", "on"))
    found = block_features(page.layout(), [title], [stop])
    assert found.dtype == np.float32
    assert found.shape[1] == len(FEATURES)
    return {name: [round(float(x), 3) for x in column] for name, column in zip(FEATURES, found.T, strict=True)}


@pytest.mark.smoke
def test_what_the_columns_hold() -> None:
    got = describe()
    assert got["link_share"] == [0.889, 0, 0, 0, 0]  # "Home Cats", of which the space is no link
    assert got["hidden"] == [0, 0, 0, 1, 0]
    assert got["title_overlap"][1] == 1
    assert got["ends_sentence"] == [0, 0, 1, 1, 0]
    assert got["digit_share"][2] > 0 == got["digit_share"][1]
    assert got["stop_word_share"][2] == 0.3  # and, They, are of ten words
    assert got["position"] == [0, 0.2, 0.4, 0.6, 0.8]


def test_a_block_sees_the_elements_around_it() -> None:
    got = describe()
    main = [got["parent_share"][block] for block in (1, 2, 3)]
    assert len(set(main)) == 1
    assert main[0] > got["parent_share"][4]
    assert got["log_levels_up"][1] == 0.693  # </nav>: ln(1 + 1)
    assert got["log_levels_down"][1] == 1.099  # <main><h1>: ln(1 + 2)


def test_a_page_without_blocks() -> None:
    assert described("", None).block_features().shape == (0, len(FEATURES))


def test_characters_of_any_script_are_counted() -> None:
    found = describe("<h1>Да, МОСКВА: ٣ и 𝟕!</h1><p>日本、二〇。</p><pre>\U0010ffff plain</pre>")
    assert np.expm1(found["log_sentence_ends"]).round().tolist() == [1, 1, 0]
    assert np.expm1(found["log_commas"]).round().tolist() == [2, 1, 0]
    assert found["digit_share"] == [round(2 / 18, 3), 0, 0]
    assert found["upper_share"] == [round(7 / 18, 3), 0, 0]


def test_two_characters_of_a_script_without_spaces_count_as_a_word() -> None:
    texts = {"猫是一种动物,喜欢睡觉。": 1 + 5, "ネコはよく眠る": 1 + 3, "แมวนอน 42": 2 + 3, "고양이는 잔다": 2}
    found = describe("".join(f"<div><p>{text}</p></div>" for text in texts), "")
    assert np.expm1(found["log_words"]).round().tolist() == [*texts.values()]


RIVER_PAGE = """
<html><body class="home page-2"><nav id="top" class="navBar"><a href="/">Home</a></nav>
<div class="post-body"><p>The river rose overnight.</p><p class="byline">By the editors</p></div>
<div class="post-body"><p>A second text.</p></div></body></html>
"""


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def words_of(blocks: list[TextBlock], **options: object) -> BlockWords:
    return words_of_blocks(ScopeTree(blocks), **options)  # type: ignore[arg-type]


def test_blocks_in_words() -> None:
    tags, names, text = words_of(segment(parse(RIVER_PAGE)))
    assert tags == [words("document body navigation")] + [words("document body division paragraph")] * 3
    assert names == [
        words("home page top navigation bar"),
        words("home page post body"),
        words("home page post body byline"),
        words("home page post body"),
    ]
    assert text == [("home",), words("river rose overnight"), words("by editors"), words("second text")]


def chain(depth: int, tag: str = "div", names: str = "") -> Scope:
    scope = Scope(None, None, "body", "", False)
    for level in range(depth):
        scope = Scope(None, scope, tag, names.format(level), False)
    return scope


def test_a_path_that_is_too_long_keeps_the_words_nearest_the_block() -> None:
    blocks = [TextBlock("x", Scope(None, chain(5, "div", "outer"), "p", "lead text", False), [])]
    assert words_of(blocks, limit=3).names == [words("outer lead text")]
    assert words_of(blocks, limit=3, keep="first").names == [words("outer outer outer")]
    assert words_of(blocks, limit=3).tags == [words("division division paragraph")]
    assert words_of(blocks, limit=3, keep="first").tags == [words("body division division")]


def test_deep_nesting() -> None:
    """Handles a block at each of 20,000 levels; equal paths share their memory."""
    innermost = chain(20_000, "div", "level{}")
    layout = ScopeTree(_blocks := [TextBlock("x", scope, []) for scope in innermost.ancestry()][::-1])
    found = words_of_blocks(layout)
    assert found.tags[-1] == ("division",) * 50
    assert all(a is b for a, b in pairwise(found.tags[-1000:]))


def layout_of(html: str) -> ScopeTree:
    return ScopeTree(segment(parsing.parse(html)))


def test_scopes_stand_in_page_order_with_the_blocks_inside_them() -> None:
    layout = layout_of(HTML)
    tags = [scope.tag for scope in layout.scopes]
    # the combine phase has joined the two items of the list
    assert tags == ["html", "body", "nav", "ul", "li", "div", "article", "h1", "p", "h2", "p", "div", "footer", "p"]
    ranges = dict(zip(tags, zip(layout.first.tolist(), layout.last.tolist(), strict=True), strict=True))
    assert ranges["html"] == (0, 7)
    assert ranges["article"] == (1, 6)
    assert ranges["footer"] == (6, 7)
    assert [tags[at] for at in layout.of_block] == ["li", "h1", "p", "h2", "p", "div", "p"]
    assert all(layout.parent[1:] < np.arange(1, len(layout)))


def test_a_bundle_may_have_no_trees(tmp_path: Path) -> None:
    assert load_structure(tmp_path) is None
    with pytest.raises(BundleError, match=r"no structure trees.*train structure"):
        require_structure(tmp_path)


@pytest.mark.slow
def test_the_shipped_trees_read_real_articles() -> None:
    articles = [page for page in read_sample() if page.page_type == "article"][:8]
    extractor = Extractor.load(labeler="trees")
    scores = [word_prf(extractor.read(page.html, page.url).main_text, page.text).f1 for page in articles]
    assert np.mean(scores) > 0.9


def test_log_odds_are_averaged_and_long_blocks_lose_some_but_not_on_threads() -> None:
    words = np.array([1.0, 10.0, 100.0, 300.0, 3000.0])
    even, trees = np.full(len(words), 0.5), np.full(len(words), 2.0)
    discounts = LENGTH_DISCOUNT * np.log([1, 1, 10, 30, 30])
    assert averaged(even, trees, words, None) == pytest.approx(2 * TREES_SHARE - discounts)
    for thread in (0.0, 0.5, 1.0):
        sure_of = PostBlocks(thread, 1, np.ones(len(words)), np.zeros(len(words), dtype=np.int64))
        long, short = (averaged(np.ones(len(words)), trees, each, sure_of, share=0.0) for each in (words, even))
        assert short - long == pytest.approx((1 - thread) * discounts, abs=1e-4)
