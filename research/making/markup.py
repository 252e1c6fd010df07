"""A grammar of markup: names of elements, and the layouts of records (posts, comments, rows of lists).

A `RecordStyle` is one way in which software could write its records. It is drawn once for a generated site: the elements,
the depth of wrappers, the order of author, date, text and buttons, whether replies are nested, and the names, which are
words of the field, words that say nothing, hashes, or none.
"""

# ruff: noqa: E501 - templates
from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from research.making.content import TABLES

# Words for the parts of a page, those of other languages and of other kinds of pages among them; templates of slots.
_WORDS, _SLOTS = TABLES["names of parts"], TABLES["slots"]
_SILENT, _UTILITY = TABLES["names that say nothing"].split(), TABLES["utility names"].split()
_SEPARATORS = " |·\n"
_SHAPES = ("{0}", "{0}", "{0}", "{1}-{0}", "{1}__{0}", "{1}_{0}", "{0} clearfix", "{1}{2}", "js-{0} {0}")


class Names:
    """The class attributes of a site, each drawn on first use."""

    def __init__(self, rng: Random) -> None:
        kinds = ("field", "other", "utility", "hashed", "none", "mixed")
        self._rng, self._known = rng, {"": ""}
        self._kind = rng.choices(kinds, (6, 1, 1, 2, 1, 2))[0]
        self._shape = rng.choice(_SHAPES)
        self._prefix = rng.choice(("c", "ui", "theme", "app", "x", "b", "site", "forum", "wp", "main"))

    def __call__(self, part: str) -> str:
        """Return the class attribute of a part, with a space before it; "" if it has none."""
        if part not in self._known:
            name = self._drawn(part)
            self._known[part] = f' class="{name}"' if name else ""
        return self._known[part]

    def _drawn(self, part: str) -> str:
        rng, kind = self._rng, self._kind
        if kind == "mixed" or rng.random() < 0.1:
            kind = rng.choice(("field", "other", "hashed", "none", "utility"))
        if kind == "field":
            word = rng.choice(_WORDS.get(part, part).split())
            return self._shape.format(word, self._prefix, word.title())
        if kind == "hashed":
            return f"{self._prefix}-{rng.randrange(16**5):05x}"
        if kind == "utility":
            return " ".join(rng.sample(_UTILITY, rng.randint(1, 4)))
        return "" if kind == "none" else rng.choice(_SILENT)


class Box(NamedTuple):
    """An element: its tag ("": none, only what is inside), the part that names it, and boxes and slots inside."""

    tag: str
    part: str
    inner: tuple[Box | str, ...]

    def html(self, slots: Mapping[str, str], names: Names, attributes: str = "") -> str:
        """Return the HTML; elements without content are left out, but for cells."""
        inside = "".join(
            each.html(slots, names) if isinstance(each, Box) else slots.get(each, "") for each in self.inner
        ).rstrip(_SEPARATORS)
        if not self.tag or not (inside or self.tag == "td"):
            return inside
        tag, *more = self.tag.split(" ", 1)
        return f"<{tag}{names(self.part)}{attributes}{''.join(f' {each}' for each in more)}>{inside}</{tag}>"


def wrapped(box: Box, rng: Random, most: int = 2) -> Box:
    """Put a box into up to so many further elements."""
    for _ in range(rng.choice((0, 0, 0, *range(1, most + 1)))):
        box = Box("div", rng.choice(("wrap", "", "box")), (box,))
    return box


