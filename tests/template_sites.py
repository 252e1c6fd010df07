"""A forum of short posts and a help centre, of known content, whose single pages leave much open."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HOST = "http://crumbs.test"
CLUB = "The Crumb Club"
_THINGS = (
    "dough crust starter oven loaf crumb batter yeast baguette brioche pretzel focaccia pizza bagel rye stollen"
    " sourdough toast flatbread panettone"
).split()
_TROUBLES = (
    ("sinks in the middle", "as soon as I open the door"),
    ("turns grey at the edges", "after a night in the cellar"),
    ("sticks to the board", "however much flour I use"),
    ("comes out pale", "although the stone was hot for an hour"),
    ("smells of vinegar", "since we moved to the new house"),
)
_ADVICE = (
    "Leave the door shut for twenty minutes and use a little less water than the recipe says.",
    "Mine did the same until I bought a thermometer: the dial was off by thirty degrees.",
    "Feed it twice a day for a week, always at the same hour, and keep the jar in a warm place.",
    "I would change the mill first. Not every bag of strong flour is as strong as the label claims.",
    "Put a tray of boiling water on the bottom and take it out again after a quarter of an hour.",
    "It needs more salt and a longer rest. Try ten grams for each pound and wait until it has doubled.",
    "Old pans are often the reason. Rub yours with a thin film of oil and bake it empty once.",
)
_PEOPLE = (
    ("juniper", "Apprentice", "Bread is the staff of life."),
    ("old_miller", "Master", "Still grinding since 1971 | two stones and a mule"),
    ("petra.k", "Apprentice", ""),
    ("Tomasz", "Journeyman", "Ask me about rye."),
    ("crumbly", "Journeyman", ""),
)
_SIZES = (2, 3, 2, 4, 3, 1, 3, 2, 4, 3, 2, 3, 1, 4, 2, 3, 3, 4, 2, 3)
_CONSENT = (
    '<section class="consent" role="alertdialog"><p>This site stores small files on your device to remember your'
    " choices. You can refuse all but the necessary ones.</p><button>Fine</button> <button>Refuse</button></section>"
)
_FOOT = (
    '<div class="site"><p>Not what you were looking for? <a href="/ask">Write to the bakers</a>.</p>'
    f"<p>{CLUB}, 4 Mill Lane. Runs on Doughboard 2.</p></div>"
)
_QUESTIONS = (
    ("How do I change the address of a parcel?", "Open the order, choose Address and save it before the van leaves."),
    ("Which stamps do I need for a letter abroad?", "Two of the blue ones, or a printed label from the machine."),
    ("Why was my parcel sent back?", "Nobody was at home twice, and the shop kept it for seven days after that."),
    ("Can I send a bicycle?", "Yes, in a box of at most two metres. Take the pedals off and turn the handlebar."),
    ("Where is the nearest letter box?", "The map in the menu shows all boxes, with the time when each is emptied."),
    ("What happens to mail without a sender?", "It is opened by two of us after a month, and sold after a year."),
)


def threads() -> Iterator[tuple[str, list[tuple[str, str, str, str]]]]:
    """Yield the title of each thread and its posts: author, rank, signature and text. There are 34 answers."""
    for number, (thing, size) in enumerate(zip(_THINGS, _SIZES, strict=True)):
        trouble, when = _TROUBLES[number % 5]
        texts = [f"Since spring my {thing} {trouble} {when}. I have changed nothing but the flour for the {thing}."]
        for step, end in enumerate(("twice", "in the end", "once")[: size - 1], 1):
            texts.append(f"{_ADVICE[(number + 3 * step) % 7]} That helped my {thing} {end}.")
        yield f"My {thing} {trouble}", [(*_PEOPLE[(number + 2 * n) % 5], text) for n, text in enumerate(texts)]


def unsigned(text: str) -> str:
    """Return a text without lines that are signatures."""
    signatures = {signature for *_, signature in _PEOPLE}
    return "\n".join(line for line in text.split("\n") if line not in signatures)


def pairs() -> list[tuple[str, str]]:
    """Return the questions and answers of the forum, sorted."""
    return sorted((f"{title}\n{posts[0][3]}", text) for title, posts in threads() for *_, text in posts[1:])


def _named(n: int, who: str, rank: str, signature: str, text: str) -> str:
    sign = f'<div class="under">{signature}</div>' if signature else ""
    return (
        f'<div class="msg"><header><b><a href="/people/{who}">{who}</a></b> <i>{rank}</i> <i>{12 * n + 7} messages</i>'
        f' <a href="#m{n}"><time datetime="2025-03-{n % 27 + 1:02}T19:40">{n % 27 + 1} March 2025</time></a></header>'
        f'<div class="says">{text}</div>{sign}<footer><button>Thank</button><button>Cite</button></footer></div>'
    )


def _row(n: int, who: str, rank: str, signature: str, text: str) -> str:
    sign = f"<br><span>{signature}</span>" if signature else ""
    return (
        f'<tr><td><a href="/people/{who}">{who}</a><br>{rank}<br>{12 * n + 7} messages</td>'
        f"<td><div>{n % 27 + 1} March 2025, 19:40</div><p>{text}{sign}</p>"
        '<div>Was this helpful? <a href="#y">Yes</a> <a href="#n">No</a></div></td></tr>'
    )


def _plain(n: int, who: str, rank: str, signature: str, text: str) -> str:
    sign = f"<p>{signature}</p>" if signature else ""
    return (
        f"<li><p>{who} ({rank}) wrote on {n % 27 + 1} March 2025:</p><p>{text}</p>{sign}"
        '<p><a href="#t">Thank</a> <a href="#q">Cite</a></p></li>'
    )


_STYLES = {
    "named": (_named, f"{_CONSENT}<h2>{{0}}</h2>{{1}}"),
    "table": (_row, f'<div class="t">{{0}}</div><table>{{1}}</table>{_CONSENT}'),
    "plain": (_plain, f"{_CONSENT}<h1>{CLUB}</h1><h3>{{0}}</h3><ol>{{1}}</ol>"),  # and no title of its own
}
STYLES = tuple(_STYLES)


def _page(title: str, body: str) -> str:
    return (
        f'<!doctype html><html lang="en"><head><title>{title}</title></head><body><nav><a href="/">Start</a>'
        f' <a href="/in">Log in</a></nav>{body}{_FOOT}</body></html>'
    )


def forum(style: str) -> dict[str, str]:
    """Return the pages of the forum by path, in a style of markup."""
    post, body = _STYLES[style]
    site, rows = {}, []
    for number, (title, posts) in enumerate(threads()):
        path = f"/b/bread/{80 + number}"
        shown = "".join(post(5 * number + n, *each) for n, each in enumerate(posts))
        own = CLUB if style == "plain" else f"{title} | {CLUB}"
        site[path] = _page(own, body.format(title, shown + '<p><a href="/in">Log in</a> to reply.</p>'))
        rows.append(f'<tr><td><a href="{path}">{title}</a></td><td>{len(posts) - 1} replies</td></tr>')
    listed = f"<h1>Bread</h1><table>{''.join(rows)}</table>"
    return {"/": _page(CLUB, f'<p><a href="/b/bread">Bread</a></p>{listed}'), "/b/bread": _page(CLUB, listed), **site}


def help_centre() -> dict[str, str]:
    """Return the pages of a help centre by path; the name of the site is each ``<title>`` and ``<h1>``."""
    name, links, site = "Post Office Help", [], {}
    for number, (question, answer) in enumerate(_QUESTIONS):
        path = f"/kb/{number}"
        site[path] = _page(
            name,
            f'<h1>{name}</h1><div class="topic">{question}</div><div class="text"><p>{answer}</p></div>'
            "<div>Was this helpful? <a>Yes</a> <a>No</a></div>",
        )
        links.append(f'<li><a href="{path}">{question}</a></li>')
    return {"/": _page(name, f"<h1>{name}</h1><ul>{''.join(links)}</ul>"), **site}


def questions() -> list[str]:
    """Return the questions of the help centre."""
    return [question for question, _ in _QUESTIONS]
