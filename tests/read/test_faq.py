"""Lists of questions with answers in any layout, and pages that have none."""

# ruff: noqa: E501, ISC004
from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from scrapy_semtext import extract
from scrapy_semtext.extractor import Extractor
from scrapy_semtext.options import Options
from scrapy_semtext.read.faq import FaqCandidate, FaqPair
from scrapy_semtext.read.faq_features import FEATURES, FaqPage
from scrapy_semtext.read.threads import read_faqs, without_others
from scrapy_semtext.spiders import ArticleSpider
from scrapy_semtext.tree.nodes import PageNodes
from scrapy_semtext.tree.parsing import parse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext import Page
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


ASKED = [
    ("How do I clean the lamp?", "Wipe it with a dry cloth while it is cold, and never put it under water."),
    ("Can I use another bulb?", "Yes, if it draws no more than forty watts and has a small screw base."),
    ("Why does it flicker?", "The bulb is loose or the dimmer is too old for it. Try another socket first."),
    ("Where is it made?", "In a small workshop near the coast, by four people who also repair it."),
    ("How long is the warranty?", "Two years from the day of the purchase; please keep the receipt for that time."),
    ("What does a repair cost?", "That depends on the part. We tell you the price before we begin with the work."),
]
GERMAN = [
    (
        "Wie reinige ich die Lampe?",
        "Wischen Sie sie kalt mit einem trockenen Tuch ab und halten Sie sie nie unter Wasser.",
    ),
    (
        "Passt ein anderes Leuchtmittel?",
        "Ja, wenn es höchstens vierzig Watt braucht und einen kleinen Schraubsockel hat.",
    ),
    ("Warum flackert sie?", "Die Birne sitzt locker, oder der Dimmer ist zu alt. Versuchen Sie eine andere Steckdose."),
    ("Wo wird sie gemacht?", "In einer kleinen Werkstatt nahe der Küste, von vier Leuten, die sie auch reparieren."),
    ("Wie lange gilt die Garantie?", "Zwei Jahre ab dem Tag des Kaufs; bitte bewahren Sie die Rechnung so lange auf."),
]
CHINESE = [
    ("台灯怎么清洁？", "请在冷却以后用干布擦拭，千万不要放在水里清洗，也不要使用酒精。"),
    ("可以使用其他灯泡吗", "可以，只要功率不超过四十瓦，并且灯座是小号的螺口就没有问题。"),
    ("为什么会闪烁？", "可能是灯泡松动，或者调光器太旧。请先换一个插座再试一次看看。"),
    ("保修期是多长时间？", "从购买之日起两年，请在此期间妥善保管好您的购物收据和发票。"),
]
ARABIC = [
    ("كيف أنظف المصباح؟", "امسحه بقطعة قماش جافة وهو بارد، ولا تضعه تحت الماء أبدا مهما كان متسخا."),
    ("هل يمكنني استخدام لمبة أخرى؟", "نعم، إذا كانت لا تستهلك أكثر من أربعين واط ولها قاعدة صغيرة."),
    ("لماذا يومض المصباح؟", "اللمبة غير محكمة أو أن المخفت قديم جدا. جرب مقبسا آخر أولا من فضلك."),
    ("ما هي مدة الضمان؟", "سنتان من يوم الشراء، يرجى الاحتفاظ بالإيصال طوال هذه المدة كلها."),
]
NAV = "<nav><ul><li><a href=/a>Home</a><li><a href=/b>Shop</a><li><a href=/c>Contact</a></ul></nav>"
TEXT = "".join(
    f"<p>{line}</p>"
    for line in (
        "A lamp on a desk should light the paper and not the eyes, so that its shade is as important as its bulb.",
        "Put it on the side of the hand that does not write, a little higher than the head, and turn it to the wall.",
        "Old lamps often have cables of cloth, which crack after some decades; a new one takes an hour and a screwdriver.",
    )
)


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor.load(options=Options(markup=False))


def page(body: str, title: str = "Help", language: str = "en") -> str:
    head = f"<html lang={language}><head><title>{title} | Lamps</title></head><body>{NAV}"
    return f"{head}<main><h1>{title}</h1>{body}</main><footer><p>All rights reserved.</p></footer></body></html>"


def written_by(template: str, asked: list[tuple[str, str]] = ASKED) -> str:
    rows = enumerate(asked, 1)
    return "".join(template.format(q=question, a=answer, n=number) for number, (question, answer) in rows)


CONTENTS = "".join(f"<li><a href=#q{number}>{question}</a></li>" for number, (question, _) in enumerate(ASKED, 1))
HEADINGS = "<h3 id=q{n}>{q}</h3><p>{a}</p>"
DETAILS = "<details><summary>{q}</summary><p>{a}</p></details>"
TERMS = "<dt>{q}</dt><dd>{a}</dd>"
BUTTONS = "<div><h3><button aria-expanded=false>{q}</button></h3><div><p>{a}</p></div></div>"


