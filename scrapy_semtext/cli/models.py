"""The options of the commands that run a model: the model, the results to extract, and the size of chunks."""

from __future__ import annotations

import argparse
import logging
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.terminal import CommandError
from scrapy_semtext.labelers.bundle import LABELERS
from scrapy_semtext.limits import COMMAND_LIMITS, Limits
from scrapy_semtext.models.scores import DECISIONS
from scrapy_semtext.results import ON_REQUEST, RESULTS

if TYPE_CHECKING:
    from scrapy_semtext.extractor import Extractor, Options
    from scrapy_semtext.integration.processes import Setup
    from scrapy_semtext.read.chunks import ChunkOptions


def positive(text: str) -> int:
    """Parse an integer of at least 1, as a type for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def add_model_arguments(parser: argparse.ArgumentParser, *, markup: bool = True) -> None:
    """Declare the options that select the model; ``markup``: whether the command's results also depend on markup."""
    model = parser.add_argument_group("model")
    model.add_argument(
        "--labeler", choices=LABELERS, default="semtext", help="the labeler of the blocks of pages (%(default)s)"
    )
    model.add_argument("--bundle", type=Path, metavar="DIR", help="your own bundle, from `semtext dev train labels`")
    model.add_argument(
        "--device", default="auto", help="auto (the default), cpu, cuda, or another name of a torch device"
    )
    model.add_argument(
        "--decision",
        choices=DECISIONS,
        help="how labels are chosen from probabilities (default: the best choice for the labeler)",
    )
    model.add_argument(
        "--sites", type=Path, metavar="FILE", help="rules for sites, as JSON or YAML (see SEMTEXT_SITES_FILE)"
    )
    size = model.add_mutually_exclusive_group()
    size.add_argument(
        "--max-size", dest="limits", type=_limits, default=COMMAND_LIMITS, metavar="MIB", help="largest page (16 MiB)"
    )
    unlimited = "process pages of any size, however long it takes"
    size.add_argument("--no-limits", dest="limits", action="store_const", const=Limits(), help=unlimited)
    if markup:
        model.add_argument("--no-markup", action="store_true", help="ignore schema.org markup")


def _limits(mebibytes: str) -> Limits:
    return replace(COMMAND_LIMITS, body=positive(mebibytes) << 20)


class _MainTextOnly(argparse.Action):
    """Extract only main text, with the cascade of labelers."""

    def __call__(self, _: object, arguments: argparse.Namespace, *_others: object) -> None:
        arguments.labeler = "cascade"
        arguments.no_pairs = arguments.no_comments = arguments.no_sections = arguments.no_kinds = True


def _add_flags(parser: argparse.ArgumentParser | argparse._ArgumentGroup, **helps: str) -> None:
    for name, about in helps.items():
        parser.add_argument(f"--{name.replace('_', '-')}", action="store_true", help=about)


def add_result_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that select results besides the main text."""
    results = parser.add_argument_group("results")
    fast = "extract only main text: --labeler cascade without pairs, comments, sections and kinds"
    results.add_argument("--fast", action=_MainTextOnly, nargs=0, help=fast)
    _add_flags(
        results.add_mutually_exclusive_group(),
        no_comments="do not extract readers' comments",
        join_comments="add readers' comments to the main text",
    )
    _add_flags(
        results,
        no_pairs="do not extract question-answer pairs from the page's structure",
        no_sections="do not divide the page into sections and segments",
        no_kinds="do not classify the kind of page",
        metadata="extract author, date, language, site and description, each with its source",
    )


def check_results(arguments: argparse.Namespace) -> None:
    """Raise CommandError for requested results that are not extracted."""
    for name in ON_REQUEST:
        off = f"no_{RESULTS[name].option or name}"
        if getattr(arguments, name, False) and getattr(arguments, off, False):
            raise CommandError(f"--{name} and --{off.replace('_', '-')} exclude each other.")


def add_chunk_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options for chunks."""
    group = parser.add_argument_group("chunks for retrieval")
    group.add_argument(
        "--chunks",
        type=positive,
        nargs="?",
        const=True,
        metavar="N",
        help="add the main text in chunks of at most N words or tokens (default: 200 words, or 256 tokens)",
    )
    group.add_argument("--tokenizer", metavar="MODULE:CALLABLE", help="measure chunks in tokens of this tokenizer")
    group.add_argument(
        "--overlap",
        type=positive,
        default=0,
        metavar="N",
        help="begin chunks with the last sentences of the previous one",
    )


