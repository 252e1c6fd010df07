"""The text of a post without what is no part of it: buttons, signatures, notes of a change, lines of all posts."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.questions.nodes import PageNodes
    from scrapy_semtext.segment import TextBlock

_SHORT = 60
_SIGNATURE_RULE = re.compile(r"\s*(?:_{5,}|--|—{3,})\s*")
_SIGNATURE_NAME = re.compile(r"(?:^|[\W_])(?:\w*signature|sig\d*|signatur|подпись)(?:$|[\W_])")
_CHANGED = re.compile(
    r"\W*(?:(?:this |the )?(?:post|message|comment) (?:was |has been )?)?"
    r"(?:last |zuletzt |dernière |viimeksi |laatst )?"
    r"(?:edit(?:ed)?:?\s+(?:by|on|at)\b|edited:?\s+\d|modified:?\s+(?:by\b|on\b|\d)|bearbeitet|geändert|modification"
    r"|modifié|édité|editado|modificato|отредактировано|изменено|muokattu|muokannut|redigerad|bewerkt)"
    r"|\W*(?:последний раз|сообщение) (?:отредактировано|редактировал)|本帖最后由|最后编辑|.{0,40}编辑过",
    re.IGNORECASE,
)
# Such a note tells when or by whom.
_STAMPED = re.compile(r"\d|\b(?:by|von|par|por|da|av|door)\b", re.IGNORECASE)
_CHANGE_LENGTH, _LONGEST_SIGNATURE = 160, 600


def clean_bodies(nodes: PageNodes, bodies: Sequence[int]) -> list[str]:
    """Return the text of each body, its lines joined by newlines, without what is no part of the post.

    Left out are buttons, hidden parts, signatures, notes of a last change at the end, and short lines that stand in
    at least half of the posts (and in three). A body that has text keeps some.
    """
    texts = [_lines(nodes, body) for body in bodies]
    counts = Counter(line for lines in texts for line in set(lines) if 0 < len(line) <= _SHORT)
    least = max(3, (len(bodies) + 1) // 2)
    repeated = {line for line, count in counts.items() if count >= least}
    return [_cleaned(lines, repeated) or nodes.text(body) for lines, body in zip(texts, bodies, strict=True)]


def _lines(nodes: PageNodes, body: int) -> list[str]:
    """The lines of a body's blocks without buttons, signatures and hidden parts; all its lines if that is nothing."""
    blocks = nodes.blocks[nodes.first[body] : nodes.last[body]]
    outer = nodes.scopes[body]
    shown = [block for block in blocks if not _is_apart(block, outer)]
    return [line for block in shown or blocks for line in block.text.split("\n")]


def _is_apart(block: TextBlock, outer: Any) -> bool:
    if block.hidden and not outer.hidden:
        return True
    for scope in block.scope.ancestry():
        if scope is outer:
            return False
        if scope.tag == "button" or (scope.names and _SIGNATURE_NAME.search(scope.names.lower())):
            return True
    return False


def _cleaned(lines: list[str], repeated: set[str]) -> str:
    kept = [line for line in _unsigned(lines) if line not in repeated]
    while kept and (not kept[-1].strip() or _is_note(kept[-1])):
        kept.pop()
    return "\n".join(kept).strip("\n")


def _is_note(line: str) -> bool:
    return len(line) <= _CHANGE_LENGTH and bool(_CHANGED.match(line) and _STAMPED.search(line))


def _unsigned(lines: list[str]) -> list[str]:
    """The lines before the last rule that sets off a signature, if anything is left before it."""
    for place in range(len(lines) - 1, 0, -1):
        if _SIGNATURE_RULE.fullmatch(lines[place]) and any(map(str.strip, lines[:place])):
            return lines[:place] if sum(map(len, lines[place:])) <= _LONGEST_SIGNATURE else lines
    return lines
