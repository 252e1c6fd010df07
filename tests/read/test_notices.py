"""Notices about scripts, cookies, browsers and logging in are not content; what an article says about them is."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_semtext.features.table import describe
from scrapy_semtext.read.main_text import without_notices

ARTICLE = "".join(
    f"<p>{number}. The kettle leaks from the spout whenever the water in it begins to boil, so descale it once a month"
    " with vinegar and never let it boil dry.</p>"
    for number in range(3)
)
OUTDATED = "You are using an out of date browser. It may not display this or other websites correctly."


def left(html: str, *, in_posts: bool = False) -> list[str]:
    """Return the kept blocks of a page whose blocks were all content before."""
    page = describe(html, None)
    keep = np.ones(len(page.text_blocks), dtype=np.bool_)
    result = without_notices(page.text_blocks, keep, page.word_counts(), keep & (not in_posts))
    return [block.text for block, kept in zip(page.text_blocks, result.tolist(), strict=True) if kept]


def has(notice: str, blocks: list[str]) -> bool:
    return any(notice in block for block in blocks)


@pytest.mark.parametrize(
    "notice",
    [
        OUTDATED,
        "JavaScript is disabled. For a better experience, please enable JavaScript in your browser.",
        "This site uses cookies to help personalise content and to keep you logged in.",
        "Wir verwenden Cookies, um Inhalte zu personalisieren.",
        "Nous utilisons des cookies pour vous offrir la meilleure expérience.",
        "Мы используем файлы cookie, чтобы сайт работал лучше.",
        "It looks like you are using an ad blocker. Please consider supporting us.",
        "You must log in or register to reply here.",
        "Du musst angemeldet sein, um hier zu antworten.",
    ],
)
def test_a_notice_of_its_own_before_or_behind_the_content_is_left_out(notice: str) -> None:
    for page in (
        f"<div><div>{notice}</div></div><article>{ARTICLE}</article>",
        f"<article>{ARTICLE}</article><aside><p>{notice}</p></aside>",
    ):
        blocks = left(page)
        assert has("The kettle leaks", blocks)
        assert not has(notice[:20], blocks)


def test_a_notice_is_never_all_of_the_main_text() -> None:
    assert left(f"<div>{OUTDATED}</div>") == []


def test_a_longer_text_may_be_all_of_the_main_text() -> None:
    said = "Members must log in to post a reply to the survey, which is open to all who joined the club before May."
    assert left(f"<h1>Survey</h1><p>{said}</p>") == ["Survey", said]


@pytest.mark.parametrize("name", ["category-gdpr", "tag-adblock", "informed-consent-study"])
def test_names_of_subjects_are_no_names_of_notices(name: str) -> None:
    said = "This site uses cookies to keep you logged in."
    assert has(said, left(f"<article class='post {name}'>{ARTICLE}<p>{said}</p>{ARTICLE}</article>"))


def test_what_an_article_says_stays() -> None:
    said = "Our site uses cookies."
    assert has(said, left(f"<article>{ARTICLE}<p>{said}</p></article>"))
    subject = "<p>Cookies are small files that a site keeps in the browser of each of its visitors.</p>"
    assert has(said, left(f"<article><section>{subject}</section><section><p>{said}</p></section></article>"))
    assert has(OUTDATED, left(f"<div><div>{ARTICLE}</div><div><p>{OUTDATED}</p></div><div>{ARTICLE}</div></div>"))
    assert has("JavaScript", left(f"<div><h2>Enable JavaScript in Firefox</h2></div><div>{ARTICLE}</div>"))


def test_a_post_may_say_the_same() -> None:
    assert left(f"<div><p>{OUTDATED}</p></div>", in_posts=True) == [OUTDATED]


def test_an_element_made_for_notices_may_stand_in_the_article() -> None:
    for element in (
        "<noscript><p>{}</p></noscript>",
        "<div role=dialog><p>{}</p></div>",
        "<p class=slideshow-noscript>{}</p>",
    ):
        notice = element.format("This slideshow requires JavaScript.")
        assert not has("slideshow", left(f"<article>{ARTICLE}{notice}{ARTICLE}</article>"))


def test_the_line_that_expands_a_quotation_is_left_out_everywhere() -> None:
    quoted = "<blockquote><div>It leaks.</div><div class=expand>Click to expand...</div></blockquote>"
    said = "<p>Click to expand it, then.</p>"
    assert left(f"<article>{quoted}{said}</article>", in_posts=True) == ["It leaks.", "Click to expand it, then."]


@pytest.mark.parametrize("name", ["cookie-notice", "cookie-consent", "gdpr-notice", "cookie-law-banner"])
@pytest.mark.parametrize("form", ["<div class={}>{}</div>", "<main id={}><h1>Cookies</h1>{}</main>"])
def test_a_policy_is_no_notice_whatever_its_elements_are_called(name: str, form: str) -> None:
    texts = (
        "This policy explains which cookies this website uses, what they are for and how long they stay on a device.",
        "We use cookies to remember your language and the content of your basket, until you close the browser.",
        "With your consent we use cookies of a service that counts our visitors, and sends us sums of them alone.",
        "You can withdraw your consent at any time by the link at the end of each page of this site, in all browsers.",
    )
    apart = "".join(f"<div class={name}><p>{text}</p></div>" for text in texts)
    for html in (apart, form.format(name, "".join(f"<h2>Part {n}</h2><p>{t}</p>" for n, t in enumerate(texts)))):
        blocks = left(html)
        assert all(has(text, blocks) for text in texts)
