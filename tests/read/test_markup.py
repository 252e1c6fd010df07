"""Question-answer pairs and text from schema.org markup, valid and broken."""

from __future__ import annotations

import json
from typing import Any

import pytest
from timing import cpu_seconds

from scrapy_semtext.page import QAPair
from scrapy_semtext.read.markup import main_text_from_markup, qa_pairs_from_markup
from scrapy_semtext.read.schema import microdata_items
from scrapy_semtext.tree.elements import text_of_html
from scrapy_semtext.tree.parsing import parse

FAQ = """{
  "@context": "https://schema.org", "@type": "FAQPage",
  "mainEntity": [
    {"@type": "Question", "name": "Do you ship abroad?",
     "acceptedAnswer": {"@type": "Answer", "text": "Yes, to 40 countries."}},
    {"@type": "Question", "name": "Can I return it?",
     "acceptedAnswer": {"@type": "Answer", "text": "Within 30 days."}}
  ]
}"""

STACK_EXCHANGE = """
<html itemscope itemtype="https://schema.org/QAPage"><body>
<div itemprop="mainEntity" itemscope itemtype="https://schema.org/Question">
  <h1 itemprop="name"><a href="/q/1">Why is RAID not a backup?</a></h1>
  <span itemprop="upvoteCount">427</span>
  <div itemprop="text"><p>People say so.</p><p>Why?</p></div>
  <div itemprop="comment" itemscope itemtype="https://schema.org/Comment"><p itemprop="text">Good one.</p></div>
  <div itemprop="suggestedAnswer" itemscope itemtype="https://schema.org/Answer">
    <div itemprop="upvoteCount" data-value="1,038">1,038</div>
    <div itemprop="text"><p>It guards against one failure.</p><pre>rm -rf &lt;/p&gt;
  --all</pre></div>
    <time itemprop="dateCreated" datetime="2009-05-02T00:09">May 2 '09</time>
    <div itemprop="author" itemscope itemtype="https://schema.org/Person">
      <a itemprop="url" href="/users/1"></a><span itemprop="name">Kevin</span></div>
    <div itemprop="comment" itemscope itemtype="https://schema.org/Comment"><p itemprop="text">Thanks!</p></div>
  </div>
  <div itemprop="acceptedAnswer" itemscope itemtype="https://schema.org/Answer">
    <div itemprop="upvoteCount">-2</div><div itemprop="text">Because of fire.</div>
  </div>
</div>"""


def script(text: str, kind: str = "application/ld+json") -> str:
    return f'<html><body><script type="{kind}">{text}</script><p>A shop.</p></body></html>'


def pairs(html: str) -> list[tuple[str, str]]:
    return [(pair.question, pair.answer) for pair in qa_pairs_from_markup(html)]


FAQ_PAIRS = [("Do you ship abroad?", "Yes, to 40 countries."), ("Can I return it?", "Within 30 days.")]


@pytest.mark.smoke
def test_a_question_in_microdata_with_its_answers_in_page_order() -> None:
    question = "Why is RAID not a backup?\nPeople say so.\nWhy?"
    title, body = question.split("\n", 1)
    assert qa_pairs_from_markup(parse(STACK_EXCHANGE), "https://example.com/q/1") == [
        QAPair(
            question=question,
            answer="It guards against one failure.\nrm -rf </p>\n  --all",
            question_title=title,
            question_body=body,
            author="Kevin",
            date="2009-05-02T00:09",
            votes=1038,
            accepted=False,
            source="markup",
        ),
        QAPair(
            question=question,
            answer="Because of fire.",
            question_title=title,
            question_body=body,
            votes=-2,
            accepted=True,
            source="markup",
        ),
    ]


