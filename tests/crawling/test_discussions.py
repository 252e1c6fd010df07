from __future__ import annotations

import json

import pytest

from scrapy_semtext import Block, Comment, Page, QAPair, Section
from scrapy_semtext.crawling.addresses import pattern_of
from scrapy_semtext.crawling.discussions import Discussions, as_article

STORY = pattern_of("http://site.test/2025/02/a-story-of-bread/")
ARTICLE, REPLIES = "It takes a day to bake bread.", ("I bake mine faster.", "How fast?")


def page(
    *answers: str, score: float = 0.3, kind: str = "article", comments: int = 0, body: str | None = ARTICLE
) -> Page:
    whole = "\n".join(filter(None, ["Bread", body]))
    pairs = [QAPair(whole, answer, "Bread", body, score=score) for answer in answers]
    shown = [Comment(REPLIES[0])] * comments
    return Page(
        title="Bread", qa_pairs=pairs, comments=shown, page_kind=kind, page_kind_probability=0.8, main_text=ARTICLE
    )


def learnt(*pages: Page) -> Discussions:
    discussions = Discussions()
    for each in pages:
        discussions.learn(STORY, each)
    return Discussions.from_dict(json.loads(json.dumps(discussions.to_dict())))


def test_answers_are_comments_where_other_pages_have_comments() -> None:
    blog = learnt(page(), page(comments=1), page(comments=1), page(*REPLIES), page())
    assert blog.are_comments(STORY, page(*REPLIES, kind="forum"))
    assert not blog.are_comments(STORY, page())


def test_answers_stay_answers_in_a_forum_even_if_most_threads_have_none() -> None:
    forum = learnt(*[page(kind="article")] * 20, *[page(*REPLIES, score=0.9)] * 3)
    assert not forum.are_comments(STORY, page(*REPLIES))


def test_before_other_pages_are_known_a_page_has_to_look_like_an_article() -> None:
    assert learnt().are_comments(STORY, page(*REPLIES))
    assert not learnt().are_comments(STORY, page(*REPLIES, kind="forum"))
    assert not learnt().are_comments(STORY, page(*REPLIES, score=0.6))


def test_addresses_that_are_alike_are_asked_while_a_pattern_is_new() -> None:
    blog = learnt(*[page(comments=1)] * 6)
    assert blog.are_comments(pattern_of("http://site.test/2025/02/bread/"), page(*REPLIES, kind="forum"))


@pytest.mark.parametrize("source", ["markup", "rule"])
def test_what_a_site_states_stays(source: str) -> None:
    stated = QAPair("Bread", "Slowly.", "Bread", source=source)  # type: ignore[arg-type]
    assert not learnt(*[page(comments=1)] * 6).are_comments(STORY, Page(title="Bread", qa_pairs=[stated]))


def test_a_faq_stays() -> None:
    pairs = [QAPair(question, "Yes.", question) for question in ("Is it bread?", "Is it good?")]
    assert not learnt(*[page(comments=1)] * 6).are_comments(STORY, Page(title="Questions", qa_pairs=pairs))


def test_comments_are_left_out_of_the_text() -> None:
    pairs = [QAPair("Bread", REPLIES[0], "Bread", ARTICLE), QAPair("Bread", REPLIES[1], "Bread", ARTICLE, answer_to=1)]
    texts = (ARTICLE, *REPLIES)
    read = Page(
        main_text="\n".join(texts),
        blocks=[Block(text, "main", 0.9) for text in texts],
        qa_pairs=pairs,
        sections=[Section("Bread", ARTICLE, sections=[Section("Comments", "\n".join(REPLIES))])],
    )
    as_article(read)
    assert read.main_text == ARTICLE
    assert [block.is_main for block in read.blocks] == [True, False, False]
    assert read.qa_pairs == []
    assert read.comments == [Comment(REPLIES[0]), Comment(REPLIES[1], parent=0)]
    assert read.sections[0].sections[0].text == ""


def test_the_article_itself_is_no_comment() -> None:
    pairs = [QAPair("Bread", text, "Bread", answer_to=to) for text, to in ((ARTICLE, None), (REPLIES[0], 1))]
    read = Page(main_text=f"{ARTICLE}\n{REPLIES[0]}", qa_pairs=pairs)
    as_article(read)
    assert (read.main_text, read.comments) == (ARTICLE, [Comment(REPLIES[0])])
