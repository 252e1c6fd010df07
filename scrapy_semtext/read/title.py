"""The title of a page, without the name of its site.

Candidates are headings of all levels, ``og:title`` and ``<title>``; the last two often begin or end with the site's
name. A heading that equals one of them, or a part of one, is the title: ``<h1>`` first, then the others, except one
that equals the site's name. The site's name is known from links to its home page, the head, the host, or the part that
one candidate has more than another. Without such a heading, the title is a similar one, one with the words of the
address, or the subject of most replies. Otherwise the candidates are split at their separators if one side is known to
be the name of the site, the name of another page (a board of a forum), or no name; the title is then the part of the
remainder that the page displays as a separate text.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote

from scrapy_semtext.read.thread_pages import without_page_number
from scrapy_semtext.reading import reader
from scrapy_semtext.tree.elements import elements_of, shown_text
from scrapy_semtext.tree.letters import UNSEEN
from scrapy_semtext.utils.address import address_of, resolved, without_fragment, without_www
from scrapy_semtext.words.characters import letters_of, lower_tokens, one_line
from scrapy_semtext.words.cues import SUBJECT
from scrapy_semtext.words.word_tables import alternatives
from scrapy_semtext.words.words import UNSPACED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from lxml import etree

    from scrapy_semtext.reading import Models, Reading
    from scrapy_semtext.tree.elements import Naming


# Separators between a page's title and its site's name, with spaces around those that could be part of a word.
_SEPARATOR = re.compile(
    r"\s+(?:[|·•»«›‹~/:–—-]|::)\s+|\s*[|»]\s+|\s*[｜│┃￨－＿：〜～]\s*|\s+\[|(?<=\S)\s*【"
    rf"|(?<=[{UNSPACED}])\s*[|_–—-]+\s*(?=[{UNSPACED}])"
)
# By convention, the site's name comes after one of these.
_BAR = re.compile(rf"(?<!\s)\s+\|\s+|(?<!\s)\s*[｜│┃￨]\s*|(?<=[{UNSPACED}])_(?=[{UNSPACED}])")
# Parts of titles that name nothing; and those that precede the title of a thread.
_NO_NAME = re.compile(alternatives("no title"), re.IGNORECASE)
_ANNOUNCED = re.compile(rf"^(?:.* )?(?:{alternatives('announced')}) ?(?:[|·•»«›‹~/:–—-]|::) ", re.IGNORECASE)
_SITE_WORDS = frozenset("forum forums community board boards blog wiki documentation docs".split())
_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
_LEADING = re.compile(r"[|·•»«›‹~/:–—-]\s*$")
# The self-link that documentation puts after a heading.
_PERMALINK = re.compile(r" ?¶$|(?:^| )#$")
# What breadcrumbs and buttons leave at the ends of a heading: separators, "[copy link]", "[C]".
_EDGES = re.compile(
    rf"^(?:\[\w\] |[|·•»›>/] )+|(?: ?\[(?:\w|{alternatives('copy link')})\]| [|·•»›>/]){{1,5}}$", re.IGNORECASE
)
_SUBJECT = re.compile(rf"^{SUBJECT}\s*", re.IGNORECASE)
# What stands between the links of a breadcrumb and the name of the page.
_CRUMB = re.compile(r" ?[»›>→/|]{1,2} ?(?=\w)")
_HOST = re.compile(r"https?://([^/:?#@]+)(?::\d+)?", re.IGNORECASE)

# The values that are read from the head.
_READ = frozenset(("title", "og:title", "og:site_name", "application-name", "canonical", "og:url"))

# The maximum number of characters of values from the head.
_MAX_VALUE_CHARS = 1000
_MAX_HEADINGS, _MAX_TEXTS, _MAX_LINKS, _MAX_SUBJECTS = 20, 400, 20, 4000
# Elements in which a page may display its title.
_SHOWING = tuple("a div span td th b strong p li font em big h1 h2 h3 h4 h5 h6".split())
_NO_SITES: set[str] = set()
_LOWER = frozenset(("h2", "h3", "h4", "h5", "h6"))
# A link to the home page is among the first, with a URL like "/", "../index.html" or "./index.php?sid=1f".
_HOME_TARGET = re.compile(r"(?:/|(?:\.\.?/)+)?(?:(?:index|default)\.\w+)?(?:\?(?:sid|s|phpsessid)=\w+)?", re.IGNORECASE)

# The similarity (word F1) of heading and title from which one of them is redundant; from which they name the same page.
_MIN_SAME, _MIN_ALIKE = 0.6, 0.3


def title_of(root: etree._Element, naming: Sequence[Naming] | None = None) -> str | None:
    """Return the page's title with white space collapsed, or None if the page has none.

    ``naming`` are the elements that name the page, if already collected.
    """
    naming = elements_of(root).naming if naming is None else naming
    head = _Head(root.base or "", naming)
    headings = _texts(h1s := [each.element for each in naming if each.tag == "h1"])
    sites = head.site_names(root)
    own = [heading for heading in headings if letters_of(heading) not in sites]
    if len(own) == 1 and any(_SEPARATOR.split(name, maxsplit=1)[0] == own[0] for name in head.names):
        return own[0]  # the case for most pages
    lower = [each.element for each in naming if each.tag in _LOWER]
    sites |= _site_parts(head, headings, lower, sites)
    cut = [_without_site(name, sites) for name in head.names]
    own = [heading for heading in own if letters_of(heading) not in sites]
    if title := _heading_title(naming, own, lower, cut, head, sites):
        return title
    if title := next(filter(None, map(_behind_links, h1s)), None) or _subject(root):
        return title
    displayed = next(iter(own or headings or head.names), None)
    if not cut or (own and letters_of(cut[0]) in sites and not head.is_home):
        return displayed
    return _as_shown(_without_boards(cut[0], sites, root), root) or displayed


def _heading_title(
    naming: Sequence[Naming],
    own: Sequence[str],
    lower: Sequence[etree._Element],
    cut: Sequence[str],
    head: _Head,
    sites: set[str],
) -> str | None:
    """Return the heading that is the title: one that the names of the page end with, or one that is similar.

    ``own`` are the texts of <h1> that do not name the site, ``lower`` the headings below; ``cut`` are the names of the
    page in its head without that of the site; ``sites`` are the names of the site, in letters.
    """
    names = head.names
    colons = [name.partition(": ") for name in cut]  # they separate few titles, so a heading has to be the end
    ends = {letters_of(end) for site, _, end in colons if letters_of(site) in sites}
    ends = ends.union(letters_of(end) for name in cut for end in _ends(name)) - sites - {""}
    found = _equal(own, ends) or _equal(_pieces(naming), ends) or _most_alike(own, [*cut, *names])
    lower_texts = [_SUBJECT.sub("", text) for text in _texts(lower)]
    if found is None or letters_of(found) not in ends:
        ends = ends if found is None else _replacements(found, cut, names) - sites
        found = _equal(lower_texts, ends) or found
    if found is None:
        parts = (text for text in lower_texts if any(_has_part(name, text, sites) for name in names))
        found = max(parts, key=len, default=None)
    found = found or _by_address(own, cut, head.address)
    if found is None and len(own) == 1 and cut and not head.is_home and _words(own[0]) & _words(cut[0]):
        found = own[0]
    return found and _as_written(found, cut)


def _as_written(heading: str, cut: Sequence[str]) -> str:
    """Return a heading as the page's head has it if its template writes all words with capitals."""
    ends = (end for name in cut for end in _ends(name) if not end.islower())
    same = [end for end in ends if end.casefold() == heading.casefold()]
    return min([heading, *same], key=lambda text: sum(map(str.isupper, text)))


