"""Mezzanine, a CMS: a question as the post of a blog, answers as its comments in a tree, with and without ratings."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from research.engines.django_site import HOST, page_at, start
from research.engines.saving import Job, date_of, html_paragraphs, tree_order


def main() -> None:
    """Fill a blog, and save its posts with the settings of both looks."""
    job = Job.of_command("mezzanine", title_alone=True, translated=True)
    (job.folder / "root").mkdir()
    program = Path(sys.executable).with_name("mezzanine-project")
    subprocess.run([program, "blogproject", "root"], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    sys.path.insert(0, str(job.folder / "root"))
    database = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(job.folder / "db.sqlite3")}}
    (job.folder / "root" / "blogproject" / "local_settings.py").write_text(
        f"SECRET_KEY = NEVERCACHE_KEY = 'known'\nDEBUG = False\nALLOWED_HOSTS = ['*']\nDATABASES = {database}\n"
        "DEFAULT_AUTO_FIELD = 'django.db.models.AutoField'\n"
        f"SITE_TITLE = 'Help and support'\nSTATIC_ROOT = {str(job.folder / 'static')!r}\n"
    )
    start("blogproject.settings", static=True)
    _fill_and_save(job)


def _fill_and_save(job: Job) -> None:
    from django.contrib.auth.models import User
    from django.test import Client
    from mezzanine.conf import settings

    client, owner = Client(), User.objects.create_superuser("root", f"root@{HOST}", "x")
    for number, thread in enumerate(job.threads):
        path = _post(thread, number, owner).get_absolute_url()
        for skin, rated in (("rated", True), ("plain", False))[: 1 + number % 2]:
            settings.COMMENTS_USE_RATINGS = rated
            html = page_at(client, path, job.language(number))
            job.save(number, skin, path, html, shown=tree_order(thread), nested=True)


def _post(thread: dict[str, Any], number: int, owner: Any) -> Any:
    from django.contrib.contenttypes.models import ContentType
    from mezzanine.blog.models import BlogPost
    from mezzanine.core.models import CONTENT_STATUS_PUBLISHED
    from mezzanine.generic.models import ThreadedComment

    post = BlogPost.objects.create(
        title=thread["title"],
        content=html_paragraphs(thread["body"]),
        user=owner,
        status=CONTENT_STATUS_PUBLISHED,
        publish_date=date_of(number, 0),
    )
    made: list[Any] = []
    for place, reply in enumerate(thread["replies"], 1):
        comment = ThreadedComment(
            content_type=ContentType.objects.get_for_model(BlogPost),
            object_pk=str(post.pk),
            site_id=1,
            user_name=reply["author"],
            user_email=f"{reply['author']}@{HOST}",
            comment=reply["text"],
            submit_date=date_of(number, place),
            replied_to=None if reply["parent"] is None else made[reply["parent"]],
        )
        comment.save()
        made.append(comment)
    return post


if __name__ == "__main__":
    main()
