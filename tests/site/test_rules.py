from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import shipped

from scrapy_semtext.page import Page
from scrapy_semtext.site.rules import RuleError, RuleWatch, SiteRules

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_semtext.extractor import Extractor

PAGE = """<html><head><title>Kettles | Shop</title><meta property="og:title" content="The best kettles"></head><body>
<nav><a href="/">Home</a></nav>
<div class="text"><p>A kettle boils water, and it does so faster than a pot on most stoves that people have at home.</p>
<div class="ad"><p>Buy the kettle of the year today, with a discount of twenty percent for all our loyal readers!</p>
<p class="price">Prices are given without tax, and may change at any time without notice to those who buy.</p></div>
<p>Descale it with vinegar twice a year, and it will serve you for longer than you would ever expect of it.</p></div>
<div class="specs">Volume: 1.7 l</div><a class="next" href="?page=2">More kettles</a></body></html>"""

THREAD = """<html><head><title>Is my kettle broken?</title></head><body><h1>Is my kettle broken?</h1>
<div class="ask"><b class="author">ann</b><p>It clicks but stays cold. Is it worth a repair?</p></div>
<ul><li class="reply"><b class="author">bob</b> <i>2024-05-02</i><p>Check the fuse of the plug first.</p></li>
<li class="promo"><p>Get a new kettle for half the price, only today and only here.</p></li>
<li class="reply"><b class="author">cid</b> <i>2024-05-03</i><p>The element is gone, buy another kettle.</p></li>
</ul></body></html>"""


@pytest.fixture
def extractor() -> Extractor:
    return shipped.extractor()


def read(extractor: Extractor, html: str, rule: dict[str, Any], url: str = "https://example.com/kettles") -> Page:
    extractor.sites = SiteRules.of({"example.com": rule})
    try:
        return extractor.read(html, url)
    finally:
        extractor.sites = None


def test_what_to_keep_and_to_drop(extractor: Extractor) -> None:
    page = read(extractor, PAGE, {"keep": [".specs", ".ad .price"], "drop": ["//div[@class='ad']", "nav"]})
    assert [line[:8] for line in page.main_text.splitlines()] == ["A kettle", "Prices a", "Descale ", "Volume: "]
    assert (page.rule, page.unmatched) == ("example.com", [])
    only = read(extractor, PAGE, {"drop": ["body"], "keep": ["div.specs"]})
    assert only.main_text == "Volume: 1.7 l"


def test_on_the_same_element_drop_wins(extractor: Extractor) -> None:
    page = read(extractor, PAGE, {"keep": [".specs"], "drop": [".specs"]})
    assert "Volume" not in page.main_text


def test_a_page_of_which_nothing_is_kept_stays_empty(extractor: Extractor) -> None:
    assert read(extractor, PAGE, {"drop": ["body"]}).main_text == ""


def test_what_a_rule_does_not_name_the_model_decides(extractor: Extractor) -> None:
    without = extractor.read(PAGE, "https://example.com/kettles")
    page = read(extractor, PAGE, {"title": ".specs"})
    assert (page.title, page.main_text) == ("Volume: 1.7 l", without.main_text)
    assert read(extractor, PAGE, {"title": "meta[property='og:title']"}).title == "The best kettles"
    assert read(extractor, PAGE, {"drop": ["body"]}, url="https://example.org/").main_text == without.main_text


@pytest.mark.parametrize("selector", ["a.next", "a.next::attr(href)", "//a[@class='next']/@href"])
def test_the_next_page(selector: str, extractor: Extractor) -> None:
    assert read(extractor, PAGE, {"next_page": selector}).next_page == "https://example.com/kettles?page=2"


def test_posts(extractor: Extractor) -> None:
    page = read(extractor, THREAD, {"qa": {"post": "li.reply", "question": "div.ask"}})
    assert [(pair.question_title, pair.author, pair.date, pair.source) for pair in page.qa_pairs] == [
        ("Is my kettle broken?", "bob", "2024-05-02", "rule"),
        ("Is my kettle broken?", "cid", "2024-05-03", "rule"),
    ]
    assert [pair.answer[:9] for pair in page.qa_pairs] == ["Check the", "The eleme"]
    assert "It clicks but stays cold." in page.qa_pairs[0].question


def test_without_an_opening_post_the_first_one_asks(extractor: Extractor) -> None:
    page = read(extractor, THREAD, {"qa": {"post": ".ask, .reply"}})
    assert [pair.answer[:9] for pair in page.qa_pairs] == ["Check the", "The eleme"]
    assert "It clicks" in page.qa_pairs[0].question