def test_answers_that_nothing_ties_to_the_only_question() -> None:
    html = """<div itemscope itemtype="http://schema.org/Question"><h1 itemprop="name">Who?</h1></div>
        <div itemscope itemtype="http://schema.org/Answer"><p itemprop="text">Me.</p></div>
        <div itemscope itemtype="http://schema.org/Answer"><p>Him.</p></div>"""
    assert [(pair.question, pair.answer, pair.accepted) for pair in qa_pairs_from_markup(html)] == [
        ("Who?", "Me.", None),
        ("Who?", "Him.", None),
    ]


@pytest.mark.smoke
def test_an_faq_in_json_ld() -> None:
    found = qa_pairs_from_markup(script(FAQ))
    assert [(pair.question, pair.answer) for pair in found] == FAQ_PAIRS
    assert {(pair.source, pair.score) for pair in found} == {("markup", 1.0)}


def test_a_page_that_states_its_faq_twice_yields_it_once() -> None:
    assert pairs(script(FAQ) + script(FAQ)) == FAQ_PAIRS


def test_questions_deep_in_a_graph() -> None:
    graph = {"@graph": [{"@type": "WebPage", "hasPart": json.loads(FAQ)}, {"@type": ["Thing", "schema:Question"]}]}
    assert pairs(script(json.dumps(graph))) == FAQ_PAIRS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>One.</p><ul><li>two</li><li>three</li></ul>", "One.\ntwo\nthree"),
        ("&lt;p&gt;Twice &amp;amp; escaped.&lt;/p&gt;", "Twice & escaped."),
        ("<p>Use <code>&lt;p&gt;x&lt;/p&gt;</code>.</p>", "Use <p>x</p>."),
        ("Use &lt;p&gt;x&lt;/p&gt;.", "Use <p>x</p>."),
        ("One.<br>Two.", "One.\nTwo."),
        ("AT&amp;T&nbsp;says", "AT&T says"),
        ("Use a <div> with 3 < 4.", "Use a <div> with 3 < 4."),
        ("\t One.\r\n\r\n\tTwo. \n", "One.\nTwo."),
        ("", ""),
    ],
)
def test_the_html_of_answers_becomes_text(text: str, expected: str) -> None:
    assert text_of_html(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        FAQ.replace("]", ",]"),
        FAQ.replace("abroad?", "abroad?").replace('"@type": "FAQPage",', '"@type": "FAQPage", // all of it'),
        FAQ.replace("mainEntity", "main\x0bEntity"),
        f"<!-- {FAQ} -->",
        f"//<![CDATA[\n{FAQ}\n//]]>",
        f"/*<![CDATA[*/{FAQ}/*]]>*/",
        f"{FAQ};",
        f'{FAQ} "more": "left over"}}',
        FAQ.replace("40", r"40"),
        FAQ[:-1],
        FAQ.replace('"mainEntity": [', '"mainEntity": [ {"broken": } ,'),
        FAQ.replace('"', "&quot;"),
    ],
)
def test_broken_json_ld_gives_the_pairs_that_can_be_read(text: str) -> None:
    assert pairs(script(text)) == FAQ_PAIRS


def test_quotation_marks_that_were_not_escaped() -> None:
    text = FAQ.replace("40", '<b class="n">"forty" or so</b>')
    assert pairs(script(text))[0] == ("Do you ship abroad?", 'Yes, to "forty" or so countries.')


def test_escapes_that_json_does_not_have() -> None:
    assert pairs(script(FAQ.replace("Yes", r"It\'s a yes")))[0][1] == "It's a yes, to 40 countries."


def test_line_breaks_inside_strings() -> None:
    assert pairs(script(FAQ.replace("Yes, to", "Yes,\n\tto")))[0][1].split() == ["Yes,", "to", "40", "countries."]


def test_one_broken_script_does_not_hide_the_others() -> None:
    assert pairs(script("{{{ Question") + script(FAQ, "application/LD+JSON; charset=utf-8")) == FAQ_PAIRS


