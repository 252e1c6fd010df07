from __future__ import annotations

import numpy as np
import pytest

from scrapy_semtext.training.alignment import aligned_shares, label_blocks
from scrapy_semtext.training.snippets import Run, common_runs, stray_runs

BODY = [
    "The boilerplate of a page is everything that is not the reason why somebody came to it.",
    "Menus and adverts are easy to tell. Comments are not: on some pages they are what one came for.",
    "A labeled page is therefore a matter of opinion, and two annotators agree on nine words of ten.",
]
MENU = ["Home", "About us", "Contact", "Subscribe to our newsletter"]
FOOTER = ["© 2024 Example Ltd", "Privacy policy", "About us"]


def points(text: str) -> np.ndarray:
    return np.array([ord(char) for char in text], dtype=np.uint32)


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

    def test_words_of_other_blocks_that_occur_in_the_truth_are_no_content(self) -> None:
        truth = "\n".join(BODY).replace(
            " they are what one came for", " we comment at home, about as often as elsewhere"
        )
        assert label_blocks([*MENU, *BODY, *FOOTER], truth) == [False] * 4 + [True] * 3 + [False] * 3

    def test_text_without_spaces(self) -> None:
        body = ["正文抽取是从网页中识别主要内容的任务。", "导航栏、广告和版权声明不属于正文。"]
        truth = "正文抽取是从网页里识别主要内容的任务。" + body[1]
        assert label_blocks(["首页", *body, "版权所有"], truth) == [False, True, True, False]

    @pytest.mark.parametrize("truth", ["", " \n"])
    def test_an_empty_truth(self, truth: str) -> None:
        assert aligned_shares(["Home", ""], truth) == [0, 0]

    def test_empty_pages_and_blocks(self) -> None:
        assert aligned_shares([], "text") == []
        assert aligned_shares(["", " \u200b", "text"], "text") == [0, 0, 1]

    def test_lone_surrogates(self) -> None:
        assert aligned_shares(["broken \ud83d text of a page"], "broken \ud83d text of a page") == [1]


class TestPlace:
    """Text that the page has several times goes where the rest of the truth is."""

    def test_a_title_goes_next_to_the_body(self) -> None:
        title = "On the boilerplate of pages"
        menu = [f"Menu entry {number}" for number in range(30)]
        blocks = [title, "Home", *menu, title, "By A. Writer", *BODY, "Read also", title]
        labels = label_blocks(blocks, "\n".join([title, *BODY]))
        assert labels == [False] * 32 + [True, False, True, True, True, False, False]

    def test_a_closing_line_goes_next_to_the_body(self) -> None:
        labels = label_blocks(
            [*BODY, "Thanks for reading", "Share", "Thanks for reading"], "\n".join([*BODY, "Thanks for reading"])
        )
        assert labels == [True, True, True, True, False, False]

    def test_a_sentence_quoted_in_a_teaser_before(self) -> None:
        assert label_blocks([BODY[1], *MENU, *BODY], "\n".join(BODY)) == [False] * 5 + [True] * 3

    def test_a_page_that_holds_its_content_twice(self) -> None:
        labels = label_blocks([*BODY, "mobile", *BODY], "\n".join(BODY))
        assert sum(labels) == 3

    def test_text_out_of_order_counts_once(self) -> None:
        review = "Arrived well packaged and in a better condition than the photographs had led me to expect."
        blocks = [*BODY, "Reviews", review, "More reviews", review]
        labels = label_blocks(blocks, "\n".join([review, *BODY]))
        assert labels[:3] == [True] * 3
        assert sorted(labels[3:]) == [False, False, False, True]

    def test_short_text_out_of_order_does_not_count(self) -> None:
        assert label_blocks(["Reviews", *BODY], "\n".join([*BODY, "Reviews"]))[0] is False


class TestLongPages:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("blocks", "truth"),
        [
            (["a" * 1000] * 300, "a" * 200_000),
            (["a " * 500] * 300, "a " * 100_000),
            ([BODY[0]] * 3000, "\n".join([BODY[0]] * 2000)),
            ([f"{number}" for number in range(30_000)], " ".join(f"{number}" for number in range(0, 30_000, 3))),
        ],
        ids=["letter", "word", "sentence", "numbers"],
    )
    def test_repetitions(self, blocks: list[str], truth: str) -> None:
        assert len(aligned_shares(blocks, truth)) == len(blocks)

    @pytest.mark.slow
    def test_a_long_page(self) -> None:
        blocks = [f"{sentence} {number} {number * 7919}" for number in range(2000) for sentence in BODY]
        assert label_blocks(blocks, "\n".join(blocks[1000:5000])) == [1000 <= n < 5000 for n in range(6000)]


class TestSnippets:
    def test_unique_snippets_become_runs(self) -> None:
        runs = common_runs(points("xx0123456789abcdef"), points("menu0123456789abcdef!"))
        assert runs == [Run(truth=2, page=4, size=16)]

    def test_the_heaviest_chain_in_one_direction_is_kept(self) -> None:
        first, second, third = "abcdefghijklmno", "9876543210zyxwvutsrqponml", "ABCDEFGHIJKLMNOPQRSTUVW"
        runs = common_runs(points(first + second + third), points(second + "--" + third + first))
        assert runs == [Run(15, 0, 25), Run(40, 27, 23)]

    def test_of_equal_copies_the_first_or_the_last_is_taken(self) -> None:
        page = points("a title in words, menu, a title in words; by")
        assert common_runs(points("a title in words"), page) == [Run(0, 0, 16)]
        assert common_runs(points("a title in words"), page, late=True) == [Run(0, 24, 16)]

    def test_texts_shorter_than_a_snippet(self) -> None:
        assert common_runs(points("123456789"), points("123456789")) == []
        assert common_runs(points(""), points("0123456789")) == []

    def test_strays_keep_to_free_places(self) -> None:
        text = "0123456789abcdefghijklmnopqrstuvwxyz"
        free_truth, free_page = np.ones(36, dtype=bool), np.ones(40, dtype=bool)
        free_page[10:15] = False
        (run,) = stray_runs(points(text), points("...." + text), free_truth, free_page, 15)
        assert run == Run(truth=11, page=15, size=25)
        assert not free_page[15:40].any()
        assert free_truth.nonzero()[0].tolist() == list(range(11))
