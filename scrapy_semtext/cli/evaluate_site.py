"""Print what site templates change on pages whose main text is known, site by site.

For each site with enough pages: how many blocks are boilerplate, how many of them are kept by the labeller alone, with
live evidence (of the pages before, in a random order) and with exact evidence (of all pages of the site); the same of
the blocks that the site's pages share; on how many pages a main block is lost that was kept without; and the word F1.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy_semtext.cli.models import add_model_arguments, load_extractor
from scrapy_semtext.cli.trainings import add_data_argument, training_errors
from scrapy_semtext.site.bounds import SITE_KINDS
from scrapy_semtext.site.fit import RULES
from scrapy_semtext.site.template import Rules

if TYPE_CHECKING:
    import argparse

    from scrapy_semtext.training.site_evaluation import SiteScore


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    parser.add_argument("--least", type=int, default=10, metavar="PAGES", help="pages a site has to have (%(default)s)")
    parser.add_argument("--by", choices=SITE_KINDS, default="host", help="what a site is (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the order of the pages in live use (%(default)s)")
    parser.add_argument(
        "--warm", type=int, default=0, metavar="PAGES", help="first pages of a site that are not scored (%(default)s)"
    )
    rules = parser.add_argument_group(
        "rules", "what counts as shared, and how strong that is (see docs/site-templates.md)"
    )
    usual = Rules()
    rules.add_argument("--pages", type=int, default=usual.pages, help="other pages with a block (%(default)s)")
    rules.add_argument(
        "--constant-share",
        type=float,
        help=f"at its place ({usual.constant_share} live, {RULES.constant_share} exact)",
    )
    rules.add_argument("--shift", type=float, default=usual.shift, help="in log-odds (%(default)s)")
    add_model_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    extractor = load_extractor(arguments)
    with training_errors():
        from scrapy_semtext.labelers.registry import training_of
        from scrapy_semtext.training.site_evaluation import evaluate_sites, total

        split = training_of(arguments.labeller, arguments.bundle).get("split", {})
        scores = evaluate_sites(
            arguments.data,
            extractor,
            least=arguments.least,
            by=arguments.by,
            seed=arguments.seed,
            warm=arguments.warm,
            live=_rules(arguments, Rules()),
            exact=_rules(arguments, RULES),
            test_share=split.get("test_share", 0.2),
            test_fold=split.get("test_fold", 0),
            progress=sys.stderr.isatty(),
        )
    sides = [(name, [s for s in scores if (s.side == "test") == test]) for name, test in _SIDES]
    lines = [_HEAD, *map(_line, scores), *(_line(total(name, own)) for name, own in sides), _line(total("all", scores))]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _rules(arguments: argparse.Namespace, usual: Rules) -> Rules:
    share = usual.constant_share if arguments.constant_share is None else arguments.constant_share
    return replace(usual, pages=arguments.pages, constant_share=share, shift=arguments.shift)


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
