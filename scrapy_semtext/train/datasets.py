"""Annotated pages: page sets, their licences, and the split by domain.

A page set is a file of JSON lines (plain, ``.gz`` or ``.xz``), one page per line. Three formats are read: the common
one with ``id``, ``html`` and ``text`` (and ``dataset, url, page_type, lang, licence, extra`` if known), that of the
question-and-answer set, which has ``engine``, ``kind`` and ``main_text`` instead of ``text``, and that of ``semtext
label`` (see scrapy_semtext.site.labeled_pages).
"""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
import lzma
import re
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from scrapy_semtext.site.labeled_pages import LabeledPageError, labeled_page
from scrapy_semtext.utils import UserError
from scrapy_semtext.utils.address import address_of, registered_domain_of
from scrapy_semtext.utils.version import __version__

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Mapping


class TrainingError(UserError):
    """A training that cannot start; the message says what is missing."""


Side = Literal["train", "valid", "test"]

#: The prefix of the names that replace unknown domains.
UNKNOWN_DOMAIN = "id:"

#: The reason for which `read_pages` skips labeled pages.
NOT_DONE = "not marked as done"
#: The reason for which `Job.pages` skips pages.
LICENCE = "licence"

#: Page sets whose own licence (CC BY 4.0, Apache 2.0, MIT, ODC BY 1.0) allows distributing weights trained on them.
SHIPPING_SETS = frozenset(
    """
    wcxb_dev newspaper4k_articles fundus_testdata webforum52 chinese_wced recipe_scrapers tbdre opentermsarchive
    """.split()
)

#: The sets made by `research.recorded_pages`, `research.generated_pages` and `research.themed_pages`.
RECORDED, GENERATED, THEMED = "recorded_sites", "generated_pages", "themed_pages"
#: These and the set made by `research.engines`, which have many pages of each program.
VARIED = ("engines", RECORDED, GENERATED, THEMED)

#: The seed of the split behind the published figures and the bundle. Of the first forty seeds, it is the one that puts
#: a fifth of the pages of wcxb_dev, and about a fifth of each of its page types and of the other sets, on the test
#: side.
SPLIT_SEED = 17

#: The beginning of a licence statement that allows distributing weights.
OPEN_LICENCE = re.compile(r"\s*(?:CC0|CC[- ]BY(?![-\s\w]*\b(?:NC|ND)\b)|MIT|Apache)\b", re.IGNORECASE)
_FIRST_TEXT = re.compile(r"""\s*<text\b[^>]*?\bid=["'](?P<url>https?://[^"']+)""", re.IGNORECASE)
_SAVED_FROM = re.compile(r"<!--\s*saved from url=\(\d+\)(?P<url>https?://[^\s>]+)", re.IGNORECASE)
_ARCHIVED = re.compile(r"https?://web\.archive\.org/web/\w+/(?=https?:)", re.IGNORECASE)
_CANONICAL = re.compile(
    r"""<link\b(?=[^>]*\brel=["']?canonical\b)[^>]*?\bhref=["']?(?P<url>https?://[^"'\s>]+)"""
    r"""|<meta\b(?=[^>]*\bproperty=["']?og:url\b)[^>]*?\bcontent=["']?(?P<meta>https?://[^"'\s>]+)""",
    re.IGNORECASE,
)

_logger = logging.getLogger(__name__)


class DatasetError(UserError):
    """A page set that cannot be read; the message names the file and, if applicable, the line."""


@dataclass(frozen=True, slots=True)
class AnnotatedPage:
    """An HTML page and its true main text (paragraphs separated by newlines).

    ``domain`` is the registered domain, or a unique name if no URL is known. ``licence`` is the licence in the line,
    None if the set as a whole has one. ``extra`` has the other keys of the line.
    """

    id: str
    dataset: str
    url: str | None
    page_type: str | None
    lang: str | None
    html: str
    text: str
    domain: str
    licence: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)


def read_pages(path: str | Path, *, faq: bool = False, left_out: Counter[str] | None = None) -> Iterator[AnnotatedPage]:
    """Yield the pages of a page set in file order, one in memory at a time.

    Pages whose main text is unknown are skipped unless ``faq`` is set: those of question-and-answer sets without
    ``main_text``, FAQ pages, whose text is only the FAQ, and pages of `research.made_pages`. Labeled pages that are not
    done are skipped as well; they are counted in ``left_out`` by NOT_DONE, or else a warning is logged. Raises
    DatasetError for a file that is missing or broken, a line that is not a JSON object, or one without the required
    keys.
    """
    path = Path(path)
    undone = 0
    for number, line in _lines(path):
        try:
            page = _page(line, path.name.partition(".")[0])
        except DatasetError as error:
            raise DatasetError(f"{path}, line {number}: {error}") from error
        if page is None:
            undone += 1
        elif faq or _has_main_text(page):
            yield page
    if undone and left_out is not None:
        left_out[NOT_DONE] += undone
    elif undone:
        _logger.warning("%s: left out %d pages that are %s", path, undone, NOT_DONE)


