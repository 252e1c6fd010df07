"""The results for a page, each listed once: the option that requests it, its requirements, and where it is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Result:
    """A value of a page: the attribute of `Page` with this name.

    ``option`` is the option that a crawl enables if items need the result, None if it is always extracted. ``extra`` is
    the required extra. ``column`` is the pyarrow type of its column in tables; lists and dicts are JSON there.
    ``written`` says when `Page.to_dict` includes it: always, if it was extracted, or only if requested, in all cases by
    the name ``group``. ``in_items`` is its position among the default fields of items.
    """

    name: str
    option: str | None = None
    extra: str | None = None
    column: str = "string"
    written: Literal["always", "read", "asked"] = "always"
    group: str = ""
    in_items: int | None = None

    def __post_init__(self) -> None:
        """Put a result without a group into its own group."""
        object.__setattr__(self, "group", self.group or self.name)


def _metadata(name: str) -> Result:
    return Result(name, "metadata", "metadata", written="read", group="metadata")


#: The results by name, in the order of rows.
RESULTS = {
    result.name: result
    for result in (
        Result("url"),
        Result("title", in_items=1),
        Result("main_text", in_items=2),
        Result("blocks", written="asked"),
        Result("qa_pairs", in_items=4),
        Result("comments", written="asked"),
        Result("records", "records", written="asked"),
        Result("next_page", "records", written="asked", group="records"),
        Result("sections", "sections"),
        Result("segments", "sections", written="asked"),
        Result("page_kind", in_items=3),
        Result("page_kind_probability", column="float64"),
        Result("is_overview", column="bool_"),
        Result("overview_probability", column="float64"),
        *map(_metadata, ("author", "published", "language", "site_name", "description", "metadata_sources")),
        Result("markdown", "markdown", written="read"),
        Result("chunks", "chunks", written="asked"),
        Result("main_html", "main_html", written="read"),
        Result("details", "details", "metadata", written="read"),
    )
}


def _by(attribute: str) -> dict[str, tuple[str, ...]]:
    """Return the names of results by their value in a column of the table, without None."""
    values = dict.fromkeys(getattr(result, attribute) for result in RESULTS.values())
    return {
        value: tuple(result.name for result in RESULTS.values() if getattr(result, attribute) == value)
        for value in values
        if value is not None
    }


#: The names of results by the option that requests them, by required extra, and by group.
OF_OPTIONS, OF_EXTRAS, OF_GROUPS = _by("option"), _by("extra"), _by("group")

#: The page's metadata (`scrapy_semtext.read.metadata`).
METADATA = OF_GROUPS["metadata"]

#: The default results of items, in the order of their fields.
IN_ITEMS = tuple(name for _, name in sorted((each.in_items, each.name) for each in RESULTS.values() if each.in_items))

#: The groups of results that `Page.to_dict` includes only if requested.
ON_REQUEST = tuple(dict.fromkeys(result.group for result in RESULTS.values() if result.written == "asked"))