THREAD: dict[str, Any] = {
    "@type": "DiscussionForumPosting",
    "headline": "Which projector?",
    "text": "Mine is old.",
    "author": {"@type": "Person", "name": "Ann"},
    "datePublished": "2024-01-03",
    "comment": [
        {
            "@type": "Comment",
            "text": "<p>Take a <i>JVC</i>.</p>",
            "author": {"name": "Bob"},
            "datePublished": "2024-01-04",
            "interactionStatistic": [
                {"interactionType": "https://schema.org/CommentAction", "userInteractionCount": 9},
                {"interactionType": {"@type": "LikeAction"}, "userInteractionCount": 3},
            ],
            "comment": {"@type": "Comment", "text": "Or not.", "author": "Cy"},
        },
        {"@type": "Comment", "text": "I agree."},
    ],
}


def test_a_thread_with_comments_and_comments_on_them() -> None:
    found = qa_pairs_from_markup(script(json.dumps(THREAD)))
    assert {pair.question for pair in found} == {"Which projector?\nMine is old."}
    assert [(pair.answer, pair.author, pair.date, pair.votes, pair.accepted) for pair in found] == [
        ("Take a JVC.", "Bob", "2024-01-04", 3, None),
        ("Or not.", "Cy", None, None, None),
        ("I agree.", None, None, None, None),
    ]
    assert [(pair.answer_to, pair.depth) for pair in found] == [(None, 1), (1, 2), (None, 1)]


def test_what_answers_a_comment_without_text_answers_the_one_above_it() -> None:
    comments = {"text": "Take a JVC.", "comment": {"comment": [{"text": "Which?"}, {"text": "The big one."}]}}
    found = qa_pairs_from_markup(script(json.dumps(THREAD | {"comment": [{"text": "Hm."}, comments]})))
    assert [(pair.answer, pair.answer_to, pair.depth) for pair in found] == [
        ("Hm.", None, 1),
        ("Take a JVC.", None, 1),
        ("Which?", 2, 2),
        ("The big one.", 2, 2),
    ]


def test_an_opening_post_among_the_comments_is_the_question() -> None:
    opening = {"text": "Mine is very old.", "author": {"name": "Ann"}, "datePublished": "2024-01-03"}
    thread = THREAD | {"text": THREAD["headline"], "comment": [opening, *THREAD["comment"][1:]]}
    assert pairs(script(json.dumps(thread))) == [("Which projector?\nMine is very old.", "I agree.")]


def posts(positions: range) -> str:
    return "".join(
        f"""<div itemscope itemtype="http://schema.org/DiscussionForumPosting">
        <meta itemprop="headline" content="Which projector?"><span itemprop="position">{position}</span>
        <div itemprop="articleBody">Post {position}</div></div>"""
        for position in positions
    )


def test_posts_that_are_marked_up_each_by_itself_are_a_thread() -> None:
    question = "Which projector?\nPost 1"
    assert pairs(posts(range(1, 4))) == [(question, "Post 2"), (question, "Post 3")]
    assert pairs(posts(range(21, 23))) == [("Which projector?", "Post 21"), ("Which projector?", "Post 22")]


def test_one_post_or_a_question_alone_is_no_pair() -> None:
    assert pairs(posts(range(1, 2))) == []
    assert pairs(script('{"@type": "Question", "name": "Who?"}')) == []
    assert pairs(script('{"@type": "Question", "name": "Who?", "acceptedAnswer": {"text": " "}}')) == []


