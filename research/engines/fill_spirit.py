"""Spirit, a forum on Django: the first post of a thread is the question."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from research.engines.django_site import add_users, save_as_guest_and_root, start
from research.engines.saving import Job, date_of, paragraphs, posts_of

_POSTS = 20  # of a page


def main() -> None:
    """Fill a new forum, and save its threads as a guest and as a moderator see them."""
    job = Job.of_command("spirit", translated=True)
    _start_project(job.folder)
    from spirit.category.models import Category
    from spirit.comment.models import Comment
    from spirit.core.utils.markdown import Markdown
    from spirit.topic.models import Topic

    users = add_users(job.threads)
    board = Category.objects.create(title="Help and support")
    for number, thread in enumerate(job.threads):
        posts = posts_of(thread)
        topic = Topic.objects.create(
            category=board, user=users[thread["author"]], title=thread["title"], comment_count=len(posts)
        )
        for place, (author, text) in enumerate(posts):
            html = Markdown().render(paragraphs(text))
            comment = Comment.objects.create(topic=topic, user=users[author], comment=text, comment_html=html)
            Comment.objects.filter(pk=comment.pk).update(date=date_of(number, place))
        save_as_guest_and_root(job, number, topic.get_absolute_url(), _POSTS)


def _start_project(folder: Path) -> None:
    """Start a project in a folder, and make its database."""
    program = Path(sys.executable).with_name("spirit")
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    subprocess.run([program, "startproject", "forum"], check=True, env=environment)  # noqa: S603 - our own environment
    (folder / "forum" / "forum" / "settings" / "known.py").write_text(
        "from .dev import *\nALLOWED_HOSTS = ['*']\nDEBUG = False\n"
        "ST_RATELIMIT_ENABLE = False\n"
        "STORAGES = {'default': {'BACKEND': 'django.core.files.storage.FileSystemStorage'},"
        " 'staticfiles': {'BACKEND': 'django.contrib.staticfiles.storage.StaticFilesStorage'}}\n"
    )
    sys.path.insert(0, str(folder / "forum"))
    start("forum.settings.known")


if __name__ == "__main__":
    main()
