"""From HTML to a Page: the only module that knows the order of the steps. Independent of Scrapy and training.

The pages of a batch go through each step together, so that the models and numpy are called once for all of them. A page
that fails keeps its exception and leaves the batch; the others continue.
"""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.features.table import PageTable, ParsedPage, describe
from scrapy_semtext.labelers.bundle import Labeler, LabelerName, Labelers, LoadedLabeler
from scrapy_semtext.limits import Limits
from scrapy_semtext.options import Options, Source, require_extras
from scrapy_semtext.page import Block, Page, QAPair, Section
from scrapy_semtext.read.chunks import ChunkOptions, read_chunks
from scrapy_semtext.read.kinds import KINDS, KindOfPage, as_thread, overview_probability
from scrapy_semtext.read.main_text import (
    MIN_HEADING_PROBABILITY,
    fallback_text,
    with_titles,
    with_units,
    without_notices,
    without_quotes,
    without_repeats,
)
from scrapy_semtext.read.markdown import add_on_demand
from scrapy_semtext.read.markup import qa_pairs_from_markup, reconciled
from scrapy_semtext.read.metadata import require_metadata
from scrapy_semtext.read.posts import PairModels, load_pair_models
from scrapy_semtext.read.records import RecordModels, are_most, load_record_models, read_records
from scrapy_semtext.read.sections import SectionModels, load_section_models, read_sections
from scrapy_semtext.read.threads import (
    PairSource,
    comments_of,
    find_posts,
    pairs_of_pages,
    pairs_of_posts,
    probabilities_of_raw,
)
from scrapy_semtext.read.title import title_of
from scrapy_semtext.reading import Annotation, Reading, RuleForPage, Sites, Templates, all_at_once, one_by_one
from scrapy_semtext.tree.parsing import base_url
from scrapy_semtext.tree.scopes import main_text
from scrapy_semtext.utils.process_tuning import gc_paused
from scrapy_semtext.words.decoding import NotAPageError, html_text, page_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.models.scores import Decision
    from scrapy_semtext.utils.arrays import Bools, Floats

__all__ = [
    "Annotation",
    "Extractor",
    "Options",
    "Source",
    "default_extractor",
    "extract",
    "require_extras",
]

# From this probability of an overview on, records are read; if it is not an overview, they must be most of its text.
_LIKELY_OVERVIEW = 0.2


