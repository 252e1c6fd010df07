"""The options of extraction, and a page to be processed."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from scrapy_semtext.labelers.bundle import LABELERS, LabelerName
from scrapy_semtext.models.scores import DECISIONS, Decision
from scrapy_semtext.read.chunks import ChunkOptions
from scrapy_semtext.utils.extras import require_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy_semtext.tree.parsing import ParsedHTML


@dataclass(frozen=True, slots=True)
class Options:
    """The options of extraction.

    ``decision``: "expected-f1", "viterbi" (the labeler's own labels), or None for the best one of the labeler.
    ``markup``: whether schema.org markup is read for question-answer pairs and, on pages without main text, for the
    text. ``pairs``: whether question-answer pairs are extracted from the structure of the page. ``comments``: whether
    the comments below articles are extracted, and ``join_comments``: whether they are added to the main text.
    ``sections``: whether the page is divided into sections and segments. ``kinds``: whether its kind is classified.
    ``labeler``: one of LABELERS, or None for the extractor's own. ``templates``: whether the site templates of the
    extractor, if it has any, are used. ``metadata``: whether author, date, language, site name and description are
    extracted, which requires the extra ``metadata``. ``markdown``: whether the main text is also written as Markdown,
    with its links or, without ``links``, with only their text.
    ``overview_threshold``: the probability from which a page is an overview, or None for the best one of the model.
    ``drop_overview``: whether a crawl drops the items of overviews; it does not affect the extraction. ``drop_quotes``:
    whether quotations of earlier posts are removed from the main text of a thread, and all quotations from the posts of
    its question-answer pairs.
    ``records``: whether the items of the main list of an overview and the URL of its next page are extracted; its kind
    is then classified regardless of ``kinds``. ``chunks``: whether the main text is divided into chunks, and their
    size: True, a number of words, or `ChunkOptions` or a dict of them; sections are then extracted regardless of
    ``sections``. ``main_html``: whether the main text is also written as simplified HTML, with its images. ``details``:
    whether canonical URL, authors, dates with times, images, breadcrumbs and the product are extracted
    (`scrapy_semtext.details`), regardless of ``metadata`` and ``kinds``, which it requires.
    """

    decision: Decision | None = None
    markup: bool = True
    pairs: bool = True
    comments: bool = True
    join_comments: bool = False
    sections: bool = True
    kinds: bool = True
    labeler: LabelerName | None = None
    templates: bool = True
    metadata: bool = False
    markdown: bool = False
    links: bool = True
    overview_threshold: float | None = None
    drop_overview: bool = False
    drop_quotes: bool = False
    records: bool = False
    chunks: ChunkOptions | Mapping[str, Any] | int | bool | None = None
    main_html: bool = False
    details: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError for invalid values."""
        for name, known in (("decision", DECISIONS), ("labeler", LABELERS)):
            if (value := getattr(self, name)) not in (None, *known):
                raise ValueError(f"{name} is {value!r}; it has to be one of {', '.join(known)}, or None")
        for each in fields(self):
            if each.type == "bool" and not isinstance(value := getattr(self, each.name), bool):
                raise ValueError(f"{each.name} is {value!r}; it has to be True or False")
        object.__setattr__(self, "chunks", ChunkOptions.of(self.chunks))
        threshold: Any = self.overview_threshold
        is_number = isinstance(threshold, int | float) and not isinstance(threshold, bool)
        if threshold is not None and not (is_number and 0 <= threshold <= 1):
            raise ValueError(f"overview_threshold is {threshold!r}; it has to be a number from 0 to 1, or None")
        self._require_what_is_used()

    def _require_what_is_used(self) -> None:
        if self.join_comments and not self.comments:
            raise ValueError("join_comments is True and comments is False; comments that are not read cannot be joined")
        if self.drop_overview and not self.kinds:
            raise ValueError("drop_overview is True and kinds is False; overviews are recognized by their kind")

    @property
    def reads_kinds(self) -> bool:
        """Whether a requested result requires the kind of a page."""
        return self.kinds or self.records or self.details

    @property
    def reads_metadata(self) -> bool:
        """Whether a requested result requires the metadata of a page."""
        return self.metadata or self.details


def require_extras(options: Options) -> None:
    """Raise MissingExtraError if options require a library that is not installed; no library is loaded."""
    if options.reads_metadata:
        require_extra("py3langid", "metadata")
    if options.labeler == "web2text":
        require_extra("torch", "torch")


@dataclass(frozen=True, slots=True)
class Source:
    """A page to be processed, optionally with its own options.

    ``parsed`` is a tree of the same text, if already available. It is only read, and never changed. ``on_read`` is
    called with the Annotation of the page as soon as it is finished, in the thread or process that extracts it; it is
    pickled for a worker process. The tree is freed afterwards unless the callback keeps it. If it raises an error, so
    does the page. ``note`` is that of the page: unexpected steps in its decoding.
    """

    html: str
    url: str | None = None
    options: Options | None = None
    parsed: ParsedHTML | None = field(default=None, repr=False, compare=False)
    on_read: Callable[[Any], object] | None = field(default=None, repr=False, compare=False)
    note: str | None = None
