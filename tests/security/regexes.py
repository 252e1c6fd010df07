"""The regular expressions of the package, and strings on which they would be slowest."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import time
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scrapy_semtext
from scrapy_semtext.utils.extras import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_parser: Any = importlib.import_module("re._parser" if hasattr(re, "_parser") else "sre_parse")
_METHODS = ("search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")
_TESTS = ("is_in", "begins", "is_all_of")  # of qa.cues.AnyCase
_PACKAGE = Path(scrapy_semtext.__file__).parent

#: A character for each class of characters that a pattern may name, and one that few patterns take.
_CATEGORY = {"DIGIT": "1", "WORD": "a", "SPACE": " ", "NOT_DIGIT": "a", "NOT_WORD": "-", "NOT_SPACE": "a"}
_MISFIT = "\x00"

#: The length with which that of the longest text is compared, and the seconds that are never too much.
_BASE, _LITTLE = 250, 0.005

#: The most cases of a pattern. Long lists of words give many that are alike.
_MOST_CASES = 12

#: What modules of the package import that need not be installed, as the extra test lacks it.
_OPTIONAL = ("lightgbm", "mcp", "torch")


def modules() -> Iterator[Any]:
    """Import and yield all modules of the package except the commands' entry points, and those of missing extras."""
    for found in pkgutil.walk_packages([str(_PACKAGE)], "scrapy_semtext."):
        if not found.name.endswith("__main__"):
            try:
                yield importlib.import_module(found.name)
            except MissingExtraError:
                continue
            except ModuleNotFoundError as error:
                if error.name not in _OPTIONAL:
                    raise


def patterns() -> dict[str, re.Pattern[Any]]:
    """Return the patterns in module globals and class attributes, and those inline in calls, by name."""
    found: dict[str, re.Pattern[Any]] = {}
    for module in modules():
        for name, value in vars(module).items():
            if name.startswith("__"):  # such as __builtins__, which holds whatever others put there
                continue
            if isinstance(value, type) and value.__module__ == module.__name__:
                for attribute, held in vars(value).items():
                    found |= _held(f"{module.__name__}.{name}.{attribute}", held)
            found |= _held(f"{module.__name__}.{name}", value)
        found |= _inline(module)
    unique = {(each.pattern, each.flags): name for name, each in reversed(found.items())}
    return {name: found[name] for name in sorted(unique.values())}


def _held(name: str, value: Any) -> dict[str, re.Pattern[Any]]:
    value = getattr(value, "__self__", value) if callable(value) else value  # a bound method of a pattern
    if isinstance(value, re.Pattern):
        return {name: value}
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return {
            key: each for number, part in enumerate(value) for key, each in _held(f"{name}[{number}]", part).items()
        }
    if type(value).__module__.startswith("scrapy_semtext.") and not isinstance(value, type):
        own = {slot: getattr(value, slot, None) for slot in (*getattr(value, "__dict__", ()), *_slots(value))}
        return {f"{name}.{key}": each for key, each in own.items() if isinstance(each, re.Pattern)}
    return {}


def _slots(value: Any) -> list[str]:
    return [slot for kind in type(value).__mro__ for slot in getattr(kind, "__slots__", ())]


