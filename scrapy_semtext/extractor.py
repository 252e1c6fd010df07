"""HTML to a Page: the one place that knows the order of the steps. No Scrapy, no training."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from scrapy_semtext.dom.joining import main_text
from scrapy_semtext.dom.tree import base_url
from scrapy_semtext.features.parsed_page import ParsedPage, describe
from scrapy_semtext.inference.decision import DECISIONS
from scrapy_semtext.labelers.registry import LABELLERS, Labelers, LoadedLabeler
from scrapy_semtext.output.fallback_text import fallback_text
from scrapy_semtext.output.markup import qa_pairs_from_markup
from scrapy_semtext.output.metadata import PARTS, metadata_of, require_metadata
from scrapy_semtext.output.reconcile import reconciled
from scrapy_semtext.output.render import page_markdown
from scrapy_semtext.output.repeats import MOST_THREAD, without_repeats
from scrapy_semtext.output.rows import rows_of
from scrapy_semtext.output.title import title_of
from scrapy_semtext.page import Block, Page, Section
from scrapy_semtext.page_kinds.storage import load_kinds
from scrapy_semtext.qa.models import load_pair_models
from scrapy_semtext.qa.reader import find_page_posts, read_pairs
from scrapy_semtext.sections.models import load_section_models
from scrapy_semtext.sections.reader import read_sections
from scrapy_semtext.utils.extras import require_extra
from scrapy_semtext.utils.process_tuning import gc_paused

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.dom.tree import ParsedHTML
    from scrapy_semtext.inference.decision import Decision
    from scrapy_semtext.inference.scores import Labeler, Scores
    from scrapy_semtext.labelers.registry import LabelerName
    from scrapy_semtext.page import QAPair
    from scrapy_semtext.page_kinds.model import KindModel
    from scrapy_semtext.qa.models import PairModels
    from scrapy_semtext.sections.models import SectionModels


_SWITCHES = ("markup", "pairs", "sections", "kinds", "templates", "metadata", "markdown", "links", "drop_overview")


@dataclass(frozen=True, slots=True)
class Options:
    """How a page is read.

    ``decision``: "expected-f1", "viterbi" (the labeller's own labels), or None for what the labeller was found best
    with. ``markup``: whether schema.org markup is read for question-answer pairs and, without main text, for that.
    ``pairs``: whether question-answer pairs are read from the structure of the page. ``sections``: whether the page is
    cut into sections and segments. ``kinds``: whether its kind is told. ``labeller``: "semtext", "network", "trees",
    "web2text" or "textsweeper", or None for the extractor's own. ``templates``: whether the extractor's site templates,
    if it has any, take part. ``metadata``: whether author, date, language, name of the site and description are read,
    which needs the extra ``metadata``. ``markdown``: whether the main text is also written as Markdown, with its links
    or, without ``links``, with their text alone. ``overview_threshold``: the probability from which on a page is an
    overview, or None for what the model was found best with. ``drop_overview``: whether a crawl drops the items of
    overviews; it makes no difference to the reading.
    """

    decision: Decision | None = None
    markup: bool = True
    pairs: bool = True
    sections: bool = True
    kinds: bool = True
    labeller: LabelerName | None = None
    templates: bool = True
    metadata: bool = False
    markdown: bool = False
    links: bool = True
    overview_threshold: float | None = None
    drop_overview: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError for values that there are not."""
        if self.decision is not None and self.decision not in DECISIONS:
            raise ValueError(f"decision is {self.decision!r}; it has to be one of {', '.join(DECISIONS)}, or None")
        if self.labeller is not None and self.labeller not in LABELLERS:
            raise ValueError(f"labeller is {self.labeller!r}; it has to be one of {', '.join(LABELLERS)}, or None")
        for name in _SWITCHES:
            if not isinstance(value := getattr(self, name), bool):
                raise ValueError(f"{name} is {value!r}; it has to be True or False")
        if self.drop_overview and not self.kinds:
            raise ValueError("drop_overview is True and kinds is False; overviews are told by their kind")
        threshold: Any = self.overview_threshold
        if threshold is not None and (isinstance(threshold, bool) or not isinstance(threshold, int | float)):
            raise ValueError(f"overview_threshold is {threshold!r}; it has to be a number from 0 to 1, or None")
        if threshold is not None and not 0 <= threshold <= 1:
            raise ValueError(f"overview_threshold is {threshold}; it has to be from 0 to 1, or None")


def require_extras(options: Options) -> None:
    """Raise MissingExtraError where options ask for what needs a library that is not installed; none is loaded."""
    if options.metadata:
        require_extra("htmldate", "metadata")
        require_extra("py3langid", "metadata")
    if options.labeller == "web2text":
        require_extra("torch", "torch")


@dataclass(frozen=True, slots=True)
class Source:
    """A page to be read, with options of its own if it has any.

    ``parsed`` is a tree of the same text, if there is one already. It is only read, and never changed.
    """

    html: str
    url: str | None = None
    options: Options | None = None
    parsed: ParsedHTML | None = field(default=None, repr=False, compare=False)


class Templates(Protocol):
    """What an extractor needs of site templates: a second look at the labels of a page's blocks, called once a page."""

    def revised(
        self, url: str | None, blocks: list[TextBlock], keep: NDArray[np.bool_], probabilities: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Return which blocks are main content, (blocks,), of those that the labeller takes for it."""
        ...


@dataclass(slots=True)
class Annotation:
    """A page with its tree and its text blocks, which stand in the order of ``page.blocks``."""

    root: Any
    text_blocks: list[TextBlock]
    page: Page


class Extractor:
    """Reads pages with one loaded labeller, and with others where options ask for them. For one thread at a time.

    ``requires_posts``: whether ``labeller`` goes by the posts of a page, see `LoadedLabeler`.
    ``templates`` are what pages of one site share (`scrapy_semtext.site`); with None, as at first, each page is read by
    itself.
    """

    def __init__(
        self,
        labeller: Labeler,
        decision: Decision,
        options: Options | None = None,
        pair_models: PairModels | None = None,
        others: Labelers | None = None,
        section_models: SectionModels | None = None,
        kind_model: KindModel | None = None,
        *,
        requires_posts: bool = False,
    ) -> None:
        self.labeller = labeller
        self.decision = decision
        self.options = options or Options()
        self.pair_models = pair_models or load_pair_models()
        self.section_models = section_models or load_section_models()
        self.kind_model = kind_model or load_kinds()
        self._own = LoadedLabeler(labeller, decision, requires_posts)
        self._others = others or Labelers()
        self.templates: Templates | None = None

    @classmethod
    def load(
        cls,
        bundle: str | Path | None = None,
        device: str = "auto",
        options: Options | None = None,
        vectors: str | Path | None = None,
        labeller: LabelerName | None = None,
    ) -> Extractor:
        """Load the shipped bundle, or the one in a folder, onto "auto", "cpu", "cuda" or another device of torch.

        ``vectors`` is a fastText .bin to use instead of the bundled vectors. ``labeller`` goes before that of the
        options; without either it is "semtext". Others are loaded from the same bundle when a page's own options ask
        for them. Raises BundleError (a ValueError) if the bundle or the device cannot be used, VectorsError (likewise)
        for the .bin, MissingExtraError if metadata is asked for and its libraries are not installed.
        """
        if options is not None and options.metadata:
            require_metadata()
        folder = Path(bundle) if bundle is not None else None
        options = options or Options()
        if labeller is not None:
            options = replace(options, labeller=labeller)
        labellers = Labelers(folder, device, Path(vectors) if vectors is not None else None)
        own = labellers.get(options.labeller or "semtext")
        pairs, sections, kinds = load_pair_models(folder), load_section_models(folder), load_kinds(folder)
        return cls(
            own.labeller, own.decision, options, pairs, labellers, sections, kinds, requires_posts=own.requires_posts
        )

    def read(self, html: str, url: str | None = None, options: Options | None = None) -> Page:
        """Read one page; any text will do."""
        result = self.read_many([Source(html, url, options)])[0]
        if isinstance(result, Exception):
            raise result
        return result

    @gc_paused()
    def read_many(self, sources: Sequence[Source]) -> list[Page | Exception]:
        """Read pages in one batch; a page that fails gives its exception in its place."""
        described = [_attempt(self._describe, source) for source in sources]
        results: list[Any] = [item if isinstance(item, Exception) else None for item in described]
        names = [(source.options or self.options).labeller for source in sources]
        for name in dict.fromkeys(names):
            which = [i for i, item in enumerate(described) if isinstance(item, ParsedPage) and names[i] == name]
            pages = [described[i] for i in which]
            scores, kinds = self._score(name, pages), self._kinds(pages, [sources[i] for i in which])
            for i, score, kind in zip(which, scores, kinds, strict=True):
                results[i] = _attempt(self._read, described[i], score, kind, sources[i])
        return results

    @gc_paused()
    def annotate(self, html: str, url: str | None = None, options: Options | None = None) -> Annotation:
        """Read one page and keep its tree, to show its blocks or to render them."""
        source = Source(html, url, options)
        described = self._describe(source)
        (scores,) = self._score((options or self.options).labeller, [described])
        (kind,) = self._kinds([described], [source])
        return Annotation(described.root, described.text_blocks, self._read(described, scores, kind, source))

    def _describe(self, source: Source) -> ParsedPage:
        described = describe(source.html, source.url, source.parsed)
        options = source.options or self.options
        if options.pairs or self._loaded(options.labeller).requires_posts:
            find_page_posts(described, self.pair_models.posts)
        return described

    def _loaded(self, name: LabelerName | None) -> LoadedLabeler:
        """The labeller that a page's options ask for: the extractor's own unless they name another."""
        return self._own if name in (None, self.options.labeller) else self._others.get(name)

    def _score(self, name: LabelerName | None, pages: list[ParsedPage]) -> list[Scores | Exception]:
        """Score pages together; should that fail, one by one, so that one page does not cost the others."""
        try:
            return [*self._loaded(name).labeller.score(pages)]
        except Exception as error:  # noqa: BLE001 - becomes the page's result
            return [error] if len(pages) == 1 else [score for page in pages for score in self._score(name, [page])]

    def _kinds(self, pages: list[ParsedPage], sources: list[Source]) -> list[NDArray[np.float64] | Exception | None]:
        """Tell the kinds of pages that are asked for together, or one by one as above; None for others."""
        wanted = [(source.options or self.options).kinds for source in sources]
        try:
            found = iter(
                self.kind_model.probabilities([page for page, want in zip(pages, wanted, strict=True) if want])
            )
            return [next(found) if want else None for want in wanted]
        except Exception as error:  # noqa: BLE001 - becomes the page's result
            if len(pages) == 1:
                return [error]
            return [kind for page, source in zip(pages, sources, strict=True) for kind in self._kinds([page], [source])]

    def _label(self, described: ParsedPage, scores: Scores, options: Options, url: str | None) -> list[Block]:
        blocks = described.text_blocks
        decision = options.decision or self._loaded(options.labeller).decision
        keep = scores.labels(decision, described.word_counts())
        if self.templates is not None and options.templates:
            keep = self.templates.revised(url, blocks, keep, scores.probabilities)
        if self._loaded(options.labeller).requires_posts and not _is_thread(described):
            keep = without_repeats([block.text for block in blocks], keep, described.word_counts())
        scopes = [block.scope for block in blocks]
        columns = {
            "text": [block.text for block in blocks],
            "label": ["main" if main else "boilerplate" for main in keep.tolist()],
            "probability": scores.probabilities.tolist(),
            "tag": [scope.tag for scope in scopes],
            "classes": [scope.names for scope in scopes],
        }
        return rows_of(Block, columns)

    def _tell_kind(self, page: Page, probabilities: NDArray[np.float64], threshold: float | None) -> None:
        found = self.kind_model.likeliest(probabilities, threshold)
        page.page_kind, page.page_kind_probability = found.kind, found.probability
        page.is_overview, page.overview_probability = found.is_overview, found.overview_probability

    def _read(
        self,
        described: ParsedPage,
        scores: Scores | Exception,
        kind: NDArray[np.float64] | Exception | None,
        source: Source,
    ) -> Page:
        if isinstance(scores, Exception):
            raise scores
        if isinstance(kind, Exception):
            raise kind
        options = source.options or self.options
        blocks = self._label(described, scores, options, source.url)
        layout = described.layout() if blocks else None
        page = Page(
            url=source.url,
            title=title_of(described.root, described.elements.naming),
            main_text=main_text(described.text_blocks, [block.label == "main" for block in blocks], layout),
            blocks=blocks,
        )
        hidden = fallback_text(described.root, page.main_text, described.word_counts().sum(), markup=options.markup)
        if hidden is not None:
            page.main_text, page.blocks = hidden, [replace(block, label="boilerplate") for block in blocks]
        if options.sections:
            page.sections, page.segments = read_sections(described, page.blocks, self.section_models)
            page.sections = page.sections if hidden is None else [Section(None, hidden)]
        if kind is not None:
            self._tell_kind(page, kind, options.overview_threshold)
        stated = qa_pairs_from_markup(described.root, page.url, source.html) if options.markup else []
        shown: list[QAPair] = []
        if options.pairs:
            shown = read_pairs(described.found, described.root, page.title, page.url, self.pair_models)
        page.qa_pairs = reconciled(stated, shown, (piece.text for piece in described.raw_blocks))
        if options.markdown:
            page.markdown = _markdown(described, page, links=options.links)
        if options.metadata:
            _add_metadata(page, described.root, markup=options.markup)
        return page


def _is_thread(described: ParsedPage) -> bool:
    return described.posts is not None and described.posts.probability > MOST_THREAD


def _markdown(described: ParsedPage, page: Page, *, links: bool) -> str:
    """The main content with its structure; without blocks of it, the text that the page holds and does not show."""
    main = [text for text, block in zip(described.text_blocks, page.blocks, strict=True) if block.is_main]
    if main:
        return page_markdown(main, base_url(described.root, page.url), links=links)
    return "\n\n".join(line for line in page.main_text.splitlines() if line.strip())


def _add_metadata(page: Page, root: Any, *, markup: bool) -> None:
    found = metadata_of(root, page.main_text, page.url, markup=markup)
    for name in PARTS:
        setattr(page, name, getattr(found, name))
    page.metadata_sources = found.sources


def _attempt(step: Any, *arguments: Any) -> Any:
    """Run a step on one page, so that a page that fails does not take its batch with it."""
    try:
        return step(*arguments)
    except Exception as error:  # noqa: BLE001 - handed to the caller, who counts and reports it
        return error


@lru_cache(maxsize=1)
def default_extractor() -> Extractor:
    """The extractor with the shipped bundle and default options, loaded when it is first asked for."""
    return Extractor.load()


def extract(html: str, url: str | None = None) -> Page:
    """Read a page with the shipped model; ``html`` is its text (any text will do), ``url`` its address if known."""
    return default_extractor().read(html, url)
