"""Comments, and the posts of pages without scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from shipped import extractor

from scrapy_semtext.extractor import Options, extract
from scrapy_semtext.features.table import describe
from scrapy_semtext.page import Comment, Page
from scrapy_semtext.read.dates import signs_comment
from scrapy_semtext.read.posts import are_answers, are_below_entry

if TYPE_CHECKING:
    from scrapy_semtext.labelers.bundle import LabelerName


PROSE = [
    "The bridge over the river opens again after two years of work, and the first buses cross it on Monday morning.",
    "The council had closed it when engineers found cracks in two of the piers, which were older than the plans said.",
    "Cars have to wait until the end of the month, as the lights at both ends are not connected yet.",
    "The mayor called the new lanes for bicycles the best part of the work, and promised another look at the toll.",
]
COMMENTS = [
    ("Ann", "March 3, 2021 at 9:12 am", "I drove around for two years. About time that somebody finished this."),
    ("Bob K.", "March 3, 2021 at 10:40 am", "Does the toll stay? Nobody I asked at the town hall could tell me."),
    (
        "Clara",
        "March 4, 2021 at 7:05 pm",
        "The lanes for bicycles are too narrow, I nearly fell off when a bus came by.",
    ),
    ("Dmitri", "March 5, 2021 at 8:30 am", "Thanks for the report, the part on the piers was new to me."),
]


def blog_post() -> str:
    body = "".join(f"<p>{text} {text.lower()}</p>" for text in PROSE)
    comments = "".join(
        f"<li class=comment id=c{number}><div class=vcard><img src=/a{number}.png><cite>{author}</cite> says:</div>"
        f"<div class=meta><a href=#c{number}>{date}</a></div><div class=says><p>{text}</p></div>"
        f"<div><a href=#reply{number}>Reply</a></div></li>"
        for number, (author, date, text) in enumerate(COMMENTS)
    )
    return (
        "<html><head><meta property=og:type content=article><meta name=description content='The bridge opens again.'>"
        "<title>The bridge opens</title></head><body><nav><a href=/>Home</a> <a href=/news>News</a></nav>"
        f"<article><h1>The bridge opens</h1><p>By Eve Adams, March 2, 2021</p>{body}</article>"
        f"<h3>4 responses to The bridge opens</h3><ol>{comments}</ol><h3>Leave a reply</h3>"
        "<form><input name=author><textarea name=comment></textarea></form><footer>Imprint</footer></body></html>"
    )


@pytest.mark.smoke
def test_comments_are_apart_from_the_main_text() -> None:
    page = extract(blog_post(), "https://paper.example/2021/03/bridge")
    dates = ("2021-03-03T09:12:00", "2021-03-03T10:40:00", "2021-03-04T19:05:00", "2021-03-05T08:30:00")
    written = zip(COMMENTS, dates, strict=True)
    assert page.comments == [Comment(text, author, date) for (author, _, text), date in written]
    assert "cracks in two of the piers" in page.main_text
    assert not any(text in page.main_text for _, _, text in COMMENTS)
    assert page.qa_pairs == []


def test_comments_can_be_joined_to_the_main_text() -> None:
    page = extractor().read(blog_post(), options=Options(join_comments=True))
    assert page.main_text.endswith(COMMENTS[-1][2])


@pytest.mark.parametrize("labeler", ["semtext", "cascade", "trees", "textsweeper"])
def test_without_the_option_no_comments_are_read_and_the_main_text_is_the_same(labeler: LabelerName) -> None:
    bare, whole = (extractor().read(blog_post(), options=Options(comments=c, labeler=labeler)) for c in (False, True))
    assert (bare.comments, len(whole.comments)) == ([], 4)
    assert bare.main_text == whole.main_text
    assert COMMENTS[1][2] not in whole.main_text


def test_comments_that_are_not_read_cannot_be_joined() -> None:
    with pytest.raises(ValueError, match="join_comments"):
        Options(comments=False, join_comments=True)


def test_comments_are_written_only_if_asked_for() -> None:
    page = Page(comments=[Comment("Fine.", "Ann")])
    assert "comments" not in page.to_dict()
    assert page.to_dict(comments=True)["comments"] == [{"text": "Fine.", "author": "Ann", "date": None, "parent": None}]


@pytest.mark.parametrize(
    ("first", "others", "expected"),
    [
        ("blog-entry", "comment-body", (True, False)),
        ("blog-entry", "reply", (False, False)),
        ("comment entry", "comment entry", (False, False)),
        ("question", "answer", (False, True)),
        ("question", "answer comment", (False, False)),
    ],
)
def test_names_tell_comments_below_an_entry_from_answers(first: str, others: str, expected: tuple[bool, bool]) -> None:
    names = [first, others, others]
    posts = (f"<div class='{name}'><p>{text}</p></div>" for name, text in zip(names, PROSE, strict=False))
    nodes = describe(f"<main>{''.join(posts)}</main>", None).raw_tree
    bodies = tuple(node for node, scope in enumerate(nodes.scopes) if scope.names in names)
    assert (are_below_entry(nodes, bodies), are_answers(nodes, bodies[1:])) == expected


LABELS = {
    "en": "Comment {} by Anna Berg",
    "de": "Kommentar {} von Anna Berg",
    "fr": "Commentaire n° {} par Anna Berg",
    "ru": "Комментарий {} от Анны",
    "numbered": "Reply #{}",
    "changed": "Changed {} years ago by anna",
    "updated": "Updated by Anna Berg {} days ago",
}
TEXT = "I saw the same on version 2.{}, where the parser gives up after the first chunk of the file has been read."


@pytest.mark.parametrize("label", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("tag", ["h3", "h4"])
def test_labels_of_comments_are_no_questions(label: str, tag: str) -> None:
    comments = "".join(f"<{tag}>{label.format(n)}</{tag}><p>{TEXT.format(n)}</p>" for n in range(1, 7))
    html = f"<title>Parser stops</title><main><h1>Parser stops</h1><p>{TEXT.format(9)}</p>{comments}</main>"
    assert not any(signs_comment(pair.question) for pair in extract(html).qa_pairs)
    assert signs_comment(label.format(3))


@pytest.mark.parametrize(
    "heading",
    ["Comment on a page", "Reply to a message", "By credit card", "Comment 3 by Anna: is it lost?", "1. Paying", ""],
)
def test_other_headings_sign_nothing(heading: str) -> None:
    assert not signs_comment(heading)
