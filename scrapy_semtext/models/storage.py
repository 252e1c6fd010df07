"""Models in the folder of a bundle: arrays as safetensors and a description as JSON, no code."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, Generic, TypeVar

from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from scrapy_semtext.models.trees import TreeEnsemble
from scrapy_semtext.utils import UserError
from scrapy_semtext.utils.arrays import Singles

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The files ``name``.json and ``name``.safetensors, which contain ``what``.

    ``command`` trains them, by default ``semtext dev train NAME``. ``about`` is the name of the first where it has
    another.
    """

    name: str
    what: str
    version: int
    command: str = ""
    about: str = ""

    def are_in(self, folder: Path) -> bool:
        """Return whether a bundle has one of these files; if the other is missing, loading them raises an error."""
        return any(path.exists() for path in self._paths(folder))

    @property
    def repair(self) -> str:
        """Advice for unusable files."""
        command = self.command or f"semtext dev train {self.name}"
        return f"Install scrapy-semtext again, or train them again with `{command}`."

    def save(self, folder: Path, arrays: Mapping[str, NDArray[Any]], about: Mapping[str, Any]) -> None:
        """Write arrays and their description, ``about``, into a folder, which is created if needed."""
        path, weights = self._paths(folder)
        data = save(dict(arrays))
        head = {"format": self.format, "version": self.version, "sha256": hashlib.sha256(data).hexdigest()}
        folder.mkdir(parents=True, exist_ok=True)
        weights.write_bytes(data)
        text = json.dumps(head | dict(about), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        path.write_text(text + "\n", encoding="utf-8")

    def load(self, folder: Path, build: Callable[[dict[str, Any], dict[str, Any]], T]) -> T:
        """Read and check both files, and return the result of ``build`` for the description and the arrays.

        Raises BundleError if a file is missing, broken, foreign or of another version, or if ``build`` raises
        AttributeError, KeyError, TypeError or ValueError.
        """
        description = self._description(folder)
        path, weights = self._paths(folder)
        data = self._read(weights)
        expected = description.get("sha256")  # None: it was written without one
        if isinstance(expected, dict):  # as in bundles of earlier releases
            expected = expected.get(weights.name)
        if expected is not None and hashlib.sha256(data).hexdigest() != expected:
            raise BundleError(f"{weights} is not the file that {path.name} describes. {self.repair}")
        return self._built(path, lambda: build(description, load(data)))

    def describe(self, folder: Path, build: Callable[[dict[str, Any]], T]) -> T:
        """Read and check the description only, and return what ``build`` makes of it. Raises BundleError as `load`."""
        description = self._description(folder)
        return self._built(self._paths(folder)[0], lambda: build(description))

    def _description(self, folder: Path) -> dict[str, Any]:
        path, _ = self._paths(folder)
        data = self._read(path)
        try:
            description = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise BundleError(f"{path} cannot be read: {error}. {self.repair}") from error
        known = isinstance(description, dict) and (description.get("format"), description.get("version"))
        if known != (self.format, self.version):
            raise BundleError(f"{path} does not describe {self.format} of version {self.version}. {self.repair}")
        return description  # type: ignore[no-any-return]

    def _built(self, path: Path, build: Callable[[], T]) -> T:
        try:
            return build()
        except (AttributeError, KeyError, TypeError, ValueError, SafetensorError) as error:
            raise BundleError(f"{path} is broken, or was made for another release: {error}. {self.repair}") from error

    def _paths(self, folder: Path) -> tuple[Path, Path]:
        return folder / (self.about or f"{self.name}.json"), folder / f"{self.name}.safetensors"

    def _read(self, path: Path) -> bytes:
        try:
            return path.read_bytes()
        except OSError as error:
            raise BundleError(f"The {self.what} in {path.parent} cannot be read: {error}. {self.repair}") from error

    @property
    def format(self) -> str:
        """The name of the format in the description."""
        return f"scrapy-semtext {self.what}"


@dataclass(frozen=True, kw_only=True)
class TreeHead(ModelFiles, Generic[T]):
    """The files of a head of tree ensembles, a model with its training record in ``training``.

    ``trees``: for each ensemble by name, the attribute of the model that it is. ``build`` makes a model of the
    description and the ensembles by name. ``describe_model`` returns what the description states besides. ``names``:
    names that must be those of this release, such as the features of rows.
    """

    trees: Mapping[str, str]
    build: Callable[..., T]
    describe_model: Callable[[T], dict[str, Any]] = lambda _: {}
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def write(self, folder: Path, model: T) -> None:
        """Write a model into the folder of a bundle, which is created if needed."""
        arrays: dict[str, NDArray[Any]] = {}
        for name, attribute in self.trees.items():
            arrays |= attrgetter(attribute)(model).arrays(name)
        names = {name: list(values) for name, values in self.names.items()}
        training = attrgetter("training")(model)
        self.save(folder, arrays, {**names, **self.describe_model(model), "training": training})

    def read(self, folder: Path | None = None, **others: Any) -> T:
        """Return the model of a bundle, or the shipped one if the bundle has none; ``others`` are passed to ``build``.

        Raises BundleError if a file is missing, broken, foreign, of another version, or made for other names.
        """

        def build(description: dict[str, Any], arrays: dict[str, Any]) -> T:
            for name, values in self.names.items():
                if description[name] != list(values):
                    raise ValueError(f"it was fitted to other {name} than this release has")
            trees = {name: TreeEnsemble.from_arrays(arrays, name) for name in self.trees}
            return self.build(description, trees, **others)

        return self.load(folder if folder is not None and self.are_in(folder) else SHIPPED, build)


#: The folder of the bundle that ships with the package.
SHIPPED = Path(__file__).parent.parent / "bundle"


class BundleError(UserError, ValueError):
    """A bundle cannot be used; the message names the file, the problem and the solution."""


#: The parameters by their names in torch's state dict.
Weights = Mapping[str, Singles]
