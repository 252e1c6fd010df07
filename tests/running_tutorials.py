"""Runs a tutorial: writes its files, runs its commands, and compares their output with the text.

In a tutorial in Markdown, the fenced blocks are used:

- ``python`` that begins with a comment with a path: the file, or lines to append to it if the project already has it;
- other ``python``: run, all of a tutorial in one namespace;
- ``console``: commands after "$ ", and their output. "..." matches anything, numbers are not compared.

Blocks below the comment "not run", and "$ pip install", are not run. URLs of fictional hosts are those of sites that
are served.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_FENCE = re.compile(
    r"(?P<note><!-- not run: .*? -->\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
_PATH = re.compile(r"# (?P<path>[\w./-]+\.py)\n")
_LIMIT = 120  # seconds that a command may take


@dataclass
class Tutorial:
    """A tutorial that is run in ``folder``; ``hosts`` maps the URLs in its text to those that are served."""

    folder: Path
    hosts: Mapping[str, str]
    names: dict[str, Any] = field(default_factory=dict)

    def run(self, text: str) -> None:
        """Run all blocks. Raises AssertionError if one fails or prints something else."""
        for made_up, served in self.hosts.items():
            text = text.replace(made_up, served)
        for match in _FENCE.finditer(text):
            if match["note"]:
                continue
            if match["kind"] == "python":
                self._python(match["text"])
            elif match["kind"] == "console":
                for command, expected in commands_of(match["text"]):
                    self._console(command, expected)

    def _python(self, code: str) -> None:
        path = _PATH.match(code)
        if path is not None:
            with (self.folder / path["path"]).open("a", encoding="utf-8") as file:
                file.write("\n\n" + code)
            return
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            exec(compile(code, "tutorial", "exec"), self.names)  # noqa: S102
        finally:
            os.chdir(before)

    def _console(self, command: str, expected: list[str]) -> None:
        if command.startswith("pip install"):
            return
        if command.startswith("cd "):
            self.folder /= command.removeprefix("cd ")
            return
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        }
        done = subprocess.run(
            ["/bin/bash", "-c", command],
            cwd=self.folder,
            env=environment,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_LIMIT,
        )
        assert done.returncode == 0, f"{command} failed:\n{done.stdout}"
        assert matches("\n".join(expected), done.stdout), f"{command} prints:\n{done.stdout}"


def commands_of(block: str) -> Iterator[tuple[str, list[str]]]:
    r"""Yield the commands of a block, with continued lines joined, each with its expected output lines."""
    command, printed = "", list[str]()
    for line in block.replace("\\\n", "").splitlines():
        if line.startswith("$ "):
            if command:
                yield command, printed
            command, printed = line.removeprefix("$ "), []
        else:
            printed.append(line)
    if command:
        yield command, printed


def matches(expected: str, printed: str) -> bool:
    """Return whether output matches the text: numbers may differ, "..." is anything, no text matches everything."""
    if not expected:
        return True
    parts = (re.sub(r"\\?\d+", r"\\d+", re.escape(part)) for part in expected.split("..."))
    return re.fullmatch(".*".join(parts) + r"\s*", printed, re.DOTALL) is not None