def _by_address(own: Sequence[str], cut: Sequence[str], address: set[str]) -> str | None:
    """Return the heading that has the words of the address, if no name of the page has more of them."""
    best = max(own, key=lambda heading: _likeness(_words(heading), address), default="")
    likeness = _likeness(_words(best), address)
    return best if likeness > max([_MIN_ALIKE, *(_likeness(_words(name), address) for name in cut)]) else None


def _replacements(heading: str, cut: Sequence[str], names: Sequence[str]) -> set[str]:
    """Return the texts, in letters, of headings below <h1> that are the title instead of this <h1>.

    ``names`` are the names of the page in its head, none of which ends with the <h1>; ``cut`` are these without the
    name of the site. A heading replaces the <h1> if it equals a whole name that is similar to the <h1>, or a long
    enough end of a name that is not similar to it: then the <h1> is probably the name of a forum.
    """
    return {
        letters_of(end)
        for name, full_name in zip(cut, names, strict=True)
        for end in _ends(name)
        if (end == name if _most_alike([heading], [end]) else (2 + name.startswith(end)) * len(end) >= len(full_name))
    }


def _equal(headings: Sequence[str], names: set[str]) -> str | None:
    """Return the longest heading that equals one of the names, which are given in letters."""
    return max((heading for heading in headings if letters_of(heading) in names), key=len, default=None)


