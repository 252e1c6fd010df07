"""Spirit: boards and sub-boards, profiles with their lists of posts, search, feeds, sitemap."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

from research.engines.fill_spirit import POSTS, add_topic, add_users, configure
from research.site_crawls.known import thread_item
from research.site_crawls.sites.job import SiteJob, pages_of, run, serve_wsgi


def fill(job: SiteJob) -> None:
    """Spread the threads over the boards."""
    configure(job.folder)
    from django.db import transaction

    with transaction.atomic():  # a commit for each post takes minutes
        _fill(job)


def _fill(job: SiteJob) -> None:
    from spirit.category.models import Category

    threads = job.content()
    users = add_users(threads)
    boards = [Category.objects.create(title=title) for title in ("Installation", "Questions", "Everything else")]
    boards += [Category.objects.create(title=title, parent=boards[1]) for title in ("Hardware", "Software")]
    items = []
    for number, thread in enumerate(threads):
        topic = add_topic(thread, number, boards[number % len(boards)], users)
        pages = pages_of(topic.get_absolute_url(), 1 + len(thread["replies"]), POSTS)
        items.append(thread_item(thread, pages))
    job.write_known(items)


def serve(job: SiteJob) -> None:
    """Serve the forum."""
    configure(job.folder)
    serve_wsgi(job)


if __name__ == "__main__":
    run(fill, serve)
