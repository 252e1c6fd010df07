"""What a site is known to hold. Standard library alone: the environments of the engines import it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Kind = Literal["article", "thread", "question", "doc"]


@dataclass(frozen=True)
class KnownPair:
    """A true pair; any form of the question will do."""

    questions: list[str]
    answer: str


@dataclass(frozen=True)
class KnownItem:
    """An article, thread, question or documentation page; ``pages`` are the paths of its pages, the first one first."""

    kind: Kind
    pages: list[str]
    title: str
    main_text: str
    pairs: list[KnownPair] = field(default_factory=list)


def thread_item(thread: dict[str, Any], pages: list[str], kind: Kind = "thread") -> KnownItem:
    """A thread as known item: each reply answers the question, which is title and body, or one of them."""
    title, body = thread["title"], thread["body"]
    forms = [form for form in (f"{title}\n{body}".strip(), title, body) if form]
    replies = [reply["text"] for reply in thread["replies"]]
    text = "\n".join(filter(None, [title, body, *replies]))
    return KnownItem(kind, pages, title, text, [KnownPair(forms, reply) for reply in replies])


def write(path: Path, items: Iterable[KnownItem]) -> None:
    """Write a line of JSON an item."""
    path.write_text("".join(json.dumps(asdict(item), ensure_ascii=False) + "\n" for item in items), encoding="utf-8")


def read(path: Path) -> list[KnownItem]:
    """Read what `write` wrote."""
    return [from_row(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def from_row(row: dict[str, Any]) -> KnownItem:
    """The item of a line."""
    return KnownItem(**{**row, "pairs": [KnownPair(**pair) for pair in row["pairs"]]})
