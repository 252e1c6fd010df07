"""Settings of all tests."""

from __future__ import annotations

import os

# Where tests run in several processes, threads of torch that wait for a core keep it busy: some take ten times as long.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
