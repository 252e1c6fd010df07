"""Pages mutated to break something, extracted with all options: a small part of `research.fuzzing`."""

from __future__ import annotations

import json
import lzma
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING

import pytest
from gate.quality import GATE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from research.fuzzing import crawl, invariants
from research.fuzzing.mutations import MUTATIONS, mutated
from research.fuzzing.targets import URLS, Input, Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow


@lru_cache(maxsize=1)
def pages() -> list[str]:
    """The beginnings of real pages."""
    with lzma.open(GATE / "gate.jsonl.xz", "rt", encoding="utf-8") as lines:
        return [json.loads(line)["html"][:8_000] for line in lines]


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    reader = Reader()
    yield reader
    reader.close()


def small(seed: int) -> Input:
    """A page of at most 60,000 characters."""
    random = Random(seed)  # noqa: S311  to be repeated
    html, names = mutated(random, pages())
    return Input(html[:60_000], None, random.choice(URLS), names)


SMALL_BUDGET = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@SMALL_BUDGET
@given(st.integers(0, 2**32))
def test_pages_grown_from_real_ones(reader: Reader, seed: int) -> None:
    assert [*reader.violations(small(seed), compare=seed % 3 == 0)] == []


def test_readings_do_not_depend_on_the_batch(reader: Reader) -> None:
    inputs = [small(seed) for seed in range(16)]
    assert [violation for page in inputs for violation in reader.violations(page, compare=False)] == []
    assert [*reader.differing(inputs)] == []


@pytest.mark.parametrize("name", MUTATIONS)
def test_each_kind_of_page(name: str, reader: Reader) -> None:
    random = Random(3)  # noqa: S311
    html = MUTATIONS[name][0](random, pages()[0], pages()[1])[:150_000]
    assert [*reader.violations(Input(html, made_by=[name]), compare=False)] == []


@pytest.mark.crawl
def test_a_crawl_gives_an_item_for_each_page() -> None:
    site = {f"http://site.test/{seed}": (_body(seed), "text/html") for seed in range(40)}
    assert [*crawl.violations(site, LOG_ENABLED=False)] == []


def _body(seed: int) -> bytes:
    return str(small(seed).html).encode("utf-8", "surrogatepass")


def test_what_is_wrong_is_seen(reader: Reader) -> None:
    annotation = reader.extractor.annotate("<p>One text.</p><div>Another text.</div>")
    annotation.page.blocks.reverse()
    assert any("not those of its tree" in violation for violation in invariants.violations(annotation))