def _message(number: int, who: str, text: str) -> str:
    return (
        f'<article class="message" id="m{number}"><div class="who"><a href="/u/{who}">{who}</a>'
        f"<span>Master baker</span><span>{7 * number} loaves</span></div>"
        f'<div class="when">Posted {number} March 2025, 19:4{number}</div><div class="says">{text}'
        '<p class="offer">Buy the peel of the year with a discount of ten percent.</p></div>'
        '<div class="under">Ask me about rye.</div>'
        '<div class="tools"><a href="#r">Answer</a> <a href="#q">Cite</a></div></article>'
    )


BOARD = "".join(
    (
        "<html><head><title>Why is it pale? | Crumbs</title></head><body>",
        "<nav><a href=/>Start</a> <a href=/in>Log in</a></nav><h1>Why is it pale?</h1>",
        _message(2, "ann", "<p>My loaf comes out pale although the stone was hot.</p>"),
        _message(3, "bob", "<p>Bake it longer.</p>"),
        _message(4, "cid", '<div class="cite"><p>Bake it longer.</p></div><p>A tray of water helps.</p>'),
        "<footer>Runs on Doughboard</footer></body></html>",
    )
)
ANSWERS = [("Bake it longer.", "bob", "2025-03-03T19:43:00"), ("A tray of water helps.", "cid", "2025-03-04T19:44:00")]
PARTS = {"author": ".who a", "date": ".when", "quote": ".cite"}


@pytest.mark.parametrize(
    "rule",
    [
        {"qa": {"post": ".says"}, "drop": [".offer", ".cite"]},
        {"qa": {"post": ".message", "text": ".says", "quote": ".cite"}, "drop": [".offer"]},
        {"qa": {"post": "article", "text": "p", **PARTS}, "drop": [".offer"]},
        {"qa": {"post": "article", "text": "p", "author": ".who a::text", "date": "//div[@class='when']/text()"}}
        | {"drop": [".offer", ".cite"]},
        {"qa": {"post": "article + article", "question": "#m2", "text": ".says", "quote": ".cite"}}
        | {"drop": [".offer"]},
        {"drop": [".offer", ".cite"]},
    ],
)
def test_the_text_of_posts_without_what_is_dropped(extractor: Extractor, rule: dict[str, Any]) -> None:
    page = read(extractor, BOARD, rule, "https://example.com/thread/1")
    assert page.unmatched == []
    assert [(pair.answer, pair.author, pair.date) for pair in page.qa_pairs] == ANSWERS
    asked = {(pair.question_title, pair.question_body, pair.question_author) for pair in page.qa_pairs}
    assert asked == {("Why is it pale?", "My loaf comes out pale although the stone was hot.", "ann")}


def test_dates_and_authors_are_those_of_the_rule(extractor: Extractor) -> None:
    html = BOARD.replace("Posted 4 March", "Seen <time datetime='2025-05-06'>lately</time>, posted 4 March")
    page = read(extractor, html, {"qa": {"post": "article", "text": ".says", "author": ".who span", "date": "time"}})
    assert [(pair.author, pair.date[:10]) for pair in page.qa_pairs if pair.date] == [
        ("Master baker", "2025-03-03"),
        ("Master baker", "2025-05-06"),
    ]


def test_posts_without_text_and_dropped_ones_are_none(extractor: Extractor) -> None:
    html = BOARD.replace('<div class="says"><p>Bake', '<div class="gone"><p>Bake')
    page = read(extractor, html, {"qa": {"post": "article", "text": ".says", "quote": ".cite"}, "drop": [".offer"]})
    assert [pair.answer for pair in page.qa_pairs] == ["A tray of water helps."]
    html = BOARD.replace('class="message"', 'class="message old"', 2)
    page = read(extractor, html, {"qa": {"post": ".says"}, "drop": [".old", ".offer", ".cite"]})
    assert page.qa_pairs == [], "the last post asks"


