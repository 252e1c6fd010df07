from __future__ import annotations

import pytest

from scrapy_semtext.train.corpus import aligned_shares, label_blocks

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
