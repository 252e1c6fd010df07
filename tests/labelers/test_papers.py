"""Web2Text and TextSweeper compared with their papers."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise as pairwise_of
from itertools import product
from math import log

import numpy as np
import pytest

from scrapy_semtext.features.table import ParsedPage, describe
from scrapy_semtext.labelers.textsweeper import SweepRules, TextSweeperLabeler, sweep
from scrapy_semtext.labelers.web2text import BLOCK_FEATURES, EDGE_FEATURES, Logs, marginals, viterbi, web2text_features

pytest.importorskip("torch")


def make_chain(blocks: int, seed: int) -> tuple[Logs, Logs]:
    rng = np.random.default_rng(seed)
    unary = rng.normal(size=(blocks, 2))
    pairwise = 3 * rng.normal(size=(blocks - 1, 4))
    normal = pairwise - np.logaddexp.reduce(pairwise, axis=1, keepdims=True)
    return unary - np.logaddexp.reduce(unary, axis=1, keepdims=True), normal.reshape(-1, 2, 2)


def weights_of(unary: Logs, pairwise: Logs, influence: float) -> dict[tuple[int, ...], float]:
    """The paper's equation 3 for every labeling."""
    found = {}
    for labels in product((0, 1), repeat=len(unary)):
        own = np.prod([np.exp(unary[i, label]) for i, label in enumerate(labels)])
        pairs = np.prod([np.exp(pairwise[i, a, b]) for i, (a, b) in enumerate(pairwise_of(labels))])
        found[labels] = float(own * pairs**influence)
    return found


@pytest.mark.parametrize("blocks", [1, 2, 3, 7])
@pytest.mark.parametrize("influence", [0.1, 1.0])
def test_against_all_labelings(blocks: int, influence: float) -> None:
    for seed in range(5):
        unary, pairwise = make_chain(blocks, seed)
        weights = weights_of(unary, pairwise, influence)
        best = max(weights, key=lambda labels: weights[labels])
        assert viterbi(unary, pairwise, influence).astype(int).tolist() == list(best)
        main = [sum(w for labels, w in weights.items() if labels[i]) / sum(weights.values()) for i in range(blocks)]
        np.testing.assert_allclose(marginals(unary, pairwise, influence), main)


def test_potentials_of_0_do_no_harm_on_long_pages() -> None:
    unary, pairwise = make_chain(3000, seed=1)
    unary[5] = [-1000, 0]
    probability = marginals(unary, pairwise)
    assert probability[5] == 1
    assert np.isfinite(probability).all()


PAGE = """<html><body><div><ul><li><a href=/>Home</a></li><li><a href=/n>News</a></li></ul><input></div>
<article><h1>Are cats old?</h1><p>Cats sleep. They are 4000 years old, it is said.</p>
<div><span class=s>© 2012 A Cat, a@b.org</span><p class=s>http://c.org/x</p></div></article></body></html>"""


def blocks_of(html: str) -> dict[str, list[float]]:
    page = web2text_features(describe(html, None)).blocks
    return {f.name: [round(float(x), 4) for x in column] for f, column in zip(BLOCK_FEATURES, page.T, strict=True)}


def edges_of(html: str) -> dict[str, list[float]]:
    page = web2text_features(describe(html, None)).edges
    return {f.name: [round(float(x), 4) for x in column] for f, column in zip(EDGE_FEATURES, page.T, strict=True)}


def test_b4_to_b27_the_block_s_own_text() -> None:
    got = blocks_of(PAGE)
    menu, title, text, _mail, _address = range(5)
    assert got["has word"] == [1, 1, 1, 1, 1]
    assert got["log(n words)"][title] == round(log(3), 4)
    assert got["avg word length"][title] == round((3 + 4 + 3) / 3, 4)
    assert got["has stopword"] == [0, 1, 1, 1, 0]
    assert got["stopword ratio"][title] == round(1 / 3, 4)
    assert got["log(n characters)"][title] == round(log(13), 4)
    assert got["log(n characters)"][menu] == 2.5  # clipped
    assert got["log(punctuation ratio)"][title] == round(log(1 / 13), 4)
    assert np.isnan(got["log(punctuation ratio)"][menu])
    assert got["has numeric"] == [0, 0, 1, 1, 0]
    assert got["numeric ratio"][text] == round(4 / 48, 4)
    assert got["log(avg sentence length)"][text] == round(log(48 / 2), 4)
    assert got["ends with punctuation"] == [0, 1, 1, 0, 0]
    assert got["ends with question mark"] == [0, 1, 0, 0, 0]
    assert got["contains copyright"] == [0, 0, 0, 1, 0]
    assert got["contains email"] == [0, 0, 0, 1, 0]
    assert got["contains url"] == [0, 0, 0, 0, 1]
    assert got["contains year"] == [0, 0, 1, 1, 0]
    assert got["ratio words with capital"][title] == round(1 / 3, 4)
    assert got["ratio words with capital^2"][title] == round(1 / 9, 4)
    assert got["ratio words with capital^3"][title] == round(1 / 27, 4)
    assert got["contains punctuation"] == [0, 1, 1, 1, 1]
    assert got["n punctuation"][text] == 3
    assert got["has multiple sentences"][text] == 1
    assert got["has multiple sentences"][title] == 0
    places = got["relative position"]
    assert places[0] == 0
    assert places == sorted(places)
    assert got["relative position^2"][3] == pytest.approx(places[3] ** 2, abs=1e-4)


