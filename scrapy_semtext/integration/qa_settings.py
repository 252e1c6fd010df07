"""The SEMTEXT_QA_* settings: what becomes of question-answer pairs."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from scrapy_semtext.integration.setting_values import SettingsError, read_bool, read_fields, read_number
from scrapy_semtext.qa.filters import PairRules
from scrapy_semtext.qa.pair_rows import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import BaseSettings

_PREFIX = "SEMTEXT_QA_"


@dataclass(frozen=True, slots=True)
class QASettings:
    """The settings of one crawl; docs/settings.md describes each.

    The attribute ``dedup_size`` is the setting ``SEMTEXT_QA_DEDUP_SIZE``, and so on; so are the attributes of the
    rules.
    """

    item_per_pair: bool = False
    fields: Mapping[str, str] = field(default_factory=lambda: {name: name for name in COLUMNS})
    dedup: bool = False
    dedup_threshold: float = 0.85
    dedup_size: int = 50_000
    rules: PairRules = field(default_factory=PairRules)

    @classmethod
    def read(cls, settings: BaseSettings) -> QASettings:
        """Read the settings of a crawl; raise SettingsError for a value that cannot be used."""
        return cls(
            item_per_pair=read_bool(settings, f"{_PREFIX}ITEM_PER_PAIR"),
            fields=read_fields(settings, f"{_PREFIX}FIELDS", {name: name for name in COLUMNS}, COLUMNS),
            dedup=read_bool(settings, f"{_PREFIX}DEDUP"),
            dedup_threshold=_threshold(settings),
            dedup_size=read_number(settings, f"{_PREFIX}DEDUP_SIZE", 50_000, int, least=1),
            rules=_rules(settings),
        )


#: The names of all settings that QASettings reads.
QA_SETTINGS = tuple(
    f"{_PREFIX}{each.name.upper()}" for each in (*fields(QASettings), *fields(PairRules)) if each.name != "rules"
)


def _threshold(settings: BaseSettings) -> float:
    name = f"{_PREFIX}DEDUP_THRESHOLD"
    value = read_number(settings, name, 0.85, float, least=0.0)
    if not 0.1 <= value <= 1:
        raise SettingsError(f"{name} is {value!r}; it has to be a number from 0.1 to 1")
    return value


def _rules(settings: BaseSettings) -> PairRules:
    given = {rule.name: settings.get(f"{_PREFIX}{rule.name.upper()}") for rule in fields(PairRules)}
    rules = {name: _parsed(value) for name, value in given.items() if value is not None}
    if "accepted_only" in rules:
        rules["accepted_only"] = read_bool(settings, f"{_PREFIX}ACCEPTED_ONLY")
    if isinstance(given["languages"], str):
        rules["languages"] = [code.strip() for code in given["languages"].split(",") if code.strip()]
    try:
        return PairRules(**rules)
    except ValueError as error:
        rule, _, rest = str(error).partition(" ")
        raise SettingsError(f"{_PREFIX}{rule.upper()} {rest}") from None


def _parsed(value: Any) -> Any:
    """Return a number that is written as a string, as all values of the command line are, as the number."""
    for kind in (int, float):
        try:
            return kind(value) if isinstance(value, str) else value
        except ValueError:  # noqa: PERF203  two tries
            continue
    return value
