"""What the pages behind each group of links of a host turned out to be, learnt during the crawl.

A group, see `Pattern`, has links to URLs of one form that stand at one place of a template. What is known of the pages
of this form, and of those linked at this place, is the prior of the group.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from scrapy_semtext.crawl.links import AT, Pattern, pattern_of
from scrapy_semtext.utils.remembering import remembered

if TYPE_CHECKING:
    from collections.abc import Callable

#: What a page turned out to be. "later" is a later page of a thread, which is harvested from its first page on; "known"
#: an item of an earlier crawl.
Outcome = Literal["item", "list", "nothing", "duplicate", "later", "failed", "known"]

#: A pattern is skipped if its pages are useful with less than this probability.
LEAVE = 0.1

#: The weight of the guess for a link, in pages, and the most of the pages of the same form or place in other groups,
#: with which those that gave nothing are left whatever the guess.
_GUESS, _ALIKE = 1.0, 9.0
#: The number of items that make the list linking to them as useful as an item, and the decay of credit per step back.
_FULL_GAIN, _DECAY = 3.0, 0.5
#: The number of lists of a pattern up to which the expected use of their links counts, besides the items found.
_TRIALS = 10
# The weight of the latest list in the novelty of its pattern, and the smallest factor for the use of a pattern whose
# lists bring nothing new.
_NEWEST, _STALE = 0.2, 0.2
# After this many pages in a row without new items, plus this share of the items of the host, the expected use of pages
# that are not items falls to 1/e. With fewer items than the last number, it does not fall.
_DRY, _DRY_SHARE, _MIN_ITEMS = 6.0, 0.06, 5
_LATER = "later"
# Roles of links; the form of a start URL tells little about links of this form, such as other scripts.
_SEPARATE_ROLES = ("other", _LATER, "start")
_HOPELESS = 0.05  # the guess up to which links are not tried
_FLYING = 1.0  # the number of useless pages that a page counts as while it is being fetched
_HELD = 0.5  # the share of the rank of a list being fetched below which other lists wait for it
# A pattern is skipped as an alias from this many pages of another pattern on, and this many (titles: more) per item.
_FEW, _MAX_ITEMS, _MAX_TITLES, _TITLE, _BESIDE = 3, 2, 8, "record", "beside"
# Places of links of which the first few are fetched one by one.
_TRIED = (_BESIDE, "text", "navigation", "elsewhere")
_LIKELY = 0.5  # the probability from which a new URL counts as an item
_VIEWED, _MAX_PARTS = 2, 6  # items whose URLs others add to, and parts of a query that are compared
_LAST = 0.01  # the rank of URLs that add to the query of waiting ones
#: The maximum number of patterns kept of a host; those with the fewest pages and no queued URLs are dropped first.
MAX_PATTERNS = 1000
_REST = "*"  # if all of them have queued URLs, the pattern of the URLs of further ones
_SUSPECTED, _FIRST = 3, ("0", "1")  # number of equal pages; numbers of first pages


class LinkGain(NamedTuple):
    """The gain from the new links of a page: the expected number of useful pages, and the number of likely items."""

    use: float = 0.0
    items: float = 0.0


_NO_GAIN = LinkGain()


@dataclass(slots=True)
class Tally:
    """Counts of a pattern: pages fetched, and how many of them were items, lists and duplicates.

    ``hoped``: the expected use of its lists, from the URLs found in them; ``credit``: their actual use, from the items
    that these led to. ``guesses``: the number of links to the pattern; ``guessed``: the sum of their probabilities;
    ``queued``: waiting URLs; ``flying``: URLs being fetched; ``next``: links to next pages; ``place``: where the first
    link stood, but "record", or else "beside", if any link stood there. ``aliases``: pages that another pattern has as
    well, twice if its URLs add to the query of those. ``fresh``: the share of the latest lists that brought new items;
    ``brought``: the mean number of new items per list.
    """

    pages: int = 0
    items: int = 0
    lists: int = 0
    duplicates: int = 0
    hoped: float = 0.0
    credit: float = 0.0
    guesses: int = 0
    guessed: float = 0.0
    queued: int = 0
    flying: int = field(default=0, compare=False)  # not restored when a crawl is resumed
    next: int = 0
    place: str = ""
    aliases: int = 0
    fresh: float = 1.0
    brought: float = 0.0

    @property
    def use(self) -> float:
        """The number of useful pages: items, and lists that led to items or, at first, are expected to."""
        hoped = self.hoped if self.lists < _TRIALS else 0.0
        return self.items + min(self.pages - self.items, max(self.credit, hoped))

    @property
    def is_alias(self) -> bool:
        """Whether most of its URLs show pages of another pattern, as links beside the titles of records often do."""
        most = _MAX_TITLES if self.place == _TITLE else _MAX_ITEMS
        return self.aliases >= _FEW and self.aliases > most * self.items

    @property
    def item_share(self) -> float:
        """The share of its pages that are items."""
        return self.items / self.pages if self.pages else 0.0

    def learn(self, outcome: Outcome, gain: LinkGain) -> None:
        """Count a page."""
        self.pages += 1
        self.items += outcome in ("item", "known")
        self.lists += outcome == "list"
        self.duplicates += outcome in ("duplicate", "later")
        if outcome == "list":
            self.hoped += min(1.0, gain.use / _FULL_GAIN)
            self.fresh += _NEWEST * (min(1.0, gain.items) - self.fresh)
            self.brought += (gain.items - self.brought) * max(_NEWEST, 1 / self.lists)


@dataclass(slots=True)
class HostPatterns:
    """The patterns of one host.

    ``ignored`` holds query keys, and parts such as "page=1", that make no difference to its pages. ``items`` is the
    number of items, ``dry`` the number of pages, other than items, since the last page that brought new items.
    """

    fine: dict[str, Tally] = field(default_factory=dict)
    coarse: dict[str, Tally] = field(default_factory=dict)
    places: dict[str, Tally] = field(default_factory=dict)
    ignored: set[str] = field(default_factory=set)
    suspects: dict[str, int] = field(default_factory=dict)  # pages whose URLs differ only in this key
    items: int = 0
    dry: int = 0
    _may_forget: bool = field(default=True, compare=False, repr=False)  # whether a pattern may have become idle

    def counted(self, pattern: Pattern) -> Pattern:
        """Return the pattern that a new URL counts for: its own or, if the host has too many, one that others share."""
        if pattern.fine not in self.fine and len(self.fine) >= MAX_PATTERNS and self._may_forget:
            self._may_forget = _forget(self.fine)
        return self._shared(pattern)

    def link(self, pattern: Pattern, probability: float, *, is_next: bool, place: str = "") -> None:
        """Count a new URL."""
        tally = self._fine(pattern)
        tally.place = min(tally.place or place, place, key=lambda each: (each != _TITLE, each != _BESIDE))
        tally.guesses += 1
        tally.guessed += probability
        tally.next += is_next
        tally.queued += 1

    def take(self, pattern: Pattern) -> None:
        """Count a URL whose request begins."""
        tally = self._fine(pattern)
        tally.queued -= 1
        tally.flying += 1

    def land(self, pattern: Pattern) -> None:
        """Count a URL whose request has ended."""
        self._fine(pattern).flying -= 1
        self._may_forget = True

    def drop(self, pattern: Pattern) -> None:
        """Count a waiting URL that need not be fetched."""
        self._fine(pattern).queued -= 1
        self._may_forget = True

    def wait(self, pattern: Pattern, count: int) -> None:
        """Set how many URLs are waiting under exactly this pattern."""
        self.fine.setdefault(pattern.fine, Tally()).queued = count
        self._may_forget = True

    def meet(self, pattern: Pattern, url: str) -> None:
        """Count a page that has the same content as the page at ``url``, or redirects to it.

        It counts against ``pattern``, unless the form of ``url`` adds to the query of this form.
        """
        form, other = pattern.coarse, pattern_of(url).coarse
        if form in _less_than(other):
            self._coarse(pattern_of(url)).aliases += 2
        elif form != other:
            for tally in (self._coarse(pattern), self._fine(pattern)):
                tally.aliases += 1 + (other in _less_than(form))

    def learn(self, pattern: Pattern, outcome: Outcome, gain: LinkGain = _NO_GAIN, *, is_met: bool = False) -> None:
        """Count the outcome of a page; ``gain`` is the gain from its links.

        ``is_met`` says whether its item is known at another URL; the page then says nothing about lists.
        """
        for tally in self._tallies(pattern):
            tally.learn(outcome, gain)
        if is_met or outcome == "known":
            return
        self.items += outcome == "item"
        if gain.items >= 1:
            self.dry = 0
        elif outcome in ("list", "nothing", "duplicate", "failed"):
            self.dry += 1

    def credit(self, pattern: Pattern, steps: int) -> None:
        """Count an item that a page of this pattern led to in ``steps`` links (1: the page links to the item)."""
        for tally in self._tallies(pattern):
            tally.credit += _DECAY ** (steps - 1) / _FULL_GAIN

    def guess(self, pattern: Pattern) -> float:
        """Return the mean of the first guesses for links to a pattern."""
        own = self._known(pattern)
        return own.guessed / own.guesses if own.guesses else 0.5

    def probability(self, pattern: Pattern) -> float:
        """Return the probability that a page of this pattern is useful, from 0 to 1.

        Lists are less useful if the latest lists of the pattern, or of the host, brought nothing new.
        """
        own = self._known(pattern)
        if self._is_alias(pattern):
            return 0.0
        items = self._estimate(pattern, lambda tally: tally.items, 0.0)
        use = self._estimate(pattern, lambda tally: tally.use, self.guess(pattern))
        stale = max(_STALE, own.fresh if own.lists else self.coarse.get(pattern.coarse, _NO_PAGES).fresh)
        return items + max(0.0, use - items) * stale * self._freshness()

    def is_likely_item(self, pattern: Pattern) -> bool:
        """Return whether a page of this pattern is likely to be an item."""
        return (
            not self._is_alias(pattern)
            and self._estimate(pattern, lambda tally: tally.items, self.guess(pattern)) >= _LIKELY
        )

    def _is_alias(self, pattern: Pattern) -> bool:
        own = self.coarse.get(pattern.coarse, _NO_PAGES)
        return self._known(pattern).is_alias or own.is_alias or (own.pages > 0 and self._is_view(pattern, own))

    def _is_view(self, pattern: Pattern, own: Tally) -> bool:
        """Return whether URLs of a form add to the query of items, which they show again; ``own`` is its tally.

        They do not if the form has more items than that of the shorter query, none of which was met again there.
        """
        if self._known(pattern).next:
            return False
        least = max(_VIEWED, 0 if own.aliases else own.items)
        bases = (self.coarse.get(form, _NO_PAGES) for form in _less_than(pattern.coarse))
        return any(base.items >= least and base.item_share >= _LIKELY for base in bases)

    def _estimate(self, pattern: Pattern, value: Callable[[Tally], float], guess: float) -> float:
        """The estimated value of a page, from the guess, pages of the same form or place, and those of the group.

        What stands beside titles is not likelier to be useful because pages of its form elsewhere are: it shows these.
        """
        own = self._known(pattern)
        if not self.coarse.get(pattern.coarse, _NO_PAGES).pages and self._is_view(pattern, _NO_PAGES):
            return min(guess, LEAVE)  # one is tried
        total, weight = _GUESS * guess, _GUESS
        for wide in (self.coarse.get(pattern.coarse), self.places.get(pattern.place)):
            if wide is not None and wide.pages > own.pages:
                others = wide.pages - own.pages
                share = min(others, _ALIKE)
                total, weight = total + share * (value(wide) - value(own)) / others, weight + share
        prior = total / weight if own.place != _BESIDE else min(guess, total / weight)
        return (_GUESS * prior + value(own)) / (_GUESS + own.pages)

    def _freshness(self) -> float:
        return 1.0 if self.items < _MIN_ITEMS else math.exp(-self.dry / self._patience())

    def _patience(self) -> float:
        """The number of pages in a row that may bring nothing new."""
        return _DRY + _DRY_SHARE * self.items

    def best(self) -> str | None:
        """Return the fine pattern to fetch next; None if all are skipped or have to wait for pages being fetched.

        Items come first, the most promising before others, then next pages of lists that bring new items. While a list
        is being fetched, much less promising ones wait, as they may not be needed. Later pages, and the first pages of
        links that may not lead to items, wait until nothing is being fetched, as pages being fetched may lead to better
        ones or equal them.
        """
        best, most, promise, held = None, 0.0, 0.0, 0.0
        is_busy = any(tally.flying > 0 for tally in self.fine.values())
        ranks: dict[tuple[object, ...], tuple[float, float, float]] = {}
        queued = {fine.partition(AT)[0] for fine, tally in self.fine.items() if tally.queued > 0}
        is_title = False
        for fine, tally in self.fine.items():
            if tally.queued > 0 or tally.flying > 0:
                alike = self._key(fine, tally)
                if alike not in ranks:
                    ranks[alike] = self._rank(stored_pattern(fine), tally)
                chance, items, lead = ranks[alike]
                if not (tally.next or queued.isdisjoint(_less_than(stored_pattern(fine).coarse))):
                    lead = _LAST - chance  # what the others lead to may be the same
                if tally.flying > 0 and items < _LIKELY:
                    held = max(held, chance + lead)
                tried = chance * (1 + tally.pages) / (1 + tally.pages + _FLYING * tally.flying)
                waits = is_busy and items < _LIKELY and self._is_new(fine, tally)
                if tally.queued > 0 and tried >= LEAVE and tried + lead > most and not waits:
                    best, most, promise, is_title = fine, tried + lead, chance + lead, items >= _LIKELY
        if best is None or (promise < _HELD * held and not is_title):
            return None
        return None if is_busy and best.startswith(f"{_LATER} ") else best

    def _is_new(self, fine: str, tally: Tally) -> bool:
        """Whether few pages of a pattern, or of its form, are known; of titles whose URLs may be views, none."""
        least = _FEW if tally.place in _TRIED else "&" in fine
        return max(tally.pages, self.coarse.get(stored_pattern(fine).coarse, _NO_PAGES).pages) < least

    def _key(self, fine: str, tally: Tally) -> tuple[object, ...]:
        """A key that is equal for patterns of equal rank; most patterns of a host with many have no page yet."""
        form, _, place = fine.partition(AT)
        if tally.pages or tally.is_alias or form in self.coarse or place in self.places:
            return (fine,)
        return (role_of(fine), tally.guesses and tally.guessed / tally.guesses, tally.place, tally.next > 0)

    def _rank(self, pattern: Pattern, tally: Tally) -> tuple[float, float, float]:
        """The probabilities that a page of a pattern is useful and that it is an item, and what ranks it before others.

        Patterns of which nothing is known are tried as long as pages bring new items.
        """
        chance = self.probability(pattern)
        is_open = self.guess(pattern) > _HOPELESS and self.dry <= self._patience()
        is_open = is_open and (self.items < _MIN_ITEMS or not role_of(pattern.fine))
        if is_open and not (tally.pages or pattern.coarse in self.coarse or pattern.place in self.places):
            chance = max(chance, LEAVE)
        items = self._estimate(pattern, lambda each: each.items, 0.0)
        follows = 0.5 * (tally.next > 0) + tally.brought / (1 + tally.brought)
        return chance, items, items * (2 + self.guess(pattern)) + tally.fresh * follows

    def renew(self) -> None:
        """Forget that lists brought nothing new, as they may have new items by now."""
        self.dry = 0
        for tally in (*self.fine.values(), *self.coarse.values(), *self.places.values()):
            tally.fresh = 1.0

    def unlearn(self, pattern: Pattern, outcome: Outcome) -> None:
        """Forget a page that is fetched again, so that the crawls of a site that changes little do not count twice."""
        for tally in self._tallies(pattern):
            tally.pages = max(0, tally.pages - 1)
            tally.items = max(0, tally.items - (outcome == "known"))
            tally.lists = max(0, tally.lists - (outcome == "list"))

    def suspect(self, parts: set[tuple[str, str]] | None) -> None:
        """Record that two URLs gave the same page although they differ in these query keys and values."""
        keys = {key for key, _ in parts or ()}
        if parts is None or len(keys) != 1:
            return
        (key, value), *others = parts
        is_first = not others and value in _FIRST  # the value of the second page may make a difference
        part = f"{key}={value}" if is_first else key
        if part not in self.suspects and len(self.suspects) >= MAX_PATTERNS:
            return
        self.suspects[part] = self.suspects.get(part, 0) + 1
        if self.suspects[part] >= _SUSPECTED and (is_first or self._makes_no_difference(key)):
            self.ignored.add(part)

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain values for JSON."""
        values = {**asdict(self), "ignored": sorted(self.ignored)}
        del values["_may_forget"]
        return values

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> HostPatterns:
        """Restore the state from the result of `to_dict`."""
        return cls(
            {name: Tally(**{**each, "flying": 0}) for name, each in values["fine"].items()},
            {name: Tally(**each) for name, each in values["coarse"].items()},
            {name: Tally(**each) for name, each in values["places"].items()},
            set(values["ignored"]),
            dict(values["suspects"]),
            values["items"],
            values["dry"],
        )

    def _tallies(self, pattern: Pattern) -> list[Tally]:
        """The tallies that a page counts for: those of its group, its form and its place."""
        of_place = [_kept(self.places, pattern.place)] if pattern.place else []
        return [self._fine(pattern), self._coarse(pattern), *of_place]

    def _fine(self, pattern: Pattern) -> Tally:
        return self.fine.setdefault(self.counted(pattern).fine, Tally())

    def _coarse(self, pattern: Pattern) -> Tally:
        return _kept(self.coarse, pattern.coarse)

    def _shared(self, pattern: Pattern) -> Pattern:
        if pattern.fine in self.fine or len(self.fine) < MAX_PATTERNS:
            return pattern
        rest = role_of(pattern.fine) + _REST
        return Pattern(rest, rest)

    def _known(self, pattern: Pattern) -> Tally:
        return self.fine.get(self._shared(pattern).fine, _NO_PAGES)

    def _makes_no_difference(self, key: str) -> bool:
        """Whether pages of patterns with this query key are mostly duplicates."""
        tallies = [tally for name, tally in self.fine.items() if f"?{key}=" in name or f"&{key}=" in name]
        return sum(tally.items + tally.lists for tally in tallies) * 4 <= sum(tally.duplicates for tally in tallies)


