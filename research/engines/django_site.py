"""A Django project in one process and one database file, for the engines that are Django apps."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

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


def page_at(client: Any, path: str, language: str = "en") -> str:
    """The HTML at a path; raises ValueError unless the server answers 200."""
    response = client.get(path, HTTP_HOST=HOST, HTTP_ACCEPT_LANGUAGE=language, follow=True)
    if response.status_code != 200:
        raise ValueError(f"{path} answers {response.status_code}")
    html: str = response.content.decode()
    return html
