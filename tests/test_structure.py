"""Structure trees: the table of scopes, names around blocks, rows, fitting, files, and labelling with them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from gate.quality import read_sample

from scrapy_semtext import tree
from scrapy_semtext.describe import describe
from scrapy_semtext.extractor import Extractor
from scrapy_semtext.model.bundle import BundleError
from scrapy_semtext.model.scores import Scores
from scrapy_semtext.questions.evidence import PostEvidence
from scrapy_semtext.segment import segment
from scrapy_semtext.structure.files import StructureModel, load_structure, require_structure, save_structure
from scrapy_semtext.structure.labellers import (
    LENGTH_DISCOUNT,
    TREES_SHARE,
    AveragedLabeller,
    TreesLabeller,
    averaged,
)
from scrapy_semtext.structure.layout import Layout
from scrapy_semtext.structure.names import NameTable, scope_words
from scrapy_semtext.structure.rows import COLUMNS, rows
from scrapy_semtext.structure.trees import StructureTrees
from scrapy_semtext.training.datasets import TruthPage
from scrapy_semtext.training.scoring import word_prf
from scrapy_semtext.training.structure_fit import FitSettings, fit_structure, structure_example, structure_examples

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_semtext.describe import Described

PROSE = "This is a sentence of the article which says something, and goes on to say something more. "
HTML = f"""
<html><head><title>Otters</title></head><body>
  <nav class="mainMenu"><ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li></ul></nav>
  <div id="content"><article>
    <h1>Otters</h1>
    <p>{PROSE * 2}</p>
    <h2>Food</h2>
    <p>{PROSE * 2}</p>
    <div>{PROSE * 2}</div>
  </article></div>
  <footer><p>Imprint</p></footer>
