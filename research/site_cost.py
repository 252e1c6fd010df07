"""The cost of site templates: time and memory from a site's first page to its ten-thousandth, as a figure.

``python -m research.site_cost --out research/notes/site-cost.svg`` reads generated pages: first of one site, then of a
thousand sites. Labels are made up, since the model is not measured. Requires matplotlib (the extra dev).
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.site.store import SiteTemplates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MENU = [f"Menu entry {word}" for word in "home news sport travel culture money science health opinion video".split()]
_WORDS = "time page site block text tree path word label reader forum answer question market river stone bread".split()

#: Paragraphs of a generated page, which no other page has, and sections of a site, whose teasers change.
_PARAGRAPHS, _SECTIONS = 30, 20

_MIB = 2**20


@dataclass(slots=True)
class Cost:
    """The cost of pages, with a value per hundred pages: milliseconds per page (medians), and MiB held in memory."""

    pages: list[int] = field(default_factory=list)
    reading: list[float] = field(default_factory=list)
    templates: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)


def generated_page(number: int) -> str:
    """Return a page of a made-up site: a menu, teasers of its section, its paragraphs and a footer."""
    chance = random.Random(number)  # noqa: S311  not for secrets

    def sentence() -> str:
        return " ".join(chance.choices(_WORDS, k=20)) + f" {chance.random()}."

    menu = "".join(f'<li class="entry"><a href="/{entry}">{entry}</a><p>All about it</p></li>' for entry in _MENU)
    section = number % _SECTIONS
    teasers = "".join(f"<div class=teaser><h3>Section {section}</h3><p>Teaser {i}</p></div>" for i in range(10))
    paragraphs = "".join(f"<p>{sentence()}</p><h3>{sentence()}</h3>" for _ in range(_PARAGRAPHS // 2))
    return (
        f"<html><head><title>Page {number}</title></head><body><nav><ul>{menu}</ul></nav><main><h1>{sentence()}</h1>"
        f"{paragraphs}</main><aside>{teasers}</aside><footer>Imprint and contact</footer></body></html>"
    )


def held_bytes(templates: SiteTemplates) -> int:
    """Return the size in bytes of all objects that templates hold, as reported by Python."""
    return sum(
        sys.getsizeof(memory) + sum(sys.getsizeof(part) for pair in memory.items() for part in _parts(pair))
        for template in templates
        for memory in (template.blocks, template.places, template.lengths)
    )


def _parts(pair: tuple[Any, ...]) -> Iterator[Any]:
    for part in pair:
        yield part
        if isinstance(part, tuple):
            yield from part


def measure(pages: int, url: Callable[[int], str]) -> Cost:
    """Return the cost of reading generated pages with different URLs."""
    cost, templates = Cost(), SiteTemplates()
    reading, revising = [], []
    for number in range(1, pages + 1):
        html = generated_page(number)
        began = time.process_time()
        blocks = describe(html, None).text_blocks
        keep = np.array([len(block.text) > 60 for block in blocks])
        described = time.process_time()
        templates.revised(url(number), blocks, keep, np.where(keep, 0.9, 0.1))
        ended = time.process_time()
        reading.append(described - began)
        revising.append(ended - described)
        if number % 100 == 0:
            cost.pages.append(number)
            cost.reading.append(1000 * median(reading))
            cost.templates.append(1000 * median(revising))
            cost.memory.append(held_bytes(templates) / _MIB)
            reading, revising = [], []
    return cost


def plot(one: Cost, many: Cost, path: Path) -> None:
    """Draw the figure."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(one.pages, one.reading, label="parsing and segmenting")
    left.plot(one.pages, one.templates, label="site template")
    left.set(title="Time a page of one site", xlabel="page of the site", ylabel="CPU milliseconds", ylim=(0, None))
    right.plot(one.pages, one.memory, label="all pages of one site")
    right.plot(many.pages, many.memory, label="pages of 1,000 sites")
    right.set(title="Memory of the templates", xlabel="page", ylabel="MiB", ylim=(0, None))
    for axes in (left, right):
        axes.legend()
        axes.grid(alpha=0.3)
    figure.savefig(path)


def _lines(one: Cost, many: Cost) -> Iterator[str]:
    yield f"{'page':>8}{'reading':>10}{'template':>10}{'MiB':>8}{'MiB of 1,000 sites':>20}"
    for at in sorted({0, 4, 9, 49, len(one.pages) - 1}):
        if at < len(one.pages):
            row = f"{one.pages[at]:8}{one.reading[at]:10.2f}{one.templates[at]:10.2f}{one.memory[at]:8.2f}"
            yield f"{row}{many.memory[at]:20.2f}"


def main() -> None:
    """Measure, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--out", type=Path, required=True, help="an SVG or PNG file")
    arguments = parser.parse_args()

    def one_site(number: int) -> str:
        return f"https://example.com/{number}"

    def many_sites(number: int) -> str:
        return f"https://site{number % 1000}.example/{number}"

    one = measure(arguments.pages, one_site)
    many = measure(arguments.pages, many_sites)
    sys.stdout.write("\n".join(_lines(one, many)) + "\n")
    plot(one, many, arguments.out)


if __name__ == "__main__":
    main()
