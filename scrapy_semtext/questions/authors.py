"""Who wrote a post: what stands at the same relative place of all records, reads like a name and differs between them."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from scrapy_semtext.questions.cues import DATE

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from scrapy_semtext.questions.records import Piece, Records

_LONGEST = 50
_SAYS_AUTHOR = re.compile(
    r"author|user|(?<!up)(?<!nu)member|nick|poster\b|posted|profile|byline|creator|owner|contributor|autor|auteur"
    r"|name"
)
#: Other things that stand beside an author, or other people than the author.
_SAYS_OTHER = re.compile(
    r"avatar|rank|role|group|\btitle|[_-]title|(?:user|member)-?title|status|badge|level|locat|join|regist|count"
    r"|stat|reput"
    r"|quot|edit|signature|reply|replies|share|button|like|vote|tooltip|mention|score|flair|report|onlinemarker|number|date"
    r"|time|breadcrumb|crumb|tag\b|tags\b|forum-?name|pagina|permalink"
)
_SAYS_NAME = re.compile(r"user-?name|nick|(?:author|display|member|poster)[-_]?name")
_PROFILE = re.compile(
    r"/(?:users?|members?|profiles?|u|people|persons?|authors?|accounts?|utilisateur|mitglied\w*|benutzer\w*|home"
    r"|space"
    r"|nutzer|membre|usuarios?|kayttaja|participant|id)[/.?=-]|[?&/](?:u|uid|user\w*|member\w*|profile|author)="
    r"|(?:profile|member|user|userinfo|viewprofile)(?:\.\w+)?[?/]|mode=viewprofile|/@|action=profile|space-uid|~\w"
    r"|showuser|/user\b|/member\b",
    re.IGNORECASE,
)
_BY = r"(?:(?:re)?post(?:ed)? |submitted |created |published |sent |added |written |asked |answered |started |submitted |reply |from )*by|author|posted from|von|autor|verfasst von"
_BY += r"|geschrieben von|par|auteur|posté par|por|escrito por|autore|автор|от|kirjoittaja|kirjoitti|作者|楼主|发表人"
_BEFORE = re.compile(rf"^(?:(?:{_BY})(?:\s*[:：]\s*|\s+)|@)", re.IGNORECASE)
_IS_BEFORE = re.compile(rf"(?:.*\b)?(?:{_BY})\s*[:：]?", re.IGNORECASE)
# "Submitted by Ann on 3 May 2004"
_BY_LINE = re.compile(
    r"(?<!\w)(?:by|von|par|por|от|автор:?)\s+(.{1,50}?)\s*(?:\b(?:on|at|am|le|el|il|dne|в|»)\s|[-–—|,»]\s|\s\d|$)",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s+(?:wrote|said|says|writes|posted|answered|replied|commented|asked|added|schrieb|sagte|antwortete|meinte"
    r"|écrit|a écrit|a dit|a répondu|escribió|dijo|ha scritto|scrisse|написал\w*|пишет|сказал\w*|ответил\w*"
    r"|kirjoitti|sanoi|vastasi|skrev)\b.{0,60}$|\s*(?:发表于|发表|回复于|写道|说道).{0,40}$|\s*[»•·|,–—-]+$",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\W*(?:last |zuletzt |dernière )?(?:edited|modified|updated|changed|active|bearbeitet|geändert|modifi|édité"
    r"|editado"
    r"|отредакт|изменено|последн\w+ (?:раз|редакт)|muokattu|viimeksi|最后编辑|最后修改|本帖最后由)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]")
_NO_NAME = re.compile(
    r"^[\W\d_]+$|https?:|www\.|[?!:;：？]$|:\s|\.\.\.$|^[a-z]$|^#\s?\d+|^(?:re|aw|antw)\s?:", re.IGNORECASE
)
_IS_AFTER = re.compile(
    r"(?:wrote|said|says|writes|schrieb|sagte|a écrit|a dit|escribió|dijo|написал|пишет|kirjoitti)\W*", re.IGNORECASE
)
_STRESSED = ("a", "b", "strong", "h2", "h3", "h4", "h5", "h6")
_SURE = 1.0  # of a piece that is an author even if all records hold the same
_ALIKE = 0.25  # the least score of what stands in nearly all records, though nothing calls it an author
_WORTH = 0.45  # of a piece that is taken by itself, without the like of it in other records


def is_of_change(records: Records, piece: Piece) -> bool:
    """Whether a piece tells of a later change of the post, not of its writing."""
    return any(_CHANGED.match(text) for text in records.context(piece)) or bool(
        _CHANGED.match(records.label(piece)[:LABEL])
    )


#: The longest label that is taken for one of what follows it.
LABEL = 40


def authors_of(records: Records) -> list[str | None]:
    """The author of each post, None where nothing looks like one."""
    groups: dict[Hashable, dict[int, list[tuple[Piece, str, float]]]] = defaultdict(lambda: defaultdict(list))
    everywhere = _everywhere(records)
    for piece in records.pieces:
        name = name_of(piece.text)
        if piece.post < 0 or not name or is_of_change(records, piece):
            continue
        evidence = _evidence(records, piece)
        if evidence >= _SURE or piece.text not in everywhere:
            groups[piece.key][piece.post].append((piece, name, evidence))
    ranked = sorted(
        ((_score(records, posts), number, posts) for number, posts in enumerate(groups.values())),
        key=lambda item: (-item[0], item[1]),
    )
    authors: list[str | None] = [None] * records.count
    for place, (score, _, posts) in enumerate(ranked):
        names = {name for found in posts.values() for _, name, _ in found}
        common = not place and score > _ALIKE and len(names) > 1 and 3 <= len(posts) >= 0.8 * records.count
        for post, found in posts.items():
            _, name, evidence = min(found, key=lambda item: (-item[2], item[0].place.level, item[0].distance))
            if authors[post] is None and (evidence >= _WORTH or common):
                authors[post] = name
    return authors


def _everywhere(records: Records) -> set[str]:
    """The texts that stand in nearly all records: no names, but what the page writes beside them."""
    posts: dict[str, set[int]] = defaultdict(set)
    for piece in records.pieces:
        posts[piece.text].add(piece.post)
    return {text for text, found in posts.items() if len(found - {-1}) >= max(4, 0.9 * records.count)}


def name_of(text: str) -> str | None:
    """The name in a short text such as "by Ann", "Ann wrote:"; None if there can be none."""
    if DATE.search(text) and (line := _BY_LINE.search(text)):
        text = line[1]
    text = _AFTER.sub("", _BEFORE.sub("", text, count=1), count=1).strip()
    if not text or len(text) > _LONGEST or len(text.split()) > 6 or not _WORD.search(text) or _NO_NAME.search(text):
        return None
    return text


def _evidence(records: Records, piece: Piece) -> float:
    """What the names, the address and the words around a piece say for an author (positive) or against one."""
    found = named = 0.0
    for step, place in enumerate(piece.place.ways_up(4)):
        element = place.element
        if element.tag in ("button", "time", "label", "nav") or (
            not step and (element.tag == "dt" or _is_other(place.names))
        ):
            return -1.0
        if step == 1 and _is_other(place.names):
            found -= 0.5
        if _SAYS_AUTHOR.search(place.names):
            named = max(named, 0.8 - 0.15 * step)
        if element.get("rel") == "author" or element.get("itemprop") == "author":
            named = 1.0
        if element.tag == "a" and step < 3 and _PROFILE.search(element.get("href") or ""):
            found += 0.6
    if (_AFTER.search(piece.text) and piece.text[-1:].isalpha()) or _BEFORE.match(piece.text):
        found += 0.5
    if _IS_BEFORE.fullmatch(records.label(piece)[-LABEL:]):
        found += 0.5
    if _IS_AFTER.fullmatch(records.following(piece)):
        found += 0.5
    if DATE.search(piece.text) and not _BY_LINE.search(piece.text):
        found -= 0.5
    if any("comment" in place.names for place in piece.place.ways_up(8)):  # on a post, unless all posts are comments
        found -= 0.6
    found -= 0.02 * min(piece.place.level, 10)
    return found + named + 0.15 * (piece.place.element.tag in _STRESSED)


def _is_other(names: str) -> bool:
    return _SAYS_OTHER.search(names) is not None and _SAYS_NAME.search(names) is None


def _score(records: Records, posts: dict[int, list[tuple[Piece, str, float]]]) -> float:
    """How well the pieces at one place do for the authors of the posts they stand in."""
    found = [item for items in posts.values() for item in items]
    names = [name for _, name, _ in found]
    evidence = sum(item[2] for item in found) / len(found)
    coverage = records.share(found[0][0], len(posts))
    repeated = len(found) / len(posts)
    distinct = len(set(names)) / len(names)
    if len(posts) > 2 and len(set(names)) == 1:
        evidence -= 0.7
    score = evidence + 0.6 * _same_link(found) + 0.3 * min(1.0, 2 * distinct)
    return score * (0.3 + 0.7 * coverage) / (0.5 + 0.5 * repeated)


def _same_link(found: Sequence[tuple[Piece, str, float]]) -> float:
    """1 where equal texts are links to equal addresses and different ones to different, as names of people are."""
    links: dict[str, set[str]] = defaultdict(set)
    for piece, name, _ in found:
        for place in piece.place.ways_up(3):
            if place.element.tag == "a" and (address := place.get("href")):
                links[name].add(address)
    if len(links) < 2 or len(found) == len(links):
        return 0.0
    addresses = set().union(*links.values())
    return float(len(addresses) == len(links) and all(len(found) == 1 for found in links.values()))
