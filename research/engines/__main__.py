"""``python -m research.engines ROLE --data SET.jsonl.xz --out PAGES.jsonl.xz --work FOLDER [ENGINE ...]``.

ROLE is "train" or "check": which engines run by default, and what their pages are for.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING
from venv import EnvBuilder

from research.engines.packages import PACKAGES
from research.engines.skins import SKINS, dressed
from research.engines.threads import threads_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ROOT = Path(__file__).parents[2]
#: The engines whose pages are only ever measured, and what the virtual environment of each holds; those without a list
#: are packages of the operating system.
CHECK = {
    "trac": ["Trac==1.6", "setuptools"],
    "helpdesk": ["django-helpdesk==2.6.1"],
    "pybbm": ["pybbm==0.19.0", "bbcode", "Django<3"],
}
#: The engines whose pages models learn from.
TRAIN = {
    "spirit": ["django-spirit==0.14.3", "setuptools"],
    "machina": ["django-machina==1.3.1", "Django<5", "whoosh"],
    "roundup": ["roundup==2.6.0", "jinja2"],
    "comments_xtd": ["django-comments-xtd==2.10.13", "Django<5"],
    "mezzanine": ["mezzanine==6.1.1", "setuptools<81"],
    "askbot": ["askbot==0.13.0", "setuptools<81"],
    "hyperkitty": ["HyperKitty==1.3.12", "whoosh"],
    "request_tracker": [],
}
TRAIN |= {name: [] for name in PACKAGES}
#: Training engines that show comments below articles.
COMMENTS = {"comments_xtd", "mezzanine", *(name for name, each in PACKAGES.items() if each.path == "article")}
REQUIREMENTS = TRAIN | CHECK
# The threads of an engine stay the same when others are added.
_SEEDS = {"spirit": 100, "machina": 101, "trac": 102, "roundup": 103, "helpdesk": 104, "comments_xtd": 105,
          "mezzanine": 106, "pybbm": 107, "askbot": 108, "hyperkitty": 109}  # fmt: skip


def main() -> int:
    """Run the engines one after the other; an engine that fails is reported, and the others go on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("role", choices=("train", "check"))
    parser.add_argument("engines", nargs="*", help="all by default; pages of the others are kept from runs before")
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="page sets whose texts are used")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="folder for environments, databases and pages")
    parser.add_argument("--threads", type=int, default=24, help="threads of each engine")
    parser.add_argument("--most", type=int, default=28, help="pages of each training engine")
    arguments = parser.parse_args()
    engines = TRAIN if arguments.role == "train" else CHECK
    if others := set(arguments.engines) - set(engines):
        parser.error(f"no engines to {arguments.role}: {', '.join(sorted(others))}")
    work, failed = arguments.work.resolve(), []
    for engine in arguments.engines or engines:
        _write_threads(engine, work, arguments.data, arguments.threads)
        if _run(engine, work):
            failed.append(engine)
    _join(engines, work / "pages", arguments.out, arguments.most if engines is TRAIN else None)
    if failed:
        sys.stderr.write(f"these engines failed: {', '.join(failed)}\n")
    return int(bool(failed))


def _write_threads(engine: str, work: Path, data: list[Path], count: int) -> None:
    """Each engine has threads of its own."""
    seed = _SEEDS.get(engine, engine)
    threads = threads_of(data, count, seed, training=engine in TRAIN, articles=engine in COMMENTS)
    (work / "threads").mkdir(parents=True, exist_ok=True)
    text = json.dumps([thread.to_dict() for thread in threads], ensure_ascii=False)
    (work / "threads" / f"{engine}.json").write_text(text, encoding="utf-8")


def _join(engines: Iterable[str], pages: Path, out: Path, most: int | None) -> None:
    """Write the pages of all engines; ``most`` of each in the form of a page set to train on, if it is given."""
    with lzma.open(out, "wt", encoding="utf-8") as joined:
        for path in (pages / f"{engine}.jsonl" for engine in sorted(engines)):
            lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
            joined.writelines(f"{line}\n" for line in (lines if most is None else _for_training(lines, most)))


def _for_training(lines: list[str], most: int) -> Iterator[str]:
    """The pages of an engine as a page set has them, in several skins, each skin of which is a site of its own."""
    rows = [json.loads(line) for line in lines]
    for row in rows:  # the question is not on later pages; where it is, the page would be taken for a first one
        if not row["first_page"]:
            row["question"]["body"] = ""
    rows = [row for row in rows if row["first_page"] or not row["repeats"]]
    Random(len(rows)).shuffle(rows)  # noqa: S311 - no secret
    titles = [*dict.fromkeys(row["question"]["title"] for row in rows)]
    for number, row in enumerate(rows[:most]):
        skin = number % SKINS
        others = [title for title in titles if title != row["question"]["title"]]
        row["html"] = dressed(row, skin, Random(number).sample(others, min(len(others), 3 + number % 7)))  # noqa: S311
        if row["kind"] == "comments":
            row["main_text"] = row["question"]["body"]
        row["site"] = f"{row['skin'].replace('_', '-')}{skin}.{row['engine'].replace('_', '-')}.example"
        row["url"] = f"http://{row['site']}/" + row["url"].partition("://")[2].partition("/")[2]
        row["id"], row["skin"] = f"{row['id']}-{skin}", f"{row['skin']} {skin}"
        yield json.dumps(row, ensure_ascii=False)


def _run(engine: str, work: Path) -> int:
    """Fill an engine and save its pages; those of a run that fails are not kept."""
    folder, pages = work / "data" / engine, work / "pages" / f"{engine}.jsonl"
    unfinished = work / "pages" / f"{engine}.unfinished"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pages.parent.mkdir(exist_ok=True)
    unfinished.unlink(missing_ok=True)
    script, *more = ("packaged", engine) if engine in PACKAGES else (engine,)
    threads = work / "threads" / f"{engine}.json"
    arguments: list[str | Path] = [f"research.engines.fill_{script}", threads, unfinished, folder, *more]
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    code = subprocess.run([_python(engine, work), "-m", *arguments], check=False, env=environment).returncode  # noqa: S603
    if not code:
        unfinished.replace(pages)
    return code


def _python(engine: str, work: Path) -> Path:
    """The Python of the engine's virtual environment, which is made on first use; packages share one."""
    home = work / "venvs" / ("packaged" if engine in PACKAGES else engine)
    package = home / "packages" / engine
    if not (home / "bin" / "python").exists():
        EnvBuilder(with_pip=True).create(home)
        if engine in PACKAGES:
            _install(home, "Django==3.2.25", "setuptools<81")
        elif REQUIREMENTS[engine]:
            _install(home, *REQUIREMENTS[engine])
    if engine in PACKAGES and not package.exists():
        _install(home, "--no-deps", "--target", str(package), *PACKAGES[engine].requirements)
    return home / "bin" / "python"


def _install(home: Path, *requirements: str) -> None:
    subprocess.run([home / "bin" / "pip", "install", "-q", *requirements], check=True)  # noqa: S603


if __name__ == "__main__":
    sys.exit(main())