def _inline(module: Any) -> dict[str, re.Pattern[Any]]:
    """Return the patterns of calls such as ``re.sub(r"...", ...)``."""
    source = Path(module.__file__)
    if source.suffix != ".py":
        return {}
    return {
        f"{module.__name__}:{call.lineno}": re.compile(call.args[0].value)
        for call in ast.walk(ast.parse(source.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "re"
        and call.func.attr in _METHODS
        and isinstance(call.args[0], ast.Constant)
    }


@cache
def uses() -> Mapping[str, set[str]]:
    """Return the methods that the package calls on patterns, by their names from `patterns`."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in _PACKAGE.rglob("*.py"):
        module = ".".join(path.relative_to(_PACKAGE.parent).with_suffix("").parts)
        tree = ast.parse(path.read_text("utf-8"))
        imported = {
            alias.asname or alias.name: f"{node.module}.{alias.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.value.id == "re":
                    found[f"{module}:{node.lineno}"].add(node.attr)
                elif node.attr in _METHODS + _TESTS:
                    found[imported.get(node.value.id, f"{module}.{node.value.id}")].add(node.attr)
    return found


def is_anchored(name: str) -> bool:
    """Return whether a pattern is only matched at the beginning of a string."""
    methods = uses().get(re.sub(r"\._(?:any|lower)$", "", name), set())
    return bool(methods) and methods <= {"match", "fullmatch", "begins", "is_all_of"}


def worst_cases(pattern: re.Pattern[Any]) -> list[tuple[str, str, str]]:
    """Return (before, repeated, behind): strings that are slow for the pattern if the middle is repeated.

    For each part of the pattern that may repeat: what precedes it, what it matches, and what matches nothing.
    """
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    parsed = _parser.parse(text, pattern.flags & ~re.UNICODE)
    found: list[tuple[str, str, str]] = []
    _collect(parsed, "", found)
    alphabet = sorted({character for _, repeated, _ in found for character in repeated})
    found += [("", character, _MISFIT) for character in alphabet]
    found += [("", before + repeated, _MISFIT) for before, repeated, _ in found if before]
    unique = list(dict.fromkeys(case for case in found if case[1]))
    return unique[:: -(-len(unique) // _MOST_CASES)] if len(unique) > _MOST_CASES else unique


def _collect(nodes: Any, before: str, found: list[tuple[str, str, str]]) -> None:
    """Add the cases of a sequence of nodes after ``before``."""
    for kind, value in nodes:
        operator = str(kind)
        if operator in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            found += [(before, sample, _MISFIT) for sample in _samples(value[2])]
            _collect(value[2], before, found)
        elif operator == "BRANCH":
            for branch in value[1]:
                _collect(branch, before, found)
        elif operator == "SUBPATTERN":
            _collect(value[-1], before, found)
        elif operator in ("ASSERT", "ASSERT_NOT"):
            _collect(value[1], before, found)
        elif operator == "ATOMIC_GROUP":
            _collect(value, before, found)
        before += _sample([(kind, value)])


def _samples(nodes: Any) -> list[str]:
    """Return a few strings that a sequence matches: one for each branch, and for each member of a set."""
    if len(nodes) == 1 and str(nodes[0][0]) == "IN":
        return [*dict.fromkeys(_member(each) for each in nodes[0][1][:8])]
    if len(nodes) == 1 and str(nodes[0][0]) == "SUBPATTERN":
        return _samples(nodes[0][1][-1])
    if len(nodes) == 1 and str(nodes[0][0]) == "BRANCH":
        return [_sample(branch) for branch in nodes[0][1][1][:8]]
    return [_sample(nodes)]


def _sample(nodes: Any) -> str:
    """Return a short string that a sequence matches, or nearly matches."""
    text = ""
    for kind, value in nodes:
        operator = str(kind)
        if operator == "LITERAL":
            text += chr(value)
        elif operator in ("NOT_LITERAL", "ANY"):
            text += "a"
        elif operator == "IN":
            text += _member(value[-1]) if str(value[0][0]) != "NEGATE" else _outside(value)
        elif operator in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            text += _sample(value[2]) * min(max(value[0], 1), 3)
        elif operator == "SUBPATTERN":
            text += _sample(value[-1])
        elif operator == "ATOMIC_GROUP":
            text += _sample(value)
        elif operator == "BRANCH":
            text += _sample(value[1][0])
    return text


def _member(node: Any) -> str:
    kind, value = node
    if str(kind) == "LITERAL":
        return chr(value)
    if str(kind) == "RANGE":
        return chr(value[0])
    if str(kind) == "CATEGORY":
        return _CATEGORY[str(value).removeprefix("CATEGORY_").removeprefix("UNI_")]
    return "a"


def _outside(nodes: Any) -> str:
    taken = re.compile(f"[{''.join(re.escape(_member(node)) for node in nodes[1:])}]")
    return next(character for character in "a1 -.<=\u4e00" if not taken.match(character))


def slowest(pattern: re.Pattern[Any], case: tuple[str, str, str], *, anchored: bool, longest: int) -> float:
    """Return a pattern's seconds if they grow faster than the text, up to ``longest`` characters, otherwise 0.0.

    Less than 5 ms is always accepted.
    """
    for length in (each for each in (16, 20, 24, 28, 32) if each <= longest):  # those that would take for ever
        if (taken := _time(pattern, case, length, anchored=anchored)) > _LITTLE:
            return taken
    base = 0.0
    for length in (_BASE, _BASE * 4, longest):  # in steps, for those that are cubic
        if length <= longest and (taken := _time(pattern, case, length, anchored=anchored)) > _LITTLE:
            base = base or max(_time(pattern, case, _BASE, anchored=anchored), 2e-5)
            if taken > 3 * base * length / _BASE:
                return taken
    return 0.0


def _time(pattern: re.Pattern[Any], case: tuple[str, str, str], length: int, *, anchored: bool) -> float:
    """Return the CPU time of this thread in seconds, the minimum of up to three."""
    before, repeated, behind = case
    text: Any = before + repeated * max(1, length // len(repeated)) + behind
    if isinstance(pattern.pattern, bytes):
        text = text.encode("utf-8")
    best = float("inf")
    for _ in range(3):
        start = time.thread_time()
        if anchored:
            pattern.match(text)
            pattern.fullmatch(text)
        else:
            for _ in pattern.finditer(text):
                pass
        best = min(best, time.thread_time() - start)
        if best > 1 or best < _LITTLE:
            break
    return best
