"""django-helpdesk, a ticket system: a description in a table and follow-ups below, for the submitter and the staff."""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

from urllib.parse import urlencode

from research.engines.django_site import HOST, add_users, page_at, set_up
from research.engines.saving import Job, date_of


def main() -> None:
    """Fill a help desk with tickets, and save them."""
    job = Job.of_command("helpdesk", title_alone=True)
    set_up(
        ["helpdesk", "rest_framework"],
        [("", "helpdesk.urls")],
        HELPDESK_TEAMS_MODE_ENABLED=False,
        HELPDESK_VIEW_A_TICKET_PUBLIC=True,
        LOGIN_URL="/login/",
        MEDIA_URL="/media/",
    )
    from django.test import Client
    from helpdesk.models import FollowUp, Queue, Ticket

    users = add_users(job.threads)
    guest, staff = Client(), Client()
    staff.force_login(users["root"])
    queue = Queue.objects.create(title="Support", slug="support", allow_public_submission=True)
    for number, thread in enumerate(job.threads):
        email = f"{thread['author']}@{HOST}"
        ticket = Ticket.objects.create(
            queue=queue, title=thread["title"], description=thread["body"] or None, submitter_email=email
        )
        Ticket.objects.filter(pk=ticket.pk).update(created=date_of(number, 0))
        for place, reply in enumerate(thread["replies"], 1):
            FollowUp.objects.create(
                ticket=ticket, title="Comment", comment=reply["text"], public=True, user=users[reply["author"]],
                date=date_of(number, place),
            )  # fmt: skip
        query = urlencode({"ticket": ticket.ticket_for_url, "email": email, "key": ticket.secret_key})
        path = f"/view/?{query}"
        job.save(number, "public", path, page_at(guest, path))
        if number % 2:
            path = f"/tickets/{ticket.pk}/"
            job.save(number, "staff", path, page_at(staff, path))


if __name__ == "__main__":
    main()
