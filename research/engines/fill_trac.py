"""Trac, an issue tracker: the description in a box of its own, comments as changes below it."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

from research.engines.saving import Job, date_of, paragraphs, wsgi_page

_HOST = "tracker.example"


def main() -> None:
    """Fill a new tracker, and save its tickets as a guest and as an administrator see them."""
    job = Job.of_command("trac", title_alone=True)
    from trac.admin.console import TracAdmin
    from trac.env import open_environment
    from trac.perm import PermissionSystem
    from trac.ticket.model import Ticket
    from trac.web.main import dispatch_request

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
        for skin, login in (("guest", {}), ("admin", {"REMOTE_USER": "root"}))[: 1 + number % 2]:
            path = f"/ticket/{ticket.id}"
            html = wsgi_page(dispatch_request, _HOST, path, **{"trac.env_path": folder}, **login)
            job.save(number, skin, path, html, nested=True, site=f"http://{_HOST}")


if __name__ == "__main__":
    main()
