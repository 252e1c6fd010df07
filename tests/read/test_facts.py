"""Author, date, votes and acceptance of posts, from the structure around them."""

from __future__ import annotations

import pytest
from posting import posts_of

from scrapy_semtext.read.dates import read_dates
from scrapy_semtext.read.facts import PostFacts, facts_of


def _facts(html: str) -> list[PostFacts]:
    return facts_of(*posts_of(html))


def _authors(html: str) -> list[str | None]:
    return [facts.author for facts in _facts(html)]


def _dates(html: str) -> list[str | None]:
    return [facts.date for facts in _facts(html)]


def _posts(pattern: str, *rows: tuple[str, ...]) -> str:
    return "<main>" + "".join(pattern.format(*row) for row in rows) + "</main>"


_MODERN = """
<article class="post">
  <div class="who"><a class="avatar" href="/members/{0}.1/"><span>A</span></a>
    <h4><a class="username" href="/members/{0}.1/">{0}</a></h4><h5 class="user-title">Member</h5>
    <dl><dt>Joined</dt><dd>3 May 2011</dd><dt>Messages</dt><dd>1,204</dd><dt>Points</dt><dd>38</dd></dl></div>
  <header><time datetime="{1}">some days ago</time> <a href="#p1">#1</a></header>
  <div class="text">A post by someone.<blockquote>Zed said: a quote</blockquote></div>
  <footer><a href="/reply">Reply</a><span class="reactions-like"><b>{2}</b></span></footer>
</article>
"""


def test_a_forum_of_divs() -> None:
    rows = [("ann", "2024-05-03T10:00:00Z", "3"), ("bob", "2024-05-04T11:00:00Z", "0"), ("ann", "2024-05-05", "12")]
    assert _facts(_posts(_MODERN, *rows)) == [PostFacts(author, date, int(likes)) for author, date, likes in rows]


_ROW = """
<tr><td><b>{0}</b><br><span>Newbie</span><br><span>Joined: 16 May 2005</span><br><span>Posts: 13</span></td>
<td><table><tr><td><span>Posted: {1} &nbsp; Post subject: thing</span></td></tr>
<tr><td class="text">A post of some words.</td></tr></table></td></tr>
<tr><td><a href="#top">Back to top</a></td><td><a href="profile.php">View profile</a></td></tr>
"""


def test_a_forum_of_tables_with_the_author_in_a_cell_and_no_names() -> None:
    rows = [
        ("ann", "Sat Sep 10, 2005 1:40 am"),
        ("bob", "Sun Sep 11, 2005 3:12 pm"),
        ("carl", "Mon Sep 12, 2005 1:02 am"),
    ]
    facts = _facts("<table>" + _posts(_ROW, *rows) + "</table>")
    assert [(post.author, post.date) for post in facts] == rows


_ANSWER = """
<div class="{3}"><div class="votecell"><span class="vote-count">{2}</span><i title="{4}"></i></div>
  <div><div class="text">An answer in words.</div><div><a>share</a>
    <div class="info"><div>edited <span class="when">Jun 6 '12 at 0:03</span></div>
      <div class="details"><a href="/users/9/eve">Eve</a></div></div>
    <div class="info"><div>answered <span class="when" title="{1}">some time ago</span></div>
      <div class="details"><a href="/users/1/x">{0}</a><span class="reputation-score">29k</span></div></div></div>
  <ul class="comments"><li><span class="comment-score">7</span> Thanks!
    <a class="comment-user" href="/users/3/zed">Zed</a> <span>May 1 '12</span></li></ul></div></div>
"""


def test_a_page_of_answers_with_votes_edits_and_comments() -> None:
    rows = [
        ("ann", "2012-05-01 19:00:30Z", "1.2k", "question", "vote"),
        ("bob", "2012-05-02 19:00:30Z", "\N{MINUS SIGN}3", "answer", "vote"),
        ("carl", "2012-05-03 19:00:30Z", "1,204", "answer accepted-answer", "accepted"),
    ]
    assert _facts(_posts(_ANSWER, *rows)) == [
        PostFacts("ann", "2012-05-01 19:00:30Z", 1200, accepted=False),
        PostFacts("bob", "2012-05-02 19:00:30Z", -3, accepted=False),
        PostFacts("carl", "2012-05-03 19:00:30Z", 1204, accepted=True),
    ]


