"""Training and evaluation of the pair models: truth, scores, folds, and a whole training on fictional pages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("lightgbm")


from research import made_pages, pair_folds
from research.pair_scoring import pair_prf
from scrapy_semtext.page import QAPair
from scrapy_semtext.read.posts import load_pair_models
from scrapy_semtext.train.datasets import Job, TrainingError, read_pages
from scrapy_semtext.train.fit import train
from scrapy_semtext.train.pairs import FAQ, HEAD
from scrapy_semtext.train.posts import TruePair, read_pair_pages

if TYPE_CHECKING:
    from pathlib import Path

_TRUTH = [TruePair(("Why?\nIt leaks a lot.", "Why?", "It leaks a lot."), "Glue it well."), TruePair(("How?",), "So.")]


def _text(seed: int, words: int = 14) -> str:
    return " ".join(f"w{(seed * 31 + place * 7) % 97}" for place in range(words)).capitalize() + "."


def _thread(number: int, layout: int) -> dict[str, Any]:
    posts = [_text(number * 10 + post) for post in range(4)]
    by = [f"<b>User{post}</b> <i>{post + 1} May 2024 10:3{post}</i>" for post in range(4)]
    if layout:
        body = "".join(
            f"<div class='msg'><p>{who}</p><div class='body'>{text}</div></div>"
            for who, text in zip(by, posts, strict=True)
        )
    else:
        body = "<table>" + "".join(f"<tr><td>{who}<td>{text}" for who, text in zip(by, posts, strict=True)) + "</table>"
    return {
        "id": f"t{number}",
        "engine": f"engine{number % 6}",
        "kind": "thread",
        "site": f"forum{number}.example",
        "url": f"https://forum{number}.example/thread/{number}",
        "html": f"<title>Why {number}?</title><h1>Why {number}?</h1><nav><a href=/>Start</a></nav>{body}<p>Imprint</p>",
        "main_text": "\n".join(posts),
        "question": {"title": f"Why {number}?", "body": posts[0]},
        "answers": [{"text": text} for text in posts[1:]],
        "licence": "MIT",
    }


def _faq(number: int) -> dict[str, Any]:
    pairs = [{"question": f"Is it {_text(number + n, 4)[:-1]}?", "answer": _text(number * 3 + n)} for n in range(4)]
    body = "".join(f"<details><summary>{pair['question']}</summary><p>{pair['answer']}</p></details>" for pair in pairs)
    return {
        "id": f"f{number}",
        "engine": "faqpage",
        "kind": "faq",
        "url": f"https://shop{number}.example/faq",
        "html": f"<title>FAQ</title><h1>Questions</h1>{body}",
        "main_text": "",
        "pairs": pairs,
        "licence": "MIT",
    }


def _article(number: int) -> dict[str, Any]:
    text = "".join(f"<p>{_text(number * 5 + part, 40)}</p>" for part in range(6))
    menu = "<nav><ul><li><a href=/a>Home</a><li><a href=/b>Sport</a></ul></nav>"
    html = f"<title>News {number}</title>{menu}<h1>News</h1>{text}"
    url = f"https://news{number}.example/{number}.html"
    return {"id": f"a{number}", "url": url, "html": html, "text": "x", "page_type": "article", "licence": "MIT"}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "pages.jsonl"
    asked = [_thread(number, number % 2) for number in range(30)] + [_faq(number) for number in range(8)]
    path.write_text("\n".join(map(json.dumps, asked)) + "\n")
    plain = path.with_name("plain.jsonl")
    plain.write_text("\n".join(json.dumps(_article(number)) for number in range(30)) + "\n")
    return path


def test_pairs_are_right_by_question_and_answer() -> None:
    found = [QAPair("Why?", "Glue it well."), QAPair("When?", "So."), QAPair("Why?", "Glue it well.")]
    assert pair_prf(found, _TRUTH) == pytest.approx((1 / 3, 1 / 2, 0.4))
    assert pair_prf([], []).f1 == 1.0
    assert pair_prf([], _TRUTH).f1 == 0.0


def test_answers_below_an_article_are_comments_and_no_pairs(tmp_path: Path) -> None:
    question = {"title": "A new bridge", "body": "The town has a new bridge."}
    row = {"id": "1", "engine": "blog", "kind": "comments", "html": "<p>Fine.</p>", "main_text": question["body"]}
    path = tmp_path / "blog.jsonl"
    path.write_text(json.dumps(row | {"question": question, "answers": [{"text": "It is fine."}]}) + "\n")
    (page,) = read_pair_pages([path])
    assert (page.role, page.posts, page.pairs, page.opening) == ("comments", ["It is fine."], None, None)


def test_made_pages_are_read_as_they_were_written(data: Path, tmp_path: Path) -> None:
    made_pages.main([str(tmp_path / "made.jsonl.xz"), str(data)])
    pages = [*read_pair_pages([data])]
    assert [*read_pair_pages([tmp_path / "made.jsonl.xz"])] == [*made_pages.made_pages(pages, [data])]
    assert not [*read_pages(tmp_path / "made.jsonl.xz")]


@pytest.mark.slow
def test_a_training_from_pages_to_models_that_read(data: Path, tmp_path: Path) -> None:
    sets = data, data.with_name("plain.jsonl")
    made = tmp_path / "made.jsonl.xz"
    made_pages.main([str(made), *map(str, sets)])
    record = train(HEAD, Job((*sets, made), tmp_path, test_share=0))
    counts = {"pages posts": 30, "pages faq": 8, "plain none": 30, "pages variant": 150}
    assert record["pages"] == {"training": counts}
    models, shipped = load_pair_models(tmp_path), load_pair_models()
    assert models.training == record | {"faq": shipped.training["faq"]}
    assert np.array_equal(models.faq.value, shipped.faq.value)


def test_the_faq_model_is_trained_alone(data: Path, tmp_path: Path) -> None:
    listed = tmp_path / "listed.jsonl"
    listed.write_text(json.dumps(_faq(9) | {"id": "none", "url": "https://none.example/", "pairs": []}) + "\n")
    out = tmp_path / "bundle"
    job = Job((data, data.with_name("plain.jsonl"), listed), out, test_share=0)
    record = train(FAQ, job)
    counts = {"pages posts": 30, "pages faq": 8, "plain none": 30, "listed faq": 1}
    assert record["pages"] == {"training": counts}
    models, shipped = load_pair_models(out), load_pair_models()
    assert models.training == shipped.training | {"faq": record}
    assert np.array_equal(models.posts.page.value, shipped.posts.page.value)
    assert not np.array_equal(models.faq.value, shipped.faq.value)
    with pytest.raises(TrainingError, match="pairs of a FAQ"):
        train(FAQ, Job((data.with_name("plain.jsonl"),), out))


@pytest.mark.slow
def test_pages_are_read_by_models_of_other_engines(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "pairs.jsonl"
    assert pair_folds.main([str(data), str(data.with_name("plain.jsonl")), "--out", str(out)]) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    variants = {row["id"] for row in rows if "/" in row["id"]}
    assert {variant.partition("/")[2] for variant in variants} == {f"t{number}" for number in range(30)}
    pages = read_pair_pages([data, data.with_name("plain.jsonl")])
    assert {row["id"] for row in rows} - variants == {page.id for page in pages}
    printed = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    assert {("all", "38"), ("thread", "30"), ("faq", "8"), ("pages", "30")} <= {tuple(words) for words in printed}
