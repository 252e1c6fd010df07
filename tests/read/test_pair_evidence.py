"""What the kind of a page and the labels of its blocks imply for posts that were found on it."""

from __future__ import annotations

import numpy as np
import pytest
from kettle_threads import kettle_thread, sentence
from posting import posts_of
from shipped import extractor

from scrapy_semtext.extractor import Options
from scrapy_semtext.features.table import IS_THREAD
from scrapy_semtext.read.posts import Posts, load_pair_models
from scrapy_semtext.read.threads import PairSource, pairs_of_pages
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.nodes import PageNodes

TITLE = "The kettle leaks"
TEXTS = [sentence(number) for number in range(3)]
FOOTER = "Kettles and more since 1998, all rights reserved."


def source(texts: list[str], probability: float, main: list[float] | None = None) -> PairSource:
    """Return a page whose posts have these texts, with the probability that it is a thread."""
    html = "".join(f"<article class=post><div class=text><p>{text}</p></div></article>" for text in texts)
    nodes, bodies = posts_of(html)
    scores = np.full(len(nodes), -6.0)
    scores[bodies] = 6.0
    posts = Posts(tuple(bodies), probability, scores=scores)
    return PairSource(nodes, posts, TITLE, None, None if main is None else np.array(main))


@pytest.mark.parametrize(("probability", "are_pairs"), [(IS_THREAD - 0.01, False), (IS_THREAD, True)])
def test_posts_are_answers_from_a_probability_on(probability: float, *, are_pairs: bool) -> None:
    (pairs,) = pairs_of_pages([source(TEXTS, probability)], load_pair_models())
    assert bool(pairs) == are_pairs


def test_a_thread_is_of_the_kind_forum() -> None:
    page = extractor().read(kettle_thread(9), options=Options(details=True))
    assert page.qa_pairs
    assert page.details is not None
    assert (page.page_kind, page.is_overview) == ("forum", False)
    assert page.page_kind_probability == pytest.approx(page.details.kinds["forum"], abs=1e-4)
    assert sum(page.details.kinds.values()) == pytest.approx(1.0, abs=1e-3)


def test_questions_with_answers_are_read_on_a_page_of_any_kind() -> None:
    what = "Does the {} leak?", "No, the {} is tight, as long as it is cleaned every other week."
    rows = "".join(
        f"<dt>{what[0].format(part)}</dt><dd>{what[1].format(part)}</dd>" for part in ("lid", "spout", "base", "valve")
    )
    root = parsing.parse(f"<h1>{TITLE}</h1><p>{sentence(1)}</p><h2>Frequently asked questions</h2><dl>{rows}</dl>")
    page = PairSource(PageNodes.of_page(root), None, TITLE, None)
    assert len(pairs_of_pages([page], load_pair_models())[0]) == 4


def test_boilerplate_answers_nothing() -> None:
    answered = source([*TEXTS, FOOTER], 0.9, [0.9, 0.8, 0.3, 0.15])
    unanswered = source([TEXTS[0], FOOTER], 0.9, [0.9, 0.15])
    pairs, none = pairs_of_pages([answered, unanswered], load_pair_models())
    assert [pair.answer for pair in pairs][-2:] == TEXTS[1:]
    assert none == []