MARKS = (
    *("Akzeptierte Lösung", "Best answer", "最佳答案", "Лучший ответ", "Meilleure réponse", "Marked as answer by Ann"),
    *(
        "Als Antwort markiert",
        "Marcado como respuesta",
        "Помечено как ответ",
        "回答としてマーク",
        "Najlepsza odpowiedź",
    ),
)


def test_nothing_is_accepted_where_no_post_is_marked() -> None:
    post = '<div><div class="text">{0}</div><a class="accept-button">Mark as solution</a></div>'
    banner = '<p>We use cookies. <b class="accepted">Accepted</b></p>'
    page = banner + _posts(post, ("One.",), ("Two.",), ("Three.",))
    assert [facts.accepted for facts in _facts(page)] == [None, None, None]


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_may_be_a_text(mark: str) -> None:
    page = _posts("<section><p>{0}</p><div class=text>{1}</div></section>", ("", "Q?"), ("", "No."), (mark, "Yes."))
    assert [facts.accepted for facts in _facts(page)] == [False, False, True]


_FLAT_BEFORE = '<p class="head">by <b>{0}</b> » {1}</p><div class="text">The words of a post.</div><hr>'
_FLAT_BEHIND = '<div class="text">The words of a post.</div><p class="foot">— <b class="author">{0}</b>, {1}</p>'
# Without names, only their order since the last post tells the elements of one post from those of another.
_FLAT_UNNAMED = '<p><strong>{0}</strong> ({1})</p><div class="text">The words of a post.</div><hr>'
_FLAT_LIST = '<dt><a href="/m/{0}">{0}</a> <em>{1}</em></dt><dd class="text">The words of a post.</dd>'


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("pattern", [_FLAT_BEFORE, _FLAT_BEHIND, _FLAT_UNNAMED, _FLAT_LIST])
def test_among_flat_siblings_no_post_gets_the_author_of_its_neighbour(pattern: str, count: int) -> None:
    rows = [("ann", "3 May 2024"), ("bob", "4 May 2024"), ("carl", "5 May 2024")][:count]
    assert [(post.author, post.date) for post in _facts(_posts(pattern, *rows))] == rows


_APART = """
<main><ul><li>{head}<div class="text">A question.</div></li></ul><p class="range">Shown: 3 answers of 3</p>
<ul><li>Author and answer</li><li>{answers}</li></ul><p class="range">Shown: 3 answers of 3</p></main>
"""


@pytest.mark.parametrize("is_head", [True, False])
def test_answers_apart_from_the_question_have_their_own_dates(is_head: bool) -> None:
    dates = [f"{day} May 2023 at 10:00" for day in range(1, 5)]
    heads = [f'<div class="meta"><span>{date}</span> <a href="#p{date[0]}">#{date[0]}</a></div>' for date in dates]
    body = '<div class="post"><div class="text">An answer.</div></div>'
    answers = "".join(head + body if is_head else body + head for head in heads[1:])
    assert _dates(_APART.format(head=heads[0], answers=answers)) == dates


@pytest.mark.parametrize(
    ("pattern", "authors", "dates"),
    [
        (
            "作者：{0} 发表于 {1}",
            ("李明", "王芳", "张伟"),
            ("2020-01-03 10:11", "2020-01-04 08:00", "2020-01-05 21:30"),
        ),
        ("{0} написал: {1}", ("Иван", "Ольга", "Пётр"), ("3 мая 2020, 10:11", "4 мая 2020, 8:00", "5 мая 2020, 21:30")),
        ("von {0} am {1}", ("Karl", "Uwe", "Ute"), ("3. März 2020, 10:11", "4. März 2020, 8:00", "5. März 2020, 9:30")),
        ("{0} kirjoitti {1}", ("Aino", "Eero", "Väinö"), ("3.5.2020 10:11", "4.5.2020 8:00", "5.5.2020 21:30")),
        ("Par {0} le {1}", ("Anne", "Luc", "Zoé"), ("3 août 2020 10:11", "4 août 2020 8:00", "5 août 2020 21:30")),
    ],
)
def test_lines_that_tell_author_and_date(pattern: str, authors: tuple[str, ...], dates: tuple[str, ...]) -> None:
    page = _posts(
        f"<li><p>{pattern}</p><div class=text>The words of a post.</div></li>", *zip(authors, dates, strict=True)
    )
    assert _authors(page) == list(authors)
    assert _dates(page) == list(dates)