def same_title(heading: str, title: str) -> bool:
    """Return whether a heading equals the page's title, ignoring case, punctuation and a few words.

    A heading also equals the title if a separator and perhaps the site's name follow it there.
    """
    letters = letters_of(heading)
    if not letters:
        return False
    begin = _SEPARATOR.split(title, maxsplit=1)[0]
    return letters in (letters_of(title), letters_of(begin)) or _likeness(_words(heading), _words(title)) >= _MIN_SAME


def _most_alike(headings: Sequence[str], names: Sequence[str]) -> str | None:
    """Return the heading that is most similar to one of the names, if it is similar enough."""
    best_heading, best_likeness = None, _MIN_ALIKE
    words_of_names = [_words(name) for name in names]
    for heading in headings:
        words = _words(heading)
        likeness = max((_likeness(words, name) for name in words_of_names), default=0.0)
        if likeness > best_likeness:
            best_heading, best_likeness = heading, likeness
    return best_heading


def _ends(name: str) -> Iterator[str]:
    """Yield a name, and the parts before and after each of its separators."""
    yield name
    for cut in _SEPARATOR.finditer(name):
        yield name[: cut.start()]
        yield name[cut.end() :]


def parts_of_names(naming: Sequence[Naming]) -> list[str]:
    """Return the parts of og:title and <title> between separators."""
    return [part for name in _Head("", naming).names for part in map(str.strip, _SEPARATOR.split(name)) if part]


def _site_parts(head: _Head, headings: list[str], lower: list[etree._Element], sites: set[str]) -> set[str]:
    """Return parts of the names that can only be the site's: extra parts of one name, or the site's heading."""
    parts: set[str] = set()
    heading_letters = {letters_of(heading) for heading in headings}
    for name in (names := head.names):
        pieces = _SEPARATOR.split(name)
        letters = [letters_of(part) for part in pieces]
        first = len(_words(pieces[0]))
        middle_headings = (index for index, part in enumerate(letters[1:-1], 1) if part in heading_letters)
        if (index := next(middle_headings, 0)) and len(_words(pieces[index])) < first:  # the heading names a section
            parts |= {letters[index], "".join(letters[index:])}
        if len(letters) > 1 and letters[-1] in heading_letters and sites.isdisjoint(letters):
            # If no heading equals the part before it, the last part may be the title, after the site's name.
            last_words = _words(pieces[-1])
            other_parts = " ".join(pieces[:-1])
            other_headings = [heading for heading in headings if letters_of(heading) != letters[-1]]
            is_site = _most_alike(other_headings, [other_parts]) is not None
            is_site |= len(_words(other_parts)) > 1 and _equal(_texts(lower), {letters_of(other_parts)}) is not None
            is_site |= not last_words.isdisjoint(_SITE_WORDS)
            is_site |= _likeness(_words(other_parts), head.address) > _likeness(last_words, head.address)
            if is_site or len(last_words) <= len(_words(name)) / 2:
                parts.add(letters[-1])
        for other in names:
            if name.startswith(other) and _SEPARATOR.match(name, len(other)):
                remainder = name[len(other) :]
                is_page = _likeness(_words(remainder), head.address) > _likeness(_words(other), head.address)
                parts.add(letters_of(other if is_page else remainder))
            elif name.endswith(other) and _LEADING.search(name[: -len(other)]):
                parts.add(letters_of(name[: -len(other)]))
    return parts - {""}


