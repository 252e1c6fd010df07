"""Joining the messages of a host, each of which has a page of its own, to threads.

Messages are joined by the links to those that they answer, or by the identifiers of these. A reply without either
answers the latest message before it that opens a thread with its subject; replies whose opening is unknown form a
thread whose question is their subject. What most messages of several authors have at their end, and a tag that most
subjects begin with, are those of the list.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from scrapy_semtext.crawl.links import address_key
from scrapy_semtext.page import QAPair
from scrapy_semtext.read.messages import TAG, split_subject
from scrapy_semtext.read.thread_pages import merge_pages
from scrapy_semtext.words.characters import letters_of, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.crawl.job_file import HeldPages
    from scrapy_semtext.page import Message, Page


#: The score of a pair whose answer states what it answers, and of one that was found by its subject.
_STATED, _BY_SUBJECT = 0.95, 0.8
# With this many messages, and this share of all, a line at their end or a tag in their subject is that of the list.
_MIN_ALIKE, _ALIKE = 3, 1 / 3
_MAX_END_LINES, _MIN_END_LETTERS = 8, 30


class MessageThread(NamedTuple):
    """A thread: its title, the key of the message that opens it (None if that is unknown), and its replies.

    Of a reply: its key, the position from 1 of the reply that it answers (None: the opening), its depth, and the score
    of its pair.
    """

    title: str
    opening: int | None
    replies: list[tuple[int, int | None, int, float]]

    @property
    def keys(self) -> list[int]:
        """The keys of all messages, the opening first."""
        return [*([] if self.opening is None else [self.opening]), *(key for key, *_ in self.replies)]


@dataclass(slots=True)
class _Known:
    """What joining needs of a message; ``above`` is the key of the message that it answers, ``root`` one further up."""

    message: Message
    root: int
    above: int | None = None
    title: str = ""
    is_reply: bool = False

    @property
    def subject(self) -> str:
        return letters_of(self.title) or self.title


class MessageThreads:
    """The messages of a host: `add` each with a key and its URL, then join them to `threads`."""

    def __init__(self) -> None:
        self._known: dict[int, _Known] = {}
        self._names: dict[str, int] = {}  # the key of a message by its URL or identifier
        # By the hash of a line: how many messages have it at their end, the author of one, and whether others have it.
        self._ends: dict[int, tuple[int, str | None, bool]] = {}

    def add(self, key: int, url: str, message: Message) -> None:
        """Add a message; its text is not kept."""
        self._known[key] = _Known(replace(message, text=""), key)
        for name in (address_key(url), *message.ids):
            self._names.setdefault(name, key)
        for line in {hash(one_line(line)) for line in message.text.rsplit("\n", _MAX_END_LINES)[1:]}:
            count, author, is_of_several = self._ends.get(line, (0, message.author, False))
            self._ends[line] = count + 1, author, is_of_several or author != message.author

    def threads(self) -> list[MessageThread]:
        """Return the threads with replies, in the order of the keys of their first messages."""
        self._read_subjects()
        ordered = sorted(self._known, key=self._sent)
        self._join_by_links(ordered)
        below: defaultdict[int, list[int]] = defaultdict(list)  # the answers of each message
        openings: defaultdict[str, list[int]] = defaultdict(list)
        orphans: defaultdict[str, list[int]] = defaultdict(list)
        for key in ordered:
            if (above := self._known[key].above) is not None:
                below[above].append(key)
            elif not self._known[key].is_reply:
                openings[self._known[key].subject].append(key)
        for key in ordered:
            known = self._known[key]
            if known.above is None and known.is_reply:
                opening = self._opening(key, openings.get(known.subject, ()))
                (orphans[known.subject] if opening is None else below[opening]).append(key)
        threads = [self._thread(key, below[key], below) for keys in openings.values() for key in keys]
        threads += [self._thread(None, keys, below) for keys in orphans.values()]
        return sorted((each for each in threads if each.replies), key=lambda thread: thread.keys[0])

    def joined(self, thread: MessageThread, pages: Sequence[Page]) -> Page:
        """Return the page of a thread, given the pages of its messages in the order of ``thread.keys``."""
        messages = [page.message for page in pages if page.message is not None]
        texts = [*map(self._without_end, messages)]
        asked = thread.opening is not None
        question = QAPair(
            question="\n".join(filter(None, (thread.title, texts[0] if asked else ""))),
            answer="",
            question_title=thread.title,
            question_body=texts[0] if asked else None,
            question_author=messages[0].author if asked else None,
            question_date=messages[0].date if asked else None,
        )
        pairs = [
            replace(question, answer=text, author=one.author, date=one.date, answer_to=above, depth=depth, score=score)
            for one, text, (_, above, depth, score) in zip(messages[asked:], texts[asked:], thread.replies, strict=True)
        ]
        return replace(merge_pages(pages), title=thread.title, qa_pairs=pairs, page_kind="forum", message=None)

    def _sent(self, key: int) -> tuple[str, int]:
        return self._known[key].message.sent, key

    def _is_common(self, count: int) -> bool:
        return count >= max(_MIN_ALIKE, _ALIKE * len(self._known))

    def _read_subjects(self) -> None:
        tags = (TAG.match(split_subject(known.message.subject)[0]) for known in self._known.values())
        counts = Counter(tag[1].lower() for tag in tags if tag)
        common = {tag for tag, count in counts.items() if self._is_common(count)}
        for known in self._known.values():
            known.title, known.is_reply = split_subject(known.message.subject, common)

    def _join_by_links(self, ordered: Sequence[int]) -> None:
        """Find what messages answer by what they state or, without that, by what the messages that they answer do."""
        for key in ordered:
            for name in reversed(self._known[key].message.parents):
                self._join(key, self._names.get(address_key(name) if "://" in name else name))
        for key in ordered:
            for name in self._known[key].message.replies:
                if (reply := self._names.get(address_key(name))) is not None:
                    self._join(reply, key)

    def _join(self, key: int, above: int | None) -> None:
        """Let a message without one above answer another, unless that answers it, perhaps indirectly."""
        known = self._known[key]
        if above is not None and known.above is None and self._root(above) != key:
            known.above = known.root = above

    def _root(self, key: int) -> int:
        """Return the message at the top, and shorten the way to it."""
        passed = []
        while (root := self._known[key].root) != key:
            passed.append(key)
            key = root
        for each in passed:
            self._known[each].root = key
        return key

    def _opening(self, key: int, openings: Sequence[int]) -> int | None:
        """Return the latest of the messages that opens a thread before a reply, else the first."""
        before = bisect_right(openings, self._sent(key), key=self._sent)
        return openings[max(0, before - 1)] if openings else None

    def _thread(self, opening: int | None, first: Sequence[int], below: dict[int, list[int]]) -> MessageThread:
        """Return a thread with the first answers, and those below each; answers come behind what they answer."""
        replies: list[tuple[int, int | None, int, float]] = []
        left: list[tuple[int, int | None, int]] = [
            (key, None, 1) for key in sorted(first, key=self._sent, reverse=True)
        ]
        while left:
            key, above, depth = left.pop()
            score = _BY_SUBJECT if self._known[key].above is None else _STATED
            replies.append((key, above, depth, score))
            left += [(each, len(replies), depth + 1) for each in reversed(below.get(key, ()))]
        thread = MessageThread("", opening, replies)
        return thread._replace(title=self._known[thread.keys[0]].title) if thread.keys else thread

    def _without_end(self, message: Message) -> str:
        """Return the text of a message without the lines at its end that many messages of several authors have."""
        lines = message.text.split("\n")
        end = len(lines)
        while end and self._is_of_list(one_line(lines[end - 1])):
            end -= 1
        is_long = len(letters_of("".join(lines[end:]))) >= _MIN_END_LETTERS
        return "\n".join(lines[:end]).rstrip() if end and is_long else message.text

    def _is_of_list(self, line: str) -> bool:
        count, _, is_of_several = self._ends.get(hash(line), (0, None, False))
        return not line or (is_of_several and self._is_common(count))


def due_threads(messages: HeldPages) -> Iterator[tuple[int, Page]]:
    """Yield the threads that are not written yet, host by host, each with the id of the URL of its first message."""
    for host in messages.hosts():
        known = MessageThreads()
        for address, page in messages.of_host(host):
            if page.message is not None and page.url:
                known.add(address, page.url, page.message)
        for thread in known.threads():
            if messages.mark_due(thread.keys[0], len(thread.keys)):
                yield thread.keys[0], known.joined(thread, [*map(messages.page, thread.keys)])
