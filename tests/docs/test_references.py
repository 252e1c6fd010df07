"""What the documentation and docstrings say of modules, names and versions is true."""

from __future__ import annotations

import ast
import re
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

from scrapy_semtext.utils.version import __version__

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "scrapy_semtext"
MODULES = sorted(PACKAGE.rglob("*.py"))
TEXTS = [*MODULES, ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

#: Modules that need what is not installed wherever the tests run.
FOREIGN = ("scrapy_semtext.bulk.", "scrapy_semtext.page_objects", "scrapy_semtext.train")


def is_known(name: str) -> bool:
    """Return whether a dotted name is a module of the package, or a name in one."""
    path = PACKAGE.parent.joinpath(*name.split("."))
    if path.is_dir() or path.with_suffix(".py").is_file() or name.startswith(FOREIGN):
        return True
    module, _, last = name.rpartition(".")
    return bool(module) and is_known(module) and hasattr(import_module(module), last)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_names_of_modules_and_versions_are_right(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    named = {name.rstrip(".") for name in re.findall(r"`(scrapy_semtext(?:\.\w+)+)`", text)}
    assert {name for name in named if not is_known(name)} == set()
    assert set(re.findall(r"scrapy-semtext +(\d+\.\d+\.\d+)", text)) <= {__version__}


def test_the_documented_representations_of_a_page_are_at_most_six_and_exist() -> None:
    text = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    listed = text.partition("## Representations of a page")[2].partition("\n## ")[0]
    entries = re.split(r"^\d\. ", listed, flags=re.MULTILINE)[1:]
    assert 1 < len(entries) <= 6
    for entry in entries:
        classes = re.findall(r"`(scrapy_semtext[\w.]+)\.(\w+)`", entry)
        assert classes
        assert all(isinstance(getattr(import_module(module), name), type) for module, name in classes)


@pytest.mark.parametrize("folder", ["tree", "features"])
def test_files_of_a_layer_do_not_import_each_other_in_a_circle(folder: str) -> None:
    imports = {
        path.stem: {
            name.rpartition(".")[2]
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom)
            and node.module
            and f"{node.module}.".startswith(f"scrapy_semtext.{folder}.")
            for name in (
                [node.module] if node.module != f"scrapy_semtext.{folder}" else [each.name for each in node.names]
            )
        }
        for path in (PACKAGE / folder).glob("*.py")
    }
    assert [*TopologicalSorter(imports).static_order()]  # raises CycleError


def test_contributors_are_told_where_scrapy_is_imported() -> None:
    guide = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
    layers = guide.partition("## Layers\n")[2].partition("\n## ")[0]
    importing = {
        path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for path in MODULES
        if re.search(r"^\s*(from|import) scrapy[. ]", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert "integration" in importing
    assert {name for name in importing - {"cli"} if f"`{name}`" not in layers} == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_all_follows_the_imports_and_is_complete(path: Path) -> None:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    defined = [node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    for node in body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            assert all(node.lineno < each.lineno for each in defined)
            assert {each.name for each in defined if not each.name.startswith("_")} <= {*ast.literal_eval(node.value)}