class Extractor:
    """Extracts pages with a loaded labeler, and with other labelers if options request them.

    Threads may share an extractor for `read` and `read_many`, unless it has ``templates`` or a labeler of your own that
    is not thread-safe.

    ``requires_posts``, ``tidies`` and ``device`` are those of ``labeler``, see `LoadedLabeler`. ``templates`` describe
    what pages of a site share (`scrapy_semtext.site`); with None, the default, each page is processed separately.
    ``sites`` are the rules of sites (`scrapy_semtext.site.rules`), None without any. ``limits`` is the maximum cost of
    a page, by default unlimited.
    """

    def __init__(
        self,
        labeler: Labeler,
        decision: Decision,
        options: Options | None = None,
        pair_models: PairModels | None = None,
        others: Labelers | None = None,
        section_models: SectionModels | None = None,
        record_models: RecordModels | None = None,
        *,
        requires_posts: bool = False,
        tidies: bool = False,
        device: str = "cpu",
    ) -> None:
        self.labeler = labeler
        self.decision = decision
        self.device = device
        self.options = options or Options()
        self.pair_models = pair_models or load_pair_models()
        self.section_models = section_models or load_section_models()
        self.record_models = record_models or load_record_models()
        self._own = LoadedLabeler(labeler, decision, requires_posts, tidies, device)
        self._others = others or Labelers()
        self.templates: Templates | None = None
        self.sites: Sites | None = None
        self.limits = Limits()

    @classmethod
    def load(
        cls,
        bundle: str | Path | None = None,
        device: str = "auto",
        options: Options | None = None,
        labeler: LabelerName | None = None,
    ) -> Extractor:
        """Load the shipped bundle, or the one in a folder, onto "auto", "cpu", "cuda" or another torch device.

        ``labeler`` takes precedence over that of the options; without either it is "semtext". Others are loaded from
        the same bundle when a page's own options request them. Raises BundleError (a ValueError) if the bundle or the
        device cannot be used, MissingExtraError if metadata is requested and its libraries are not installed.
        """
        if options is not None and options.reads_metadata:
            require_metadata()
        folder = Path(bundle) if bundle is not None else None
        options = options or Options()
        if labeler is not None:
            options = replace(options, labeler=labeler)
        labelers = Labelers(folder, device)
        own = labelers.get(options.labeler or "semtext")
        pairs, sections = load_pair_models(folder), load_section_models(folder)
        records = load_record_models(folder)
        return cls(
            own.labeler,
            own.decision,
            options,
            pairs,
            labelers,
            sections,
            records,
            requires_posts=own.requires_posts,
            tidies=own.tidies,
            device=own.device,
        )

    def read(
        self,
        html: str | bytes,
        url: str | None = None,
        options: Options | None = None,
        content_type: str | None = None,
    ) -> Page:
        """Extract one page; any text is accepted.

        Bytes are decoded by byte order mark, ``content_type`` (the HTTP header), <meta>, or else a guess. If the input
        is not a page but, for example, a PDF, a warning is issued, and the returned page has no text and says in
        ``note`` what it is. Raises TypeError if ``html`` is neither str nor bytes.
        """
        try:
            text, _, note = page_text(html, content_type)
        except NotAPageError as error:
            warnings.warn(f"{url or 'html'} is {error}", stacklevel=2)
            return Page(url, note=str(error))
        result = self.read_many([Source(text, url, options, note=note)])[0]
        if isinstance(result, Exception):
            raise result
        return result

    @gc_paused()  # until the trees of the batch are freed: the collector would traverse them all
    def read_many(self, sources: Sequence[Source]) -> list[Page | Exception]:
        """Extract pages in one batch; the result for a page that fails is its exception."""
        return [reading.page if reading.error is None else reading.error for reading in self._run(sources)]

    @gc_paused()
    def annotate(self, html: str | bytes, url: str | None = None, options: Options | None = None) -> Annotation:
        """Extract one page and keep its tree, to show its blocks or to render them; ``html`` is as for `read`."""
        (reading,) = self._run([Source(html_text(html), url, options)])
        if reading.error is not None:
            raise reading.error
        return reading.annotation()

    def relabeled(self, annotation: Annotation, rule: RuleForPage | None) -> list[Block]:
        """Return the blocks of an annotated page with the labels from another rule, or from none.

        The models are not run again, so many rules can be compared. Raises ValueError for an annotation that was not
        made by this extractor.
        """
        if annotation.reading is None:
            raise ValueError("the annotation was not made by Extractor.annotate, so its page cannot be labeled again")
        reading = copy(annotation.reading)
        reading.rule = rule
        return self._blocks(reading)

    def _run(self, sources: Sequence[Source]) -> list[Reading]:
        """Run all steps on pages."""
        readings = [Reading(source, source.options or self.options, self.limits) for source in sources]
        one_by_one(readings, self._parse)
        all_at_once(readings, self._find_posts)
        all_at_once(readings, self._score)
        one_by_one(readings, self._label)
        one_by_one(readings, self._classify)
        all_at_once(readings, self._read_sections)
        for reading in readings:
            reading.table = None  # no later step reads it
        all_at_once(readings, self._read_pairs)
        one_by_one(readings, _read_comments)
        one_by_one(readings, _read_chunks)
        one_by_one(readings, self._read_records)
        one_by_one(readings, self._finish)
        one_by_one(readings, _hand_over)
        return readings

    def _parse(self, reading: Reading) -> None:
        source = reading.source
        reading.parsed = describe(source.html, source.url, source.parsed)
        reading.limits.check_blocks(len(reading.parsed.text_blocks))
        if self.sites is not None:
            reading.rule = self.sites.for_page(source.url, reading.parsed.root)

    def _loaded(self, name: LabelerName | None) -> LoadedLabeler:
        """Return the labeler that a page's options request: the extractor's own unless they name another."""
        return self._own if name in (None, self.options.labeler) else self._others.get(name)

    def _find_posts(self, readings: Sequence[Reading]) -> None:
        """Classify the kinds of pages and find their posts, if pairs, comments, records or the labeler require them."""
        models, wanted = self.pair_models.posts, [reading for reading in readings if self._needs_posts(reading.options)]
        judged = [reading for reading in readings if reading.options.reads_kinds or self._needs_posts(reading.options)]
        for reading, kinds in zip(judged, models.kinds.probabilities(_table_of(judged)), strict=True):
            reading.kinds = kinds
        searches = find_posts(
            [reading.parsed for reading in wanted],
            models,
            [reading.kinds for reading in wanted],
            [reading.options.comments for reading in wanted],
        )
        for reading, search in zip(wanted, searches, strict=True):
            reading.posts = search

    def _needs_posts(self, options: Options) -> bool:
        """Return whether a requested result or labeler requires the posts of a page."""
        return options.reads_posts or self._loaded(options.labeler).requires_posts

    def _score(self, readings: Sequence[Reading]) -> None:
        """Score the blocks of pages, grouped by labeler."""
        for name in dict.fromkeys(reading.options.labeler for reading in readings):
            same = [reading for reading in readings if reading.options.labeler == name]
            scores = self._loaded(name).labeler.score(_table_of(same))
            for reading, each in zip(same, scores, strict=True):
                reading.scores = each

    def _label(self, reading: Reading) -> None:
        """Label the blocks of a page, and join its main text."""
        parsed, blocks, rule = reading.parsed, self._blocks(reading), reading.rule
        page = Page(
            url=reading.source.url,
            title=(rule and rule.title()) or title_of(parsed.root, parsed.elements.naming),
            main_text=main_text(parsed.text_blocks, [block.is_main for block in blocks], parsed.raw_tree),
            blocks=blocks,
            note=reading.source.note,
        )
        reading.page = page
        if rule is not None:
            page.rule, page.unmatched = rule.name, rule.unmatched
            if rule.decides():
                return
        shown = parsed.word_counts().sum()
        texts = (block.text for block in blocks)
        markup = reading.options.markup
        reading.fallback = fallback_text(parsed.root, page.main_text, shown, markup=markup, texts=texts)
        if reading.fallback is not None:
            page.main_text = reading.fallback
            page.blocks = [replace(block, label="boilerplate") for block in blocks]

    def _blocks(self, reading: Reading) -> list[Block]:
        parsed, scores, options, rule = reading.parsed, reading.scores, reading.options, reading.rule
        blocks, labeler = parsed.text_blocks, self._loaded(options.labeler)
        if rule is not None:
            scores = rule.scores(scores, blocks)
        keep = scores.labels(options.decision or labeler.decision, parsed.word_counts())
        if parsed.posts is not None and parsed.posts.comments:
            keep = keep & (parsed.posts.inside <= 0.5)
        if labeler.tidies:
            keep = with_units(parsed, keep, scores.probabilities)
        if self.templates is not None and options.templates:
            keep = self.templates.revised(reading.source.url, blocks, keep, scores.probabilities)
        if labeler.tidies:
            keep = _tidied(parsed, keep, scores.probabilities, drop_quotes=options.drop_quotes)
        if rule is not None:
            keep = rule.decide(blocks, keep)
        return [
            Block(block.text, "main" if main else "boilerplate", probability, block.scope.tag, block.scope.names)
            for block, main, probability in zip(blocks, keep.tolist(), scores.probabilities.tolist(), strict=True)
        ]

    def _classify(self, reading: Reading) -> None:
        """Set the kind of a page if requested: the model's, or "forum" for a thread."""
        if reading.kinds is None or not reading.options.reads_kinds:
            return
        posts, page = reading.posts.posts if reading.posts is not None else None, reading.page
        found = self.pair_models.posts.kinds.likeliest(reading.kinds, reading.options.overview_threshold)
        if posts is not None and posts.is_thread:
            reading.kinds = as_thread(reading.kinds, posts.probability)
            found = KindOfPage("forum", posts.probability, False, float(overview_probability(reading.kinds)))
        page.page_kind, page.page_kind_probability = found.kind, found.probability
        page.is_overview, page.overview_probability = found.is_overview, found.overview_probability

    def _read_sections(self, readings: Sequence[Reading]) -> None:
        """Extract sections and segments, if these or chunks are requested."""
        wanted = [reading for reading in readings if reading.options.sections or reading.options.chunks]
        blocks = [reading.page.blocks for reading in wanted]
        found = read_sections(_table_of(wanted), blocks, self.section_models)
        for reading, (sections, segments) in zip(wanted, found, strict=True):
            reading.sections = sections if reading.fallback is None else [Section(None, reading.fallback)]
            if reading.options.sections:
                reading.page.sections, reading.page.segments = reading.sections, segments

    def _read_pairs(self, readings: Sequence[Reading]) -> None:
        """Extract pairs from the structure of pages, if requested."""
        wanted = [reading for reading in readings if reading.options.pairs]
        pages = [self._pair_source(reading) for reading in wanted]
        for reading, pairs in zip(wanted, pairs_of_pages(pages, self.pair_models), strict=True):
            reading.page.qa_pairs = pairs
            ruled = _pairs_of_rule(reading)
            if ruled is not None:
                reading.page.qa_pairs = ruled

    def _pair_source(self, reading: Reading) -> PairSource:
        page, main = reading.page, None
        if self._loaded(reading.options.labeler).tidies:  # other labelers give some blocks 0 or 1
            main = probabilities_of_raw(reading.parsed, np.array([block.probability for block in page.blocks]))
        return PairSource(reading.posts, page.title, reading.source.url, main, reading.options.drop_quotes)

    def _read_records(self, reading: Reading) -> None:
        """Extract the records, if requested, of an overview or where they are most of a page: of a forum's index."""
        page = reading.page
        posts = reading.parsed.posts
        is_index = page.page_kind == "forum" and (posts is None or not posts.is_thread)
        is_likely = (page.overview_probability or 0.0) >= _LIKELY_OVERVIEW
        if reading.options.records and (page.is_overview or is_index or is_likely):
            found = read_records(reading.parsed, self.record_models)
            if page.is_overview or are_most(found.records, reading.parsed):
                page.records, page.next_page = found
        if reading.rule is not None:
            page.next_page = reading.rule.next_page(base_url(reading.parsed.root, page.url)) or page.next_page

    def _finish(self, reading: Reading) -> None:
        """Add the pairs from a page's markup, and the remaining requested results."""
        parsed, page, options = reading.parsed, reading.page, reading.options
        if not any(pair.source == "rule" for pair in page.qa_pairs):
            stated = qa_pairs_from_markup(parsed.root, page.url, reading.source.html) if options.markup else []
            page.qa_pairs = reconciled(stated, page.qa_pairs, (block.text for block in parsed.raw_blocks))
        kinds = {} if reading.kinds is None else dict(zip(KINDS, reading.kinds.tolist(), strict=True))
        add_on_demand(page, parsed, options, kinds)


