"""The packages whose templates are rendered without their code (fill_packaged.py), and what their views pass."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Package:
    """A template of a package and its context, in which strings name what `fill_packaged` knows.

    ``texts`` are as an editor makes them, or without markup; ``attributes`` are more of the thread; with
    ``title_alone`` no thread has a text of its own; ``size`` is how many posts a page has, all by default; ``includes``
    are tags that include a template. ``templates`` are our own, "" for a plain base; a ``repair`` is what to replace in
    the template by what.
    """

    requirements: tuple[str, ...]
    template: str
    context: dict[str, Any]
    kind: str = "thread"
    path: str = "topic"
    look: str = "own"
    texts: Literal["paragraphs", "lines", "plain"] = "paragraphs"
    size: int | None = None
    nested: bool = False
    includes: dict[str, Callable[..., tuple[str, dict[str, Any]]]] = field(default_factory=dict)
    templates: dict[str, str] = field(default_factory=dict)
    repair: tuple[str, str] | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    title_alone: bool = False

    @property
    def is_comments(self) -> bool:
        """Whether it shows comments below what the site wrote, or links to."""
        return self.path in ("article", "link")


def _comments(requirement: str, template: str, **options: Any) -> Package:
    context = {"comments_template": template, **options.pop("context", {})}
    templates = {"host.html": "{% extends layout %}", **options.pop("more_templates", {})}
    return Package((requirement,), "host.html", context, path="article", templates=templates, **options)


def _branch(template: str, name: str, **fixed: Any) -> Callable[..., tuple[str, dict[str, Any]]]:
    """A tag that includes a template with the replies to its argument, or the roots of a thread."""

    def included(context: Any, node: Any = None, *_: Any) -> tuple[str, dict[str, Any]]:
        node = node or context["object"]
        return template, {name: getattr(node, "roots_", None) or node.children_, **fixed}

    return included


def _single(template: str, name: str) -> Callable[..., tuple[str, dict[str, Any]]]:
    return lambda context, node, *_: (template, {name: node})  # noqa: ARG005


def _text(template: str, name: str) -> Callable[..., tuple[str, dict[str, Any]]]:
    return lambda context, node, *_: (template, {name: node.text_})  # noqa: ARG005


_LINK = {"url": "https://example.org/story", "domain": "example.org", "site": "example.org"}
PACKAGES = {
    "lbforum": Package(("LBForum==2.0.1",), "lbforum/topic.html", {"topic": "topic", "posts": "replies"}),
    "forumbr": Package(("django-forumbr==0.4.0.1",), "forum/thread.html",
                       {"thread": "topic", "object_list": "posts"}, size=15),
    "knowledge": Package(("django-knowledge==0.2.0",), "django_knowledge/thread.html",
                         {"question": "topic", "responses": "replies"}, kind="qa", path="question", texts="plain"),
    "mgof": Package(("django-mgof==0.1.1",), "mgof/topic_detail.html", {"topic": "topic", "posts": "posts"}, size=10),
    "musette": Package(("django-musette==0.3.2",), "musette/topic_index.html",
                       {"topic": "topic", "comments": "replies"}),
    "niji": Package(("django-niji==0.1.0",), "niji/topic.html", {"topic": "topic", "posts": "replies"}),
    "rforum": Package(("django-rforum==0.0.24",), "rforum/topic_list.html",
                      {"mytopic": "topic", "mypost": "posts"}, size=20, templates={"site_base.html": ""}),
    "socialnews": Package(("django-socialnews==1.1",), "news/link_details.html",
                          {"link": "topic", "comments": "replies", "topic": "board"}, path="link", nested=True,
                          attributes={"text": "title", **_LINK}, title_alone=True),
    "simple_forums": Package(("django-simple-forums==1.3.6",), "simple_forums/thread_detail.html",
                             {"thread": "topic"}, size=12),
    "djaodjin": Package(("djaodjin-answers==0.1.6",), "answers/question_detail.html",
                        {"question": "topic", "answer_list": "replies"}, kind="qa", path="question",
                        repair=("{% if request|is_broker_manager %}", "")),
    "djtracker": Package(("djtracker==0.3",), "djtracker/issue_detail.html",
                         {"issue": "topic", "comments": "replies"}, path="issue", texts="plain"),
    "emencia": Package(("emencia-django-forum==0.8.3",), "forum/thread/details.html",
                       {"thread_instance": "topic", "object_list": "posts"}, size=17,
                       templates={"skeleton.html": "<!DOCTYPE html><html><body><p><a>Forum</a> &gt; "
                                  "{{ thread_instance.title }}</p>{% block base_content %}{% endblock %}</body>"
                                  "</html>"}),
    "mrwolfe": Package(("mrwolfe==1.2.0",), "view_issue.html", {"issue": "topic", "view": "topic"}, path="issue"),
    "drum": Package(("drum==0.4.0", "mezzanine==6.1.1"), "links/link_detail.html", {"object": "topic"}, path="link",
                    texts="lines", nested=True, attributes=_LINK, includes={
                        "comments_for": _branch("generic/includes/comments.html", "comments_for_thread"),
                        "comment_thread": _branch("generic/includes/comment.html", "comments_for_thread")}),
    "djeddit": Package(("django-djeddit==0.3.4",), "djeddit/thread.html",
                       {"thread": "topic", "nodes": "roots", "BASE_TEMPLATE": "djeddit/base.html"}, path="link",
                       nested=True, attributes=_LINK),
    "django_qa": Package(("django-qa==0.10.0",), "qa/detail_question.html",
                         {"question": "topic", "answers": "replies"}, kind="qa", path="question"),
    "simple_forum": Package(("django-simple-forum==0.0.7",), "forum/view_topic.html", {"topic": "topic"},
                            nested=True),
    "punkweb": Package(("punkweb-bb==0.5.2",), "punkweb_bb/thread.html", {"thread": "topic", "posts": "replies"},
                       size=11),
    "fretboard": Package(("django-fretboard==1.17.6",), "fretboard/post_wrapper.html",
                         {"topic": "topic", "object_list": "posts", "forum_name": "Help", "start_number": 1}, size=15,
                         templates={"base.html": ""}),
    "nks_tickets": Package(("nkscoder-django-tickets==1.0.3",), "tickets/ticket_detail.html",
                           {"ticket": "topic", "TICKETS_BASE_TEMPLATE": "tickets/base.html"}, path="ticket",
                           texts="plain"),
    "threadedcomments": _comments("django-threadedcomments==2.0", "comments/list.html", texts="plain", nested=True,
                                  context={"comment_list": "replies"}),
    "fluent_comments": _comments("django-fluent-comments==3.0", "fluent_comments/templatetags/flat_list.html",
                                 texts="plain", context={"comment_list": "replies"},
                                 includes={"render_comment": _single("comments/comment.html", "comment")}),
    "comments_ink": _comments("django-comments-ink==0.4.0", "comments/list.html", texts="plain", nested=True,
                              context={"comment_list": "replies", "reply_stack": None}),
    "comments_dab": _comments("django-comments-dab==3.0.0", "comment/comments/base.html", texts="plain",
                              context={"comments": "replies"},
                              includes={"render_content": _text("comment/comments/content.html", "text_1")}),
    "wagtail_mptt": _comments("wagtail-mptt-comments==0.2.3", "wagtail_mptt_comments/comments_block.html",
                              nested=True, context={"comment_roots": "roots"}),
    "green_comments": _comments("django-green-comments==0.1.8", "green_comments/comment_tree.html", nested=True,
                                context={"tree": "green"}),
    "comments_tree": _comments("django-comments-tree==0.2.0", "comments/list.html",
                               context={"comment_list": "replies"}),
    "forums": Package(("django-forums==0.3.0",), "forums/topic_detail.html", {"topic": "topic"}, size=12),
    "tinyforum": Package(("django-tinyforum==0.0.0",), "tinyforum/post_list.html",
                         {"thread": "topic", "object_list": "posts"}, size=18,
                         templates={"tinyforum/base.html": "<!DOCTYPE html><html><body><p>Forum</p>"
                                    "{% block main-region %}{% endblock %}</body></html>"}),
    "sphene": Package(("django-sct==0.7",), "sphene/sphboard/showThread.html",
                      {"thread": "topic", "post_list": "posts"}, size=10),
    "lithium": Package(("lithium==1.0.1",), "forum/thread_detail.html", {"thread": "topic", "posts": "posts"}, size=25),
    "shitty": Package(("django-shitty-forum==0.3",), "forum/thread_base.html",
                      {"thread": "topic", "post_list": "posts"}, size=14, attributes={"posts": 5}),
    "djero": Package(("djero==0.0a18",), "forum/topic.html", {"topic": "topic", "messages": "replies"},
                     attributes={"message": "topic"}),
    "todo": Package(("django-todo==2.7.0",), "todo/task_detail.html", {"task": "topic", "comment_list": "replies"},
                    path="task", texts="plain", templates={"base.html": ""}),
    "blogango": Package(("django-blogango==0.6.2",), "blogango/details.html", {"entry": "topic", "comments": "replies"},
                        path="article", texts="lines"),
    "commenting": _comments("django-commenting==0.3", "comments.html", nested=True, context={"comments": "roots"},
                            more_templates={"comments.html":
                                            "{% for comment in comments %}{% include 'comment.html' %}{% endfor %}"}),
    "comments_easy": _comments("django-comments-easy==0.3", "django_commentseasy/comment_viewer.html",
                               context={"comments": "replies"}),
    "zinnia": Package(("django-blog-zinnia==0.20",), "zinnia/entry_detail.html",
                      {"object": "topic", "comment_list": "replies"}, path="article",
                      attributes={"content_template": "zinnia/_entry_detail.html", "comment_count": 1,
                                  "comments_are_open": True}),
}  # fmt: skip
