"""Changes to a page that a broken or hostile site could make. Each takes a source of randomness, a page and another."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    Mutation = Callable[[Random, str, str], str]

#: Pieces that readers of pages stumble over: ends of text, numbers, dates, names, signs that patterns repeat.
TOKENS = """
\x00 \ud800 \udfff \ufeff \u202e \u200b \u00ad \ufffe \x1f \x7f &#0; &#x110000; &#xD800; &nbsp; &amp;amp; &a &#;
&lt;b&gt; <!-- --> <! <? ?> ]]> <![CDATA[ </ </p </p> <p <p> <b> </b> <br> <hr>
<pre> <code> <blockquote> <q> <ul> <li> <dl> <dt>
<h1> <h2> <h7> <details> <summary> <template> <noscript> <iframe> <frameset> <plaintext> <textarea> <title> <xmp> <svg>
<math> <foreignObject> <select> <option> <table> <tr> <td> <td␣colspan=99999> <caption> <body> </body> </html> <head>
<base␣href="http://["> <a␣href="javascript:x"> <a␣href="http://["> <img␣src=x> <custom-tag>
<p␣class=comment> <div␣itemscope␣itemtype="https://schema.org/Question">
<div␣class="depth-99999999999"> <time␣datetime="x">
12 99999999999999999999999 1.234.567 -1 3/4/2020 2020-13-45 2020-01-02T03:04:05Z
vor␣3␣Tagen May 31 0 ² ١٢٣ 九 $9,99
€ Q: A: FAQ? ? ?? ？ 。 — - | · » : ; wrote: said Re: posted␣by by @a #1 http:// www. 北京 Ελλάδα
Россия עברית हिन्दी 😀
e\u0301 ﬀ İ ß
""".replace("\n", " ").split(" ")
TOKENS = [token.replace("␣", " ") for token in TOKENS if token]

_TAG = re.compile(r"<[^<>]{0,300}>")
_ATTRIBUTE = re.compile(r'(class|id|style|href|datetime|title|lang)="[^"]{0,200}"')


def cut(random: Random, html: str, _other: str) -> str:
    """Keep a part."""
    begin, end = sorted(random.randrange(len(html) + 1) for _ in range(2))
    return html[begin:end] if random.random() < 0.3 else html[:end]


def remove(random: Random, html: str, _other: str) -> str:
    """Take a part out."""
    begin = random.randrange(len(html) + 1)
    return html[:begin] + html[begin + random.randrange(2_000) :]


def splice(random: Random, html: str, other: str) -> str:
    """Put a part of another page in."""
    at, begin = random.randrange(len(html) + 1), random.randrange(len(other) + 1)
    return html[:at] + other[begin : begin + random.randrange(5_000)] + html[at:]


def repeat(random: Random, html: str, _other: str) -> str:
    """Repeat a part many times."""
    begin = random.randrange(len(html) + 1)
    part = html[begin : begin + random.randrange(1, 400)]
    return html[:begin] + part * random.randrange(2, 60) + html[begin:]


def insert(random: Random, html: str, _other: str) -> str:
    """Put pieces in at several places."""
    for _ in range(random.randrange(1, 20)):
        at = random.randrange(len(html) + 1)
        html = html[:at] + random.choice(TOKENS) + html[at:]
    return html


def run_of_pieces(random: Random, html: str, _other: str) -> str:
    """Put a long run of one or two pieces in, which patterns may take long for."""
    at = random.randrange(len(html) + 1)
    piece = random.choice(TOKENS) + random.choice(["", " ", "\n", random.choice(TOKENS)])
    return html[:at] + piece * random.randrange(10, 3_000) + html[at:]


def tags(random: Random, html: str, _other: str) -> str:
    """Exchange or remove some tags."""
    odds = random.choice([0.01, 0.1, 0.5])
    return _TAG.sub(
        lambda tag: random.choice(["", "<p>", "</div>", tag[0] * 2]) if random.random() < odds else tag[0], html
    )


def attributes(random: Random, html: str, _other: str) -> str:
    """Give some attributes odd values."""
    value = random.choice(TOKENS) * random.choice([1, 1, 50])
    return _ATTRIBUTE.sub(lambda found: f'{found[1]}="{value}"' if random.random() < 0.2 else found[0], html)


def foreign(random: Random, html: str, _other: str) -> str:
    """SVG and MathML, with HTML in them and text outside of where it belongs."""
    part, text = html[:2_000], random.choice(TOKENS)
    pieces = [
        f"<svg viewBox=0><title>{text}</title><text>{text}<tspan>b</text><foreignObject>{part}</foreignObject></svg>",
        f"<svg><style>p{{}}</style><script>x</script><desc><p>{part}</desc><use xlink:href=#a /></svg>",
        f'<math><mi>x</mi><annotation-xml encoding="text/html">{part}</annotation-xml><mtext><p>{text}</mtext></math>',
        f"<math><mrow><mfrac><mi>{text}<table><tr><td>{part}</math>",
        f'<svg:g xmlns:svg="x"><svg:text>{text}</svg:text>{part}</svg:g><svg/>{text}<math/>',
    ]
    return html[: random.randrange(len(html) + 1)] + "".join(random.choices(pieces, k=random.choice([1, 1, 5]))) + html


def scripts(random: Random, html: str, _other: str) -> str:
    """Letters of many scripts for those of some words."""
    letters = "абвгдежאבגדהवाकंทไยが漢字한글éüßİıﬀ\u0301\u200d😀🏳"
    return re.sub("[a-z]", lambda found: random.choice(letters) if random.random() < 0.3 else found[0], html)


def json_ld(random: Random, html: str, _other: str) -> str:
    """Hostile JSON-LD: deep, cyclic by its ids, of wrong types, broken."""
    deep = random.choice([50, 1_000, 100_000])
    node: Any = {"@type": random.choice(["Question", "FAQPage", "Article", "QAPage", ["Question", 1], None])}
    for key in ("@id", "name", "text", "author", "mainEntity", "acceptedAnswer", "suggestedAnswer", "datePublished"):
        values = ["x", 1, -1e308, None, True, [], {}, {"@id": "x"}, [[["y"]]], "<b>&lt;</b>", "\ud800"]
        node[key] = random.choice([*values, {"@type": "Answer"}])
    text = random.choice(
        [
            json.dumps([node, node]),
            json.dumps(node)[: random.randrange(200)],
            '{"a":' * deep,
            "[" * deep,
            '{"@type":"Question","acceptedAnswer":' * min(deep, 5_000) + "1" + "}" * min(deep, 5_000),
            "{" + '"a":"' + "\\" * deep,
            '{"upvoteCount":' + "9" * deep + ',"@type":"Answer"}',
            "/*" * deep + "NaN, Infinity",
            '{"@type":"Question","name":"a"b"c","text":"' + '"' * min(deep, 20_000),
        ]
    )
    return f'<script type="application/ld+json">{text}</script>{html}'


def microdata(random: Random, html: str, _other: str) -> str:
    """Hostile microdata: references in circles, items in items."""
    kind = 'itemscope itemtype="https://schema.org/Question"'
    count = random.choice([3, 100, 2_000])
    circle = "".join(
        f'<div id=i{number} itemprop=acceptedAnswer itemref="i{(number + 1) % count} i0 nowhere" {kind}>a' + "</div>"
        for number in range(count)
    )
    inside = f"<div {kind} itemprop=suggestedAnswer><p itemprop=text>a" * count
    return random.choice([circle, inside]) + html


def posts(random: Random, html: str, _other: str) -> str:
    """A thread that is no thread."""
    depth = random.choice(["depth-{0}", "level{0}", "c", "post post-{0}", "comment"])
    post = '<div class="{0}" id=p{1}><span class=author>{2}</span><i class=date>{3}</i><p class=body>{4}</p>{5}'
    texts = ["", "?", "Why not?", "Because.", "x " * 200, "> quoted", html[:300]]
    return html[:2_000] + "".join(
        post.format(
            depth.format(random.randrange(5)),
            number,
            random.choice(TOKENS),
            random.choice(TOKENS),
            random.choice(texts),
            random.choice(["</div>", "</div>", ""]),
        )
        for number in range(random.choice([2, 20, 400]))
    )


#: By name, with how often each is chosen beside the others.
MUTATIONS: dict[str, tuple[Mutation, int]] = {
    "cut": (cut, 12),
    "remove": (remove, 8),
    "splice": (splice, 12),
    "repeat": (repeat, 8),
    "insert": (insert, 16),
    "run of pieces": (run_of_pieces, 8),
    "tags": (tags, 10),
    "attributes": (attributes, 10),
    "scripts": (scripts, 4),
    "SVG, MathML": (foreign, 4),
    "JSON-LD": (json_ld, 6),
    "microdata": (microdata, 5),
    "posts": (posts, 6),
}
#: Those of the WHATWG Encoding Standard that Python has, and UTF-7 and UTF-32, which browsers no longer read.
ENCODINGS = """
utf-8 utf-16 utf-16-le utf-16-be utf-32 utf-7 cp866 latin-1 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6
iso-8859-7 iso-8859-8 iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u mac-roman cp874 cp1250
cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 mac-cyrillic gbk gb18030 big5 euc-jp iso-2022-jp shift_jis
euc-kr
""".split()


def mutated(random: Random, pages: Sequence[str], longest: int) -> tuple[str, list[str]]:
    """Return a page grown from real ones, or from their parts, by one to three changes, and the names of these."""
    html = random.choice(pages)[:longest]
    names = random.choices([*MUTATIONS], [odds for _, odds in MUTATIONS.values()], k=random.randrange(1, 4))
    for name in names:
        html = MUTATIONS[name][0](random, html, random.choice(pages))[:longest]
    return html, names


def parts_of(random: Random, pages: Sequence[str]) -> list[str]:
    """Return elements of pages, at most 300 of each, that have 100 to 1,500 characters with all that is in them."""
    parts = []
    for page in pages:
        tree = etree.fromstring(page.encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8"))
        elements = [*tree.iter(etree.Element)]
        for element in random.sample(elements, min(300, len(elements))):
            text = etree.tostring(element, method="html", encoding="unicode", with_tail=False)
            if 100 <= len(text) <= 1_500:
                parts.append(text)
    return parts


def encoded(random: Random, html: str) -> tuple[bytes, str | None]:
    """Return a page as bytes in some encoding, and the label that it is sent with, which may be false."""
    encoding = random.choice(ENCODINGS)
    label = random.choice([None, encoding, random.choice(ENCODINGS), "x-unknown", "\x00", "zlib", "idna"])
    meta = f"<meta charset={random.choice(ENCODINGS)}>" if random.random() < 0.5 else ""
    body = (meta + html).encode(encoding, "replace" if encoding != "utf-8" else "surrogatepass")
    if random.random() < 0.2:
        body = body[random.randrange(3) :]
    return body, None if label is None else f"text/html; charset={label}"