def test_answers_of_a_list_of_questions_are_without_what_is_dropped(extractor: Extractor) -> None:
    answers = {
        "How hot is the oven?": "At least 230 degrees, with a stone that was in it for an hour.",
        "How long does it rise?": "A night in the cellar, or two hours beside the stove.",
        "Can I freeze the dough?": "Yes, after the first rise, in a box with a lid.",
        "Which flour is the best?": "The one of the mill next door, as it is the freshest.",
    }
    shown = "".join(
        f"<details><summary>{asked}</summary><p>{said}</p><p class=x>Ask ann for page {len(said)}.</p></details>"
        for asked, said in answers.items()
    )
    html = f"<html><head><title>FAQ</title></head><body><h1>Frequently asked questions</h1>{shown}</body></html>"
    page = read(extractor, html, {"drop": [".x"]}, "https://example.com/faq")
    assert {pair.question: pair.answer for pair in page.qa_pairs} == answers
    assert "Ask ann" in read(extractor, html, {}, "https://example.com/faq").qa_pairs[0].answer


def test_what_finds_nothing_is_named(extractor: Extractor) -> None:
    page = read(extractor, PAGE, {"drop": [".gone", ".ad"], "qa": {"post": ".post"}, "title": "h1.none"})
    assert page.unmatched == ["drop: .gone", "title: h1.none", "qa.post: .post"]
    assert page.title == "The best kettles", "as without the rule"
    assert "unmatched" not in page.to_dict()


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("https://example.com/", "example.com"),
        ("https://www.example.com:8080/a", "example.com"),
        ("https://shop.example.com/a", "example.com"),
        ("https://blog.example.com/a", "blog.example.com"),
        ("https://example.com/news/2024?id=3", "example.com/news/*"),
        ("https://example.com/a/print", "*/print"),
        ("https://badexample.com/", None),
        ("http://[broken", None),
        (None, None),
    ],
)
def test_the_most_specific_rule_is_used(url: str | None, rule: str | None) -> None:
    names = ["example.com", "blog.example.com", "example.com/news/*", "*/print", "https://www.example.org"]
    if url is not None and url.endswith("/print"):
        names.remove("example.com")
    found = SiteRules.of({name: {"drop": ["aside"]} for name in names}).rule_for(url)
    assert (found.name if found else None) == rule


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ([], "rules have to be a dict of sites, not []"),
        (
            {"example.com": ["aside"]},
            "the rule of 'example.com' is ['aside']; it has to be a dict with keys among keep,",
        ),
        ({"example.com": {"dorp": ["aside"]}}, "the rule of 'example.com' has no key 'dorp'; did you mean 'drop'?"),
        ({"a.org": {"drop": ["p["]}}, "the rule of 'a.org', drop: 'p[' is no CSS selector: Expected"),
        ({"a.org": {"title": "//p["}}, "the rule of 'a.org', title: '//p[' is no XPath selector: Invalid expression"),
        ({"a.org": {"keep": [3]}}, "the rule of 'a.org': keep is [3]; it has to be a list of selectors"),
        ({"a.org": {"title": ["h1"]}}, "the rule of 'a.org': title is ['h1']; it has to be a string"),
        (
            {"a.org": {"qa": {"question": "p"}}},
            "it has to be a dict with the key post and, if need be, question, text, author, date, quote",
        ),
        ({"a.org": {"model": "missing"}}, "the rule of 'a.org': model: missing/site.json cannot be read: "),
    ],
)
def test_errors_name_the_rule(rules: Any, message: str) -> None:
    with pytest.raises(RuleError) as raised:
        SiteRules.of(rules)
    assert message in str(raised.value)


def test_selectors_without_effect_are_reported_once() -> None:
    watch = RuleWatch()
    page = Page(rule="example.com", unmatched=["drop: .gone"])
    reports = [sentence for _ in range(50) for sentence in watch.add(page)]
    assert reports == [
        "'drop: .gone' in the rule of 'example.com' found nothing on 20 of 20 pages; has the site changed?"
    ]
    assert [*RuleWatch().add(Page())] == []


def test_files(tmp_path: Path) -> None:
    rules = {"example.com": {"drop": ["aside"], "qa": {"post": ".post"}}}
    (tmp_path / "sites.json").write_text(json.dumps(rules))
    (tmp_path / "sites.yaml").write_text("example.com:\n  drop: [aside]\n  qa:\n    post: .post\n")
    assert SiteRules.load(tmp_path / "sites.json") == SiteRules.load(tmp_path / "sites.yaml") == SiteRules.of(rules)
    (tmp_path / "broken.yaml").write_text("a: [")
    with pytest.raises(RuleError, match=r"broken.yaml cannot be read: not YAML"):
        SiteRules.load(tmp_path / "broken.yaml")
    with pytest.raises(RuleError, match=r"none.json cannot be read: .*No such file"):
        SiteRules.load(tmp_path / "none.json")
