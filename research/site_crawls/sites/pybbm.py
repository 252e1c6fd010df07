"""PyBBM: categories with boards, profiles with lists of threads and posts, feeds."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

from research.engines.fill_pybbm import POSTS, add_topic, add_users, configure
from research.site_crawls.known import thread_item
from research.site_crawls.sites.job import SiteJob, pages_of, run, serve_wsgi

_BOARDS = {"Help": ("Installation", "Questions"), "Other": ("News", "Off topic")}


def fill(job: SiteJob) -> None:
    """Spread the threads over the boards."""
    configure(host=job.host)
    from django.db import transaction

    with transaction.atomic():  # a commit for each post takes minutes
        _fill(job)


def _fill(job: SiteJob) -> None:
    from pybb.models import Category, Forum

    threads = job.content()
    users = add_users(threads)
    boards = [
        Forum.objects.create(category=category, name=name)
        for category, names in ((Category.objects.create(name=title), names) for title, names in _BOARDS.items())
        for name in names
    ]
    items = []
    for number, thread in enumerate(threads):
        topic = add_topic(thread, number, boards[number % len(boards)], users)
        pages = pages_of(topic.get_absolute_url(), 1 + len(thread["replies"]), POSTS)
        items.append(thread_item(thread, pages))
    job.write_known(items)


def serve(job: SiteJob) -> None:
    """Serve the forum."""
    configure(host=job.host)
    serve_wsgi(job)


if __name__ == "__main__":
    run(fill, serve)
