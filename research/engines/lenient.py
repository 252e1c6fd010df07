"""Templates of old Django packages, rendered without their code: over objects that have an attribute for every name.

Whatever a template calls the text, the author or the date of a post, it gets it. Tags and filters of the package show
their argument where that is a text or an author, and nothing else.
"""
# mypy: disable-error-code="import-not-found,import-untyped,misc,method-assign,untyped-decorator,no-any-return"
# ruff: noqa: D102 - templates call these methods

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.template import Library, Node
from django.template.base import Origin, Parser, TextNode
from django.template.loaders.locmem import Loader
from django.utils.safestring import SafeString, mark_safe
from django.utils.timesince import timesince

from research.engines.saving import BEGIN, SIGNATURE, has_signature, html_paragraphs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

register = Library()
_TEXT = re.compile(
    r"(get_)?(raw|html|text|body|content|message|description|comment|note|answer|rendered|formatted|markdown|cooked)"
    r"(_?(text|html|rendered|formatted|raw|body|content|bbcode|escaped))?"
)
_AUTHOR = re.compile(
    r"(get_)?(author|user|created_by|authored_by|posted_by|commented_by|submitted_by|poster|owner|creator|editor|reporter|contact)"
)
_NAME = re.compile(
    r"(get_)?(user_?name|name|display_name|author_name|author_display_name|display_author_name|full_name|nickname|author_text)"
)
_DATE = re.compile(
    r"(date|added|posted|edited|time|last_update|humanized_time|"
    r"(created|creation|modified|updated|pub|publish|publication|submit|post|time|date|edited)_?(at|on|date|time|created)?)"
)
_TITLE = re.compile(r"title|subject|name|headline|summary")
_CHILDREN = re.compile(
    r"(get_|sub_|child_)?(children|replies|comments|comments_for_thread)(_list)?|comment_parent|getChildrenList"
)
_POSTS = re.compile(r"posts|post_set|message_set|messages|mypost")
_REPLIES = re.compile(
    r"(get_(all_)?)?(comments?|replies|answers?|responses?|logs|discussions)(_list|_set)?|published_comments|nodes"
)
_REFUSED = re.compile(r"can_|is_|check_|has_|user_can|allow")
_WRITTEN = re.compile(r"markdown|textile|bbcode|render|markup|linkify|smil|typogrify|format|restructuredtext")


class Many(list):  # type: ignore[type-arg]
    """A list, and what templates ask of a query or a page."""

    number, pages = 1, 1

    def __getattribute__(self, name: str) -> Any:
        made = _OF_LISTS.get(name)
        return made(self) if made else super().__getattribute__(name)


def _itself(many: Many) -> Many:
    return many


_OF_LISTS: dict[str, Callable[[Many], Any]] = {
    **dict.fromkeys(("all", "object_list", "get_queryset", "visible", "roots"), _itself),
    "count": len,
    "exists": bool,
    "first": lambda many: many[0] if len(many) else None,
    "last": lambda many: many[-1] if len(many) else None,
    "paginator": lambda many: {
        "num_pages": many.pages, "page_range": range(1, many.pages + 1), "count": len(many)
    },
    "has_other_pages": lambda many: many.pages > 1,
    "has_next": lambda many: many.number < many.pages,
    "has_previous": lambda many: many.number > 1,
    "next_page_number": lambda many: many.number + 1,
    "previous_page_number": lambda many: many.number - 1,
}  # fmt: skip


class User:
    """An author, who is the profile as well."""

    is_staff = is_superuser = is_troll = False
    is_active = is_authenticated = True

    def __init__(self, name: str, number: int) -> None:
        self.username, self.pk, self.id = name, number, number
        self.signature = SIGNATURE if has_signature(name) else ""
        self.first_name, self.email = name.title(), f"{name}@forum.example"
        self.post_count = self.posts_count = self.points = 7 * number + len(name)
        self.avatar = self.photo = self.avater = f"/media/avatars/{name}.png"

    def __getattr__(self, name: str) -> Any:
        if "profile" in name or name == "user":
            return self
        if "avatar" in name:
            return self.avatar
        if name == "date_joined":
            return BEGIN - timedelta(days=11 * self.pk)
        if _NAME.fullmatch(name):
            return self.first_name
        raise AttributeError(name)

    def __str__(self) -> str:
        return self.username


class Guest:
    """Whom pages are shown to."""

    is_authenticated = is_staff = is_superuser = False
    id = pk = None
    username = ""

    def __str__(self) -> str:
        return ""


