from __future__ import annotations

import numpy as np
import pytest

from scrapy_semtext.features.blocks import FEATURES, block_features
from scrapy_semtext.features.table import describe as described

PAGE = """
<title>On cats</title>
<nav><a href=1>Home</a><a href=2>Cats</a></nav>
<main><h1>On cats</h1><p>Cats sleep, eat and sleep. They are 4000 years old.</p><p class=n hidden>Later.</p></main>
<div><div>Cats sleep</div></div>
"""


def describe(html: str = PAGE, title: str = "On cats") -> dict[str, list[float]]:
    page = described(html, None)
    stop = frozenset(("and", "are", "they", "on"))
    found = block_features(page.layout(), [title], [stop])
    assert found.dtype == np.float32
    assert found.shape[1] == len(FEATURES)
    return {name: [round(float(x), 3) for x in column] for name, column in zip(FEATURES, found.T, strict=True)}


@pytest.mark.smoke
def test_what_the_columns_hold() -> None:
    got = describe()
    assert got["link_share"] == [0.889, 0, 0, 0, 0]  # "Home Cats", of which the space is no link
    assert got["hidden"] == [0, 0, 0, 1, 0]
    assert got["title_overlap"][1] == 1
    assert got["ends_sentence"] == [0, 0, 1, 1, 0]
    assert got["digit_share"][2] > 0 == got["digit_share"][1]
    assert got["stop_word_share"][2] == 0.3  # and, They, are of ten words
    assert got["position"] == [0, 0.2, 0.4, 0.6, 0.8]


def test_a_block_sees_the_elements_around_it() -> None:
    got = describe()
    main = [got["parent_share"][block] for block in (1, 2, 3)]
    assert len(set(main)) == 1
    assert main[0] > got["parent_share"][4]
    assert got["log_levels_up"][1] == 0.693  # </nav>: ln(1 + 1)
    assert got["log_levels_down"][1] == 1.099  # <main><h1>: ln(1 + 2)


def test_a_page_without_blocks() -> None:
    assert described("", None).block_features().shape == (0, len(FEATURES))


def test_characters_of_any_script_are_counted() -> None:
    found = describe("<h1>Да, МОСКВА: ٣ и 𝟕!</h1><p>日本、二〇。</p><pre>\U0010ffff plain</pre>")
    assert np.expm1(found["log_sentence_ends"]).round().tolist() == [1, 1, 0]
    assert np.expm1(found["log_commas"]).round().tolist() == [2, 1, 0]
    assert found["digit_share"] == [round(2 / 18, 3), 0, 0]
    assert found["upper_share"] == [round(7 / 18, 3), 0, 0]


def test_two_characters_of_a_script_without_spaces_count_as_a_word() -> None:
    texts = {"猫是一种动物,喜欢睡觉。": 1 + 5, "ネコはよく眠る": 1 + 3, "แมวนอน 42": 2 + 3, "고양이는 잔다": 2}
    found = describe("".join(f"<div><p>{text}</p></div>" for text in texts), "")
    assert np.expm1(found["log_words"]).round().tolist() == [*texts.values()]
