"""Settings of all tests."""

from __future__ import annotations

import os

from hypothesis import settings

# Where tests run in several processes, threads of torch that wait for a core keep it busy: some take ten times as long.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# How long an example takes depends on what else the machine does.
settings.register_profile("tests", deadline=None)
settings.load_profile("tests")
