"""Trac, an issue tracker: the description in a box of its own, comments as changes below it."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import io
from typing import Any

from research.engines.saving import Job, date_of, paragraphs

_HOST = "tracker.example"


def main() -> None:
    """Fill a new tracker, and save its tickets as a guest and as an administrator see them."""
    job = Job.of_command("trac", title_alone=True)
    from trac.admin.console import TracAdmin
    from trac.env import open_environment
    from trac.perm import PermissionSystem
    from trac.ticket.model import Ticket

    folder = str(job.folder / "tracker")
    TracAdmin(folder).onecmd("initenv Support sqlite:db/trac.db")
    env = open_environment(folder)
    PermissionSystem(env).grant_permission("root", "TRAC_ADMIN")
    for number, thread in enumerate(job.threads):
        ticket = Ticket(env)
        ticket["summary"], ticket["description"] = thread["title"], paragraphs(thread["body"])
        ticket["reporter"], ticket["status"] = thread["author"], "new"
        ticket.insert(when=date_of(number, 0))
        for place, reply in enumerate(thread["replies"], 1):
            answered = None if reply["parent"] is None else str(reply["parent"] + 1)
            ticket.save_changes(reply["author"], paragraphs(reply["text"]), date_of(number, place), replyto=answered)
        for skin, user in (("guest", None), ("admin", "root"))[: 1 + number % 2]:
            path = f"/ticket/{ticket.id}"
            job.save(number, skin, path, _page_at(folder, path, user), nested=True, site=f"http://{_HOST}")


def _page_at(folder: str, path: str, user: str | None) -> str:
    from trac.web.main import dispatch_request

    environ: dict[str, Any] = {
        "trac.env_path": folder, "REQUEST_METHOD": "GET", "SCRIPT_NAME": "", "PATH_INFO": path, "QUERY_STRING": "",
        "SERVER_NAME": _HOST, "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1",
        "wsgi.version": (1, 0), "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(), "wsgi.errors": io.StringIO(),
        "wsgi.multithread": False, "wsgi.multiprocess": False, "wsgi.run_once": False,
    }  # fmt: skip
    if user:
        environ["REMOTE_USER"] = user
    written: list[bytes] = []
    body = dispatch_request(environ, lambda *_: written.append)
    return b"".join([*written, *body]).decode()


if __name__ == "__main__":
    main()
