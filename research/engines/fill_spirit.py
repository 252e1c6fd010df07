"""Spirit, a forum on Django: the first post of a thread is the question."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

from research.engines.django_site import page_at
from research.engines.saving import Job, authors_of, date_of, paragraphs, posts_of

POSTS = 20  # of a page


def main() -> None:
    """Fill a new forum, and save its threads as a guest and as a moderator see them."""
    job = Job.of_command("spirit", translated=True)
    configure(job.folder)
    _fill_and_save(job)


def configure(folder: Path) -> None:
    """Start a project in a folder, and make its database."""
    _start_project(folder)
    sys.path.insert(0, str(folder / "forum"))
    os.environ["DJANGO_SETTINGS_MODULE"] = "forum.settings.known"
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def _start_project(folder: Path) -> None:
    subprocess.run([Path(sys.executable).with_name("spirit"), "startproject", "forum"], check=True, env=_with_path())  # noqa: S603 - our own environment
    settings = folder / "forum" / "forum" / "settings" / "known.py"
    settings.write_text(
        "from .dev import *\nALLOWED_HOSTS = ['*']\nDEBUG = False\n"
        "ST_RATELIMIT_ENABLE = False\n"
        "STORAGES = {'default': {'BACKEND': 'django.core.files.storage.FileSystemStorage'},"
        " 'staticfiles': {'BACKEND': 'django.contrib.staticfiles.storage.StaticFilesStorage'}}\n"
    )


def _with_path() -> dict[str, str]:
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def _fill_and_save(job: Job) -> None:
    from django.test import Client
    from spirit.category.models import Category

    users = add_users(job.threads)
    board = Category.objects.create(title="Help and support")
    guest, moderator = Client(), Client()
    moderator.force_login(users["root"])
    for number, thread in enumerate(job.threads):
        topic = add_topic(thread, number, board, users)
        for skin, client in (("guest", guest), ("moderator", moderator))[: 1 + number % 2]:
            read = partial(page_at, client, language=job.language(number))
            job.save_all(number, skin, topic.get_absolute_url(), read, size=POSTS)


def add_users(threads: list[dict[str, Any]]) -> dict[str, Any]:
    """Add the authors of threads, and root."""
    from django.contrib.auth.models import User

    users = {name: User.objects.create_user(name, f"{name}@forum.example", "x") for name in authors_of(threads)}
    return {**users, "root": User.objects.create_superuser("root", "root@forum.example", "x")}


def add_topic(thread: dict[str, Any], number: int, board: Any, users: dict[str, Any]) -> Any:
    """Add a thread to a board."""
    from spirit.comment.models import Comment
    from spirit.core.utils.markdown import Markdown
    from spirit.topic.models import Topic

    posts = posts_of(thread)
    topic = Topic.objects.create(
        category=board, user=users[thread["author"]], title=thread["title"], comment_count=len(posts)
    )
    for place, (author, text) in enumerate(posts):
        html = Markdown().render(paragraphs(text))
        comment = Comment.objects.create(topic=topic, user=users[author], comment=text, comment_html=html)
        Comment.objects.filter(pk=comment.pk).update(date=date_of(number, place))
    return topic


if __name__ == "__main__":
    main()