def _table_of(readings: Sequence[Reading]) -> PageTable:
    """Return the pages as a table, which is shared by steps on the same pages."""
    pages = [reading.parsed for reading in readings]
    table = readings[0].table if readings else None
    if table is None or [*map(id, table)] != [*map(id, pages)]:
        table = PageTable(pages)
        for reading in readings:
            reading.table = table
    return table


def _hand_over(reading: Reading) -> None:
    """Pass a page with its tree to its ``on_read`` callback."""
    if reading.source.on_read is not None:
        reading.source.on_read(reading.annotation())


def _tidied(parsed: ParsedPage, keep: Bools, probabilities: Floats, *, drop_quotes: bool) -> Bools:
    """Return which blocks are main content, (blocks,), with titles of boxes, without notices and repeated text."""
    blocks, words, posts = parsed.text_blocks, parsed.word_counts(), parsed.posts
    apart = np.ones(len(blocks), dtype=np.bool_)
    if posts is None or not posts.is_thread:
        keep = without_repeats([block.text for block in blocks], keep, words, [block.scope for block in blocks])
    else:
        apart = posts.post < 0
        if drop_quotes:
            keep = without_quotes([block.text for block in blocks], parsed.layout(), keep, posts.post)
    return with_titles(
        blocks, without_notices(blocks, keep, words, apart), words, apart & (probabilities > MIN_HEADING_PROBABILITY)
    )


