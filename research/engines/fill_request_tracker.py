"""Request Tracker 5, a help desk: a ticket as the staff, the customer and its history show it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from research.engines.saving import Job, date_of, paragraphs, posts_of

_DATABASE = Path("/var/lib/dbconfig-common/sqlite3/request-tracker5/rtdb")  # made by Debian's rt5-db-sqlite
_FILL = Path(__file__).with_name("request_tracker.pl")


def main() -> None:
    """Fill a copy of the empty database, and save its tickets."""
    job = Job.of_command("request_tracker", translated=True)
    shutil.copy(_DATABASE, job.folder / "database")
    threads = [
        {
            "number": number,
            "title": thread["title"],
            "language": job.language(number).replace("hans", "cn"),
            "posts": [
                {"author": author, "text": paragraphs(text), "date": f"{date_of(number, place):%Y-%m-%d %H:%M:%S}"}
                for place, (author, text) in enumerate(posts_of(thread))
            ],
        }
        for number, thread in enumerate(job.threads)
    ]
    (job.folder / "threads.json").write_text(json.dumps(threads), encoding="utf-8")
    files = [job.folder / name for name in ("threads.json", "database", "pages.json")]
    subprocess.run(["/usr/bin/perl", _FILL, *files], check=True, stderr=subprocess.DEVNULL)  # noqa: S603
    for line in (job.folder / "pages.json").read_text(encoding="utf-8").splitlines():
        page = json.loads(line)
        job.save(page["number"], page["skin"], page["path"], page["html"], site="http://support.example")


if __name__ == "__main__":
    main()