class Post:
    """A post."""

    is_public = is_visible = approved = True
    is_removed = is_edited = internal = is_deleted = False
    notified = allow_thread = True

    def __init__(self, text: str, author: User, date: datetime, number: int, *, texts: str) -> None:
        self.text_ = Text(_written(text, texts))
        self.user_, self.date_ = author, date
        self.parent: Post | None = None
        self.pk = self.id = self.index = self.idcomment = self.uid = number + 1
        self.children_, self.level, self.points = Many(), 0, number % 4
        self.open, self.close = False, Many()

    def descendants_(self) -> list[Post]:
        return [each for child in self.children_ for each in (child, *child.descendants_())]

    @property
    def as_html(self) -> str:
        return as_html(self.text_)

    @property
    def is_leaf_node(self) -> bool:
        return not self.children_

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name.endswith("_"):
            raise AttributeError(name)
        if _CHILDREN.fullmatch(name):
            return self.children_
        if name.endswith(("count", "score", "votes", "likes")):
            return self.points
        for pattern, value in ((_AUTHOR, self.user_), (_NAME, self.user_.username), (_DATE, self.date_)):
            if pattern.fullmatch(name):
                return value
        if _TEXT.fullmatch(name):
            return self.text_
        raise AttributeError(name)

    def get_absolute_url(self) -> str:
        return f"#post-{self.pk}"

    def __str__(self) -> str:
        return str(self.text_)


def _written(text: str, texts: str) -> str:
    paragraphs = html_paragraphs(text)
    if texts == "lines":
        return paragraphs.replace("</p><p>", "<br>\n").removeprefix("<p>").removesuffix("</p>")
    return paragraphs if texts == "paragraphs" else text.replace("<", "&lt;")


class Topic(Post):
    """A thread, which is its first post as well; ``posts`` and ``replies`` are those of the page at hand."""

    is_close = is_closed = closed = locked = sticky = False

    def show(self, title: str, posts: Many, replies: Many, roots: Many) -> None:
        self.title_, self.posts_, self.replies_, self.roots_ = title, posts, replies, roots
        self.slug = self.urlhash = re.sub(r"\W+", "-", title.lower()).strip("-")[:40]

    def __getattr__(self, name: str) -> Any:
        if name in ("op", "post", "first_post", "question"):
            return self
        if _TITLE.fullmatch(name):
            return self.title_
        if _POSTS.fullmatch(name):
            return self.posts_
        if name.startswith("num_") or name.endswith(("count", "hits", "views")):
            return len(self.replies_)
        if name == "get_comments":
            return self.roots_
        if name != "comment" and _REPLIES.fullmatch(name):
            return self.replies_
        if name in ("forum", "category", "subcategory", "node", "project", "board"):
            return Board()
        return super().__getattr__(name)

    def get_absolute_url(self) -> str:
        return f"/topic/{self.pk}/"

    def __str__(self) -> str:
        return str(self.title_)


class Board:
    """Where a thread is."""

    pk = id = 1
    name = title = "Help and support"
    slug, description = "help", "Ask what you want to know."

    def get_absolute_url(self) -> str:
        return "/board/help/"

    def __str__(self) -> str:
        return self.name


class Text(SafeString):
    """A text of a post, which tags and filters that are not known show as it is."""

    def __str__(self) -> str:
        return self


#: The page that a package takes from the site around it.
BASE = (
    "<!DOCTYPE html><html><head><title>{% block title %}{% endblock %}</title></head><body>"
    + "".join(f"{{% block {name} %}}{{% endblock %}}" for name in (
        "header", "messages", "extra_header", '"breadcrumbs"', "breadcrumbs", "breadcrumb", "base_content"))
    + "<div id='wrap'>{% block container %}{% block body %}{% block content %}{% block main %}{% block document %}"
    + 5 * "{% endblock %}"
    + '{% block "content" %}{% endblock %}{% block sidebar %}{% endblock %}</div>'
    "{% block footer %}{% endblock %}</body></html>"
)  # fmt: skip


class Fallback(Loader):
    """What the package takes from the project around it: a base template, and empty parts."""

    def get_contents(self, origin: Any) -> str:
        return BASE if "base" in origin.template_name or "skeleton" in origin.template_name else ""

    def get_template_sources(self, template_name: str) -> Iterator[Any]:
        yield Origin(template_name, template_name, self)


class Shown(Node):
    """A tag of the package: includes a template, or shows its first argument that is a text or an author."""

    def __init__(
        self, arguments: list[Any], target: str | None, include: Callable[..., tuple[str, Any]] | None
    ) -> None:
        self.arguments, self.target, self.include = arguments, target, include

    def render(self, context: Any) -> str:
        values = [each.resolve(context, ignore_failures=True) for each in self.arguments]
        values = [value for value in values if value is not None]
        if self.include:
            name, more = self.include(context, *values)
            with context.push(**more):
                html: str = context.template.engine.get_template(name).render(context)
                return html
        if self.target:
            found = [getattr(value, self.target, None) for value in values if isinstance(value, Post | User)]
            if known := [value for value in found if value is not None]:
                context[self.target] = known[0]
            return ""
        texts = [value for value in values if isinstance(value, Text | User)]
        return str(as_html(texts[0]) if texts and isinstance(texts[0], Text) else texts[0] if texts else "")


