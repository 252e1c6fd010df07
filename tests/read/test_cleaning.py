"""The texts of posts without what is not theirs, and messages."""

from __future__ import annotations

import numpy as np
import pytest
from kettle_threads import kettle_thread, sentence
from message_archives import FORMS, HOST, Archive
from posting import posts_of
from shipped import extractor

from scrapy_semtext import extract
from scrapy_semtext.extractor import Options
from scrapy_semtext.features.table import describe
from scrapy_semtext.read.cleaning import clean_bodies, completed_bodies, says_something
from scrapy_semtext.read.main_text import without_quotes
from scrapy_semtext.tree.scopes import main_text


def _texts(*posts: str) -> list[str]:
    return clean_bodies(*posts_of("".join(f'<article><div class="text">{post}</div></article>' for post in posts)))


def test_paragraphs_and_quotes_stay() -> None:
    post = "<blockquote>Ann said: it works.</blockquote><p>It does not.</p><p>Not here.</p>"
    assert _texts(post) == ["Ann said: it works.\nIt does not.\nNot here."]


def test_short_lines_of_most_posts_go() -> None:
    tools = "<p>Reply</p><p>Share</p>"
    assert _texts(f"<p>One.</p>{tools}", f"<p>Two.</p>{tools}", f"<p>Three.</p>{tools}", "<p>Reply is a word.</p>") == [
        "One.",
        "Two.",
        "Three.",
        "Reply is a word.",
    ]


def test_what_only_two_posts_say_stays() -> None:
    assert _texts("<p>One.</p><p>Thanks!</p>", "<p>Two.</p><p>Thanks!</p>") == ["One.\nThanks!", "Two.\nThanks!"]


def test_a_post_of_nothing_else_keeps_its_text() -> None:
    assert _texts("<p>Bump</p>", "<p>Bump</p>", "<p>Bump</p>") == ["Bump", "Bump", "Bump"]


@pytest.mark.parametrize(
    "end",
    [
        "<p>_____________</p><p>My car is red.</p>",
        "<br>-- <br>My car is red.",
        "<div class='post_signature'>My car is red.</div>",
        "<div id='sig12'>My car is red.</div>",
        "<button>Like</button>",
        "<p style='display: none'>Unseen.</p>",
        "<p>Last edited by ann on 3 May 2024, edited 2 times in total.</p>",
        "<p>This post was edited on 3 May.</p>",
        "<p>Zuletzt bearbeitet von ann am 3. Mai 2024</p>",
        "<p>Dernière modification par ann ; 03/05/2024.</p>",
        "<p>Последний раз редактировалось ann; 03.05.2024.</p>",
        "<p>本帖最后由 ann 于 2024-5-3 编辑</p>",
        "<dl><dt>Attachments</dt><dd>a.pdf</dd><dd>(112.4 KiB) Downloaded 31 times</dd></dl>",
        "<fieldset><legend>Angehängte Dateien</legend><a>a.pdf</a> (112,4 KB, 31x aufgerufen)</fieldset>",
        "<p>Вложения</p><p>a.pdf (3 КБ, 4 просмотра)</p>",
        "<p>添付ファイル</p><p>a.zip (3 KB)</p>",
        "<p><a>a.zip</a> (3 KB, 4 views)</p>",
        "<p>Was this answer helpful?</p><p>Yes (3)</p><p>No</p>",
        "<p>Cette réponse vous a-t-elle été utile ?</p><p>Oui</p><p>Non</p>",
    ],
)
def test_ends_that_are_no_part_of_the_post_go(end: str) -> None:
    assert _texts(f"<p>It works now.</p>{end}") == ["It works now."]


