"""From HTML to a Page: the list of readers, and running those that are asked for. Independent of Scrapy and training.

The pages of a batch go through each reader together, so that the models and numpy are called once for all of them. A
page that fails keeps its exception and leaves the batch; the others continue.
"""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.features.table import describe
from scrapy_semtext.labelers.bundle import Labeler, LabelerName, Labelers, LoadedLabeler
from scrapy_semtext.limits import Limits
from scrapy_semtext.options import Options, Source, require_extras
from scrapy_semtext.page import Block, Page
from scrapy_semtext.read import chunks, images, kinds, main_text, markdown, markup, metadata, sections, threads, title
from scrapy_semtext.read import records as records_of_lists
from scrapy_semtext.read.entries import entry_reader
from scrapy_semtext.read.messages import message_reader
from scrapy_semtext.read.posts import PairModels, load_pair_models
from scrapy_semtext.read.records import RecordModels, load_record_models
from scrapy_semtext.read.sections import SectionModels, load_section_models
from scrapy_semtext.reading import (
    Annotation,
    Reading,
    RuleForPage,
    Sites,
    Templates,
    by_needs,
    one_by_one,
    wanted_of,
)
from scrapy_semtext.utils.process_tuning import gc_paused
from scrapy_semtext.words.decoding import NotAPageError, html_text, page_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.models.scores import Decision

__all__ = [
    "Annotation",
    "Extractor",
    "Options",
    "Source",
    "default_extractor",
    "extract",
    "require_extras",
]

#: What is read from pages, each after what it needs.
READERS = by_needs(
    (
        message_reader,
        kinds.kinds_reader,
        threads.posts_reader,
        main_text.scores_reader,
        main_text.blocks_reader,
        title.title_reader,
        entry_reader,
        kinds.kind_reader,
        sections.found_sections_reader,
        sections.sections_reader,
        threads.pairs_reader,
        threads.comments_reader,
        main_text.main_text_reader,
        chunks.chunks_reader,
        records_of_lists.records_reader,
        records_of_lists.next_page_reader,
        markup.qa_pairs_reader,
        markdown.markdown_reader,
        images.images_reader,
        markdown.main_html_reader,
        metadata.metadata_reader,
        metadata.details_reader,
    )
)


class Extractor:
    """Extracts pages with a loaded labeler, and with other labelers if options request them.

    Threads may share an extractor for `read` and `read_many`, unless it has ``templates`` or a labeler of your own that
    is not thread-safe.

    ``requires_posts``, ``tidies`` and ``device`` are those of ``labeler``, see `LoadedLabeler`. ``templates`` say
    what stands where on alike pages (`scrapy_semtext.site.places`); with None, the default, each page is processed
    separately.
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
            metadata.require_metadata()
        folder = Path(bundle) if bundle is not None else None
        options = options or Options()
        if labeler is not None:
            options = replace(options, labeler=labeler)
        labelers = Labelers(folder, device)
        own = labelers.get(options.labeler or "semtext")
        pairs, sections = load_pair_models(folder), load_section_models(folder)
        records = load_record_models(folder)
        extractor = cls(own.labeler, own.decision, options, pairs, labelers, sections, records, device=own.device)
        extractor._own = own
        return extractor

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
        return main_text.labeled(reading, self)

    def labeler_of(self, name: LabelerName | None) -> LoadedLabeler:
        """Return the labeler of this name: the extractor's own if it is None or that of its options."""
        return self._own if name in (None, self.options.labeler) else self._others.get(name)

    def _run(self, sources: Sequence[Source]) -> list[Reading]:
        """Run the readers that are wanted on pages."""
        readings = [Reading(source, source.options or self.options, self.limits) for source in sources]
        one_by_one(readings, self._parse)
        for reader in READERS:
            reader.run(self, readings)
        one_by_one(readings, _hand_over)
        return readings

    def _parse(self, reading: Reading) -> None:
        source = reading.source
        reading.parsed = describe(source.html, source.url, source.parsed)
        reading.limits.check_blocks(len(reading.parsed.text_blocks))
        reading.page = Page(source.url, note=source.note)
        labeler = self.labeler_of(reading.options.labeler)
        reading.wanted = wanted_of(READERS, reading.options, () if labeler.ignores_posts else ("post_blocks",))
        if self.sites is not None:
            reading.rule = self.sites.for_page(source.url, reading.parsed.root)
        if self.templates is not None and reading.options.templates:
            reading.template = self.templates.of_page(reading.parsed)
        if reading.rule is not None:
            reading.page.rule, reading.page.unmatched = reading.rule.name, reading.rule.unmatched


def _hand_over(reading: Reading) -> None:
    """Free the table of a page's batch, and pass the page with its tree to its ``on_read`` callback."""
    reading.table = None
    if reading.source.on_read is not None:
        reading.source.on_read(reading.annotation())


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