def as_html(value: str) -> str:
    """A text as its markup would be rendered."""
    return value if "<p>" in value or "<br>" in value else mark_safe(html_paragraphs(value))  # noqa: S308 - escaped


class _Tags(dict):  # type: ignore[type-arg]
    includes: dict[str, Any] = {}  # noqa: RUF012 - set once

    def __missing__(self, name: str) -> Any:
        def compiled(parser: Any, token: Any) -> Node:
            bits = token.split_contents()[1:]
            target = bits.pop() if len(bits) > 1 and bits[-2] == "as" else None
            arguments: list[Any] = []
            for bit in bits:
                with suppress(Exception):  # words of the tag
                    arguments.append(parser.compile_filter(bit))
            return Shown(arguments, target, self.includes.get(name))

        return compiled


class _Filters(dict):  # type: ignore[type-arg]
    def __missing__(self, name: str) -> Any:
        def shown(value: Any, argument: Any = None) -> Any:  # noqa: ARG001 - any filter
            if "timesince" in name or "naturaltime" in name:
                return timesince(value) if hasattr(value, "year") else ""
            if _REFUSED.match(name) or "count" in name.lower():
                return 0
            if name == "sub_comments":
                return [value, *value.descendants_()]
            if "gravatar" in name or "indent" in name:
                return ""
            return as_html(value) if isinstance(value, Text) and _WRITTEN.search(name) else value

        return shown


def be_lenient(includes: dict[str, Callable[..., tuple[str, Any]]]) -> None:
    """Let Django take tags and filters that it does not know; ``includes`` are tags that include a template."""
    _Tags.includes = includes
    made = Parser.__init__

    def lenient(self: Any, *arguments: Any, **options: Any) -> None:
        made(self, *arguments, **options)
        self.tags, self.filters = _Tags(self.tags), _Filters(self.filters)

    Parser.__init__ = lenient
    Parser.find_filter = lambda self, name: self.filters[name]


class _Nothing(Node):
    def render(self, context: Any) -> str:  # noqa: ARG002
        return ""


@register.tag
def load(parser: Any, token: Any) -> Node:
    """Load what there is of Django's own."""
    for name in token.contents.split()[1:]:
        if name in ("i18n", "l10n", "tz", "humanize"):
            parser.add_library(parser.libraries[name])
    return _Nothing()


@register.tag
def url(parser: Any, token: Any) -> Node:  # noqa: ARG001
    """An address that leads nowhere."""
    bits = token.split_contents()
    name = bits[1].strip("\"'").replace(":", "/")
    return _Nothing() if bits[-2] == "as" else TextNode(f"/{name}/")


@register.tag
def static(parser: Any, token: Any) -> Node:  # noqa: ARG001
    """The address of a file."""
    return TextNode("/static/" + token.split_contents()[1].strip("\"'"))


@register.tag
def recursetree(parser: Any, token: Any) -> Node:
    """The tree of django-mptt."""
    return _Tree(parser.compile_filter(token.split_contents()[1]), _until(parser, "endrecursetree"))


def _until(parser: Any, name: str) -> Any:
    inner = parser.parse((name,))
    parser.delete_first_token()
    return inner


class _Tree(Node):
    def __init__(self, roots: Any, inner: Any) -> None:
        self.roots, self.inner = roots, inner

    def render(self, context: Any) -> str:
        return mark_safe("".join(self._branch(context, node) for node in self.roots.resolve(context)))  # noqa: S308

    def _branch(self, context: Any, node: Post) -> str:
        children = mark_safe("".join(self._branch(context, each) for each in node.children_))  # noqa: S308
        with context.push(node=node, children=children):
            html: str = self.inner.render(context)
            return html


@register.filter
def tree_info(items: Sequence[Post]) -> list[tuple[Post, dict[str, Any]]]:
    """Where levels of django-mptt begin and end."""
    levels = [item.level for item in items]
    following = [*levels[1:], -1][: len(levels)]
    before = [-1, *levels[:-1]][: len(levels)]
    return [
        (item, {"new_level": level > last, "closed_levels": range(level, after, -1)})
        for item, level, last, after in zip(items, levels, before, following, strict=True)
    ]


@register.filter
def annotate_tree(items: Sequence[Post]) -> Sequence[Post]:
    """Where lists of django-threadedcomments begin and end."""
    for item, place in tree_info(items):
        item.open, item.close = place["new_level"], Many(place["closed_levels"])
    return items


def green_tree(roots: Sequence[Post]) -> list[Any]:
    """The comments of django-green-comments: 1 and -1 stand around the replies to a comment."""
    found: list[Any] = []
    for root in roots:
        found += [root, *([1, *green_tree(root.children_), -1] if root.children_ else [])]
    return found