def test_one_syntax_is_taken_and_completed_from_the_other() -> None:
    comments = "".join(
        f'<div itemprop="comment" itemscope><p itemprop="text">{text}</p></div>' for text in ("Buy it.", "Don’t.")
    )
    shown = f'<div itemscope itemtype="x/DiscussionForumPosting"><h1 itemprop="headline">Buy?</h1>{comments}</div>'
    told = {"@type": "QAPage", "mainEntity": {"@type": "Question", "name": "Buy?"}}
    told["mainEntity"]["acceptedAnswer"] = {"text": "buy it", "upvoteCount": "6", "downvoteCount": 1, "author": "Di"}  # type: ignore[index]
    assert [
        (pair.answer, pair.votes, pair.accepted, pair.author)
        for pair in qa_pairs_from_markup(shown + script(json.dumps(told)))
    ] == [("Buy it.", 5, True, "Di"), ("Don’t.", None, None, None)]


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<p>What is Question? https://schema.org/Question</p>",
        script('{"@type": "Question", "acceptedAnswer": 5, "name": {"a": 1}, "suggestedAnswer": [null, []]}'),
        script('{"@type": {"Question": 1}}'),
        script('{"@type": "Question", "a": ' + "[" * 5_000),
        script('{"Question": ' * 5_000),
        '<div itemprop="suggestedAnswer" itemscope itemtype="https://schema.org/Question">x ' * 2_000,
    ],
)
def test_nonsense_gives_no_pairs_and_raises_nothing(html: str) -> None:
    assert qa_pairs_from_markup(html) == []
    assert main_text_from_markup(parse(html)) is None


def test_text_of_a_page_that_is_rendered_by_script() -> None:
    data = [
        {"@context": "https://schema.org", "@type": "Organization", "description": "A company " * 50},
        {"@type": "Product", "description": "<p>A lamp that <b>shines</b>.</p>", "review": {"@type": "Review"}},
        {"@type": "BreadcrumbList", "itemListElement": [{"@type": "ListItem", "text": "Home " * 50}]},
    ]
    assert main_text_from_markup(parse(script(json.dumps(data)))) == "A lamp that shines."
    assert main_text_from_markup(parse("<p>plain")) is None


def test_itemref_adds_properties_that_stand_elsewhere() -> None:
    page = """
<h1 id=title itemprop=name>How deep is it?</h1>
<div itemscope itemtype="https://schema.org/Question" itemref="title nowhere \x01\ud800 answer"></div>
<div id=answer itemprop=acceptedAnswer itemscope itemtype="https://schema.org/Answer"><p itemprop=text>Two metres.</div>
"""
    (pair,) = qa_pairs_from_markup(parse(page))
    assert (pair.question, pair.answer) == ("How deep is it?", "Two metres.")


def test_items_that_all_refer_to_many_properties_take_linear_time() -> None:
    properties = "<div id=all>" + "<i itemprop=text>Two metres.</i>" * 2_000 + "</div>"
    page = properties + '<p itemscope itemtype="https://schema.org/Question" itemref=all>How deep is it?</p>' * 2_000
    assert cpu_seconds(qa_pairs_from_markup, parse(page)) < 5


def test_microdata_in_any_form() -> None:
    page = """<div itemscope itemtype="Article x:News" itemref="more no-such">
      <a itemprop=name href=/a>A name</a> <b itemprop="author editor" content=Ann></b>
      <time itemprop=date datetime=2024></time><p itemprop=part>One</p>
      <p itemprop=part>Two <i itemscope itemprop=about itemtype=Thing>three</i></p></div>
      <div id=more><b itemprop=more>Four</b><div itemscope itemprop=about itemref=more></div></div>"""
    article, thing = {"@value": "A name"}, {"@type": "Thing", "@order": 8, "text": {"@value": "three"}}
    (found,) = microdata_items(parse(page))
    assert found.pop("@order") < thing["@order"]
    assert isinstance(found["about"], list)
    found["about"][0].pop("@order")
    assert found == {
        "@type": ["Article", "x:News"],
        "name": article,
        "author": "Ann",
        "editor": "Ann",
        "date": "2024",
        "part": [{"@value": "One"}, {"@value": "Two three"}],
        "about": [
            {"@type": "Thing", "text": {"@value": "three"}},
            {"@type": [], "@order": found["about"][1]["@order"], "more": {"@value": "Four"}, "about": None},
        ],
        "more": {"@value": "Four"},
    }


