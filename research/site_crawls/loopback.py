"""Crawls of generated sites: a trap, and many hosts at once.

``python -m research.site_crawls.loopback trap|hosts --work FOLDER [--baseline]``, after ``research.site_crawls`` has
prepared the texts in that folder.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

from research.site_crawls.hosts import addresses
from research.site_crawls.trap import TrapServer, TrapSite

_ARTICLES = 60  # of the trap
_MOST = 3_000  # pages after which a crawl of the trap is stopped
_PORT = 18_790
_IN_MENU = 2  # links of each small site that lead to no content
_SAMPLE = 2.0  # seconds between two looks at the memory


def main() -> int:
    """Crawl, and print what it cost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", choices=("trap", "hosts"))
    parser.add_argument("--work", type=Path, required=True, help="the folder with texts.json")
    parser.add_argument("--baseline", action="store_true", help="breadth first, without link roles")
    parser.add_argument("--hosts", type=int, default=50)
    parser.add_argument("--pages", type=int, default=190, help="articles of each host; there are lists beside them")
    parser.add_argument("--option", action="append", default=[], help="one more option of semtext crawl")
    arguments = parser.parse_args()
    return (_trap if arguments.site == "trap" else _hosts)(arguments)


def _trap(arguments: argparse.Namespace) -> int:
    articles = json.loads((arguments.work / "texts.json").read_text(encoding="utf-8"))["articles"][:_ARTICLES]
    site = TrapSite([(article["title"], "\n".join(article["paragraphs"])) for article in articles])
    server = TrapServer(0, site)
    Thread(target=server.serve_forever, daemon=True).start()
    command = _command(arguments, [f"http://127.0.0.1:{server.server_port}/"], _MOST, "trap")
    with (arguments.work / "trap.log").open("w") as log:
        code = subprocess.run(command, check=False, stdout=log, stderr=log).returncode  # noqa: S603
    paths = [path for path in server.paths if path != "/robots.txt"]
    in_trap = sum(map(site.is_trap, paths))
    found = {path for path in paths if re.fullmatch(r"/article/\d+/", path)}
    sys.stdout.write(
        f"{len(paths)} requests of {_MOST}, {in_trap} of them in the trap; "
        f"{len(found)} of {_ARTICLES} articles; {_trap_kinds(paths, site)}\n"
    )
    return code


def _trap_kinds(paths: list[str], site: TrapSite) -> str:
    kinds: dict[str, int] = {}
    for path in filter(site.is_trap, paths):
        kind = "session" if "sid=" in path else path.split("/")[1]
        kinds[kind] = kinds.get(kind, 0) + 1
    return ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())) or "no traps"


def _hosts(arguments: argparse.Namespace) -> int:
    work: Path = arguments.work
    sizes = [str(_PORT), str(arguments.hosts), str(arguments.pages), str(work / "texts.json")]
    serve = [sys.executable, "-m", "research.site_crawls.hosts", *sizes]
    starts = [f"http://{address}:{_PORT}/" for address in addresses(arguments.hosts)]
    lists = -(-arguments.pages // 20)
    pages = arguments.hosts * (arguments.pages + lists + _IN_MENU)
    command = _command(arguments, starts, pages, "hosts")
    with subprocess.Popen(serve, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        assert server.stdout is not None  # noqa: S101 - it is a pipe
        assert server.stdin is not None  # noqa: S101
        server.stdout.readline()
        begin = time.monotonic()
        with (work / "hosts.log").open("w") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: S603
            memory = _memory_of(process)
        seconds = time.monotonic() - begin
        server.stdin.close()
    items = (work / "hosts.jsonl").read_text(encoding="utf-8").count("\n")
    quarters = [memory[min(len(memory) - 1, len(memory) * part // 4)] for part in (1, 2, 3, 4)] if memory else []
    shown = ", ".join(f"{each:.0f}" for each in quarters)
    sys.stdout.write(f"{items} items in {seconds:.0f} s, {items / seconds:.1f} a second; MB at each quarter: {shown}\n")
    return process.returncode


def _command(arguments: argparse.Namespace, starts: list[str], pages: int, name: str) -> list[str]:
    out = arguments.work / f"{name}.jsonl"
    out.unlink(missing_ok=True)
    if arguments.baseline:
        return [sys.executable, "-m", "research.site_crawls.spider", ",".join(starts), str(pages), str(out)]
    limits = ["-o", str(out), "--max-pages", str(pages)]
    return [sys.executable, "-m", "scrapy_semtext", "crawl", *starts, *limits, *arguments.option]


def _memory_of(process: subprocess.Popen[bytes]) -> list[float]:
    """The resident memory of a process in MB, until it ends."""
    sizes = []
    while process.poll() is None:
        status = Path(f"/proc/{process.pid}/status").read_text()
        if found := re.search(r"VmRSS:\s+(\d+) kB", status):
            sizes.append(int(found[1]) / 1000)
        time.sleep(_SAMPLE)
    return sizes


if __name__ == "__main__":
    sys.exit(main())
