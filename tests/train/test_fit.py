"""Heads fitted to small page sets, and the commands that fit them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest
from kind_pages import article, listing, product
from structure_pages import site_page

from research import kind_folds
from research.true_records import records_of_lines, with_records
from scrapy_semtext.cli import main
from scrapy_semtext.features.table import describe
from scrapy_semtext.read.kinds import KINDS, OVERVIEWS, KindModel
from scrapy_semtext.read.records import load_record_models, save_record_models
from scrapy_semtext.read.sections import load_section_models
from scrapy_semtext.train.datasets import GENERATED, AnnotatedPage, Job, TrainingError, split_side
from scrapy_semtext.train.fit import HeadTraining, Trees, outside_folds, read_examples, train
from scrapy_semtext.train.kinds import fit_kinds, kind_examples
from scrapy_semtext.train.records import TrueRecord, fit_records, record_examples, true_records
from scrapy_semtext.train.sections import MISCELLANY, PROSE, TITLE, UNKNOWN, section_examples
from scrapy_semtext.train.structure import fit_structure, structure_examples

pytest.importorskip("lightgbm")

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_semtext.labelers.structure_trees import StructureTrees


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


@pytest.fixture(scope="module")
def fitted() -> StructureTrees:
    pages = [site_page(number) for number in range(60)]
    settings = Trees(30, leaves=31, rate=0.1, least=60)
    return fit_structure(read_examples(pages, structure_examples), settings=settings, columns=20)


def test_fitted_trees_tell_main_content(fitted: StructureTrees) -> None:
    page = site_page(99)
    described = describe(page.html, page.url)
    keep = fitted.log_odds([described])[0] > 0
    assert [block.text in page.text for block in described.text_blocks] == keep.tolist()
    assert len(fitted.columns) + len(fitted.words) <= 20


MADE = {"article": article, "listing": listing, "product": product}


def made(kind: str, number: int) -> AnnotatedPage:
    return AnnotatedPage(
        id=f"{kind}{number}",
        dataset="wcxb_dev",
        url=f"https://{kind}{number}.example/news/{number}",
        page_type=kind,
        lang="en",
        html=f"<html>{MADE[kind](number)}</html>",
        text="",
        domain=f"{kind}{number}.example",
    )


@pytest.fixture(scope="module")
def fitted_kinds() -> KindModel:
    pages = [made(kind, number) for kind in MADE for number in range(40)]
    settings = Trees(20, leaves=6, rate=0.08, least=15, objective="multiclass", num_class=len(KINDS))
    return fit_kinds(read_examples(pages, kind_examples), settings=settings, inner_folds=2)


def test_a_fitted_model_tells_kinds(fitted_kinds: KindModel) -> None:
    for kind in MADE:
        page = made(kind, 77)
        found = fitted_kinds.read(describe(page.html, page.url))
        assert found is not None
        assert found.kind == kind
        assert found.probability > 0.5
        assert found.is_overview == (kind in OVERVIEWS) == (found.overview_probability >= fitted_kinds.threshold)
        (probabilities,) = fitted_kinds.probabilities([describe(page.html, page.url)])
        assert probabilities is not None
        assert fitted_kinds.likeliest(probabilities, threshold=0).kind in OVERVIEWS, (
            "the kind agrees with the page being an overview"
        )
    assert fitted_kinds.read(describe("", None)) is None


def test_of_generated_pages_only_threads_and_comments_are_learned() -> None:
    page = replace(made("article", 1), dataset=GENERATED)
    learned = {
        kind: kind_examples(replace(page, page_type=kind)) for kind in ("thread", "comments", "listing", "article")
    }
    assert {kind: [KINDS[each.kind] for each in found] for kind, found in learned.items()} == {
        "thread": ["forum"],
        "comments": ["article"],
        "listing": [],
        "article": [],
    }


@pytest.mark.slow
def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "wcxb_dev.jsonl"
    pages = [made(kind, number) for kind in MADE for number in range(60)]
    names = ("id", "url", "html", "text", "page_type")
    data.write_text("".join(json.dumps({name: getattr(page, name) for name in names}) + "\n" for page in pages))
    assert main(["dev", "train", "kinds", str(data), "--out", str(tmp_path / "b"), "--test-fold", "1"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["split"]["test_fold"] == 1
    assert 100 < sum(record["kinds"].values()) < 180
    assert kind_folds.main([str(data), "--bundles", str(tmp_path / "b")]) == 0
    assert "Kinds classified correctly: 100.0" in capsys.readouterr().out
    assert kind_folds.main([str(data), "--bundles", str(tmp_path / "b"), str(tmp_path / "b")]) == 1
    assert "kept out fold 1" in capsys.readouterr().err


FIRST = "A dull knife slips off what it should cut, and that is how most people come to be hurt in kitchens."
SECOND = "Put the stone on a wet towel, and draw the blade over it at the angle of a match box, again and again."


def page(number: int = 0) -> AnnotatedPage:
    text = f"How to sharpen a knife\nBy Ann\n{FIRST}\nWhat you need\na stone\na towel\nThe stone\n{SECOND}"
    html = f"""<title>Knives</title><ul class="nav"><li><a href="/">Home</a><li><a href="/knives">Knives</a></ul>
    <article><h1>How to sharpen a knife</h1><p class="byline">By Ann</p><p>{FIRST}</p><h2>What you need</h2>
    <ul><li>a stone</li><li>a towel</li></ul><h2>The stone</h2><p>{SECOND}</p><p><b>Bold</b></p><p>{FIRST}</p></article>
    <footer><p>All rights reserved by shop {number}.</p></footer>"""
    text = f"{text}\nBold\n{FIRST}"
    return AnnotatedPage(f"p{number}", "wcxb_dev", None, "article", "en", html, text, f"site{number}.example")


def test_roles_follow_the_tags_and_are_kept_when_headings_are_disguised() -> None:
    shown, disguised = section_examples(page(), seed=1)
    expected = [TITLE, MISCELLANY, PROSE, TITLE, PROSE, PROSE, TITLE, PROSE, UNKNOWN, PROSE]
    assert shown.roles.tolist() == [UNKNOWN, UNKNOWN, *expected, UNKNOWN]
    assert disguised.roles.tolist() == shown.roles.tolist()
    assert shown.relevant.tolist() == disguised.relevant.tolist() == [False, False, *[True] * 10, False]
    assert not shown.disguised
    assert disguised.disguised
    assert (shown.rows != disguised.rows).any()


@pytest.mark.slow
def test_the_command_trains_models_on_pages_that_may_be_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows: list[dict[str, Any]] = [
        {"id": one.id, "dataset": one.dataset, "url": f"https://{one.domain}/", "html": one.html, "text": one.text}
        for one in map(page, range(40))
    ]
    data = tmp_path / "wcxb_dev.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["dev", "train", "sections", str(data), "--out", str(tmp_path / "bundle")]) == 0
    record = json.loads(capsys.readouterr().out)
    assert load_section_models(tmp_path / "bundle").training == record
    assert record["pages"]["training"]["wcxb_dev"] + record["pages"]["test"]["wcxb_dev"] == 40
    assert set(record["scores"]) == {"as they are", "headings disguised"}


def test_the_command_says_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "other.jsonl"
    data.write_text(json.dumps({"id": "1", "html": "<p>x</p>", "text": "x"}) + "\n")
    assert main(["dev", "train", "sections", str(data), "--out", str(tmp_path / "bundle")]) == 1
    assert "--any-licence" in capsys.readouterr().err


NAMES = ("Apples", "Pears", "Plums", "Cherries", "Berries", "Quinces")
URL = "https://example.com/fruit/"


def list_page(html: str, text: str, number: int = 0) -> AnnotatedPage:
    return AnnotatedPage(f"p{number}", "set", URL, "listing", "en", html, text, f"site{number}.com")


def fruit(
    number: int = 0, rows: str = "<li><h3><a href={name}>The {name} of spring</a></h3><p>Sweet {name}.</p>"
) -> AnnotatedPage:
    html = "<nav>" + "".join(f"<a href=/{i}>Section number {i}</a>" for i in range(5)) + "</nav><ul>"
    html += "".join(rows.format(name=name) for name in NAMES) + "</ul>"
    text = "\n".join(f"The {name} of spring\nSweet {name}." for name in NAMES)
    return list_page(html, text, number)


def test_titles_are_links_whose_text_is_a_line_of_the_truth() -> None:
    found = records_of_lines(fruit())
    assert found[0] == TrueRecord("the apples of spring", "https://example.com/fruit/Apples")
    assert len(found) == 6


def test_a_list_that_is_not_in_the_truth_gives_none() -> None:
    assert records_of_lines(list_page(fruit().html, "Something else\nThe Apples of spring\nThe Plums of spring")) == []


def test_records_that_a_set_states_are_taken_as_they_are_or_counted() -> None:
    stated = replace(fruit(), page_type="other", extra={"records": [{"title": "The Plums!", "url": f"{URL}Plums#top"}]})
    assert true_records(stated) == [TrueRecord("the plums", f"{URL}Plums")]
    cells = [["The Apples of spring", "Sweet Apples."]]
    row = with_records(replace(fruit(), extra={"records": 6 * cells}), frozenset())
    assert row is not None
    assert len(row["extra"]["records"]) == 6
    assert with_records(replace(fruit(), extra={"records": 9 * cells}), frozenset()) is None


def test_pages_whose_ids_are_listed_state_the_records_of_their_lines() -> None:
    assert with_records(fruit(), frozenset()) is None
    row = with_records(fruit(), frozenset(["p0"]))
    assert row is not None
    assert true_records(AnnotatedPage(**row, domain="site0.com")) == records_of_lines(fruit())


def test_models_are_fitted_stored_and_measured(tmp_path: Path) -> None:
    rows = "<a href={name}><b>New</b> <h3>The {name} of spring</h3><p>Sweet {name}.</p></a>"
    pages = [fruit(number, rows) for number in range(30)]
    stated = [replace(each, extra={"records": [*map(TrueRecord._asdict, records_of_lines(each))]}) for each in pages]
    examples = read_examples(stated, record_examples)
    models = fit_records(examples)
    (column,) = models.main_columns(examples[0].lists)
    assert [member.text for member in column.members] == [f"The {name} of spring" for name in NAMES]
    save_record_models(tmp_path, models)
    loaded = load_record_models(tmp_path)
    assert [each.members for each in loaded.main_columns(examples[0].lists)] == [column.members]