def test_a_guest_without_a_link_has_an_author_too() -> None:
    pattern = "<div><p class=author>{0}</p><p>3 May 2024</p><div class=text>Words.</div></div>"
    rows = [("<a href='/user/1'>ann</a>",), ("<b>passer-by</b>",), ("<a href='/user/2'>bob</a>",)]
    assert _authors(_posts(pattern, *rows)) == ["ann", "passer-by", "bob"]


def test_bodies_may_hold_the_heads_of_the_posts() -> None:
    pattern = (
        '<div class="text"><p><a href="/user/1">{0}</a> <time datetime="{1}">today</time></p><p>Some words.</p>'
        "<blockquote><p><a href='/user/9'>Zed</a> wrote</p>More words.</blockquote></div>"
    )
    rows = [("ann", "2024-05-03"), ("bob", "2024-05-04"), ("carl", "2024-05-05")]
    assert [(post.author, post.date) for post in _facts(_posts(pattern, *rows))] == rows


def test_all_posts_may_be_of_one_author() -> None:
    assert _authors(_posts(_MODERN, *[("ann", f"2024-05-0{day}", "0") for day in range(1, 6)])) == ["ann"] * 5


def test_labels_and_buttons_are_no_authors() -> None:
    page = _posts("<div><b>Reply</b><i>Quote</i><div class=text>{0}</div></div>", ("One.",), ("Two.",), ("Three.",))
    assert _authors(page) == [None, None, None]


def test_a_label_beside_several_authors_is_no_author() -> None:
    link = '<p class="profile"><b><a href="#top">Top</a></b></p>'
    post = '<li><b class="author">{0}</b><div class="text">Words.</div>' + link + "</li>"
    page = _posts(post, *((name,) for name in ("ann", "bob", "carl"))).replace("</main>", "")
    page += f'<li><div class="text">Search for:</div>{link}</li><li><div class="text">Jump to:</div></li></main>'
    assert _authors(page) == ["ann", "bob", "carl", None, None]


def test_ranks_that_are_links_are_no_authors() -> None:
    post = (
        '<li><p><a href="space-uid-{1}.html">{0}</a></p><p><a href="ranks.html?number={2}">{3}</a></p>'
        '<div class="text">Words.</div></li>'
    )
    rows = [("ann", "1", "7", "Novice"), ("bob", "2", "8", "Old hand"), ("carl", "3", "7", "Novice")]
    assert _authors(_posts(post, *rows)) == ["ann", "bob", "carl"]


def test_a_page_without_posts_or_with_one() -> None:
    nodes, bodies = posts_of(_posts(_MODERN, ("ann", "2024-05-03", "4")))
    assert facts_of(nodes, []) == []
    assert facts_of(nodes, bodies) == [PostFacts("ann", "2024-05-03", 4)]


@pytest.mark.parametrize("around", ["svg", "blockquote"])
def test_posts_that_a_forgotten_end_tag_nests_in_something_else_have_facts(around: str) -> None:
    post = '<div><a class="author" href="/user/{0}">{0}</a> <i>{1}</i><div class="text">Words of {0}.</div></div>'
    rows = _posts(post, ("ann", "2024-05-03"), ("bob", "2024-05-04"), ("cy", "2024-05-05"))
    facts = _facts(f"<{around}>{rows}")
    assert [(fact.author, fact.date) for fact in facts] == [
        ("ann", "2024-05-03"),
        ("bob", "2024-05-04"),
        ("cy", "2024-05-05"),
    ]


