"""Author, date, votes and acceptance of the posts of a page, read from its structure.

No engine's class names are known here: what counts is that the same thing stands at the same place of all posts, and
general words (author, date, votes, accepted) in names, addresses, attributes and the text around the posts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy_semtext.qa.authors import authors_of
from scrapy_semtext.qa.dates import dates_of
from scrapy_semtext.qa.marks import accepted_of, votes_of
from scrapy_semtext.qa.records import Records

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.qa.nodes import PageNodes


@dataclass(frozen=True, slots=True)
class PostFacts:
    """What a page says about a post; None where it is silent.

    ``date`` is written as in the page: the value of a ``datetime`` attribute if there is one, else the text shown.
    ``accepted`` is None for all posts of a page that marks none of them.
    """

    author: str | None = None
    date: str | None = None
    votes: int | None = None
    accepted: bool | None = None


NO_FACTS = PostFacts()


def facts_of(nodes: PageNodes, bodies: Sequence[int], records: Records | None = None) -> list[PostFacts]:
    """Return the facts of the posts whose bodies are these nodes (disjoint, in page order), one for each.

    ``records`` are those of the bodies, if they are known.
    """
    records = Records(nodes, bodies) if records is None else records
    authors, dates, votes = authors_of(records), dates_of(records), votes_of(records)
    half = len(bodies) / 2
    if min(_known(authors), _known(dates)) < half:  # the heads of the posts may stand inside the bodies
        inside = Records(nodes, bodies, inside=True)
        authors = authors if _known(authors) >= half else authors_of(inside, common=True)
        dates = dates if _known(dates) >= half else dates_of(inside, common=True)
        votes = votes if _known(votes) else votes_of(inside)
    columns = zip(authors, dates, votes, accepted_of(records), strict=True)
    return [PostFacts(*facts) for facts in columns]


def _known(values: Sequence[object]) -> int:
    return sum(value is not None for value in values)
