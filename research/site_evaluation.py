"""Measure the effect of site templates on annotated pages, site by site.

    python -m research.site_evaluation DATA...

For each site with enough pages it prints the number of boilerplate blocks and how many of them are kept: by the
labeler only, with live evidence (from the pages read before, in random order) and with exact evidence (from all pages
of the site); the same for blocks that the site's pages share; the number of pages that lose a main block; the word F1.
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from tqdm import tqdm

from research.data_command import run_command
from scrapy_semtext.cli.models import add_model_arguments, load_extractor
from scrapy_semtext.cli.train import DataCommand
from scrapy_semtext.features.table import describe
from scrapy_semtext.labelers.bundle import training_of
from scrapy_semtext.read.threads import blocks_in_posts, find_posts
from scrapy_semtext.site.places import LiveTemplates, PagePlaces, PageTemplates
from scrapy_semtext.train.corpus import label_blocks, word_prf
from scrapy_semtext.train.datasets import AnnotatedPage, Side, read_all, split_side
from scrapy_semtext.utils.address import site_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.features.table import ParsedPage
    from scrapy_semtext.utils.arrays import Bools, Floats

_BATCH = 16
_LEAST = 10  # pages of a site
_SEED = 1  # of the order of pages


@dataclass(slots=True)
class SitePage:
    """A page with the labels of the labeler only; ``keep``, ``probabilities`` and ``main`` are (blocks,).

    ``main``: which blocks are in the true text.
    """

    parsed: ParsedPage
    keep: Bools
    probabilities: Floats
    main: Bools
    truth: str


class Outcome(NamedTuple):
    """Sums over pages, for one kind of evidence or none; ``f1`` is the sum of the pages' word F1 (0 to 1)."""

    wrong: int = 0
    wrong_shared: int = 0
    lossy_pages: int = 0
    f1: float = 0.0


USES = ("alone", "live", "exact")


@dataclass(slots=True)
class SiteScore:
    """The results of the pages of a site, or of several sites: ``outcomes`` for each of USES."""

    site: str
    side: Side | None
    pages: int = 0
    boilerplate: int = 0
    outcomes: dict[str, Outcome] = field(default_factory=lambda: dict.fromkeys(USES, Outcome()))

    def add(self, other: SiteScore) -> None:
        """Add other pages."""
        self.pages += other.pages
        self.boilerplate += other.boilerplate
        for use, outcome in other.outcomes.items():
            wrong, shared, lossy, f1 = self.outcomes[use]
            self.outcomes[use] = Outcome(
                wrong + outcome.wrong, shared + outcome.wrong_shared, lossy + outcome.lossy_pages, f1 + outcome.f1
            )


def evaluate_sites(
    paths: Sequence[Path], extractor: Extractor, *, test_share: float = 0.2, test_fold: int = 0, progress: bool = True
) -> list[SiteScore]:
    """Return the score of each site with at least ten pages, the largest first.

    Live evidence comes from the pages read before, in random order; exact evidence from all pages of the site.
    ``test_share`` and ``test_fold`` are those of the model's training, to find the side of the site. Raises
    DatasetError for a set that cannot be read.
    """
    sites: defaultdict[str, list[AnnotatedPage]] = defaultdict(list)
    for page in read_all(paths):
        sites[_site(page)].append(page)
    sites = defaultdict(list, {site: pages for site, pages in sites.items() if len(pages) >= _LEAST})
    scores = []
    with tqdm(desc="reading", unit=" pages", total=sum(map(len, sites.values())), disable=not progress) as bar:
        for site, pages in sites.items():
            read = [each for start in range(0, len(pages), _BATCH) for each in _read(pages[start:][:_BATCH], extractor)]
            side = split_side(pages[-1].domain, test_share=test_share, test_fold=test_fold)
            scores.append(score_site(site, side, read))
            bar.update(len(pages))
    return sorted(scores, key=lambda score: (-score.pages, score.site))


def _site(page: AnnotatedPage) -> str:
    """The site of a page; without a URL, the domain that the page itself states."""
    return site_of(page.url) or page.domain