@pytest.mark.parametrize(
    ("dates", "language", "read"),
    [
        (["01/02/2019 07:00 AM"], None, ["2019-01-02T07:00:00"]),  # a clock of twelve hours
        (["01/02/2019 07:00"], "en", ["2019-01-02T07:00:00"]),
        (["01/02/2019 07:00"], "en-GB", ["2019-02-01T07:00:00"]),
        (["01/02/2019 07:00"], "fr", ["2019-02-01T07:00:00"]),
        (["01/02/2019", "13/02/2019"], "en", ["2019-02-01", "2019-02-13"]),  # another date tells
        (["01/02/2019", "02/13/2019"], "fr", ["2019-01-02", "2019-02-13"]),
        (["01/02/2019 07:00", None], None, ["01/02/2019 07:00", None]),  # nobody knows
        (["2 fév. 2019 à 10h11", "3 août 2020 10:11"], "fr", ["2019-02-02T10:11:00", "2020-08-03T10:11:00"]),
        (["2019年2月1日", "2019年2月1日 下午3:05"], "zh", ["2019-02-01", "2019-02-01T15:05:00"]),
        (["2019年2月1日 10時11分", "2019. 2. 1. 오후 3:05"], "ja", ["2019-02-01T10:11:00", "2019-02-01T15:05:00"]),
        (["3 мая 2020, 10:11", "3. März 2020, 9:30"], "ru", ["2020-05-03T10:11:00", "2020-03-03T09:30:00"]),
        (["May 3, 2019 12:15 am", "May 3, 2019 12:15 PM"], "en", ["2019-05-03T00:15:00", "2019-05-03T12:15:00"]),
        (["2012-05-01 19:00:30Z", "2012-05-01T19:00"], "en", ["2012-05-01 19:00:30Z", "2012-05-01T19:00"]),
        (["3 days ago", "May 12", "yesterday 10:11"], "en", ["3 days ago", "May 12", "yesterday 10:11"]),
    ],
)
def test_dates_that_are_shown_are_read(dates: list[str | None], language: str | None, read: list[str | None]) -> None:
    assert read_dates(dates, (), language) == read


@pytest.mark.parametrize(
    ("shown", "read"),
    [
        ("le lundi 4 mars 2024 à 9h12", "2024-03-04T09:12:00"),
        ("2024年3月4日(月) 9:12", "2024-03-04T09:12:00"),
        ("2024年3月4日 下午3:40", "2024-03-04T15:40:00"),
        ("2024년 3월 4일 오후 3시 40분", "2024-03-04T15:40:00"),
        ("Mon Mar 4 11:40:00 CET 2024", "2024-03-04T11:40:00"),
        ("4 Mar, 11:40, 2024", "2024-03-04T11:40:00"),
        ("11:40, 4 March 2024", "2024-03-04T11:40:00"),
        ("24.3.2024 klo 11.40", "2024-03-24T11:40:00"),
        ("Montag, 4. März 2024 11.40 Uhr", "2024-03-04T11:40:00"),
        ("lunedì 4 marzo 2024 alle ore 11.40", "2024-03-04T11:40:00"),
        ("4 stycznia 2024, 11:40", "2024-01-04T11:40:00"),
        ("4 de marzo de 2024, 3:40 p. m.", "2024-03-04T15:40:00"),
        ("4 Μαρτίου 2024, 3:40 μ.μ.", "2024-03-04T15:40:00"),
        ("4 tháng 3, 2024 lúc 3:40 chiều", "2024-03-04T15:40:00"),
        ("Version 2.40, 4 March 2024", "2024-03-04"),
    ],
)
def test_times_as_languages_write_them(shown: str, read: str) -> None:
    page = _posts('<section><i>{0}</i><div class="text">{1}</div></section>', (shown, "One."), (shown, "Two."))
    assert read_dates(_dates(page), (), None) == [read, read]


def test_other_dates_of_the_page_tell_which_number_is_the_month() -> None:
    assert read_dates(["01/02/2019"], ["Joined: 25/12/2018", "14 posts"], "en-US") == ["2019-02-01"]
