"""Labels of blocks and posts by their true text, and scores by them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import pytest

from scrapy_semtext import Extractor, Page, Source
from scrapy_semtext.cli import main
from scrapy_semtext.train.corpus import PageExample, aligned_shares, label_blocks, prepare_page, word_prf
from scrapy_semtext.train.datasets import AnnotatedPage, split_side
from scrapy_semtext.train.evaluate import evaluate
from scrapy_semtext.train.posts import PairPage, PostExample, Role, comment_label, post_examples

pytest.importorskip("lightgbm")

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_semtext.features.table import ParsedPage


BODY = [
    "The boilerplate of a page is everything that is not the reason why somebody came to it.",
    "Menus and adverts are easy to tell. Comments are not: on some pages they are what one came for.",
    "A labeled page is therefore a matter of opinion, and two annotators agree on nine words of ten.",
]
MENU = ["Home", "About us", "Contact", "Subscribe to our newsletter"]
FOOTER = ["© 2024 Example Ltd", "Privacy policy", "About us"]


class TestLabels:
    def test_an_article_between_menu_and_footer(self) -> None:
        labels = label_blocks([*MENU, *BODY, *FOOTER], "\n".join(BODY))
        assert labels == [False] * 4 + [True] * 3 + [False] * 3

    def test_white_space_case_and_invisible_characters_do_not_count(self) -> None:
        blocks = [
            "ONE  SENTENCE\nthat was  set in small capitals,",
            "and the soft\u00adened sec\u200bond caf\u0065\u0301",
        ]
        assert aligned_shares(blocks, "One sentencethat was set in small\tcapitals, and the softened second café") == [
            1,
            1,
        ]

    def test_two_thirds_of_a_block_must_be_aligned(self) -> None:
        block = "abcdefghij klmnopqrst" + " uvwxyzäöü"
        assert aligned_shares([block], "abcdefghij klmnopqrst") == [pytest.approx(20 / 29)]
        assert label_blocks([block], "abcdefghij klmnopqrst") == [True]
        assert label_blocks([block + "!!"], "abcdefghij klmnopqrst") == [False]

    def test_a_block_that_the_truth_has_rewritten(self) -> None:
        truth = BODY[0].replace("everything", "all")
        assert 0.75 < aligned_shares([*MENU, BODY[0]], truth)[-1] < 0.95

    def test_text_without_spaces(self) -> None:
        body = ["正文抽取是从网页中识别主要内容的任务。", "导航栏、广告和版权声明不属于正文。"]
        truth = "正文抽取是从网页里识别主要内容的任务。" + body[1]
        assert label_blocks(["首页", *body, "版权所有"], truth) == [False, True, True, False]

    def test_empty_pages_and_blocks(self) -> None:
        assert aligned_shares([], "text") == []
        assert aligned_shares(["", " \u200b", "text"], "text") == [0, 0, 1]

    def test_lone_surrogates(self) -> None:
        assert aligned_shares(["broken \ud83d text of a page"], "broken \ud83d text of a page") == [1]


class TestPlace:
    """Text that occurs several times on the page is aligned close to the rest of the truth."""

    def test_a_title_goes_next_to_the_body(self) -> None:
        title = "On the boilerplate of pages"
        menu = [f"Menu entry {number}" for number in range(30)]
        blocks = [title, "Home", *menu, title, "By A. Writer", *BODY, "Read also", title]
        labels = label_blocks(blocks, "\n".join([title, *BODY]))
        assert labels == [False] * 32 + [True, False, True, True, True, False, False]

    def test_a_sentence_quoted_in_a_teaser_before(self) -> None:
        assert label_blocks([BODY[1], *MENU, *BODY], "\n".join(BODY)) == [False] * 5 + [True] * 3

    def test_a_page_that_holds_its_content_twice(self) -> None:
        labels = label_blocks([*BODY, "mobile", *BODY], "\n".join(BODY))
        assert sum(labels) == 3


HEADING, NOTE = "Results for apple pie", "A note of the cook on apples and their many kinds."
STEPS = "Peel the apples, cut them in thin slices and bake them for an hour.", "Serve the pie while it is still warm."
HTML = f"""<nav><p>Home of the cooks</p></nav><h1>{HEADING}</h1><div><p>{NOTE}</p></div><hr>
<div><p>{STEPS[0]}</p><p>{STEPS[1]}</p></div>
<div><p><a href="/other">Another pie that you may want to bake tomorrow</a></p></div>"""


def page(kind: str, text: str = "\n".join(STEPS)) -> AnnotatedPage:
    return AnnotatedPage("1", "set", None, kind, "en", HTML, text, "example.com")


def texts(parsed: ParsedPage) -> list[str]:
    return [block.text for block in parsed.text_blocks]


def example(kind: str) -> PageExample[list[str]]:
    found = prepare_page(page(kind), texts, scored=False)
    assert found is not None
    return found


def unknown(kind: str) -> str:
    found = example(kind)
    return "\n".join(text for text, known in zip(found.input, found.known, strict=True) if not known)


def test_of_a_recipe_only_navigation_and_links_are_surely_boilerplate() -> None:
    assert unknown("recipe") == f"{HEADING}\n{NOTE}"
    found = example("recipe")
    assert "\n".join(text for text, label in zip(found.input, found.labels, strict=True) if label) == "\n".join(STEPS)


def test_pages_with_unknown_labels_are_not_scored() -> None:
    assert prepare_page(page("recipe"), texts, scored=True) is None
    assert prepare_page(page("article"), texts, scored=True) is not None


ARTICLE = "The bridge over the river opens again after two years of work on its piers."
COMMENTS = ["I drove around for two whole years.", "Does the toll stay the same as before?"]


def post_example(
    role: Role, *, name: str = "comments", date: str = "3 May 2024", main_text: str = ARTICLE
) -> PostExample:
    listed = "".join(f"<li><b>Ann</b> <i>{date}</i><p>{text}</p></li>" for text in COMMENTS)
    html = f"<article><p>{ARTICLE}</p></article><ol class={name}>{listed}</ol>"
    posts = COMMENTS if role in ("comments", "posts") else []
    page = PairPage("1", role, "article", "e", "e.example", None, "wcxb_dev", html, posts, None, main_text, True)
    (made,) = post_examples(page)
    return made


def label(one: PostExample, *, named: bool = True) -> bool | None:
    scopes = one.nodes.scopes
    bodies = tuple(node for node, scope in enumerate(scopes) if scope.tag == "p" and scopes[node - 1].tag != "article")
    return comment_label(one, bodies, [one.nodes.text(body) for body in bodies], named=named)


def test_known_comments_count() -> None:
    assert label(post_example("comments")) is True
    assert comment_label(post_example("comments"), (1,), [ARTICLE], named=True) is False


def test_posts_of_threads_are_no_comments() -> None:
    assert label(post_example("posts")) is False


def test_texts_outside_the_main_text_count_if_they_are_named_and_signed() -> None:
    assert label(post_example("none")) is True
    assert label(post_example("none", main_text="\n".join([ARTICLE, *COMMENTS]))) is False
    assert label(post_example("none"), named=False) is None
    assert label(post_example("none", name="box")) is False  # no name on the page is one of comments


def write_pages(path: Path, domains: list[str]) -> None:
    with path.open("w") as out:
        for domain in domains:
            row = {"id": domain, "dataset": "wcxb_dev", "url": f"https://{domain}/", "page_type": "article"}
            out.write(
                json.dumps(row | {"lang": None, "html": f"<p>{domain}</p>", "text": "one two", "extra": {}}) + "\n"
            )


class FirstFails:
    """Returns three words of every page, but fails on the first of each batch."""

    def read_many(self, sources: list[Source]) -> list[Page | Exception]:
        return [RuntimeError("no"), *(Page(main_text="one two three") for _ in sources[1:])]


def test_the_score_is_the_mean_over_the_pages_of_a_side_and_failures_count(tmp_path: Path) -> None:
    domains = [f"site{number}.com" for number in range(40)]
    kept_out = [domain for domain in domains if split_side(domain) == "test"]
    assert 0 < len(kept_out) < 16  # one batch
    write_pages(tmp_path / "pages.jsonl", domains)
    extractor = cast("Extractor", FirstFails())
    found = evaluate([tmp_path / "pages.jsonl"], extractor, progress=False)
    f1 = 2 * 2 / (3 + 2)  # "one two three" against "one two"
    assert found["all"] == found["article"]
    assert found["all"]["pages"] == len(kept_out)
    assert found["all"]["f1"] == pytest.approx((len(kept_out) - 1) * f1 / len(kept_out))
    assert evaluate([tmp_path / "pages.jsonl"], extractor, folds=(), progress=False)["all"]["pages"] == 40


def test_scores_by_language(tmp_path: Path) -> None:
    with (tmp_path / "pages.jsonl").open("w") as out:
        for number, lang in enumerate(("pl", "el", "pl")):
            row = {
                "id": str(number),
                "url": f"https://site{number}.com/",
                "lang": lang,
                "html": "<p>x</p>",
                "text": "one",
            }
            out.write(json.dumps(row) + "\n")
    extractor = cast("Extractor", FirstFails())
    found = evaluate([tmp_path / "pages.jsonl"], extractor, folds=(), by="lang", progress=False)
    assert {name: group["pages"] for name, group in found.items()} == {"all": 3, "pl": 2, "el": 1}
    assert found["pl"]["errors"] == 1
    assert found["el"]["f1"] == pytest.approx(0.5)  # one word of three


def test_a_set_that_gives_no_page_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pages.jsonl"
    used = next(domain for domain in map("site{}.com".format, range(40)) if split_side(domain) != "test")
    write_pages(path, [used])
    assert main(["dev", "evaluate", str(path)]) == 1
    message = capsys.readouterr()
    assert f"Nothing of {path} was measured: all its domains may have been used" in message.err
    path.write_text('{"id": 1, "url": "https://site.com/", "html": "<p>x", "done": false, "blocks": []}\n')
    assert main(["dev", "evaluate", str(path), "--all-domains"]) == 1
    assert "it has no pages (those of `semtext label` have to be marked as done)" in capsys.readouterr().err
    assert message.out == ""


def test_word_prf_counts_each_word_as_often_as_both_texts_have_it() -> None:
    # the(2) cat sat on mat | the cat sat(2): three words in common of six and of four
    score = word_prf("The cat sat on the mat.", "the cat sat; sat")
    assert score == pytest.approx((3 / 6, 3 / 4, 0.6))
