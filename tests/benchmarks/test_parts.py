"""What each part of the way from HTML to a page costs: ``pytest benchmarks --benchmark-enable``.

On a machine that has other work to do, add ``--benchmark-timer=time.process_time``.

The network and the trees remember strings of earlier pages, as in a crawl: what is measured from the second round on is
a page whose strings are known. `research.benchmark` measures pages that are read once.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest
from lxml import etree
from rendering import page_markdown

from scrapy_semtext import Page, QAPair, Source
from scrapy_semtext.dom import tree
from scrapy_semtext.dom.joining import segment
from scrapy_semtext.features.block_features import block_features, text_ids
from scrapy_semtext.features.block_words import page_input
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.inference.scores import Scores
from scrapy_semtext.labelers.bundle import load_labeler
from scrapy_semtext.labelers.structure_trees import require_structure
from scrapy_semtext.output.markup import qa_pairs_from_markup
from scrapy_semtext.output.title import title_of
from scrapy_semtext.qa.pair_models import load_pair_models
from scrapy_semtext.qa.reader import find_page_posts, read_pairs
from scrapy_semtext.results import IN_ITEMS
from scrapy_semtext.sections.reader import load_section_models, read_sections
from scrapy_semtext.text.tokens import word_counts
from scrapy_semtext.text.words import stop_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_semtext import Extractor
    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.labelers.bundle import NetworkLabeler

    Benchmark = Callable[..., Any]


@pytest.fixture(scope="session")
def network() -> NetworkLabeler:
    return load_labeler(device="cpu")


@pytest.fixture
def read(extractor: Extractor, page: Source) -> Page:
    return extractor.read(page.html, page.url)


def test_lxml_parse(benchmark: Benchmark, page: Source) -> None:
    """The unit in which `research.benchmark` gives costs."""
    body = page.html.encode("utf-8", "replace")
    assert len(benchmark(etree.fromstring, body, etree.HTMLParser(encoding="utf-8", huge_tree=True)))


def test_parse(benchmark: Benchmark, page: Source) -> None:
    assert len(benchmark(tree.parse, page.html, page.url))


def test_segment(benchmark: Benchmark, described: ParsedPage) -> None:
    assert benchmark(segment, described.root)


def test_block_features(benchmark: Benchmark, described: ParsedPage) -> None:
    tree = described.layout()
    ids = text_ids([block.text for block in described.text_blocks], tree.block_starts)
    stop = stop_words(described.lang)
    found = benchmark(block_features, described.text_blocks, tree, ids, [described.title], [stop])
    assert len(found) == len(described.text_blocks)


def test_words(benchmark: Benchmark, described: ParsedPage, network: NetworkLabeler) -> None:
    described.block_features()  # computed once, measured above
    assert len(benchmark(page_input, described, network.config)) == len(described.text_blocks)


def test_network(benchmark: Benchmark, described: ParsedPage, network: NetworkLabeler) -> None:
    """Vectors and convolution, LSTM, CRF."""
    inputs = [page_input(described, network.config)]
    (scores,) = benchmark(network.score_inputs, inputs)
    assert len(scores.probabilities) == len(described.text_blocks)


def test_trees(benchmark: Benchmark, described: ParsedPage) -> None:
    trees = require_structure(None).trees
    (log_odds,) = benchmark(trees.log_odds, [described])
    assert len(log_odds) == len(described.text_blocks)


@pytest.mark.parametrize("decision", ["expected-f1", "viterbi"])
def test_decision(benchmark: Benchmark, described: ParsedPage, network: NetworkLabeler, decision: Any) -> None:
    (scores,) = network.score([described])
    words = word_counts([block.text for block in described.text_blocks])
    assert len(benchmark(Scores.labels, scores, decision, words)) == len(described.text_blocks)


def test_sections(benchmark: Benchmark, described: ParsedPage, read: Page) -> None:
    ((sections, _),) = benchmark(read_sections, [described], [read.blocks], load_section_models())
    assert sections == read.sections


def test_pairs(benchmark: Benchmark, described: ParsedPage, read: Page) -> None:
    models = load_pair_models()

    def looked_for_and_read() -> list[QAPair]:
        found = find_page_posts(described, models.posts)
        return read_pairs(found, read.title, read.url, models)

    benchmark(looked_for_and_read)


def test_markup(benchmark: Benchmark, described: ParsedPage) -> None:
    benchmark(qa_pairs_from_markup, described.root, described.url)


def test_title(benchmark: Benchmark, described: ParsedPage, read: Page) -> None:
    assert benchmark(title_of, described.root) == read.title


def test_markdown(benchmark: Benchmark, described: ParsedPage, read: Page) -> None:
    main = [text for text, block in zip(described.text_blocks, read.blocks, strict=True) if block.is_main]
    assert benchmark(page_markdown, main, described.url)


def test_describe(benchmark: Benchmark, page: Source) -> None:
    assert benchmark(describe, page.html, page.url).text_blocks


def test_page(benchmark: Benchmark, extractor: Extractor, page: Source) -> None:
    assert benchmark(extractor.read, page.html, page.url).main_text


@pytest.mark.slow
def test_batch(benchmark: Benchmark, extractor: Extractor, batch: list[Source]) -> None:
    assert all(isinstance(page, Page) for page in benchmark(extractor.read_many, batch))


def test_pickle(benchmark: Benchmark, read: Page) -> None:
    """What it takes to get a page out of a worker process, but for the pipe."""
    assert benchmark(lambda: pickle.loads(pickle.dumps(read, pickle.HIGHEST_PROTOCOL))) == read


def test_item(benchmark: Benchmark, read: Page) -> None:
    """The values that the pipeline puts into an item, in the event loop."""
    assert benchmark(read.values, IN_ITEMS)["main_text"] == read.main_text