def _read(batch: list[AnnotatedPage], extractor: Extractor) -> Iterator[SitePage]:
    described = [describe(page.html, page.url) for page in batch]
    posts = [*map(blocks_in_posts, described, find_posts(described, extractor.pair_models.posts))]
    found_scores = extractor.labeler_of(None).score(described, posts)
    for page, parsed, scores in zip(batch, described, found_scores, strict=True):
        yield SitePage(
            parsed=parsed,
            keep=scores.labels(extractor.decision, parsed.word_counts()),
            probabilities=scores.probabilities,
            main=np.array(label_blocks([block.text for block in parsed.text_blocks], page.text), np.bool_),
            truth=page.text,
        )


def score_site(site: str, side: Side | None, pages: Sequence[SitePage]) -> SiteScore:
    """Score the pages of one site."""
    score = SiteScore(site, side)
    exact = PageTemplates(PagePlaces.of(page.parsed) for page in pages)
    templates: dict[str, LiveTemplates | PageTemplates] = {"live": LiveTemplates(), "exact": exact}
    for page in random.Random(_SEED).sample(list(pages), len(pages)):  # noqa: S311  not for secrets
        found = {use: each.of_page(page.parsed) for use, each in templates.items()}
        keeps = {"alone": page.keep} | {
            use: page.keep if each is None else each.revised(page.parsed, page.keep, page.probabilities)
            for use, each in found.items()
        }
        shares = found["exact"]
        common = np.zeros(len(page.keep), np.bool_) if shares is None else shares.shared(page.parsed)
        outcomes = {use: _outcome(page, keep, common) for use, keep in keeps.items()}
        score.add(SiteScore(site, side, 1, int((~page.main).sum()), outcomes=outcomes))
    return score


def _outcome(page: SitePage, keep: Bools, common: Bools) -> Outcome:
    text = "\n".join(block.text for block, kept in zip(page.parsed.text_blocks, keep, strict=True) if kept)
    return Outcome(
        wrong=int((keep & ~page.main).sum()),
        wrong_shared=int((keep & ~page.main & common).sum()),
        lossy_pages=int((page.keep & page.main & ~keep).any()),
        f1=word_prf(text, page.truth).f1,
    )


def total(name: str, scores: Iterable[SiteScore]) -> SiteScore:
    """Return the sum over several sites."""
    whole = SiteScore(name, None)
    for score in scores:
        whole.add(score)
    return whole


_SIDES = (("kept from training", True), ("others", False))
_HEAD = (
    f"{'':26}{'':6}{'':6}{'boiler-':>8}{'wrongly kept':>21}{'of these shared':>21}{'pages losing':>14}"
    f"{'word F1':>18}\n"
    f"{'site':26}{'side':6}{'pages':>6}{'plate':>8}{'alone':>7}{'live':>7}{'exact':>7}{'alone':>7}{'live':>7}{'exact':>7}"
    f"{'live':>7}{'exact':>7}{'alone':>6}{'live':>6}{'exact':>6}"
)


def _work(arguments: argparse.Namespace, *, progress: bool) -> None:
    split = training_of(arguments.labeler, arguments.bundle).get("split", {})
    scores = evaluate_sites(
        arguments.data,
        load_extractor(arguments),
        test_share=split.get("test_share", 0.0 if split else 0.2),
        test_fold=split.get("test_fold", 0),
        progress=progress,
    )
    sides = [(name, [s for s in scores if (s.side == "test") == test]) for name, test in _SIDES]
    totals = [total(name, own) for name, own in (*sides, ("all", scores))]
    sys.stdout.write("\n".join([_HEAD, *map(_site_line, [*scores, *totals])]) + "\n")


def _site_line(score: SiteScore) -> str:
    alone, live, exact = score.outcomes["alone"], score.outcomes["live"], score.outcomes["exact"]
    f1 = "".join(f"{100 * each.f1 / max(score.pages, 1):6.1f}" for each in (alone, live, exact))
    return (
        f"{score.site[:25]:26}{score.side or '':6}{score.pages:6}{score.boilerplate:8}"
        f"{alone.wrong:7}{live.wrong:7}{exact.wrong:7}"
        f"{alone.wrong_shared:7}{live.wrong_shared:7}{exact.wrong_shared:7}{live.lossy_pages:7}{exact.lossy_pages:7}{f1}"
    )


_COMMAND = DataCommand(_work, __doc__ or "", {}, lambda parser: add_model_arguments(parser, markup=False))
main = partial(run_command, "research.site_evaluation", _COMMAND)


if __name__ == "__main__":
    sys.exit(main())
