"""Pairs in the items of whole crawls: one item per pair, filters, duplicates, request meta."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
import scrapy
from crawling import URL, Answer, Crawl, FakeExtractor, crawl, item_classes, page_with, spider_for
from itemadapter import ItemAdapter

from scrapy_semtext import Page, QAPair, page_of, use_page
from scrapy_semtext.integration.setting_values import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.crawl

BREAD = QAPair("How do I bake bread?", "Mix flour and water, then bake it.", votes=3, accepted=True)
CAKE = QAPair("How do I bake a cake?", "Buy a mix, and read what is on it.", votes=-1, accepted=False)
SHORT = QAPair("Why?", "Because.", score=0.4)
SITE = {URL: page_with(BREAD, CAKE, SHORT)}
EACH = {"SEMTEXT_QA": {"item_per_pair": True}}


def questions(result: Crawl) -> list[str]:
    """Return the questions of all items, whether these are single pairs or have the pairs of a page."""
    return [pair["question"] for item in result.items for pair in ([item] if "question" in item else item["qa_pairs"])]


@dataclass
class DataclassPair:
    url: str
    kind: str = "dataclass"
    question: str | None = None
    answer: str | None = None
    votes: int | None = None
    position: int = field(init=False)


CLASSES = item_classes("question", "answer", "votes", "position")


@pytest.mark.parametrize("kind", [dict, DataclassPair, *CLASSES])
def test_items_of_every_type_become_one_for_each_pair(kind: type) -> None:
    result = crawl(SITE, spider_for(SITE, lambda response: kind(url="my own")), EACH)
    assert {type(item) for item in result.items} == {kind}
    rows = [ItemAdapter(item).asdict() for item in result.items]
    assert [(row["url"], row["question"], row["votes"], row["position"]) for row in rows] == [
        ("my own", BREAD.question, 3, 1),
        ("my own", CAKE.question, -1, 2),
        ("my own", SHORT.question, None, 3),
    ]
    assert result.count("items/filled") == 3


@pytest.mark.smoke
def test_a_dict_gains_all_of_a_pair_and_keeps_what_the_spider_has_set() -> None:
    item = crawl(SITE, spider_for(SITE, lambda response: {"shelf": 7, "title": "Mine"}), EACH).items[0]
    assert item == {
        "shelf": 7,
        "title": "Mine",
        "question": BREAD.question,
        "answer": BREAD.answer,
        "question_title": None,
        "question_body": None,
        "author": None,
        "date": None,
        "votes": 3,
        "accepted": True,
        "source": "model",
        "score": 1.0,
        "shown": True,
        "question_author": None,
        "question_date": None,
        "question_score": 1.0,
        "answer_to": None,
        "depth": 1,
        "position": 1,
        "url": URL,
    }


def test_fields_of_pairs_are_mapped_by_their_own_setting() -> None:
    fields = {"fields": {"question": "prompt", "answer": "completion", "url": None}}
    result = crawl(SITE, spider_for(SITE, lambda response: {}), {"SEMTEXT_QA": {"item_per_pair": True, **fields}})
    assert result.items[0] == {"prompt": BREAD.question, "completion": BREAD.answer}


@dataclass
class Article:
    url: str
    main_text: str = ""


def test_an_item_that_cannot_be_a_pair_stays_one() -> None:
    (item,) = crawl(SITE, spider_for(SITE, lambda response: Article(response.url)), EACH).items
    assert item == Article(URL, "Text.")


def test_a_page_without_pairs_gives_no_item_and_no_page_leaves_the_item_as_it_is() -> None:
    site = {URL: page_with(), URL + "empty": Answer(b"")}
    result = crawl(site, settings=EACH)
    assert result.items == [{"url": URL + "empty"}]
    assert result.count("items/without_pair") == 1


def test_copies_do_not_share_their_fields() -> None:
    class Number:
        def process_item(self, item: Any) -> Any:
            item["answer"] += "!"
            return item

    spider = spider_for(SITE, lambda response: CLASSES[0](url=response.url))
    result = crawl(SITE, spider, {**EACH, "ITEM_PIPELINES": {Number: 100}})
    assert [item["answer"] for item in result.items] == [f"{pair.answer}!" for pair in (BREAD, CAKE, SHORT)]


@pytest.mark.parametrize("each", [{}, EACH["SEMTEXT_QA"]], ids=["pages", "item per pair"])
@pytest.mark.parametrize(
    ("settings", "dropped"),
    [
        ({"min_score": 0.5}, {"score": SHORT}),
        ({"min_votes": "0"}, {"votes": CAKE}),
        ({"accepted_only": "1", "min_score": "0.5"}, {"score": SHORT, "not_accepted": CAKE}),
        ({"min_question": 5}, {"question_short": SHORT}),
        ({"min_answer": 10}, {"answer_short": SHORT}),
        ({"min_answer": 1}, {}),
    ],
)
def test_pairs_are_dropped_and_counted_by_reason(
    settings: dict[str, Any], dropped: dict[str, QAPair], each: dict[str, Any]
) -> None:
    result = crawl(SITE, settings={"SEMTEXT_QA": {**settings, **each}})
    gone = {pair.question for pair in dropped.values()}
    assert questions(result) == [pair.question for pair in (BREAD, CAKE, SHORT) if pair.question not in gone]
    assert {reason: result.count(f"pairs/dropped/{reason}") for reason in dropped} == dict.fromkeys(dropped, 1)
    assert (result.count("pairs"), result.count("pairs/dropped")) == (3, len(dropped))
    assert result.count("pairs") == result.count("pairs/kept") + result.count("pairs/dropped")


TREE = [
    QAPair("It leaks.", "Glue it."),
    QAPair("It leaks.", "Which?", answer_to=1, depth=2),
    QAPair("It leaks.", "Any glue that is waterproof.", answer_to=2, depth=3),
    QAPair("It leaks.", "Buy a new one."),
    QAPair("It leaks.", "Where can I buy one?", answer_to=4, depth=2),
]
TREE_SITE = {URL: page_with(*TREE)}


def test_with_an_item_for_each_pair_replies_count_all_pairs_of_the_page() -> None:
    items = crawl(TREE_SITE, settings={"SEMTEXT_QA": {"min_answer": 8, "item_per_pair": True}}).items
    assert [(item["position"], item["answer_to"]) for item in items] == [(1, None), (3, 2), (4, None), (5, 4)]


DEDUP = {"SEMTEXT_QA": {"dedup": True}}


def test_near_identical_pairs_come_once_in_a_crawl() -> None:
    pytest.importorskip("datasketch")
    again = QAPair(BREAD.question.upper(), BREAD.answer + "!")
    site = {URL: page_with(BREAD, again), URL + "2": page_with(CAKE, BREAD)}
    result = crawl(site, settings=DEDUP)
    assert sorted(questions(result)) == sorted([BREAD.question, CAKE.question])
    assert result.count("pairs/dropped/duplicate") == 2


def test_several_items_of_a_page_get_the_same_pairs() -> None:
    pytest.importorskip("datasketch")

    class Two(scrapy.Spider):
        name = "two"
        start_urls = [URL]  # noqa: RUF012

        def parse(self, response: Any) -> Iterator[Any]:
            yield {"n": 1}
            yield {"n": 2}

    result = crawl(SITE, Two, DEDUP)
    assert questions(result) == [pair.question for pair in (BREAD, CAKE, SHORT)] * 2
    assert (result.count("pairs"), result.count("pairs/dropped")) == (3, 0)


def test_a_job_that_goes_on_knows_the_pairs_of_before(tmp_path: Path) -> None:
    pytest.importorskip("datasketch")
    job = {**DEDUP, "JOBDIR": str(tmp_path)}
    spider = {URL: page_with(BREAD)}, {URL + "2": page_with(BREAD, CAKE)}
    assert questions(crawl(spider[0], settings=job)) == [BREAD.question]
    assert questions(crawl(spider[1], settings=job)) == [CAKE.question]


def test_a_broken_state_is_warned_about(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("datasketch")
    (tmp_path / "semtext-pairs.npy").write_text("broken")
    assert len(questions(crawl(SITE, settings={**DEDUP, "JOBDIR": str(tmp_path)}))) == 3
    assert "The pairs of the previous run cannot be read, so duplicates of them are kept" in caplog.text


def test_a_request_that_asks_for_other_pairs_is_warned_about_once(caplog: pytest.LogCaptureFixture) -> None:
    site = {URL: page_with(BREAD), URL + "2": page_with(CAKE)}
    result = crawl(site, spider_for(site, meta={"semtext_qa": {"min_votes": 99}}))
    assert len(questions(result)) == 2
    assert caplog.text.count('meta["semtext_qa"] has no effect any more') == 1


@pytest.mark.parametrize(
    ("module", "settings", "message"),
    [
        (
            "datasketch",
            DEDUP,
            r"SEMTEXT_QA\[.dedup.\] is True, but datasketch is not installed: pip install .*\[dedup\]",
        ),
        (
            "py3langid.langid",
            {"SEMTEXT_QA": {"languages": ["en"]}},
            r"SEMTEXT_QA\[.languages.\] is \['en'\]: py3langid is not installed: pip install .*\[language\]",
        ),
    ],
)
def test_a_missing_extra_stops_the_crawl_at_its_start(
    module: str, settings: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scrapy_semtext.words.words import identifier

    identifier.cache_clear()
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(SettingsError, match=message):
        crawl(SITE, settings=settings)


def test_a_page_can_stand_for_another() -> None:
    class Merging(scrapy.Spider):
        name = "merging"
        start_urls = [URL]  # noqa: RUF012

        def parse(self, response: Any) -> Iterator[Any]:
            yield {"n": 1}
            use_page(response, Page(title="Both", qa_pairs=[BREAD]))
            assert page_of(response) == Page(title="Both", qa_pairs=[BREAD])
            yield {"n": 2}

    first, second = crawl(SITE, Merging).items
    assert (first["title"], len(first["qa_pairs"])) == ("Bread", 3)
    assert (second["title"], len(second["qa_pairs"])) == ("Both", 1)


def test_an_answer_under_many_questions_of_the_site_is_dropped() -> None:
    answer = "Please sign in or create an account to reply to this topic."
    pairs = [QAPair(f"Question {number}?", answer) for number in range(5)]
    site = {URL: page_with(*pairs)}
    result = crawl(site, spider_for(site), EACH)
    assert questions(result) == [pair.question for pair in pairs[:3]]
    assert result.stats["semtext/pairs/dropped/repeated"] == 2
    for settings in ({"SEMTEXT_QA": {"item_per_pair": True, "max_questions": 0}}, _WITH_TEMPLATES):
        assert len(questions(crawl(site, spider_for(site), settings))) == 5


class _Learning(FakeExtractor):
    templates = None


_WITH_TEMPLATES = {**EACH, "SEMTEXT_SITE_TEMPLATES": True, "SEMTEXT_EXTRACTOR": _Learning}
