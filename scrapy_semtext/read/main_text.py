"""The main text: blocks are scored and labeled by the readers at the end, after the corrections below.

**Notices** are never content: about scripts, cookies, browsers, ad blockers, logging in to reply. A notice is a short
block with typical wording that is separate from the content; what an article or a post says about cookies is kept.
Notes and warnings in the content are content including their titles.

**Repeated passages** are copies for other screen widths, clones in carousels and teasers. Such a passage is content
only once, unless it returns between other texts of the same element, like a refrain, or answers another question. In
threads, a repeated passage is a quotation instead: a <blockquote> or <q>, or an element of a type (same tag and class
names, ignoring digits) whose runs of four words nearly all occurred in an earlier post.

**Units** are tables, lists, definition lists and code listings. A unit between two blocks of the content is content
too, unless much of it is links or its blocks are very unlikely to be content. The same applies to text directly in an
element, next to child elements with content. In an expandable element, or one with several children of one type, those
blocks are added that have no links and may be content.

**Data for scripts**: sites that are rendered in the browser embed their content in the page as JSON: in a separate
script (such as the ``__NEXT_DATA__`` of Next.js), in an assignment like ``window.__STATE__ = {...}``, in a call like
``self.__next_f.push([1, "..."])``, or in an attribute (Discourse's ``data-preloaded``). JSON strings that are running
text, or HTML with running text, are grouped by their key; the key with the most text is taken as the main text, if the
page displays little text or only the beginning of it.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from lxml import etree

from scrapy_semtext.models.scores import Scores, log_odds_of
from scrapy_semtext.page import Block
from scrapy_semtext.read.line_features import is_prose
from scrapy_semtext.read.markup import main_text_from_markup
from scrapy_semtext.reading import Models, Reading, reader
from scrapy_semtext.tree.elements import text_of_html
from scrapy_semtext.tree.scopes import CELLS, ScopeTree, main_text, numbered
from scrapy_semtext.tree.tags import HEADING_LEVELS
from scrapy_semtext.words.characters import letters_of, lower_tokens, without_surrogates, word_counts
from scrapy_semtext.words.word_tables import alternatives, paragraphs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_semtext.features.table import PageTable, ParsedPage, PostBlocks
    from scrapy_semtext.tree.segmentation import Scope, TextBlock
    from scrapy_semtext.utils.arrays import Bools, Floats, Ints


#: Words, at least one of which occurs in any text about a subject.
Subjects = tuple[str, ...]
#: Blocks with at least this many words are not notices.
MAX_NOTICE_WORDS = 60
# The minimum number of words of prose.
_MIN_PROSE_WORDS = 20
# If all that is left of a page has at least this many words, it is not a notice.
_MIN_CONTENT_WORDS = 20
#: The number of ancestors of a block that may identify it as a notice.
_MAX_BOX_LEVELS = 4
_ROLES = frozenset(("alertdialog", "dialog"))
_NAMES = re.compile(alternatives("notices"), re.IGNORECASE)
#: The wording of notices, in lower case, by words of which each matching text has at least one; these are its subjects.
_NOTICES: dict[Subjects, re.Pattern[str]] = {
    tuple(subjects.split(", ")): re.compile("|".join(patterns)) for subjects, *patterns in paragraphs("notices")
}
#: A whole block: the control after a partly displayed quotation.
_EXPAND = re.compile(rf"(?:{alternatives('expand')})\W*", re.IGNORECASE)
_MAX_EXPAND_CHARS = 60
# The names of notes and warnings, and the maximum number of words of their titles.
_BOXES = re.compile(rf"(?:^|[\s_-])(?:{alternatives('boxes')})(?:$|[\s_-])", re.IGNORECASE)
_MAX_BOX_TITLE_WORDS = 8
#: The probability from which a heading is content if the blocks around it are.
MIN_HEADING_PROBABILITY = 0.38
#: The same for a heading directly above prose, and the ancestors of it that may contain the prose.
MIN_PROSE_HEADING_PROBABILITY, _HEADING_LEVELS = 0.22, 5
# Elements that are not boxes; the share of links of a list of links.
_SECTIONS, _MIN_LINK_SHARE = frozenset(("html", "body", "main", "article")), 0.8
# The number of buttons and links that may be beside a heading, and the maximum length of each.
_MAX_TOOLS, _MAX_TOOL_CHARS = 2, 30
_LETTER = re.compile(r"[^\W\d_]")
#: The minimum number of words of a repeated passage. Shorter ones are labels, cells and so on, which content repeats.
MIN_REPEATED_WORDS = 10
#: What occurs more often is part of the content, such as text that documentation repeats for many similar entries.
MAX_OCCURRENCES = 3
# The end of a question, and names of elements that are displayed one at a time and therefore repeated.
_ASKS = re.compile(r"[?？؟;]\W*$")
_SHOWN_ONE_BY_ONE = re.compile(r"slide|slick|swiper|carousel|clone|duplicate|splide|glide|owl-", re.IGNORECASE)
# The maximum number of levels up to a common ancestor for a repeated text to be a refrain.
_MAX_REFRAIN_LEVELS = 3
#: The share of repeated word runs from which an element, or all elements of a type, count as repetition.
MIN_REPEATED_SHARE = 0.7
#: The minimum number of elements of a type other than <blockquote> and <q>.
MIN_QUOTING_ELEMENTS = 2
# The number of words in a run, and a factor for its hash (that of 64-bit FNV).
_RUN_WORDS = 4
_HASH_FACTOR = np.uint64(1099511628211)
_QUOTING = frozenset(("blockquote", "q"))
_DIGITS = re.compile(r"\d+")
#: A block directly before a quotation that names its author: "X said:", "Originally posted by X".
_HEADER = re.compile(alternatives("quoted"), re.IGNORECASE)
_MAX_HEADER_WORDS = 15
# Minimum log-odds of units by tag (means over their words); of a unit at the end of its parent, if the next content is
# in another element, and of text next to elements; and of elements with several children of one type, and each block in
# them. Chosen on generated pages and on held-out domains (research/notes/training-notes.md).
_MIN_OF_TABLE, _MIN_OF_LIST, _MIN_AT_END, _MIN_OF_ALIKE = -3.0, -2.0, -1.5, -1.0
_MIN_LOG_ODDS = (
    dict.fromkeys(("table", "dl"), _MIN_OF_TABLE)
    | dict.fromkeys(("ul", "ol", "dir", "menu", "pre", "listing"), _MIN_OF_LIST)
    | dict.fromkeys(("div", "section", "details", "amp-accordion"), _MIN_OF_ALIKE)
)
_OPENING = frozenset(("details", "amp-accordion"))  # units with any content
_MAX_BLOCKS_BETWEEN = 2  # non-content blocks between a table and the content, such as a caption or an advertisement
_MAX_LINK_SHARE = 0.3  # maximum share of a unit's characters
_MIN_CONTENT_SHARE = 0.5  # share of content from which a whole unit is content
_MIN_SERIES, _MIN_SERIES_SHARE = 3, 0.6  # number of parts of a series, and the same share
_MAX_CONTENT_SHARE = 0.5  # maximum share of the content's words: a table with more is used for layout
_CLOSED = CELLS | {"li", "dt", "dd"}  # text next to elements in these is part of the surrounding unit
#: A page of fewer words is waiting for its scripts: "Please enable JavaScript", the name of the site.
MIN_PAGE_WORDS = 50
# The text that replaces what a page displays must be this many times as long.
_MIN_RATIO = 5
# The factor if the page displays the beginning of the text, and the minimum share of its sentences not on the page.
_MIN_RATIO_OF_BEGINNING, _MIN_MISSING_SHARE = 1.5, 0.5
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n")
# Sentences are equal if this many letters and digits at their beginning are; sentences with fewer than the second are
# ignored.
_COMPARED_LETTERS, _MIN_SENTENCE_LETTERS = 40, 20
# JSON-LD is read separately (see `scrapy_semtext.read.markup`).
_SCRIPTS: Any = etree.XPath("//script[not(contains(translate(@type, 'LDJSON', 'ldjson'), 'ld+json'))]")
_ATTRIBUTES: Any = etree.XPath("//@*[string-length() > 200 and (starts-with(., '{') or starts-with(., '['))]")
# JSON may begin in a script after "=" or "(".
_BEGINS = re.compile(r"""[=(]\s*(?=[\[{"])""")
# A call that returns an object literal, as in Nuxt 2, and the strings in it, with their names, and in its arguments.
_CALL = re.compile(r"=\s*\(function\s*\(")
_LITERALS = re.compile(r"""(?:\b([\w$]{1,40})\s*:|[(,\[])\s*(?=")""")
_MAX_LITERALS, _MAX_CALL_CHARS = 5_000, 200  # the call is at the beginning of a script
# Rows of React's server components: "5:[...]" is JSON, "5:T4f,..." a text of the given number of bytes, and others name
# required scripts.
_ROW = re.compile(r"^[0-9a-f]{1,4}:(?=[\[{]|T[0-9a-f]{1,6},|[A-Z]*[\[{\"])", re.MULTILINE)
_TEXT_ROW = re.compile(r"T[0-9a-f]{1,6},")
_DECODER = json.JSONDecoder(strict=False)
# The number of possible beginnings of JSON after which a script without any is skipped.
_MAX_ATTEMPTS = 200
# The maximum nesting of JSON within JSON strings, as in Discourse and React.
_MAX_NESTING = 3
# Shorter strings are ignored: running text is longer, even in scripts with two characters per word.
_MIN_STRING_CHARS = 20


def with_titles(blocks: Sequence[TextBlock], keep: Bools, words: Floats, probabilities: Floats) -> Bools:
    """Return which blocks are main content, (blocks,), including titles directly followed by main content.

    A title is short. It is "Warning" or similar, or the first line of a box; or a button that expands the part after
    it; or a heading before main content that is likely, by its ``probabilities``, (blocks,), to be content, and no link
    unless prose follows; or a line of code. Buttons and links beside a heading may follow it. The text below a heading
    is content if it is likely. The other arguments are those of `without_notices`.
    """
    result: Bools = keep.copy()
    shifted = np.append(keep[1:], [False] * (_MAX_TOOLS + 1))
    is_near_content = np.stack([shifted[shift : shift + len(keep)] for shift in range(_MAX_TOOLS + 1)]).any(axis=0)
    for index in (~keep & is_near_content & (words < _MIN_CONTENT_WORDS)).nonzero()[0][::-1].tolist():
        block, scope = blocks[index], blocks[index].scope
        following = _behind_tools(blocks, result, index)
        if not following or not _LETTER.search(block.text):
            continue
        next_scopes, is_next = {*blocks[following].scope.ancestry()}, following == index + 1
        if scope.tag == "button":
            result[index] = is_next and _opens(scope.element, {each.element for each in next_scopes})
        elif scope.tag in HEADING_LEVELS and probabilities[index] > MIN_PROSE_HEADING_PROBABILITY:
            is_allowed = index and (keep[index - 1] or _is_below(blocks[index - 1].scope.tag, scope.tag))
            result[index] = is_allowed and _is_head_of(block, blocks[following], words[following], probabilities[index])
        elif not block.link_chars and is_next and words[index] <= _MAX_BOX_TITLE_WORDS:
            previous = {*blocks[index - 1].scope.ancestry()} if index else set()
            is_code = scope.parent in next_scopes and scope.element.find(".//code") is not None
            result[index] = (index and keep[index - 1] and is_code) or _begins_box(scope, next_scopes, previous)
    is_behind_content = np.append(False, keep[:-1]) & ~result & (probabilities > MIN_HEADING_PROBABILITY)
    for index in is_behind_content.nonzero()[0].tolist():
        outer, title = blocks[index].scope.ancestry(), blocks[index - 1].scope
        if title.tag in HEADING_LEVELS and not blocks[index].link_chars and title.parent in islice(outer, 1, 3):
            result[index] = True
    return result


def _is_head_of(block: TextBlock, content: TextBlock, words: float, probability: float) -> bool:
    """Return whether a heading, content with a ``probability``, is that of the block after it, of ``words`` words."""
    tag, is_below = content.scope.tag, _is_below(block.scope.tag, content.scope.tag)
    is_prose = (words >= _MIN_PROSE_WORDS or is_below) and not content.link_chars
    if (tag in HEADING_LEVELS and not is_below) or (block.link_chars and not is_prose):
        return False
    if probability <= MIN_HEADING_PROBABILITY and (block.link_chars or not is_prose):
        return False
    content_scopes = {*content.scope.ancestry()}
    parents, ancestors = islice(block.scope.ancestry(), 1, 3), islice(block.scope.ancestry(), 3, _HEADING_LEVELS)
    if not content_scopes.isdisjoint(parents):
        return True
    return is_prose and any(scope in content_scopes and scope.tag not in _SECTIONS for scope in ancestors)


def _is_below(title: str, tag: str) -> bool:
    """Return whether the first tag is a heading and the second one a heading of a lower level."""
    return 0 < HEADING_LEVELS.get(title, 0) < HEADING_LEVELS.get(tag, 0)


def _behind_tools(blocks: Sequence[TextBlock], keep: Bools, index: int) -> int:
    """Return the first block of the content after a title, 0 if others than tools beside the title are between."""
    wrapper = blocks[index].scope.parent or blocks[index].scope
    for following, block in enumerate(blocks[index + 1 : index + _MAX_TOOLS + 2], index + 1):
        if keep[following]:
            return following if following == index + 1 or wrapper not in block.scope.ancestry() else 0
        if wrapper not in islice(block.scope.ancestry(), 2) or len(block.text) > _MAX_TOOL_CHARS:
            break
    return 0


def _begins_box(scope: Scope, following: set[Scope], previous: set[Scope]) -> bool:
    """Return whether a title is the first line of a note; the ancestors of the block after and before it are given."""
    shared = (outer for outer in scope.ancestry() if outer in following and outer not in previous)
    return any(outer.tag == "details" or _BOXES.search(outer.names) for outer in islice(shared, _MAX_BOX_LEVELS))


def _opens(button: Any, ancestors: set[Any]) -> bool:
    """Return whether the element after a button, or after a heading that is one, contains the next block."""
    opener, parent = button, button.getparent()
    if len(parent) == 1 and parent.tag in (*HEADING_LEVELS, "div"):
        opener, parent = parent, parent.getparent()
    part = opener.getnext()
    if part is None or part not in ancestors or part.tag in HEADING_LEVELS:
        return False
    if opener.tag in HEADING_LEVELS:
        return True
    next_siblings = (each.getnext() for each in parent.iterchildren(opener.tag) if each is not opener)
    return any(sibling is not None and sibling.tag == part.tag for sibling in next_siblings)


def without_orphans(blocks: Sequence[TextBlock], keep: Bools, words: Floats) -> Bools:
    """Return which blocks are main content, (blocks,), without headings of boxes and lists that are not content.

    Such a heading is the only content of a box that is not one of several, or a list of links takes its section.
    """
    result: Bools = keep.copy()
    content = keep.nonzero()[0]
    for position in (np.diff(content, append=len(keep)) > 1).nonzero()[0].tolist():
        index, neighbors = int(content[position]), content[max(0, position - 1) : position + 2].tolist()
        scope, part = blocks[index].scope, blocks[index + 1 : neighbors[-1] if neighbors[-1] > index else None]
        if HEADING_LEVELS.get(scope.tag, 1) == 1 or blocks[index].link_chars or words[index] > _MAX_BOX_TITLE_WORDS:
            continue
        other_scopes = [blocks[neighbor].scope for neighbor in neighbors if neighbor != index]
        scopes_inside = {*part[0].scope.ancestry()}
        box = next((outer for outer in islice(scope.ancestry(), 1, 3) if outer in scopes_inside), None)
        if box is None or box.tag in _SECTIONS:
            continue
        inner = [block for block in part if box in block.scope.ancestry()]
        chars, links = sum([len(block.text) for block in inner]), sum([block.link_chars for block in inner])
        is_list = inner[0].scope.tag == "li" and links >= _MIN_LINK_SHARE * chars
        if all(not _is_near(box, neighbor) for neighbor in other_scopes):
            result[index] = chars < _MAX_TOOL_CHARS and not is_list
        elif neighbors[-1] == index or other_scopes[-1].tag in HEADING_LEVELS:
            result[index] = not is_list
    return result


def _is_near(box: Scope, scope: Scope) -> bool:
    """Return whether an element is in a box, or in an element of the same type beside it."""
    return any(each is box or (each.parent is box.parent and _type(each) == _type(box)) for each in scope.ancestry())


def without_notices(blocks: Sequence[TextBlock], keep: Bools, words: Floats, no_post: Bools) -> Bools:
    """Return which blocks are main content, (blocks,), without notices.

    ``blocks`` are the blocks of a page, ``keep`` which are main content so far, ``words`` the number of words,
    ``no_post`` which are not part of a post; (blocks,) each. A block of fewer than sixty words outside posts with the
    wording of a notice is dropped if an ancestor is an element for notices (unless those contain most of the content),
    or if it is isolated: it is not a heading, it is before or after all prose, no adjacent block of the content is in
    the same element, and no other block is about its subject. The control that expands a quotation is always dropped.
    """
    texts = {index: blocks[index].text for index in (keep & (words < MAX_NOTICE_WORDS)).nonzero()[0].tolist()}
    result: Bools = keep.copy()
    result[[index for index, text in texts.items() if len(text) < _MAX_EXPAND_CHARS and _EXPAND.fullmatch(text)]] = (
        False
    )
    notices = {index: subjects for index, subjects in _subjects_of(texts).items() if no_post[index]}
    if notices:
        other_blocks = np.setdiff1d(result.nonzero()[0], [*notices])
        in_notice_elements = [index for index in notices if _is_for_notices(blocks[index].scope)]
        if in_notice_elements and _is_notice_page(blocks, result, words):
            in_notice_elements = []
        result[in_notice_elements + _isolated(notices, other_blocks, blocks, words)] = False
    return result


def _subjects_of(texts: dict[int, str]) -> dict[int, Subjects]:
    """Return the indexes of the texts with the wording of notices, with the words for their subjects."""
    all_texts = "\n".join(texts.values()).lower().encode()
    found = {}
    for subjects, pattern in _NOTICES.items():
        if present := [subject for subject in subjects if subject.encode() in all_texts]:
            for index, text in texts.items():
                lower = text.lower()
                if any(subject in lower for subject in present) and pattern.search(lower):
                    found[index] = subjects
    return found


def _is_notice_page(blocks: Sequence[TextBlock], keep: Bools, words: Floats) -> bool:
    """Return whether most content is in elements for notices, as on a page that is itself a cookie policy."""
    kept = keep.nonzero()[0].tolist()
    inside = words[[index for index in kept if _is_for_notices(blocks[index].scope)]].sum()
    return bool(inside >= max(MAX_NOTICE_WORDS, words[kept].sum() / 2))


def _is_for_notices(scope: Scope) -> bool:
    """Return whether the element or its parent is a dialog, <noscript>, or named for notices."""
    return any(
        outer.tag in ("noscript", "dialog") or outer.element.get("role") in _ROLES or _NAMES.search(outer.names)
        for outer in islice(scope.ancestry(), _MAX_BOX_LEVELS)
    )


def _isolated(notices: dict[int, Subjects], others: Ints, blocks: Sequence[TextBlock], words: Floats) -> list[int]:
    """Return which notice-like blocks are isolated; ``others`` are the other blocks of the content."""
    if not any(blocks[index].scope.tag not in HEADING_LEVELS for index in others.tolist()):
        notices = {index: subjects for index, subjects in notices.items() if words[index] < _MIN_CONTENT_WORDS}
    prose = others[words[others] >= _MIN_PROSE_WORDS]
    other_text = "\n".join([blocks[index].text.lower() for index in others.tolist()])
    discussed = {subjects for subjects in {*notices.values()} if any(subject in other_text for subject in subjects)}
    return [
        index
        for index, subjects in notices.items()
        if blocks[index].scope.tag not in HEADING_LEVELS
        and not (len(prose) and prose[0] < index < prose[-1])
        and subjects not in discussed
        and not _is_beside(index, others, blocks)
    ]


def _is_beside(index: int, others: Ints, blocks: Sequence[TextBlock]) -> bool:
    """Return whether the nearest of some blocks, before or after a block, is in the same or a surrounding element."""
    scope, position = blocks[index].scope, int(np.searchsorted(others, index))
    nearest = [blocks[other].scope for other in others[max(0, position - 1) : position + 1].tolist()]
    return any(scope.parent is other.parent or scope is other.parent or scope.parent is other for other in nearest)


def without_repeats(texts: Sequence[str], keep: Bools, words: Floats, scopes: Sequence[Scope]) -> Bools:
    """Return which blocks are main content, (blocks,), without passages that occurred among them before.

    ``texts``, ``words`` and ``scopes``: those of the page's blocks; ``keep``: which are main content so far; (blocks,)
    each. A passage is a maximal run of blocks whose texts equal those of an earlier run, ignoring case and white space;
    no text may occur in more than three blocks. It is dropped if it has ten words, is no refrain and answers no
    question.
    """
    kept = keep.nonzero()[0].tolist()
    result: Bools = keep.copy()
    comparable = _comparable([texts[index] for index in kept], words[kept].tolist())
    if len(set(comparable)) == len(comparable):
        return result
    for earlier, begin, end in _repeated(comparable):
        passage = kept[begin:end]
        if words[passage].sum() < MIN_REPEATED_WORDS or _ASKS.search(texts[passage[0] - 1]):
            continue
        is_separate = earlier + end - begin < begin  # an immediate repetition is a copy of the whole
        pairs = [(scopes[first], scopes[second]) for first, second in zip(kept[earlier:], passage, strict=False)]
        if not (is_separate and _are_alike(pairs)):
            result[passage] = False
    return result


def _are_alike(pairs: Sequence[tuple[Scope, Scope]]) -> bool:
    """Return whether each pair of elements is of one type and has a near common ancestor, see `_levels_between`.

    With an ancestor more than one level up, all elements must be of one type, which excludes cards of title and text.
    """
    levels = [_levels_between(*pair) for pair in pairs]
    return 0 not in levels and (max(levels) == 1 or len({_type(scope) for scope, _ in pairs}) == 1)


def _levels_between(first: Scope, second: Scope) -> int:
    """Return the levels up to two elements' common ancestor; 0 if those on the way differ in type or exclude it."""
    for level in range(1, _MAX_REFRAIN_LEVELS + 1):
        if first.tag == "li" or _type(first) != _type(second) or _SHOWN_ONE_BY_ONE.search(first.names):
            return 0
        if first.parent is None or second.parent is None:
            return 0
        first, second = first.parent, second.parent
        if first is second:
            return 0 if _SHOWN_ONE_BY_ONE.search(first.names) else level
    return 0


def _type(scope: Scope) -> tuple[str, str]:
    """Return the type of an element: its tag, and its class names without digits."""
    return scope.tag, _DIGITS.sub("", scope.classes or "")


def _comparable(texts: Sequence[str], words: Sequence[float]) -> list[str]:
    """Return the texts in lower case without extra white space; texts that cannot match another are unchanged.

    These differ from all others in the number of words or the first letter; no text begins with white space.
    """
    keys = [(length, text[:1].lower()) for text, length in zip(texts, words, strict=True)]
    times = Counter(keys)
    return [" ".join(text.lower().split()) if times[key] > 1 else text for text, key in zip(texts, keys, strict=True)]


def _repeated(texts: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield runs of texts that repeat earlier ones in order: end of the earlier run, begin, end (exclusive)."""
    times = Counter(texts)
    first: dict[str, int] = {}
    earlier = [
        first.setdefault(text, index) if times[text] <= MAX_OCCURRENCES else index for index, text in enumerate(texts)
    ]
    begin = 0
    while begin < len(texts):
        end = begin + 1
        if earlier[begin] < begin:
            while end < len(texts) and earlier[end] == earlier[end - 1] + 1 and earlier[end] < end:
                end += 1
            yield earlier[begin], begin, end
        begin = end


def without_quotes(texts: Sequence[str], tree: ScopeTree, keep: Bools, post: Ints) -> Bools:
    """Return which blocks are main content, (blocks,), without quotations of earlier posts and their headers.

    ``texts`` and ``tree`` are those of the page's blocks; ``keep``: which are main content so far, ``post``: the post
    of each, -1 for none; (blocks,) each. Quotations of fewer than four words are not found.
    """
    tokens = [lower_tokens(text) if index >= 0 else [] for text, index in zip(texts, post.tolist(), strict=True)]
    counts = np.fromiter(map(len, tokens), np.int64, len(tokens))
    quotations = _quotations(tree, np.stack([counts, *_runs(tokens, counts, post)], axis=1), post)
    first = tree.first[quotations]
    quotation_count = np.zeros(len(texts) + 1, dtype=np.int64)  # the number of (nested) quotations around each block
    np.add.at(quotation_count, first, 1)
    np.add.at(quotation_count, tree.last[quotations], -1)
    result: Bools = keep & (quotation_count.cumsum()[:-1] == 0)
    headers = first[first > 0] - 1
    headers = headers[post[headers] == post[headers + 1]]
    short_headers = [index for index in headers.tolist() if len(tokens[index]) <= _MAX_HEADER_WORDS]
    result[[index for index in short_headers if _HEADER.search(texts[index])]] = False
    return result


def _runs(tokens: Sequence[Sequence[str]], counts: Ints, post: Ints) -> tuple[Ints, Ints]:
    """Count the word runs in each block of ``counts`` words, and those that an earlier post has; (blocks,) each."""
    block = np.repeat(np.arange(len(tokens)), counts)
    ids = numbered(chain.from_iterable(tokens))
    hashes = np.zeros(max(0, len(ids) - _RUN_WORDS + 1), dtype=np.uint64)
    for index in range(_RUN_WORDS):
        hashes = hashes * _HASH_FACTOR + ids[index : index + len(hashes)].astype(np.uint64)
    begins, ends = block[: len(hashes)], block[_RUN_WORDS - 1 :]
    is_in_post = post[begins] == post[ends]  # runs may continue in the next block, because quotations join blocks
    run = np.unique(hashes, return_inverse=True)[1]
    first = np.full(len(hashes), len(tokens))  # the first post with each run
    np.minimum.at(first, run[is_in_post], post[begins[is_in_post]])
    is_in_block = begins == ends
    is_repeated = is_in_block & (first[run] < post[begins])
    return (
        np.bincount(begins[is_in_block], minlength=len(tokens)),
        np.bincount(begins[is_repeated], minlength=len(tokens)),
    )


def _quotations(tree: ScopeTree, counts: Ints, post: Ints) -> Ints:
    """Return the scopes that are quotations; none has all of a post, which may be a long quotation and a short reply.

    ``counts``: (blocks, 3), the words of each block, its runs, and its repeated runs.
    """
    words, runs, repeated = tree.sums_inside(counts.T.astype(np.float64))
    of_post = np.bincount(post + 1, counts[:, 0])[np.maximum(post[tree.first], post[tree.last - 1]) + 1]
    repeats = (repeated > 0) & (repeated >= MIN_REPEATED_SHARE * runs) & (words < of_post)
    kinds = numbered((tag, _DIGITS.sub("", names)) for tag, names in tree.element_types.pairs)
    kind = kinds[tree.element_types.of_scope]
    enough = np.bincount(kind, repeats) >= MIN_QUOTING_ELEMENTS
    enough &= np.bincount(kind, repeated) >= MIN_REPEATED_SHARE * np.bincount(kind, runs)
    quoting = np.array([tag in _QUOTING for tag in tree.element_types.tags])[tree.element_types.of_scope]
    return np.flatnonzero(repeats & (quoting | enough[kind]))


def with_units(page: ParsedPage, keep: Bools, probabilities: Floats, posts: PostBlocks | None = None) -> Bools:
    """Return which blocks of a page are main content, (blocks,), including units between blocks of main content.

    ``keep``: which are main content so far, ``probabilities``: of main content; (blocks,) each. Other units between a
    unit and the content are ignored, so that the second of two tables is found, too. In a thread, posts bound units.
    """
    if not keep.any() or keep.all():
        return keep
    tree = page.layout()
    units = _units(tree, keep)
    if not len(units.first):
        return keep
    first, last, parent, min_log_odds = units
    blocks, words = page.text_blocks, page.word_counts()
    log_odds, weights = log_odds_of(probabilities, 1e-6), words + 0.1
    links = np.array([float(block.link_chars) for block in blocks])
    chars = np.array([float(len(block.text)) for block in blocks])
    sums = np.zeros((5, len(keep) + 1))
    np.stack([log_odds * weights, weights, links, chars, words * keep]).cumsum(axis=1, out=sums[:, 1:])
    odds, weight, linked, size, kept = sums[:, last] - sums[:, first]
    mean = odds / weight
    likely = (mean > min_log_odds) & (linked < _MAX_LINK_SHARE * size) & (kept < _MAX_CONTENT_SHARE * sums[-1, -1])
    mostly = kept >= _MIN_CONTENT_SHARE * (weight - 0.1 * (last - first))
    first, last, parent, min_log_odds, mean, mostly = (column[likely] for column in (*units, mean, mostly))
    before, after, most_between = _content_around(keep, first, last)
    between = (before >= tree.first[parent]) & (after < len(keep))
    between &= (after < tree.last[parent]) | ((mean > _MIN_AT_END) & (min_log_odds != _MIN_OF_ALIKE))
    between &= most_between <= np.where(min_log_odds == _MIN_OF_TABLE, _MAX_BLOCKS_BETWEEN, 0)
    alike = min_log_odds == _MIN_OF_ALIKE
    between |= mostly & ~alike
    if posts is not None and posts.is_thread:
        stretch = np.append(0, np.diff(posts.post) != 0).cumsum()
        between &= stretch[before] == np.append(stretch, -1)[after]
    whole, in_part = (_covered(first[found], last[found], len(keep)) for found in (between & ~alike, between & alike))
    likely_alone: Bools = (log_odds > _MIN_OF_ALIKE) & (links == 0)
    return keep | whole | (in_part & likely_alone)


def with_series(tree: ScopeTree, keep: Bools, words: Floats) -> Bools:
    """Return which blocks are main content, (blocks,), including all of a series of elements that mostly are.

    Such a series is three or more siblings of one type, without links, of several blocks each, such as messages of a
    chat. Text that most of them repeat is that of a button or an icon.
    """
    links = np.array([float(block.link_chars) for block in tree.blocks])
    columns = np.stack([words, words * keep, links, np.ones(len(keep)), keep.astype(np.float64)])
    group, inside = tree.sibling_groups, tree.sums_inside(columns)
    sums = np.stack([np.bincount(group, row) for row in (*inside, (inside[4] > 0).astype(np.float64))])
    counts = np.bincount(group)
    series = (counts >= _MIN_SERIES) & (sums[2] == 0) & (sums[3] >= 2 * counts) & (sums[4] < sums[3])
    series &= (sums[1] >= _MIN_SERIES_SHARE * sums[0]) & (sums[5] >= _MIN_SERIES_SHARE * counts)
    result: Bools = keep.copy()
    order, ends = np.argsort(group, kind="stable"), counts.cumsum()
    for end, count in zip(ends[series].tolist(), counts[series].tolist(), strict=True):
        parts = order[end - count : end]
        added = (_covered(tree.first[parts], tree.last[parts], len(keep)) & ~keep).nonzero()[0].tolist()
        times = Counter([tree.blocks[index].text for index in added])
        for index in added:
            text = tree.blocks[index].text
            result[index] = times[text] < _MIN_SERIES_SHARE * len(parts) and _LETTER.search(text) is not None
    return result


class _Units(NamedTuple):
    """The first block of each unit, the end of its blocks, the element around it and the minimum log-odds; (units,)."""

    first: Ints
    last: Ints
    parent: Ints
    min_log_odds: Floats


def _units(tree: ScopeTree, keep: Bools) -> _Units:
    """Return the units between the first and the last block of the content that have a dropped block."""
    dropped, content = np.append(0, (~keep).cumsum()), np.append(0, keep.cumsum())
    min_log_odds, loose = _min_log_odds(tree), _loose_blocks(tree)
    scopes = np.flatnonzero(min_log_odds < np.inf)
    first, last = np.append(tree.first[scopes], loose), np.append(tree.last[scopes], loose + 1)
    parent = np.append(tree.parent[tree.widest[scopes]], tree.of_block[loose])
    min_log_odds = np.append(min_log_odds[scopes], np.full(len(loose), _MIN_AT_END))
    is_unit = (content[first] < content[last]) | ((content[first] > 0) & (content[last] < content[-1]))
    is_unit &= dropped[first] < dropped[last]
    return _Units(first[is_unit], last[is_unit], parent[is_unit], min_log_odds[is_unit])


def _min_log_odds(tree: ScopeTree) -> Floats:
    """Return the minimum log-odds of each scope that is a unit, (scopes,); infinite for others."""
    types, parent = tree.element_types, tree.parent[1:]
    kind, kinds = types.of_scope[1:], np.full(len(tree), -1)
    kinds[parent] = kind  # of one of the elements inside
    is_series = (tree.children > 1) & (np.bincount(parent, kind != kinds[parent], len(tree)) == 0)
    minimum = np.array([_MIN_LOG_ODDS.get(tag, np.inf) for tag in types.tags])[types.of_scope]
    is_series |= np.array([tag in _OPENING for tag in types.tags])[types.of_scope]
    return np.where((minimum == _MIN_OF_ALIKE) & ~is_series, np.inf, minimum)


def _loose_blocks(tree: ScopeTree) -> Ints:
    """Return the blocks directly in an element with child elements, except table cells and list items; (found,)."""
    closed = np.array([tag in _CLOSED for tag in tree.element_types.tags])[tree.element_types.of_scope]
    return np.flatnonzero(((tree.children > 0) & ~closed)[tree.of_block])


def _content_around(keep: Bools, first: Ints, last: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the last content block before each unit, or -1, and the first one after it, or the number of blocks.

    Also return the greater number of other blocks, in no unit, between on either side; (units,) each.
    """
    count, index = len(keep), np.arange(len(keep))
    before = np.append(np.maximum.accumulate(np.where(keep, index, -1)), -1)[first - 1]
    behind = np.append(np.minimum.accumulate(np.where(keep, index, count)[::-1])[::-1], count)[last]
    others = np.append(0, (~keep & ~_covered(first, last, count)).cumsum())
    return before, behind, np.maximum(others[first] - others[before + 1], others[behind] - others[last])


def _covered(first: Ints, last: Ints, count: int) -> Bools:
    """Return which of ``count`` blocks are in a unit; (blocks,)."""
    steps = np.bincount(first, minlength=count + 1) - np.bincount(last, minlength=count + 1)
    covered: Bools = steps.cumsum()[:count] > 0
    return covered


def fallback_text(
    root: etree._Element, main_text: str, shown: float, *, markup: bool, texts: Iterable[str] = ()
) -> str | None:
    """Return the hidden text of a page if it should replace ``main_text``, otherwise None.

    It should if the page has no main text, if all the words it displays (``shown``) are few compared with the hidden
    text, or if its ``texts`` are only the beginning of the text in its JSON-LD. For pages that display more, script
    data is not read, because it then includes other pages. ``markup``: whether the page's JSON-LD may be read.
    """
    min_chars = int(_MIN_RATIO_OF_BEGINNING * len(main_text))
    from_markup = main_text_from_markup(root, min_chars) if markup else None
    from_scripts = main_text_from_state(root) if shown < MIN_PAGE_WORDS else None
    text = max(from_markup or "", from_scripts or "", key=len)
    if not text or len(text) <= min_chars:
        return None
    is_short = shown < MIN_PAGE_WORDS and word_counts([text])[0] >= _MIN_RATIO * shown
    return text if is_short or not main_text or (text == from_markup and _has_beginning(texts, from_markup)) else None


def _has_beginning(texts: Iterable[str], full_text: str) -> bool:
    """Return whether texts of a page contain the first sentence of a whole (or a near one) but lack most others."""
    sentences = [letters_of(sentence)[:_COMPARED_LETTERS] for sentence in _SENTENCE.split(full_text)]
    sentences = [sentence for sentence in sentences if len(sentence) >= _MIN_SENTENCE_LETTERS]
    page_letters = letters_of("".join(texts))
    missing = [sentence not in page_letters for sentence in sentences]
    return not all(missing[:3]) and sum(missing) >= _MIN_MISSING_SHARE * len(missing)


def main_text_from_state(root: etree._Element) -> str | None:
    """Return the running text in a page's script data, in page order and without repetitions; None if there is none.

    Only JSON is read, and no script is run. Broken JSON is skipped.
    """
    texts: defaultdict[str, dict[str, None]] = defaultdict(dict)
    values = chain((script.text or "" for script in _SCRIPTS(root)), _ATTRIBUTES(root))
    for state in chain.from_iterable(map(_decoded, values)):
        for key, string in _strings(state):
            if (
                len(string) >= _MIN_STRING_CHARS
                and (text := text_of_html(string))
                and any(map(is_prose, text.splitlines()))
            ):
                texts[key].setdefault(text)
    return max(("\n".join(found) for found in texts.values()), key=len, default=None)


def _decoded(text: str) -> Iterator[Any]:
    """Yield the JSON value that a whole text is, or else the values that begin within it."""
    try:
        yield json.loads(text, strict=False)
    except (ValueError, RecursionError):
        yield from _embedded(text)


def _embedded(text: str) -> Iterator[Any]:
    """Yield the JSON values that begin in a script after certain signs, each as {name: value} if it has a name."""
    position, begins, max_attempts = 0, _BEGINS, _MAX_ATTEMPTS
    if _CALL.search(text, 0, _MAX_CALL_CHARS):
        begins, max_attempts = _LITERALS, _MAX_LITERALS
    for _ in range(max_attempts):
        begin = begins.search(text, position)
        if begin is None:
            return
        position = begin.end()
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            continue
        yield {begin[1]: value} if begin.lastindex else value


def _strings(state: Any) -> Iterator[tuple[str, str]]:
    """Yield the strings of a JSON value in order, each with its key, or that of the list around it."""
    stack: list[tuple[str, Any, int]] = [("", state, 0)]
    while stack:
        key, value, nested = stack.pop()
        if isinstance(value, dict):
            stack += [(inner, item, nested) for inner, item in reversed(value.items())]
        elif isinstance(value, list):
            stack += [(key, item, nested) for item in reversed(value)]
        elif isinstance(value, str):
            inner_values = _within(value) if nested < _MAX_NESTING else None
            if inner_values is None:
                yield key, without_surrogates(value)
            else:
                stack += [(key, item, nested + 1) for item in reversed(inner_values)]


def _within(text: str) -> list[Any] | None:
    """Return the values in a JSON string that is itself JSON or rows of React; None for any other text."""
    if text.lstrip()[:1] in ("{", "["):
        return list(_decoded(text)) or None
    if not _ROW.match(text):
        return None
    return [value for row in _ROW.split(text) for value in _row(row)]


def _row(row: str) -> list[Any]:
    """Return the values of a row of React's server components, without its number: a text or JSON."""
    if text := _TEXT_ROW.match(row):
        return [row[text.end() :]]
    return list(_decoded(row)) if row[:1] in ("{", "[") else []


@reader("scores", uses=("post_blocks",), by_page=False)
def scores_reader(table: PageTable, models: Models, readings: Sequence[Reading]) -> list[Scores]:
    """Score the blocks of pages, grouped by labeler."""
    found: dict[int, Scores] = {}
    for name in dict.fromkeys(reading.options.labeler for reading in readings):
        indexes = [index for index, reading in enumerate(readings) if reading.options.labeler == name]
        pages = table if len(indexes) == len(readings) else [table[index] for index in indexes]
        posts = [readings[index].post_blocks for index in indexes]
        found |= zip(indexes, models.labeler_of(name).score(pages, posts), strict=True)
    return [found[index] for index in range(len(readings))]


def labeled(reading: Reading, models: Models) -> list[Block]:
    """Return the labeled blocks of a page with scores; comments are boilerplate, unless its labeler ignores posts."""
    parsed, scores, options, rule = reading.parsed, reading.scores, reading.options, reading.rule
    blocks, labeler = parsed.text_blocks, models.labeler_of(options.labeler)
    posts = None if labeler.ignores_posts else reading.post_blocks
    if rule is not None:
        scores = rule.scores(scores, blocks)
    keep = scores.labels(options.decision or labeler.decision, parsed.word_counts())
    if posts is not None and posts.comments:
        keep = keep & (posts.inside <= 0.5)
    if labeler.tidies:
        keep = with_units(parsed, keep, scores.probabilities, posts)
    if reading.template is not None:
        keep = reading.template.revised(parsed, keep, scores.probabilities)
    if labeler.tidies and reading.message_blocks is not None:
        first, last = reading.message_blocks
        keep = (parsed.starts < last) & (np.append(parsed.starts[1:], len(parsed.raw_blocks)) > first)
    elif labeler.tidies:
        keep = _tidied(parsed, keep, scores.probabilities, posts, drop_quotes=options.drop_quotes)
    if rule is not None:
        keep = rule.decide(blocks, keep)
    return [
        Block(block.text, "main" if main else "boilerplate", probability, block.scope.tag, block.scope.names)
        for block, main, probability in zip(blocks, keep.tolist(), scores.probabilities.tolist(), strict=True)
    ]


def _tidied(
    parsed: ParsedPage, keep: Bools, probabilities: Floats, posts: PostBlocks | None, *, drop_quotes: bool
) -> Bools:
    """Return which blocks are main content, (blocks,), with titles of boxes, without notices and repeated text."""
    blocks, words = parsed.text_blocks, parsed.word_counts()
    no_post = np.ones(len(blocks), dtype=np.bool_)
    if posts is None or not posts.is_thread:
        keep = with_series(parsed.layout(), keep, words) if keep.any() else keep
        keep = without_repeats([block.text for block in blocks], keep, words, [block.scope for block in blocks])
    else:
        no_post = posts.post < 0
        if drop_quotes:
            keep = without_quotes([block.text for block in blocks], parsed.layout(), keep, posts.post)
    keep = with_titles(blocks, without_notices(blocks, keep, words, no_post), words, probabilities * no_post)
    return without_orphans(blocks, keep, words)


@reader(("blocks", "text", "fallback"), ("scores", "message"), uses=("post_blocks",))
def blocks_reader(reading: Reading, models: Models) -> tuple[list[Block], str, str | None]:
    """Label the blocks of a page, and join the text of the main ones or take it from elsewhere."""
    parsed, rule, blocks = reading.parsed, reading.rule, labeled(reading, models)
    text, fallback = main_text(parsed.text_blocks, [block.is_main for block in blocks], parsed.raw_tree), None
    is_ruled = rule is not None and rule.decides()
    if reading.page.message is not None and not is_ruled:
        text = reading.page.message.text
    elif not is_ruled:
        shown, markup = parsed.word_counts().sum(), reading.options.markup
        fallback = fallback_text(parsed.root, text, shown, markup=markup, texts=(block.text for block in blocks))
    if fallback is not None:
        text, blocks = fallback, [replace(block, label="boilerplate") for block in blocks]
    return blocks, text, fallback


@reader("main_text", ("text",), uses=("comments",), asked=lambda _: True)
def main_text_reader(reading: Reading, _: Models) -> str:
    """Return the text of the main blocks, with the comments if they are to be joined."""
    comments = reading.page.comments if reading.options.join_comments else []
    return "\n".join(filter(None, [reading.text, *(comment.text for comment in comments)]))
