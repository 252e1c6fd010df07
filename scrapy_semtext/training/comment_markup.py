"""Random markup of readers' comments, for pages whose comments are known (`comment_pages`).

Each `CommentStyle` is one way in which a site could write its comments: its tags and names, and the contents of a
record and their order. Half of the names are arbitrary, so that models learn the structure and not the words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import html as lxml_html

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from lxml.html import HtmlElement

_PEOPLE = """
Ann Bob Clara Dmitri Elif Fatima Gustav Hana Igor Jun Karl Lena Marek Nadia Omar Paula Quentin Rosa Sven Tomasz Uma
Viktor Wei Xavier Yara Zoe
""".split()
_SURNAMES = "Smith Novak Garcia Müller Rossi Ivanov Chen Kowalski Dubois Okafor Jensen Silva Tanaka Haddad".split()
_NICKS = (
    "tea_lover42 skyhook the-real-max BlueBird77 jpl9 anonymous Guest nomad oldtimer PixelPusher kat m0untain".split()
)
_MONTHS = "January February March April May June July August September October November December".split()

# Headings of the whole list: {n} comments, below "{title}".
_HEADS = (
    "{n} Comments", "Comments ({n})", "Comments", "{n} responses to “{title}”", "{n} thoughts on “{title}”",
    "Reader comments", "What do you think?", "Join the discussion", "Your opinions", "Responses", "{n} replies",
    "Kommentare ({n})", "{n} Kommentare", "Leserkommentare", "{n} commentaires", "Vos réactions", "Comentarios",
    "{n} comentarios", "Commenti", "Reacties", "Komentarze ({n})", "Комментарии", "评论 ({n})",
)  # fmt: skip
_REPLY = (
    "Reply", "Reply to this", "Report", "Antworten", "Répondre", "Responder", "Like", "Flag", "Permalink", "Share",
)  # fmt: skip
_SAYS = ("", "", " says:", " wrote:", " said…", " on", ":", " schrieb:", " a dit:", " dice:")
_INVITATIONS = (
    "Leave a reply", "Post a comment", "Log in to comment", "Comments are closed.", "Add your comment",
    "Kommentar schreiben", "Laisser un commentaire", "Deja un comentario",
)  # fmt: skip
_DATES = (
    "{month} {day}, {year} at {hour}:{minute:02} pm", "{day} {month} {year}",
    "{day}.{number}.{year} {hour}:{minute:02}", "{year}-{number:02}-{day:02}", "{number}/{day}/{year}",
    "{hour} hours ago", "{day} days ago", "{month} {day}",
    "{hour}:{minute:02} on {month} {day}th, {year}",
)  # fmt: skip

_BUTTONS = ("Share", "Tweet", "Print", "Email", "Like", "Facebook", "Save", "PDF")
_TAGS = ("Politics", "Science", "Travel", "Opinion", "Tech", "Berlin", "Music", "Health", "2011", "Video")

_LISTS = (
    ("ol", "li"), ("ul", "li"), ("div", "div"), ("div", "article"), ("section", "div"), ("table", "tr"), ("dl", "dd"),
)  # fmt: skip
_NAMES = {
    "section": ("comments", "commentArea", "responses", "discussion", "feedback", "reader-comments", "disqus"),
    "list": ("commentlist", "comment-list", "thread", "items", "comments-content"),
    "record": ("comment", "comment even", "response", "entry", "comment-item", "message", "row"),
    "head": ("comment-meta", "commentmetadata", "info", "header", "byline"),
    "author": ("author", "fn", "comment-author", "user", "name", "username"),
    "date": ("date", "time", "timestamp", "comment-date", "meta"),
    "body": ("comment-body", "comment-content", "text", "content", "commentText", "message"),
    "foot": ("reply", "actions", "comment-links", "tools"),
    "avatar": ("avatar", "photo", "userpic"),
}


@dataclass(frozen=True, slots=True)
class CommentStyle:
    """The markup of a site's comments; `random_style` draws one."""

    list_tag: str
    record_tag: str
    head_tag: str
    author_tag: str
    date_tag: str
    body_tag: str | None  # None: the text is directly in the record
    names: dict[str, str | None]
    head: str
    says: str
    date: str
    reply: str | None
    invitation: str | None
    has_avatar: bool
    has_head_below: bool  # author and date after the text
    is_dated: bool
    has_machine_date: bool
    paragraphs: bool
    nested: str  # "no", "inside": replies in their parent's record, "flat": marked by a name
    numbered: bool
    has_votes: bool


