"""Coverage-guided fuzzing of the Python code by atheris, which has to be installed: ``pip install atheris``.

``python -m research.fuzzing.guided --target extract --seed N --minutes M`` starts from parts of pages of the quality
gate. Inputs that reach new code are kept in --corpus, those that break something in --out. Python fallbacks are used in
place of the compiled extensions, whose coverage is not seen.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import atheris

os.environ["SEMTEXT_COMPILED"] = "0"
with atheris.instrument_imports(include=["scrapy_semtext"]):
    from scrapy_semtext.dom.tree import parse
    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.features.parsed_page import describe
    from scrapy_semtext.output.markup import main_text_from_markup, qa_pairs_from_markup
    from scrapy_semtext.text.decoding import html_text

from research.fuzzing import invariants
from research.fuzzing.campaign import gate_pages
from research.fuzzing.mutations import SMALL, TOKENS, json_ld, microdata, parts_of
from research.fuzzing.targets import BATCHES

if TYPE_CHECKING:
    from collections.abc import Callable


def reading() -> Callable[[str], None]:
    """The whole extractor, and what has to hold."""
    extractor = Extractor.load(device="cpu")

    def read(html: str) -> None:
        found = [*invariants.violations(extractor.annotate(html, "http://a.test/b", BATCHES[1]))]
        if found:
            raise AssertionError(found)

    return read


def markup() -> Callable[[str], None]:
    """The readers of JSON-LD and microdata; what is no HTML is read as JSON-LD."""

    def read(html: str) -> None:
        if "<" not in html[:20]:
            html = f'<script type="application/ld+json">{html}</script>'
        root = parse(html)
        for pair in qa_pairs_from_markup(root, None, html):
            if not (pair.question and pair.answer):
                raise AssertionError(pair)
        main_text_from_markup(root)

    return read


def segmentation() -> Callable[[str], None]:
    """The segmentation alone."""

    def read(html: str) -> None:
        parsed = describe(html, "http://a.test/b")
        if parsed.text_blocks and parsed.layout() is None:
            raise AssertionError("blocks without a tree")

    return read


TARGETS = {"extract": reading, "markup": markup, "segmentation": segmentation}


def main() -> None:
    """Run libFuzzer; it ends the process."""
    parser = argparse.ArgumentParser(description="Read pages that are mutated by what code they reach.")
    parser.add_argument("--target", choices=TARGETS, default="extract")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--corpus", type=Path, default=Path("fuzzing-corpus"))
    parser.add_argument("--out", type=Path, default=Path("fuzzing-found"), help="for the pages that break something")
    arguments = parser.parse_args()
    seeds = arguments.corpus / "seeds"
    for folder in (seeds, arguments.out):
        folder.mkdir(parents=True, exist_ok=True)
    random = Random(arguments.seed)  # noqa: S311  to be repeated
    parts = random.sample(parts_of(random, gate_pages()), 300)
    change = (json_ld, microdata) if arguments.target == "markup" else ()
    parts += [random.choice(change)(random, part, part)[:SMALL] for part in parts if change]
    for number, part in enumerate(parts):
        (seeds / f"{number:04}").write_bytes(part.encode("utf-8", "replace"))
    words = arguments.corpus / "words.txt"
    words.write_text("".join(f'"{_escaped(token)}"\n' for token in TOKENS))
    flags = [f"-seed={arguments.seed}", f"-max_total_time={60 * arguments.minutes:.0f}", "-max_len=3000", "-timeout=60"]
    flags += [f"-dict={words}", f"-artifact_prefix={arguments.out}/", "-rss_limit_mb=4096", "-print_final_stats=1"]
    read = TARGETS[arguments.target]()
    atheris.Setup([sys.argv[0], *flags, str(seeds)], lambda data: read(html_text(data)))
    atheris.Fuzz()


def _escaped(token: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in token.encode("utf-8", "surrogatepass"))


if __name__ == "__main__":
    main()
