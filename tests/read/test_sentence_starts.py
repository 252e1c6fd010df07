from __future__ import annotations

from itertools import pairwise

import pytest

from scrapy_semtext.read.chunks import sentence_starts


@pytest.mark.parametrize(
    "sentences",
    [
        ["It rains. ", "It pours! ", "Does it? ", "Yes…"],
        ['He said "Go." ', "She went.[12] ", "(They did not.) ", "1984 was a year."],
        ["See Dr. Smith, J. R. Tolkien and e.g. Fig. 3 on p. 4. ", "Then go."],
        ["The file is a.b.c and v1.2.3 is out. ", "Get it."],
        ["Wait... what? ", "No."],
        ["So did I. ", "They left."],
        ["今日は雨です。", "明日は晴れ！", "「はい。」", "終わり"],
        ["Es regnet. ", "Über Nacht z.B. nicht.\n", "Gut."],
    ],
)
def test_sentences(sentences: list[str]) -> None:
    text = "".join(sentences)
    starts = [0, *sentence_starts(text, 0, len(text)), len(text)]
    assert [text[begin:end] for begin, end in pairwise(starts)] == sentences


def test_only_a_part_of_a_text_is_searched() -> None:
    text = "One. Two. Three. Four."
    assert [*sentence_starts(text, 5, 16)] == [10]
