"""The largest and deepest pages, each of which is read once: `python -m research.fuzzing --extremes`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from research.fuzzing.mutations import ENCODINGS
from scrapy_semtext.words.decoding import FOREIGN_ENCODINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

_NESTED = ("div", "b", "ul><li", "table><tr><td", "blockquote", "span", "svg", "math", "a", "section", "x-y")
_ATTRIBUTES = ("class", "id", "style", "href", "title", "datetime", "itemref", "alt", "itemtype", "data-x")
_WORDS = ("word ", "x", "北", "? ", "1 ", "a@b.c ")


def extremes(page: str) -> Iterator[tuple[str, str | bytes, str | None]]:
    """Yield what each page is, the page, and the Content-Type that it is sent with; ``page`` is a real one."""
    for tag in _NESTED:
        yield f"<{tag}> 100,000 deep", f"<{tag}>" * 100_000 + page[:2_000], None
    for name in _ATTRIBUTES:
        yield f"{name} of a megabyte", f'<p {name}="{"a b-" * 250_000}">{page}</p>', None
    for count in (900, 100_000):  # the second is refused
        attributes = " ".join(f"data-a{number}='>'" for number in range(count))
        yield f"{count:,} attributes", f"<div {attributes}>{page}</div>", None
    yield "900 attributes in each of 200 elements", f"<p {' '.join(f'a{n}' for n in range(900))}>x" * 200 + page, None
    yield "a table of 300,000 cells", f"<table>{('<tr>' + '<td>1 a' * 300) * 1_000}</table>", None
    yield "a table of 100,000 rows", f"<table>{'<tr><td>1<td>a b' * 100_000}</table>", None
    yield "250,000 paragraphs", "<p>a" * 250_000, None
    yield "tables 1,000 deep", "<table><tr><td>y" * 1_000 + page, None
    yield "a title of 250 parts, 20,000 headings", f"<title>{'a - ' * 250}b</title>{'<h2>a</h2>' * 20_000}{page}", None
    yield "20,000 links to the home page", f"<title>a</title>{'<a href=/>x' * 20_000}{page}", None
    yield "20,000 hidden spans, in each other", "<span hidden>" * 20_000 + "a b - " * 200_000 + page, None
    yield (
        "20,000 hidden spans of prose",
        "<p><span hidden>That is told to all who read the page, once a script ran on it.</span> " * 20_000,
        None,
    )
    verse = "<p>A line of ten words and one more, which comes again.<p>{}"
    yield "a song of 20,000 verses", "".join(verse.format(number // 2) for number in range(20_000)), None
    whole = json.dumps({"@type": "Article", "articleBody": "A sentence of some words, once. " * 60_000})
    yield "two megabytes of JSON-LD", f'<script type="application/ld+json">{whole}</script><p>A sentence of some', None
    yield from _stated(page)
    yield from _mislabeled(page[:5_000])
    for word in _WORDS:
        yield f"a block of 20 MB of {word!r}", f"<p>{word * (20_000_000 // len(word))}", None


def _stated(page: str) -> Iterator[tuple[str, str, None]]:
    """Pages with hostile JSON-LD and microdata."""
    question = {"@type": "Question", "name": "Why?", "acceptedAnswer": {"@type": "Answer", "text": "Because."}}
    for name, text in {
        "arrays 100,000 deep": "[" * 100_000,
        "objects 100,000 deep": '{"mainEntity":' * 100_000,
        "answers 900 deep": '{"@type":"Question","acceptedAnswer":' * 900 + "1" + "}" * 900,
        "20,000 questions": json.dumps([question] * 20_000),
        "a number of a megabyte": '{"@type":"Answer","upvoteCount":' + "9" * 1_000_000 + "}",
        "a megabyte of backslashes": '{"a":"' + "\\" * 1_000_000,
        "20,000 inner quotes": '{"@type":"Question","name":"a"b"c","text":"' + '"' * 20_000,
    }.items():
        yield f"JSON-LD, {name}", f'<script type="application/ld+json">{text}</script>{page}', None
    for number in ("9" * 400, "1e999", "NaN"):  # beyond float, or none that JSON has
        rating = '"aggregateRating":{"ratingValue":' + number + ',"reviewCount":' + number + "}"
        trail = '"itemListElement":[{"position":' + number + ',"name":"a"},{"name":"b"}]'
        text = f'[{{"@type":"Product","name":"a",{rating}}},{{"@type":"BreadcrumbList",{trail}}}]'
        yield f"the number {number[:5]}", f'<script type="application/ld+json">{text}</script>{page}', None
    kind = 'itemscope itemtype="https://schema.org/Question"'
    for count in (2, 2_000):
        circle = "".join(
            f'<div id=i{number} itemprop=acceptedAnswer itemref="i{(number + 1) % count} i0" {kind}>a</div>'
            for number in range(count)
        )
        yield f"a circle of {count:,} itemref", circle + page, None
    every = " ".join(f"i{number}" for number in range(300))
    net = "".join(
        f'<div id=i{number} itemprop=suggestedAnswer itemref="{every}" {kind}>a</div>' for number in range(300)
    )
    yield "300 items that all refer to all", net + page, None


def _mislabeled(page: str) -> Iterator[tuple[str, bytes, str]]:
    """A page in every encoding, with the label of another, and of what is no encoding of pages."""
    for encoding, label in zip(ENCODINGS, ENCODINGS[1:] + ENCODINGS[:1], strict=True):
        yield f"{encoding} as {label}", page.encode(encoding, "replace"), f"text/html; charset={label}"
    for name, body in (("letters", b"\xe4\xf6 " * 2_000_000), ("one letter", b"a" * 5_000_000 + b"\xe4")):
        yield f"{name} in megabytes of no encoding", body, "text/html"
        yield f"{name} in megabytes that are not UTF-8", body, "text/html; charset=utf-8"
    for label in sorted(FOREIGN_ENCODINGS):
        yield f"a megabyte as {label}", page.encode() + b"-" + b"zz9a" * 250_000, f"text/html; charset={label}"
