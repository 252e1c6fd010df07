"""The options of the commands that run a model."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.chunk_options import chunk_options, has_chunks
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.inference.decision import DECISIONS
from scrapy_semtext.labelers.registry import LABELLERS
from scrapy_semtext.results import ON_REQUEST

if TYPE_CHECKING:
    import argparse

    from scrapy_semtext.extractor import Extractor, Options
    from scrapy_semtext.integration.processes.messages import Setup
    from scrapy_semtext.site.rules import SiteRules


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that choose the model and what is extracted."""
    model = parser.add_argument_group("model")
    model.add_argument(
        "--labeller", choices=LABELLERS, default="semtext", help="what labels the blocks of pages (%(default)s)"
    )
    model.add_argument("--bundle", type=Path, metavar="DIR", help="a bundle of your own, from `semtext train labels`")
    model.add_argument(
        "--device", default="auto", help="auto (the default), cpu, cuda, or another name of a torch device"
    )
    model.add_argument(
        "--decision",
        choices=DECISIONS,
        help="how labels are chosen from probabilities (default: the best choice for the labeller)",
    )
    model.add_argument(
        "--sites", type=Path, metavar="FILE", help="rules for sites, as JSON or YAML (see SEMTEXT_SITES_FILE)"
    )
    model.add_argument("--no-markup", action="store_true", help="ignore schema.org markup")
    model.add_argument(
        "--no-pairs", action="store_true", help="do not extract question-answer pairs from the page's structure"
    )
    comments = model.add_mutually_exclusive_group()
    comments.add_argument("--no-comments", action="store_true", help="do not read readers' comments apart")
    comments.add_argument("--join-comments", action="store_true", help="add readers' comments to the main text")
    model.add_argument("--no-sections", action="store_true", help="do not divide the page into sections and segments")
    model.add_argument("--no-kinds", action="store_true", help="do not classify the kind of page")
    model.add_argument(
        "--metadata",
        action="store_true",
        help="extract author, date, language, site and description, each with its source",
    )


def load_extractor(arguments: argparse.Namespace) -> Extractor:
    """Load the model chosen by the options. Raises CommandError if it cannot be used."""
    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.inference.storage import BundleError
    from scrapy_semtext.utils.extras import MissingExtraError
    from scrapy_semtext.utils.process_tuning import freeze_gc

    try:
        extractor = Extractor.load(arguments.bundle, arguments.device, options_of(arguments))
        extractor.sites = _rules(arguments)
        freeze_gc()
        return extractor
    except (BundleError, MissingExtraError) as error:
        raise CommandError(str(error)) from error


def setup_of(arguments: argparse.Namespace) -> Setup:
    """How a worker process loads the model chosen by the options."""
    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.integration.processes.messages import Setup

    options = {"bundle": arguments.bundle, "device": arguments.device}
    return Setup(Extractor, options, options_of(arguments), logging.WARNING, sites=_rules(arguments))


def _rules(arguments: argparse.Namespace) -> SiteRules | None:
    from scrapy_semtext.site.rules import RuleError, SiteRules

    try:
        return SiteRules.load(arguments.sites) if arguments.sites is not None else None
    except RuleError as error:
        raise CommandError(str(error)) from error


def extra_fields(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return the groups of results that rows have because the options ask for them."""
    asked = {**vars(arguments), "chunks": has_chunks(arguments)}
    return tuple(name for name in ON_REQUEST if asked.get(name))


def options_of(arguments: argparse.Namespace) -> Options:
    """Return how pages are read."""
    from scrapy_semtext.extractor import Options

    return Options(
        decision=arguments.decision,
        markup=not arguments.no_markup,
        pairs=not arguments.no_pairs,
        comments=not arguments.no_comments,
        join_comments=arguments.join_comments,
        sections=not arguments.no_sections,
        kinds=not arguments.no_kinds,
        metadata=arguments.metadata,
        markdown=getattr(arguments, "markdown", False),
        links=not getattr(arguments, "no_links", False),
        records=getattr(arguments, "records", False),
        chunks=chunk_options(arguments),
        labeller=arguments.labeller,
    )