def test_edges() -> None:
    got = edges_of(PAGE)
    assert got["tree distance 2"] == [0, 1, 0, 1]
    assert got["tree distance 3"] == [1, 0, 1, 0]
    assert got["tree distance 4"] == got["tree distance > 4"] == [0, 0, 0, 0]
    assert got["line break"] == [1, 1, 1, 1]
    assert got["common ancestor contains form element"] == [1, 0, 0, 0]
    assert got["common ancestor body percentage"][0] == 1
    cells = edges_of("<table><tr><td class=a>One</td><td class=b><p>Two</p></td></tr><tr><td>Three</td></tr></table>")
    assert cells["line break"] == [0, 1]


def test_marks_and_stop_words_of_other_languages_count() -> None:
    got = blocks_of("<html lang=de><p>Die Katze und der Hund</p><h2>猫是什么？</h2>")
    assert got["has stopword"] == [1, 0]
    assert got["ends with question mark"] == [0, 1]


#: Without weights, so that ratios can be reckoned in the head.
PLAIN = SweepRules(heading_weight=1, bold_weight=1, long_weight=1, min_text=0)

LONG = "Take flour, water and salt, and wait for longer than anybody would think reasonable. " * 6


def page(body: str) -> ParsedPage:
    return describe(f"<html><body>{body}</body></html>", None)


def kept(body: str, rules: SweepRules = PLAIN) -> list[str]:
    described = page(body)
    main = sweep(described, rules).main
    return [block.text for block, keep in zip(described.text_blocks, main, strict=True) if keep]


def test_the_ratio_is_net_text_by_tags_and_level() -> None:
    body = "<div><p>1234567890</p><h2>12345<a href=x>1234567890</a></h2><ul><li></ul></div><nav>12</nav>"
    swept = sweep(page(body), replace(PLAIN, tolerance=0.74))
    # levels: body 1, div and nav 2, p, h2 and ul 3; in the div there are four elements that bound blocks, in body six
    paragraph, div, nav = 10 / 3, 15 / (4 + 2), 2 / 2
    assert 17 / (6 + 1) < 0.74 * paragraph < div, "the div is near the best, the body is not"
    assert swept.ratios.tolist() == pytest.approx([paragraph, div, nav])


@pytest.mark.smoke
def test_all_that_comes_near_the_best_is_kept_with_what_is_between() -> None:
    body = f"<main><div><p>{LONG}</p></div><h2>Between</h2><section><p>{LONG}</p></section></main><p>Far away</p>"
    rules = replace(PLAIN, tolerance=0.9)
    assert kept(body, rules) == [LONG.strip(), "Between", LONG.strip()]
    assert kept(f"<div><p>{LONG}</p></div><p>Short</p>", rules) == [LONG.strip()]


def test_short_blocks_and_lists_of_links_are_deleted() -> None:
    links = "<ul>" + "<li><a href=/x>Related articles of ours</a></li>" * 3 + "</ul>"
    body = f"<main><p>{LONG}</p>{links}<h3>Ad</h3><section><p>{LONG}</p></section></main>"
    assert kept(body, SweepRules(min_text=20)) == [LONG.strip()] * 2


@pytest.mark.parametrize(
    "teaser",
    [
        "The story begins here and goes on elsewhere ...",
        "The story begins here and goes on elsewhere. <b>Read more</b> »",
        "<span onclick='go()'>The story begins here and goes on elsewhere.</span>",
        "Die Geschichte beginnt hier. Weiterlesen",
    ],
)
def test_teasers_count_as_links(teaser: str) -> None:
    assert sweep(page(f"<p>{teaser}</p>"), PLAIN).net_length == 0


def test_scores_are_shares_of_the_best_ratio_and_tell_no_kind() -> None:
    empty, scores = TextSweeperLabeler().score([page(""), page(f"<main><p>{LONG}</p></main><nav>Menu</nav>")])
    assert len(empty.probabilities) == len(empty.viterbi) == 0
    assert scores.probabilities.max() == 1
    assert scores.probabilities.min() >= 0
    assert scores.viterbi.tolist() == [True, False]
    assert scores.labels("viterbi", np.array([90, 1])).tolist() == [True, False]


def test_a_page_of_links_alone_has_no_main_content() -> None:
    (scores,) = TextSweeperLabeler().score([page("<ul><li><a href=x>One</a></li></ul><p><a href=y>Two</a></p>")])
    assert not scores.viterbi.any()
    assert not scores.probabilities.any()
