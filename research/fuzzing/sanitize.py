"""A campaign with the compiled extensions under AddressSanitizer and UndefinedBehaviorSanitizer.

``python -m research.fuzzing.sanitize --seed N --minutes M`` copies the package into a temporary folder, compiles its
extensions there with gcc, and runs the campaign there. Everything that Python allocates is watched too
(PYTHONMALLOC=malloc). The first report of a sanitizer ends the campaign, with exit status 1.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_NEEDED = ("scrapy_semtext", "research/__init__.py", "research/fuzzing", "tests/gate", "pyproject.toml", "README.md")
_FLAGS = "-fsanitize=address,undefined -fno-omit-frame-pointer -g"


def build(folder: Path) -> Path:
    """Install the package, with sanitized extensions, in a folder, and return where it is, beside this campaign."""
    source, site = folder / "source", folder / "site"
    for name in _NEEDED:
        if (_ROOT / name).is_dir():
            shutil.copytree(_ROOT / name, source / name, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        else:
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(_ROOT / name, source / name)
    project = source / "pyproject.toml"
    project.write_text(project.read_text().replace('"-O3"', '"-O1"'))  # compiled in minutes instead of an hour
    flags = {"CC": "gcc", "CFLAGS": _FLAGS, "LDFLAGS": _FLAGS, "SEMTEXT_BUILD_EXTENSIONS": "required"}
    subprocess.run(  # noqa: S603
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", site, source],
        check=True,
        env={**os.environ, **flags},
    )
    for name in ("research", "tests"):
        (source / name).rename(site / name)
    return site


def sanitizing() -> dict[str, str]:
    """Return the environment in which Python, itself not sanitized, can load the extensions."""
    libraries = [_library(name) for name in ("libasan.so", "libstdc++.so.6")]
    return {
        **os.environ,
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:exitcode=99",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1:exitcode=99",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": "",
    }


def _library(name: str) -> str:
    asked = ["gcc", f"-print-file-name={name}"]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603


def main() -> int:
    """Compile, and run the campaign."""
    parser = argparse.ArgumentParser(description="Run the campaign with sanitized extensions.")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--minutes", default="5")
    parser.add_argument("--out", type=Path, default=Path("fuzzing-found"), help="for the pages that break something")
    arguments = parser.parse_args()
    command = [sys.executable, "-m", "research.fuzzing", "--seed", arguments.seed, "--minutes", arguments.minutes]
    with tempfile.TemporaryDirectory() as name:
        site = build(Path(name))
        command += ["--out", str(arguments.out.absolute())]
        done = subprocess.run(command, cwd=site, env=sanitizing(), check=False)  # noqa: S603
    return int(done.returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