# The slots of a record in their usual order, with the weights of the zones that hold them: head, side, foot.
_ZONES = {
    "avatar": (3, 8, 0), "number": (5, 0, 1), "accepted": (3, 1, 1), "subject": (1, 0, 0), "author": (6, 8, 1),
    "rank": (1, 6, 0), "stats": (1, 6, 1), "date": (7, 1, 3), "votes": (1, 1, 3), "edited": (0, 0, 1),
    "files": (0, 0, 1), "signature": (0, 0, 1), "actions": (1, 0, 5),
}  # fmt: skip
_LAYOUTS = {
    "stack": 6, "columns": 4, "bars": 3, "media": 3, "siblings": 1, "split": 1, "cells": 2, "rows": 2, "tables": 2, "terms": 1,
    "pairs": 1, "flat": 1,
}  # fmt: skip
# Elements around the text of a record, with their weights and how lines may be divided in them ("": <p> alone).
_BODIES = {
    "div": (12, ("p", "p", "p", "br", "brbr", "div")), "blockquote": (1, ("p", "br")), "section": (1, ("p", "brbr")), "article": (1, ("p", "br")),
    "x-text": (1, ("p", "br")), "td": (2, ("br", "brbr", "p")), "p": (3, ("br", "brbr")), "pre": (1, ("pre",)), "": (1, ("p",)),
}  # fmt: skip
_BLOCKS = ("<div", "<p", "<h", "<ul", "<dl", "<blockquote")
_LEAST_ALONE = 300  # characters of a text of several paragraphs that is in no element of its own
_NESTING = ("stack", "columns", "bars", "media", "siblings")  # layouts whose records may hold the replies to them


