"""The interface of NeMo Curator 1.4 that the package uses, as a replacement where NeMo Curator is not installed.

It requires Ray, Cosmos-Xenna and more than CI installs. Its abstract classes are declared here with the same methods,
and its stage runs an extractor over records in the same way. Tests use the real one where it is installed.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

_DOWNLOAD = "nemo_curator.stages.text.download"

#: Whether the real one is there.
IS_INSTALLED = find_spec("nemo_curator") is not None


class DocumentExtractor(ABC):
    """A record in, a record or None out."""

    @abstractmethod
    def extract(self, record: dict[str, str]) -> dict[str, Any] | None: ...

    @abstractmethod
    def input_columns(self) -> list[str]: ...

    @abstractmethod
    def output_columns(self) -> list[str]: ...


class HTMLExtractorAlgorithm(ABC):
    """HTML in, paragraphs or None out."""

    @abstractmethod
    def extract_text(self, html: str, stop_words: frozenset[str], language: str) -> list[str] | None: ...


def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the classes above importable as NeMo Curator's until the test ends."""
    names = _DOWNLOAD.split(".")
    for length in range(1, len(names) + 1):
        monkeypatch.setitem(sys.modules, ".".join(names[:length]), ModuleType(names[length - 1]))
    extractors = ModuleType("html_extractors")
    monkeypatch.setitem(sys.modules, f"{_DOWNLOAD}.html_extractors", extractors)
    monkeypatch.setattr(sys.modules[_DOWNLOAD], "DocumentExtractor", DocumentExtractor, raising=False)
    monkeypatch.setattr(extractors, "HTMLExtractorAlgorithm", HTMLExtractorAlgorithm, raising=False)
    monkeypatch.delitem(sys.modules, "scrapy_semtext.bulk.nemo", raising=False)
