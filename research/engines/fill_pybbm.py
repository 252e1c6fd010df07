"""PyBBM, a forum on Django: pages of ten posts in a site of our own, as lists and as two columns."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

from research.engines.django_site import add_users, save_as_guest_and_root, set_up
from research.engines.saving import SIGNATURE, Job, date_of, has_signature, posts_of

_POSTS = 10  # of a page
_BASE = """<!doctype html>
<html><head><title>{% block title %}{% endblock %}</title>{% block extra_head %}{% endblock %}</head><body>
<div id="top"><a href="/">Home</a> <a href="/forum/">Forum</a> <a href="/rules/">Rules</a> <a href="/login/">Log in</a>
</div><div class="container">{% block breadcrumb %}{% endblock %}{% block content %}{% endblock %}</div>
<div id="bottom">Help and support. All times are UTC.</div>{% block extra_script %}{% endblock %}</body></html>"""


def main() -> None:
    """Fill a new forum, and save its threads as a guest and as a moderator see them."""
    job = Job.of_command("pybbm")
    _set_up()
    from pybb.models import Category, Forum, Post, Profile, Topic

    users = add_users(job.threads)
    for name, user in users.items():
        profile, _ = Profile.objects.get_or_create(user=user)
        profile.signature = profile.signature_html = SIGNATURE if name != "root" and has_signature(name) else ""
        profile.save()
    forum = Forum.objects.create(category=Category.objects.create(name="Help"), name="Questions")
    for number, thread in enumerate(job.threads):
        topic = Topic.objects.create(forum=forum, name=thread["title"], user=users[thread["author"]])
        for place, (author, text) in enumerate(posts_of(thread)):
            Post(topic=topic, user=users[author], body=text, created=date_of(number, place), user_ip="127.0.0.1").save()
        save_as_guest_and_root(job, number, topic.get_absolute_url(), _POSTS)


def _set_up() -> None:
    """Configure Django with the forum below /forum/, and the pages of a site that its templates link to."""
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
        PYBB_TOPIC_PAGE_SIZE=_POSTS,
        PYBB_SMILES={},
        LOGIN_URL="/login/",
    )
    from django.urls import path
    from django.views.generic import TemplateView

    page = TemplateView.as_view(template_name="base.html")
    addresses: Any = sys.modules["addresses"]
    addresses.urlpatterns += [path(f"{name}/", page, name=name) for name in ("registration_register", "auth_login")]


if __name__ == "__main__":
    main()
