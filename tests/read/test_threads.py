"""Threads: the question, its answers, what answers what, and threads of several pages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from kettle_threads import read_pairs_of
from posting import posts_of

from scrapy_semtext import Block, Comment, Page, QAPair, Section
from scrapy_semtext.page import Chunk
from scrapy_semtext.read.facts import Records
from scrapy_semtext.read.posts import Posts, load_pair_models
from scrapy_semtext.read.question import Question, find_question
from scrapy_semtext.read.thread_pages import as_article, canonical_url, merge_pages, merge_pairs, previous_url
from scrapy_semtext.read.threads import pairs_of_thread, parents_of
from scrapy_semtext.threads import next_url
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.nodes import PageNodes

if TYPE_CHECKING:
    from collections.abc import Sequence


def _pairs(html: str) -> list[QAPair]:
    """Return the pairs of a page with certain posts; the shipped model decides which of them is the question."""
    nodes, bodies = posts_of(html)
    scores = np.full(len(nodes), -6.0)
    scores[bodies] = 6.0
    posts = Posts(tuple(bodies), 0.87654, scores=scores)
    return pairs_of_thread(nodes, posts, _TITLE, None, load_pair_models().posts.question)


def _post(text: str, author: str = "", date: str = "", kind: str = "post") -> str:
    by = f"<a class='author' href='/user/{author}'>{author}</a>" if author else ""
    return f"<article class='{kind}'>{by} <time>{date}</time><div class='text'>{text}</div></article>"


_TITLE = "Why does the spout of my kettle leak?"
_OPENING = (
    "The spout of my kettle leaks since last week, and I do not know why. The seal looks fine. Has anybody an idea what"
    " else it could be, and how can I make it tight again?"
)
_THREAD = (
    _post(_OPENING, "Ann", "2024-05-03") + _post("Glue it.", "Bob", "2024-05-04") + _post("No!", "Cy", "2024-05-05")
)


@pytest.mark.smoke
def test_the_first_post_is_the_question() -> None:
    pairs = _pairs(_THREAD)
    assert [(pair.answer, pair.author) for pair in pairs] == [("Glue it.", "Bob"), ("No!", "Cy")]
    assert {(pair.question_title, pair.question_body) for pair in pairs} == {(_TITLE, _OPENING)}
    assert (pairs[0].source, pairs[0].score) == ("model", 0.8765)
    assert (pairs[0].question_author, pairs[0].question_date) == ("Ann", "2024-05-03")
    assert 0.5 < pairs[0].question_score <= 1


def test_a_doubtful_body_is_part_of_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    def doubtful(_nodes: PageNodes, posts: Sequence[int], *_: object) -> Question:
        return Question(posts[0], tuple(posts[1:]), 0.55)

    monkeypatch.setattr("scrapy_semtext.read.threads.find_question", doubtful)
    pairs = _pairs(_THREAD)
    assert {(pair.question, pair.question_score) for pair in pairs} == {(f"{_TITLE}\n{_OPENING}", 0.55)}


def test_what_answers_what_is_counted_among_the_pairs() -> None:
    reply = _post("Which glue?", "Ann", "2024-05-05")
    nested = _post("Glue it.", "Bob", "2024-05-04").replace("</article>", f"{reply}</article>")
    opening, last = _post(_OPENING, "Ann", "2024-05-03"), _post("No!", "Cy", "2024-05-06")
    pairs = _pairs(f"{opening}<section>{nested}{last}</section>")
    assert [(pair.answer, pair.answer_to, pair.depth) for pair in pairs] == [
        ("Glue it.", None, 1),
        ("Which glue?", 1, 2),
        ("No!", None, 1),
    ]


def test_furniture_is_neither_question_nor_answer() -> None:
    nodes, posts = posts_of(_THREAD)
    scores, model = np.zeros(len(nodes)), load_pair_models().posts.question
    furniture = {block for post in (posts[0], posts[2]) for block in range(nodes.firsts[post], nodes.lasts[post])}
    found = find_question(nodes, posts, scores, _TITLE, None, model, furniture=furniture)
    assert (found.node, found.answers) == (None, (posts[1],))


def test_a_notice_of_the_site_among_signed_posts_is_no_post() -> None:
    notice = "<article><div class='text'>Thanks for contributing an answer!</div></article>"
    assert [pair.answer for pair in _pairs(_THREAD + notice)] == ["Glue it.", "No!"]


def test_a_signature_directly_behind_a_post_is_no_post() -> None:
    foot = "<p class='profile'><b><a href='#top'>Top</a></b></p>"
    page = "".join(
        _post(text, name, f"2024-05-0{day}").replace("</article>", f"{sign}{foot}</article>")
        for day, (text, name, sign) in enumerate(
            [
                (_OPENING, "Ann", "<p>Kettles since 1999</p>"),
                ("Glue it.", "Bob", "<div class='text'>Only the brave.</div>"),
                ("No!", "Cy", "<p>Tea first</p>"),
            ],
            start=3,
        )
    )
    assert [(pair.answer, pair.author) for pair in _pairs(page)] == [("Glue it.", "Bob"), ("No!", "Cy")]


def test_a_notice_below_an_unanswered_question_is_no_answer() -> None:
    opening, answer = _post(_OPENING, "Ann", "2024-05-03"), "<div class='text'>Log in to reply.</div>"
    assert _pairs(f"<main>{opening}{answer}</main>") == []
    assert [pair.answer for pair in _pairs(f"<main>{opening}{_post('Glue it.', 'Bob', '2024-05-04')}</main>")] == [
        "Glue it."
    ]


_SEAL = "Which seal fits the spout of a kettle from 1990?"
_SEAL_STORY = (
    "My old kettle leaks at the spout since last week, and the maker no longer exists. The seal of the spout is worn"
    " out and brittle. Which seal fits the spout of such a kettle, and where can I buy one? Thanks for any help!"
)
_REPLIES = [
    "Any seal of 28 mm fits the old ones. I bought mine in a shop for plumbers, it was less than a euro.",
    "Look for silicone and not for rubber, since rubber gets hard after two years of boiling water.",
    "Same here, my kettle is from 1992. The plumber's seal works, but you have to cut the edge with a knife first.",
    "I gave up on mine and bought a new one. The new ones are quiet, and they stop when the water is warm enough.",
    "Agreed on silicone. Mine has been tight for six years now, and I make tea five times a day.",
]
_NAMES = ["anna_b", "Olle", "teamaker", "mira", "k_nowak", "Ruth"]


def _page(above: str, posts: list[str], head: str = "") -> str:
    records = "".join(
        f"<div class='reply' id='r{number}'><div class='by'><a href='/u/{name}'>{name}</a> <span>{number + 2} May 2024,"
        f" 10:{number}4</span></div><div class='text'><p>{text}</p></div><a href='#r{number}'>Quote</a></div>"
        for number, (name, text) in enumerate(zip(_NAMES, posts, strict=False))
    )
    return (
        f"<html><head><title>{_SEAL} - Kitchen forum</title>{head}</head><body><nav><a href='/'>Kitchen forum</a>"
        f" <a href='/new'>New posts</a> <a href='/login'>Log in</a></nav><main><h1>{_SEAL}</h1>{above}"
        f"<div class='replies'>{records}</div></main><footer>Imprint, privacy, rules</footer></body></html>"
    )


def test_the_opening_post_is_the_first_of_the_posts() -> None:
    pairs = read_pairs_of(_page("", [_SEAL_STORY, *_REPLIES]), "https://kitchen.example/t/17")
    assert {pair.question_body for pair in pairs} == {_SEAL_STORY}
    assert [pair.answer for pair in pairs] == _REPLIES
    assert pairs[0].question_author == "anna_b"


def test_the_opening_post_stands_apart() -> None:
    story = f"<p>Asked by lena, 1 May 2024</p><div class='story'><p>{_SEAL_STORY}</p></div>"
    above = f"<section class='question'>{story}</section><h2>5 answers</h2>"
    pairs = read_pairs_of(_page(above, _REPLIES), "https://kitchen.example/t/17")
    assert {pair.question_body for pair in pairs} == {_SEAL_STORY}
    assert [pair.answer for pair in pairs] == _REPLIES


def test_the_first_of_two_short_posts_is_part_of_the_question() -> None:
    pairs = read_pairs_of(_page("", ["Mine is from 1990 and leaks.", _REPLIES[0]]), "https://kitchen.example/t/17")
    assert [(pair.question, pair.answer) for pair in pairs] == [(f"{_SEAL}\nMine is from 1990 and leaks.", _REPLIES[0])]


def test_what_precedes_the_title_is_no_post() -> None:
    dialog = (
        "<section class='consent'><p>This site stores small files on your device to remember your choices. You can"
        " refuse all but the necessary ones.</p><button>Fine</button></section>"
    )
    posts = ["Mine is from 1990 and leaks.", *_REPLIES[:2]]
    items = (
        f"<li class='post'><b>{name}</b> <span>3 May 2024</span><p>{text}</p></li>"
        for name, text in zip(_NAMES, posts, strict=False)
    )
    page = _page(f"<ol>{''.join(items)}</ol>", []).replace("<body>", f"<body>{dialog}")
    pairs = read_pairs_of(page, "https://kitchen.example/t/17")
    assert [(pair.question_body, pair.answer) for pair in pairs] == [(posts[0], text) for text in posts[1:]]


def test_what_precedes_a_title_outside_headings_is_no_post() -> None:
    rules = f"<aside><div class='text'><p>{_REPLIES[3]}</p></div></aside>"
    page = _page("", [_SEAL_STORY, *_REPLIES[:3]]).replace("<main>", f"<main>{rules}")
    pairs = read_pairs_of(page.replace(f"<h1>{_SEAL}</h1>", f"<p><a href='/t/17'>{_SEAL}</a> (kettles)</p>"))
    assert {pair.question_body for pair in pairs} == {_SEAL_STORY}
    assert [pair.answer for pair in pairs] == _REPLIES[:3]


def test_a_post_may_be_in_a_form_without_fields() -> None:
    page = _page("", [_SEAL_STORY, *_REPLIES[:3]]).replace(
        "<div class='text'>", "<form><input type='hidden' name='id'><div>"
    )
    pairs = read_pairs_of(page.replace("</p></div><a", "</p></div></form><a"), "https://kitchen.example/t/17")
    assert [(pair.question_body, pair.answer) for pair in pairs] == [(_SEAL_STORY, text) for text in _REPLIES[:3]]


def test_a_later_page_may_repeat_the_question() -> None:
    posts = [_SEAL_STORY, *_REPLIES[:3]]
    parts = (
        f"<div class='{part}'><b>{name}</b> <span>3 May 2024</span><p>{text}</p></div>"
        for part, name, text in zip(["question", *["answer"] * 3], _NAMES, posts, strict=False)
    )
    pairs = read_pairs_of(_page("".join(parts), []), "https://kitchen.example/t/17/page-2")
    assert [(pair.question_body, pair.answer) for pair in pairs] == [(_SEAL_STORY, text) for text in posts[1:]]


def test_the_only_post_is_no_answer() -> None:
    footer = "<div class='text'><p>Powered by Kettle 3.1</p></div>"
    page = _page("", [_REPLIES[0]]).replace("</footer>", f"{footer}</footer>")
    assert read_pairs_of(page, "https://kitchen.example/t/17") == []


def test_a_post_that_quotes_another_is_not_the_opening_post() -> None:
    posts = [f"{name} wrote:<br>{text}</p><p>{text}" for name, text in zip(_NAMES, _REPLIES[:3], strict=False)]
    pairs = read_pairs_of(_page("", posts), "https://kitchen.example/t/17")
    assert {pair.question for pair in pairs} == {_SEAL}
    assert len(pairs) == len(posts)


def test_a_column_about_the_author_is_no_part_of_a_post() -> None:
    rows = "".join(
        f"<table><tr><td class='head' colspan=2>2024-03-0{number + 1} 09:12</td></tr><tr><td><b>{name}</b><br>Senior"
        f" Member<br>Joined: 2009<br>Posts: 1,204</td><td><div id=m{number}><p>{text}</p></div></td></tr></table>"
        for number, (name, text) in enumerate(zip(_NAMES, [_SEAL_STORY, *_REPLIES[:3]], strict=False))
    )
    pairs = read_pairs_of(_page(rows, []), "https://kitchen.example/t/17")
    assert [(pair.answer, pair.author) for pair in pairs] == list(zip(_REPLIES[:3], _NAMES[1:4], strict=True))
    assert {pair.question_body for pair in pairs} == {_SEAL_STORY}


def test_the_title_is_the_question() -> None:
    above = "<p>5 points by lena 3 hours ago | 5 comments</p>"
    pairs = read_pairs_of(_page(above, _REPLIES), "https://kitchen.example/t/17")
    assert {pair.question for pair in pairs} == {_SEAL}


@pytest.mark.parametrize(
    "mark",
    ["<p>Page 2 of 3</p>", "<p><a href='a.html'>1</a> <b>2</b> <a href='c.html'>3</a></p>"],
    ids=["stated", "pager"],
)
def test_on_a_later_page_all_posts_are_answers(mark: str) -> None:
    pairs = read_pairs_of(_page(mark, _REPLIES))
    assert {pair.question for pair in pairs} == {_SEAL}
    assert [pair.answer for pair in pairs] == _REPLIES


def _parents(html: str) -> list[int]:
    root = parsing.parse(f"<div>{html}</div>")
    nodes = PageNodes.of_page(root)
    bodies = [number for number, scope in enumerate(nodes.scopes) if scope.tag == "p"]
    return parents_of(nodes, bodies, Records(nodes, bodies))


def test_replies_inside_what_they_answer() -> None:
    html = "<ol><li><p>One.</p><ol><li><p>On one.</p></li><li><p>Also.</p></li></ol></li><li><p>Two.</p></li></ol>"
    assert _parents(html) == [-1, 0, 0, -1]


@pytest.mark.parametrize(
    "post",
    [
        "<div style='margin-left: {pixels}px'><p>{text}</p></div>",
        "<div class='comment depth-{depth}'><p>{text}</p></div>",
        "<div data-depth={depth}><p>{text}</p></div>",
        "<table><tr><td class=ind><img src=s.gif height=1 width={pixels}></td><td><p>{text}</p></td></tr></table>",
    ],
    ids=["margin", "name", "attribute", "spacer"],
)
def test_replies_that_are_indented(post: str) -> None:
    depths = (0, 1, 2, 1, 0)
    html = "".join(post.format(depth=depth, pixels=40 * depth, text=f"Post {n}.") for n, depth in enumerate(depths))
    assert _parents(html) == [-1, 0, 1, 0, -1]


@pytest.mark.parametrize(
    "html",
    [
        "<div><p>One.</p></div><div><p>Two.</p></div><div><p>Three.</p></div>",
        "<div class=level-3><p>One.</p></div><div class=level-7><p>Two.</p></div>",
        "<p style='left:0px'>One.</p><p style='left:80px'>Two.</p><p style='left:40px'>Three.</p>",
    ],
    ids=["flat", "levels of members", "steps of two"],
)
def test_without_structure_no_post_is_a_reply(html: str) -> None:
    assert set(_parents(html)) == {-1}


def test_a_width_of_thousands_of_digits() -> None:
    html = "".join(f"<div><img height={'0' * 5_000}1 width={'9' * 5_000}><p>Post {n}.</p></div>" for n in range(3))
    assert _parents(html) == [-1, -1, -1]


URL = "https://forum.test/bread/page-2"


def pair(answer: str, title: str | None = "Bread", body: str | None = None, author: str | None = None) -> QAPair:
    question = "\n".join(filter(None, [title, body]))
    return QAPair(question, answer, question_title=title, question_body=body, author=author)


@pytest.mark.smoke
def test_answers_of_later_pages_get_the_first_pages_question_in_order() -> None:
    first = [pair("Mix.", body="How do I bake it?"), pair("Bake.", body="How do I bake it?")]
    merged = merge_pairs([first, [pair("Wait."), pair("Eat.")], [pair("Thanks.")]])
    assert [p.answer for p in merged] == ["Mix.", "Bake.", "Wait.", "Eat.", "Thanks."]
    assert {(p.question, p.question_title, p.question_body) for p in merged} == {
        ("Bread\nHow do I bake it?", "Bread", "How do I bake it?")
    }


def test_a_title_that_counts_pages_is_the_same_question() -> None:
    merged = merge_pairs([[pair("Mix.", body="How?")], [pair("Eat.", title="Bread | Page 2")]])
    assert [p.question for p in merged] == ["Bread\nHow?"] * 2


def test_the_first_post_of_a_later_page_is_an_answer_even_if_it_was_taken_for_the_question() -> None:
    first = [replace(pair("Mix.", body="How?"), question_author="Ann", question_date="1 May", question_score=0.9)]
    taken: dict[str, Any] = {"question_author": "Bob", "question_date": "2 May", "question_score": 0.7, "score": 0.8}
    second = [replace(pair(answer, "Bread - Page 2", "Buy it."), **taken) for answer in ("No!", "Eat.")]
    doubtful = replace(pair("Thanks.", "Bread - Page 3"), question_body="Yes.", question_score=0.5)
    merged = merge_pairs([first, second, [doubtful]])
    assert [p.answer for p in merged] == ["Mix.", "Buy it.", "No!", "Eat.", "Yes.", "Thanks."]
    assert (merged[1].author, merged[1].date, merged[1].score) == ("Bob", "2 May", 0.8)
    assert {(p.question, p.question_author, p.question_date, p.question_score) for p in merged} == {
        ("Bread\nHow?", "Ann", "1 May", 0.9)
    }


def test_a_question_without_a_title_is_given_back_too() -> None:
    merged = merge_pairs([[pair("Mix.", None, "How?")], [pair("Eat.", None, "Buy it.")]])
    assert [(p.question, p.answer) for p in merged] == [("How?", "Mix."), ("How?", "Buy it."), ("How?", "Eat.")]


def test_a_later_page_may_show_the_question_again_above_its_answers() -> None:
    question = "How do I bake it? " * 20
    merged = merge_pairs([[pair("Mix.", body=question)], [pair("Eat.", body=f"{question} Edited: thanks.")]])
    assert [(p.answer, p.question_body) for p in merged] == [("Mix.", question), ("Eat.", question)]


@pytest.mark.parametrize("body", ["???", "\N{THINKING FACE}"])
def test_a_question_of_signs_is_no_answer(body: str) -> None:
    merged = merge_pairs([[pair("Mix.", body=body)], [pair(body), pair("!"), pair("Eat.", body=body)]])
    assert [p.answer for p in merged] == ["Mix.", "!", "Eat."]


def tree(page: list[QAPair]) -> list[tuple[str, int | None, int]]:
    return [(p.answer, p.answer_to, p.depth) for p in page]


def reply(answer: str, answer_to: int, depth: int = 2) -> QAPair:
    return replace(pair(answer), answer_to=answer_to, depth=depth)


def test_replies_are_counted_in_the_whole_thread() -> None:
    first = [pair("Mix."), reply("What?", 1), reply("Flour.", 2, 3)]
    second = [replace(p, question_body="Buy it.") for p in (pair("No!"), reply("Why?", 1))]
    assert tree(merge_pairs([first, second])) == [
        ("Mix.", None, 1),
        ("What?", 1, 2),
        ("Flour.", 2, 3),
        ("Buy it.", None, 1),  # was taken for the question
        ("No!", None, 1),
        ("Why?", 5, 2),
    ]


def test_replies_to_what_is_shown_again_are_replies_to_what_was_shown_before() -> None:
    first = [pair("Mix.", body="How?"), replace(reply("What?", 1), question="Bread\nHow?", question_body="How?")]
    second = [pair("How?"), reply("Tell us more.", 1), pair("What?"), reply("Flour.", 3), reply("And water.", 4, 3)]
    assert tree(merge_pairs([first, second])) == [
        ("Mix.", None, 1),
        ("What?", 1, 2),
        ("Tell us more.", None, 1),  # answers the question
        ("Flour.", 2, 3),
        ("And water.", 4, 4),
    ]


def test_replies_to_no_pair_of_their_page_are_replies_to_none() -> None:
    page = [reply("Mix.", 0), reply("Eat.", 3), reply("Wait.", 7)]
    assert [p.answer_to for p in merge_pairs([[pair("Salt it.")], page])] == [None] * 4


def test_what_a_later_page_shows_again_comes_once() -> None:
    question, accepted = "How do I bake it?", "Mix, then bake."
    first = [pair(accepted, body=question, author="a"), pair("Buy it.", body=question)]
    second = [pair("How do I bake it ?"), pair(accepted, author="a"), pair(accepted, author="b")]
    merged = merge_pairs([first, second])
    assert [(p.answer, p.author) for p in merged] == [(accepted, "a"), ("Buy it.", None), (accepted, "b")]


@pytest.mark.parametrize("turn", [1, -1])
def test_pages_of_several_questions_keep_them(turn: int) -> None:
    pages = [[pair("Yes.", "Can I?"), pair("No.", "Must I?")], [pair("Soon.", "When?")]][::turn]
    assert {p.question for p in merge_pairs(pages)} == {"Can I?", "Must I?", "When?"}


def test_a_question_of_its_own_on_a_later_page_stays() -> None:
    merged = merge_pairs([[pair("Mix.", body="How?")], [pair("Salt.", "Taste", "Why so flat?")]])
    assert [p.question for p in merged] == ["Bread\nHow?", "Taste\nWhy so flat?"]


@pytest.mark.parametrize("pages", [[], [[]], [[], []]])
def test_threads_without_pairs_have_none(pages: list[list[QAPair]]) -> None:
    assert merge_pairs(pages) == []


def test_one_page_is_itself() -> None:
    page = Page("u", "Bread", "Text", [Block("Text", "main", 0.9)], [pair("Mix.", body="How?")], page_kind="forum")
    assert merge_pages([page]) == page


def test_pages_follow_each_other_under_the_first_ones_title() -> None:
    first = Page("u", "Bread", "One", [Block("One", "main", 0.9)], sections=[Section("Bread", "One")])
    second = Page("u/2", "Bread, page 2", "Two", [Block("Two", "main", 0.9)], sections=[Section(None, "Two")])
    merged = merge_pages([first, second])
    assert (merged.url, merged.title, merged.main_text) == ("u", "Bread", "One\nTwo")
    assert [block.text for block in merged.blocks] == ["One", "Two"]
    assert [section.text for section in merged.sections] == ["One", "Two"]
    assert first.main_text == "One"


def test_chunks_and_markdown_of_later_pages_follow() -> None:
    pages = [
        Page(
            "u",
            "Bread",
            text,
            chunks=[Chunk(text, ["Bread"], "u", 0, 0, len(text), 1)],
            markdown=f"# Bread\n\n{text}\n",
        )
        for text in ("One", "Two", "Three")
    ]
    merged = merge_pages(pages)
    assert [merged.main_text[chunk.start : chunk.end] for chunk in merged.chunks] == ["One", "Two", "Three"]
    assert [chunk.position for chunk in merged.chunks] == [0, 1, 2]
    assert merged.markdown == "# Bread\n\nOne\n\nTwo\n\nThree\n"


def test_no_pages_make_no_thread() -> None:
    with pytest.raises(ValueError, match="no pages"):
        merge_pages([])


@pytest.mark.parametrize(
    ("html", "canonical", "following", "previous"),
    [
        (
            '<link rel="canonical" href="/bread"><link rel=prev href="/bread"><link rel="next" href="page-3#top">',
            "https://forum.test/bread",
            "https://forum.test/bread/page-3",
            "https://forum.test/bread",
        ),
        ('<a rel="nofollow NEXT" href="?page=3">', URL, f"{URL}?page=3", None),
        ('<base href="https://forum.test/x/"><a rel=next href="p3">', URL, "https://forum.test/x/p3", None),
        ('<a rel="next" href="javascript:void(0)"><a rel="prev" href="">', URL, None, None),
        ('<a rel="next" href="https://[::1">', URL, None, None),
        ('<a rel="next" href="#">', URL, None, None),
        ("", URL, None, None),
    ],
)
def test_links_of_a_page(html: str, canonical: str, following: str | None, previous: str | None) -> None:
    assert canonical_url(html, f"{URL}#post7") == canonical
    assert next_url(html, URL) == following
    assert previous_url(html, URL) == previous


def test_a_thread_as_an_article_ends_where_its_first_comment_begins() -> None:
    texts = ("A post.", "Its end.", "Thank you all!", "Agreed.", "Not in a pair")
    pairs = [
        QAPair("A post.", "Thank you all!\nSee you.", author="Ann", date="2024-05-01"),
        QAPair("A post.", "Agreed.", answer_to=1, depth=2),
    ]
    page = Page(
        main_text="\n".join(texts),
        blocks=[Block("Agreed.", "boilerplate", 0.1), *(Block(text, "main", 0.9) for text in texts)],
        qa_pairs=pairs,
        page_kind="forum",
        markdown="# Post\n\nA post.\n\nIts end.\n\n**Thank you** all!\n",
    )
    article = as_article(page)
    assert (article.main_text, article.page_kind, article.qa_pairs) == ("A post.\nIts end.", "article", [])
    assert [block.text for block in article.blocks if block.is_main] == ["A post.", "Its end."]
    assert article.markdown == "# Post\n\nA post.\n\nIts end.\n"
    assert article.comments == [
        Comment("Thank you all!\nSee you.", "Ann", "2024-05-01"),
        Comment("Agreed.", parent=0),
    ]
    alone = replace(page, main_text="Agreed.\nAll of it.", blocks=[])
    assert as_article(alone).main_text == alone.main_text