def random_style(rng: Random) -> CommentStyle:
    """Draw the markup of a site's comments."""
    list_tag, record_tag = rng.choice(_LISTS)
    body_tags = ("td",) if record_tag == "tr" else ("div", "div", "p", "blockquote", "span", None)
    return CommentStyle(
        list_tag,
        record_tag,
        "td" if record_tag == "tr" else rng.choice(("div", "div", "p", "header", "h4", "footer")),
        rng.choice(("a", "strong", "span", "cite", "b", "h4", "a")),
        rng.choice(("time", "span", "a", "small", "em", "div")),
        rng.choice(body_tags),
        _random_names(rng),
        rng.choice(_HEADS),
        rng.choice(_SAYS),
        rng.choice(_DATES),
        rng.choice((None, *_REPLY, *_REPLY)),
        rng.choice((None, *_INVITATIONS)),
        has_avatar=rng.random() < 0.5,
        has_head_below=rng.random() < 0.2,
        is_dated=rng.random() < 0.9,
        has_machine_date=rng.random() < 0.3,
        paragraphs=rng.random() < 0.5,
        nested="no" if record_tag in ("tr", "dd") else rng.choice(("no", "no", "inside", "flat")),
        numbered=rng.random() < 0.15,
        has_votes=rng.random() < 0.2,
    )


def _random_names(rng: Random) -> dict[str, str | None]:
    """Draw a name for each part: meaningful, arbitrary, or none; mostly of one kind on a site."""
    kinds = rng.choice((("meaning",), ("arbitrary",), ("meaning", "arbitrary", "none"), ("none", "arbitrary")))
    names: dict[str, str | None] = {}
    for part, words in _NAMES.items():
        kind = rng.choice(kinds)
        arbitrary = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 7)))
        names[part] = {"meaning": rng.choice(words), "arbitrary": arbitrary, "none": None}[kind]
    return names


def comment_section(style: CommentStyle, texts: Sequence[str], title: str, rng: Random) -> HtmlElement:
    """Write comments with these texts, in order, as an element; authors and dates are drawn."""
    section = element(rng.choice(("div", "section", "div", "aside")), style.names["section"])
    if rng.random() < 0.85:
        head = style.head.format(n=len(texts), title=title[:80])
        section.append(element(rng.choice(("h2", "h3", "h4", "div", "p")), None, head))
    holder = element(style.list_tag, style.names["list"])
    section.append(holder)
    previous: HtmlElement | None = None
    for number, text in enumerate(texts, 1):
        record = comment_record(style, text, number, rng)
        is_reply = style.nested != "no" and previous is not None and rng.random() < 0.35
        if is_reply and style.nested == "inside" and previous is not None:
            replies = element(style.list_tag, "children" if style.names["list"] else None)
            replies.append(record)
            previous.append(replies)
            if rng.random() < 0.4:
                previous = record
            continue
        if is_reply:
            record.set("class", f"{record.get('class', '')} {style.names['list'] or 'x'}-reply".strip())
        holder.append(record)
        previous = record
    if style.invitation is not None:
        section.append(_invitation(style.invitation, rng))
    return section


def comment_record(style: CommentStyle, text: str, number: int, rng: Random) -> HtmlElement:
    """Write one comment; ``number`` is its position from 1."""
    record = element(style.record_tag, style.names["record"])
    record.set("id", f"c{rng.randint(1000, 99999)}")
    parts = [_head(style, number, rng), *_body(style, text)]
    if style.has_head_below:
        parts.reverse()
    for part in parts:
        record.append(part)
    if style.reply is not None:
        foot = element("td" if style.record_tag == "tr" else "div", style.names["foot"])
        foot.append(element("a", None, style.reply, href=f"#reply{number}"))
        if style.has_votes:
            foot.append(element("span", None, str(rng.randint(0, 40))))
        record.append(foot)
    return record


