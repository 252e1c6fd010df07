"""TextSweeper's ratio and rules (Lang et al. 2012) on hand-made pages; the paper has no worked example."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scrapy_semtext.features.table import ParsedPage, describe
from scrapy_semtext.labelers.textsweeper import SweepRules, TextSweeperLabeler, sweep

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
