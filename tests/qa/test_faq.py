"""Lists of questions with answers: each layout that pages have, and pages that list none."""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from scrapy_semtext.dom.segmentation import search
from scrapy_semtext.dom.tree import parse
from scrapy_semtext.qa.cues import QUESTION_MARK
from scrapy_semtext.qa.faq_candidates import FaqCandidate, FaqPair, candidates_of_pages, faq_candidates
from scrapy_semtext.qa.faq_features import FEATURES, faq_features
from scrapy_semtext.qa.faq_text import (
    QUESTION_PREFIX,
    _is_again,
    asking_texts,
    asks,
    clean_answer,
    clean_question,
    has_mark,
    prefix_of,
    without_series,
)
from scrapy_semtext.qa.nodes import PageNodes
from scrapy_semtext.qa.reader import FaqPage, read_faqs, without_others
from scrapy_semtext.training.pair_scoring import TruePair

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
    """A stand-in for the trained model: the more questions with real answers the better."""

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
    return PageNodes(root, search(root))


def read(body: str) -> list[tuple[str, str]]:
    return [(pair.question, pair.answer) for pair in pairs_of(body)]


def pairs_of(body: str) -> list[QAPair]:
    return read_faqs([FaqPage(nodes_of(body), "Shop", "https://shop.example/help")], Rule())[0]


def written(template: str, pairs: list[tuple[str, str]] = EXPECTED) -> str:
    return "".join(template.format(q=question, a=answer) for question, answer in pairs)


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


def test_questions_in_french() -> None:
    pairs = [
        ("Quels sont les délais de livraison ?", "Trois à cinq jours ouvrés selon votre adresse."),
        ("Comment retourner un article ?", "Écrivez-nous, nous vous enverrons une étiquette."),
    ]
    assert read(written("<details><summary>{q}</summary><div>{a}</div></details>", pairs)) == pairs


def test_questions_in_chinese() -> None:
    pairs = [
        ("下单以后多久可以收到商品？", "一般情况下三到五个工作日即可送达，偏远地区可能需要更长的时间。"),
        ("收到的商品可以退货吗？", "可以，收到商品后三十天之内，未使用过的商品都可以申请退货。"),
    ]
    assert read(written("<dl><dt>问：{q}</dt><dd>答：{a}</dd></dl>", pairs)) == pairs


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<p>A page with a paragraph.</p>",
        "<ul><li><a href=/1>What is new?</a><li><a href=/2>Where to go?</a><li><a href=/3>Who are we?</a></ul>",
        "<h2>First</h2><p>Some text about the first thing.</p><h2>Second</h2><p>Some text about the second.</p>",
        f"<h2>{SHIP}</h2><p>{DAYS}</p>",
    ],
)
def test_pages_without_a_list(body: str) -> None:
    assert read(body) == []


def test_a_model_that_finds_nothing_gives_nothing() -> None:
    class Never:
        def predict(self, matrix: NDArray[np.float32]) -> NDArray[np.float64]:
            return np.zeros(len(matrix))

    assert read_faqs([FaqPage(nodes_of(written("<dt>{q}</dt><dd>{a}</dd>")), None, None)], Never()) == [[]]


def test_features_are_finite_and_named() -> None:
    nodes = nodes_of(f"<dl>{written('<dt>{q}</dt><dd>{a}</dd>')}</dl>")
    candidates = faq_candidates(nodes)
    matrix = faq_features(nodes, candidates, None, None)
    assert matrix.shape == (len(candidates), len(FEATURES))
    assert matrix.dtype == np.float32
    assert np.isfinite(matrix).all()
    assert len(set(FEATURES)) == len(FEATURES)
    assert faq_features(nodes, [], None, None).shape == (0, len(FEATURES))


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Q: Why?", "Why?"),
        ("Q1. Why so?", "Why so?"),
        ("01.Can it?", "Can it?"),
        ("3) Frage 2: Warum?", "Warum?"),
        ("Question 12 - Why?\n+", "Why?"),
        ("Quality matters?", "Quality matters?"),
        ("A. Why?", "Why?"),
        ("A new one?", "A new one?"),
        ("2.5 or 3?", "2.5 or 3?"),
        ("Why?\nexpand_more", "Why?"),
        ("س: لماذا؟", "لماذا؟"),
    ],
)
def test_clean_question(text: str, question: str) -> None:
    assert clean_question(text) == question


def test_a_question_that_is_repeated_is_told_by_its_end() -> None:
    parts = ["Why?", "why", "1.", "Q:", " ", "\n", "+", "\u2028", "\xa0", "Close", "ß", "…", "ſ"]
    for parts_of in product(parts, repeat=3):
        line = "".join(parts_of)
        for asked in ("why?", "why", "s", "1.", "close", "", "…"):
            assert _is_again(line, line.casefold(), asked) == (clean_question(line).casefold() == asked)


