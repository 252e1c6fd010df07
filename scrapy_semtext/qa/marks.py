"""Votes of a post, and whether it was accepted as the answer."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from scrapy_semtext.qa.cues import AnyCase, remembered_search
from scrapy_semtext.text.word_tables import WORDS, alternatives
from scrapy_semtext.utils.remembering import remembered

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from scrapy_semtext.qa.records import Fragment, Place, Records

_INTEGER = re.compile(r"([+\-−–]?)\s?(\d{1,3}(?:[,.  ]\d{3})+|\d{1,9})(?:[.,](\d))?\s?([kKmM]?)")
_VOTES = alternatives("votes")
_SAYS_VOTES = AnyCase(rf"vote|score|point|(?<!un)like(?!ly)|rating|helpful|kudos|karma|thumb|赞|{_VOTES}")
_COUNTED = re.compile(rf"(?P<number>{_INTEGER.pattern})\s*(?:{_VOTES})\b", re.IGNORECASE)
_says_other = remembered_search(re.compile(alternatives("no votes")))
_ACCEPTED = alternatives("accepted")
_SAYS_ACCEPTED = AnyCase(_ACCEPTED, hints=WORDS["accepted"])
# Not a mark but an offer ("Mark as solution"), a heading or a pointer to another post.
_OFFER = re.compile(alternatives("no mark"), re.IGNORECASE)
# A text that is a mark and not a sentence that speaks of one.
_MARK_TEXT = re.compile(
    r"\W*(?:the |this (?:post|answer|reply) |is |was |marked as |als |it is )*"
    rf"(?:{_ACCEPTED})\w*(?:\W+\w+){{0,6}}\W*$",
    re.IGNORECASE,
)
# A name of the record of an answer, which no question has.
_IS_ANSWER = re.compile(r"(?:^|\s)(?:is-)?(?:accepted|best)[-_]?(?:answer|reply|solution)?(?:\s|$)")
_LONGEST = 80
_SAYING = frozenset(("aria-label", "title", "alt"))  # attributes that may be a mark


def votes_of(records: Records) -> list[int | None]:
    """The votes of each post (score, points, likes), None where it shows none."""
    groups: dict[Hashable, dict[int, list[tuple[Fragment, int, float]]]] = defaultdict(lambda: defaultdict(list))
    for fragment in records.fragments:
        if fragment.post >= 0 and (found := _votes(records, fragment)) is not None:
            groups[fragment.key][fragment.post].append((fragment, *found))
    votes: list[int | None] = [None] * records.count
    for posts in sorted(groups.values(), key=lambda posts: -_score(posts, records.count)):
        if _score(posts, records.count) <= 0:
            break
        for post, found_there in posts.items():
            if votes[post] is None:
                votes[post] = min(found_there, key=lambda item: (item[0].place.level, item[0].distance))[1]
    return votes


def number_of(text: str) -> int | None:
    """The number that a whole text is: "-3", "1,204", "1.2k"."""
    match = _INTEGER.fullmatch(text.strip())
    if not match:
        return None
    sign, digits, tenth, unit = match.groups()
    factor = {"k": 1000, "m": 1_000_000}.get(unit.lower(), 1)
    if tenth and factor == 1:
        return None
    number = int(re.sub(r"\D", "", digits)) * factor + int(tenth or 0) * factor // 10
    return -number if sign and sign != "+" else number


def accepted_of(records: Records) -> list[bool | None]:
    """Whether each post is marked as the accepted answer; None for all where none is."""
    posts_of: dict[Hashable, set[int]] = defaultdict(set)
    for post, places in enumerate(records.places):
        for place in places:
            for mark in _marks_of(place):
                posts_of[mark].add(post)
    for fragment in records.fragments:
        if fragment.post >= 0 and _is_mark(fragment.text) and _MARK_TEXT.match(fragment.text[:_LONGEST]):
            posts_of[fragment.text.lower()].add(fragment.post)
    marked = {post for posts in posts_of.values() if len(posts) <= max(1, records.count // 3) for post in posts}
    answers = [any(place.on_path and _IS_ANSWER.search(place.names) for place in places) for places in records.places]
    if records.count > 1 and not answers[0]:
        marked.discard(0)  # the thread as a whole is solved, or the question shows which answer was accepted
    return [post in marked if marked else None for post in range(records.count)]


def _marks_of(place: Place) -> Iterator[str]:
    if place.hidden:
        return
    if place.names and place.level < _LONGEST:
        yield from _marking_names(place.names)
    for attribute in _SAYING.intersection(place.attributes):
        value = place.get(attribute)
        if value and len(value) <= _LONGEST and _is_mark(value):
            yield value.lower()


@remembered(1 << 12)
def _marking_names(names: str) -> tuple[str, ...]:
    return tuple(filter(_is_mark, names.split()))


@remembered(1 << 12)
def _is_mark(text: str) -> bool:
    return _SAYS_ACCEPTED.is_in(text) and not _OFFER.search(text)


def _votes(records: Records, fragment: Fragment) -> tuple[int, float] | None:
    text = fragment.text
    if not any(map(str.isdecimal, text)) or any(_says_other(place.names) for place in fragment.place.ways_up(5)):
        return None
    if match := _COUNTED.search(text[:_LONGEST]):
        number = number_of(match["number"])
        return None if number is None else (number, 0.5)
    number = number_of(text)
    if number is None:
        return None
    for step, place in enumerate(fragment.place.ways_up(3)):
        if _SAYS_VOTES.is_in(f"{place.names} {place.get('aria-label')} {place.get('title')}"):
            return number, 1 - 0.2 * step
    label = records.label(fragment)
    return (number, 0.6) if len(label) < 20 and _SAYS_VOTES.is_in(label) else None


def _score(posts: dict[int, list[tuple[Fragment, int, float]]], count: int) -> float:
    found = [item for items in posts.values() for item in items]
    of_comments = any("comment" in place.names for place in found[0][0].place.ways_up(5))
    if of_comments and (len(found) > len(posts) or len(posts) < 0.6 * count):  # unless the posts are the comments
        return 0.0
    strength = sum(item[2] for item in found) / len(found) - 0.4 * of_comments
    return strength * len(posts) / count / (len(found) / len(posts))
