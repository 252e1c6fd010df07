"""The speed of reading web archives with Ray Data, compared with a single process. Requires the extra ``ray``.

    python -m research.ray_throughput ARCHIVE... --workers 2

Both write Parquet. Times include loading the models. CPU time is that of all processes, including Ray's workers.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import ray

from scrapy_semtext.bulk.ray import archives, clean
from scrapy_semtext.bulk.reader import RowReader
from scrapy_semtext.bulk.warc import rows_of_archive

if TYPE_CHECKING:
    from collections.abc import Sequence

_TICKS = os.sysconf("SC_CLK_TCK")


def in_one_process(names: Sequence[str], folder: Path) -> int:
    """Read archives here; return the number of pages."""
    reader, count = RowReader(), 0
    for number, name in enumerate(names):
        with Path(name).open("rb") as file:
            rows = list(reader.table_rows(rows_of_archive(file)))
        count += len(rows)
        pq.write_table(pa.Table.from_pylist(rows), folder / f"{number}.parquet", compression="zstd")
    return count


def cpu_of_descendants() -> float:
    """The CPU time, in seconds, of all running processes that this process has started."""
    parents, seconds = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            values = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        pid = int(path.parent.name)
        # with that of children that have ended
        parents[pid], seconds[pid] = int(values[1]), sum(map(int, values[11:15])) / _TICKS
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return sum(seconds[pid] for pid in found - {os.getpid()})


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="+", metavar="ARCHIVE")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    ray.init(num_cpus=arguments.workers + 1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    names = [str(Path(name).resolve()) for name in arguments.archives]
    with tempfile.TemporaryDirectory() as folder:
        began, before = time.monotonic(), time.process_time()
        pages = in_one_process(names, Path(folder))
        wall, cpu = time.monotonic() - began, time.process_time() - before
        sys.stdout.write(f"one process: {pages} pages, {wall:.1f} s, {cpu:.1f} s of CPU\n")
        began, before = time.monotonic(), cpu_of_descendants()
        clean(archives(names), arguments.workers).write_parquet(f"{folder}/ray")
        wall, cpu = time.monotonic() - began, cpu_of_descendants() - before
        rows = pq.read_table(f"{folder}/ray").num_rows
        sys.stdout.write(f"Ray, {arguments.workers} workers: {rows} pages, {wall:.1f} s, {cpu:.1f} s of CPU\n")


if __name__ == "__main__":
    main()
