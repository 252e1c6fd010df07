"""HyperKitty, the archive of Mailman's mailing lists: a thread on one page, as a tree and by date."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import sys
from email.message import EmailMessage
from email.utils import format_datetime
from types import ModuleType
from typing import Any

from research.engines.django_site import page_at, start
from research.engines.saving import Job, date_of, paragraphs, posts_of, tree_order

_HOST = "lists.example"
_LIST = f"help@{_HOST}"
_SKINS = {"tree": "thread", "date": "date"}


def main() -> None:
    """Fill the archive of a list, and save its threads in both orders."""
    job = Job.of_command("hyperkitty", translated=True)
    _set_up(job)
    from django.test import Client
    from hyperkitty.lib.analysis import compute_thread_order_and_depth
    from hyperkitty.lib.incoming import add_to_list
    from hyperkitty.models import Email

    client = Client()
    for number, thread in enumerate(job.threads):
        for place in range(1 + len(thread["replies"])):
            add_to_list(_LIST, _message(job, number, place))
        archived = Email.objects.get(message_id=_id(number, 0)).thread
        compute_thread_order_and_depth(archived)
        for skin, order in _SKINS.items():
            path = f"/list/{_LIST}/thread/{archived.thread_id}/?sort={order}"
            shown = tree_order(thread) if skin == "tree" else None
            html = page_at(client, path, job.language(number))
            job.save(number, skin, path, html, shown=shown, nested=skin == "tree", site=f"http://{_HOST}")


def _set_up(job: Job) -> None:
    """Configure Django as the tests of HyperKitty do, and make the database."""
    from hyperkitty.tests import settings_test

    settings: Any = ModuleType("known_settings")
    settings.__dict__.update({name: value for name, value in vars(settings_test).items() if name.isupper()})
    settings.DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(job.folder / "db.sqlite3")}}
    settings.ALLOWED_HOSTS = ["*"]
    settings.COMPRESS_ENABLED, settings.COMPRESS_PRECOMPILERS = False, ()
    settings.HYPERKITTY_BATCH_MODE = True  # does not ask Mailman
    settings.LOGGING = {"version": 1}
    settings.FILTER_VHOST = False
    settings.STATIC_ROOT = str(job.folder / "static")
    sys.modules["known_settings"] = settings
    start("known_settings")


def _message(job: Job, number: int, place: int) -> EmailMessage:
    thread = job.threads[number]
    author, text = posts_of(thread)[place]
    message = EmailMessage()
    message["From"] = f"{author.title()} <{author}@{_HOST}>"
    message["To"] = _LIST
    message["Subject"] = ("Re: " if place else "") + thread["title"]
    message["Date"] = format_datetime(date_of(number, place))
    message["Message-ID"] = f"<{_id(number, place)}>"
    if place:
        parent = thread["replies"][place - 1]["parent"]
        message["In-Reply-To"] = f"<{_id(number, 0 if parent is None else parent + 1)}>"
    message.set_content(paragraphs(text))
    return message


def _id(number: int, place: int) -> str:
    return f"{number}.{place}@{_HOST}"


if __name__ == "__main__":
    main()
