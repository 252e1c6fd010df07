"""Pages in a web archive."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from scrapy_semtext.bulk.warc import ArchiveError, ArchiveFilter, rows_of_archive
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.utils.extras import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_semtext.bulk.row import Row


def rows_of_warc(file: IO[bytes], name: str, _: str, wanted: ArchiveFilter | None = None) -> Iterator[Row]:
    """Yield the pages of an archive."""
    try:
        yield from rows_of_archive(file, wanted)
    except MissingExtraError as error:
        raise CommandError(f"{name} is a web archive, but {error}") from error
    except ArchiveError as error:
        raise CommandError(f"{name} cannot be read to its end: {error}") from error
