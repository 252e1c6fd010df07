"""Roundup, an issue tracker, in the three looks that come with it: two of them show the newest message first."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import shutil
import sys
from email.utils import formatdate
from pathlib import Path
from typing import Any

from research.engines.saving import Job, authors_of, date_of, posts_of, wsgi_page

_HOST = "issues.example"
_SKINS = {"classic": "issue", "responsive": "bug", "jinja2": "issue"}  # each look, and what it calls an issue


def main() -> None:
    """Fill a tracker for each look, and save its issues as a guest sees them."""
    job = Job.of_command("roundup")
    for number, skin in enumerate(_SKINS):
        _fill_and_save(job, skin, range(number, len(job.threads), len(_SKINS)))


def _fill_and_save(job: Job, skin: str, numbers: range) -> None:
    home = job.folder / skin
    database = _tracker(home, skin)
    authors = authors_of(job.threads)
    users = {name: database.user.create(username=name, address=f"{name}@{_HOST}") for name in authors}
    database.commit()
    issues = {}
    for number in numbers:
        messages = [
            database.msg.create(author=users[author], content=text, date=_date(number, place))
            for place, (author, text) in enumerate(posts_of(job.threads[number]))
        ]
        title = job.threads[number]["title"]
        issues[number] = database.getclass(_SKINS[skin]).create(title=title, messages=messages)
    database.commit()
    database.close()
    from roundup.cgi.wsgi_handler import RequestDispatcher

    application = RequestDispatcher(str(home))
    for number, issue in issues.items():
        path = f"/{_SKINS[skin]}{issue}"
        shown = range(len(job.threads[number]["replies"]))[:: 1 if skin == "responsive" else -1]
        html = wsgi_page(application, _HOST, path, HTTP_DATE=formatdate())
        job.save(number, skin, path, html, shown=shown, site=f"http://{_HOST}")


def _tracker(home: Path, skin: str) -> Any:
    from roundup import instance, password
    from roundup.configuration import CoreConfig

    shutil.copytree(Path(sys.prefix) / "share" / "roundup" / "templates" / skin, home)
    (home / "db").mkdir()
    settings = {
        "RDBMS_BACKEND": "sqlite",
        "TRACKER_WEB": f"http://{_HOST}/",
        "TRACKER_NAME": "Help and support",
        "MAIL_DOMAIN": _HOST,
        "MAILHOST": "localhost",
        "TEMPLATE_ENGINE": "jinja2" if skin == "jinja2" else "zopetal",
    }
    CoreConfig(settings=settings).save(str(home / "config.ini"))
    tracker = instance.open(str(home))
    tracker.init(password.Password("x", config=tracker.config), tx_Source="cli")
    return tracker.open("admin")


def _date(number: int, place: int) -> Any:
    from roundup import date

    return date.Date(date_of(number, place).strftime("%Y-%m-%d.%H:%M:%S"))


if __name__ == "__main__":
    main()
