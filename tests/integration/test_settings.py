"""Settings: their defaults, and messages that say what is wrong and what would do."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings

import scrapy_semtext
from scrapy_semtext.integration.exporters import FEED_EXPORTERS
from scrapy_semtext.integration.qa_settings import QA_SETTINGS, QASettings
from scrapy_semtext.integration.settings import (
    RESULTS,
    SemtextSettings,
    SettingsError,
    is_enabled,
    require_enabled,
    warn_of_unknown_names,
)
from scrapy_semtext.qa.filters import PairRules
from scrapy_semtext.qa.pair_rows import COLUMNS


def test_the_defaults() -> None:
    read = SemtextSettings.read(Settings())
    assert dict(read.fields) == {name: name for name in ("title", "main_text", "qa_pairs", "sections", "page_kind")}
    assert read.extractor == "scrapy_semtext.extractor.Extractor"
    assert (read.bundle, read.vectors, read.device, read.options) == (None, None, "auto", {})
    assert (read.batch_size, read.batch_wait, read.max_body) == (16, 0.01, 5 * 2**20)
    assert read.measure_stall is False


def test_values_of_the_command_line_are_strings() -> None:
    read = SemtextSettings.read(
        Settings(
            {
                "SEMTEXT_BATCH_SIZE": "4",
                "SEMTEXT_BATCH_WAIT": "0",
                "SEMTEXT_OPTIONS": '{"markup": false}',
                "SEMTEXT_MEASURE_STALL": "1",
            }
        )
    )
    assert (read.batch_size, read.batch_wait, read.options, read.measure_stall) == (4, 0.0, {"markup": False}, True)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SEMTEXT_BATCH_SIZE", 0, "SEMTEXT_BATCH_SIZE is 0; it has to be a whole number of at least 1"),
        ("SEMTEXT_BATCH_SIZE", "many", "SEMTEXT_BATCH_SIZE is 'many'; it has to be a whole number of at least 1"),
        ("SEMTEXT_BATCH_WAIT", -1, "SEMTEXT_BATCH_WAIT is -1; it has to be a number of at least 0.0"),
        ("SEMTEXT_BATCH_WAIT", float("nan"), "SEMTEXT_BATCH_WAIT is nan; it has to be a number of at least 0.0"),
        ("SEMTEXT_MAX_BODY", "20 MB", "SEMTEXT_MAX_BODY is '20 MB'; it has to be a whole number of at least 1"),
        ("SEMTEXT_MEASURE_STALL", "maybe", "SEMTEXT_MEASURE_STALL is 'maybe'; it has to be True or False"),
        (
            "SEMTEXT_FIELDS",
            "main_text",
            "SEMTEXT_FIELDS is 'main_text'; it has to be a dict, or a dict written as JSON",
        ),
        ("SEMTEXT_FIELDS", {"maintext": "body"}, "SEMTEXT_FIELDS maps 'maintext', which is no result; there are url,"),
        ("SEMTEXT_FIELDS", {"title": 3}, "SEMTEXT_FIELDS maps 'title' to 3; it has to be the name of a field"),
        ("SEMTEXT_FIELDS", {"title": "a", "url": "a"}, "SEMTEXT_FIELDS maps two results to one field"),
        ("SEMTEXT_OPTIONS", 5, "SEMTEXT_OPTIONS is 5; it has to be a dict"),
    ],
)
def test_a_wrong_value_is_named_with_what_would_do(name: str, value: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(message)):
        SemtextSettings.read(Settings({name: value}))


def test_the_defaults_for_pairs_let_all_pass() -> None:
    read = QASettings.read(Settings())
    assert read == QASettings()
    assert read.rules == PairRules()
    assert (read.item_per_pair, read.dedup, read.dedup_threshold, read.dedup_size) == (False, False, 0.85, 50_000)


def test_values_for_pairs_of_the_command_line_are_strings() -> None:
    given = {"MIN_SCORE": "0.5", "MIN_VOTES": "-1", "ACCEPTED_ONLY": "0", "MAX_ANSWER": "99", "LANGUAGES": "en, pt-BR"}
    read = QASettings.read(Settings({f"SEMTEXT_QA_{name}": value for name, value in given.items()}))
    assert read.rules == PairRules(min_score=0.5, min_votes=-1, max_answer=99, languages=("en", "pt"))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("ITEM_PER_PAIR", "maybe", "SEMTEXT_QA_ITEM_PER_PAIR is 'maybe'; it has to be True or False"),
        ("FIELDS", {"ask": "q"}, "SEMTEXT_QA_FIELDS maps 'ask', which is no result; there are question, answer,"),
        ("DEDUP_SIZE", 0, "SEMTEXT_QA_DEDUP_SIZE is 0; it has to be a whole number of at least 1"),
        ("DEDUP_THRESHOLD", 1.5, "SEMTEXT_QA_DEDUP_THRESHOLD is 1.5; it has to be a number from 0.1 to 1"),
        ("DEDUP_THRESHOLD", 0, "SEMTEXT_QA_DEDUP_THRESHOLD is 0.0; it has to be a number from 0.1 to 1"),
        ("MIN_SCORE", 7, "SEMTEXT_QA_MIN_SCORE is 7; it has to be a number from 0 to 1"),
        ("MIN_VOTES", "many", "SEMTEXT_QA_MIN_VOTES is 'many'; it has to be a whole number or None"),
        ("ACCEPTED_ONLY", "perhaps", "SEMTEXT_QA_ACCEPTED_ONLY is 'perhaps'; it has to be True or False"),
        ("MAX_QUESTION", -3, "SEMTEXT_QA_MAX_QUESTION is -3; it has to be None or a whole number of at least 0"),
        ("LANGUAGES", 5, "SEMTEXT_QA_LANGUAGES is 5; it has to be a list of language codes, such as ['en', 'de']"),
    ],
)
def test_a_wrong_value_for_pairs_is_named_with_what_would_do(name: str, value: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(message)):
        QASettings.read(Settings({f"SEMTEXT_QA_{name}": value}))


def test_a_misspelt_name_is_warned_about(caplog: pytest.LogCaptureFixture) -> None:
    warn_of_unknown_names(Settings({"SEMTEXT_FEILDS": {}}))
    assert "no setting SEMTEXT_FEILDS; did you mean SEMTEXT_FIELDS?" in caplog.text


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
    assert documented == {"SEMTEXT_ENABLED", *own, *QA_SETTINGS}


def test_what_is_done_with_pairs_is_documented() -> None:
    pairs, stats, meta = ((DOCS / f"{name}.md").read_text() for name in ("qa-pairs", "stats", "meta"))
    assert [name for name in (*FEED_EXPORTERS, *COLUMNS) if f"`{name}`" not in pairs] == []
    assert [rule.name for rule in fields(PairRules) if f"`{rule.name}`" not in meta] == []
    package = Path(scrapy_semtext.__file__).parent
    code = (package / "qa" / "filters.py").read_text() + (package / "integration" / "pair_filter.py").read_text()
    reasons = set(re.findall(r'(?:return|reason =) "(\w+)"', code))
    reasons |= {f"{what}_{how}" for what in ("question", "answer") for how in ("short", "long")}
    assert len(reasons) == 9
    assert [reason for reason in reasons if f"`{reason}`" not in pairs or f"`{reason}`" not in stats] == []


def test_every_result_is_documented() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", (DOCS / "settings.md").read_text(), re.MULTILINE)
    assert set(rows[: len(RESULTS)]) == set(RESULTS)


def test_every_stat_and_every_reason_is_documented() -> None:
    documented = set(re.findall(r"`(semtext/[^`]+)`", (DOCS / "stats.md").read_text()))
    documented = {re.sub("<.*>", "{}", name) for name in documented}
    sources = [path.read_text() for path in (Path(scrapy_semtext.__file__).parent / "integration").glob("*.py")]
    used = {re.sub("{.*}", "{}", name) for text in sources for name in re.findall(r'f?"(semtext/[^"]+)"', text)}
    kinds = {f"semtext/fields_{how}" for how in ("undeclared", "refused")}
    assert documented == (used - {"semtext/fields_{}"}) | kinds

    reasons = re.findall(r"^\| `(\w+)` \| .*", (DOCS / "meta.md").read_text(), re.MULTILINE)
    code = "".join(path.read_text() for path in (Path(scrapy_semtext.__file__).parent / "integration").glob("*.py"))
    returned = set(re.findall(r'return "(\w+)"', code)) | set(re.findall(r'NoPage\("(\w+)"\)', code)) - {"error"}
    assert returned <= set(reasons)
