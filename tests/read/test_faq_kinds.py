"""Lists of questions that the shipped model finds regardless of the page's title, and pages without a list."""

# ruff: noqa: E501, ISC004
from __future__ import annotations

import pytest

from scrapy_semtext.extractor import Extractor
from scrapy_semtext.options import Options

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


def written(template: str, asked: list[tuple[str, str]] = ASKED) -> str:
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
        pytest.param(written(HEADINGS), id="headings"),
        pytest.param(written(DETAILS), id="details"),
        pytest.param(f"<dl>{written(TERMS)}</dl>", id="terms"),
        pytest.param(written(BUTTONS), id="buttons"),
        pytest.param(f"<ul>{CONTENTS}</ul>{written(HEADINGS)}", id="contents"),
        pytest.param(
            f"<h2>Contents</h2><ul><li><a href=#g>Use</a><ul>{CONTENTS}</ul></li></ul><h2 id=g>Use</h2>{written(HEADINGS)}",
            id="nested contents",
        ),
        pytest.param(written("<h3>1.{n} {q}</h3><p>{a}</p>"), id="1.1"),
        pytest.param(written("<h3>G{n}. {q}</h3><p>{a}</p>"), id="G1."),
        pytest.param(written("<h3>Q{n}: {q}</h3><p>{a}</p>"), id="Q1:"),
        pytest.param(written("<h3><i>Q</i> {q}</h3><div><i>A</i><p>{a}</p></div>"), id="signs Q and A"),
        pytest.param(written('<h2><a name=q{n} href="#toc{n}">{q}</a></h2><p>{a}</p>'), id="links to contents"),
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
    html = page(f"<article>{TEXT}<div>{written(block, ASKED[:4])}</div></article>", "Light for a desk")
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
        f"<dl>{written(template, asked)}</dl>" if template is TERMS else written(template, asked), title, language
    )
    assert [pair.question for pair in extractor.read(html).qa_pairs] == [question for question, _ in asked]


def test_two_questions_may_have_the_same_answer(extractor: Extractor) -> None:
    asked = [ASKED[0], (ASKED[1][0], ASKED[3][1]), *ASKED[2:]]
    assert len(extractor.read(page(written(HEADINGS, asked))).qa_pairs) == len(asked)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"{TEXT}<ul>{written('<li><a href=/q/{n}>{q}</a></li>')}</ul>", id="related questions"),
        pytest.param(
            written("<div><h3><a href=/p/{n}>{q}</a></h3><p>{a}…</p><a href=/p/{n}>Read on</a></div>"), id="teasers"
        ),
        pytest.param(
            f"<table>{written('<tr><td><a href=/t/{n}>{q}</a><td>{n}<td>Ann{n}<td>3 days ago</tr>')}</table>",
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