def add_row_options(parser: argparse.ArgumentParser, *, markdown: bool = True) -> None:
    """Declare the options for what is written for each page; ``markdown``: include --markdown."""
    _add_flags(
        parser,
        blocks="add all blocks with their labels and probabilities",
        segments="add the roles of the text's segments",
        comments="add the readers' comments on articles",
        records="add the items of listings and their next page",
        **({"markdown": "add the main text as Markdown"} if markdown else {}),
        no_links="in HTML or Markdown: write links as plain text",
    )
    add_chunk_arguments(parser)


def has_chunks(arguments: argparse.Namespace) -> bool:
    """Return whether chunks are requested."""
    return bool(getattr(arguments, "chunks", None)) or getattr(arguments, "rows", None) == "chunks"


def chunk_options(arguments: argparse.Namespace) -> ChunkOptions | None:
    """Return the options of chunks, None if there are to be none. Raises CommandError for invalid values."""
    from scrapy_semtext.read.chunks import ChunkOptions

    tokenizer = getattr(arguments, "tokenizer", None)
    if not has_chunks(arguments):
        if tokenizer or getattr(arguments, "overlap", 0):
            raise CommandError("--tokenizer and --overlap go with --chunks.")
        return None
    if tokenizer and str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))  # for a custom tokenizer
    given = None if arguments.chunks is True else arguments.chunks
    try:
        return ChunkOptions(
            **{"tokens" if tokenizer else "words": given}, tokenizer=tokenizer, overlap=arguments.overlap
        )
    except ValueError as error:
        raise CommandError(f"{error}.") from error


def load_extractor(arguments: argparse.Namespace) -> Extractor:
    """Load the model selected by the options. Raises UserError if it cannot be used."""
    from scrapy_semtext.integration.processes import loaded
    from scrapy_semtext.utils.process_tuning import freeze_gc

    extractor: Any = loaded(setup_of(arguments))
    freeze_gc()
    return extractor  # type: ignore[no-any-return]


def setup_of(arguments: argparse.Namespace) -> Setup:
    """Return how to load the model selected by the options, here or in a worker process. Raises UserError."""
    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.integration.processes import Setup
    from scrapy_semtext.site.rules import SiteRules

    given = {"bundle": arguments.bundle, "device": arguments.device}
    sites = SiteRules.load(arguments.sites) if arguments.sites is not None else None
    return Setup(Extractor, given, options_of(arguments), logging.WARNING, sites=sites, limits=arguments.limits)


def extra_fields(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return the groups of results that the options add to rows."""
    asked = {**vars(arguments), "chunks": has_chunks(arguments)}
    return tuple(name for name in ON_REQUEST if asked.get(name))


def options_of(arguments: argparse.Namespace) -> Options:
    """Return the extraction options."""
    from scrapy_semtext.extractor import Options

    def given(name: str) -> bool:
        return getattr(arguments, name, False)  # a command only has the options that are relevant to it

    parts = ("markup", "pairs", "comments", "sections", "kinds", "links")
    more = ("join_comments", "metadata", "markdown", "records", "details")
    return Options(
        decision=arguments.decision,
        labeler=arguments.labeler,
        chunks=chunk_options(arguments),
        **{name: not given(f"no_{name}") for name in parts},
        **{name: given(name) for name in more},
    )