def pattern_of_link(url: str, role: str, place: str = "") -> Pattern:
    """Return the pattern whose tallies a link's page is counted in.

    Links for actions (role "other") and to later pages have patterns of their own: otherwise, they would be followed
    wherever pages with URLs of the same form are useful. ``place`` is the code of the place of the link.
    """
    prefix = f"{role} " if role in _SEPARATE_ROLES else ""
    form = prefix + pattern_of(url).coarse
    # The initial of the role keeps the tallies of the place separate, too.
    return Pattern(f"{form}{AT}{prefix[:1]}{place}" if place else form, form)


def stored_pattern(fine: str) -> Pattern:
    """Return the pattern of a URL, given the fine pattern under which it was counted."""
    return Pattern(fine, fine.partition(AT)[0])


def shown_form(fine: str) -> str:
    """Return the form of URLs of a fine pattern, without role and place."""
    return fine.removeprefix(role_of(fine)).partition(AT)[0]


def role_of(fine: str) -> str:
    """Return the role that a separate pattern begins with, and a space; "" for others."""
    role, space, _ = fine.partition(" ")
    return role + space if role in _SEPARATE_ROLES else ""


def _kept(tallies: dict[str, Tally], name: str) -> Tally:
    """Return the tally of a form or place, for which others may be forgotten."""
    if name not in tallies and len(tallies) >= MAX_PATTERNS:
        _forget(tallies)
    return tallies.setdefault(name, Tally())


def _forget(tallies: dict[str, Tally]) -> bool:
    """Drop the patterns with the fewest pages among those without URLs; return whether there were any."""
    idle = sorted((tally.pages, name) for name, tally in tallies.items() if tally.queued <= 0 >= tally.flying)
    for _, name in idle[: MAX_PATTERNS // 10]:
        del tallies[name]
    return bool(idle)


@remembered(4096)
def _less_than(form: str) -> frozenset[str]:
    """Return the forms of URLs that have some parts of the query of a form, but not all."""
    path, _, query = form.partition("?")
    parts = query.split("&")[:_MAX_PARTS] if query else []
    fewer = ("&".join(kept) for count in range(len(parts)) for kept in combinations(parts, count))
    return frozenset(f"{path}?{kept}" if kept else path for kept in fewer)


_NO_PAGES = Tally()