def _has_main_text(page: AnnotatedPage) -> bool:
    if "engine" in page.extra:
        return page.text != "" and page.page_type != "faq"
    return "made" not in page.extra


def read_all(
    paths: Iterable[str | Path], *, faq: bool = False, left_out: Counter[str] | None = None
) -> Iterator[AnnotatedPage]:
    """Yield the pages of several sets one after the other, each page once (see `without_duplicates`)."""
    return without_duplicates(page for path in paths for page in read_pages(path, faq=faq, left_out=left_out))


def read_measured(paths: Iterable[str | Path]) -> Iterator[AnnotatedPage]:
    """Yield the pages of several sets for evaluation: all of each set, except those in an earlier set.

    Unlike `read_all`, this keeps duplicates within a set (which may have other true texts), so that scores cover all
    lines.
    """
    seen: set[str] = set()
    for path in paths:
        found: set[str] = set()
        for page in read_pages(path):
            keys = _identities(page)
            if seen.isdisjoint(keys):
                found |= keys
                yield page
        seen |= found


def without_duplicates(pages: Iterable[AnnotatedPage]) -> Iterator[AnnotatedPage]:
    """Yield each page once, by HTML and, between sets, by URL; pages of qa_dev name the equal page of WCXB.

    Pages of one set may share a URL: some sets give that of the site's home page to all its pages.
    """
    seen: dict[str, str] = {}
    for page in pages:
        keys = _identities(page)
        if not any(key in seen and (seen[key] != page.dataset or not key.startswith("url:")) for key in keys):
            yield page
        seen.update(dict.fromkeys(keys, page.dataset))


def may_ship(page: AnnotatedPage) -> bool:
    """Return whether weights trained on the page may be distributed.

    True for the sets in SHIPPING_SETS, and for lines whose licence statement itself begins with CC0, CC BY, CC BY-SA,
    MIT or Apache. A line that says "no licence file" does not count, even if it goes on to say that the posts are under
    CC BY-SA; nor do the AGPL and the NC and ND variants of Creative Commons. Unknown means no.
    """
    if page.licence is not None:
        return OPEN_LICENCE.match(page.licence) is not None
    return page.dataset in SHIPPING_SETS


def registered_domain(url: str) -> str:
    """Return the registered domain of a URL: ``a.b.co.uk`` gives ``b.co.uk``.

    Public suffixes come from the list packaged with tldextract, without those of companies such as ``github.io``, whose
    sites have common templates. A copy in the Web Archive belongs to the original site.
    Hosts without one (IP addresses, ``localhost``) are returned unchanged; a URL without a host gives "".
    """
    url = _ARCHIVED.sub("", url, count=1)
    return registered_domain_of(address_of(url if "//" in url else f"//{url}").hostname)