def _pairs_of_rule(reading: Reading) -> list[QAPair] | None:
    """Return the pairs of the posts that the site's rule selects, None if it selects none."""
    rule, parsed = reading.rule, reading.parsed
    if rule is None or not parsed.raw_blocks:
        return None
    nodes = reading.posts.nodes if reading.posts is not None else parsed.raw_tree
    posts = rule.posts(nodes)
    return None if posts is None else pairs_of_posts(nodes, *posts, reading.page.title)


def _read_comments(reading: Reading) -> None:
    """Extract the comments of a page, which are only searched for if requested."""
    found, page = reading.posts, reading.page
    if found is None or found.posts is None or not found.posts.are_comments:
        return
    page.comments = comments_of(found.nodes, found.posts)
    if reading.options.join_comments:
        page.main_text = "\n".join(filter(None, [page.main_text, *(comment.text for comment in page.comments)]))


def _read_chunks(reading: Reading) -> None:
    """Split the main text of a page, including joined comments, into chunks, if requested."""
    if (options := ChunkOptions.of(reading.options.chunks)) is not None:
        reading.page.chunks = read_chunks(reading.page, reading.parsed, reading.sections, options)


@lru_cache(maxsize=1)
def default_extractor() -> Extractor:
    """Return the extractor with the shipped bundle and default options, loaded on first use."""
    return Extractor.load()


def extract(html: str | bytes, url: str | None = None, content_type: str | None = None) -> Page:
    """Extract a page with the shipped model; thread-safe.

    ``html`` is its source (any text is accepted), ``url`` its URL if known. Bytes are decoded as in a crawl, where
    ``content_type`` is the HTTP header Content-Type if known; it is ignored for a str. If the input is not a page but,
    for example, a PDF, a warning is issued and a page without text is returned. Raises TypeError if ``html`` is neither
    str nor bytes.
    """
    return default_extractor().read(html, url, content_type=content_type)
