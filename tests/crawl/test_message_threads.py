"""Joining messages to threads by links, identifiers and subjects."""

from __future__ import annotations

from typing import Any

from scrapy_semtext import Message
from scrapy_semtext.crawl.message_threads import MessageThread, MessageThreads


def threads_of(*messages: dict[str, Any]) -> list[MessageThread]:
    known = MessageThreads()
    for key, given in enumerate(messages, 1):
        sent = given.pop("sent", f"2019-06-{key:02}")
        known.add(key, f"http://lists.test/{key}", Message(text="Slowly.", sent=sent, **given))
    return known.threads()


def replies_of(thread: MessageThread) -> list[tuple[int, int | None]]:
    return [(key, answer_to) for key, answer_to, *_ in thread.replies]


def test_replies_answer_the_latest_message_before_them_with_their_subject() -> None:
    first, second = threads_of(*({"subject": subject} for subject in ("Bread", "Re: Bread", "bread", "AW: Re: Bread")))
    assert (first.title, first.opening, replies_of(first)) == ("Bread", 1, [(2, None)])
    assert (second.title, second.opening, replies_of(second)) == ("bread", 3, [(4, None)])


def test_what_a_message_states_counts_more_than_its_subject() -> None:
    (thread,) = threads_of(
        {"subject": "Bread", "ids": ["1@a.test"]},
        {"subject": "Flour", "parents": ["1@a.test"], "replies": ["http://lists.test/3"]},
        {"subject": "Re: Bread"},
    )
    assert (thread.opening, replies_of(thread)) == (1, [(2, None), (3, 1)])


def test_replies_without_their_opening_answer_their_subject() -> None:
    (thread,) = threads_of({"subject": "Re: Bread"}, {"subject": "Re: Bread", "parents": ["http://lists.test/1"]})
    assert (thread.title, thread.opening, replies_of(thread)) == ("Bread", None, [(1, None), (2, 1)])


def test_messages_that_answer_each_other_are_no_endless_thread() -> None:
    links = ("https://lists.test/2/", "http://lists.test/1#body")
    (thread,) = threads_of(*({"subject": "Bread", "parents": [link]} for link in links))
    assert thread.keys == [2, 1]


def test_tags_of_most_subjects_are_those_of_the_list() -> None:
    subjects = ("[a] Bread", "Re: [a] Bread", "[a] [b] Flour", "[a] Re: [b] Flour")
    assert [thread.title for thread in threads_of(*({"subject": each} for each in subjects))] == ["Bread", "[b] Flour"]