class RecordStyle:
    """The markup of a site's records: ``part`` names them, and ``parts`` are the slots that they may have.

    Slots beside those of _SLOTS: ``body``, ``actions``, ``replies`` (those to the record), ``below`` (anything else).
    """

    def __init__(self, rng: Random, names: Names, part: str, parts: Sequence[str], layouts: Sequence[str] = ()) -> None:
        self._rng, self._names = rng, names
        self.part = part
        wanted = layouts or tuple(_LAYOUTS)
        self.layout = rng.choices(wanted, [_LAYOUTS[each] for each in wanted])[0]
        self.templates = {each: self._named(each, rng.choice(_SLOTS[each])) for each in parts if each in _SLOTS}
        self.action = rng.choice(TABLES["actions"])
        self.between = rng.choice((" ", " | ", " · ", " ", "\n"))  # after slots on a line
        has_side = self.layout not in ("stack", "terms", "flat")
        self.zones = self._zones(parts, has_side)
        self.nested = rng.choice(("inside", "flat", "no")) if self.layout in _NESTING else "no"
        self.indent = rng.choice(TABLES["indents"])
        self.depth_step = 1 if "depth" in self.indent or "level" in self.indent else rng.choice((15, 20, 30, 40))
        self.body_tag = rng.choices([*_BODIES], [weight for weight, _ in _BODIES.values()])[0]
        #: How the lines of a text are divided: "p", "div", "br", "brbr", or by line breaks of a <pre>.
        self.lines = rng.choice(_BODIES[self.body_tag][1])
        self.outer, self.tag = self._tags()
        self.box = self._box()
        self._has_id = rng.random() < 0.6

    def _named(self, part: str, template: str) -> str:
        return template.replace("{c}", self._names(part))

    def _zones(self, parts: Sequence[str], has_side: bool) -> dict[str, list[str]]:
        """Draw the zone of each slot; nearly in the usual order."""
        rng, zones = self._rng, {"head": [], "side": [], "foot": []}  # type: ignore[var-annotated]
        order = {part: place + rng.choice((0.0, 0.0, 4.5, -4.5)) for place, part in enumerate(_ZONES)}
        for part in sorted((part for part in parts if part in _ZONES), key=order.__getitem__):
            head, side, foot = _ZONES[part]
            if self.layout == "media":  # beside the text, only a picture or votes
                side = 9 * (part in ("avatar", "votes"))
            weights = (head, side, foot) if has_side else (head + side / 2, 0, foot)
            zones[rng.choices(("head", "side", "foot"), weights)[0]].append(part)
        return zones

    def _tags(self) -> tuple[str, str]:
        """Draw the tags of the list and of a record."""
        if self.layout in ("cells", "rows"):
            return "table", "tr"
        if self.layout == "terms":
            return "dl", "dt"
        if self.layout in ("tables", "flat", "split", "pairs"):
            return "div", "div"
        pairs = (("div", "div"), ("div", "div"), ("ul", "li"), ("ol", "li"), ("div", "article"), ("section", "div"),
                 ("x-list", "x-post"), ("main", "section"), ("div", "section"))  # fmt: skip
        return self._rng.choice(pairs)

    def _zone(self, zone: str, tag: str) -> Box:
        """Lay out a zone: each slot by itself, all on a line, or in groups on lines."""
        rng, slots = self._rng, self.zones[zone]
        each = rng.choice(("", "", "", "div", "span", "p")) if tag not in ("p", "h4") else ""
        inner: list[Box | str] = []
        place = 0
        while place < len(slots):
            size = rng.choice((1, 1, 2, 3))
            some = tuple(slots[place : place + size])
            around = "div" if each in ("", "p", "span") and not self._is_plain(some) else each or "div"
            inner.append(Box(around, "line", some) if len(some) > 1 or each else some[0])
            place += size
        return Box(tag, zone, tuple(inner))

    def _box(self) -> Box:
        rng = self._rng
        body = wrapped(Box(self.body_tag, "body", ("body",)), rng)
        if self.body_tag == "td":
            body = Box("table", "wrap", (Box("tr", "", (Box("td", "body", ("body",)),)),))
        plain = rng.choice(("p", "h2", "h3", "h4", "p")) if self._is_plain(self.zones["head"]) else "div"
        head_tag = rng.choice(("div", "div", "header", "footer", plain, plain, "x-head"))
        foot_tag = rng.choice(("div", "div", "footer", "ul" if self.zones["foot"] == ["actions"] else "div"))
        if self.layout in ("rows", "cells", "tables"):
            return self._rows(body)
        head, foot = self._zone("head", head_tag), self._zone("foot", foot_tag)
        if self.layout in ("stack", "terms", "flat"):
            return self._stacked(head, body, foot)
        side = self._zone(
            "side", rng.choice(("div", "div", "aside", "dl" if self._is_plain(self.zones["side"]) else "div"))
        )
        if self.layout == "split":
            main = Box("div", "main", (side, body, "after", foot, "below"))
            return Box("", "", (head, Box("div", self.part, (main,)) if rng.random() < 0.5 else main))
        if self.layout == "pairs":
            return Box("dl", self.part, (Box("dt", "side", (side, head)), Box("dd", "main", (body, foot, "below"))))
        if self.layout == "bars":
            columns = (side, Box("div", "main", (body, "after", "below")))
            return Box(self.tag, self.part, (head, wrapped(Box("div", "wrap", columns), rng), foot, "replies"))
        if self.layout == "siblings":
            return Box(self.tag, self.part, (head, side, body, "after", foot, "below", "replies"))
        return self._columns(side, (head, body, "after", foot, "below"))

    def _stacked(self, head: Box, body: Box, foot: Box) -> Box:
        """One below the other: in an element, as terms with their definitions, or in no element at all."""
        if self.layout == "terms":
            return Box("", "", (Box("dt", self.part, (head,)), Box("dd", "body", (body, foot, "below"))))
        rest: tuple[Box | str, ...] = (head, body, "after", foot, "below")
        if self.layout == "flat":
            return Box("", "", (*rest, "rule"))
        if self._rng.random() < 0.15:
            rest = (body, "after", foot, head, "below")
        return Box(self.tag, self.part, (*self._wrapped_all(rest), "replies"))

    def _columns(self, side: Box, rest: tuple[Box | str, ...]) -> Box:
        rng = self._rng
        inside = rng.random() < 0.4
        main = Box("div", "main", (*rest, "replies") if inside else rest)
        columns = (main, side) if rng.random() < 0.15 else (side, main)
        return Box(self.tag, self.part, (*self._wrapped_all(columns), *(() if inside else ("replies",))))

    def _wrapped_all(self, inner: tuple[Box | str, ...]) -> tuple[Box | str, ...]:
        return (wrapped(Box("div", "wrap", inner), self._rng),) if self._rng.random() < 0.4 else inner

    def _rows(self, body: Box) -> Box:
        """A table: a row of two cells, maybe between a row above and one below."""
        rng, side = self._rng, self._zone("side", "div")
        if self.layout == "rows":
            head, foot = self._zone("head", "td colspan=2"), self._zone("foot", "td colspan=2")
            plain = Box("td", "body", ("body",)) if rng.random() < 0.5 else Box("td", "main", (body, "after", "below"))
            cells = (Box("td", "side", (side,)), plain)
            return Box("", "", (Box("tr", "head", (head,)), Box("tr", self.part, cells), Box("tr", "foot", (foot,))))
        head, foot = self._zone("head", "div"), self._zone("foot", "div")
        cells = (Box("td", "side", (side,)), Box("td", "main", (head, body, "after", foot, "below")))
        row = Box("tr", self.part, cells[:: rng.choice((1, 1, 1, -1))])
        return row if self.layout == "cells" else Box("table", "wrap", (row,))

    def _is_plain(self, slots: Sequence[str]) -> bool:
        """Whether no slot is a block."""
        return not any(self.templates.get(part, "<ul").startswith(_BLOCKS) for part in slots)

    def record(self, values: Mapping[str, str], depth: int = 0) -> str:
        """Return the HTML of a record with these values of slots, or of the fields of their templates."""
        slots = {}
        for part, form in self.templates.items():
            if values.get(part):
                slots[part] = form.format_map(values) + ("" if form.startswith(_BLOCKS) else self.between)
        for slot in ("body", "replies", "after", "below"):
            slots[slot] = values.get(slot, "")
        slots["rule"] = "<hr>"
        if values.get("actions"):
            buttons = [self.action.format(values["link"], each) for each in values["actions"].split("|")]
            tag = "ul" if self.action.startswith("<li") else "div"
            slots["actions"] = (
                f"<{tag}{self._names('actions')}>{('' if tag == 'ul' else self.between).join(buttons)}</{tag}>"
            )
        attributes = f' id="p{values["id"]}"' if self._has_id else ""
        shown = self.indent.format(depth * self.depth_step) if self.nested == "flat" else ""
        name = self._names(self.part)
        if shown.startswith("class") and name:
            return self.box.html(slots, self._names, attributes).replace(name, f"{name[:-1]} {shown[7:]}", 1)
        return self.box.html(slots, self._names, f"{attributes} {shown}" if depth and shown else attributes)

    @property
    def holds_blocks(self) -> bool:
        """Whether quotations and code may be among the text."""
        return self.body_tag not in ("p", "pre", "")

    def divided(self, lines: Sequence[str]) -> str:
        """Return the lines of a text, HTML, divided as in all records; short texts without an element are one line."""
        if not self.body_tag and sum(map(len, lines)) < _LEAST_ALONE:
            return f"<p>{' '.join(lines)}</p>"
        if self.lines in ("p", "div"):
            return "".join(f"<{self.lines}>{line}</{self.lines}>" for line in lines)
        return {"br": "<br>", "brbr": "<br><br>", "pre": "\n"}[self.lines].join(lines)

    def aside(self, inner: str) -> str:
        """Return something else between the records, such as an advertisement."""
        tag = {"table": "tr><td colspan=2", "dl": "dd", "ul": "li", "ol": "li"}.get(self.outer, "div")
        return f"<{tag}{self._names('notice') if '>' not in tag else ''}>{inner}</{'td></tr' if '>' in tag else tag}>"

    def listed(self, records: Sequence[str], part: str = "list") -> str:
        """Return the list of all records, maybe in further elements."""
        rng = self._rng
        inner = f"<{self.outer}{self._names(part)}>{''.join(records)}</{self.outer}>"
        for _ in range(rng.choice((0, 0, 1, 2))):
            inner = f"<div{self._names('wrap')}>{inner}</div>"
        return inner

    def below(self, replies: Sequence[str]) -> str:
        """Return a list of replies, to be put inside the record that they reply to."""
        tag = self.outer if self.outer in ("ul", "ol") else "div"
        return f"<{tag}{self._names('nested')}>{''.join(replies)}</{tag}>" if replies else ""