def _without_site(name: str, sites: set[str]) -> str:
    """Remove the site's name from either end."""
    cuts = list(_SEPARATOR.finditer(name))
    for cut in cuts:
        if letters_of(name[cut.end() :]) in sites:
            return name[: cut.start()]
    for cut in reversed(cuts):
        if letters_of(name[: cut.start()]) in sites:
            return name[cut.end() :]
    bars = list(_BAR.finditer(name))
    return name[: bars[-1].start()] if bars and bars[-1].start() else name


def _without_boards(name: str, sites: set[str], root: etree._Element) -> str:
    """Remove the site's name, parts that name nothing, and texts of links or copyright lines from both ends.

    Links lead to boards and sections, but a thread may also link to itself, so the longest part is kept.
    """
    page = without_fragment(root.base or "")
    name = _trimmed(name, lambda part: _NO_NAME.fullmatch(part) is not None or letters_of(part) in sites)
    if len(parts := _SEPARATOR.split(name)) > 1:
        longest = max(map(len, parts))
        links = [(letters_of(text), link) for link in root.iter("a") if len(text := _text(link)) < longest]
        linked = {text for text, _ in links}
        part_of = {letters_of(part): part for part in parts}
        if self_links := [part_of[text] for text, link in links if text in part_of and _leads_to(link, page)]:
            return max(self_links, key=len)
        rights = letters_of(
            " ".join(text for text in map(str, root.itertext("p", "div", "span", "footer")) if "©" in text)
        )
        name = _trimmed(name, lambda part: letters_of(part) in linked or letters_of(part) in rights)
    return name


def _leads_to(link: etree._Element, page: str) -> bool:
    """Return whether a link leads to the page itself."""
    target = resolved(link.get("href") or "", page) if page else None
    return target is not None and without_fragment(target) == page


def _trimmed(name: str, is_needless: Callable[[str], bool]) -> str:
    """Remove unnecessary parts from either end of a name, but keep at least one."""
    while cuts := [*_SEPARATOR.finditer(name)]:
        if is_needless(name[: cuts[0].start()]):
            name = name[cuts[0].end() :]
        elif is_needless(name[cuts[-1].end() :]):
            name = name[: cuts[-1].start()]
        else:
            break
    return name


class _Head:
    """Values of the head that describe the page and its site."""

    def __init__(self, address: str, naming: Sequence[Naming]) -> None:
        self._values: dict[str, str] = {}
        for element, tag, key, _ in naming:
            value = element.get("content" if tag == "meta" else "href") if tag != "title" else element.text
            if key in _READ and value:
                self._values.setdefault(key, one_line(UNSEEN.sub("", value))[:_MAX_VALUE_CHARS])
        self._origin = _HOST.match(address or self._values.get("canonical") or self._values.get("og:url") or "")
        url = address_of(address or self._values.get("canonical") or self._values.get("og:url"))
        #: The words of the last part of the page's address, and whether it is that of a site's home page.
        self.address = _words_of_path(url.path)
        self.is_home = bool(url.netloc) and not (url.path.strip("/") or url.query)
        #: og:title and <title>, if present, without "Page 3".
        names = map(self._values.get, ("og:title", "title"))
        self.names = [*dict.fromkeys(_ANNOUNCED.sub("", without_page_number(name) or name) for name in names if name)]

    def site_names(self, root: etree._Element) -> set[str]:
        """Return the site's names, in letters: og:site_name, labels of its host, texts of links to its home page."""
        names = [self._values.get("og:site_name"), self._values.get("application-name")]
        origin = self._origin[0] if self._origin else "/"
        if self._origin:
            host = without_www(self._origin[1])
            names += [self._origin[1], host, *host.split(".")[:-1]]
        for link in islice(root.iter("a"), _MAX_LINKS):
            if (target := link.get("href")) and _HOME_TARGET.fullmatch(target.removeprefix(origin) or "/"):
                names.append(shown_text(link) or next((image.get("alt") for image in link.iter("img")), None))
        return {letters_of(name) for name in names if name} - {""}


def _as_shown(name: str, root: etree._Element) -> str:
    """Return the longest part of a name that the page displays as a separate text, or else the whole name."""
    texts = (str(text).strip() for text in islice(root.itertext(*_SHOWING, with_tail=False), _MAX_TEXTS))
    return max((text for text in texts if _has_part(name, text, _NO_SITES)), key=len, default=name)


