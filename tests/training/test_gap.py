"""Where wrongly labelled blocks are."""

from __future__ import annotations

import numpy as np

from scrapy_semtext.training.datasets import AnnotatedPage
from scrapy_semtext.training.experiments.gap import Labels, best_cut, labelled, report


def test_the_best_cut_goes_through_the_order_of_the_blocks() -> None:
    truth = np.array([True, False, True, False])
    assert best_cut(np.array([0.9, 0.1, 0.4, 0.2]), truth).tolist() == [True, False, True, False]
    assert best_cut(np.array([0.9, 0.5, 0.4, 0.2]), truth).tolist() == [True, True, True, False]
    assert best_cut(np.array([0.9, 0.5]), np.array([False, False])).tolist() == [False, False]
    assert best_cut(np.zeros(0), np.zeros(0, dtype=np.bool_)).tolist() == []


def test_errors_are_counted_by_words_and_pages() -> None:
    yes, no = np.array([True, True, False]), np.array([False, True, False])
    page = Labels((yes, no, no), no, np.array([2.0, 40.0, 7.0]))
    lines = report([page]).splitlines()
    assert lines[2] == "| labels | 50.0 | 100.0 | 66.7 | 50.0 | 100.0 | 66.7 |"
    assert lines[4] == "| best cut of each page | 100.0 | 100.0 | 100.0 | 100.0 | 100.0 | 100.0 |"
    assert lines[-6:-2] == [
        "| 0 to 3 | 1 | 0 | 1 |",
        "| 4 to 9 | 1 | 0 | 0 |",
        "| 10 to 29 | 0 | 0 | 0 |",
        "| 30 and more | 1 | 1 | 0 |",
    ]
    assert lines[-1] == "100 % of the errors are on 1 of 1 pages."


def test_pages_are_labelled_by_the_shipped_model_and_by_the_truth() -> None:
    story = " ".join(f"Sentence {number} of the story says what happened that day." for number in range(20))
    html = f"<nav><a href=/>Home</a></nav><article><h1>A story</h1><p>{story}</p></article><footer>Imprint</footer>"
    page = AnnotatedPage("1", "made", None, "article", "en", html, f"A story\n{story}", "example.com")
    (found,) = labelled([page], progress=False)
    assert found.truth.tolist() == [False, True, True, False]
    assert found.ways[1].tolist() == found.truth.tolist()
    assert found.ways[0][2]
    assert found.words[2] == 20 * 10
