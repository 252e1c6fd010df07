"""Pages of one message: subject, author, date and text, in the layouts of archives."""

from __future__ import annotations

import pytest
from message_archives import FORMS, HOST, Archive

from scrapy_semtext import extract

# Heads that others quote, or that a page has several of.
HEAD = "<b>From:</b> Ann Lee<br><b>Date:</b> 3 June 2019<br><b>Subject:</b> Bread"
NEAR = "<p><a href=1>Next message</a></p><p><a href=2>Previous message</a></p>"
SIGNED = "<div>Posted by Ann Lee on 3 June 2019</div>"
PAGES = {
    "board": f"<title>Bread</title><h1>Bread</h1>{SIGNED}<p>How?</p>{SIGNED}<p>Slowly.</p>{NEAR}",
    "thread": f"<title>Bread</title><h1>Bread</h1><div>{HEAD}</div><p>How?</p><div>{HEAD}</div><p>Slowly.</p>",
    "article": f"<title>What we got</title><h1>What we got</h1><p>We got this.</p><p>{HEAD}</p><p>How?</p>",
    "journey": "<title>Trips</title><dl><dt>From</dt><dd>Oslo</dd><dt>To</dt><dd>Rome</dd><dt>Date</dt>"
    "<dd>3 June 2019</dd></dl>",
}


@pytest.mark.parametrize("form", FORMS)
def test_the_message_of_a_page_is_read(form: str) -> None:
    archive = Archive(FORMS[form])
    for post in archive.posts[::5]:
        page = extract(archive.page(post), url=HOST + post.path)
        message = page.message
        assert message is not None
        assert (page.title, message.author) == (archive.subject(post), post.author)
        assert message.date == post.sent.strftime("%Y-%m-%dT%H:%M:%S")
        assert page.main_text.startswith(post.text)
        assert (page.page_kind, page.qa_pairs, page.comments) == ("article", [], [])
        assert "kitchen@lists.test" not in page.main_text
        assert "Archiver" not in page.main_text
        assert "Received" not in page.main_text


@pytest.mark.parametrize("name", PAGES)
def test_other_pages_with_such_lines_are_no_messages(name: str) -> None:
    assert extract(PAGES[name]).message is None


def test_one_signed_text_between_links_to_messages_is_one() -> None:
    message = extract(f"<title>Bread</title><h1>Bread</h1>{SIGNED}<p>How?</p>{NEAR}").message
    assert message is not None
    assert (message.author, message.date, message.text) == ("Ann Lee", "2019-06-03", "How?")


def test_links_to_answered_messages_and_answers_are_read() -> None:
    archive = Archive(FORMS["list"])
    first, second, *_ = archive.threads[3]
    message = extract(archive.page(second), url=HOST + second.path).message
    assert message is not None
    assert message.parents == [HOST + first.path]
    assert message.replies == [HOST + archive.threads[3][2].path]
