"""What the pages behind the address patterns of one host turned out to be, learnt while it is crawled."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from scrapy_semtext.crawling.addresses import Pattern

#: What a page turned out to be. "later" is a later page of a thread that is fetched from its first one.
Outcome = Literal["item", "list", "nothing", "duplicate", "later", "failed"]

#: A pattern whose pages are of use with less than this probability is left.
LEAVE = 0.1

#: The least and the most by which guesses at links of one place are corrected, and what the guesses weigh there.
_CORRECTIONS, _STEADY = (0.2, 1.2), 5.0

#: How many pages the guess at a link counts, and the most that those of the coarse pattern count together.
_GUESS, _COARSE = 1.0, 6.0
#: Items that make the list they were found by as useful as an item; each page on the way to it gets half as much.
_FULL_GAIN, _DECAY = 3.0, 0.5
#: How many lists of a pattern have the use that is hoped of the addresses found in them, before items come of these.
_TRIALS = 10
#: The patterns of a host that are remembered; those without queued addresses and with the fewest pages go first.
MOST_PATTERNS = 1000


@dataclass(slots=True)
class Tally:
    """Counts of a pattern: pages fetched, those that were items, lists and duplicates.

    ``hoped``: the use of lists by what may be behind the addresses found in them; ``credit``: that by the items which
    came of these. ``guesses``: the number of links to the pattern; ``guessed``: the sum of their probabilities;
    ``queued``: addresses that wait; ``next``: links that were next pages; ``place``: where the first link stood.
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
    next: int = 0
    coarse: str = ""
    place: str = ""

    @property
    def use(self) -> float:
        """The number of pages of use: items, and lists that led to items or, at first, are hoped to."""
        hoped = self.hoped if self.lists < _TRIALS else 0.0
        return self.items + min(self.pages - self.items, max(self.credit, hoped))


@dataclass(slots=True)
class Calibration:
    """How good the first guesses at links were: the sum of their probabilities, and that of the use of the pages."""

    guessed: float = 0.0
    use: float = 0.0

    def factor(self) -> float:
        """Return what a guess is multiplied by."""
        least, most = _CORRECTIONS
        return min(most, max(least, (_STEADY + self.use) / (_STEADY + self.guessed)))


