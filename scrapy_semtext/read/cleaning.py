"""The text of a post without what is not part of it: buttons, signatures, edit notes and frames.

A frame is the text that surrounds the content of all posts of a page; a signature ends all posts of one author.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise, takewhile
from operator import or_
from statistics import median
from typing import TYPE_CHECKING, Any

from scrapy_semtext.read.dates import is_byline, is_dated
from scrapy_semtext.tree.segmentation import TextBlock, is_closed, is_read_aloud
from scrapy_semtext.tree.tags import GROUPS, HEADING_LEVELS, Group
from scrapy_semtext.utils.remembering import remembered
from scrapy_semtext.words.characters import lower_tokens
from scrapy_semtext.words.cues import SUBJECT, has_date
from scrapy_semtext.words.word_tables import alternatives

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Hashable, Sequence

    from scrapy_semtext.tree.nodes import PageNodes


_MAX_LABEL_CHARS = 60
_SIGNATURE_RULE = re.compile(r"\s*(?:_{5,}|--|—{3,})\s*")
# Names of elements that are in the record of a post but not part of its text: signatures, votes and comments.
_SEPARATE_NAMES = re.compile(
    r"(?:signature|(?:^|[\W_])(?:sig\d*|signatur|подпись|vot(?:e|es|ing)|comments?))(?:$|[\W_])"
)
# Names of parts of a post that readers expand, and of other things that pages collapse there.
_FOLDED, _TOOLS = (re.compile(alternatives(name), re.IGNORECASE) for name in ("folded", "tools of posts"))
# Labels of code and buttons beside it, labels of quotations, lines that name who is quoted, and names of quotations.
_CODE_LABEL = re.compile(rf"(?:\W*(?:{alternatives('code label')})\W*)+", re.IGNORECASE)
_QUOTE_LABEL = re.compile(rf"\W*(?:{alternatives('quote label')})\W*", re.IGNORECASE)
_QUOTED = re.compile(alternatives("quoted"), re.IGNORECASE)
_QUOTE = re.compile(
    r"(?:^|[\W_])(?:bb|block|forum)?(?:quoted?|quotation)-?(?:box|block|content|body|main|text)?\d*(?=$|[\W_])",
    re.IGNORECASE,
)
_EDIT_NOTE = re.compile(
    r"\W*(?:(?:this |the )?(?:post|message|comment) (?:was |has been )?)?"
    rf"(?:last |zuletzt |dernière |viimeksi |laatst )?(?:{alternatives('change noted')})"
    r"|\W*(?:последний раз|сообщение) (?:отредактировано|редактировал)|本帖最后由|最后编辑|.{0,40}编辑过",
    re.IGNORECASE,
)
_POST_NUMBER = re.compile(r"#\d{1,6}")
# An edit note says when or by whom the post was changed.
_NOTE_DETAILS = re.compile(r"\d|\b(?:by|von|par|por|da|av|door)\b", re.IGNORECASE)
_MAX_NOTE_CHARS, _MAX_SIGNATURE_CHARS = 160, 600
_MAX_BYLINE_CHARS = 40
_NO_POST = re.compile(rf"\W*(?:{alternatives('no post')})\W*", re.IGNORECASE)
_ASKS_BACK = re.compile(rf"\W*(?:{alternatives('asks back')})\W{{0,3}}(?:\s*\w+(?: \(\d+\))?){{0,3}}", re.IGNORECASE)
_ATTACHED = re.compile(rf"\W*(?:{alternatives('attached')})\W*\d*\W*", re.IGNORECASE)
_FILE_FACTS = r"\(?\s*\d[\d.,]*\s?(?:[kmgкмг]i?[bбo]|bytes|octets|байт)\b.{0,80}"
# A line of a list of files: a name with an extension, a size, or how often one was opened.
_FILE = re.compile(
    rf".{{0,80}}\.\w{{2,5}}\b(?:\s*{_FILE_FACTS})?|(?:.{{0,30}}\s)?{_FILE_FACTS}|(?=.*\d)\W*(?:\S+\s+){{1,4}}\S+",
    re.IGNORECASE,
)
_WHOLE_FILE = re.compile(rf"\S{{1,80}}\.\w{{2,5}}\s*(?=\(){_FILE_FACTS}", re.IGNORECASE)
_MAX_SHORT_ANSWER_CHARS, _MAX_SHORT_ANSWERS = 24, 4  # the maximum length and number of lines after "Was this helpful?"
_SUBJECT = re.compile(SUBJECT, re.IGNORECASE)
_MAX_HEAD_BLOCKS, _MAX_HEAD_CHARS, _MIN_HEAD_SHARE = 3, 160, 0.6
_MIN_TITLE_WORDS, _MAX_WORDS_BESIDE_TITLE = 2, 6

_MIN_POSTS, _MIN_FRAME_SHARE = 3, 0.8
_MAX_FRAME_CHARS, _MAX_FRAME_MEDIAN = 80, 30  # maximum length and median length of the texts of a frame
_TEXT_TAGS = frozenset("p div td li dd section article blockquote pre br".split())  # part of the text, if without names
_REMAINDER_TAGS = _TEXT_TAGS | set("ul ol dl dt tr th table figure figcaption details summary h3 h4 h5 h6".split())
_DIGITS = re.compile(r"\d+")
_MAX_SIGNATURE_LINES = 6


def clean_bodies(
    nodes: PageNodes,
    bodies: Sequence[int],
    authors: Sequence[str | None] = (),
    furniture: Container[int] = (),
    title: str | None = None,
    *,
    drop_quotes: bool = False,
) -> list[str]:
    """Return the text of each body, its lines joined by newlines, without what is not part of the post.

    This removes buttons, votes, comments on the post, closed dialogs, hidden labels, signatures, edit notes at the end,
    lines with date and subject at the beginning of most posts, the ``title`` of the thread at the beginning of any,
    short texts at the same place at the beginning or end of
    nearly all posts, short lines that occur in at least half of the posts (and in three), labels of code and quotations
    and, with ``drop_quotes``, quotations with the lines that name who is quoted. ``authors``: those of the bodies, if
    known; lines that end all posts of one author are then removed as a signature. ``furniture`` are the numbers of
    blocks that are removed too. Some text is always kept.
    """
    words = [*lower_tokens(title or "")]
    shown = [_content_blocks(nodes, body, furniture, drop_quotes=drop_quotes) for body in bodies]
    shown = without_frames(nodes, bodies, _without_heads(shown, words))
    counts = Counter(text for blocks in shown for text in {block.text for block in blocks if _may_repeat(block)})
    min_count = max(3, (len(bodies) + 1) // 2)
    repeated = {text for text, count in counts.items() if count >= min_count}
    texts = [_cleaned(blocks, repeated) or nodes.text(body) for blocks, body in zip(shown, bodies, strict=True)]
    texts = _without_head_lines(texts, words)
    return without_signatures(texts, authors) if authors else texts


def says_something(text: str) -> bool:
    """Return whether the text of a post is more than its author and date, as in lists of threads, or a note.

    Such notes say that the post was deleted, or label an advertisement.
    """
    if not text or len(text) > _MAX_NOTE_CHARS:
        return bool(text)
    lines = text.split("\n")
    if len(lines) > 1 and max(map(len, lines)) <= _MAX_BYLINE_CHARS:
        names, dates = [*map(is_byline, lines)], [*map(is_dated, lines)]
        if any(names) and any(dates) and all(map(or_, names, dates)):
            return False
    return _NO_POST.fullmatch(text) is None


def completed_bodies(nodes: PageNodes, bodies: tuple[int, ...]) -> tuple[int, ...]:
    """Replace each body that is only the first paragraph of its post by the element around it, which has the rest too.

    This is done for all elements of a class or for none: several posts must have the class, and nothing in its elements
    but text without a date. If two elements overlap, no body is replaced.
    """
    outer = [nodes.parents[body] if _is_first_paragraph(nodes, body) else body for body in bodies]
    counts = Counter(nodes.scopes[node].classes for node in outer)
    excluded = {name for name, count in counts.items() if count < 2 or not name}
    for body, node in zip(bodies, outer, strict=True):
        scope, remainder = nodes.scopes[node], nodes.blocks[nodes.lasts[body] : nodes.lasts[node]]
        if any(has_date(block.text) or not _is_text(block, scope, _REMAINDER_TAGS, _FOLDED) for block in remainder):
            excluded.add(scope.classes)
    if any(nodes.lasts[node] > nodes.firsts[following] for node, following in pairwise(outer)):
        return bodies
    pairs = zip(bodies, outer, strict=True)
    return tuple(body if nodes.scopes[node].classes in excluded else node for body, node in pairs)


def _is_first_paragraph(nodes: PageNodes, body: int) -> bool:
    """Return whether a body is a paragraph without names and the first text of the element around it."""
    scope, outer = nodes.scopes[body], nodes.parents[body]
    return scope.tag == "p" and not scope.names and outer >= 0 and nodes.firsts[outer] == nodes.firsts[body]


def _content_blocks(nodes: PageNodes, body: int, furniture: Container[int], *, drop_quotes: bool) -> list[TextBlock]:
    """Return the blocks of a body without buttons, signatures and labels, or all blocks if none would remain."""
    first, last = nodes.firsts[body], nodes.lasts[body]
    blocks = [nodes.blocks[index] for index in range(first, last) if index not in furniture]
    blocks = blocks or nodes.blocks[first:last]
    outer = nodes.scopes[body]
    shown = [block for block in blocks if not _is_separate(block, outer)] or blocks
    kinds = [_kind_of(block, outer) for block in shown]
    quoted = [
        drop_quotes
        and (
            kind == "quote" or (after == "quote" and len(block.text) <= _MAX_LABEL_CHARS and _QUOTED.search(block.text))
        )
        for block, kind, after in zip(shown, kinds, [*kinds[1:], ""], strict=True)
    ]
    kept = [
        block
        for block, kind, before, after, is_quoted in zip(
            shown, kinds, ["", *kinds], [*kinds[1:], ""], quoted, strict=False
        )
        if not (is_quoted or _is_label(block.text, kind, before, after))
    ]
    return kept or shown


def _kind_of(block: TextBlock, outer: Any) -> str:
    """Return whether a block of a post is code or a quotation; "" for neither."""
    if GROUPS[block.scope.tag] == Group.PREFORMATTED:
        return "code"
    scopes = takewhile(lambda scope: scope is not outer, block.scope.ancestry())
    quotes = any(scope.tag == "blockquote" or (scope.names and _QUOTE.search(scope.names)) for scope in scopes)
    return "quote" if quotes else ""


def _is_label(text: str, kind: str, before: str, after: str) -> bool:
    """Return whether a block next to code or a quotation, or in it, is only its label or a button."""
    if len(text) > _MAX_LABEL_CHARS:
        return False
    if kind != "code" and "code" in (before, after) and _CODE_LABEL.fullmatch(text):
        return True
    return after == "quote" and _QUOTE_LABEL.fullmatch(text) is not None


def _without_heads(posts: list[list[TextBlock]], title: Sequence[str]) -> list[list[TextBlock]]:
    """Remove blocks with the date or subject from the beginning of the posts, if most posts have them.

    Headings are subjects if one of them is that of a reply. A block with only the words of the title is always removed.
    """
    for _ in range(_MAX_HEAD_BLOCKS):
        titled = [len(blocks) > 1 and blocks[0].scope.tag in HEADING_LEVELS for blocks in posts]
        replies = any(is_titled and _SUBJECT.match(post[0].text) for post, is_titled in zip(posts, titled, strict=True))
        headed = [
            len(blocks) > 1 and (_is_head(blocks[0].text, title) or (replies and is_titled))
            for blocks, is_titled in zip(posts, titled, strict=True)
        ]
        if not _do_most(headed):
            headed = [len(blocks) > 1 and _is_title(blocks[0].text, title) for blocks in posts]
        if not any(headed):
            break
        posts = [blocks[1:] if is_headed else blocks for blocks, is_headed in zip(posts, headed, strict=True)]
    return posts


def _without_head_lines(texts: list[str], title: Sequence[str]) -> list[str]:
    """Do the same with the first lines of texts, as in posts of one block; a date must stand beside an author."""
    parts = [text.partition("\n") for text in texts]
    headed = [bool(further.strip()) and (_is_signed(line) or _names_title(line, title)) for line, _, further in parts]
    if not _do_most(headed):
        headed = [bool(further.strip()) and _is_title(line, title) for line, _, further in parts]
    return [part[2] if is_headed else text for text, part, is_headed in zip(texts, parts, headed, strict=True)]


def _do_most(headed: Sequence[bool]) -> bool:
    return sum(headed) >= max(2, _MIN_HEAD_SHARE * len(headed))


def _is_signed(line: str) -> bool:
    """Return whether a line is short and has both an author and a date."""
    return len(line) <= _MAX_HEAD_CHARS and is_byline(line) and is_dated(line)


def _is_head(text: str, title: Sequence[str]) -> bool:
    """Return whether a text is a subject ("Re: ..."), names the title, or is a line with a date."""
    is_short = len(text) <= _MAX_HEAD_CHARS
    return _names_title(text, title) or (is_short and (_SUBJECT.match(text) is not None or has_date(text)))


def _names_title(line: str, title: Sequence[str]) -> bool:
    """Return whether a line begins or ends with the title and says little else: "Replied by Ann on topic TITLE"."""
    if len(title) < _MIN_TITLE_WORDS or len(line) > _MAX_HEAD_CHARS + 2 * sum(map(len, title)):
        return False
    words, size = lower_tokens(line), len(title)
    return len(words) <= size + _MAX_WORDS_BESIDE_TITLE and [*title] in (words[:size], words[-size:])


def _is_title(line: str, title: Sequence[str]) -> bool:
    """Return whether a line has only the words of the title, perhaps after "Re:"."""
    return _names_title(line, title) and [*lower_tokens(_SUBJECT.sub("", line, count=1))] == [*title]


def _may_repeat(block: TextBlock) -> bool:
    """Return whether a block is short enough for a button or label. Code is not: programmers' posts repeat snippets."""
    return len(block.text) <= _MAX_LABEL_CHARS and GROUPS[block.scope.tag] != Group.PREFORMATTED


