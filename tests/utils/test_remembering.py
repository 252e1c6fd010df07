"""What is remembered of short texts, and of none that is long."""

from __future__ import annotations

from scrapy_semtext.utils.remembering import LONGEST, remembered


def test_short_texts_are_read_once_and_long_ones_each_time() -> None:
    seen: list[int] = []

    @remembered(2)
    def length(text: str) -> int:
        """Return the length."""
        seen.append(len(text))
        return len(text)

    for text in ("a", "a", "x" * LONGEST, "x" * LONGEST, "x" * (LONGEST + 1), "x" * (LONGEST + 1)):
        assert length(text) == len(text)
    assert seen == [1, LONGEST, LONGEST + 1, LONGEST + 1]
    assert length.__doc__ == "Return the length."


def test_as_many_are_kept_as_was_asked_for() -> None:
    seen: list[str] = []

    @remembered(2)
    def read(text: str) -> None:
        seen.append(text)

    for text in ("a", "b", "c", "a", "c"):
        read(text)
    assert seen == ["a", "b", "c", "a"]
