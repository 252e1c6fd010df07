"""The next page of a thread, from the pagers of forums."""

from __future__ import annotations

import pytest

from scrapy_semtext.threads import next_url

URL = "https://forum.test/topic?id=5"
SECOND, THIRD = f"{URL}&page=2", f"{URL}&page=3"
TOPIC = "<div><p>« <a href=/topic?id=4>previous</a> | <a href=/topic?id=6>next</a> »</p></div>"


@pytest.mark.parametrize(
    ("pager", "url", "following"),
    [
        ("<p>Pages: [<strong>1</strong>] <a href='{2}'>2</a> <a href='{3}'>3</a></p>", URL, SECOND),
        ("<p>Pages: <a href='{1}'>1</a> [<strong>2</strong>] <a href='{3}'>3</a></p>", SECOND, THIRD),
        ("<p>Goto page <a href='{1}'>Prev</a> <a href='{1}'>1</a>, <b>2</b>, <a href='{3}'>3</a></p>", SECOND, THIRD),
        ("<p>Goto page <a href='{1}'>1</a>, <a href='{2}'>2</a>, <b>3</b></p>", THIRD, None),
        ("<p class=pagelinks><b>1</b> <a href='{2}'>2</a> <a href='{2}'><i class=next></i></a></p>", URL, SECOND),
        ("<div class=pages><b>1</b> <a href='{2}'>2</a> <a href='{3}'>»</a></div>", URL, SECOND),
        ("<ul><li class=current><a href='{1}'>1</a><li><a href='{2}'>2</a><li><a href='{2}'>›</a></ul>", URL, SECOND),
        ("<div>Страницы: <b>1</b> <a href='{2}'>2</a> <a href='{2}'>След.</a></div>", URL, SECOND),
        ("<div><b>1</b><a href='{2}'>2</a><a href='{3}'>... 3</a><a href='{2}'>下一页</a></div>", URL, SECOND),
        ("<div><a href='{2}'>next page →</a></div>", URL, SECOND),
        ("<link rel=next href='{2}'><p><a href='{1}'>1</a> <b>2</b> <a href='{3}'>3</a></p>", URL, SECOND),
        ("<p>Pages: [<strong>1</strong>]</p>", URL, None),
        ("<p><b>1</b> <a href='{2}'>2</a></p><div class=pager><a rel=next href=/board/7/2/>»</a></div>", URL, SECOND),
        ("<p>It has 2 locks and <a href=/3>3</a> gates.</p>", URL, None),
        ("", URL, None),
    ],
)
@pytest.mark.parametrize("beside", ["", TOPIC, f"<div>{TOPIC}</div>"])
def test_the_next_page_of_a_thread(pager: str, beside: str, url: str, following: str | None) -> None:
    links = pager.replace("{1}", URL).replace("{2}", SECOND).replace("{3}", THIRD)
    for html in (f"<div><div>{links}</div></div>{beside}", f"{beside}<div><div>{links}</div></div>"):
        assert next_url(html, url) == following
