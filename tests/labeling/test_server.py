"""The server, as used by a browser and by attackers."""

from __future__ import annotations

import json
import re
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from labeled_pages import session_of

from scrapy_semtext.labeling.server import MAX_BODY, LabelServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ONE, TWO = ("http://b.test/", "<h1>One</h1><p>A page."), ("http://a.test/", "<h2>Two</h2><div>Another.</div>")
LABELS = {"labels": ["main", "main"], "by": ["person", "model"], "done": True}


class Client:
    """Sends requests to a server, each optionally with another method, path, body or headers than usual."""

    def __init__(self, server: LabelServer, labels: Path) -> None:
        self.parts = urlsplit(server.url)
        self.labels = labels
        self.json = {"Content-Type": "application/json", "Origin": f"http://{self.parts.netloc}"}

    def ask(
        self, path: str = "", method: str = "GET", body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, str, dict[str, str]]:
        """Send a request below the token; returns status, body and headers."""
        return self.ask_root(self.parts.path + path, method, body, headers)

    def ask_root(
        self, path: str, method: str = "GET", body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, str, dict[str, str]]:
        connection = HTTPConnection(self.parts.netloc, timeout=10)
        sent = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        try:
            connection.request(method, path, sent, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), dict(answer.headers)
        finally:
            connection.close()

    def post(self, body: Any, path: str = "1/labels", **headers: str) -> tuple[int, str, dict[str, str]]:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask(path, "POST", body, {**self.json, **given})


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    labels = tmp_path / "labels.jsonl"
    server = LabelServer(session_of(labels, [ONE, TWO]))
    yield Client(server, labels)
    server.close()


def test_the_overview_leads_to_the_pages(client: Client) -> None:
    status, body, _ = client.ask()
    assert status == 200
    assert re.findall(r'href="(\d+)"', body) == ["1", "2"], "in order"
    assert "0 done" in body
    assert ["http://a.test/" in client.ask(number)[1] for number in ("1", "2")] == [True, False]
    assert ["http://b.test/" in client.ask(number)[1] for number in ("1", "2")] == [False, True]


def test_every_answer_has_the_headers_that_protect_it(client: Client) -> None:
    for _, _, headers in (client.ask(), client.ask("1"), client.ask("99"), client.post({}), client.ask("", "HEAD")):
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-store"
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_it_listens_on_the_loopback_interface_only(client: Client) -> None:
    assert client.parts.hostname == "127.0.0.1"
    assert len(client.parts.path.strip("/")) >= 32


@pytest.mark.parametrize("path", ["/", "/1", "/x/1", "/favicon.ico", "/%00/", "//", "/../../etc/passwd", "/%c3%bc/"])
def test_without_the_token_nothing_is_answered(client: Client, path: str) -> None:
    status, body, _ = client.ask_root(path)
    assert status == 403
    assert "a.test" not in body


def test_a_wrong_token_saves_nothing(client: Client) -> None:
    wrong = "/" + "x" * 32 + "/1/labels"
    assert client.ask_root(wrong, "POST", LABELS, client.json)[0] == 403
    assert not client.labels.exists()


@pytest.mark.parametrize("host", ["evil.test", "localhost", "127.0.0.1", "evil.test:{port}", ""])
def test_another_host_is_refused(client: Client, host: str) -> None:
    status, body, _ = client.ask(headers={"Host": host.format(port=client.parts.port)})
    assert (status, "a.test" in body) == (421, False)
    assert client.post(LABELS, Host=host.format(port=client.parts.port))[0] == 421
    assert not client.labels.exists()


@pytest.mark.parametrize("origin", ["http://evil.test", "null", "https://127.0.0.1:{port}", "http://localhost:{port}"])
def test_another_origin_is_refused(client: Client, origin: str) -> None:
    assert client.post(LABELS, Origin=origin.format(port=client.parts.port))[0] == 403
    assert client.ask(headers={"Origin": origin})[0] == 403
    assert not client.labels.exists()


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "HEAD", "TRACE", "BREW"])
def test_other_methods_are_refused(client: Client, method: str) -> None:
    assert client.ask("1/labels", method, LABELS, client.json)[0] == 501
    assert not client.labels.exists()


@pytest.mark.parametrize(
    "path", ["0", "3", "-1", "1e0", "%c2%b2", "99999999999", "../1", "1/../2", "1/labels", "..%2f1"]
)
def test_only_the_pages_of_the_session_are_there(client: Client, path: str) -> None:
    assert client.ask(path)[0] == 404


@pytest.mark.parametrize("path", ["", "1", "3/labels", "../etc/labels", "1/labels/", "1/other"])
def test_labels_go_to_a_page(client: Client, path: str) -> None:
    assert client.post(LABELS, path)[0] == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"\xff", 400),
        (b"[" * 100_000, 400),
        ([], 400),
        ({**LABELS, "labels": ["main"]}, 400),
        ({**LABELS, "by": ["me", "you"]}, 400),
    ],
)
def test_what_is_no_labels_is_refused(client: Client, body: Any, status: int) -> None:
    assert client.post(body)[0] == status
    assert not client.labels.exists()


def test_a_body_has_to_say_its_length_and_type(client: Client) -> None:
    assert client.post(LABELS, Content_Type="text/plain")[0] == 415, "a form of another site can send this"
    for length, status in {"-1": 411, "x": 411, "9" * 30: 413, str(MAX_BODY + 1): 413}.items():
        connection = HTTPConnection(client.parts.netloc, timeout=10)
        connection.putrequest("POST", f"{client.parts.path}1/labels")
        for name, value in {**client.json, "Content-Length": length}.items():
            connection.putheader(name, value)
        connection.endheaders()
        assert connection.getresponse().status == status
        connection.close()
    assert not client.labels.exists()


def test_labels_that_cannot_be_saved_are_not_lost_in_silence(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    client.labels.write_text("something else", encoding="utf-8")
    status, body, _ = client.post(LABELS)
    assert status == 409
    assert "The labels are not saved" in body
    assert "was changed by another program" in capsys.readouterr().err
    assert client.labels.read_text(encoding="utf-8") == "something else"
