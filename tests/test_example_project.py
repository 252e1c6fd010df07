"""The example project as a newcomer runs it: a whole crawl of the bundled pages, and its output."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from scrapy_semtext.read.markup import qa_pairs_from_markup
from scrapy_semtext.train.datasets import registered_domain, split_side

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "example_project"
sys.path.insert(0, str(EXAMPLE))

from example.bundled import SITE, BundledPage, bundled_pages  # noqa: E402
from example.threads import NAME  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.crawl]

PAGES = list(bundled_pages().values())

#: What the site serves besides its pages and becomes an item too: path to why there was no text in it.
ODD = {
    "/odd/picture.png": "not_html",
    "/odd/notes.txt": "not_html",
    "/odd/empty.html": "empty",
    "/odd/binary.html": "binary",
    "/odd/unclosed.html": None,
}


class Crawl:
    """The output of a finished crawl in its folder."""

    def __init__(self, output: Path, printed: str) -> None:
        self.output = output
        self.printed = printed
        lines = (output / "items.jsonl").read_text(encoding="utf-8").splitlines()
        self.items: list[dict[str, Any]] = [json.loads(line) for line in lines]
        self.by_path = {urlsplit(item["url"]).path: item for item in self.items}

    @property
    def stats(self) -> dict[str, Any]:
        stats: dict[str, Any] = json.loads((self.output / "stats.json").read_text(encoding="utf-8"))
        return stats

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        return [self.by_path[page.path] for page in PAGES if page.kind == kind]


def run(output: Path, *command: str, folder: Path = ROOT) -> str:
    """Run a crawl as a separate process, with warnings as errors, and return its output."""
    search = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "EXAMPLE_OUTPUT": str(output), "PYTHONPATH": search}
    command = (sys.executable, "-W", "error", *command)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    log = output / "crawl.log"
    said = done.stdout + done.stderr + (log.read_text(encoding="utf-8") if log.exists() else "")
    assert "Traceback" not in said, said[said.index("Traceback") :][:3000]
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    output = tmp_path_factory.mktemp("crawl")
    return Crawl(output, run(output, str(EXAMPLE / "run.py"), "--view", str(output / "views")))


def test_every_page_becomes_one_item(crawl: Crawl) -> None:
    assert sorted(crawl.by_path) == sorted([*bundled_pages(), *ODD])
    assert len(crawl.items) == len(crawl.by_path)


def test_every_page_gives_text_and_title(crawl: Crawl) -> None:
    assert [page.name for page in PAGES if len(crawl.by_path[page.path]["main_text"].split()) < 20] == []
    assert [page.name for page in PAGES if not crawl.by_path[page.path]["title"]] == []


def test_what_is_no_page_still_becomes_an_item(crawl: Crawl) -> None:
    unread = [path for path, reason in ODD.items() if reason is not None]
    assert [list(crawl.by_path[path]) for path in unread] == [["url"]] * len(unread)
    assert "Nothing here" in crawl.by_path["/odd/unclosed.html"]["main_text"]


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("article", {"url", "title", "main_text", "page_kind"}),  # a dataclass
        ("documentation", {"url", "title", "main_text", "sections"}),  # an attrs class
        ("forum", {"url", "title", "main_text"}),  # a scrapy.Item
        ("question", {"url", "title", "main_text", "qa_pairs"}),  # a pydantic model
        ("faq", {"url", "title", "main_text", "qa_pairs", "page_kind"}),  # a dict
        ("product", {"url", "title", "main_text", "page_kind"}),  # a dict of a page without pairs
    ],
)
def test_items_of_each_type_get_the_fields_they_declare(crawl: Crawl, kind: str, fields: set[str]) -> None:
    assert {frozenset(item) for item in crawl.of_kind(kind)} == {frozenset(fields)}


def test_a_question_comes_with_its_answers(crawl: Crawl) -> None:
    for item in crawl.of_kind("question"):
        assert len(item["qa_pairs"]) >= 1
        assert all(pair["question"] and pair["answer"] for pair in item["qa_pairs"])


def test_documentation_comes_in_sections(crawl: Crawl) -> None:
    def count(sections: list[dict[str, Any]]) -> int:
        return sum(1 + count(section["sections"]) for section in sections)

    assert sum(count(item["sections"]) > 2 for item in crawl.of_kind("documentation")) >= 6


def test_stats_add_up(crawl: Crawl) -> None:
    stats = crawl.stats
    skipped = {key.rsplit("/", 1)[1]: n for key, n in stats.items() if key.startswith("semtext/pages/skipped/")}
    # Left alone are the odd ends, the 404, robots.txt, and the navigation: an index and the lists.
    lists = sum(-(-count // 5) for count in Counter(page.kind for page in PAGES).values())
    assert skipped == {"not_html": 2, "empty": 1, "binary": 1, "status": 1, "no_callback": 1, "meta": lists + 2}
    assert stats["semtext/pages/skipped"] == sum(skipped.values())
    assert stats["semtext/pages"] == stats["semtext/items/filled"] == len(PAGES) + 1
    assert stats["semtext/responses"] == stats["semtext/pages"] + stats["semtext/pages/skipped"]
    assert stats["semtext/responses"] == stats["response_received_count"]
    assert stats["semtext/items/filled"] + stats["semtext/items/without_page"] == stats["item_scraped_count"]
    assert 0 < stats["semtext/blocks/main"] < stats["semtext/blocks"]


def test_summary_names_each_kind_with_its_score(crawl: Crawl) -> None:
    for kind, count in Counter(page.kind for page in PAGES).items():
        assert re.search(rf"^{kind} +{count} +[01]\.\d\d\d$", crawl.printed, re.MULTILINE)
    mean = re.search(r"^all +\d+ +([01]\.\d+)$", crawl.printed, re.MULTILINE)
    assert mean is not None
    assert float(mean[1]) > 0.75


def messages(output: Path) -> list[tuple[str, str]]:
    """Return question and answer of each line of the file for chat models."""
    rows = [json.loads(line)["messages"] for line in (output / "qa.jsonl").read_text(encoding="utf-8").splitlines()]
    assert all([message["role"] for message in row] == ["user", "assistant"] for row in rows)
    return [(row[0]["content"], row[1]["content"]) for row in rows]


def test_harvest_of_pairs_into_a_file_for_chat_models(tmp_path: Path) -> None:
    pytest.importorskip("datasketch")
    printed = run(tmp_path, str(EXAMPLE / "run.py"), "qa")
    assert "datasketch" not in printed
    pairs, stats = messages(tmp_path), json.loads((tmp_path / "stats.json").read_text(encoding="utf-8"))
    assert len(pairs) == len(set(pairs)) == stats["semtext/pairs/kept"] >= 70
    assert re.search(rf"^pairs kept: +{len(pairs)}$", printed, re.MULTILINE)
    assert all(len(answer) >= 20 for _, answer in pairs)
    # The thread is one of the questions in pieces: put together, it gives the same pairs, which is why they go.
    assert stats["semtext/pairs/dropped/duplicate"] >= 20
    assert {"log_count/WARNING", "log_count/ERROR"}.isdisjoint(stats)
    assert stats["semtext/pairs"] == stats["semtext/pairs/kept"] + stats["semtext/pairs/dropped"]
    shortest = min(pairs, key=lambda pair: len(json.dumps(pair)))
    assert shortest[0] in printed


def test_thread_of_several_pages_gives_the_pairs_of_the_whole(tmp_path: Path) -> None:
    settings = ["-s", 'SEMTEXT_QA={"min_votes": -9, "min_answer": 20}', "-a", "threads=5", "-a", "kinds=thread"]
    run(tmp_path, "-m", "scrapy", "crawl", "qa", *settings, folder=EXAMPLE)
    whole = qa_pairs_from_markup(bundled_pages()[f"/pages/{NAME}.html"].html())
    assert messages(tmp_path) == [(pair.question, pair.answer) for pair in whole if len(pair.answer) >= 20]
    assert len({question for question, _ in messages(tmp_path)}) == 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_may_be_given_on_and_says_whose_it_is(page: BundledPage) -> None:
    attribution = (SITE / "ATTRIBUTION.md").read_text(encoding="utf-8")
    line = next(line for line in attribution.splitlines() if line.startswith(f"| `{page.name}`"))
    assert page.licence in ("CC BY 4.0", "CC BY-SA")
    assert f"(<{page.url}>) | {page.dataset} {page.id} | {page.licence} | {page.side} |" in line


def test_only_questions_may_come_from_domains_of_the_training() -> None:
    assert [page.name for page in PAGES if page.side != split_side(registered_domain(page.url))] == []
    assert {page.kind for page in PAGES if page.side != "test"} <= {"question"}
