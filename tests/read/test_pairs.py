"""Pairs of pages: where posts are searched for, which of them are pairs, and what these change elsewhere."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from example.bundled import BundledPage, bundled_pages
from gate.quality import read_sample
from kettle_threads import kettle_thread, read_pairs_of, sentence
from posting import posts_of
from shipped import extractor

from scrapy_semtext.extractor import Extractor, Options, Source
from scrapy_semtext.features.table import COMMENTS, IS_THREAD, ParsedPage, PostBlocks, describe, post_logit_adjustment
from scrapy_semtext.models.scores import Scores, flattened_weights
from scrapy_semtext.page import Page
from scrapy_semtext.read import posts
from scrapy_semtext.read.faq import has_enough_questions
from scrapy_semtext.read.kinds import KINDS
from scrapy_semtext.read.markup import qa_pairs_from_markup
from scrapy_semtext.read.posts import Posts, load_pair_models
from scrapy_semtext.read.threads import PairSource, blocks_in_posts, find_posts, pairs_of_pages
from scrapy_semtext.train.posts import MATCH, word_f1, words_of
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.nodes import PageNodes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.page import QAPair


sys.path.insert(0, str(Path(__file__).parents[2] / "example_project"))

PAGES = list(bundled_pages().values())

_TABLE = (
    "<title>Descaling a kettle</title><h1>Descaling a kettle</h1><table>{}</table><p>Powered by nothing</p>".format(
        "".join(
            f"<tr><td>User{number}<br>Posts: {number * 12}</td><td>Posted: 3 May 2024 11:{number:02}</td></tr>"
            f"<tr><td colspan=2>{sentence(number)}<br><br>{sentence(number + 5)}</td></tr>"
            for number in range(1, 8)
        )
    )
)


def _f1(found: Sequence[QAPair], truth: Sequence[QAPair]) -> float:
    """Return the F1 of pairs, whose question and answer need a word F1 of MATCH; each true pair is found once."""
    left = list(truth)
    for pair in found:
        for true in left:
            if all(
                word_f1(words_of(one), words_of(two)) >= MATCH
                for one, two in ((pair.answer, true.answer), (pair.question, true.question))
            ):
                left.remove(true)
                break
    return 2 * (len(truth) - len(left)) / (len(found) + len(truth))


@pytest.mark.smoke
@pytest.mark.parametrize("url", ["https://example.com/forum/thread/17", None])
def test_a_thread_of_an_engine_that_nobody_has_seen(url: str | None) -> None:
    pairs = read_pairs_of(kettle_thread(12), url)
    assert [pair.answer for pair in pairs] == [f"{sentence(n)}\n{sentence(n + 3, 12)}" for n in range(2, 13)]
    assert {pair.question_title for pair in pairs} == {"Why does my kettle leak?"}
    assert {pair.question_body for pair in pairs} == {f"{sentence(1)}\n{sentence(4, 12)}"}
    assert [pair.author for pair in pairs][:3] == ["Member2", "Member3", "Member4"]
    assert pairs[0].source == "model"


def test_a_page_after_the_first_has_answers_alone() -> None:
    pairs = read_pairs_of(kettle_thread(12, first=13), "https://example.com/forum/thread/17?page=2")
    assert len(pairs) == 12
    assert {pair.question for pair in pairs} == {"Why does my kettle leak?"}


def test_a_thread_in_a_table_without_names() -> None:
    pairs = read_pairs_of(_TABLE, "https://example.com/viewtopic.php?t=4")
    assert [pair.answer.split(".")[0] + "." for pair in pairs] == [sentence(number) for number in range(2, 8)]


@pytest.mark.parametrize("page", [page for page in PAGES if page.kind == "question"], ids=lambda page: page.name)
def test_questions_are_read_as_their_markup_states_them(page: BundledPage) -> None:
    stated = qa_pairs_from_markup(page.html(), page.url)
    shown = read_pairs_of(page.html(), page.url)
    assert _f1(shown, stated) >= 0.9
    by_answer = {pair.answer[:60]: pair for pair in shown}
    facts = [(pair, by_answer[pair.answer[:60]]) for pair in stated if pair.answer[:60] in by_answer]
    assert sum(pair.votes == found.votes for pair, found in facts) >= 0.9 * len(facts)
    assert sum(pair.author == found.author for pair, found in facts) >= 0.9 * len(facts)
    assert sum(bool(pair.accepted) == bool(found.accepted) for pair, found in facts) >= 0.9 * len(facts)


@pytest.mark.slow
def test_a_page_of_more_than_a_hundred_thousand_elements_is_not_read() -> None:
    assert read_pairs_of("<p>Why?</p>" * 100_001) == []


def _article_with_comments(title: str) -> str:
    """Return an article whose comments resemble the posts of a thread."""
    article = "".join(f"<p>{sentence(number, 40)}</p>" for number in range(8))
    posts = "".join(
        f"<div class=comment><b>Member{number}</b> <i>{number + 1} May 2024</i><p>{sentence(number, 30)}</p></div>"
        for number in range(1, 9)
    )
    return f"<title>{title}</title><h1>{title}</h1><article>{article}</article><div class=comments>{posts}</div>"


def test_comments_on_an_article_answer_nothing() -> None:
    assert read_pairs_of(_article_with_comments("Kettles of the year"), "https://paper.example/2024/kettles") == []


@pytest.mark.slow
def test_the_cost_is_linear_in_the_posts() -> None:
    """5,000 posts, in branches of replies 200 deep, take little more than five times as long as 1,000."""
    times = []
    for count in (1_000, 5_000):
        branch = "".join(
            f"<div class=post><b>Member{number % 99}</b> <i>{number % 28 + 1} May 2024</i>"
            f"<div class=text><p>{sentence(number, 8 + number % 20)}</p></div>"
            for number in range(200)
        )
        html = f"<title>Why does it leak?</title><h1>Why does it leak?</h1>{(branch + '</div>' * 200) * (count // 200)}"
        begin = time.perf_counter()
        read_pairs_of(html, "https://forum.example/t/1")
        times.append(time.perf_counter() - begin)
    assert times[1] < 10 * times[0]


_SHORT_AND_LONG = (
    ("petra.k", "How do I reset it?"),
    ("juniper", "In my case it was the damp cellar. Since I moved it upstairs there has been no fault at all."),
    ("Hans82", "Has anybody tried the newer one? I read that they changed the pump."),
    ("zoe", "Same here."),
    (
        "tinker",
        "The newer one is louder, but it does not leak. The manual says that the red light means a loose cable.",
    ),
)
_IN_CELLS = "<tr><td><b>{0}</b><br>Member</td><td><small>Posted: {1} March 2024, 9:10</small><hr>{2}</td></tr>"
_IN_ITEMS = "<li><span>{0}</span> wrote on {1} March 2024, 9:10:<br>{2}<br><a href='#{1}'>#{1}</a></li>"


@pytest.mark.parametrize(("around", "record"), [("<table>{}</table>", _IN_CELLS), ("<ol>{}</ol>", _IN_ITEMS)])
def test_posts_of_a_few_words_are_found_at_the_place_of_the_others(around: str, record: str) -> None:
    records = [record.format(author, day, text) for day, (author, text) in enumerate(_SHORT_AND_LONG, 3)]
    head = "<title>A reset - Kettle Club</title><p><a href=/b>Boards</a> » <a href=/b/2>Repairs</a></p><h1>A reset</h1>"
    html = f"{head}{around.format(''.join(records))}<p><a href=/login>Log in</a> to reply.</p>"
    pairs = read_pairs_of(html, "https://kettle.example/t/5")
    assert {pair.question_body for pair in pairs} == {_SHORT_AND_LONG[0][1]}
    assert [(pair.author, pair.answer) for pair in pairs] == [*_SHORT_AND_LONG[1:]]


def test_a_line_below_a_dated_question_is_no_answer() -> None:
    record = _IN_CELLS.format("petra.k", 3, "Since Monday the pump makes a loud noise when it starts. Is it broken?")
    page = (
        f"<title>A loud pump - Kettle Club</title><h1>A loud pump</h1><table>{record}</table><div>© Kettle Club</div>"
    )
    assert read_pairs_of(page, "https://kettle.example/t/5") == []


_CELLS_OF_BOARD = (
    "<tr><td class=row{1}><table class=user-info><tr><td><b>{0}</b><br>Regular<br>Joined: {1} May 2019<br>Posts: 14"
    "</td></tr></table></td><td class=row{1} id=text_{1}><small>{1} March 2024, 9:10</small><br>{2}</td></tr>"
)


def test_head_rows_member_data_and_sidebars_are_no_posts() -> None:
    rows = [_CELLS_OF_BOARD.format(author, day, text) for day, (author, text) in enumerate(_SHORT_AND_LONG, 3)]
    latest = "<li><p class=excerpt>How many miles a year?</p> by <a href=/u/9>Ann</a>, 3 days ago</li>" * 3
    html = (
        "<title>A reset - Kettle Club</title><h1>A reset</h1><table class=forum>"
        "<tr><th>Author</th><th>Message</th></tr>"
        f"{''.join(rows)}</table><div class=right-sidebar><h3>Latest posts</h3><ul>{latest}</ul></div>"
        "<div class=footer><p>Powered by Board 2.1</p></div>"
    )
    pairs = read_pairs_of(html, "https://kettle.example/forum/viewtopic?t=5")
    assert [(pair.author, pair.answer.split("\n")[-1]) for pair in pairs] == [*_SHORT_AND_LONG[1:]]


def test_a_title_outside_a_heading_is_no_post() -> None:
    title = "Which oil for the pump bearing?"
    record = (
        "<div class=comment><div><span class=fn>{0}</span> <span>2024-03-0{1} 09:10</span></div><pre>{2}</pre></div>"
    )
    posts = [record.format(author, day, text) for day, (author, text) in enumerate(_SHORT_AND_LONG, 3)]
    html = (
        f"<title>812 - {title}</title><p class=subject>{title}</p>"
        f"<form><input name=subject><div>Bug 812 - {title}<br>Summary: {title}</div></form>"
        f"<div id=comments>{''.join(posts)}</div>"
    )
    pairs = read_pairs_of(html, "https://kettle.example/show_bug?id=812")
    assert [(pair.author, pair.answer) for pair in pairs] == [*_SHORT_AND_LONG[1:]]


THREAD = """<body id=phpbb class=section-viewtopic><h1>Kettle leaks</h1>
<div class=post id=p1><p class=author>by Ann » 3 May 2024 10:00</p><div class=content>It leaks.</div><a>Quote</a></div>
<div class=post id=p2><p class=author>by Bob » 3 May 2024 11:00</p><div class=content>Glue it.</div><a>Reply</a></div>
<p>Posts: 12 Joined: 2011 Forum index Post a reply</p>"""


def no_thread() -> str:
    """Return an article of a newspaper."""
    return next(page.html for page in read_sample() if page.page_type == "article")


def nodes_of(html: str) -> PageNodes:
    root = parsing.parse(html)
    return PageNodes.of_page(root)


def test_the_gate_tells_threads_from_other_pages() -> None:
    models = load_pair_models().posts
    likely = models.kinds.probabilities([describe(html, None) for html in (THREAD, no_thread(), THREAD)])
    forum = [kinds[KINDS.index("forum")] >= models.search_from for kinds in likely if kinds is not None]
    assert forum == [True, False, True]


def test_what_is_no_thread_is_not_searched_for_posts(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []

    def search_posts(pages: list[PageNodes], *_: object) -> list[None]:
        searched.append(len(pages))
        return [None] * len(pages)

    monkeypatch.setattr(posts, "search_posts", search_posts)
    models = load_pair_models().posts
    for htmls, passing in (([no_thread()], []), ([THREAD, no_thread(), THREAD], [2])):
        searched.clear()
        assert find_posts([page_of(html) for html in htmls], models) == [None] * len(htmls)
        assert searched == passing


def page_of(html: str) -> ParsedPage:
    return describe(html, None)


@pytest.mark.parametrize(
    ("html", "may"),
    [
        ("<h2>Is it safe?</h2><p>Yes.</p><h2>Is it good？</h2><p>Yes.</p>", True),
        ("<h2>Is it safe?</h2><p>Yes.</p><h2>Prices</h2><p>None.</p>", False),
        ("<p>See /page?id=1 and /page?id=2 for more.</p><p>What? Nothing.</p>", False),
    ],
)
def test_a_list_of_questions_asks_twice(html: str, may: bool) -> None:
    assert has_enough_questions(nodes_of(html)) is may


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


SENTENCE = "The kettle leaks from the spout whenever the water in it begins to boil for a while."
LAMP_THREAD = (
    "<title>A kettle</title><nav><a href=/>Home</a></nav>"
    + "".join(
        f"<div class=record><div class=who>Member{n}</div>"
        f"<div class=text><p>{n}. {SENTENCE}</p><p>Thanks.</p></div></div>"
        for n in range(3)
    )
    + "<footer>Imprint</footer>"
)


def thread(probability: float = 1.0) -> tuple[ParsedPage, PostBlocks]:
    """Return a page whose posts are the elements of class "text", and the evidence from them."""
    page = describe(LAMP_THREAD, None)
    bodies = tuple(number for number, scope in enumerate(page.raw_tree.scopes) if scope.names == "text")
    evidence = blocks_in_posts(page, Posts(bodies, probability))
    assert evidence is not None
    return page, evidence


def test_blocks_know_their_post() -> None:
    page, evidence = thread()
    in_text = ["." in block.text for block in page.text_blocks]  # combined: both paragraphs of a post are one block
    assert sum(in_text) == 3
    assert evidence.count == 3
    assert evidence.inside.tolist() == [float(inside) for inside in in_text]
    assert evidence.post[evidence.inside > 0].tolist() == [0, 1, 2]
    assert set(evidence.post[evidence.inside == 0].tolist()) == {-1}


def test_comments_and_what_stands_between_them_become_less_likely() -> None:
    evidence = PostBlocks(0.0, 2, np.array([0.0, 1.0, 0.0, 1.0, 0.0]), np.array([-1, 0, -1, 1, -1]), comments=0.5)
    assert post_logit_adjustment(evidence, np.full(5, 0.5)) == pytest.approx([0, *[-COMMENTS / 2] * 3, 0])


class Everything:
    """A labeler that labels all blocks as main content."""

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        return [Scores(np.ones(len(p.text_blocks)), np.ones(len(p.text_blocks), dtype=np.bool_)) for p in pages]


@pytest.mark.parametrize("requires_posts", [True, False])
def test_posts_are_given_to_a_labeler_that_requires_them(requires_posts: bool) -> None:
    class Watching(Everything):
        def score(self, pages: Sequence[ParsedPage], *posts: Sequence[PostBlocks | None]) -> list[Scores]:
            given.extend(posts)
            return super().score(pages)

    given: list[Sequence[PostBlocks | None]] = []
    Extractor(Watching(), "viterbi", requires_posts=requires_posts).read_many([Source(LAMP_THREAD), Source("")])
    assert [[page and page.count for page in posts] for posts in given] == ([[3, None]] if requires_posts else [])


def test_short_lines_count_more_when_labels_of_a_thread_are_chosen() -> None:
    probabilities, words = np.array([0.95, 0.45, 0.45, 0.45]), [900, 3, 3, 0]
    by_words = Scores(probabilities, probabilities > 0.5)
    evenly = Scores(probabilities, probabilities > 0.5, flattening=1.0)
    assert by_words.labels("expected-f1", words).tolist() == [True, False, False, False]
    assert evenly.labels("expected-f1", words).tolist()[:3] == [True, True, True]
    assert evenly.labels("viterbi", words).tolist() == [True, False, False, False]
    assert flattened_weights(words, 1.0).tolist() == [1, 1, 1, 0]
    assert flattened_weights(words, 0.0).tolist() == words


def test_a_page_whose_posts_cannot_be_found_does_not_cost_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(pages: Sequence[ParsedPage], *_: object) -> list[None]:
        if any(page.title == "bad" for page in pages):
            raise ValueError("bad page")
        return [None] * len(pages)

    monkeypatch.setattr("scrapy_semtext.read.threads.find_posts", find)
    extractor = Extractor(Everything(), "viterbi", Options())
    bad = Source("<title>bad</title><p>Text.")
    one, two, three = extractor.read_many([Source(LAMP_THREAD), bad, Source(LAMP_THREAD)])
    assert isinstance(two, ValueError)
    assert isinstance(one, Page)
    assert one == three
    with pytest.raises(ValueError, match="bad page"):
        extractor.annotate(bad.html)
