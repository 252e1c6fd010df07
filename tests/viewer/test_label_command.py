"""``semtext label`` from the command to the file, including the browser."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from labeled_pages import real_pages

from scrapy_semtext.site.labeled_pages import read_labeled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from viewing import Open, Opened

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="the command is ended by SIGINT"),
]


def _heed_interrupts() -> None:
    """Let the command be ended by SIGINT, which shells make background processes ignore."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def labeling(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Run the command on a folder; yields the URL that it prints and, at the end, its other output."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", "scrapy_semtext", "label", str(folder), "-o", str(folder / "labels.jsonl")]
    process = subprocess.Popen(
        [*command, "--no-browser"],
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
        preexec_fn=_heed_interrupts,  # noqa: PLW1509  no threads run here yet
    )
    assert process.stderr is not None
    said: list[str] = []
    try:
        for line in process.stderr:
            said.append(line)
            if line.startswith("http://"):
                break
        yield said[-1].strip(), said
    finally:
        process.send_signal(signal.SIGINT)
        said.append(process.communicate(timeout=20)[1])
    assert process.returncode == 0, said


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    folder = tmp_path / "saved"
    folder.mkdir()
    for name, html in real_pages(3):
        (folder / name).write_text(html, encoding="utf-8")
    return folder


def turn(opened: Opened, label: str) -> tuple[int, str]:
    """Click the first visible block with a label; return its number and text."""
    for item in opened.page.locator(f"#blocks li[data-label={label}]").all():
        number = int(item.get_attribute("data-block") or -1)
        text = item.locator(".text").inner_text()
        mark = opened.copy.locator(f'semtext-mark[data-block="{number}"]').first
        if mark.count() and mark.is_visible():
            mark.click()
            return number, text
    raise AssertionError("the page shows no such block")


def pages_in(folder: Path) -> list[Any]:
    with (folder / "labels.jsonl").open("rb") as lines:
        return list(read_labeled(lines))


def test_a_person_corrects_labels_and_goes_on_later(saved: Path, open_page: Open) -> None:
    with labeling(saved) as (url, said):
        opened = open_page(f"{url}1")
        number, text = turn(opened, "boilerplate")
        opened.page.wait_for_selector("#saved[data-state=saved]")
        (page,) = pages_in(saved)
        assert (page.blocks[number].label, page.blocks[number].by, page.done) == ("main", "person", False)
        assert " ".join(page.blocks[number].text.split()) == " ".join(text.split())
        assert sum(block.by == "person" for block in page.blocks) == 1

        opened.page.keyboard.press("Enter")  # done, and on to the next page
        opened.page.wait_for_url(f"{url}2")
        assert pages_in(saved)[0].done
        opened.page.wait_for_selector("body[data-ready]")
        turn(opened, "main")
        opened.page.wait_for_selector("#saved[data-state=saved]")
        opened.page.goto(f"{url}1")
        opened.page.wait_for_selector("body[data-ready]")
        assert opened.labels()[number] == "M", "as it was saved"
        opened.page.goto(url)
        assert opened.page.locator("tbody a").count() == 3
        assert opened.page.get_by_text("done, 1 block corrected").count() == 1
    assert "Pages with labels in" in said[-1]
    assert re.search(r"labels\.jsonl: 2, done: 1\. Next:", said[-1])

    with labeling(saved) as (url, said):
        assert "3 pages, 1 of them done" in said[-2]
        last = open_page(f"{url}3")
        assert last.labels()[number] == "M"
        assert last.page.locator("body[data-done]").count() == 1
    assert [page.done for page in pages_in(saved)] == [True, False]
