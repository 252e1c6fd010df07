"""public-inbox, an archive of mailing lists: a thread on one page, flat and as a tree.

The program is not on PyPI: `public-inbox-init` and `public-inbox-httpd` have to be on the path (Debian's package
public-inbox).
"""

from __future__ import annotations

import os
import subprocess
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from research.engines.saving import Job, date_of, paragraphs, running, served, tree_order

_PORT = 18_719
_HOST = "lists.example"
_LIST = f"help@{_HOST}"
_SKINS = {"flat": "T", "tree": "t"}
# Adds messages, files named on the command line, to the archive in the first folder.
_IMPORT = """
use PublicInbox::InboxWritable; use PublicInbox::Eml;
my $folder = shift @ARGV;
my $ibx = PublicInbox::InboxWritable->new({
  inboxdir => $folder, name => 'help', version => 2, -primary_address => 'help@lists.example' }, { nproc => 1 });
my $importer = $ibx->importer;
for my $file (@ARGV) {
  open my $in, '<', $file;
  my $text = do { local $/; <$in> };
  $importer->add(PublicInbox::Eml->new(\\$text));
}
$importer->done;
"""


def main() -> None:
    """Fill an archive, serve it, and save each thread in both views."""
    job = Job.of_command("public_inbox")
    config = job.folder / "config"
    environ = {**os.environ, "HOME": str(job.folder), "PI_CONFIG": str(config)}
    archive = str(job.folder / "archive")
    address = f"http://{_HOST}/help"
    subprocess.run(["public-inbox-init", "-V2", "help", archive, address, _LIST], check=True, env=environ)  # noqa: S603, S607
    files = [path for number, thread in enumerate(job.threads) for path in _messages(number, thread)]
    subprocess.run(["perl", "-e", _IMPORT, archive, *files], check=True, env=environ)  # noqa: S603, S607
    subprocess.run(["public-inbox-index", archive], check=True, env=environ)  # noqa: S603, S607
    server = ["public-inbox-httpd", "-l", f"127.0.0.1:{_PORT}"]
    with running(subprocess.Popen(server, env=environ)):  # noqa: S603
        for number, thread in enumerate(job.threads):
            for skin, view in _SKINS.items():
                path = f"/help/{_id(number, 0)}/{view}/"
                # The flat view is in the order of the dates, as the replies of a thread are.
                shown = tree_order(thread) if skin == "tree" else None
                html = served(_PORT, path)
                job.save(number, skin, path, html, shown=shown, nested=skin == "tree", site=f"http://{_HOST}")


def _messages(number: int, thread: dict[str, Any]) -> list[str]:
    """Write a thread as messages; return their files."""
    posts = [{"author": thread["author"], "text": thread["body"], "parent": None}, *thread["replies"]]
    files = []
    for place, post in enumerate(posts):
        message = EmailMessage()
        message["From"] = f"{post['author'].title()} <{post['author']}@{_HOST}>"
        message["To"] = _LIST
        message["Subject"] = ("Re: " if place else "") + thread["title"]
        message["Date"] = format_datetime(date_of(number, place))
        message["Message-ID"] = f"<{_id(number, place)}>"
        if place:
            above = 0 if post["parent"] is None else post["parent"] + 1
            message["In-Reply-To"] = f"<{_id(number, above)}>"
        message.set_content(paragraphs(post["text"]))
        files.append(f"{number}-{place}.eml")
        Path(files[-1]).write_bytes(message.as_bytes())
    return files


def _id(number: int, place: int) -> str:
    return f"{number}.{place}@{_HOST}"


if __name__ == "__main__":
    main()