@pytest.mark.parametrize("title", ["Help", "Shipping and returns", "About our lamps", "FAQ"])
@pytest.mark.parametrize(
    "body",
    [
        pytest.param(written_by(HEADINGS), id="headings"),
        pytest.param(written_by(DETAILS), id="details"),
        pytest.param(f"<dl>{written_by(TERMS)}</dl>", id="terms"),
        pytest.param(written_by(BUTTONS), id="buttons"),
        pytest.param(f"<ul>{CONTENTS}</ul>{written_by(HEADINGS)}", id="contents"),
        pytest.param(
            f"<h2>Contents</h2><ul><li><a href=#g>Use</a><ul>{CONTENTS}</ul></li></ul><h2 id=g>Use</h2>{written_by(HEADINGS)}",
            id="nested contents",
        ),
        pytest.param(written_by("<h3>1.{n} {q}</h3><p>{a}</p>"), id="1.1"),
        pytest.param(written_by("<h3>G{n}. {q}</h3><p>{a}</p>"), id="G1."),
        pytest.param(written_by("<h3>Q{n}: {q}</h3><p>{a}</p>"), id="Q1:"),
        pytest.param(written_by("<h3><i>Q</i> {q}</h3><div><i>A</i><p>{a}</p></div>"), id="signs Q and A"),
        pytest.param(written_by('<h2><a name=q{n} href="#toc{n}">{q}</a></h2><p>{a}</p>'), id="links to contents"),
    ],
)
def test_lists_are_found_whatever_the_page_is_called(extractor: Extractor, title: str, body: str) -> None:
    assert [(pair.question, pair.answer) for pair in extractor.read(page(body, title)).qa_pairs] == ASKED


@pytest.mark.parametrize(
    "block",
    [
        '<div class="rank-math-list-item"><h3 class="rank-math-question">{q}</h3><div class="rank-math-answer"><p>{a}</p></div></div>',
        '<div class="schema-faq-section"><strong class="schema-faq-question">{q}</strong><p class="schema-faq-answer">{a}</p></div>',
        '<details class="wp-block-details"><summary>{q}</summary><p>{a}</p></details>',
        '<div class="accordion-item"><h2 class="accordion-header"><button class="accordion-button">{q}</button></h2>'
        '<div class="accordion-collapse collapse"><div class="accordion-body">{a}</div></div></div>',
    ],
)
def test_blocks_of_page_builders_are_found_inside_an_article(extractor: Extractor, block: str) -> None:
    html = page(f"<article>{TEXT}<div>{written_by(block, ASKED[:4])}</div></article>", "Light for a desk")
    assert [(pair.question, pair.answer) for pair in extractor.read(html).qa_pairs] == ASKED[:4]


@pytest.mark.parametrize(
    ("language", "title", "asked"),
    [("de", "FAQ", GERMAN), ("de", "Hilfe", GERMAN), ("zh", "帮助", CHINESE), ("ar", "مساعدة", ARABIC)],
)
@pytest.mark.parametrize("template", [HEADINGS, DETAILS, TERMS, BUTTONS])
def test_lists_in_other_languages(
    extractor: Extractor, language: str, title: str, asked: list[tuple[str, str]], template: str
) -> None:
    html = page(
        f"<dl>{written_by(template, asked)}</dl>" if template is TERMS else written_by(template, asked), title, language
    )
    assert [pair.question for pair in extractor.read(html).qa_pairs] == [question for question, _ in asked]


def test_two_questions_may_have_the_same_answer(extractor: Extractor) -> None:
    asked = [ASKED[0], (ASKED[1][0], ASKED[3][1]), *ASKED[2:]]
    assert len(extractor.read(page(written_by(HEADINGS, asked))).qa_pairs) == len(asked)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"{TEXT}<ul>{written_by('<li><a href=/q/{n}>{q}</a></li>')}</ul>", id="related questions"),
        pytest.param(
            written_by("<div><h3><a href=/p/{n}>{q}</a></h3><p>{a}…</p><a href=/p/{n}>Read on</a></div>"), id="teasers"
        ),
        pytest.param(
            f"<table>{written_by('<tr><td><a href=/t/{n}>{q}</a><td>{n}<td>Ann{n}<td>3 days ago</tr>')}</table>",
            id="threads",
        ),
        pytest.param(
            f"{TEXT}<h2>The shade</h2>{TEXT}<h2>Which bulb?</h2>{TEXT}<h2>The cable</h2>{TEXT}<h2>Prices</h2>{TEXT}"
            f"<h2>Enough light?</h2>{TEXT}<h2>The foot</h2>{TEXT}",
            id="some headings ask",
        ),
        pytest.param(f"<h2>What you need</h2>{TEXT}<h2>How it works</h2>{TEXT}<h2>The end</h2>{TEXT}", id="a guide"),
        pytest.param(
            f"<ul>{CONTENTS}</ul><h2 id=q1>Cleaning</h2>{TEXT}<h2 id=q2>Bulbs</h2>{TEXT}", id="contents alone"
        ),
    ],
)
def test_pages_that_list_no_questions_with_answers(extractor: Extractor, body: str) -> None:
    assert extractor.read(page(body, "Light for a desk")).qa_pairs == []