def _behind_links(heading: etree._Element) -> str | None:
    """Return what a heading of links to sections has behind the last of them and a separator, None for others."""
    text, end = _text(heading) if len(heading) else "", 0
    for link in islice(heading.iter("a"), _MAX_HEADINGS):
        end = text.find(label := shown_text(link), end) + len(label)
    behind = _CRUMB.match(text, end) if end > 0 else None
    return text[behind.end() :] if behind else None


def _subject(root: etree._Element) -> str | None:
    """Return the subject that most replies on a page have, if it is shown twice."""
    texts = [one_line(str(text)) for text in islice(root.itertext(*_SHOWING, with_tail=False), _MAX_SUBJECTS)]
    replies = Counter(_SUBJECT.sub("", text) for text in texts if len(text) <= 200 and _SUBJECT.match(text))
    subject, count = next(iter(replies.most_common(1)), ("", 0))
    return subject if subject and 2 * count > replies.total() and count + texts.count(subject) > 1 else None


def _has_part(name: str, text: str, sites: set[str]) -> bool:
    """Return whether a text is a large part of a name, between signs, its ends and the names of the site."""
    begin = name.find(text) if 4 * len(text) >= len(name) and letters_of(text) not in sites else -1
    text_before, text_after = name[:begin].rstrip(), name[begin + len(text) :].lstrip()
    ends_part = not text_after[:1].isalnum() or letters_of(text_after) in sites
    return begin >= 0 and ends_part and (not text_before[-1:].isalnum() or letters_of(text_before) in sites)


def _words_of_path(path: str) -> set[str]:
    """Return the words of the last part of a path that has letters."""
    for part in reversed(unquote(path).split("/")):
        if any(map(str.isalpha, stem := part.partition(".")[0])):
            return _words(re.sub(r"[\W_]+", " ", stem))
    return set()


def _texts(headings: Iterable[etree._Element]) -> list[str]:
    """Return the texts of headings, or what they have behind links, without empty and very long ones."""
    texts = (_behind_links(heading) or _text(heading) for heading in islice(headings, _MAX_HEADINGS))
    return [text for text in texts if text and len(text) <= 200]


def _pieces(naming: Sequence[Naming]) -> list[str]:
    """Return the texts of an <h1> before or after an element in it that may be a section, a subtitle or a date."""
    pieces: list[str] = []
    for heading in islice((each.element for each in naming if each.tag == "h1" and len(each.element)), _MAX_HEADINGS):
        inner = list(islice(heading, _MAX_HEADINGS))
        texts = [heading.text or "", *(text for child in inner for text in (shown_text(child), child.tail or ""))]
        cuts = range(1, len(texts))
        if (length := len("".join(texts))) <= _MAX_VALUE_CHARS:
            length = len(one_line(" ".join(texts)))
            parts = [_EDGES.sub("", one_line(" ".join(part))) for cut in cuts for part in (texts[:cut], texts[cut:])]
            pieces += [part for part in parts if 3 * len(part) >= length]
    return pieces


def _text(heading: etree._Element) -> str:
    """Return the text of a heading or link, without the signs of permalinks and breadcrumbs."""
    return _EDGES.sub("", _PERMALINK.sub("", UNSEEN.sub("", shown_text(heading)).rstrip()))


def _likeness(first: set[str], second: set[str]) -> float:
    """Return the word F1 of two sets of words, from 0 to 1."""
    return 2 * len(first & second) / (len(first) + len(second)) if first and second else 0.0


def _words(text: str) -> set[str]:
    """Return the words of a text in lower case; in scripts without spaces each character is a word."""
    return set(lower_tokens(text) if text.isascii() else _WORD.findall(text.lower()))


@reader("title", ("message",), asked=lambda _: True)
def title_reader(reading: Reading, _: Models) -> str | None:
    """Return the rule's title, the subject of the message, or the title of the page."""
    message = reading.page.message
    stated = (reading.rule.title() if reading.rule is not None else None) or (message and message.subject)
    title = stated or title_of(reading.parsed.root, reading.parsed.elements.naming)
    return title if stated or reading.template is None else reading.template.title(title)