@dataclass(slots=True)
class HostPatterns:
    """The patterns of one host. ``ignored`` are keys of queries that make no difference to its pages.

    ``calibrations`` are those of the guesses at links, by their places on pages.
    """

    fine: dict[str, Tally] = field(default_factory=dict)
    coarse: dict[str, Tally] = field(default_factory=dict)
    ignored: set[str] = field(default_factory=set)
    suspects: dict[str, int] = field(default_factory=dict)  # pages that were equal but for this key
    trusts_canonical: bool = True
    calibrations: dict[str, Calibration] = field(default_factory=dict)

    def link(self, pattern: Pattern, probability: float, *, is_next: bool, place: str = "") -> None:
        """Count a new address."""
        tally = self._fine(pattern)
        tally.place = tally.place or place
        tally.guesses += 1
        tally.guessed += probability
        tally.next += is_next
        tally.queued += 1

    def take(self, pattern: Pattern) -> None:
        """Count an address that is fetched."""
        self._fine(pattern).queued -= 1

    def wait(self, pattern: Pattern, count: int) -> None:
        """Set how many addresses wait."""
        self._fine(pattern).queued = count

    def learn(self, pattern: Pattern, outcome: Outcome, gain: float = 0.0, *, place: str = "") -> None:
        """Count what a page turned out to be.

        ``gain`` is the expected number of new pages of use that it links to, ``place`` where the link to it stood.
        """
        hoped = min(1.0, gain / _FULL_GAIN) if outcome == "list" else 0.0
        calibration = self.calibrations.setdefault(place, Calibration())
        calibration.guessed += self.guess(pattern)
        calibration.use += 1.0 if outcome == "item" else hoped
        for tally in (self._fine(pattern), self._coarse(pattern)):
            tally.pages += 1
            tally.items += outcome == "item"
            tally.lists += outcome == "list"
            tally.duplicates += outcome in ("duplicate", "later")
            tally.hoped += hoped

    def credit(self, pattern: Pattern, steps: int) -> None:
        """Count an item that a page of this pattern led to, by so many links (1: it links to the item itself)."""
        for tally in (self._fine(pattern), self._coarse(pattern)):
            tally.credit += _DECAY ** (steps - 1) / _FULL_GAIN

    def guess(self, pattern: Pattern) -> float:
        """Return the mean of the first guesses at the links to a pattern."""
        own = self.fine.get(pattern.fine, _NO_PAGES)
        return own.guessed / own.guesses if own.guesses else 0.5

    def probability(self, pattern: Pattern) -> float:
        """Return the probability that a page of this pattern is of use, 0 to 1."""
        own = self.fine.get(pattern.fine, _NO_PAGES)
        guess = self.guess(pattern) * self._correction(own.place)
        wide = self.coarse.get(pattern.coarse, _NO_PAGES)
        others, use = wide.pages - own.pages, wide.use - own.use
        share = min(others, _COARSE) / others if others > 0 else 0.0
        prior = (_GUESS * guess + share * use) / (_GUESS + share * max(others, 0))
        return (_GUESS * prior + own.use) / (_GUESS + own.pages)

    def _correction(self, place: str) -> float:
        return self.calibrations[place].factor() if place in self.calibrations else 1.0

    def best(self) -> str | None:
        """Return the fine pattern to go on with, None if all are to be left.

        Items go before others, those first whose links promise most; then next pages.
        """
        best, most = None, 0.0
        for fine, tally in self.fine.items():
            if tally.queued > 0:
                chance = self.probability(Pattern(fine, tally.coarse))
                if chance >= LEAVE:
                    items = tally.items / tally.pages if tally.pages else 0.0
                    guess = self.guess(Pattern(fine, tally.coarse))
                    order = items * (2 + guess) + chance + 0.5 * (tally.next > 0)
                    if order > most:
                        best, most = fine, order
        return best

    def suspect(self, keys: set[str] | None) -> None:
        """Note that two addresses that differ in these keys of their queries alone gave the same page."""
        if keys and len(keys) == 1:
            (key,) = keys
            self.suspects[key] = self.suspects.get(key, 0) + 1
            if self.suspects[key] >= _SUSPECTED and self._makes_no_difference(key):
                self.ignored.add(key)

    def left(self) -> dict[str, int]:
        """Return the patterns that are left, with their numbers of addresses."""
        return {fine: tally.queued for fine, tally in self.fine.items() if tally.queued > 0}

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain values for JSON."""
        return {
            "fine": {name: asdict(tally) for name, tally in self.fine.items()},
            "coarse": {name: asdict(tally) for name, tally in self.coarse.items()},
            "ignored": sorted(self.ignored),
            "suspects": self.suspects,
            "trusts_canonical": self.trusts_canonical,
            "calibrations": {name: asdict(each) for name, each in self.calibrations.items()},
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> HostPatterns:
        """Restore what `to_dict` gave."""
        return cls(
            {name: Tally(**each) for name, each in values["fine"].items()},
            {name: Tally(**each) for name, each in values["coarse"].items()},
            set(values["ignored"]),
            dict(values["suspects"]),
            values["trusts_canonical"],
            {name: Calibration(**each) for name, each in values["calibrations"].items()},
        )

    def _fine(self, pattern: Pattern) -> Tally:
        tally = self.fine.get(pattern.fine)
        if tally is None:
            if len(self.fine) >= MOST_PATTERNS:
                self._forget()
            tally = self.fine[pattern.fine] = Tally(coarse=pattern.coarse)
        return tally

    def _coarse(self, pattern: Pattern) -> Tally:
        return self.coarse.setdefault(pattern.coarse, Tally())

    def _forget(self) -> None:
        idle = sorted((tally.pages, name) for name, tally in self.fine.items() if tally.queued <= 0)
        for _, name in idle[: MOST_PATTERNS // 10]:
            del self.fine[name]

    def _makes_no_difference(self, key: str) -> bool:
        """Whether no page of a pattern with this key was of use for itself."""
        tallies = [tally for name, tally in self.fine.items() if f"?{key}=" in name or f"&{key}=" in name]
        return sum(tally.items + tally.lists for tally in tallies) * 4 <= sum(tally.duplicates for tally in tallies)


_NO_PAGES = Tally()
_SUSPECTED = 3
