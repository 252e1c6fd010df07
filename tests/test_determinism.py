"""The pages of the gate give the same texts, pairs and kinds under all conditions and on all machines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from gate import quality, readings

from scrapy_semtext.utils.extensions import network

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.readings import Readings

pytestmark = pytest.mark.slow

_SIMD: Any = np.show_config(mode="dicts")
#: numpy, its linear algebra and libm without what the processor has beyond x86-64-v2. Elsewhere they change nothing.
PLAIN_PROCESSOR = {
    "NPY_DISABLE_CPU_FEATURES": " ".join(_SIMD["SIMD Extensions"].get("found", ())),
    "OPENBLAS_CORETYPE": "Prescott",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX,-FMA,-FMA4",
}


def read_apart(arguments: list[str], environment: Mapping[str, str]) -> Readings:
    """Extract the pages in a separate process."""
    done = subprocess.run(
        [sys.executable, readings.__file__, *arguments],
        check=False,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    if "no registers" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    found: Readings = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def here() -> Readings:
    """The pages with the default extraction."""
    return read_apart([], {})


def test_readings_are_those_of_the_file(here: Readings) -> None:
    stored = readings.stored()
    if stored["libxml2"] != readings.libxml():
        pytest.skip(f"another HTML parser may build other trees: {readings.libxml()}, not {stored['libxml2']}")
    changed = [*readings.differences(here, stored["readings"])]
    advice = "if that is intended, run: python tests/gate/readings.py --update"
    assert not changed, "\n".join([f"{len(changed)} pages are read differently; {advice}", *changed])
    assert stored["bundle"] == quality.fingerprint(), f"another bundle; {advice}"


@pytest.mark.skipif(os.environ.get("SEMTEXT_COMPILED") == "0", reason="the run with extensions compares both")
@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        pytest.param(["--batch", "1"], {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C"}, id="alone"),
        pytest.param(["--batch", "7", "--reverse"], {"PYTHONHASHSEED": "2"}, id="in another order"),
        pytest.param(["--threads", "2"], {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}, id="in two threads"),
        pytest.param([], {"SEMTEXT_COMPILED": "0"}, id="not compiled"),
        pytest.param(["--batch", "1"], {"SEMTEXT_COMPILED": "0", **PLAIN_PROCESSOR}, id="not compiled, plain"),
    ],
)
def test_the_same_is_read(arguments: list[str], environment: dict[str, str], here: Readings) -> None:
    assert [*readings.differences(read_apart(arguments, environment), here)] == []


@pytest.mark.skipif(network is None, reason="nothing is compiled here")
@pytest.mark.parametrize("width", ["4", "8"])
def test_the_same_is_read_with_each_instruction_set(width: str, here: Readings) -> None:
    found = read_apart(["--simd-width", width], PLAIN_PROCESSOR if width == "4" else {})
    assert [*readings.differences(found, here)] == []


def test_what_differs_is_named() -> None:
    before = {"0001": {"text": "a", "kind": "article"}, "0002": {"text": "b"}}
    after = {"0001": {"text": "a", "kind": "forum"}, "0002": {"text": "b"}, "0003": {"text": "c"}}
    assert [*readings.differences(after, before)] == ["0001: kind", "0003: text"]
