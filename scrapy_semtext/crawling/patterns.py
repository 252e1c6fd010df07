"""What the pages behind the address patterns of one host turned out to be, learnt while it is crawled."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from scrapy_semtext.crawling.addresses import Pattern

#: What a page turned out to be. "later" is a later page of a thread that is fetched from its first one.
Outcome = Literal["item", "list", "nothing", "duplicate", "later", "failed"]

#: A pattern whose pages are of use with less than this probability is left.
LEAVE = 0.08

#: How many pages the guess at a link counts, and the most that those of the coarse pattern count together.
_GUESS, _COARSE = 1.0, 3.0
#: New links to pages of use that make a list as useful as an item.
_FULL_GAIN = 3.0
#: The patterns of a host that are remembered; those without queued addresses and with the fewest pages go first.
MOST_PATTERNS = 1000


@dataclass(slots=True)
class Tally:
    """Counts of a pattern: pages fetched, those that were items, lists and duplicates, and the sum of their use.

    ``guesses``: the number of links to it; ``guessed``: the sum of their probabilities; ``queued``: addresses that
    wait; ``next``: links to it that were next pages.
    """

    pages: int = 0
    items: int = 0
    lists: int = 0
    duplicates: int = 0
    use: float = 0.0
    guesses: int = 0
    guessed: float = 0.0
    queued: int = 0
    next: int = 0
    coarse: str = ""


@dataclass(slots=True)
class HostPatterns:
    """The patterns of one host. ``ignored`` are keys of queries that make no difference to its pages."""

    fine: dict[str, Tally] = field(default_factory=dict)
    coarse: dict[str, Tally] = field(default_factory=dict)
    ignored: set[str] = field(default_factory=set)
    suspects: dict[str, int] = field(default_factory=dict)  # pages that were equal but for this key
    trusts_canonical: bool = True

    def link(self, pattern: Pattern, probability: float, *, is_next: bool) -> None:
        """Count a new address."""
        tally = self._fine(pattern)
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

    def learn(self, pattern: Pattern, outcome: Outcome, gain: float = 0.0) -> None:
        """Count what a page turned out to be; ``gain`` is the expected number of new pages of use that it links to."""
        use = 1.0 if outcome == "item" else min(1.0, gain / _FULL_GAIN) if outcome == "list" else 0.0
        if outcome == "later":
            use = 0.0
        for tally in (self._fine(pattern), self.coarse.setdefault(pattern.coarse, Tally())):
            tally.pages += 1
            tally.items += outcome == "item"
            tally.lists += outcome == "list"
            tally.duplicates += outcome in ("duplicate", "later")
            tally.use += use

    def probability(self, pattern: Pattern, guess: float | None = None) -> float:
        """Return the probability that a page of this pattern is of use, 0 to 1.

        ``guess`` is that of a link; without it, the mean of all links to the pattern.
        """
        own = self.fine.get(pattern.fine, _NO_PAGES)
        if guess is None:
            guess = own.guessed / own.guesses if own.guesses else 0.5
        wide = self.coarse.get(pattern.coarse, _NO_PAGES)
        others, use = wide.pages - own.pages, wide.use - own.use
        share = min(others, _COARSE) / others if others > 0 else 0.0
        prior = (_GUESS * guess + share * use) / (_GUESS + share * max(others, 0))
        return (_GUESS * prior + own.use) / (_GUESS + own.pages)

    def item_share(self, pattern: Pattern) -> float:
        """Return the share of items among the pages of a pattern, 0 for one of which there were none."""
        own = self.fine.get(pattern.fine, _NO_PAGES)
        return own.items / own.pages if own.pages else 0.0

    def best(self) -> str | None:
        """Return the fine pattern to go on with: items before next pages before others; None if all are to be left."""
        best, most = None, 0.0
        for fine, tally in self.fine.items():
            if tally.queued > 0:
                from_coarse = self.probability(Pattern(fine, tally.coarse))
                if from_coarse >= LEAVE:
                    items = tally.items / tally.pages if tally.pages else 0.0
                    order = 2 * items + from_coarse + (0.5 if tally.next else 0.0)
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
        )

    def _fine(self, pattern: Pattern) -> Tally:
        tally = self.fine.get(pattern.fine)
        if tally is None:
            if len(self.fine) >= MOST_PATTERNS:
                self._forget()
            tally = self.fine[pattern.fine] = Tally(coarse=pattern.coarse)
        return tally

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
