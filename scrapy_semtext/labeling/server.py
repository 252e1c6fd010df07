"""The documents in which labels are corrected, and a local server for a single user.

It listens on the loopback interface. Every URL begins with a secret token, so that neither other users of the computer
nor web pages open in the browser can read pages or send labels. Other Hosts (DNS rebinding) or Origins are refused.
"""

from __future__ import annotations

import json
import secrets
import sys
import threading
from dataclasses import replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from scrapy_semtext.labeling.session import LabelFileError, LabelsError, LabelSession, SessionPage
from scrapy_semtext.viewer import IndexRow, NeighborLinks, index_page, label_page


def rendered(session: LabelSession, position: int) -> str:
    """Return a page of the session as a document that saves labels at ``NUMBER/labels``; numbers begin with 1."""
    number, count = position + 1, len(session.entries)
    links = NeighborLinks(str(position) if position else None, str(number + 1) if number < count else "./", "./")
    page, progress = session.open(position), f"page {number} of {count}, {session.done} done"
    return label_page(page.annotation, page.labeled, save_url=f"{number}/labels", links=links, progress=progress)


def overview(session: LabelSession) -> str:
    """Return the overview of the session's pages."""
    rows = [index_row(entry, str(number)) for number, entry in enumerate(session.entries, 1)]
    return index_page(rows, facts=f"{session.done} done; the least certain pages come first", in_order=True)


def index_row(entry: SessionPage, href: str) -> IndexRow:
    """Return the row of a page in an overview."""
    state = ["done"] if entry.done else []
    if entry.corrected:
        state.append(f"{entry.corrected} blocks corrected" if entry.corrected > 1 else "1 block corrected")
    title = entry.row.title or (str(entry.id or "") if entry.url is None else "")
    return replace(entry.row, href=href, title=title or None, note=", ".join(state))


#: The maximum size of a request body in bytes: the labels of about 100,000 blocks.
MAX_BODY = 4 << 20

_HEADERS = {
    # The documents have a stricter policy themselves; browsers apply both.
    "Content-Security-Policy": "base-uri 'none'; connect-src 'self'; form-action 'none'; frame-ancestors 'none';"
    " img-src data:; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class LabelServer(ThreadingHTTPServer):
    """Serves a session in threads, from construction until `close`.

    ``port`` 0 means a free one. Raises OSError if the port is in use.
    """

    daemon_threads = True  # browsers keep unused connections open

    def __init__(self, session: LabelSession, port: int = 0) -> None:
        self.session = session
        self.token = secrets.token_urlsafe(24)
        super().__init__(("127.0.0.1", port), _Handler)
        self.host = f"127.0.0.1:{self.server_port}"
        self.origin = f"http://{self.host}"
        self._thread = threading.Thread(target=self.serve_forever, args=(0.1,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The URL of the overview, including the token."""
        return f"{self.origin}/{self.token}/"

    def wait(self) -> None:
        """Wait until another thread closes the server, or for KeyboardInterrupt."""
        while self._thread.is_alive():
            self._thread.join(0.5)

    def close(self) -> None:
        """Stop accepting requests; those in progress continue in their threads."""
        self.shutdown()
        self.server_close()
        self._thread.join()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore connections that browsers abort; report other errors as usual."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _RefusedError(Exception):
    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: LabelServer
    timeout = 30  # timeout in seconds for a silent client
    server_version, sys_version = "semtext", ""

    def do_GET(self) -> None:
        """Answer with the overview at ``/TOKEN/``, or with a page at ``/TOKEN/NUMBER``."""
        self._answer(self._get)

    def do_POST(self) -> None:
        """Save the labels of a page at ``/TOKEN/NUMBER/labels``."""
        self._answer(self._post)

    def end_headers(self) -> None:
        """Add the headers that every response has."""
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Log no requests, because their URLs contain the token."""

    def _answer(self, respond: Any) -> None:
        try:
            status, kind, body = respond(self._parts())
        except _RefusedError as error:
            status, kind, body = error.status, "text/plain", str(error)
        except LabelsError as error:
            status, kind, body = HTTPStatus.BAD_REQUEST, "text/plain", str(error)
        except (LabelFileError, OSError) as error:
            status, kind, body = HTTPStatus.CONFLICT, "text/plain", f"The labels are not saved: {error}"
            sys.stderr.write(f"{body}\n")
        except Exception as error:  # noqa: BLE001  the model cannot read this page, but the others can be labeled
            status, kind, body = HTTPStatus.INTERNAL_SERVER_ERROR, "text/plain", f"{type(error).__name__}: {error}"
            sys.stderr.write(f"{body}\n")
        self._send(status, kind, body.encode("utf-8", "replace"))

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _parts(self) -> list[str]:
        """Return the parts of the path after the token; refuse any request that is not from this server's pages."""
        if self.headers.get_all("Host") != [self.server.host]:
            raise _RefusedError(HTTPStatus.MISDIRECTED_REQUEST, f"This server is {self.server.host}.")
        if not set(self.headers.get_all("Origin", [])) <= {self.server.origin}:
            raise _RefusedError(HTTPStatus.FORBIDDEN, "Requests of other sites are refused.")
        token, *parts = self.path.removeprefix("/").split("/")
        if not secrets.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode()):
            raise _RefusedError(HTTPStatus.FORBIDDEN, "The URL has to be the one that `semtext label` printed.")
        return parts

    def _get(self, parts: list[str]) -> tuple[HTTPStatus, str, str]:
        if parts == [""]:
            return HTTPStatus.OK, "text/html", overview(self.server.session)
        if len(parts) == 1:
            return HTTPStatus.OK, "text/html", rendered(self.server.session, self._position(parts[0]))
        raise _RefusedError(HTTPStatus.NOT_FOUND, "There is no such page.")

    def _post(self, parts: list[str]) -> tuple[HTTPStatus, str, str]:
        if len(parts) != 2 or parts[1] != "labels":
            raise _RefusedError(HTTPStatus.NOT_FOUND, "Labels are sent to the URL of a page.")
        position = self._position(parts[0])
        self.server.session.save(position, self._json())
        return HTTPStatus.OK, "application/json", json.dumps({"pages": self.server.session.done})

    def _position(self, number: str) -> int:
        """Return the index of a page from its number in the URL, which counts from 1."""
        pages = len(self.server.session.entries)
        if not (number.isascii() and number.isdecimal() and len(number) < 10 and 1 <= int(number) <= pages):
            raise _RefusedError(HTTPStatus.NOT_FOUND, f"There are pages 1 to {pages}.")
        return int(number) - 1

    def _json(self) -> Any:
        if self.headers.get_content_type() != "application/json":  # cross-site requests of this type require permission
            raise _RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Labels are sent as application/json.")
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdecimal()):
            raise _RefusedError(HTTPStatus.LENGTH_REQUIRED, "Content-Length is missing.")
        if len(length) > 10 or int(length) > MAX_BODY:
            raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The limit is {MAX_BODY} bytes.")
        body = self.rfile.read(int(length))
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            raise _RefusedError(HTTPStatus.BAD_REQUEST, f"The labels are not JSON: {error}") from error
