"""Whether the posts of a page are answers of a thread or comments on an article, by what other pages of its kind have.

On pages with few posts the two are easily confused. Pages of one address pattern are of one kind: where some have
posts that are surely comments, the others have comments as well.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from scrapy_semtext.page import Comment, Section
from scrapy_semtext.text.folding import letters_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.crawling.addresses import Pattern
    from scrapy_semtext.page import Page, QAPair

_SURE = 0.5  # the score from which pairs are likelier those of a thread than not
_LOW = 0.4  # that below which, on what looks like an article, posts are comments before other pages are known
_LEAST_PAGES = 5  # of a pattern, before those that are like it are no longer asked
_LIKELIER = 3  # pages with comments, for each that is surely a thread
_ARTICLE = 0.6  # the probability from which a page looks like an article
_MOST_PATTERNS = 300
_WHOLE = 0.2  # of the main text; if less is left without the answers, the first of them is the article


@dataclass(slots=True)
class Posts:
    """Counts of the items of a pattern: all, those with comments, and those that are surely threads."""

    items: int = 0
    commented: int = 0
    threads: int = 0


@dataclass(slots=True)
class Discussions:
    """What the pages of one host have for posts, by the patterns of their addresses."""

    fine: dict[str, Posts] = field(default_factory=dict)
    coarse: dict[str, Posts] = field(default_factory=dict)

    def learn(self, pattern: Pattern, page: Page) -> None:
        """Count an item."""
        for name, known in ((pattern.fine, self.fine), (pattern.coarse, self.coarse)):
            if name not in known and len(known) >= _MOST_PATTERNS:
                del known[min(known, key=lambda each: known[each].items)]
            posts = known.setdefault(name, Posts())
            posts.items += 1
            posts.commented += bool(page.comments)
            posts.threads += _is_thread(page) and page.qa_pairs[0].score >= _SURE

    def are_comments(self, pattern: Pattern, page: Page) -> bool:
        """Return whether the answers of an item are comments. It may be among those that were counted."""
        if not _is_thread(page) or page.qa_pairs[0].source != "model":
            return False
        posts = self.fine.get(pattern.fine, _NONE)
        if posts.items < _LEAST_PAGES:
            posts = self.coarse.get(pattern.coarse, posts)
        if posts.commented or posts.threads > 1:
            return posts.commented > _LIKELIER * posts.threads
        is_article = page.page_kind == "article" and (page.page_kind_probability or 0.0) >= _ARTICLE
        return is_article and page.qa_pairs[0].score < _LOW

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Discussions:
        """Restore what `to_dict` gave."""
        return cls(*({name: Posts(**each) for name, each in values[level].items()} for level in ("fine", "coarse")))


_NONE = Posts()


def as_article(page: Page) -> None:
    """Make the answers of a page its comments. What of them is in its texts is left out there."""
    pairs = page.qa_pairs
    if not pairs[0].question_body and _is_article(page, pairs):
        pairs = [replace(pair, answer_to=_before(pair.answer_to)) for pair in pairs[1:]]
    page.qa_pairs = []
    page.comments = [Comment(pair.answer, pair.author, pair.date, _before(pair.answer_to)) for pair in pairs]
    if page.chunks:  # they are places in the text
        return
    lines = _lines(pairs)
    page.main_text = _without(page.main_text, lines)
    page.markdown = page.markdown and _without(page.markdown, lines)
    page.blocks = [
        replace(each, label="boilerplate") if letters_of(each.text) in lines else each for each in page.blocks
    ]
    page.segments = [segment for segment in page.segments if letters_of(segment.text) not in lines]
    page.sections = [_section_without(section, lines) for section in page.sections]


def _is_thread(page: Page) -> bool:
    """Whether the pairs of a page have one question, its title perhaps, as those of a FAQ have not."""
    questions = {(pair.question_title, pair.question_body) for pair in page.qa_pairs}
    return len(questions) == 1 and page.qa_pairs[0].question_title == page.title


def _is_article(page: Page, pairs: Sequence[QAPair]) -> bool:
    """Whether the first answer is the article itself: without the answers, hardly any text is left."""
    return len(_without(page.main_text, _lines(pairs))) < _WHOLE * len(page.main_text)


def _before(position: int | None) -> int | None:
    return position - 1 if position else None


def _lines(pairs: Sequence[QAPair]) -> set[str]:
    return {letters for pair in pairs for line in pair.answer.splitlines() if (letters := letters_of(line))}


def _without(text: str, lines: set[str]) -> str:
    return "\n".join(line for line in text.split("\n") if letters_of(line) not in lines)


def _section_without(section: Section, lines: set[str]) -> Section:
    inner = [_section_without(each, lines) for each in section.sections]
    return replace(section, text=_without(section.text, lines), sections=inner)