def _is_separate(block: TextBlock, outer: Any) -> bool:
    """Return whether a block of a post in the element ``outer`` is in a part that is not its text, or hidden."""
    scopes = [*takewhile(lambda scope: scope is not outer, block.scope.ancestry())]
    if any(scope.tag == "button" or _is_other_part(scope.names) or is_closed(scope) for scope in scopes):
        return True
    names = " ".join(scope.names for scope in scopes)
    if not block.hidden or outer.hidden or is_read_aloud(block.text, names):
        return False
    return _FOLDED.search(names) is None or _TOOLS.search(names) is not None


@remembered(1 << 12)
def _is_other_part(names: str) -> bool:
    """Return whether class or id names are those of a signature, votes or comments."""
    return _SEPARATE_NAMES.search(names.lower()) is not None


def _cleaned(blocks: list[TextBlock], repeated: set[str]) -> str:
    """Join the blocks of a post, without ``repeated`` texts, its signature, and notes and files at its end."""
    kept = _unsigned([line for block in blocks if block.text not in repeated for line in block.text.split("\n")])
    end = len(kept)
    while end and (not kept[end - 1].strip() or _is_note(kept[end - 1]) or _WHOLE_FILE.fullmatch(kept[end - 1])):
        end -= 1
    return "\n".join(without_tail(kept[:end])).strip("\n")


