"""django-machina, a forum on Django: pages of fifteen posts, the first of which is the question."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

from functools import partial
from typing import Any

from research.engines.django_site import HOST, page_at, set_up
from research.engines.saving import SIGNATURE, Job, authors_of, date_of, has_signature, paragraphs, posts_of

POSTS = 15  # of a page
_APPS = ("forum", "conversation", "feeds", "moderation", "search", "tracking", "member", "permission")


def main() -> None:
    """Fill a new forum, and save its threads as a guest and as a moderator see them."""
    job = Job.of_command("machina", translated=True)
    configure()
    _fill_and_save(job)


def configure() -> None:
    """Configure Django with the forum below /forum/."""
    from machina import MACHINA_MAIN_TEMPLATE_DIR

    machina = ["machina", "machina.apps.forum", *(f"machina.apps.forum_{app}" for app in _APPS[1:])]
    set_up(
        ["mptt", "haystack", "widget_tweaks", *machina, "machina.apps.forum_conversation.forum_attachments",
         "machina.apps.forum_conversation.forum_polls"],
        [("forum/", "machina.urls")],
        MIDDLEWARE=["machina.apps.forum_permission.middleware.ForumPermissionMiddleware"],
        PROCESSORS=["machina.core.context_processors.metadata"],
        TEMPLATE_FOLDERS=[MACHINA_MAIN_TEMPLATE_DIR],
        CACHES={name: {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": name}
                for name in ("default", "machina_attachments")},
        HAYSTACK_CONNECTIONS={"default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}},
        MACHINA_DEFAULT_AUTHENTICATED_USER_FORUM_PERMISSIONS=["can_see_forum", "can_read_forum"],
        MACHINA_TOPIC_POSTS_NUMBER_PER_PAGE=POSTS,
    )  # fmt: skip


def _fill_and_save(job: Job) -> None:
    from django.test import Client
    from django.urls import reverse
    from machina.apps.forum.models import Forum

    users = add_users(job.threads)
    guest, moderator = Client(), Client()
    moderator.force_login(users["root"])
    forum = Forum.objects.create(name="Help and support", type=Forum.FORUM_POST)
    let_guests_read()
    for number in range(len(job.threads)):
        topic = add_topic(job.threads[number], number, forum, users)
        address = reverse("forum_conversation:topic", args=[forum.slug, forum.pk, topic.slug, topic.pk])
        for skin, client in (("guest", guest), ("moderator", moderator))[: 1 + number % 2]:
            job.save_all(number, skin, address, partial(page_at, client, language=job.language(number)), size=POSTS)


def let_guests_read() -> None:
    """Open all boards to those who are not logged in."""
    from machina.apps.forum_permission.models import ForumPermission, UserForumPermission

    for codename in ("can_see_forum", "can_read_forum"):
        permission = ForumPermission.objects.get(codename=codename)
        UserForumPermission.objects.create(permission=permission, anonymous_user=True, has_perm=True)


def add_users(threads: list[dict[str, Any]]) -> dict[str, Any]:
    """Add the authors of threads, and root."""
    from django.contrib.auth.models import User
    from machina.apps.forum_member.models import ForumProfile

    users = {name: User.objects.create_user(name, f"{name}@{HOST}", "x") for name in authors_of(threads)}
    for name, user in users.items():
        ForumProfile.objects.update_or_create(
            user=user, defaults={"signature": SIGNATURE if has_signature(name) else ""}
        )
    return {**users, "root": User.objects.create_superuser("root", f"root@{HOST}", "x")}


def add_topic(thread: dict[str, Any], number: int, forum: Any, users: dict[str, Any]) -> Any:
    """Add a thread to a board."""
    from machina.apps.forum_conversation.models import Post, Topic

    topic = Topic.objects.create(
        forum=forum,
        subject=thread["title"],
        poster=users[thread["author"]],
        type=Topic.TOPIC_POST,
        status=Topic.TOPIC_UNLOCKED,
    )
    for place, (author, text) in enumerate(posts_of(thread)):
        subject = f"Re: {thread['title']}" if place else thread["title"]
        post = Post.objects.create(
            topic=topic, poster=users[author], subject=subject, content=paragraphs(text), approved=True
        )
        Post.objects.filter(pk=post.pk).update(created=date_of(number, place), updated=date_of(number, place))
    return topic


if __name__ == "__main__":
    main()