@pytest.mark.parametrize(
    "post",
    [
        "<p>Edited the file 3 times, and it works.</p>",
        "<p>Edit: it works since 3 May.</p>",
        "<p>Geändert hat sich nichts.</p>",
        "<p>My signature is wrong.</p>",
        "<p>Look here.</p><p>Attachments</p><p>You find them in the menu of the program, below the text.</p>",
        "<p>Was it helpful?</p><p>Yes.</p>",
        f"<p>See the log:</p><p>_______</p><p>{'line of the log ' * 60}</p>",
    ],
)
def test_what_only_looks_alike_stays(post: str) -> None:
    nodes, bodies = posts_of(f'<div class="text">{post}</div>')
    assert clean_bodies(nodes, bodies) == [nodes.text(bodies[0])]


@pytest.mark.parametrize(
    "hidden",
    [
        "<div class=spoiler><button>Spoiler</button><div style='display:none'><p>{}</p></div></div>",
        "<div class=bbCodeSpoiler><div hidden>{}</div></div>",
        "<div class=sp-body style='display: none'>{}</div>",
    ],
)
def test_a_spoiler_is_a_part_of_the_post(hidden: str) -> None:
    text = "It is the worn chain, as in nine cases of ten that come into my shop."
    post = f"<p>I hide the answer.</p>{hidden.format(text)}"
    assert _texts(post, "<p>Thank you, that was it.</p>") == [f"I hide the answer.\n{text}", "Thank you, that was it."]


def test_hidden_labels_are_no_part_of_the_post() -> None:
    assert _texts("<p>It does not.</p><div hidden>Copied to the clipboard</div>") == ["It does not."]


def test_a_hidden_post_keeps_its_text() -> None:
    nodes, bodies = posts_of('<div class="text" style="display:none"><p>In a spoiler.</p></div>')
    assert clean_bodies(nodes, bodies) == ["In a spoiler."]


def test_lines_of_date_and_subject_at_the_beginning_of_most_posts_go() -> None:
    heads = ("<p>3 May 2024 11:05</p>", "<p>Re: Kettle</p><p>4 May 2024</p>", "<p>Re: Kettle</p><p>5 May 2024</p>")
    posts = [f"{head}<p>Answer {word}.</p>" for head, word in zip(heads, ("one", "two", "three"), strict=True)]
    assert _texts(*posts) == ["Answer one.", "Answer two.", "Answer three."]


def test_headings_with_subjects_go() -> None:
    posts = [f"<h3>{subject}</h3><p>Answer {subject[:2]}.</p>" for subject in ("Kettle", "Re: Kettle")]
    assert _texts(*posts) == ["Answer Ke.", "Answer Re."]
    assert _texts(*(post.replace("Re: ", "") for post in posts))[0] == "Kettle\nAnswer Ke."


@pytest.mark.parametrize(
    ("opening", "reply"),
    [
        ("The tap drips", "Re: The tap drips"),
        ("The tap drips", "Replied by Ann on topic The tap drips"),
        ("<b>The tap drips!</b>", "<i>The tap drips</i>"),
    ],
)
def test_the_title_above_posts_goes(opening: str, reply: str) -> None:
    posts = [f"<div>{opening}</div><p>Since Monday.</p>", f"<div>{reply}</div><p>Change the washer.</p>"]
    nodes, bodies = posts_of("".join(f'<article><div class="text">{post}</div></article>' for post in posts))
    assert clean_bodies(nodes, bodies, title="The tap drips") == ["Since Monday.", "Change the washer."]
    lines = [post.replace("<div>", "").replace("</div><p>", "<br>").replace("</p>", "") for post in posts]
    nodes, bodies = posts_of("".join(f'<article><div class="text">{post}</div></article>' for post in lines))
    assert clean_bodies(nodes, bodies, title="The tap drips") == ["Since Monday.", "Change the washer."]


def test_posts_that_only_contain_the_title_keep_it() -> None:
    posts = ["<p>If the tap drips, close it.</p><p>Then call.</p>", "<p>Call me.</p>", "<p>The tap drips?</p>"]
    nodes, bodies = posts_of("".join(f'<article><div class="text">{post}</div></article>' for post in posts))
    expected = ["If the tap drips, close it.\nThen call.", "Call me.", "The tap drips?"]
    assert clean_bodies(nodes, bodies, title="The tap drips") == expected