</body></html>"""


def layout_of(html: str) -> Layout:
    return Layout(segment(tree.parse(html)))


def column(table: NDArray[np.float32], name: str) -> list[float]:
    return [round(float(value), 3) for value in table[:, COLUMNS.index(name)]]


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


def test_sums_over_the_blocks_of_scopes() -> None:
    layout = layout_of(HTML)
    totals = layout.totals(np.arange(7, dtype=np.float64)[:, None])[:, 0]
    assert totals[0] == 21
    assert totals[6] == 1 + 2 + 3 + 4 + 5  # the article


def test_the_heaviest_path_ends_where_the_weight_divides() -> None:
    layout = layout_of(HTML)
    weights = layout.totals(np.array([0, 0, 2, 0, 1, 0, 0], dtype=np.float64)[:, None])[:, 0]
    path = [layout.scopes[at].tag for at in layout.heaviest_path(weights)]
    assert path == ["html", "body", "div", "article", "p"]
    even = layout.totals(np.array([0, 0, 1, 0.9, 1, 0, 0], dtype=np.float64)[:, None])[:, 0]
    assert [layout.scopes[at].tag for at in layout.heaviest_path(even)] == ["html", "body", "div", "article"]


def test_where_scopes_leave_a_path() -> None:
    layout = layout_of(HTML)
    path = layout.heaviest_path(layout.totals(np.array([0, 0, 1, 0.9, 1, 0, 0], dtype=np.float64)[:, None])[:, 0])
    joint, branch, levels = layout.branches(path)
    item = layout.of_block[0]
    assert layout.scopes[joint[item]].tag == "body"
    assert layout.scopes[branch[item]].tag == "nav"
    assert levels[item] == 3
    assert levels[layout.of_block[2]] == 1


def test_words_of_an_element() -> None:
    assert list(scope_words("nav", "mainMenu")) == ["<nav", "main", "menu"]


def test_nearness_of_words() -> None:
    layout = layout_of(HTML)
    near = NameTable(["menu", "<article", "nowhere"]).nearness(layout.elements, layout.parent, layout.depth)
    blocks = near[layout.of_block]
    assert blocks[0] == pytest.approx([1 / 3, 0, 0])  # two levels above: 1 / (1 + 2)
    assert blocks[1] == pytest.approx([0, 1 / 2, 0])
    assert not blocks[6].any()


def test_rows_say_where_a_block_stands() -> None:
    page = describe(HTML, "https://example.org/2024/otters?page=2")
    table = rows(page.text_blocks, Layout(page.text_blocks), page.numbers(), page.url)
    assert table.shape == (7, len(COLUMNS))
    assert np.isfinite(table).all()
    assert column(table, "on_path") == [0, 1, 1, 1, 1, 1, 0]
    assert column(table, "own_heading_level") == [0, 1, 0, 2, 0, 0, 0]
    assert column(table, "since_heading") == [-1, 0, 1, 0, 1, 2, 3]
    assert column(table, "heading_level") == [0, 1, 1, 2, 2, 2, 2]
    assert column(table, "next_prose") == [2, 1, 0, 1, 0, 0, 999]
    assert column(table, "last_prose") == [999, 999, 999, 1, 2, 1, 1]
    assert column(table, "link_share^0") == [0.889, 0, 0, 0, 0, 0, 0]
    assert column(table, "page_url_digits") == [4] * 7
    assert column(table, "page_url_query") == [6] * 7
    assert column(table, "page_h2_elements") == [1] * 7
    assert column(table, "words_before")[-1] == 1


def test_rows_see_repetition_among_siblings() -> None:
    page = describe(
        f"<div>{''.join(f'<section class=post><h3>Post {i}</h3><p>{PROSE}</p></section>' for i in range(4))}</div>",
        None,
    )
    table = rows(page.text_blocks, Layout(page.text_blocks), page.numbers(), page.url)
    assert column(table, "log_alike^1") == [round(float(np.log1p(4)), 3)] * 8
    assert column(table, "alike_with_prose^1") == [1] * 8


@pytest.mark.parametrize("html", ["<p>One.</p>", "<a href=/>x</a>", "text", "<p>中文的一句话。</p>"])
def test_rows_of_the_smallest_pages_are_finite(html: str) -> None:
    page = describe(html, "http://[broken")
    table = rows(page.text_blocks, Layout(page.text_blocks), page.numbers(), page.url)
    assert len(table) == 1
    assert np.isfinite(table).all()


def site_page(number: int) -> TruthPage:
    texts = [f"Paragraph {i} of page {number}. {PROSE}".strip() for i in range(4)]
    html = (
        f"<nav class=menu>{''.join(f'<div><a href=/{i}>Section {i}</a></div>' for i in range(3))}</nav>"
        f"<main>{''.join(f'<p>{text}</p>' for text in texts)}</main>"
        f"<aside class=related><div>More of {number}: {PROSE}</div></aside>"
    )
    return TruthPage(
        id=str(number),
        dataset="made",
        url=f"https://site{number}.example/",
        page_type="article",
        lang="en",
        html=html,
        text="\n".join(texts),
        domain=f"site{number}.example",
    )


@pytest.fixture(scope="module")
def fitted() -> StructureTrees:
    pages = [site_page(number) for number in range(60)]
    return fit_structure(structure_examples(pages), FitSettings(rounds=30, columns=20))


def test_fitted_trees_tell_main_content(fitted: StructureTrees) -> None:
    page = site_page(99)
    described = describe(page.html, page.url)
    keep = fitted.log_odds(described) > 0
    assert [block.text in page.text for block in described.text_blocks] == keep.tolist()
    assert len(fitted.columns) + len(fitted.words) <= 20


def test_pages_that_hold_too_little_of_their_text_are_not_learned_from() -> None:
    page = site_page(1)
    lost = TruthPage(**{name: getattr(page, name) for name in page.__slots__} | {"text": "Elsewhere, " * 400})
    assert structure_example(page) is not None
    assert structure_example(lost) is None
    with pytest.raises(ValueError, match="no pages"):
        fit_structure([])


def test_trees_need_the_columns_that_they_were_fitted_to(fitted: StructureTrees) -> None:
    with pytest.raises(ValueError, match=r"does not compute.*charm"):
        StructureTrees(fitted.trees, ("charm",), fitted.words)
    with pytest.raises(ValueError, match="another number of columns"):
        StructureTrees(fitted.trees, fitted.columns[1:], fitted.words)


def test_a_page_without_blocks_has_no_log_odds(fitted: StructureTrees) -> None:
    assert fitted.log_odds(describe("", None)).shape == (0,)


class Sure:
    """A labeller that takes every block for main content with the same probability."""

    def __init__(self, probability: float) -> None:
        self.probability = probability

    def score(self, pages: Sequence[Described]) -> list[Scores]:
        return [
            Scores(
                np.full(len(page.text_blocks), self.probability),
                np.ones(len(page.text_blocks), dtype=np.bool_),
            )
            for page in pages
        ]


def test_log_odds_are_averaged(fitted: StructureTrees) -> None:
    page = describe(site_page(7).html, None)
    (alone,) = TreesLabeller(fitted).score([page])
    (undecided,) = AveragedLabeller(Sure(0.5), fitted).score([page])
    odds = np.log(alone.probabilities / (1 - alone.probabilities))
    expected = averaged(np.full(len(odds), 0.5), odds, page.word_counts(), None)
    assert undecided.probabilities == pytest.approx(1 / (1 + np.exp(-expected)))
    assert undecided.viterbi.all()
    assert (alone.viterbi == (alone.probabilities > 0.5)).all()


def test_long_blocks_lose_log_odds_but_not_on_threads() -> None:
    words = np.array([1.0, 10.0, 100.0, 300.0, 3000.0])
    even, trees = np.full(len(words), 0.5), np.full(len(words), 2.0)
    discounts = LENGTH_DISCOUNT * np.log([1, 1, 10, 30, 30])
    assert averaged(even, trees, words, None) == pytest.approx(2 * TREES_SHARE - discounts)
    all_posts = np.zeros(len(words), dtype=np.int64)
    for thread in (0.0, 0.5, 1.0):
        sure_posts = PostEvidence(thread, 1, np.ones(len(words)), all_posts)
        sure = averaged(np.full(len(words), 1.0), trees, words, sure_posts, share=0.0)
        certain = averaged(np.full(len(words), 1.0), trees, np.ones(len(words)), sure_posts, share=0.0)
        assert certain - sure == pytest.approx((1 - thread) * discounts, abs=1e-4)


def test_certainty_does_not_overflow(fitted: StructureTrees) -> None:
    page = describe(HTML, None)
    for probability in (0.0, 1.0):
        (scores,) = AveragedLabeller(Sure(probability), fitted).score([page])
        assert np.isfinite(scores.probabilities).all()


def test_trees_are_saved_and_loaded(tmp_path: Path, fitted: StructureTrees) -> None:
    save_structure(tmp_path, StructureModel(fitted, {"seed": 1}))
    loaded = require_structure(tmp_path)
    page = describe(HTML, None)
    assert loaded.trees.log_odds(page) == pytest.approx(fitted.log_odds(page))
    assert loaded.training == {"seed": 1}


def test_a_bundle_may_have_no_trees(tmp_path: Path) -> None:
    assert load_structure(tmp_path) is None
    with pytest.raises(BundleError, match=r"no structure trees.*train-structure"):
        require_structure(tmp_path)


def test_broken_files_are_said_to_be(tmp_path: Path, fitted: StructureTrees) -> None:
    save_structure(tmp_path, StructureModel(fitted))
    weights, description = tmp_path / "structure.safetensors", tmp_path / "structure.json"
    whole, said = weights.read_bytes(), description.read_text()

    weights.write_bytes(whole[:-8])
    with pytest.raises(BundleError, match=r"not the file that structure\.json describes"):
        load_structure(tmp_path)
    weights.write_bytes(whole)

    description.write_text(json.dumps(json.loads(said) | {"columns": ["charm"]}))
    with pytest.raises(BundleError, match="made for another release"):
        load_structure(tmp_path)
    description.write_text(json.dumps(json.loads(said) | {"version": 99}))
    with pytest.raises(BundleError, match="version 1"):
        load_structure(tmp_path)
    description.write_text("{")
    with pytest.raises(BundleError, match="cannot be read"):
        load_structure(tmp_path)


def test_the_shipped_trees_read_real_articles() -> None:
    articles = [page for page in read_sample() if page.page_type == "article"][:8]
    extractor = Extractor.load(labeller="trees")
    scores = [word_prf(extractor.read(page.html, page.url).main_text, page.text).f1 for page in articles]
    assert np.mean(scores) > 0.9
