"""Settings: their defaults, and messages that give the problem and the valid values."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from harvesting import environment
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings

import scrapy_semtext
from scrapy_semtext.exporters import FEED_EXPORTERS
from scrapy_semtext.integration.setting_values import SettingsError, is_enabled, require_enabled
from scrapy_semtext.integration.settings import (
    NOTE,
    QA_KEYS,
    QASettings,
    SemtextSettings,
    warn_about_names,
)
from scrapy_semtext.options import Options
from scrapy_semtext.page import Page
from scrapy_semtext.read.pair_rows import COLUMNS, PairRules
from scrapy_semtext.results import METADATA, OF_OPTIONS, RESULTS

DEFAULT = {name: name for name in ("title", "main_text", "page_kind", "qa_pairs")}


@pytest.mark.smoke
def test_the_defaults() -> None:
    read = SemtextSettings.read(Settings())
    assert list(read.fields.items()) == list(DEFAULT.items())
    assert read.extractor == "scrapy_semtext.extractor.Extractor"
    assert (read.bundle, read.device, read.options) == (None, "auto", {})
    assert (read.batch_size, read.max_body) == (16, 5 * 2**20)


def test_values_of_the_command_line_are_strings() -> None:
    read = SemtextSettings.read(
        Settings({"SEMTEXT_BATCH_SIZE": "4", "SEMTEXT_OPTIONS": '{"markup": false}', "SEMTEXT_PROCESS_TUNING": "0"})
    )
    assert (read.batch_size, read.options, read.process_tuning) == (4, {"markup": False}, False)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SEMTEXT_BATCH_SIZE", 0, "SEMTEXT_BATCH_SIZE is 0; it has to be a whole number of at least 1"),
        ("SEMTEXT_BATCH_SIZE", "many", "SEMTEXT_BATCH_SIZE is 'many'; it has to be a whole number of at least 1"),
        ("SEMTEXT_MAX_BODY", "20 MB", "SEMTEXT_MAX_BODY is '20 MB'; it has to be a whole number of at least 1"),
        ("SEMTEXT_PROCESS_TUNING", "maybe", "SEMTEXT_PROCESS_TUNING is 'maybe'; it has to be True or False"),
        (
            "SEMTEXT_FIELDS",
            5,
            "SEMTEXT_FIELDS is 5; it has to be a dict or a list of results, which may be written as JSON",
        ),
        (
            "SEMTEXT_FIELDS",
            {"maintext": "body"},
            "SEMTEXT_FIELDS maps 'maintext', which is not a result; the results are url,",
        ),
        ("SEMTEXT_FIELDS", {"title": 3}, "SEMTEXT_FIELDS maps 'title' to 3; it has to be the name of a field"),
        ("SEMTEXT_FIELDS", {"title": "a", "url": "a"}, "SEMTEXT_FIELDS maps two results to one field"),
        ("SEMTEXT_OPTIONS", 5, "SEMTEXT_OPTIONS is 5; it has to be a dict"),
    ],
)
def test_a_wrong_value_is_named_with_what_would_do(name: str, value: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(message)):
        SemtextSettings.read(Settings({name: value}))


@pytest.mark.smoke
def test_the_defaults_for_pairs_let_all_pass() -> None:
    read = QASettings.read(Settings())
    assert read == QASettings()
    assert read.rules == PairRules()
    assert (read.item_per_pair, read.dedup, read.dedup_threshold, read.dedup_size) == (False, False, 0.85, 50_000)


def test_values_for_pairs_of_the_command_line_are_strings() -> None:
    given = '{"min_score": "0.5", "min_votes": -1, "accepted_only": false, "max_answer": 99, "languages": "en, pt-BR"}'
    read = QASettings.read(Settings({"SEMTEXT_QA": given}))
    assert read.rules == PairRules(min_score=0.5, min_votes=-1, max_answer=99, languages=("en", "pt"))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("item_per_pair", "maybe", "SEMTEXT_QA[\"item_per_pair\"] is 'maybe'; it has to be True or False"),
        (
            "fields",
            {"ask": "q"},
            "SEMTEXT_QA[\"fields\"] maps 'ask', which is not a result; the results are question, answer,",
        ),
        ("dedup_size", 0, 'SEMTEXT_QA["dedup_size"] is 0; it has to be a whole number of at least 1'),
        ("dedup_threshold", 1.5, 'SEMTEXT_QA["dedup_threshold"] is 1.5; it has to be a number from 0.1 to 1'),
        ("dedup_threshold", 0, 'SEMTEXT_QA["dedup_threshold"] is 0.0; it has to be a number from 0.1 to 1'),
        ("min_score", 7, 'SEMTEXT_QA["min_score"] is 7; it has to be a number from 0 to 1'),
        ("languages", 5, "SEMTEXT_QA[\"languages\"] is 5; it has to be a list of language codes, such as ['en', 'de']"),
    ],
)
def test_a_wrong_value_for_pairs_is_named_with_what_would_do(key: str, value: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(message)):
        QASettings.read(Settings({"SEMTEXT_QA": {key: value}}))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SEMTEXT_QA", {"min_vote": 1}, "SEMTEXT_QA has no key 'min_vote'; did you mean 'min_votes'?"),
        ("SEMTEXT_QA", {"color": 1}, "SEMTEXT_QA has no key 'color'; the keys are item_per_pair, fields, dedup,"),
        ("SEMTEXT_QA", 3, "SEMTEXT_QA is 3; it has to be a dict, or a dict written as JSON"),
        ("SEMTEXT_SITE_TEMPLATES", {"size": 3}, "SEMTEXT_SITE_TEMPLATES is {'size': 3}; it has to be True or False"),
        ("SEMTEXT_SITE_TEMPLATES", "perhaps", "SEMTEXT_SITE_TEMPLATES is 'perhaps'; it has to be True or False"),
    ],
)
def test_unknown_keys_are_named_with_the_nearest(name: str, value: Any, message: str) -> None:
    kind = QASettings if name == "SEMTEXT_QA" else SemtextSettings
    with pytest.raises(SettingsError, match=re.escape(message)):
        kind.read(Settings({name: value}))


def test_a_misspelt_name_is_warned_about(caplog: pytest.LogCaptureFixture) -> None:
    warn_about_names(Settings({"SEMTEXT_FEILDS": {}}))
    assert "no setting SEMTEXT_FEILDS; did you mean SEMTEXT_FIELDS?" in caplog.text
    warn_about_names(Settings({"SEMTEXT_METADATA": True}))
    assert 'no setting SEMTEXT_METADATA; did you mean SEMTEXT_OPTIONS["metadata"]?' in caplog.text
    warn_about_names(Settings({"SEMTEXT_VIEW_KEEP": "first"}))
    assert "no setting SEMTEXT_VIEW_KEEP: the pages that the model was least sure of are kept" in caplog.text


@pytest.mark.parametrize(("value", "enabled"), [(True, True), ("1", True), (False, False), ("0", False), (None, False)])
def test_enabled(value: Any, *, enabled: bool) -> None:
    assert is_enabled(Settings({"SEMTEXT_ENABLED": value})) is enabled


def test_components_put_into_the_settings_by_hand_need_it_too() -> None:
    assert not is_enabled(Settings())
    with pytest.raises(NotConfigured, match="SEMTEXT_ENABLED is not True"):
        require_enabled(Settings())
    with pytest.raises(SettingsError, match="SEMTEXT_ENABLED is 'perhaps'"):
        require_enabled(Settings({"SEMTEXT_ENABLED": "perhaps"}))


DOCS = Path(__file__).parents[2] / "docs"


def test_every_setting_is_documented() -> None:
    headings = [line for line in (DOCS / "settings.md").read_text().splitlines() if line.startswith("## ")]
    documented = set(re.findall(r"SEMTEXT_\w+", " ".join(headings)))
    own = {f"SEMTEXT_{field.name.upper()}" for field in fields(SemtextSettings)}
    assert documented == {"SEMTEXT_ENABLED", "SEMTEXT_QA", *own}
    summary = (DOCS / "settings.md").read_text().partition("\n## ")[0]
    assert set(re.findall(r"SEMTEXT_\w+", " ".join(re.findall(r"^\| \[(.*?)\]", summary, re.MULTILINE)))) == documented
    keys = set(re.findall(r"`(\w+)`", (DOCS / "settings.md").read_text()))
    assert {*QA_KEYS} <= keys


def test_what_is_done_with_pairs_is_documented() -> None:
    names = ("qa-pairs", "chunks", "stats", "settings")
    pairs, chunks, stats, settings = ((DOCS / f"{name}.md").read_text() for name in names)
    assert [name for name in (*FEED_EXPORTERS, *COLUMNS) if f"`{name}`" not in pairs + chunks] == []
    assert [rule.name for rule in fields(PairRules) if f"`{rule.name}`" not in settings] == []
    package = Path(scrapy_semtext.__file__).parent
    code = "".join((package / path).read_text() for path in ("read/pair_rows.py", "integration/spider_middleware.py"))
    reasons = set(re.findall(r'(?:return|reason =) "(\w+)"', code))
    reasons |= {f"{what}_{how}" for what in ("question", "answer") for how in ("short", "long")}
    assert len(reasons) == 11
    assert [reason for reason in reasons if f"`{reason}`" not in settings or f"`{reason}`" not in stats] == []


def test_every_result_is_documented() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", (DOCS / "results.md").read_text(), re.MULTILINE)
    assert set(rows[: len(RESULTS) + 1]) == {*RESULTS, NOTE}


def test_results_are_the_attributes_of_pages_in_their_order() -> None:
    names = [each.name for each in fields(Page) if each.name not in ("rule", "unmatched", "note", "message")]
    assert list(RESULTS) == names
    assert set(OF_OPTIONS) < {each.name for each in fields(Options)}


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        ({"main_text": "body"}, {"main_text": "body"}),
        (["title", "url"], {"title": "title", "url": "url"}),
        ("title, url", {"title": "title", "url": "url"}),
        ('["title", "url"]', {"title": "title", "url": "url"}),
        (["metadata"], dict(zip(METADATA, METADATA, strict=True))),
        (["+markdown"], {**DEFAULT, "markdown": "markdown"}),
        ("+markdown", {**DEFAULT, "markdown": "markdown"}),
        ({"+markdown": "md"}, {**DEFAULT, "markdown": "md"}),
        (
            {"+markdown": "md", "page_kind": None},
            {name: to for name, to in {**DEFAULT, "markdown": "md"}.items() if name != "page_kind"},
        ),
        ([], {}),
        ({}, {}),
    ],
)
def test_fields_are_a_dict_or_a_list_and_can_add_to_the_default(value: Any, fields: dict[str, str]) -> None:
    assert SemtextSettings.fields_of(Settings({"SEMTEXT_FIELDS": value})) == fields


@pytest.mark.parametrize(
    ("value", "sparse"), [(None, True), (["+url"], True), (["+qa_pairs"], False), ({"qa_pairs": "faq"}, False)]
)
def test_pairs_are_left_out_where_there_are_none_unless_they_are_named(value: Any, sparse: bool) -> None:
    settings = Settings({} if value is None else {"SEMTEXT_FIELDS": value})
    assert SemtextSettings.sparse_results(settings) == ({"qa_pairs"} if sparse else set())


def test_every_stat_and_every_reason_is_documented() -> None:
    documented = set(re.findall(r"`(semtext/[^`]+)`", (DOCS / "stats.md").read_text()))
    documented = {re.sub("<.*>", "{}", name) for name in documented}
    sources = [path.read_text() for path in Path(scrapy_semtext.__file__).parent.rglob("*.py")]
    used = {re.sub("{.*}", "{}", name) for text in sources for name in re.findall(r'f?"(semtext/[^"]+)"', text)}
    kinds = {f"semtext/fields_{how}" for how in ("undeclared", "refused")}
    assert documented == (used - {"semtext/fields_{}"}) | kinds

    reasons = re.findall(r"^\| `(\w+)` \| .*", (DOCS / "meta.md").read_text(), re.MULTILINE)
    code = "".join(
        (Path(scrapy_semtext.__file__).parent / "integration" / name).read_text()
        for name in ("pages.py", "downloader_middleware.py")
    )
    returned = set(re.findall(r'return "(\w+)"', code)) | set(re.findall(r'NoPage\("(\w+)"\)', code)) - {"error"}
    assert returned <= set(reasons)


def test_there_are_few_settings() -> None:
    assert len(fields(SemtextSettings)) + 2 <= 20  # with SEMTEXT_ENABLED and SEMTEXT_QA


@pytest.mark.slow
def test_an_error_of_the_settings_is_logged_in_a_line() -> None:
    code = (
        "import scrapy; from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess\n"
        "class Site(scrapy.Spider): name = 'site'\n"
        "settings = {'ADDONS': {'scrapy_semtext.Addon': 300}, 'SEMTEXT_ENABLED': True, 'SEMTEXT_BATCH_SIZE': 0}\n"
        "process = AsyncCrawlerProcess(settings); process.crawl(Site); process.start()"
    )
    command = [sys.executable, "-c", code]
    shown = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True).stderr
    assert "ERROR: The crawl has not started: SEMTEXT_BATCH_SIZE is 0; it has to be a whole number" in shown
    assert "Traceback" not in shown
