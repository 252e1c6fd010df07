"""What a link is for, before a page with a similar URL was seen: rules for its place, its words and its URL.

The rules only give a first guess; `scrapy_semtext.crawling.patterns` corrects it by what the pages turn out to be.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import parse_qsl, unquote

from scrapy_semtext.crawling.addresses import pattern_of
from scrapy_semtext.qa.page_number import number_in_address
from scrapy_semtext.utils.address import address_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from scrapy_semtext.crawling.links import PageLink

#: What the page behind a link is: an item or a list, the next page of a list, a later page of a list or a thread, or
#: a page that no harvest needs.
Role = Literal["content", "next", "later", "other"]

#: The probability that a page is useful, by the position of its link.
_PRIORS = {"next": 0.95, "record": 0.9, "beside": 0.3, "text": 0.5, "navigation": 0.45, "elsewhere": 0.4}
#: Later pages are reached from the pages before them: other links to them are a last resort.
_LATER, _NUMBER, _OTHER = 0.15, 0.25, 0.02
_VIEW = 0.12  # of another view of an item
_WORDS = 4  # words of a link that names an item
_ALIKE = 5  # links of a page that form a list
_CALM = 3  # links without an action word, for each link with one, in a table of contents
_MANY_KEYS = 2

# Words in links and URLs that act on a page or show it in another way, in the most common languages of sites.
_ACTIONS = frozenset(
    """
    login logon signin sign-in log-in logout signout register signup sign-up join subscribe unsubscribe account profile
    member members user users settings preferences password forgot contact imprint impressum
    privacy datenschutz terms cookies print printable printview reply quote report flag share vote upvote downvote edit
    delete remove history revisions diff compare permalink search suche recherche buscar cerca advanced-search feed rss
    atom email mailto cart basket checkout wishlist download upload raw source export bookmark favorite favourite watch
    follow anmelden registrieren abmelden drucken antworten zitieren melden connexion inscription imprimer répondre
    citer iniciar registrarse imprimir responder citar accedi registrati stampa rispondi new-reply new-post
    new-thread new-topic ask calendar kalender calendrier calendario random admin feedback
    """.split()
)
# Query keys that sort, filter or act, and keys that name an action.
_VIEW_KEYS = re.compile(
    r"(?:sort|order|dir|direction|sortby|order_?by|sort_?order|asc|desc|view|mode|action|do|act|print|replyto\w*|reply|"
    r"quote|share|format|output|filter\w*|per_?page|limit|display|lang|redirect\w*|return\w*|next|rev|diff|"
    r"color|colour|size|brand|price|like|vote|highlight|q|query|search)(?:\[.*\])?",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[/=&?.;:]+")
_MOST_JOINED = 2  # words joined by "_" that may be an action; more are a title
_SPLIT = re.compile(r"[^\w-]+")


class Guess(NamedTuple):
    """The role of a link, and the probability that the page behind it is useful to a harvest (0 to 1)."""

    role: Role
    probability: float


def guess_of(link: PageLink, views: Container[str] = (), chapters: Container[str] = ()) -> Guess:
    """Return the first guess of what a link is for; ``views`` are URLs that show known pages in another way.

    Action words are ignored in ``chapters``, see `chapters_of`.
    """
    if link.position == "next":
        return Guess("next", _PRIORS["next"])
    probability = _PRIORS[link.position]
    if "nofollow" in link.rel or "search" in link.rel or "author" in link.rel:
        probability *= 0.4
    parts = address_of(link.url)
    keys = [key for key, _ in parse_qsl(parts.query, keep_blank_values=True)]
    if link.url not in chapters and _acts(link, parts.path, parts.query):
        return Guess("other", _OTHER if link.position != "record" else 0.2)
    if any(map(_VIEW_KEYS.fullmatch, keys)):
        return Guess("other", 0.25 * probability)
    if number_in_address(link.url) is not None:
        return Guess("later", _LATER)
    if link.position != "record" and link.url in views:
        return Guess("other", _VIEW)
    probability *= 0.7 ** max(0, len(keys) - _MANY_KEYS)
    if link.position != "record":
        if link.text and not any(map(str.isalpha, link.text)):  # a number or an arrow
            return Guess("later", _NUMBER)
        probability += 0.15 * (len(link.text.split()) >= _WORDS) + 0.1 * (link.like >= _ALIKE)
        probability -= 0.1 * (not link.text)
    return Guess("content", min(probability, 0.95))


def chapters_of(links: Iterable[PageLink]) -> set[str]:
    """Return the URLs that contain an action word but stand in a table of contents.

    There, at least five links with URLs of the same form, and three times as many as these, have no such word.
    """
    contents: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    for link in links:
        parts = address_of(link.url)
        if not parts.query:
            calm_and_acting = contents.setdefault((pattern_of(link.url).coarse, link.position), ([], []))
            calm_and_acting[_acts(link, parts.path, "")].append(link.url)
    return {
        url for calm, acting in contents.values() if len(calm) >= max(_ALIKE, _CALM * len(acting)) for url in acting
    }


def _acts(link: PageLink, path: str, query: str) -> bool:
    """Whether a word of the URL or of the link text says that the link does not lead to content."""
    parts = _PARTS.split(unquote(f"{path}&{query}").lower())
    words = [word for part in parts for word in _joined(part)]
    if not _ACTIONS.isdisjoint(words[:-1] if path.count("/") > 1 and link.position == "record" else words):
        return True
    text = _SPLIT.split(link.text.lower())
    is_title = len(text) > 1 and "_".join(text) in (part.replace("-", "_") for part in parts)
    acts = text[0] in _ACTIONS or "-".join(text[:2]) in _ACTIONS
    return len(text) <= 3 and acts and link.position != "record" and not is_title


def _joined(part: str) -> list[str]:
    words = part.split("_")
    return words if len(words) <= _MOST_JOINED else [part]