def random_byline(rng: Random) -> HtmlElement:
    """Draw a line with author and date."""
    byline = _head(random_style(rng), rng.randint(1, 9), rng)
    if byline.tag == "td":
        byline.tag = "div"
    return byline


def _head(style: CommentStyle, number: int, rng: Random) -> HtmlElement:
    head = element(style.head_tag, style.names["head"])
    if style.has_avatar:
        head.append(element("img", style.names["avatar"], src=f"/avatars/{rng.randint(1, 999)}.jpg", alt=""))
    if style.numbered:
        head.append(element("span", None, f"#{number}"))
    name = rng.choice((f"{rng.choice(_PEOPLE)} {rng.choice(_SURNAMES)}", rng.choice(_PEOPLE), rng.choice(_NICKS)))
    author = element(style.author_tag, style.names["author"], name)
    if style.author_tag == "a":
        author.set("href", f"/user/{name.replace(' ', '-')}")
    author.tail = style.says + " "
    head.append(author)
    if style.is_dated:
        head.append(_date(style, rng))
    return head


def _date(style: CommentStyle, rng: Random) -> HtmlElement:
    month, day, year = rng.randint(1, 12), rng.randint(1, 28), rng.randint(2005, 2025)
    hour, minute = rng.randint(1, 12), rng.randint(0, 59)
    shown = style.date.format(month=_MONTHS[month - 1], number=month, day=day, year=year, hour=hour, minute=minute)
    date = element(style.date_tag, style.names["date"], shown)
    if style.has_machine_date:
        date.set("datetime", f"{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:00")
    if style.date_tag == "a":
        date.set("href", f"#comment-{rng.randint(100, 9999)}")
    return date


def _body(style: CommentStyle, text: str) -> list[HtmlElement]:
    """Write the text of a comment: paragraphs in an element, only paragraphs, or lines separated by <br>."""
    lines = [line for line in text.split("\n") if line.strip()]
    if style.body_tag is None:
        return [element("p", None, line) for line in lines]
    body = element(style.body_tag, style.names["body"])
    if style.paragraphs and style.body_tag not in ("p", "span"):
        body.extend([element("p", None, line) for line in lines])
        return [body]
    body.text = lines[0]
    for line in lines[1:]:
        new_line = element("br", None)
        new_line.tail = line
        body.append(new_line)
    return [body]


def between(titles: Sequence[str], rng: Random) -> list[HtmlElement]:
    """Draw the content between an article and its comments: buttons, tags, the author, related articles."""
    parts = []
    for part in rng.sample(("buttons", "tags", "author", "related", "neighbours"), k=rng.choice((0, 0, 1, 1, 2, 3))):
        box = element("div", rng.choice((part, None, "box")))
        if part == "author":
            box.append(element("h4", None, f"About {rng.choice(_PEOPLE)} {rng.choice(_SURNAMES)}"))
            box.append(element("p", None, f"{rng.choice(_PEOPLE)} writes about {rng.choice(titles)}."))
        else:
            words = {"buttons": _BUTTONS, "tags": _TAGS}.get(part) or titles
            box.append(element(rng.choice(("h3", "span", "p")), None, part.title()))
            for text in rng.sample(words, k=min(len(words), rng.randint(2, 6))):
                item = element(rng.choice(("li", "span", "p")), None)
                item.append(element("a", None, text, href=f"/{part}/{rng.randint(1, 999)}"))
                box.append(item)
        parts.append(box)
    return parts


def _invitation(text: str, rng: Random) -> HtmlElement:
    invitation = element("div", None)
    invitation.append(element(rng.choice(("h3", "p", "a")), None, text))
    if rng.random() < 0.6:
        form = element("form", None, action="/post")
        for label in ("Name", "Email", "Website"):
            form.append(element("label", None, label))
            form.append(element("input", None, type="text", name=label.lower()))
        form.append(element("textarea", None, name="text"))
        form.append(element("input", None, type="submit", value=text))
        invitation.append(form)
    return invitation


def element(tag: str, names: str | None, text: str | None = None, **attributes: str) -> HtmlElement:
    """Create an element with these names as its class, and a text."""
    made = lxml_html.Element(tag, **attributes)
    if names:
        made.set("class", names)
    made.text = text
    return made
