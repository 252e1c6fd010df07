"""Correct the labels of pages in the browser, to fit the model to a site.

The least certain pages come first. Their blocks are colored by the model's labels; click on those that are wrong.
OUT has a line of JSON for each page with labels, and is complete after each change; run the same command again to
continue. `semtext tune` learns from OUT. Without PAGES, the pages of OUT are shown.
"""

from __future__ import annotations

import sys
import tempfile
import webbrowser
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from scrapy_semtext.cli.inputs import add_pages, name_of, pages_of, require_writable
from scrapy_semtext.cli.models import add_model_arguments, load_extractor, positive
from scrapy_semtext.cli.terminal import CommandError, counted

if TYPE_CHECKING:
    import argparse

    from scrapy_semtext.labeling.session import LabelFile, LabelSession

#: The maximum number of problems with pages that are listed.
_LISTED = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    # Not "pages": OUT may be in a folder of PAGES. It is never overwritten unless it contains labels.
    add_pages(parser, "sources", least="*")
    parser.add_argument("-o", "--output", metavar="OUT", required=True, help="the labels, as JSON lines")
    parser.add_argument("--limit", type=positive, metavar="N", help="only show the N least certain pages")
    server = parser.add_argument_group("server")
    server.add_argument("--no-browser", action="store_true", help="only print the URL, do not open the browser")
    server.add_argument("--port", type=int, default=0, help="the port on 127.0.0.1 to listen to (default: a free one)")
    add_model_arguments(parser, markup=False)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from scrapy_semtext.labeling.server import LabelServer
    from scrapy_semtext.labeling.session import LabelFile

    labels = LabelFile(require_writable(arguments.output))
    session = _session(arguments, labels)
    try:
        server = LabelServer(session, arguments.port)
    except (OSError, OverflowError) as error:
        raise CommandError(f"port {arguments.port} cannot be listened to: {error}") from error
    sys.stderr.write(
        f"{counted(len(session.entries), 'page')}, {session.done} of them done. Ctrl-C ends. Open:\n{server.url}\n"
    )
    sys.stderr.flush()
    # The URL has a secret token, so the browser gets it from a file that only the user can read (see `_open`).
    with tempfile.TemporaryDirectory(prefix="semtext-label-") as private:
        try:
            if not arguments.no_browser:
                _open(server.url, Path(private, "labels.html"))
            server.wait()
        except KeyboardInterrupt:
            server.close()
            labels.close()
    sys.stderr.write(_farewell(labels, arguments.output))
    return 0


def _open(address: str, file: Path) -> None:
    """Open a URL in the browser through a file that redirects: other users can read the browser's command line."""
    file.touch(mode=0o600)
    leads = (
        f'<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url={escape(address)}">'
    )
    file.write_text(leads, encoding="utf-8")
    webbrowser.open(file.as_uri())


def _farewell(labels: LabelFile, output: str) -> str:
    if not len(labels):
        return "\nNo page was labeled.\n"
    return (
        f"\nPages with labels in {output}: {len(labels)}, done: {labels.done()}. Next:\n"
        f"  semtext tune {output} -o site-model/\n"
    )


def _session(arguments: argparse.Namespace, labels: LabelFile) -> LabelSession:
    """Read all pages and sort them. Raises CommandError if there are none to label."""
    from scrapy_semtext.labeling.session import LabelSession
    from scrapy_semtext.site.labeled_pages import LabeledPage

    if not arguments.sources and not len(labels):
        raise CommandError("there are no pages: name files, folders or URLs.")
    arguments.no_pairs = arguments.no_sections = True  # labels do not depend on them
    session = LabelSession(load_extractor(arguments), labels)
    for row in tqdm(pages_of(arguments, arguments.sources), "reading", unit=" pages", disable=None, delay=1):
        if row.error is None:
            session.add(LabeledPage(row.id, row.url, row.html))
        else:
            session.problems.append(f"{name_of(row)}: {row.error}")
    session.arrange()
    sys.stderr.writelines(f"{problem}\n" for problem in session.problems[:_LISTED])
    if (unlisted := len(session.problems) - _LISTED) > 0:
        sys.stderr.write(f"... and {unlisted} more.\n")
    if not session.entries:
        raise CommandError("none of the pages can be labeled.")
    if arguments.limit is not None:
        del session.entries[arguments.limit :]
    return session
