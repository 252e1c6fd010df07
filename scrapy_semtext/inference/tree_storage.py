"""Models in the folder of a bundle, trees for the most part: arrays as safetensors, a description as JSON, no code."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from safetensors import SafetensorError
from safetensors.numpy import load, save

from scrapy_semtext.inference.storage import SHIPPED, BundleError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TreeFiles:
    """The files ``name``.json and ``name``.safetensors, which hold ``what``; ``command`` trains them."""

    name: str
    what: str
    version: int
    command: str

    def are_in(self, folder: Path) -> bool:
        """Whether a bundle has one of these files: if the other is missing, loading them says so."""
        return any((folder / f"{self.name}.{ending}").exists() for ending in ("json", "safetensors"))

    @property
    def repair(self) -> str:
        """The advice about unusable files."""
        return f"Install scrapy-semtext again, or train them again with `{self.command}`."

    def save(self, folder: Path, arrays: Mapping[str, NDArray[Any]], about: Mapping[str, Any]) -> None:
        """Write arrays and their description, ``about``, into a folder, which is created if needed."""
        data = save(dict(arrays))
        head = {"format": self._format, "version": self.version, "sha256": hashlib.sha256(data).hexdigest()}
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.name}.safetensors").write_bytes(data)
        text = json.dumps(head | dict(about), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        (folder / f"{self.name}.json").write_text(text + "\n", encoding="utf-8")

    def load(self, folder: Path, build: Callable[[dict[str, Any], dict[str, Any]], T]) -> T:
        """Read and check both files, and return what ``build`` makes of the description and the arrays.

        Raises BundleError if a file is missing, broken, foreign or of another version, or if ``build`` raises
        KeyError, TypeError or ValueError.
        """
        path, weights = folder / f"{self.name}.json", folder / f"{self.name}.safetensors"
        try:
            description = json.loads(path.read_text(encoding="utf-8"))
            data = weights.read_bytes()
        except (OSError, ValueError, RecursionError) as error:
            raise BundleError(f"The {self.what} in {folder} cannot be read: {error}. {self.repair}") from error
        known = isinstance(description, dict) and (description.get("format"), description.get("version"))
        if known != (self._format, self.version):
            raise BundleError(f"{path} does not describe {self._format} of version {self.version}. {self.repair}")
        expected = description.get("sha256")  # None: it was written without one
        if expected is not None and hashlib.sha256(data).hexdigest() != expected:
            raise BundleError(f"{weights} is not the file that {path.name} describes. {self.repair}")
        try:
            return build(description, load(data))
        except (KeyError, TypeError, ValueError, SafetensorError) as error:
            raise BundleError(f"{path} is broken, or was made for another release: {error}. {self.repair}") from error

    def load_or_shipped(self, folder: Path | None, build: Callable[[dict[str, Any], dict[str, Any]], T]) -> T:
        """Read the files of a bundle as `load` does, or the shipped ones where it has none."""
        return self.load(folder if folder is not None and self.are_in(folder) else SHIPPED, build)

    @property
    def _format(self) -> str:
        return f"scrapy-semtext {self.what}"