def test_a_post_that_begins_with_a_date_keeps_it_where_the_others_do_not() -> None:
    assert _texts("<p>3 May 2024</p><p>was the day.</p>", "<p>Oh.</p><p>I see.</p>", "<p>So.</p><p>Well.</p>")[0] == (
        "3 May 2024\nwas the day."
    )


def test_code_that_most_posts_have_stays() -> None:
    post = "<p>Like this:</p><pre>return 1</pre>"
    assert _texts(*(f"<p>{number}</p>{post}" for number in range(4)))[3].endswith("return 1")


def test_long_names_are_no_signatures() -> None:
    post = f"<div class='{'a_' * 50_000}'>It works.</div><p class='user_signature'>Ann, of the north</p>"
    assert _texts(post) == ["It works."]


_FOLDED = [
    "<details><summary>Spoiler</summary><p>The butler.</p></details>",
    "<div class=spoiler>The butler.</div>",
    "<p>It was <span class=spoiler style='display: none'>the butler.</span></p>",
    "<div class=bbCodeSpoiler><button>Show</button><div class=content style='display:none'>The butler.</div></div>",
    "<div class=sp-wrap><div class=sp-body hidden>The butler.</div></div>",
    "<div class=collapse style='display: none'><p>The butler.</p></div>",
    "<div class=post-expandable hidden>The butler.</div>",
    "<div class=quotecontent><div style='display: none'>The butler.</div></div>",
    "<div class='xfolded' style='display:none'>The butler.</div>",
]


@pytest.mark.parametrize("folded", _FOLDED)
def test_what_readers_unfold_is_part_of_the_post(folded: str) -> None:
    assert _texts(f"<p>Who did it?</p>{folded}")[0].lower().endswith("the butler.")
    if "style" not in folded and "hidden" not in folded:
        posts = [f"<div class=body><p>Post {number}:</p>{folded * number}</div>" for number in range(2)]
        assert _first_paragraphs(*posts)[1][1].endswith("The butler.")


@pytest.mark.parametrize("names", ["", "tools", "collapse post-menu", "reply-form collapsed"])
def test_hidden_tools_are_no_part_of_the_post(names: str) -> None:
    assert _texts(f"<p>It works.</p><div class='{names}' hidden>Reply</div>") == ["It works."]


_LIST, _TABLE = "<ul><li>chain<li>ring</ul>", "<table><tr><th>Teeth<td>11</table>"
_CODE, _MORE = "<pre>x = 1</pre>", "<blockquote><p>Really?</p></blockquote><h4>So</h4><p>Yes.</p>"


