"""PyBBM, a forum on Django: pages of ten posts in a site of our own, as lists and as two columns."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import inspect
import sys
from functools import partial
from pathlib import Path
from typing import Any

from research.engines.django_site import HOST, page_at, set_up
from research.engines.saving import SIGNATURE, Job, authors_of, date_of, has_signature, posts_of

POSTS = 10  # of a page
_BASE = """<!doctype html>
<html><head><title>{% block title %}{% endblock %}</title>{% block extra_head %}{% endblock %}</head><body>
<div id="top"><a href="/">Home</a> <a href="/forum/">Forum</a> <a href="/rules/">Rules</a> <a href="/login/">Log in</a>
</div><div class="container">{% block breadcrumb %}{% endblock %}{% block content %}{% endblock %}</div>
<div id="bottom">Help and support. All times are UTC.</div>{% block extra_script %}{% endblock %}</body></html>"""


def main() -> None:
    """Fill a new forum, and save its threads as a guest and as a moderator see them."""
    job = Job.of_command("pybbm")
    configure()
    _fill_and_save(job)


def configure() -> None:
    """Configure Django with the forum below /forum/."""
    vars(inspect).setdefault("getargspec", inspect.getfullargspec)  # which Python no longer has
    templates = Path("templates").absolute()
    templates.mkdir(exist_ok=True)
    (templates / "base.html").write_text(_BASE)
    set_up(
        ["pybb"],
        [("forum/", "pybb.urls")],
        namespace="pybb",
        MIDDLEWARE=["pybb.middleware.PybbMiddleware"],
        PROCESSORS=["pybb.context_processors.processor"],
        TEMPLATE_FOLDERS=[templates],
        PYBB_TOPIC_PAGE_SIZE=POSTS,
        PYBB_SMILES={},
        LOGIN_URL="/login/",
    )
    _add_addresses()


def _add_addresses() -> None:
    """The templates link to these pages of a site."""
    from django.urls import path
    from django.views.generic import TemplateView

    page = TemplateView.as_view(template_name="base.html")
    addresses: Any = sys.modules["addresses"]
    addresses.urlpatterns += [path(f"{name}/", page, name=name) for name in ("registration_register", "auth_login")]


def _fill_and_save(job: Job) -> None:
    from django.test import Client
    from pybb.models import Category, Forum

    users = add_users(job.threads)
    guest, moderator = Client(), Client()
    moderator.force_login(users["root"])
    forum = Forum.objects.create(category=Category.objects.create(name="Help"), name="Questions")
    for number, thread in enumerate(job.threads):
        topic = add_topic(thread, number, forum, users)
        for skin, client in (("guest", guest), ("moderator", moderator))[: 1 + number % 2]:
            job.save_all(number, skin, topic.get_absolute_url(), partial(page_at, client), size=POSTS)


def add_topic(thread: dict[str, Any], number: int, forum: Any, users: dict[str, Any]) -> Any:
    """Add a thread to a board."""
    from pybb.models import Post, Topic

    topic = Topic.objects.create(forum=forum, name=thread["title"], user=users[thread["author"]])
    for place, (author, text) in enumerate(posts_of(thread)):
        post = Post(topic=topic, user=users[author], body=text, created=date_of(number, place), user_ip="127.0.0.1")
        post.save()
    return topic


def add_users(threads: list[dict[str, Any]]) -> dict[str, Any]:
    """Add the authors of threads, and root."""
    from django.contrib.auth.models import User
    from pybb.models import Profile

    users = {name: User.objects.create_user(name, f"{name}@{HOST}", "x") for name in authors_of(threads)}
    for name, user in users.items():
        profile, _ = Profile.objects.get_or_create(user=user)
        profile.signature = profile.signature_html = SIGNATURE if has_signature(name) else ""
        profile.save()
    return {**users, "root": User.objects.create_superuser("root", f"root@{HOST}", "x")}


if __name__ == "__main__":
    main()