_QUESTION = "How do I return a kettle?"
_ANSWER = (
    "Pack the kettle in its box and print the label from your account page. A driver collects it within three days.",
    "We refund the price as soon as the kettle is back in our store, which takes about a week in most cases.",
)
_TEXT = "\n".join(_ANSWER)
_PARAGRAPHS = "".join(f"<p>{line}</p>" for line in _ANSWER)
_RELATED = """<h3>Related articles</h3><ul><li><a href="/a/2">Can I return a lid?</a></li>
<li><a href="/a/3">Who pays for the parcel?</a></li></ul>"""
_RATED = "<div><span>Was this article helpful?</span> <button>Yes</button> <button>No</button></div>"


def _page(title: str, body: str, url: str = "https://kettles.example/a/1") -> Page:
    head = f"<html><head><title>{title}</title></head><body><nav><a href='/'>Kettles</a> <a href='/cart'>Cart</a></nav>"
    return extract(f"{head}<main>{body}</main><footer>Kettles Ltd, all rights reserved</footer></body></html>", url)


@pytest.mark.parametrize(
    ("title", "body", "url"),
    [
        pytest.param(
            f"{_QUESTION} - Kettles Help Center",
            f"<h1>{_QUESTION}</h1>{_PARAGRAPHS}{_RATED}{_RELATED}",
            "https://kettles.example/hc/en/articles/12",
            id="heading",
        ),
        pytest.param(
            f"FAQ | {_QUESTION} - Kettles",
            f"<p>category - <a href='/c'>Orders</a></p><hr><p>answer:</p>{_PARAGRAPHS}<h3>comments</h3><p>Thanks!</p>",
            "https://kettles.example/faq/returns/kettle",
            id="only in the title",
        ),
        pytest.param(
            "Kettles Support",
            f"<h1>Kettles Support</h1><p><a href='/kb'>Knowledge base</a> » <a href='/kb/2'>Orders</a></p>"
            f"<div class='entry-title'>{_QUESTION}</div><div>{_PARAGRAPHS}<p>Last updated: 12 May 2024</p></div>",
            "https://kettles.example/kb/entry.php?id=3",
            id="in a div below the name of the site",
        ),
        pytest.param(
            f"{_QUESTION} | Kettles",
            f"<p><a href='/s'>Support</a> &gt; Orders</p><h2>{_QUESTION}</h2>{_PARAGRAPHS}{_RELATED}",
            "https://kettles.example/a/1",
            id="linked questions",
        ),
        pytest.param(
            f"{_QUESTION} - Orders - Kettles Help",
            f"<h1>Kettles Help » Orders » {_QUESTION}</h1>{_PARAGRAPHS}{_RATED}",
            "https://kettles.example/support/2",
            id="behind boards in its heading",
        ),
    ],
)
def test_entry_is_one_pair_and_an_article(title: str, body: str, url: str) -> None:
    page = _page(title, body, url)
    assert [(pair.question, pair.answer, pair.source) for pair in page.qa_pairs] == [(_QUESTION, _TEXT, "model")]
    assert 0.75 <= page.qa_pairs[0].score < 1
    assert page.page_kind in ("article", "documentation")
    assert ArticleSpider.is_wanted(SimpleNamespace(), page)  # type: ignore[arg-type]
    assert _TEXT in page.main_text


def test_title_without_question_needs_a_label_of_the_answer() -> None:
    head, url = "<p><a href='/'>Knowledge base</a></p><h1>Returning a kettle</h1>", "https://help.kettles.example/12"
    title = "Returning a kettle - Kettles Help"
    labeled, rated = (_page(title, head + body, url) for body in (f"<p>Answer:</p>{_PARAGRAPHS}", _PARAGRAPHS + _RATED))
    assert [(pair.question, pair.answer) for pair in labeled.qa_pairs] == [("Returning a kettle", _TEXT)]
    assert rated.qa_pairs == []  # an article of a manual


@pytest.mark.parametrize(
    ("title", "body", "url"),
    [
        pytest.param(
            f"{_QUESTION} - Kettles Blog",
            f"<h1>{_QUESTION}</h1>{_PARAGRAPHS}{_RELATED}",
            "https://kettles.example/blog/2024/05/return",
            id="article",
        ),
        pytest.param(
            f"{_QUESTION} - Help - Kettles Community",
            f"<h1>{_QUESTION}</h1><p>{_TEXT}</p>{_RELATED}",
            "https://community.kettles.example/t/return/12",
            id="thread without answers",
        ),
        pytest.param(
            "How can we help? - Kettles Help Center",
            f"<h1>How can we help?</h1>{_RELATED.replace('Related articles', 'Orders') * 4}",
            "https://help.kettles.example/",
            id="list of questions",
        ),
        pytest.param(
            f"{_QUESTION} - Kettles FAQ",
            f"<h2>{_QUESTION}</h2><form><p><label>Your name:</label><input><p><label>Text:</label><input></form>",
            "https://kettles.example/faq/send?id=3",
            id="form",
        ),
    ],
)
def test_other_pages_are_no_entries(title: str, body: str, url: str) -> None:
    assert _page(title, body, url).qa_pairs == []
