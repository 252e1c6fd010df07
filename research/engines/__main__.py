"""``python -m research.engines --data SET.jsonl.xz --out PAGES.jsonl.xz --work FOLDER [ENGINE ...]``."""

from __future__ import annotations

import argparse
import json
import lzma
import os
import shutil
import subprocess
import sys
from pathlib import Path
from venv import EnvBuilder

from research.engines.threads import threads_of

_ROOT = Path(__file__).parents[2]
#: What each engine's virtual environment holds; those without a list are packages of the operating system.
REQUIREMENTS = {
    "spirit": ["django-spirit==0.14.3", "setuptools"],
    "machina": ["django-machina==1.3.1", "Django<5", "whoosh"],
    "trac": ["Trac==1.6", "setuptools"],
    "roundup": ["roundup==2.6.0", "jinja2"],
    "helpdesk": ["django-helpdesk==2.6.1"],
    "comments_xtd": ["django-comments-xtd==2.10.13", "Django<5"],
    "mezzanine": ["mezzanine==6.1.1", "setuptools<81"],
    "pybbm": ["pybbm==0.19.0", "bbcode", "Django<3"],
    "askbot": ["askbot==0.13.0", "setuptools<81"],
    "hyperkitty": ["HyperKitty==1.3.12", "whoosh"],
    "public_inbox": [],
    "wordpress": [],
}


def main() -> int:
    """Run the engines one after the other; an engine that fails is reported, and the others go on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engines", nargs="*", help="all by default; pages of the others are kept from runs before")
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="page sets whose texts are used")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="folder for environments, databases and pages")
    parser.add_argument("--threads", type=int, default=24, help="threads of each engine")
    arguments = parser.parse_args()
    work, failed = arguments.work.resolve(), []
    for engine in arguments.engines or REQUIREMENTS:
        _write_threads(engine, work, arguments.data, arguments.threads)
        if _run(engine, work):
            failed.append(engine)
        _join(work / "pages", arguments.out)
    if failed:
        sys.stderr.write(f"these engines failed: {', '.join(failed)}\n")
    return int(bool(failed))


def _write_threads(engine: str, work: Path, data: list[Path], count: int) -> None:
    """Each engine has threads of its own."""
    threads = threads_of(data, count, seed=100 + [*REQUIREMENTS].index(engine))
    (work / "threads").mkdir(parents=True, exist_ok=True)
    text = json.dumps([thread.to_dict() for thread in threads], ensure_ascii=False)
    (work / "threads" / f"{engine}.json").write_text(text, encoding="utf-8")


def _run(engine: str, work: Path) -> int:
    """Fill an engine and save its pages; those of a run that fails are not kept."""
    folder, pages = work / "data" / engine, work / "pages" / f"{engine}.jsonl"
    unfinished = work / "pages" / f"{engine}.unfinished"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pages.parent.mkdir(exist_ok=True)
    unfinished.unlink(missing_ok=True)
    arguments: list[str | Path] = [
        f"research.engines.fill_{engine}",
        work / "threads" / f"{engine}.json",
        unfinished,
        folder,
    ]
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    code = subprocess.run([_python(engine, work), "-m", *arguments], check=False, env=environment).returncode  # noqa: S603
    if not code:
        unfinished.replace(pages)
    return code


def _python(engine: str, work: Path) -> Path:
    """The Python of the engine's virtual environment, which is made on first use."""
    home = work / "venvs" / engine
    if not (home / "bin" / "python").exists():
        EnvBuilder(with_pip=True).create(home)
        if REQUIREMENTS[engine]:
            subprocess.run([home / "bin" / "pip", "install", "-q", *REQUIREMENTS[engine]], check=True)  # noqa: S603
    return home / "bin" / "python"


def _join(pages: Path, out: Path) -> None:
    with lzma.open(out, "wt", encoding="utf-8") as joined:
        for path in sorted(pages.glob("*.jsonl")):
            joined.write(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main())