def _first_paragraphs(*posts: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the texts of the first paragraphs of posts, and the texts of the complete posts."""
    nodes, _ = posts_of("".join(f"<article>{post}</article>" for post in posts), None)
    first = [
        n for n, scope in enumerate(nodes.scopes) if scope.tag == "p" and scope.parent and scope.parent.tag == "div"
    ]
    bodies = tuple(
        n for place, n in enumerate(first) if not place or nodes.parents[n] != nodes.parents[first[place - 1]]
    )
    return tuple(map(nodes.text, bodies)), tuple(map(nodes.text, completed_bodies(nodes, bodies)))


@pytest.mark.parametrize("rest", [_LIST, _TABLE, _CODE, _MORE])
def test_the_rest_of_posts_whose_first_paragraph_was_found(rest: str) -> None:
    posts = [f"<b>ann</b><div class=body><p>Post {number}:</p>{rest * (number == 1)}</div>" for number in range(3)]
    found, whole = _first_paragraphs(*posts)
    assert whole[::2] == found[::2]
    assert whole[1].startswith(f"{found[1]}\n")


@pytest.mark.parametrize(
    "posts",
    [
        ["<div class=post><p>One:</p><ul><li>chain</ul><p>ann, 3 May 2024</p></div>"] * 2,  # says when
        ["<div class=post><p>One:</p><ul><li>chain</ul><div class=votes>3</div></div>"] * 2,
        ["<div><p>One:</p><ul><li>chain</ul></div>"] * 2,
        ["<div class=a><p>One:</p><ul><li>chain</ul></div>", "<div class=b><p>Two:</p></div>"],
        ["<div class=a><b>ann</b><br><p>One:</p><ul><li>chain</ul></div>"] * 2,
    ],
)
def test_paragraphs_stay_alone_beside_what_may_be_no_text(posts: list[str]) -> None:
    found, whole = _first_paragraphs(*posts)
    assert whole == found


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[deleted]", False),
        ("This message has been removed by the moderators.", False),
        ("Dieser Beitrag wurde vom Verfasser gelöscht.", False),
        ("Este comentario ha sido eliminado por un moderador.", False),
        ("Сообщение удалено модератором", False),
        ("该帖子已被作者删除", False),
        ("この投稿は削除されました。", False),
        ("Advertisement", False),
        ("Publicité", False),
        ("I deleted the file and it worked.", True),
        ("Deleted by me? No.", True),
        ("Удалено из кэша, и заработало", True),
    ],
)
def test_deleted_posts_and_advertisements_say_nothing(text: str, *, says: bool) -> None:
    assert says_something(text) is says


@pytest.mark.parametrize(
    "code",
    [
        "<dl class=codebox><dt>Code: <a href='#'>Select all</a></dt><dd><pre>x = 1</pre></dd></dl>",
        "<div><b>PHP Code:</b></div><pre>x = 1</pre>",
        "<p>Quelltext</p><pre>x = 1</pre>",
        "<div class=blockcode><pre>x = 1</pre><em>复制代码</em></div>",
    ],
)
def test_labels_of_code_go(code: str) -> None:
    assert _texts(f"<p>Write this code:</p>{code}<p>It works.</p>") == ["Write this code:\nx = 1\nIt works."]


@pytest.mark.parametrize(
    ("quotation", "kept"),
    [
        ("<p>Quote:</p><blockquote>It leaks.</blockquote>", "It leaks.\n"),
        ("<div>Zitat:</div><div class=quotecontent>It leaks.</div>", "It leaks.\n"),
        ("<p>Ann wrote:</p><blockquote><p>It leaks.</p></blockquote>", "Ann wrote:\nIt leaks.\n"),
        ("<blockquote>It leaks.</blockquote>", "It leaks.\n"),
    ],
)
def test_quotations_can_be_left_out(quotation: str, kept: str) -> None:
    nodes, bodies = posts_of(f'<div class="text">{quotation}<p>Since when?</p></div>')
    assert clean_bodies(nodes, bodies) == [f"{kept}Since when?"]
    assert clean_bodies(nodes, bodies, drop_quotes=True) == ["Since when?"]


def test_a_post_of_only_a_quotation_keeps_it() -> None:
    nodes, bodies = posts_of('<div class="text"><blockquote>It leaks.</blockquote></div>')
    assert clean_bodies(nodes, bodies, drop_quotes=True) == ["It leaks."]


def _signed(*posts: tuple[str, str]) -> list[str]:
    nodes, bodies = posts_of("".join(f'<article><div class="text">{post}</div></article>' for _, post in posts))
    return clean_bodies(nodes, bodies, [author for author, _ in posts])


def test_lines_that_end_all_posts_of_an_author_are_a_signature() -> None:
    signature = "<p>Tea is the answer.</p><p>www.tea.example</p>"
    texts = _signed(
        ("Ann", f"<p>It leaks.</p>{signature}"), ("Bob", "<p>Seal?</p>"), ("Ann", f"<p>It is new.</p>{signature}")
    )
    assert texts == ["It leaks.", "Seal?", "It is new."]


def test_an_author_may_say_the_same_twice() -> None:
    assert _signed(("Ann", "<p>Bump.</p>"), ("Bob", "<p>Wait.</p>"), ("Ann", "<p>Bump.</p>")) == [
        "Bump.",
        "Wait.",
        "Bump.",
    ]


def test_an_end_that_one_post_of_the_author_lacks_stays() -> None:
    texts = _signed(("Ann", "<p>A.</p><p>Thanks!</p>"), ("Ann", "<p>B.</p><p>Thanks!</p>"), ("Ann", "<p>C.</p>"))
    assert texts == ["A.\nThanks!", "B.\nThanks!", "C."]


def test_short_texts_that_are_all_of_most_posts_are_no_frame() -> None:
    posts = [f'<p class="says">{text}</p>' for text in ("It drips.", "Change it.", "Done.", "And now?")]
    assert _texts(*posts, f"<blockquote>It drips.</blockquote>{posts[2]}")[-1] == "It drips.\nDone."


FIRST = "The kettle leaks from the spout whenever the water in it begins to boil."
SECOND = "Descale it once a month with vinegar, and rinse it twice."


def left(*posts: str) -> list[str]:
    """Return the kept lines of a page of posts that were all content before."""
    page = describe("".join(f"<div class=post id={number}>{post}</div>" for number, post in enumerate(posts)), None)
    blocks = page.text_blocks
    of_block = [
        next(int(scope.element.get("id")) for scope in block.scope.ancestry() if scope.classes == "post")
        for block in blocks
    ]
    keep = np.ones(len(blocks), dtype=np.bool_)
    result = without_quotes([block.text for block in blocks], page.layout(), keep, np.array(of_block))
    return main_text(blocks, result.tolist()).split("\n")


@pytest.mark.parametrize("header", ["Ann said:", "Originally posted by Ann", "Ann schrieb:", "Zitat von Ann", "Quote:"])
def test_a_quotation_is_left_out_with_its_header(header: str) -> None:
    posts = f"<p>{FIRST}</p>", f"<h4>{header}</h4><blockquote><p>{FIRST}</p></blockquote><p>{SECOND}</p>"
    assert left(*posts) == [FIRST, SECOND]


def test_part_of_a_post_may_be_quoted() -> None:
    posts = f"<p>{FIRST}</p><p>{SECOND}</p>", "<blockquote>Descale it once a month with vinegar</blockquote><p>Why?</p>"
    assert left(*posts) == [FIRST, SECOND, "Why?"]


def test_what_no_earlier_post_says_is_no_quotation() -> None:
    posts = f"<blockquote>{SECOND}</blockquote><p>So says the manual.</p>", f"<p>{SECOND}</p><p>Right.</p>"
    assert left(*posts) == [SECOND, "So says the manual.", SECOND, "Right."]


def test_elements_that_hold_nothing_but_repeats_are_quotations() -> None:
    quoting = f"<div class=zitat7>{FIRST}</div><p>Mine, too.</p>", f"<div class=zitat8>{SECOND}</div><p>How often?</p>"
    posts = f"<p>{FIRST}</p><p>{SECOND}</p>", *quoting
    assert left(*posts) == [FIRST, SECOND, "Mine, too.", "How often?"]
    assert left(*posts[:2]) == [FIRST, SECOND, FIRST, "Mine, too."]  # one alone may be a coincidence


def test_a_post_that_is_all_repetition_stays() -> None:
    assert left(f"<p>{FIRST}</p>", f"<blockquote>{FIRST}</blockquote>") == [FIRST, FIRST]


def test_posts_of_few_words() -> None:
    assert left("<p>One.</p>", "<p>Two.</p>") == ["One.", "Two."]


@pytest.mark.slow
def test_a_thread_is_read_with_and_without_its_quotations() -> None:
    thread = kettle_thread(6)
    for number in (4, 6):
        reply = f"<p>{sentence(number)}</p>"
        assert reply in thread
        thread = thread.replace(reply, f"<blockquote><p>{sentence(number - 2)}</p></blockquote>{reply}")
    for drop, times in ((False, 2), (True, 1)):
        page = extractor().read(thread, options=Options(sections=False, kinds=False, drop_quotes=drop))
        assert page.main_text.count(sentence(2)) == times
        quotes = any(sentence(2) in pair.answer and sentence(4) in pair.answer for pair in page.qa_pairs)
        assert quotes is not drop


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
