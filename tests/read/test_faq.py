"""Lists of questions with answers: all layouts of real pages, and pages without a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from scrapy_semtext.read.faq import FaqCandidate, FaqPair
from scrapy_semtext.read.faq_features import FEATURES, FaqPage
from scrapy_semtext.read.threads import read_faqs, without_others
from scrapy_semtext.tree.nodes import PageNodes
from scrapy_semtext.tree.parsing import parse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.page import QAPair

SHIP = "How long does shipping take?"
BACK = "Can I send things back?"
PAY = "Which cards do you accept?"
DAYS = "Three to five working days, depending on where you live."
RETURN = "Yes, within thirty days, if they have not been worn."
CARDS = "All of the large ones, and bank transfers too."
EXPECTED = [(SHIP, DAYS), (BACK, RETURN), (PAY, CARDS)]
NAVIGATION = "<nav><ul><li><a href=/a>Home</a><li><a href=/b>Shop</a><li><a href=/c>Contact us</a></ul></nav>"


class Rule:
    """Replaces the trained model: the more questions with real answers, the better."""

    def predict(self, matrix: NDArray[np.float32]) -> NDArray[np.float64]:
        asking, answers, links, pairs, rank = (
            matrix[:, FEATURES.index(name)].astype(float)
            for name in ("asking", "answers_min", "answer_links", "pairs", "rank_by_asking")
        )
        good = (asking > 0.8) & (answers > np.log1p(20)) & (links < 0.5)
        return np.where(good, 0.4 + 0.5 * rank + 0.001 * pairs, 0.0)


def nodes_of(body: str) -> PageNodes:
    root = parse(
        f"<html><body>{NAVIGATION}{body}<footer><p>All rights reserved by the shop.</p></footer></body></html>"
    )
    return PageNodes.of_page(root)


def read(body: str) -> list[tuple[str, str]]:
    return [(pair.question, pair.answer) for pair in pairs_of(body)]


def pairs_of(body: str) -> list[QAPair]:
    return read_faqs([FaqPage(nodes_of(body), "Shop", "https://shop.example/help")], Rule())[0]


def written(template: str, pairs: list[tuple[str, str]] = EXPECTED) -> str:
    return "".join(template.format(q=question, a=answer) for question, answer in pairs)


@pytest.mark.smoke
@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"<dl>{written('<dt>{q}</dt><dd>{a}</dd>')}</dl>", id="definition list"),
        pytest.param(written("<details><summary>{q}</summary><p>{a}</p></details>"), id="details"),
        pytest.param(
            written(
                "<div class=item><h3><button>{q}<span>+</span></button></h3><div class=panel><p>{a}</p></div></div>"
            ),
            id="accordion",
        ),
        pytest.param(f"<h2>FAQ</h2>{written('<h3>{q}</h3><p>{a}</p>')}", id="headings"),
        pytest.param(f"<h2>FAQ</h2><div>{written('<p><b>{q}</b></p><p>{a}</p>')}</div>", id="bold paragraphs"),
        pytest.param(f"<ul>{written('<li><strong>{q}</strong> {a}</li>')}</ul>", id="run-in items"),
        pytest.param(f"<ol>{written('<li>{q}<br>{a}</li>')}</ol>", id="lines of items"),
        pytest.param(f"<ul>{written('<li>{q}<div>{a}</div></li>')}</ul>", id="text and element"),
        pytest.param(f"<div>{written('<b>{q}</b><br>{a}<br><br>')}</div>", id="all in one block"),
        pytest.param(f"<div>{written('<p>Q: {q}<br>A: {a}</p>')}</div>", id="marks"),
        pytest.param(f"<div>{written('<p>Q. {q}</p><p>A. {a}</p>')}</div>", id="marks in paragraphs"),
        pytest.param(f"<div>{written('<p>Q1. {q} {a}</p>')}</div>", id="first sentences"),
        pytest.param(f"<table>{written('<tr><td>{q}</td><td>{a}</td></tr>')}</table>", id="table"),
    ],
)
def test_each_layout_is_read(body: str) -> None:
    assert read(body) == EXPECTED


def test_pairs_say_where_they_come_from() -> None:
    pair = pairs_of(written("<details><summary>{q}</summary><p>{a}</p></details>"))[0]
    assert pair.source == "model"
    assert 0 < pair.score <= 1
    assert pair.question_title == pair.question == SHIP
    assert pair.question_body is None


def test_answers_of_several_blocks_are_kept_whole() -> None:
    pairs = [(SHIP, "Three days.</p><ul><li>Abroad: a week</li></ul><p>Islands may take longer."), (BACK, RETURN)]
    found = read(f"<div>{written('<h3>{q}</h3><p>{a}</p>', pairs)}</div>")
    assert found[0] == (SHIP, "Three days.\nAbroad: a week\nIslands may take longer.")


def test_the_last_answer_ends_with_the_list() -> None:
    body = f"<div>{written('<h3>{q}</h3><p>{a}</p>')}<h2>Related</h2><p>Ten other things to buy this winter.</p></div>"
    assert read(body) == EXPECTED


def test_categories_are_put_together() -> None:
    more = [("Do you have a shop in town?", "Two of them, open on every day but Sunday."), ("Where are you?", CARDS)]
    body = (
        f"<h2>Delivery</h2><div>{written('<h3>{q}</h3><p>{a}</p>')}</div>"
        f"<h2>About us</h2><div>{written('<h3>{q}</h3><p>{a}</p>', more)}</div>"
    )
    assert read(body) == [*EXPECTED, *more]


def test_headings_of_categories_are_no_part_of_answers() -> None:
    body = f"<div><h2>Delivery</h2>{written('<h3>{q}</h3><p>{a}</p>', EXPECTED[:2])}<h2>Money</h2>"
    assert read(f"{body}{written('<h3>{q}</h3><p>{a}</p>', EXPECTED[2:])}</div>") == EXPECTED


def test_copies_for_other_screens_are_read_once() -> None:
    body = written("<section><h3>{q}</h3><div><b>{q}</b><p>{a}</p></div></section>")
    assert read(f"<div class=wide>{body}</div><div class=narrow>{body}</div>") == EXPECTED


def listed(*questions: str, in_terms: bool = False) -> FaqCandidate:
    pairs = tuple(FaqPair(question, "It does not.", first=0, start=1, last=2) for question in questions)
    return FaqCandidate(pairs, (), "after", in_terms=in_terms)


def test_a_heading_among_questions_is_no_question() -> None:
    found = listed("Does it leak?", "How do I clean it", "Related news")
    assert [pair.question for pair in without_others(found)] == ["Does it leak?", "How do I clean it"]
    named = listed("Delivery", "Payment", "Is it safe?")
    assert without_others(named) == named.pairs


def test_a_summary_among_questions_is_one() -> None:
    found = listed("Does it leak?", "How do I clean it", "My order is late", in_terms=True)
    assert without_others(found) == found.pairs


def test_what_stands_behind_every_answer_is_left_out() -> None:
    assert read(f"<dl>{written('<dt>{q}</dt><dd><p>{a}</p><p>Was this helpful? Yes No</p></dd>')}</dl>") == EXPECTED


def test_questions_in_chinese() -> None:
    pairs = [
        ("下单以后多久可以收到商品？", "一般情况下三到五个工作日即可送达，偏远地区可能需要更长的时间。"),
        ("收到的商品可以退货吗？", "可以，收到商品后三十天之内，未使用过的商品都可以申请退货。"),
    ]
    assert read(written("<dl><dt>问：{q}</dt><dd>答：{a}</dd></dl>", pairs)) == pairs


@pytest.mark.parametrize(
    ("body", "asking"),
    [
        ("<h3>How do I clean it</h3><p>By hand.</p>", True),
        ("<h3>1.2 How do I clean it</h3><p>By hand.</p>", True),
        ("<dl><dt>كيف أنظفه<dd>باليد.</dl>", True),
        ("<details><summary>My order is late</summary><p>Write to us.</p></details>", True),
        ("<h3>My order is late</h3><p>How we help you.</p>", False),
    ],
)
def test_titles_ask_without_a_mark(body: str, asking: bool) -> None:
    nodes = nodes_of(body)
    assert any(nodes.asking) is asking
