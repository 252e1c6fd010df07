"""One of the two processes of `research.benchmark.interleaved`: it reads batches of pages and reports CPU times.

The installed package may be an old version, so only its oldest interface is used. The first line of input holds the
batches as JSON, lists of [HTML, address]; each further line is the number of a batch. The process answers with the
folder of its package, then with the CPU seconds of each batch.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from pathlib import Path


def main() -> None:
    """Answer the lines of standard input until there are no more."""
    from scrapy_semtext.extractor import Extractor, Source

    batches = [[Source(html, url) for html, url in batch] for batch in json.loads(sys.stdin.readline())]
    extractor = Extractor.load(device="cpu")
    gc.collect()
    gc.freeze()
    print(json.dumps(str(Path(sys.modules[Extractor.__module__].__file__ or "").parent)), flush=True)  # noqa: T201
    for line in sys.stdin:
        began = time.process_time()
        extractor.read_many(batches[int(line)])
        print(json.dumps(time.process_time() - began), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