def fold(domain: str, seed: int, parts: int) -> int:
    """Return the part (0 to ``parts`` - 1) of a domain, which is the same in every run and on every machine."""
    digest = hashlib.blake2b(f"{seed}\n{domain}".encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % parts


def split_side(
    domain: str, seed: int = SPLIT_SEED, test_share: float = 0.2, valid_share: float = 0.08, test_fold: int = 0
) -> Side:
    """Return the side of the split of a domain, which only depends on the arguments, not on the other pages.

    With a ``test_share`` of 0.2 there are five folds (0 to 4), each of which can be the test side.
    """
    place = (fold(domain, seed, 10_000) - round(test_fold * test_share * 10_000)) % 10_000 / 10_000
    if place < test_share:
        return "test"
    return "valid" if place < test_share + valid_share else "train"


@dataclass(frozen=True)
class Job:
    """What to train, on which pages, and the roles of these by domain: train, valid (choose) and test (check).

    ``data``: page sets; ``out``: the folder of the bundle; ``any_licence``: whether to use pages whose licence does not
    allow distributing weights; ``test_share``, ``test_fold`` and ``valid_share`` as for `split_side`.
    """

    data: tuple[Path, ...]
    out: Path
    seed: int = 1
    any_licence: bool = False
    test_share: float = 0.2
    test_fold: int = 0
    valid_share: float = 0.0

    @property
    def data_names(self) -> str:
        """The names of the page sets."""
        return ", ".join(path.name for path in self.data)

    def side_of(self, page: Any) -> Side:
        """Return the side of the split that a page is on, by its ``domain``."""
        return split_side(page.domain, SPLIT_SEED, self.test_share, self.valid_share, self.test_fold)

    def may_use(self, page: AnnotatedPage) -> bool:
        """Return whether the licence of a page allows its use."""
        return self.any_licence or may_ship(page)

    def pages(self, *sides: Side, left_out: Counter[str] | None = None) -> Iterator[AnnotatedPage]:
        """Yield the pages of some sides of the split (by default "train") whose licence allows their use.

        Those of these sides that are left out for their licence are counted in ``left_out`` by LICENCE, and labeled
        pages of all sides as by `read_pages`.
        """
        for page in read_all(self.data, left_out=left_out):
            if self.side_of(page) in (sides or ("train",)):
                if self.may_use(page):
                    yield page
                elif left_out is not None:
                    left_out[LICENCE] += 1

    def split_record(self) -> dict[str, Any]:
        """Return how pages are split, for the training record."""
        split = {"by": "registered domain", "seed": SPLIT_SEED, "test_share": self.test_share}
        return {**split, "test_fold": self.test_fold, "valid_share": self.valid_share}

    def record(self, **libraries: str) -> dict[str, Any]:
        """Return the common part of training records: date, versions, data, and the split."""
        return {
            "date": datetime.now(timezone.utc).date().isoformat(),
            "versions": {"scrapy-semtext": __version__, **libraries},
            "seed": self.seed,
            "data": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in self.data},
            "any_licence": self.any_licence,
            "split": self.split_record(),
        }


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the non-blank lines, with their numbers from 1."""
    number = 0
    opened: Any = {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix, open)
    try:
        with opened(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, line
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        msg = f"{path}: cannot be read after line {number}: {error}" if number else f"{path}: cannot be read: {error}"
        raise DatasetError(msg) from error


def _page(line: str, set_name: str) -> AnnotatedPage | None:
    """Return the page of a line; None for an unfinished labeled page. Raises DatasetError without file and line."""
    row = _with_common_keys(_object_in(line))
    if row is None:
        return None
    missing = [key for key in ("id", "html", "text") if not isinstance(row.get(key), str)]
    if missing:
        raise DatasetError(f"missing or not a string: {', '.join(missing)}")
    dataset, extra = row.get("dataset") or set_name, row.get("extra") or {}
    return AnnotatedPage(
        id=row["id"],
        dataset=dataset,
        url=row.get("url") or _stated_url(row["html"]),
        page_type=row.get("page_type"),
        lang=row.get("lang"),
        html=row["html"],
        text=row["text"],
        domain=_domain(row, extra, dataset),
        licence=row.get("licence"),
        extra=extra,
    )


def _object_in(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise DatasetError(f"not JSON ({error.msg} at column {error.colno})") from error
    if not isinstance(row, dict):
        raise DatasetError(f"a page is a JSON object, not {type(row).__name__}")
    return row


def _with_common_keys(row: dict[str, Any]) -> dict[str, Any] | None:
    """Convert a row of any format to the common one; None for an unfinished labeled page."""
    if "blocks" in row and "text" not in row:
        return _labeled_row(row)
    if "engine" in row:
        extra = {key: value for key, value in row.items() if key not in ("id", "html", "main_text", "url", "lang")}
        return {**row, "text": row.get("main_text") or "", "page_type": row.get("kind"), "extra": extra}
    return row


def _labeled_row(row: dict[str, Any]) -> dict[str, Any] | None:
    """Convert a labeled page to the keys of a page set; None if it is not done.

    Ids of labeled pages may be missing, numbers, or the same in the files of two sites: a digest makes them unique.
    """
    try:
        page = labeled_page(row)
        text = "\n".join(block.text for block in page.blocks if block.label == "main")
        content = f"{page.url}\n{page.html}".encode(errors="surrogatepass")
    except (LabeledPageError, TypeError) as error:
        raise DatasetError(f"not a page of `semtext label`: {error}") from error
    if not page.done:
        return None
    digest = hashlib.blake2b(content, digest_size=8).hexdigest()
    name = digest if page.id is None else f"{page.id}-{digest}"
    return {"id": name, "url": page.url, "html": page.html, "text": text}


def _stated_url(html: str) -> str | None:
    """Return the URL a saved page was loaded from, as stated in an element or comment by the saving program."""
    match = _FIRST_TEXT.match(html) or _SAVED_FROM.search(html, 0, 2000)
    return match["url"] if match else None


def _domain(row: Mapping[str, Any], extra: Mapping[str, Any], dataset: str) -> str:
    """Return the page's domain from the best source: URL, stated host, the page itself; else its id."""
    witnesses = [row.get("url"), _stated_url(row["html"]), *(extra.get(key) for key in ("domain", "host", "site"))]
    domain = next((found for url in witnesses if isinstance(url, str) and (found := registered_domain(url))), "")
    if not domain and (claim := _CANONICAL.search(row["html"], 0, 200_000)):
        domain = registered_domain(claim["url"] or claim["meta"])
    return domain or f"{UNKNOWN_DOMAIN}{dataset}/{row['id']}"


def _identities(page: AnnotatedPage) -> set[str]:
    """Return the keys by which the same page is recognized."""
    keys = {f"id:{page.dataset}/{page.id}"}
    if "made" in page.extra:  # variants of one page may be alike
        return keys
    keys.add("html:" + hashlib.blake2b(page.html.encode(errors="surrogatepass"), digest_size=16).hexdigest())
    if page.url:
        keys.add("url:" + page.url.split("#", 1)[0].split("://", 1)[-1].rstrip("/"))
    if wcxb := page.extra.get("wcxb_id"):
        keys.add(f"id:wcxb_dev/{wcxb}")
    return keys
