"""Measure the effect of site templates on annotated pages, site by site.

For each site with enough pages it prints the number of boilerplate blocks and how many of them are kept: by the
labeller alone, with live evidence (from the pages read before, in random order) and with exact evidence (from all pages
of the site); the same for blocks that the site's pages share; the number of pages that lose a main block; the word F1.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from scrapy_semtext.cli.annotated_pages import add_data_argument, reported_errors
from scrapy_semtext.cli.models import add_model_arguments, load_extractor
from scrapy_semtext.site.bounds import SITE_KINDS

if TYPE_CHECKING:
    import argparse

    from scrapy_semtext.training.site_evaluation import SiteScore


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    parser.add_argument("--by", choices=SITE_KINDS, default="host", help="what a site is (%(default)s)")
    add_model_arguments(parser, markup=False)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    extractor = load_extractor(arguments)
    with reported_errors():
        from scrapy_semtext.labelers.registry import training_of
        from scrapy_semtext.training.site_evaluation import evaluate_sites, total

        split = training_of(arguments.labeller, arguments.bundle).get("split", {})
        scores = evaluate_sites(
            arguments.data,
            extractor,
            by=arguments.by,
            test_share=split.get("test_share", 0.0 if split else 0.2),
            test_fold=split.get("test_fold", 0),
            progress=sys.stderr.isatty(),
        )
    sides = [(name, [s for s in scores if (s.side == "test") == test]) for name, test in _SIDES]
    lines = [_HEAD, *map(_line, scores), *(_line(total(name, own)) for name, own in sides), _line(total("all", scores))]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


_SIDES = (("kept from training", True), ("others", False))
_HEAD = (
    f"{'':26}{'':6}{'':6}{'boiler-':>8}{'wrongly kept':>21}{'of these shared':>21}{'pages losing':>14}"
    f"{'word F1':>18}\n"
    f"{'site':26}{'side':6}{'pages':>6}{'plate':>8}{'alone':>7}{'live':>7}{'exact':>7}{'alone':>7}{'live':>7}{'exact':>7}"
    f"{'live':>7}{'exact':>7}{'alone':>6}{'live':>6}{'exact':>6}"
)


def _line(score: SiteScore) -> str:
    alone, live, exact = score.outcomes["alone"], score.outcomes["live"], score.outcomes["exact"]
    f1 = "".join(f"{100 * each.f1 / max(score.pages, 1):6.1f}" for each in (alone, live, exact))
    return (
        f"{score.site[:25]:26}{score.side or '':6}{score.pages:6}{score.boilerplate:8}"
        f"{alone.wrong:7}{live.wrong:7}{exact.wrong:7}"
        f"{alone.wrong_shared:7}{live.wrong_shared:7}{exact.wrong_shared:7}{live.lossy_pages:7}{exact.lossy_pages:7}{f1}"
    )
