"""The commands ``semtext dev evaluate NAME`` for results other than the main text by a labeler, and for their bound."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.annotated_pages import ANY_LICENCE, DataCommand, write_table
from scrapy_semtext.cli.models import add_model_arguments, load_extractor
from scrapy_semtext.site.bounds import SITE_KINDS

if TYPE_CHECKING:
    import argparse

    from scrapy_semtext.training.site_evaluation import SiteScore

_BUNDLE: dict[str, Any] = {"type": Path, "metavar": "DIR", "help": "a bundle of your own"}
_BUNDLES: dict[str, Any] = {"nargs": "+", "type": Path, "metavar": "DIR"}


def _ceiling(arguments: argparse.Namespace, *, progress: bool) -> None:
    from scrapy_semtext.training.evaluate import ceiling

    write_table(ceiling(arguments.data, progress=progress))


def _comments(arguments: argparse.Namespace, *, progress: bool) -> None:
    from scrapy_semtext.training.evaluate import evaluate_comments

    write_table(evaluate_comments(arguments.data, arguments.bundle, progress=progress))


def _kinds(arguments: argparse.Namespace, *, progress: bool) -> None:
    from scrapy_semtext.inference.storage import SHIPPED
    from scrapy_semtext.training.kind_fit import kind_tables, predict_kinds

    sys.stdout.write(kind_tables(predict_kinds(arguments.data, arguments.bundles or [SHIPPED], progress=progress)))


def _records(arguments: argparse.Namespace, *, progress: bool) -> None:
    from scrapy_semtext.training.record_fit import evaluate_records

    write_table(evaluate_records(arguments.data, arguments.pages, arguments.bundles, progress=progress))


def _pairs(arguments: argparse.Namespace, *, progress: bool) -> None:
    with arguments.out.open("w", encoding="utf-8") as out:
        from scrapy_semtext.training.pair_run import out_of_fold_pairs
        from scrapy_semtext.training.pair_scoring import PairReport

        report = PairReport()
        for page, pairs in out_of_fold_pairs(arguments.data, any_licence=arguments.any_licence, progress=progress):
            row = {name: getattr(page, name) for name in ("id", "dataset", "kind", "engine", "url")}
            out.write(json.dumps({**row, "qa_pairs": [asdict(pair) for pair in pairs]}, ensure_ascii=False) + "\n")
            report.add(page, pairs)
    for title, rows in report.tables():
        sys.stdout.write(f"{title}\n")
        write_table(rows)


def _sites(arguments: argparse.Namespace, *, progress: bool) -> None:
    from scrapy_semtext.labelers.registry import training_of
    from scrapy_semtext.training.site_evaluation import evaluate_sites, total

    split = training_of(arguments.labeler, arguments.bundle).get("split", {})
    scores = evaluate_sites(
        arguments.data,
        load_extractor(arguments),
        by=arguments.by,
        test_share=split.get("test_share", 0.0 if split else 0.2),
        test_fold=split.get("test_fold", 0),
        progress=progress,
    )
    sides = [(name, [s for s in scores if (s.side == "test") == test]) for name, test in _SIDES]
    totals = [total(name, own) for name, own in (*sides, ("all", scores))]
    sys.stdout.write("\n".join([_HEAD, *map(_site_line, [*scores, *totals])]) + "\n")


_SIDES = (("kept from training", True), ("others", False))
_HEAD = (
    f"{'':26}{'':6}{'':6}{'boiler-':>8}{'wrongly kept':>21}{'of these shared':>21}{'pages losing':>14}"
    f"{'word F1':>18}\n"
    f"{'site':26}{'side':6}{'pages':>6}{'plate':>8}{'alone':>7}{'live':>7}{'exact':>7}{'alone':>7}{'live':>7}{'exact':>7}"
    f"{'live':>7}{'exact':>7}{'alone':>6}{'live':>6}{'exact':>6}"
)


def _site_line(score: SiteScore) -> str:
    alone, live, exact = score.outcomes["alone"], score.outcomes["live"], score.outcomes["exact"]
    f1 = "".join(f"{100 * each.f1 / max(score.pages, 1):6.1f}" for each in (alone, live, exact))
    return (
        f"{score.site[:25]:26}{score.side or '':6}{score.pages:6}{score.boilerplate:8}"
        f"{alone.wrong:7}{live.wrong:7}{exact.wrong:7}"
        f"{alone.wrong_shared:7}{live.wrong_shared:7}{exact.wrong_shared:7}{live.lossy_pages:7}{exact.lossy_pages:7}{f1}"
    )


#: The commands by NAME.
COMMANDS = {
    "pairs": DataCommand(
        _pairs,
        """Measure question-answer pairs by models trained without the forum engine and the site of each page.

Every page is read, without schema.org markup, by models trained on the pages of other engines, and so are variants of
the threads. The pairs are written as JSON lines with the page's id and engine. Printed are precision, recall and F1 of
the pairs by kind of page, for pages whose pairs are known; the share of the other pages on which pairs are found; the
share of threads, and of their variants, whose question is right; and the F1 of the answers in trees of replies, each
with what it answers.""",
        {
            "--out": {"type": Path, "required": True, "metavar": "FILE", "help": "the JSON lines to write"},
            "--any-licence": ANY_LICENCE,
        },
    ),
    "comments": DataCommand(
        _comments,
        """Measure main texts and readers' comments on pages whose comments are known (``extra.comments``, a text).

Printed are the word F1 of the main text, word precision, recall and F1 of the comments, and the share of pages on which
comments are found, for pages with comments and without.""",
        {"--bundle": _BUNDLE},
    ),
    "kinds": DataCommand(
        _kinds,
        """Measure the classification of page kinds, and of overviews, on domains that were held out of training.

TextSweeper's rule for overviews, which needs no training, is measured on the same pages.""",
        {
            "--bundles": {
                **_BUNDLES,
                "help": "a bundle for each fold of the domains, to use all pages (default: the shipped bundle, on its"
                " own fold)",
            }
        },
    ),
    "records": DataCommand(
        _records,
        """Measure records of listings, in five folds by domain: each page by models fitted without its own.

True records are the links of a page whose text is a line of its true main text. A record is right if the words of its
title and its address are. "gated" is the F1 of pages that have to be told as overviews first.""",
        {
            "--pages": {"type": Path, "metavar": "FILE", "help": "ids of the pages with known records (default: all)"},
            "--bundles": {
                **_BUNDLES,
                "help": "a bundle for each fold, whose models of page kinds tell overviews (default: the shipped"
                " bundle)",
            },
        },
    ),
    "site": DataCommand(
        _sites,
        """Measure the effect of site templates on annotated pages, site by site.

For each site with enough pages it prints the number of boilerplate blocks and how many of them are kept: by the
labeler alone, with live evidence (from the pages read before, in random order) and with exact evidence (from all pages
of the site); the same for blocks that the site's pages share; the number of pages that lose a main block; the word
F1.""",
        {"--by": {"choices": SITE_KINDS, "default": "host", "help": "what a site is (%(default)s)"}},
        lambda parser: add_model_arguments(parser, markup=False),
    ),
    "ceiling": DataCommand(
        _ceiling,
        "Print the upper bound of any labeling of the blocks: the word F1 of blocks labeled from the true text.",
    ),
}
