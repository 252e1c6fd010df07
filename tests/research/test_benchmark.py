"""What pages cost, by `python -m research.benchmark page`."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import pytest
from commanding import ARTICLE, LongBlocks, install
from crawling import FakeExtractor

from research.benchmark import measure, stopwatch
from research.benchmark.__main__ import main
from research.benchmark.measure import Costs, Growth, by_processes, costs, exponent, growth
from research.benchmark.pages import WARM_UP, page_of_size, sample
from research.benchmark.report import Report, save_plot
from research.benchmark.stopwatch import HOOKS, STAGES, Hook, Stopwatch
from research.peers import Peer
from scrapy_semtext.dom import tree
from scrapy_semtext.extractor import Extractor, Options, Source
from scrapy_semtext.integration.processes.messages import Setup

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from research.peers import Read


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "pages.jsonl"
    path.write_text("\n".join(json.dumps({"url": None, "html": ARTICLE}) for _ in range(3)), encoding="utf-8")
    return str(path)


def ticking() -> Callable[[], float]:
    """A clock that is a second further each time it is looked at."""
    ticks = iter(range(1000))
    return lambda: float(next(ticks))


def test_every_stage_is_spent_on_in_a_real_page() -> None:
    watch = Stopwatch()
    extractor = Extractor.load(device="cpu")
    with watch.installed(), watch.whole():
        extractor.read(ARTICLE)
    assert set(watch.seconds) == set(STAGES)
    assert all(seconds > 0 for seconds in watch.seconds.values())


def test_functions_are_put_back() -> None:
    before = tree.parse
    with Stopwatch().installed():
        assert tree.parse is not before
    assert tree.parse is before


def test_a_stage_in_another_counts_to_the_outer_one() -> None:
    watch = Stopwatch(ticking())
    hooks = (
        Hook("outer", "scrapy_semtext.dom.element_text", "text_of_html"),
        Hook("inner", "scrapy_semtext.dom.tree", "parse"),
    )
    from scrapy_semtext.dom import element_text as plain

    with watch.installed(hooks):
        plain.text_of_html("<p>one</p>")
        tree.parse("<p>two</p>")
    assert watch.seconds == {"outer": 1.0, "inner": 1.0}


def test_a_stage_that_is_part_of_another_is_taken_out_of_it() -> None:
    watch = Stopwatch(ticking())
    hooks = (
        Hook("outer", "scrapy_semtext.dom.element_text", "text_of_html"),
        Hook("inner", "scrapy_semtext.dom.tree", "parse", part_of="outer"),
    )
    from scrapy_semtext.dom import element_text as plain

    with watch.installed(hooks):
        plain.text_of_html("<p>one</p>")
        tree.parse("<p>two</p>")
    # the clock was looked at four times for the first, the inner one's two in the middle, and twice for the second
    assert watch.seconds == {"outer": 3.0 - 1.0, "inner": 1.0 + 1.0}


def test_a_stage_whose_function_has_gone_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopwatch, "HOOKS", ())
    with (
        pytest.raises(AttributeError, match="no_such"),
        Stopwatch().installed((*HOOKS, Hook("parse", "scrapy_semtext.dom.tree", "no_such"))),
    ):
        pass
    assert tree.parse.__name__ == "parse"  # and what was hooked before it is put back


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_the_exponent_is_that_of_the_curve(power: float) -> None:
    sizes = [10, 100, 1000]
    assert exponent(sizes, [3 * size**power for size in sizes]) == pytest.approx(power)


def test_one_size_has_no_exponent() -> None:
    assert exponent([10], [1]) is None


@pytest.mark.slow
def test_small_pages_are_measured_but_not_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "FIT_FROM", 1000)
    extractor, pages = Extractor(LongBlocks(), "expected-f1"), [Source(ARTICLE)]
    found = growth(extractor, pages, [200, 2000, 4000])
    times = [sum(of_size) for of_size in zip(*found.stages.values(), strict=True)]
    assert found.exponents["all"] == exponent(found.bytes[1:], times[1:])
    assert growth(extractor, pages, [200, 2000]).exponents["all"] is None


@pytest.mark.slow
def test_processes_are_measured_as_a_crawl_starts_them() -> None:
    arguments = {"bundle": None, "device": "cpu"}
    setup = Setup(FakeExtractor, arguments, Options(), logging.WARNING)
    found = by_processes(setup, [[Source(ARTICLE)]] * 4, (1,))
    assert found.keys() == {1}
    assert found[1] > 0


@pytest.mark.slow
def test_all_that_was_measured_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    stages = {stage: [1.0, 2.0] for stage in STAGES}
    spent = Costs(3, 1000.0, 1.0, dict.fromkeys(STAGES, 1.0), dict.fromkeys(STAGES, 0.5), {"peer": 3.0})
    grown = Growth([1000, 2000], stages, [1.0, 2.0], dict.fromkeys(("lxml parse", "all", *STAGES), 1.0))
    report = Report(spent, 10**8, 16, True, {1: 20.0, 4: 30.0}, {1: 20.0}, {1: 20.0, 2: 35.0}, None, grown)
    save_plot(report, tmp_path / "all.svg")
    drawn = (tmp_path / "all.svg").read_text(encoding="utf-8")
    for name in (*STAGES, "peer", "processes (of wall time)", "sequence (1.00)"):
        assert f"<!-- {name} -->" in drawn, name
    shown = "\n".join(report.lines())
    assert "processes           pages a second of wall time" in shown
    assert "fitted from 50 KB on" in shown
    assert "3 unseen pages of 1.0 KB" in shown
    assert "x lxml parse: first reading 12.0, read again 6.0, peer 3.0" in shown


def test_samples_are_taken_evenly() -> None:
    pages = [Source(str(number)) for number in range(10)]
    assert [page.html for page in sample(pages, 3)] == ["0", "3", "6"]
    assert sample(pages, None) == sample(pages, 20) == pages


@pytest.mark.parametrize("size", [100, 5_000, 100_000])
def test_pages_are_built_of_real_ones_to_size(size: int) -> None:
    html = page_of_size([Source(ARTICLE), Source("no body")], size)
    assert size <= len(html.encode()) < size + 1000
    assert html.endswith("</body></html>")


def test_each_page_is_first_read_once_and_then_again() -> None:
    read: list[str] = []

    class Recorder:
        def read_many(self, sources: Sequence[Source]) -> list[Exception]:
            read.extend(source.html for source in sources)
            return [ValueError()] * len(sources)

    pages = [Source(str(number)) for number in range(3)]
    found = costs(Recorder(), pages, 2, {"peer": lambda html, _: read.append(f"peer {html}") or ""})  # type: ignore[arg-type, func-returns-value]
    assert read[2:] == ["0", "1", "0", "1", "peer 0", "peer 1", "2", "2", "peer 2"]
    assert read[0] == WARM_UP
    assert (found.pages, found.failed) == (3, 3)
    assert found.again.keys() == found.stages.keys() == set(STAGES)


@pytest.mark.slow
def test_a_peer_that_fails_is_measured_all_the_same() -> None:
    def fail(html: str, _: str | None) -> str:
        raise ValueError(html)

    found = costs(Extractor(LongBlocks(), "expected-f1"), [Source(ARTICLE)], 1, {"peer": fail})
    assert found.peers["peer"] >= 0


@pytest.mark.slow
def test_peers_are_measured_where_they_are_installed(
    data: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(monkeypatch)

    def load() -> Read:
        return lambda html, _: html

    monkeypatch.setattr("research.benchmark.page.PEERS", {"own": Peer("lxml", load), "no": Peer("no-such", load)})
    options = ["--sizes=", "--batch-sizes=", "--threads=", "--processes=", "--no-startup"]
    assert main(["page", data, "--peers", *options]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.startswith(("own", "no "))] == ["own"]


@pytest.mark.slow
def test_only_unseen_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pages.jsonl"
    urls = [None, *(f"https://site{number}.com/" for number in range(40))]
    path.write_text("\n".join(json.dumps({"url": url, "html": ARTICLE}) for url in urls), encoding="utf-8")
    options = ["--sizes=", "--batch-sizes=", "--threads=", "--processes=", "--no-startup", "--no-pairs"]
    assert main(["page", str(path), "--unseen", *options]) == 0
    pages = int(capsys.readouterr().out.split()[0])
    assert 0 < pages < 20


@pytest.mark.slow
def test_the_command_prints_and_writes_what_it_measured(
    data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(monkeypatch)
    monkeypatch.setattr("research.benchmark.stopwatch.HOOKS", HOOKS)
    out = tmp_path / "report.json"
    sizes = ["--sizes", "100,1000,3000", "--batch-sizes", "2"]
    options = ["--no-startup", *sizes, "--threads", "1,2", "--processes=", "--json", str(out)]
    assert main(["page", data, *options]) == 0
    shown = capsys.readouterr().out
    assert "3 pages of 0.3 KB" in shown
    report = json.loads(out.read_text(encoding="utf-8"))
    assert set(report["costs"]["stages"]) == set(report["costs"]["again"]) == set(STAGES)
    assert report["throughput"].keys() == {"2"}
    assert set(report["growth"]["exponents"]) == {"lxml parse", "all", *STAGES}
    assert len(report["growth"]["bytes"]) == 3
    assert report["threads"].keys() == {"1", "2"}
    assert report["processes"] == {}


def test_a_file_that_is_read_is_not_written(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["page", data, "--json", data]) == 1
    assert "is also read, as " in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--max-bytes", "10"], "no page to measure"),
        (["--plot", "picture.docx"], "pictures are written as"),
    ],
)
def test_what_cannot_be_measured_is_said(
    options: list[str], message: str, data: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if "--plot" in options:
        pytest.importorskip("matplotlib")
    assert main(["page", data, *options]) == 1
    assert message in capsys.readouterr().err


def test_a_picture_needs_matplotlib(
    data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import builtins

    real = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ModuleNotFoundError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    assert main(["page", data, "--plot", str(tmp_path / "x.png")]) == 1
    assert "pip install matplotlib" in capsys.readouterr().err
