"""The fit that all heads of trees share: roles of pages, folds, and the training record."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("lightgbm")

from scrapy_semtext.train.datasets import Job, TrainingError, split_side
from scrapy_semtext.train.fit import HeadTraining, outside_folds, train

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class Learned:
    pages: list[str]
    training: dict[str, Any] = field(default_factory=dict)


class Files:
    def __init__(self) -> None:
        self.written: list[tuple[Path, Learned]] = []

    def write(self, folder: Path, model: Learned) -> None:
        self.written.append((folder, model))


@pytest.fixture
def job(tmp_path: Path) -> Job:
    rows = [
        {"id": f"p{i}", "url": f"https://site{i}.example/", "html": "", "text": "", "licence": "MIT"} for i in range(30)
    ]
    rows.append({**rows[0], "id": "closed", "url": "https://closed.example/", "html": "x", "licence": "CC BY-NC"})
    data = tmp_path / "own.jsonl"
    data.write_text("".join(json.dumps(row | {"html": row["id"]}) + "\n" for row in rows))
    return Job((data,), tmp_path / "bundle", seed=4)


def head(files: Any, **values: Any) -> HeadTraining[Any, Any, Any]:
    return HeadTraining(
        files, reader=lambda _: lambda page: [page.id], fit=lambda ids, _: Learned(list(ids)), needs="pages", **values
    )


def _is_test(number: int) -> bool:
    return split_side(f"site{number}.example", valid_share=0) == "test"


def test_held_out_domains_and_closed_licences_are_not_learned_from(job: Job) -> None:
    files = Files()
    record = train(head(files), job)
    ((folder, model),) = files.written
    assert folder == job.out
    assert model.pages == [f"p{i}" for i in range(30) if not _is_test(i)]
    assert model.training == record
    assert record["pages"] == {"training": {"own": len(model.pages)}}
    assert {"date", "versions", "seed", "data", "any_licence", "split"} < set(record)
    assert record["versions"].keys() == {"scrapy-semtext", "lightgbm"}


def test_pages_that_check_a_head_are_only_reported(job: Job) -> None:
    record = train(
        head(
            Files(),
            pages=lambda job: job.pages("train", "test"),
            checks=True,
            report=lambda model, examples, others: {"learned": [*examples], "checked": [*others]},
        ),
        job,
    )
    assert record["checked"] == [f"p{i}" for i in range(30) if _is_test(i)]
    assert not {*record["learned"]} & {*record["checked"]}
    assert record["pages"] == {"training": {"own": len(record["learned"])}, "test": {"own": len(record["checked"])}}


def test_without_suitable_pages_the_error_says_which_are_needed(job: Job) -> None:
    no_files: Any = Files()
    empty: HeadTraining[Any, Any, Any] = HeadTraining(
        no_files, reader=lambda _: lambda _: [], fit=lambda *_: Learned([]), needs="pages of shops"
    )
    with pytest.raises(TrainingError, match=r"own\.jsonl.*pages of shops.*--any-licence"):
        train(empty, job)


def test_a_domain_is_on_one_side_of_a_fold_by_family() -> None:
    families, domains = [0, 0, 1, 1], ["a.example", "b.example", "b.example", "c.example"]
    assert [*outside_folds(families, domains, 2)] == [(0, [3]), (1, [0])]
