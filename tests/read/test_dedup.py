"""Near-identical pairs: which pairs are, in any script, and how many are remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_semtext import QAPair

pytest.importorskip("datasketch")

from scrapy_semtext.read.pair_rows import PairMemory

if TYPE_CHECKING:
    from pathlib import Path

LONG = " ".join(f"This is step number {n} of the recipe, and step {n * 7} is like it." for n in range(30))


def memory(size: int = 100, threshold: float = 0.85) -> PairMemory:
    return PairMemory(threshold, size)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (("How do I bake?", "Mix it, then bake it."), ("How do I bake?", "Mix it, then bake it."), True),
        (("How do I bake?", "Mix it, then bake it."), ("HOW DO I BAKE", "mix it;  then bake it!"), True),
        (("How?", LONG), ("How?", LONG + " Enjoy."), True),
        (("How?", "Yes."), ("How?", "No."), False),
        (("May I?", "Yes."), ("Must I?", "Yes."), False),
        ((LONG, "Mix it, then bake it."), (LONG, "Buy it at the shop."), False),  # answers to a long question
        (("面包怎么烤?", "把面粉和水混合,然后烤四十分钟。"), ("面包怎么烤", "把面粉和水混合,然后烤四十分钟!"), True),
        (("面包怎么烤?", "把面粉和水混合,然后烤四十分钟。"), ("面包怎么烤?", "去商店买。"), False),
        (("パンの焼き方は?", "小麦粉と水を混ぜて焼きます。"), ("パンの焼き方は", "小麦粉と水を混ぜて焼きます"), True),
        (("?", "!"), ("?", "..."), True),
        (("half \ud83d?", "\ud83d"), ("half \ud83d", "\ud83d"), True),
    ],
)
def test_near_identical_pairs(first: tuple[str, str], second: tuple[str, str], *, same: bool) -> None:
    seen = memory()
    assert seen.is_new(QAPair(*first))
    assert seen.is_new(QAPair(*second)) is not same


def test_the_threshold_says_how_near() -> None:
    first, second = QAPair("How?", LONG), QAPair("How?", LONG[: len(LONG) * 3 // 4])
    strict, loose = memory(threshold=0.95), memory(threshold=0.5)
    assert [strict.is_new(first), strict.is_new(second)] == [True, True]
    assert [loose.is_new(first), loose.is_new(second)] == [True, False]


def test_no_more_are_remembered_than_fit_and_what_is_met_stays() -> None:
    seen = memory(size=3)
    pairs = [QAPair(f"Question {name}?", f"{name} is the answer to it.") for name in ("one", "two", "three", "four")]
    assert [seen.is_new(pair) for pair in pairs[:3]] == [True] * 3
    assert not seen.is_new(pairs[0])  # met again, so the second is now the one that was not met for longest
    assert seen.is_new(pairs[3])
    assert len(seen) == 3
    assert not seen.is_new(pairs[0])
    assert seen.is_new(pairs[1])


def test_what_was_saved_is_remembered(tmp_path: Path) -> None:
    seen, later, small = memory(), memory(), memory(size=1)
    pairs = [QAPair(f"Question {n}?", f"Answer {n} of many.") for n in ("one", "two")]
    assert all(seen.is_new(pair) for pair in pairs)
    seen.save(tmp_path / "state.npy")
    later.load(str(tmp_path / "state.npy"))
    small.load(tmp_path / "state.npy")
    assert [later.is_new(pair) for pair in pairs] == [False, False]
    assert [small.is_new(pair) for pair in reversed(pairs)] == [False, True], "the last ones are kept"


@pytest.mark.parametrize("content", [b"", b"not numpy", b"\x93NUMPY\x01\x00"])
def test_a_broken_file_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "state.npy").write_bytes(content)
    with pytest.raises((ValueError, OSError)):
        memory().load(tmp_path / "state.npy")