def test_texts_that_ask_are_found_together() -> None:
    signs = [*"?？؟\u037ea. \n!\u2028)", "word"]
    chance = random.Random(3)  # noqa: S311
    for _ in range(500):
        texts = ["".join(chance.choices(signs, k=chance.randrange(9))) for _ in range(chance.randrange(7))]
        assert asking_texts(texts) == [asks(text) for text in texts]


def test_pages_are_read_together_as_one_by_one() -> None:
    bodies = [
        f"<h2>FAQ</h2>{written('<h3>{q}</h3><p>{a}</p>')}",
        "<p>No question here.</p>",
        f"<ul>{written('<li><strong>{q}</strong> {a}</li>')}</ul>",
        f"<dl>{written('<dt>{q}</dt><dd>{a}</dd>')}</dl>{written('<p><b>{q}</b></p><p>{a}</p>')}",
    ]
    pages = [FaqPage(nodes_of(body), "Shop", None) for body in bodies]
    assert candidates_of_pages([page.nodes for page in pages]) == [faq_candidates(page.nodes) for page in pages]
    assert read_faqs(pages, Rule()) == [read_faqs([page], Rule())[0] for page in pages]
    assert candidates_of_pages([]) == []
    assert read_faqs([], Rule()) == []


def test_marks_are_found() -> None:
    for text in ("", "a", "?", "a？", "é؟", "é", "\u037e", "Q: a", " q1. a"):
        assert has_mark(text) == (QUESTION_MARK.search(text) is not None)
        assert (prefix_of(text) is None) == (QUESTION_PREFIX.match(text) is None)


@pytest.mark.parametrize(
    ("first", "second"), [("1.1. ", "1.2. "), ("G1. ", "G2. "), ("3.1: ", "3.2: "), ("[1] ", "[2] "), ("1.1 ", "1.10 ")]
)
def test_numbers_of_a_list_are_no_part_of_its_questions(first: str, second: str) -> None:
    assert without_series([f"{first}Why?", f"{second}2.5 or 3?"]) == ["Why?", "2.5 or 3?"]


def test_a_number_that_few_questions_have_is_part_of_them() -> None:
    questions = ["2.5 GHz or 5 GHz?", "Why?", "What?"]
    assert without_series(questions) == questions


@pytest.mark.parametrize("text", ["返品できますか。", "可以退货吗", "환불할 수 있습니까", "هل يمكنني إرجاعه؟"])
def test_questions_end_in_the_words_and_marks_of_their_languages(text: str) -> None:
    assert asks(text)


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


def test_clean_answer() -> None:
    assert clean_answer(["So.", "1.2."], "Why?") == "So."
    assert clean_answer(["Why?", "A: So.", "+", "Read more"], "Why?") == "So."
    assert clean_answer(["Answers vary."], "Why?") == "Answers vary."
    assert clean_answer(["Close"], "Why?") == ""


def test_training_rows_are_labeled_by_the_pairs_of_the_page() -> None:
    pytest.importorskip("lightgbm")
    from scrapy_semtext.training.boosting import stacked
    from scrapy_semtext.training.faq_fit import faq_rows, fit_faq
    from scrapy_semtext.training.pair_pages import PairPage

    listed = f"<body>{NAVIGATION}<h2>FAQ</h2><dl>{written('<dt>{q}</dt><dd>{a}</dd>')}</dl></body>"
    plain = f"<body>{NAVIGATION}{'<h3>A part</h3><p>Text of some length.</p>' * 5}</body>"

    def page(role: str, html: str, pairs: list[tuple[str, str]], posts: list[str]) -> PairPage:
        return PairPage(
            id=role,
            role=role,  # type: ignore[arg-type]
            kind="article",
            engine="",
            domain=f"{role}.example",
            url=None,
            dataset="test",
            html=html,
            posts=posts,
            pairs=[TruePair((question,), answer) for question, answer in pairs] or None,
            main_text="",
            shippable=True,
        )

    pages = [page("faq", listed, EXPECTED, []), page("none", plain, [], []), page("none", listed, [], [])]
    rows = faq_rows(pages * 10)
    assert len(rows) == len(pages) * 10
    matrix, labels, weights = stacked(rows)
    assert labels.max() == 1.0
    assert matrix.shape == (len(labels), len(FEATURES)) == (len(weights), len(FEATURES))
    asking = matrix[:, FEATURES.index("asking")]
    where = np.repeat([one.domain for one in pages * 10], [len(part[1]) for part in rows])
    assert asking[where == "faq.example"].max() == 1.0
    assert not (asking[where == "none.example"] >= 0.5).any()  # nobody said whether these are lists of questions
    assert fit_faq(rows, 1).predict(matrix).shape == labels.shape
