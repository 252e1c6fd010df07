"""The log formatter, which truncates the long texts of items."""

from __future__ import annotations

from typing import Any

from itemadapter import ItemAdapter
from scrapy.logformatter import LogFormatter, LogFormatterResult

from scrapy_semtext.page import SHORT

_LONGEST = 1_000  # maximum length of an item that is logged unchanged


class ShortLogFormatter(LogFormatter):
    """Logs items that are scraped, dropped or fail with truncated values, and everything else like Scrapy.

    If placed before another formatter in the bases of a class, it truncates the items in the messages of that one.
    """

    def scraped(self, *args: Any, **kwargs: Any) -> LogFormatterResult:
        """Log a scraped item."""
        return _with_short_item(super().scraped(*args, **kwargs))

    def dropped(self, *args: Any, **kwargs: Any) -> LogFormatterResult:
        """Log an item dropped by a pipeline."""
        return _with_short_item(super().dropped(*args, **kwargs))

    def item_error(self, *args: Any, **kwargs: Any) -> LogFormatterResult:
        """Log an item that caused an error in a pipeline."""
        return _with_short_item(super().item_error(*args, **kwargs))


class ShortItem:
    """Shows an item of up to 1,000 characters unchanged, and a longer one with truncated values.

    Nothing is computed unless the message is written.
    """

    def __init__(self, item: Any) -> None:
        self.item = item

    def __str__(self) -> str:
        text = str(self.item)
        if len(text) <= _LONGEST:
            return text
        if not ItemAdapter.is_item(self.item):
            return SHORT.repr(self.item)
        values = SHORT.repr(dict(ItemAdapter(self.item)))
        return values if isinstance(self.item, dict) else f"{type(self.item).__name__}({values})"

    __repr__ = __str__


def _with_short_item(result: LogFormatterResult | None) -> LogFormatterResult:
    if result is not None and isinstance(result["args"], dict) and "item" in result["args"]:
        return {**result, "args": {**result["args"], "item": ShortItem(result["args"]["item"])}}
    return result  # type: ignore[return-value]  # None: this formatter logs no such message
