"""Regular expressions take time linear in the text, even for the worst text for each of them."""

from __future__ import annotations

import re
import warnings

import pytest

from security import regexes

#: As long as a text can be made that a page gives to a pattern of which the code does not bound the text.
LONG = 2_000

#: Patterns that take more than linear time, and the most characters of a text that the code gives to them.
BOUNDED = {
    "read.chunks._LAST_WORD": 8,
    "labelers.textsweeper._TEASER_END": 40,
    "read.dates._IS_BEFORE": 40,
    "read.facts._COUNTED": 80,
    "read.thread_pages._STATED": 60,
    "read.records._PRICE": 60,
    "read.line_features._NUMBERED": 60,
    "tree.tags._DISPLAYS[0]": 60,
}
#: Patterns that are tried by `match` alone, through a name of their own.
ANCHORED = ("words.cues.ANSWER_PREFIX", "words.cues._NUMBER", "read.line_features._NUMBERED")
#: Patterns for texts whose white space is single spaces.
SINGLE_SPACES = ("read.title._SEPARATOR", "read.dates._AFTER")
#: Patterns for what does not come from pages.
TRUSTED = ("cli.checks",)


def all_patterns() -> dict[str, re.Pattern[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some libraries warn when they are imported
        return {name.removeprefix("scrapy_semtext."): pattern for name, pattern in regexes.patterns().items()}


@pytest.mark.slow
def test_each_pattern_is_linear_on_its_worst_text() -> None:
    patterns, slow = all_patterns(), []
    for name, pattern in patterns.items():
        if name.startswith(TRUSTED):
            continue
        anchored = name in ANCHORED or regexes.is_anchored(f"scrapy_semtext.{name}")
        for case in regexes.worst_cases(pattern):
            if name in SINGLE_SPACES and case[1].isspace():
                continue
            if seconds := regexes.slowest(pattern, case, anchored=anchored, longest=BOUNDED.get(name, LONG)):
                slow.append(f"{name}: {seconds:.2f} s for {case}")
                break
    assert not slow, "\n".join(["these take more than linear time; change them, or bound the text:", *slow])
    assert len(patterns) > 200
    assert {*BOUNDED, *ANCHORED, *SINGLE_SPACES} <= patterns.keys(), "the lists name none that is gone"


@pytest.mark.slow
@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(?:a|a)*b", r"\s+$", r"(?:[^<]+|<b)*>"])
def test_patterns_that_are_not_linear_are_found(pattern: str) -> None:
    compiled = re.compile(pattern)
    assert any(regexes.slowest(compiled, case, anchored=False, longest=LONG) for case in regexes.worst_cases(compiled))


@pytest.mark.parametrize("pattern", [r"a+b", r"(?<!\s)\s+$", r"<title\b[^>]{0,99}>", r"\bpage \d{1,5}\b"])
def test_patterns_that_are_linear_pass(pattern: str) -> None:
    compiled = re.compile(pattern)
    found = [regexes.slowest(compiled, case, anchored=True, longest=LONG) for case in regexes.worst_cases(compiled)]
    assert not any(found)
