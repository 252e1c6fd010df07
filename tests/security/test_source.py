"""What the source of the package does not do, and the content of its models."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import scrapy_semtext

PACKAGE = Path(scrapy_semtext.__file__).parent

#: Calls and imports that run what they read.
FORBIDDEN_NAMES = {"eval", "exec", "__import__", "compile"}
FORBIDDEN_CALLS = {"os.system", "os.popen", "yaml.load", "yaml.unsafe_load", "yaml.full_load", "torch.jit.load"}
FORBIDDEN_MODULES = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}
#: The only place where pickles are read: what a worker process and its crawl send each other through their own pipes.
PIPES = "integration/processes.py"


def nodes(path: Path) -> list[ast.AST]:
    """Return all nodes of a file."""
    return [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]


def name_of(called: ast.expr) -> str:
    """Return the dotted name of a call; it begins with a dot if that is on the result of something else."""
    names = []
    while isinstance(called, ast.Attribute):
        names.append(called.attr)
        called = called.value
    return ".".join([getattr(called, "id", ""), *reversed(names)])


def keyword(call: ast.Call, name: str) -> object:
    """Return the constant that a call passes for a keyword, or None."""
    return next((getattr(each.value, "value", ...) for each in call.keywords if each.arg == name), None)


def misuses(path: Path) -> list[str]:
    """Return the uses in a file that may execute its input."""
    found = []
    for node in nodes(path):
        if isinstance(node, ast.Call):
            name, place = name_of(node.func), f"in line {node.lineno}"
            if name in FORBIDDEN_NAMES | FORBIDDEN_CALLS:
                found.append(f"{name} {place}")
            if name == "torch.load" and keyword(node, "weights_only") is not True:
                found.append(f"torch.load without weights_only {place}")
            if keyword(node, "allow_pickle") not in (None, False) or keyword(node, "shell") not in (None, False):
                found.append(f"{name} with allow_pickle or shell {place}")
        elif isinstance(node, ast.Import | ast.ImportFrom):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            found += [f"import of {name} in line {node.lineno}" for name in modules if name in FORBIDDEN_MODULES]
    return found


@pytest.mark.slow
def test_nothing_that_is_read_is_run() -> None:
    sources = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}
    found = {name: misuses(path) for name, path in sources.items() if name != PIPES}
    assert {name: each for name, each in found.items() if each} == {}
    assert len(found) > 100


def test_pickles_are_read_from_pipes_alone() -> None:
    path = PACKAGE / PIPES
    assert {each.partition(" in line")[0] for each in misuses(path)} == {"import of pickle"}
    called = {name_of(node.func) for node in nodes(path) if isinstance(node, ast.Call)}
    assert not [name for name in called if name == "open" or ".open" in name]


@pytest.mark.parametrize(
    "line",
    [
        "import pickle",
        "from pickle import loads",
        "eval(x)",
        "yaml.load(x)",
        "torch.load(x)",
        "torch.load(x, weights_only=False)",
        "np.load(x, allow_pickle=True)",
        "np.load(x, allow_pickle=y)",
        "run(x, shell=True)",
    ],
)
def test_each_of_them_would_be_found(line: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text(line)
    assert misuses(path)


def test_models_are_safetensors_and_json() -> None:
    files = [path for path in (PACKAGE / "bundle").iterdir() if path.is_file()]
    assert {path.suffix for path in files} == {".json", ".safetensors", ".md"}
    data = {path.suffix for path in PACKAGE.rglob("*") if path.is_file()}
    assert not data & {".pkl", ".pickle", ".npy", ".npz", ".pt", ".pth", ".ckpt", ".joblib", ".onnx", ".h5"}
