from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from commanding import ARTICLE, MAIN_TEXT, Loaded, install, serving

from scrapy_semtext.cli import COMMANDS, main
from scrapy_semtext.cli.fetching import fetch
from scrapy_semtext.cli.terminal import CommandError
from scrapy_semtext.extractor import Options
from scrapy_semtext.read.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Loaded:
    return install(monkeypatch)


@pytest.fixture
def page(tmp_path: Path) -> str:
    path = tmp_path / "page.html"
    path.write_text(ARTICLE, "utf-8")
    return str(path)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serving() as address:
        yield address


def test_a_page_from_standard_input(
    loaded: Loaded, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(ARTICLE.encode())))
    assert main(["extract", "-"]) == 0
    assert capsys.readouterr().out == f"{MAIN_TEXT}\n"


@pytest.mark.smoke
def test_as_json(page: str, loaded: Loaded, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extract", page, "--format", "json", "--url", "https://example.com/a", "--blocks", "--segments"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["url"], row["title"], row["main_text"]) == (
        "https://example.com/a",
        "How to bake good bread at your own home",
        MAIN_TEXT,
    )
    assert row["page_kind"] in KINDS
    assert [block["label"] for block in row["blocks"]] == ["boilerplate", "main", "main", "boilerplate"]
    assert "segments" in row


@pytest.mark.slow
def test_the_options_reach_the_model(
    page: str, loaded: Loaded, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--decision", "viterbi", "--no-markup", "--device", "cpu", "--bundle", str(tmp_path)]
    assert main(["extract", page, *arguments]) == 0
    assert main(["extract", page]) == 0
    assert loaded.calls == [
        (tmp_path, "cpu", Options("viterbi", markup=False, labeler="semtext")),
        (None, "auto", Options(labeler="semtext")),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["extract", "missing.html"], "semtext extract: missing.html: No such file or directory\n"),
        (["extract", "PAGE", "--bundle", "nowhere"], "semtext extract: nowhere is no bundle.\n"),
        (["extract", "ftp://example.com/"], "semtext extract: ftp://example.com/: only http and https"),
        (
            ["extract", "PAGE", "--blocks", "--format", "html"],
            "semtext extract: --blocks goes with --format text or json",
        ),
        (["extract", "PAGE", "--records"], "semtext extract: --records goes with --format json"),
        (["extract", "PAGE", "--metadata"], "semtext extract: --metadata goes with --format json"),
        (["extract", "PAGE", "--segments"], "semtext extract: --segments goes with --format json"),
        (["view", "PAGE", "-o", "no/such/folder.html"], "semtext view: no/such/folder.html cannot be written"),
    ],
)
def test_what_goes_wrong_is_said_in_a_line(
    arguments: list[str], message: str, page: str, loaded: Loaded, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([page if argument == "PAGE" else argument for argument in arguments]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith(message)
    assert captured.out == ""


def test_a_view_is_written(page: str, loaded: Loaded, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "view.html"
    assert main(["view", page, "-o", str(out), "--url", "https://example.com/"]) == 0
    view = out.read_text("utf-8")
    assert "<title>Bread</title>" in view
    assert "2 of 4 blocks kept" in view
    assert capsys.readouterr().err == f"{out.as_uri()}\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html", "view.html"]


@pytest.mark.parametrize("path", ["/page", "/moved", "/packed"])
def test_a_page_from_the_web(path: str, server: str, loaded: Loaded, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extract", server + path, "--format", "json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["main_text"] == MAIN_TEXT
    assert row["url"] == server + ("/page" if path == "/moved" else path), "where redirects led"


def test_a_fetched_page_is_decoded_by_its_header(server: str) -> None:
    assert fetch(f"{server}/latin", 5, 1 << 20).html == "<p>café"
    assert fetch(f"{server}/untyped", 5, 1 << 20).html == "<p>café"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/missing", "was answered with 404 Not Found"),
        ("/pdf", "is application/pdf, not an HTML page"),
        ("/to-file", "302"),
        ("/to-ftp", "unknown url type: ftp"),
        ("/bomb", "is larger than 1 MiB"),
        ("/badly-packed", "is not valid gzip data"),
        ("/brotli", "has the Content-Encoding br"),
    ],
)
def test_what_cannot_be_fetched_is_said(path: str, reason: str, server: str) -> None:
    with pytest.raises(CommandError) as raised:
        fetch(server + path, 5, 1 << 20)
    assert server + path in str(raised.value)
    assert reason in str(raised.value)


def run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.slow
def test_help_and_mistakes_do_not_load_torch() -> None:
    script = (
        "import sys; from scrapy_semtext.cli import main\n"
        "try: main(['batch', '--help'])\n"
        "except SystemExit: pass\n"
        "assert main(['extract', 'missing.html']) == 1\n"
        "assert 'torch' not in sys.modules and 'scrapy' not in sys.modules"
    )
    result = run_python("-c", script)
    assert result.returncode == 0, result.stderr
    assert "--html-key" in result.stdout


@pytest.mark.slow
def test_the_version_and_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_python("-m", "scrapy_semtext", "--version").stdout.startswith("semtext 0.")
    assert main([]) == 2
    usage = capsys.readouterr().err
    assert "{" not in usage
    assert re.findall(r"^    (\w+)(?:  |$)", usage, re.MULTILINE) == list(COMMANDS)


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("tune", "--metadata"),
        ("label", "--no-sections"),
        ("view", "--join-comments"),
        ("mcp", "--no-pairs"),
        ("dev evaluate", "--no-sections"),
    ],
)
def test_options_without_effect_are_not_offered(command: str, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([*command.split(), "x", "y", "-o", "z", option])
    assert option in capsys.readouterr().err