def without_tail(lines: list[str]) -> list[str]:
    """Remove a list of attached files, or a question about the post with its buttons, from the end of lines."""
    remaining = _MAX_SHORT_ANSWERS
    for index in range(len(lines) - 1, 0, -1):
        line = lines[index].strip()
        if _ATTACHED.fullmatch(line) or (remaining >= 0 and asks_back(line)):
            return lines[:index] if any(map(str.strip, lines[:index])) else lines
        remaining = remaining - bool(line) if len(line) <= _MAX_SHORT_ANSWER_CHARS else -1
        if remaining < 0 and line and not _FILE.fullmatch(line):
            break
    return lines


def asks_back(text: str) -> bool:
    """Return whether the first line of a text asks whether an answer was helpful."""
    line = text.partition("\n")[0]
    return len(line) <= _MAX_LABEL_CHARS and _ASKS_BACK.fullmatch(line) is not None


def _is_note(line: str) -> bool:
    """Return whether a line is the number of a post, or says when or by whom it was edited."""
    if len(line) > _MAX_NOTE_CHARS:
        return False
    return _POST_NUMBER.fullmatch(line) is not None or bool(_EDIT_NOTE.match(line) and _NOTE_DETAILS.search(line))


def _unsigned(lines: list[str]) -> list[str]:
    """Return the lines before the last rule that separates a signature, if any text remains before it."""
    for index in range(len(lines) - 1, 0, -1):
        if _SIGNATURE_RULE.fullmatch(lines[index]) and any(map(str.strip, lines[:index])):
            return lines[:index] if sum(map(len, lines[index:])) <= _MAX_SIGNATURE_CHARS else lines
    return lines


