"""Lists of threads and boards by the templates of a package: pages of a forum that have no post.

Every template of the package is tried over threads and boards that have an attribute for every name (lenient.py); those
that show the titles of most threads, or the names of most boards, and no reply, are its lists.
"""
# mypy: disable-error-code="import-not-found,import-untyped,misc,no-any-return"

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, Any

from research.engines.lenient import Board, Guest, Many, Text, Topic
from research.engines.saving import letters, visible_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from research.engines.saving import Job

_ROOT = re.compile(r"\{%\s*for\s+[\w, ]+?\s+in\s+(\w+)|\{%\s*(?:if|with)\s+(?:not\s+)?(\w+)|\{\{\s*(\w+)\.")
_BOARDS = re.compile(
    r"(\w*_)?(forums?|boards?|categor(y|ies)|sections?|nodes?|projects?|queues?|areas?)(_\w+)?", re.IGNORECASE
)
_TOPICS = re.compile(
    r"\w*(topic|thread|question|issue|ticket|link|entr|post|item|object|task|discussion|result|latest|recent|page_obj|"
    r"paginator|unanswered|popular|news)\w*"
)
_LOOPS = re.compile(r"\{%\s*(for|include)\b")
_ONE = re.compile(r"(\w*_)?(forum|board|category|section|node|project|queue|area)")
_NO_LIST = re.compile(
    r"mail|feed|delete|create|edit|preview|form|confirm|admin|rss|atom|\bask|\bnew_|login|register|base"
)
_NAMED = (
    ("General", "What fits nowhere else."), ("Help and support", "Ask what you want to know."),
    ("News", "Releases and plans."), ("Off topic", "Anything but work."), ("Show and tell", "What you have made."),
    ("Bugs", "Report what does not work."), ("Beginners", "There are no stupid questions."),
    ("Marketplace", "Buy, sell and swap."), ("Archive", "Old threads, which are closed."),
)  # fmt: skip
_PAGES = 6  # of each list
_MOST_SHOWN = 15


class ListedTopic(Topic):
    """A thread as lists show it."""

    def __getattr__(self, name: str) -> Any:
        if re.fullmatch(r"(get_)?(last|latest|newest)_?(post|reply|comment|message|answer|activity)?", name):
            return self.replies_.last or self
        return super().__getattr__(name)


class ListedBoard(Board):
    """A board as lists show it."""

    def __init__(self, number: int, threads: Sequence[Topic], boards: Sequence[ListedBoard] = ()) -> None:
        self.pk = self.id = number + 1
        self.name, self.description = _NAMED[number]
        self.title, self.slug = self.name, self.name.lower().replace(" ", "-")
        self.threads_, self.boards_ = Many(threads), Many(boards)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name.endswith("_"):
            raise AttributeError(name)
        if name.startswith("num_") or "count" in name:
            return 13 * self.pk
        if re.search(r"last|latest|newest", name):
            return self.threads_.first
        if name in ("children", "parent") or _BOARDS.fullmatch(name):
            return Many() if _ONE.fullmatch(name) else self.boards_
        if _TOPICS.fullmatch(name):
            return self.threads_
        raise AttributeError(name)


def lists_of(
    topics: Sequence[Topic], folders: Sequence[Path], context: Mapping[str, Any], job: Job, detail: str
) -> Iterator[tuple[str, int, list[int], str]]:
    """Yield the name of each list, the number of its page, the threads on it, and its HTML.

    ``detail`` is the template of a thread.
    """
    texts = {str(path.relative_to(each)): path.read_text(encoding="utf-8", errors="ignore")
             for each in folders for path in sorted(each.rglob("*.html"))}  # fmt: skip
    for template in sorted(texts):
        own = texts[template]
        if template == detail or _NO_LIST.search(template.rpartition("/")[2]) or not _LOOPS.search(own):
            continue
        for number in range(_PAGES):
            rng = Random(f"{job.engine} {template} {number}")  # noqa: S311 - no secret
            shown = rng.sample(range(len(topics)), min(rng.randint(4, _MOST_SHOWN), len(topics)))
            threads = [topics[each] for each in shown]
            html = _rendered(template, texts.values(), threads, context, job.language(number), rng)
            if html is None or not _is_list(threads, html):
                break
            yield template.rpartition(".")[0].replace("/", "_"), number, shown, html


def _rendered(
    template: str, texts: Any, topics: Sequence[Topic], context: Mapping[str, Any], language: str, rng: Random
) -> str | None:
    from django.template import loader
    from django.utils import translation

    boards = [ListedBoard(number, topics) for number in rng.sample(range(len(_NAMED)), rng.randint(3, len(_NAMED)))]
    groups = [ListedBoard(0, topics, boards), *boards]
    listed = Many(topics)
    listed.number, listed.pages = 1, 3
    known: dict[str, Any] = {}
    for root in sorted({root for text in texts for found in _ROOT.findall(text) for root in found if root}):
        if _BOARDS.fullmatch(root):
            known[root] = ListedBoard(1, topics, boards) if _ONE.fullmatch(root) else Many(groups[-len(boards) :])
        elif _TOPICS.fullmatch(root) and root not in ("post", "comment", "forloop"):
            known[root] = listed
    known |= {"is_paginated": True, "page_obj": listed, "paginator": listed.paginator, "user": Guest(), **context}
    try:
        with translation.override(language):
            return str(loader.render_to_string(template, known))
    except Exception:  # noqa: BLE001 - a template that asks for more is no list of ours
        return None


def _is_list(topics: Sequence[Topic], html: str) -> bool:
    """Whether a page shows the titles of threads as links or the names of boards, and none of the replies."""
    if "<body" not in html or " object at 0x" in html:
        return False  # a part of a page, or one that shows what the template did not ask for
    page = letters(visible_text(html))
    replies = [letters(_plain(reply.text_)) for topic in topics for reply in topic.replies_]
    if any(len(reply) > 20 and reply in page for reply in replies):
        return False
    titles = sum(letters(topic.title_) in page for topic in topics)
    boards = sum(letters(description) in page for _, description in _NAMED)
    return titles >= 0.7 * len(topics) or boards >= 3


def _plain(text: Text) -> str:
    return re.sub(r"<[^>]+>", " ", text)
