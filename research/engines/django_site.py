"""A Django project in one process and one database file, for the engines that are Django apps."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from research.engines.saving import authors_of

if TYPE_CHECKING:
    from research.engines.saving import Job

HOST = "forum.example"


def set_up(apps: list[str], urls: list[tuple[str, str]], *, namespace: str | None = None, **settings: Any) -> None:
    """Configure Django with these apps and (prefix, module) of addresses, and make the database."""
    import django
    from django.conf import settings as configured
    from django.core.management import call_command
    from django.urls import include, path

    addresses = ModuleType("addresses")
    sys.modules["addresses"] = addresses
    folder = Path.cwd()
    base = ["admin", "auth", "contenttypes", "sessions", "messages", "sites", "staticfiles", "humanize"]
    middleware = settings.pop("MIDDLEWARE", [])
    processors = settings.pop("PROCESSORS", [])
    folders = settings.pop("TEMPLATE_FOLDERS", [])
    configured.configure(
        SECRET_KEY="known",  # noqa: S106 - nobody else reaches the site
        ALLOWED_HOSTS=["*"],
        ROOT_URLCONF="addresses",
        STATIC_URL="/static/",
        MEDIA_ROOT=str(folder / "media"),
        SITE_ID=1,
        USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        INSTALLED_APPS=[*(f"django.contrib.{app}" for app in base), *apps],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(folder / "db.sqlite3")}},
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.locale.LocaleMiddleware",
            "django.middleware.common.CommonMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
            *middleware,
        ],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "DIRS": [str(each) for each in folders],
                "APP_DIRS": True,
                "OPTIONS": {
                    "context_processors": [
                        "django.template.context_processors.debug",
                        "django.template.context_processors.request",
                        "django.template.context_processors.static",
                        "django.template.context_processors.i18n",
                        "django.contrib.auth.context_processors.auth",
                        "django.contrib.messages.context_processors.messages",
                        *processors,
                    ]
                },
            }
        ],
        **settings,
    )
    django.setup()
    call_command("migrate", verbosity=0)
    from django.contrib import admin
    from django.contrib.sites.models import Site

    Site.objects.update(domain=HOST, name="Help and support")
    addresses.urlpatterns = [path("admin/", admin.site.urls)]  # type: ignore[attr-defined]
    addresses.urlpatterns += [path(prefix, include(module, namespace)) for prefix, module in urls]  # type: ignore[attr-defined]


def start(settings: str, *, static: bool = False) -> None:
    """Start Django with the settings of a module, and make the database and, with ``static``, its files."""
    os.environ["DJANGO_SETTINGS_MODULE"] = settings
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    if static:
        call_command("collectstatic", verbosity=0, interactive=False)


def add_users(threads: list[dict[str, Any]]) -> dict[str, Any]:
    """Add the authors of threads, and root."""
    from django.contrib.auth.models import User

    users = {name: User.objects.create_user(name, f"{name}@{HOST}", "x") for name in authors_of(threads)}
    return {**users, "root": User.objects.create_superuser("root", f"root@{HOST}", "x")}


def save_as_guest_and_root(job: Job, number: int, address: str, size: int) -> None:
    """Save a thread, ``size`` posts a page, as a guest sees it, and every other one as a moderator does."""
    from django.contrib.auth.models import User
    from django.test import Client

    guest, moderator = Client(), Client()
    moderator.force_login(User.objects.get(username="root"))
    for skin, client in (("guest", guest), ("moderator", moderator))[: 1 + number % 2]:
        job.save_all(number, skin, address, partial(page_at, client, language=job.language(number)), size=size)


def page_at(client: Any, path: str, language: str = "en") -> str:
    """The HTML at a path; raises ValueError unless the server answers 200."""
    response = client.get(path, HTTP_HOST=HOST, HTTP_ACCEPT_LANGUAGE=language, follow=True)
    if response.status_code != 200:
        raise ValueError(f"{path} answers {response.status_code}")
    html: str = response.content.decode()
    return html
