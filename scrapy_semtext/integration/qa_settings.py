"""The setting SEMTEXT_QA: which question-answer pairs are put into items, and how."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from scrapy_semtext.integration.setting_values import (
    SettingsError,
    key_name,
    read_bool,
    read_fields,
    read_group,
    read_number,
)
from scrapy_semtext.qa.filters import PairRules
from scrapy_semtext.qa.pair_languages import check_languages
from scrapy_semtext.qa.pair_rows import DEFAULT_COLUMNS, ITEM_COLUMNS
from scrapy_semtext.utils.extras import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import BaseSettings

SETTING = "SEMTEXT_QA"


@dataclass(frozen=True, slots=True)
class QASettings:
    """The values of SEMTEXT_QA; docs/settings.md describes each.

    Each attribute is a key of the dict, and so is each attribute of ``rules``.
    """

    item_per_pair: bool = False
    fields: Mapping[str, str] = field(default_factory=lambda: {name: name for name in DEFAULT_COLUMNS})
    dedup: bool = False
    dedup_threshold: float = 0.85
    dedup_size: int = 50_000
    rules: PairRules = field(default_factory=PairRules)

    @classmethod
    def read(cls, settings: BaseSettings) -> QASettings:
        """Read the settings of a crawl; raise SettingsError for an invalid value."""
        group = read_group(settings, SETTING, QA_KEYS)
        threshold = read_number(group, _name("dedup_threshold"), 0.85, float, least=0.0)
        if not 0.1 <= threshold <= 1:
            given = f"{_name('dedup_threshold')} is {threshold!r}"
            raise SettingsError(f"{given}; it has to be a number from 0.1 to 1")
        return cls(
            item_per_pair=read_bool(group, _name("item_per_pair")),
            fields=read_fields(group, _name("fields"), DEFAULT_COLUMNS, ITEM_COLUMNS),
            dedup=read_bool(group, _name("dedup")),
            dedup_threshold=threshold,
            dedup_size=read_number(group, _name("dedup_size"), 50_000, int, least=1),
            rules=_read_rules(group),
        )


#: The keys of SEMTEXT_QA.
QA_KEYS = tuple(each.name for each in (*fields(QASettings), *fields(PairRules)) if each.name != "rules")


def _name(key: str) -> str:
    return key_name(SETTING, key)


def _read_rules(group: BaseSettings) -> PairRules:
    given = {rule.name: group.get(_name(rule.name)) for rule in fields(PairRules)}
    rules = {key: _as_number(value) for key, value in given.items() if value is not None}
    if "accepted_only" in rules:
        rules["accepted_only"] = read_bool(group, _name("accepted_only"))
    if isinstance(given["languages"], str):
        rules["languages"] = [code.strip() for code in given["languages"].split(",") if code.strip()]
    try:
        read = PairRules(**rules)
    except ValueError as error:
        key, _, rest = str(error).partition(" ")
        raise SettingsError(f"{_name(key)} {rest}") from None
    try:
        check_languages(read.languages)
    except (MissingExtraError, ValueError) as error:
        raise SettingsError(f"{_name('languages')} is {list(read.languages)}: {error}") from error
    return read


def _as_number(value: Any) -> Any:
    """Convert a string that is a number, because the command line gives strings; return other values unchanged."""
    for kind in (int, float):
        try:
            return kind(value) if isinstance(value, str) else value
        except ValueError:  # noqa: PERF203  two tries
            continue
    return value
