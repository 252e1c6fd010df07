"""The effect of site templates."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from sites import site_page, text_of, url_of

from research.site_evaluation import SitePage, evaluate_sites, main, score_site, total
from scrapy_semtext import Extractor
from scrapy_semtext.features.table import PostBlocks, describe
from scrapy_semtext.models.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy_semtext.features.table import ParsedPage


def true_pages(folder: Path) -> Path:
    rows = [{"id": str(n), "url": url_of(n), "html": site_page(n), "text": text_of(n)} for n in range(12)]
    (folder / "truths.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder / "truths.jsonl"


def evaluated(number: int) -> SitePage:
    parsed = describe(site_page(number), url_of(number))
    texts = [block.text for block in parsed.text_blocks]
    keep = np.array([len(text.split()) > 5 for text in texts])
    main_blocks = np.array([text == text_of(number) for text in texts])
    return SitePage(parsed, keep, np.where(keep, 0.9, 0.1), main_blocks, text_of(number))


def test_evaluation_counts_what_is_wrongly_kept_and_lost() -> None:
    score = score_site("site.test", "test", [evaluated(number) for number in range(10)])
    assert (score.pages, score.boilerplate) == (10, 40)
    wrong = {use: (outcome.wrong, outcome.wrong_shared, outcome.lossy_pages) for use, outcome in score.outcomes.items()}
    assert wrong == {"alone": (10, 10, 0), "live": (2, 2, 0), "exact": (0, 0, 0)}
    assert score.outcomes["exact"].f1 == pytest.approx(10)
    assert total("all", [score, score]).outcomes["live"].wrong == 4


def test_pages_are_read_with_their_posts_as_evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(page: ParsedPage, _: object) -> PostBlocks:
        count = len(page.text_blocks)
        return PostBlocks(0.9, 2, np.zeros(count), np.full(count, -1, dtype=np.int64), 0.0)

    monkeypatch.setattr("research.site_evaluation.blocks_in_posts", found)  # the pages are no threads
    seen: list[bool] = []

    class Watching:
        def score(self, pages: Sequence[ParsedPage], posts: Sequence[PostBlocks | None] = ()) -> list[Scores]:
            seen.extend(each is not None for each in posts)
            return [Scores(np.full(len(page.text_blocks), 0.9), np.ones(len(page.text_blocks), bool)) for page in pages]

    truths = true_pages(tmp_path)
    (score,) = evaluate_sites([truths], Extractor(Watching(), "expected-f1", requires_posts=True), progress=False)
    assert score.pages == 12
    assert seen == [True] * 12


@pytest.mark.slow
def test_the_command_prints_a_line_for_each_site(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(true_pages(tmp_path)), "--labeler", "textsweeper"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[:4] == ["site", "side", "pages", "plate"]
    assert [int(line[32:38]) for line in lines[2:]] == [12, *([12, 0] if " test " in lines[2] else [0, 12]), 12]
