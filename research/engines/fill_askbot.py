"""Askbot, a Q&A site like Stack Overflow: answers by votes and by age, ten on a page, with comments below them.

Replies to replies are comments here, which are neither question nor answers.
"""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from research.engines.django_site import HOST, page_at, start
from research.engines.saving import Job, authors_of, date_of, paragraphs

_ANSWERS = 10  # of a page
_ORDERS = ("votes", "oldest")
_SETUP = {
    "--proj-name": "qaproject", "--db-engine": "sqlite", "--admin-name": "root", "--admin-email": f"root@{HOST}",
    "--domain-name": HOST, "--language-code": "en", "--timezone": "UTC", "--server-email": f"root@{HOST}",
    "--default-from-email": f"root@{HOST}", "--email-host-user": "", "--email-host-password": "",
    "--email-subject-prefix": "help", "--email-host": HOST, "--email-port": "25", "--log-file-path": "askbot.log",
}  # fmt: skip


def main() -> None:
    """Fill a new site, and save its questions in both orders of their answers."""
    job = Job.of_command("askbot", kind="qa")
    _start_project(job.folder, job.folder / "qaroot")
    from askbot.models import User
    from django.test import Client

    users = {}
    for name in authors_of(job.threads):
        users[name] = User.objects.create_user(name, f"{name}@{HOST}", "x")
        users[name].askbot_profile.reputation = 5_000  # who may do all that users may
        users[name].askbot_profile.save()
    client = Client()
    for number, thread in enumerate(job.threads):
        question, answers = _add_question(thread, number, users)
        for order in _ORDERS:
            shown = [answers[answer.pk] for answer in question.thread.get_post_data(sort_method=order)[1]]
            for page, begin in enumerate(range(0, len(shown), _ANSWERS), 1):
                path = f"{question.get_absolute_url()}?sort={order}" + (f"&page={page}" if page > 1 else "")
                part = shown[begin : begin + _ANSWERS]
                job.save(number, order, path, page_at(client, path), shown=part, page=page, repeats=True)


def _start_project(folder: Path, root: Path) -> None:
    """Start a project in a folder, and make its database."""
    options = {**_SETUP, "--root-directory": str(root), "--db-name": str(folder / "db.sqlite3")}
    setup = [str(Path(sys.executable).with_name("askbot-setup")), "--noinput", "--force"]
    setup += [part for option in options.items() for part in option]
    subprocess.run(setup, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)  # noqa: S603
    os.environ["DATABASE_URL"] = f"sqlite:///{folder / 'db.sqlite3'}"
    sys.path.insert(0, str(root))
    start("qaproject.settings", static=True)


def _add_question(thread: dict[str, Any], number: int, users: dict[str, Any]) -> tuple[Any, dict[int, int]]:
    """Add a question; return it, and the number of the reply that each of its answers is."""
    from askbot.models import Post

    question = users[thread["author"]].post_question(
        title=thread["title"], body_text=paragraphs(thread["body"]), tags="help", timestamp=date_of(number, 0)
    )
    answers: dict[int, int] = {}
    made: list[Any] = []
    for place, reply in enumerate(thread["replies"]):
        user, when = users[reply["author"]], date_of(number, place + 1)
        if reply["parent"] is None:
            text = paragraphs(reply["text"])
            made.append(Post.objects.create_new_answer(question.thread, user, when, text))
            Post.objects.filter(pk=made[-1].pk).update(points=reply["votes"])
            answers[made[-1].pk] = place
        else:
            user.post_comment(parent_post=made[reply["parent"]], body_text=reply["text"], timestamp=when)
            made.append(made[reply["parent"]])
    if thread["accepted"] is not None:
        users[thread["author"]].accept_best_answer(made[thread["accepted"]], force=True)
    return question, answers


if __name__ == "__main__":
    main()
