"""Fine-tune the shipped model to one site from labeled pages, in seconds.

LABELS are files of `semtext label`, with about 3 to 20 pages of one site that are marked as done. The result is tested
on labeled pages that it was not learned from, and written only if it is better there. Neither torch nor a compiler is
needed.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.inputs import replacing
from scrapy_semtext.cli.models import add_model_arguments, load_extractor
from scrapy_semtext.cli.terminal import CommandError, counted
from scrapy_semtext.utils.address import without_www
from scrapy_semtext.utils.version import __version__

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from scrapy_semtext.site.labeled_pages import LabeledPage
    from scrapy_semtext.tuning import Gain


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("labels", nargs="+", type=Path, metavar="LABELS", help="files that `semtext label` has written")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="DIR", help="the folder of the site model")
    parser.add_argument("--site", metavar="NAME", help="only use the pages of this host or domain")
    about = "add the model to the site's rule in this file"
    parser.add_argument("--rules", type=Path, metavar="FILE.json", help=about)
    shared = "correct what remains when the pages are read with what they share, as crawls and `semtext batch` can do"
    parser.add_argument("--site-templates", action="store_true", help=shared)
    parser.add_argument("--force", action="store_true", help="write the model even if it is not known to be better")
    add_model_arguments(parser, markup=False)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from scrapy_semtext.tuning import examples_of, tune

    if arguments.rules is not None:
        _rules_in(arguments.rules)
    site, pages = _labeled_site(arguments)
    extractor = load_extractor(arguments)
    model, gain = tune(examples_of(pages, extractor, templates=arguments.site_templates), extractor)
    sys.stdout.write(f"{site or 'pages without a URL'}: {_gain_text(gain)}\n")
    if not arguments.force and (gain is None or not gain.is_better):
        raise CommandError("The model is not written. Label more pages, or use --force.")
    path = replace(model, about=_about(site, len(pages), gain)).save(arguments.output)
    sys.stderr.write(f"{path} is written, with {len(model.shifts)} shifts\n")
    if arguments.rules is not None and site:
        _add_to_rule(arguments.rules, site, arguments.output)
    else:
        sys.stderr.write(f'Use it with SEMTEXT_SITES = {{"{site or "HOST"}": {{"model": "{arguments.output}"}}}}\n')
    return 0


def _labeled_site(arguments: argparse.Namespace) -> tuple[str, list[LabeledPage]]:
    """Return a site with its pages that are marked as done; raise CommandError unless these are of one site.

    With --site, they are the pages of that host and its subdomains. Otherwise, a site has the pages of one registered
    domain, and is named after their host if they share one.
    """
    from scrapy_semtext.utils.address import site_of

    pages = _pages(arguments.labels)
    done = [page for page in pages if page.done]
    if arguments.site is None:
        named = _by_site(done)
    else:
        site = without_www(arguments.site)
        own = [page for page in done if f".{site_of(page.url)}".endswith(f".{site}")]
        named = {site: own} if own else {}
    if not named:
        of = f" of {arguments.site}" * bool(arguments.site)
        raise CommandError(
            f"No page{of} is marked as done among {counted(len(pages), 'labeled page')}; see `semtext label`."
        )
    if len(named) > 1:
        raise CommandError(f"A model is for one site; select it with --site: {', '.join(sorted(named))}")
    if undone := len(pages) - len(done):
        sys.stderr.write(f"skipped {counted(undone, 'page')} not marked as done\n")
    return next(iter(named.items()))


def _by_site(pages: Sequence[LabeledPage]) -> dict[str, list[LabeledPage]]:
    from scrapy_semtext.utils.address import site_of

    by_domain: dict[str, list[LabeledPage]] = defaultdict(list)
    for page in pages:
        by_domain[site_of(page.url, "domain")].append(page)
    named = {}
    for domain, own in by_domain.items():
        hosts = {site_of(page.url) for page in own}
        named[hosts.pop() if len(hosts) == 1 else domain] = own
    return named


def _gain_text(gain: Gain | None) -> str:
    """Return a one-line description of a gain on held-out pages."""
    if gain is None:
        return "not tested: this requires at least two labeled pages"
    value, low, high = gain.interval()
    verdict = "better" if gain.is_better else "NOT better"
    return (
        f"{verdict} on pages that it was not made from: word F1 {gain.before.mean():.3f} -> {gain.after.mean():.3f},"
        f" {value:+.3f} [{low:+.3f}, {high:+.3f}] ({counted(len(gain.before), 'page')})"
    )


def _rules_in(path: Path) -> dict[str, Any]:
    """Return the rules of a JSON file, none if it does not exist; raise UserError if it cannot be extended."""
    from scrapy_semtext.site.rules import SiteRules

    if path.suffix.lower() != ".json":
        raise CommandError(f"{path} has to be a .json file; copy what is printed to a file of rules in YAML.")
    if not path.exists():
        return {}
    SiteRules.load(path)
    values: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return values


def _add_to_rule(path: Path, site: str, model: Path) -> None:
    """Add a site model to the rule of its site; its folder is then relative to the file of rules."""
    rules = _rules_in(path)
    rules.setdefault(site, {})["model"] = Path(os.path.relpath(model, path.parent)).as_posix()
    with replacing(str(path)) as file:
        file.write(f"{json.dumps(rules, ensure_ascii=False, indent=2)}\n".encode())
    sys.stderr.write(f"{path} has the rule of {site}: use it with SEMTEXT_SITES_FILE or --sites\n")


def _pages(paths: Sequence[Path]) -> list[LabeledPage]:
    from scrapy_semtext.site.labeled_pages import LabeledPageError, read_labeled

    pages: list[LabeledPage] = []
    for path in paths:
        with path.open("rb") as lines:
            try:
                pages += read_labeled(lines)
            except LabeledPageError as error:
                raise CommandError(f"{path}: {error}") from error
    return pages


def _about(site: str, pages: int, gain: Gain | None) -> dict[str, Any]:
    about: dict[str, Any] = {"site": site, "pages": pages, "date": str(date.today()), "version": __version__}
    if gain is not None:
        about["word_f1"] = [round(float(gain.before.mean()), 4), round(float(gain.after.mean()), 4)]
        about["gain"] = [round(value, 4) for value in gain.interval()]
    return about
