"""django-machina: categories with boards and sub-boards, profiles, search, feeds of threads."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

from typing import Any

from research.engines.fill_machina import POSTS, add_topic, add_users, configure, let_guests_read
from research.site_crawls.known import thread_item
from research.site_crawls.sites.job import SiteJob, pages_of, run, serve_wsgi

_BOARDS = {
    "Getting started": {"Installation": ("Upgrades",), "First steps": ()},
    "Everyday use": {"Questions": ("Answered often", "Odd cases"), "Tips": ()},
}


def fill(job: SiteJob) -> None:
    """Spread the threads over the boards."""
    configure(host=job.host)
    from django.db import transaction

    with transaction.atomic():  # a commit for each post takes minutes
        _fill(job)


def _fill(job: SiteJob) -> None:
    from django.urls import reverse

    threads = job.content()
    users = add_users(threads)
    let_guests_read()
    boards = _boards()
    items = []
    for number, thread in enumerate(threads):
        board = boards[number % len(boards)]
        topic = add_topic(thread, number, board, users)
        path = reverse("forum_conversation:topic", args=[board.slug, board.pk, topic.slug, topic.pk])
        items.append(thread_item(thread, pages_of(path, 1 + len(thread["replies"]), POSTS)))
    job.write_known(items)


def _boards() -> list[Any]:
    from machina.apps.forum.models import Forum

    boards = []
    for category, names in _BOARDS.items():
        top = Forum.objects.create(name=category, type=Forum.FORUM_CAT)
        for name, below in names.items():
            board = Forum.objects.create(name=name, type=Forum.FORUM_POST, parent=top)
            boards += [board, *(Forum.objects.create(name=sub, type=Forum.FORUM_POST, parent=board) for sub in below)]
    return boards


def serve(job: SiteJob) -> None:
    """Serve the forum."""
    configure(host=job.host)
    serve_wsgi(job)


if __name__ == "__main__":
    run(fill, serve)
