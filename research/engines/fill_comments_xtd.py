"""django-comments-xtd, comments in trees: a question in a page of our own, answers as the app shows comments."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

from pathlib import Path
from typing import Any

from research.engines.django_site import HOST, page_at, set_up
from research.engines.saving import Job, date_of, tree_order

_PAGE = """{% load comments comments_xtd %}<!doctype html>
<html><head><title>{{ object.title }} - Help</title></head><body>
<nav class="navbar"><a href="/">Home</a> <a href="/questions/">Questions</a> <a href="/about/">About</a></nav>
<main class="container"><h1 class="page-header">{{ object.title }}</h1>
{% if object.content %}<div class="object-detail">{{ object.content|linebreaks }}</div>{% endif %}
{% get_comment_count for object as count %}<h5 class="text-center">{{ count }} answers</h5>
{% render_xtdcomment_tree for object allow_feedback %}</main>
<footer>Help and support. Imprint.</footer></body></html>"""
_DEEPEST = 60


def main() -> None:
    """Fill questions with trees of comments, and save them."""
    job = Job.of_command("comments_xtd", title_alone=True, translated=True)
    templates = Path("templates").absolute()
    templates.mkdir()
    (templates / "question.html").write_text(_PAGE)
    options = {"allow_flagging": True, "allow_feedback": True, "show_feedback": False, "who_can_post": "all"}
    set_up(
        ["django.contrib.flatpages", "django_comments_xtd", "django_comments"],
        [("comments/", "django_comments_xtd.urls")],
        TEMPLATE_FOLDERS=[templates],
        COMMENTS_APP="django_comments_xtd",
        COMMENTS_XTD_MAX_THREAD_LEVEL=_DEEPEST,
        COMMENTS_XTD_APP_MODEL_OPTIONS={"default": options},
    )
    _add_view()
    _fill_and_save(job)


def _add_view() -> None:
    """Show a flat page by our template."""
    import sys

    from django.contrib.flatpages.models import FlatPage
    from django.shortcuts import render
    from django.urls import path

    def question(request: Any, number: int) -> Any:
        return render(request, "question.html", {"object": FlatPage.objects.get(pk=number)})

    addresses: Any = sys.modules["addresses"]
    addresses.urlpatterns.append(path("questions/<int:number>/", question))


def _fill_and_save(job: Job) -> None:
    from django.contrib.contenttypes.models import ContentType
    from django.contrib.flatpages.models import FlatPage
    from django.test import Client
    from django_comments_xtd.models import XtdComment

    client, kind = Client(), ContentType.objects.get_for_model(FlatPage)
    for number, thread in enumerate(job.threads):
        page = FlatPage.objects.create(url=f"/questions/{number + 1}/", title=thread["title"], content=thread["body"])
        made: list[int] = []
        for place, reply in enumerate(thread["replies"], 1):
            comment = XtdComment.objects.create(
                content_type=kind, object_pk=str(page.pk), site_id=1, user_name=reply["author"],
                user_email=f"{reply['author']}@{HOST}", comment=reply["text"], submit_date=date_of(number, place),
                parent_id=made[reply["parent"]] if reply["parent"] is not None else 0,
            )  # fmt: skip
            made.append(comment.pk)
        path = f"/questions/{page.pk}/"
        html = page_at(client, path, job.language(number))
        job.save(number, "tree", path, html, shown=tree_order(thread), nested=True)


if __name__ == "__main__":
    main()