def without_frames(nodes: PageNodes, bodies: Sequence[int], posts: Sequence[list[TextBlock]]) -> list[list[TextBlock]]:
    """Remove short texts, such as name, rank and date, that begin or end nearly all bodies on the same path.

    ``posts`` are the remaining blocks of each body. A path consists of the tags and names between body and text.
    If no text would remain, the blocks are kept; of most bodies, their longest texts are no such ends.
    """
    if len(bodies) < _MIN_POSTS:
        return list(posts)
    paths = [
        [_path_to(block, nodes.scopes[body]) for block in blocks] for blocks, body in zip(posts, bodies, strict=True)
    ]
    framing = _framing(posts, paths)
    kept = [_without_ends(blocks, found, framing) for blocks, found in zip(posts, paths, strict=True)]
    if 2 * kept.count([]) > len(posts):
        lengths: Counter[Hashable] = Counter()
        for blocks, found in zip(posts, paths, strict=True):
            lengths.update({path: len(block.text) for block, path in zip(blocks, found, strict=True)})
        framing.remove(max(framing, key=lengths.__getitem__))
        kept = [_without_ends(blocks, found, framing) for blocks, found in zip(posts, paths, strict=True)]
    return [some or blocks for some, blocks in zip(kept, posts, strict=True)]


