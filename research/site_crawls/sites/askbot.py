"""Askbot: questions with tags, orders of questions and answers, users, badges, feeds."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

from research.engines.fill_askbot import ANSWERS, add_question, add_users, configure
from research.site_crawls.known import thread_item
from research.site_crawls.sites.job import SiteJob, pages_of, run, serve_wsgi

_TAGS = ("install", "settings", "errors", "howto", "speed", "plugins", "printing")


def fill(job: SiteJob) -> None:
    """Ask each question; each reply is an answer."""
    configure(job.folder)
    from askbot.conf import settings
    from django.db import transaction

    settings.update("ENABLE_EMAIL_ALERTS", False)  # a mail for each answer takes longer than the answer

    with transaction.atomic():  # a commit for each post takes minutes
        _fill(job)


def _fill(job: SiteJob) -> None:
    threads = job.content()
    users = add_users(threads)
    items = []
    for number, thread in enumerate(threads):
        for reply in thread["replies"]:
            reply["parent"] = None
        tags = f"{_TAGS[number % len(_TAGS)]} {_TAGS[number // 3 % len(_TAGS)]}"
        question, _ = add_question(thread, number, users, tags)
        pages = pages_of(question.get_absolute_url(), len(thread["replies"]), ANSWERS, "{}?sort=votes&page={}")
        items.append(thread_item(thread, pages, "question"))
    job.write_known(items)


def serve(job: SiteJob) -> None:
    """Serve the site."""
    configure(job.folder)
    from django.conf import settings

    settings.ALLOWED_HOSTS = ["*"]  # its project has the domain alone
    serve_wsgi(job)


if __name__ == "__main__":
    run(fill, serve)