@pytest.mark.parametrize(
    "odd",
    [
        {"@order": "first"},
        {"@order": float("inf")},
        {"@order": None},
        {"upvoteCount": "9" * 5_000},
        {"upvoteCount": [{"@value": []}]},
        {"@type": 1.5},
        {"@type": True},
        {"@type": {"of": "Answer"}},
        {"author": [[{"name": 3}]], "dateCreated": {}},
    ],
)
def test_values_that_no_answer_should_have(odd: dict[str, Any]) -> None:
    answer = {"@type": "Answer", "text": "Yes."} | odd
    assert pairs(script(json.dumps({"@type": "Question", "name": "So?", "acceptedAnswer": answer}))) == [
        ("So?", "Yes.")
    ]


@pytest.mark.parametrize(
    "waste",
    ['{"a": "' + '\\"' * 20_000, "/* " * 20_000, '{"a": [' * 400 + "1, " * 20_000, '{ "' * 20_000],
    ids=["string", "comments", "nested", "openings"],
)
def test_pairs_before_long_broken_json_ld_are_read(waste: str) -> None:
    assert pairs(script(f"{FAQ} {waste}")) == FAQ_PAIRS


def test_comments_and_commas_that_json_does_not_have() -> None:
    text = FAQ.replace('"mainEntity"', '/* all, } */ "mainEntity"').replace("}}\n", "}}, // the last }\n")
    assert text.count("/*") == text.count("//") - 1 == 1
    assert pairs(script(text)) == FAQ_PAIRS


def test_comments_that_are_postings_themselves_are_one_thread() -> None:
    posting: dict[str, Any] = {"@type": "DiscussionForumPosting"}
    answers = [posting | {"text": "One.", "comment": posting | {"text": "Two."}}, posting | {"text": "Three."}]
    thread = posting | {"headline": "Which?", "comment": answers}
    assert pairs(script(json.dumps(thread))) == [("Which?", "One."), ("Which?", "Two."), ("Which?", "Three.")]


def test_postings_deep_inside_each_other_that_say_the_same_are_one_pair() -> None:
    begin = '{"@type": "DiscussionForumPosting", "headline": "Which?", "text": "This.", "comment": '
    assert len(pairs(script(begin * 400 + "[]" + "}" * 400))) == 1


def test_lone_surrogates_of_json_are_replaced() -> None:
    answer = {"@type": "Answer", "text": "It takes an hour \ud83d\ude00 and rest \ud800."}
    data = {"@type": "FAQPage", "mainEntity": [{"@type": "Question", "name": "How long?", "acceptedAnswer": answer}]}
    (pair,) = qa_pairs_from_markup(parse(script(json.dumps(data))))
    assert pair.answer == "It takes an hour \U0001f600 and rest \ufffd."


def test_facts_of_an_answer_are_not_those_of_one_that_quotes_it() -> None:
    quote = (
        "Take the battery out, wait a minute, put it back, press the button until the light goes on, then let it go."
    )
    posts = {"Ann": quote, "Ben": f"{quote} That helped."}
    answers = [{"@type": "Answer", "text": text, "author": {"name": name}} for name, text in posts.items()]
    page = {"@type": "QAPage", "mainEntity": {"@type": "Question", "name": "How?", "suggestedAnswer": answers}}
    spoken = "".join(
        f"<p itemprop='suggestedAnswer' itemscope itemtype='http://schema.org/Answer'><b itemprop='text'>{text}</b></p>"
        for text in (f"{quote[:95]}…", posts["Ben"])
    )
    html = (
        f"<script type='application/ld+json'>{json.dumps(page)}</script><div itemscope"
        f" itemtype='https://schema.org/Question'><h1 itemprop='name'>How?</h1>{spoken}</div>"
    )
    assert {pair.author: pair.answer for pair in qa_pairs_from_markup(html)} == posts