def _framing(posts: Sequence[list[TextBlock]], paths: Sequence[list[Hashable]]) -> set[Hashable]:
    """Return the paths that occur once in nearly all posts and contain short texts."""
    lengths: dict[Hashable, list[int]] = defaultdict(list)
    post_counts = Counter(path for post_paths in paths for path in set(post_paths))
    for blocks, post_paths in zip(posts, paths, strict=True):
        for block, path in zip(blocks, post_paths, strict=True):
            lengths[path].append(len(block.text))
    common = (path for path, count in post_counts.items() if path and count >= _MIN_FRAME_SHARE * len(posts))
    return {
        path
        for path in common
        if len(lengths[path]) <= 1.1 * post_counts[path]
        and max(lengths[path]) <= _MAX_FRAME_CHARS
        and median(lengths[path]) <= _MAX_FRAME_MEDIAN
    }


def _without_ends(blocks: list[TextBlock], paths: Sequence[Hashable], framing: Collection[Hashable]) -> list[TextBlock]:
    """Return the blocks without those at either end whose paths are ``framing``."""
    begin, end = 0, len(blocks)
    while begin < end and paths[begin] in framing:
        begin += 1
    while end > begin and paths[end - 1] in framing:
        end -= 1
    return blocks[begin:end]


def _path_to(block: TextBlock, body: Any) -> Hashable:
    """Return the tags and names from a block up to its body, or None if the block could be the text of the post."""
    if _is_text(block, body, _TEXT_TAGS):
        return None
    scopes = takewhile(lambda scope: scope is not body, block.scope.ancestry())
    return tuple((scope.tag, _DIGITS.sub("", scope.names)) for scope in scopes)


def _is_text(block: TextBlock, body: Any, tags: Collection[str], named: re.Pattern[str] | None = None) -> bool:
    """Return whether all elements between a block and its body have these tags, and no names but those of ``named``."""
    scopes = takewhile(lambda scope: scope is not body, block.scope.ancestry())
    return all(
        scope.tag in tags and (not scope.names or (named is not None and named.search(scope.names) is not None))
        for scope in scopes
    )


def without_signatures(texts: Sequence[str], authors: Sequence[str | None]) -> list[str]:
    """Remove the lines that end all posts of one author; each text keeps some lines."""
    lines = [text.split("\n") for text in texts]
    of_author: dict[str, list[int]] = defaultdict(list)
    for number, author in enumerate(authors):
        if author:
            of_author[author].append(number)
    for numbers in of_author.values():
        shared = _shared_end([lines[number] for number in numbers])
        for number in numbers if shared else ():
            del lines[number][-shared:]
    return ["\n".join(kept) for kept in lines]


def _shared_end(posts: Sequence[list[str]]) -> int:
    """Return how many lines at the end several posts share; each post has at least one line before them."""
    shared = 0
    if len(posts) > 1:
        max_lines = min(_MAX_SIGNATURE_LINES, *(len(lines) - 1 for lines in posts))
        while shared < max_lines and len({lines[-1 - shared] for lines in posts}) == 1:
            shared += 1
    return shared if sum(map(len, posts[0][len(posts[0]) - shared :])) <= _MAX_SIGNATURE_CHARS else 0
