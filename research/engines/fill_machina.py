"""django-machina, a forum on Django: pages of fifteen posts, the first of which is the question."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

from typing import Any

from research.engines.django_site import add_users, save_as_guest_and_root, set_up
from research.engines.saving import SIGNATURE, Job, date_of, has_signature, paragraphs, posts_of

_POSTS = 15  # of a page
_APPS = ("conversation", "feeds", "moderation", "search", "tracking", "member", "permission")


def main() -> None:
    """Fill a new forum, and save its threads as a guest and as a moderator see them."""
    job = Job.of_command("machina", translated=True)
    _set_up()
    from django.urls import reverse
    from machina.apps.forum.models import Forum
    from machina.apps.forum_member.models import ForumProfile
    from machina.apps.forum_permission.models import ForumPermission, UserForumPermission

    users = add_users(job.threads)
    for name, user in users.items():
        signature = SIGNATURE if name != "root" and has_signature(name) else ""
        ForumProfile.objects.update_or_create(user=user, defaults={"signature": signature})
    forum = Forum.objects.create(name="Help and support", type=Forum.FORUM_POST)
    for codename in ("can_see_forum", "can_read_forum"):
        permission = ForumPermission.objects.get(codename=codename)
        UserForumPermission.objects.create(permission=permission, anonymous_user=True, has_perm=True)
    for number, thread in enumerate(job.threads):
        topic = _add_topic(thread, number, forum, users)
        address = reverse("forum_conversation:topic", args=[forum.slug, forum.pk, topic.slug, topic.pk])
        save_as_guest_and_root(job, number, address, _POSTS)


def _set_up() -> None:
    """Configure Django with the forum below /forum/."""
    from machina import MACHINA_MAIN_TEMPLATE_DIR

    machina = ["machina", "machina.apps.forum", *(f"machina.apps.forum_{app}" for app in _APPS)]
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
        MACHINA_TOPIC_POSTS_NUMBER_PER_PAGE=_POSTS,
    )  # fmt: skip


def _add_topic(thread: dict[str, Any], number: int, forum: Any, users: dict[str, Any]) -> Any:
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
