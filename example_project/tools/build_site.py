"""Build the bundled site of the example project: ``python example_project/tools/build_site.py --data DIR``."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

import choose

from scrapy_semtext.train.datasets import AnnotatedPage, split_side

SITE = Path(__file__).parents[1] / "site"
SALT = "example site"
#: Bytes of a compressed page; keeps the site below two megabytes.
LIMIT = 80_000
#: How many pages of each kind; the order is that of the site's index.
KINDS = {
    "article": 8,
    "documentation": 8,
    "forum": 7,
    "question": 6,
    "faq": 4,
    "collection": 4,
    "listing": 4,
    "product": 4,
    "service": 4,
}
#: The question that example/threads.py takes apart.
THREAD = "stackoverflow.com-how-do-you-generate-dynamic-parameterize"
#: Two of a domain, so that pages share a template; more would be dull. Questions come from few domains.
PAGES_A_DOMAIN = 2
QUESTIONS_A_DOMAIN = 3


def main() -> None:
    """Write the pages, their truth, the list of them and the attribution; take away pages chosen before."""
    parser = argparse.ArgumentParser(description=__doc__)
    choose.add_data_option(parser)
    chosen = choose_pages(Path(parser.parse_args().data))
    (SITE / "pages").mkdir(parents=True, exist_ok=True)
    for old in (SITE / "pages").glob("*.html.gz"):
        old.unlink()
    rows: list[dict[str, str]] = []
    truth = []
    for kind, pages in chosen.items():
        for page in pages:
            row = describe(page, kind)
            if any(row["name"] == other["name"] for other in rows):
                row["name"] += f"-{page.id}"
            rows.append(row)
            truth.append(json.dumps({"name": row["name"], "text": page.text}, ensure_ascii=False))
            (SITE / "pages" / f"{row['name']}.html.gz").write_bytes(choose.pack(page.html))
    (SITE / "pages.json").write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (SITE / "truth.jsonl.gz").write_bytes(choose.pack("\n".join(truth) + "\n"))
    (SITE / "ATTRIBUTION.md").write_text(attribution(rows), encoding="utf-8")
    size = sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file())
    sys.stdout.write(f"{len(rows)} pages, {size:,} bytes in {SITE}\n")


def choose_pages(data: Path) -> dict[str, list[AnnotatedPage]]:
    """Return the pages of each kind: FAQ by markup, questions from Stack Exchange, the rest by WCXB's page type."""
    unseen = choose.in_order(choose.unseen_wcxb(data, LIMIT), SALT)
    seen = choose.in_order(choose.stack_exchange(data, LIMIT), SALT)
    by_kind: dict[str, list[AnnotatedPage]] = {kind: [] for kind in KINDS}
    for page in [*unseen, *(page for page in seen if split_side(page.domain) != "test")]:
        by_kind[kind_of(page)].append(page)
    chosen = {}
    for kind, count in KINDS.items():
        most = QUESTIONS_A_DOMAIN if kind == "question" else PAGES_A_DOMAIN
        chosen[kind] = choose.first_of_each(by_kind[kind], lambda page: page.domain, most)[:count]
    return chosen


def kind_of(page: AnnotatedPage) -> str:
    """Return the kind a page is listed under on the site."""
    if choose.is_stack_exchange(page):
        return "question"
    return "faq" if choose.has_faq(page) else page.page_type or "article"


def describe(page: AnnotatedPage, kind: str) -> dict[str, str]:
    """Return what the site knows of a page: its name here, its kind, where it is from and under which licence."""
    url = page.url or ""
    question = page.extra.get("question") or {}
    source = page.extra.get("source_repo", "WCXB")
    return {
        "name": name_of(url),
        "kind": kind,
        "title": question.get("title") or page.extra.get("title") or url,
        "url": url,
        "dataset": "WCXB" if choose.WCXB_HOME.endswith(source) else source,
        "id": page.extra.get("wcxb_id", page.id),
        "side": split_side(page.domain),
        "licence": "CC BY-SA" if kind == "question" else "CC BY 4.0",
    }


def name_of(url: str) -> str:
    """Return a short file name for an address: its host and the last part of its path that says something."""
    parts = urlsplit(url)
    last = max(parts.path.strip("/").split("/")[-2:], key=len)
    words = re.sub(r"[^a-z0-9]+", "-", re.sub(r"\.\w{1,5}$", "", last).lower()).strip("-")
    host = parts.netloc.lower().removeprefix("www.")
    return f"{host}-{words[:40]}".rstrip("-")


def attribution(rows: list[dict[str, str]]) -> str:
    """Return the text that names every page's source and licence."""
    lines = [ATTRIBUTION_HEAD.format(credit=choose.WCXB_CREDIT, home=choose.WCXB_HOME, thread=THREAD)]
    lines += ["| file in `pages/` | original page | data set, id | licence | side |", "|---|---|---|---|---|"]
    for row in rows:
        title = " ".join(row["title"].replace("|", "\\|").replace("[", "(").replace("]", ")").split())
        lines.append(
            f"| `{row['name']}` | [{title}](<{row['url']}>) | {row['dataset']} {row['id']}"
            f" | {row['licence']} | {row['side']} |"
        )
    return "\n".join(lines) + "\n"


ATTRIBUTION_HEAD = """\
# Where the pages of the example site come from

The pages in `pages/` are copies of public web pages, and `truth.jsonl.gz` holds their main text; both were taken
unchanged from the data sets named below and only compressed (and encoded in UTF-8). They are there to show and to test
extraction. The texts, names and marks in them belong to their authors and sites, whose endorsement is not implied.

- **CC BY 4.0**: {credit}, <{home}>, licence <https://creativecommons.org/licenses/by/4.0/>. It covers the data set;
  its authors collected the pages and their main texts.
- **CC BY-SA**: questions and answers of Stack Exchange sites, contributed by the users named on each page, whose names
  link to their profiles there. The version (2.5, 3.0 or 4.0) goes by the date of the post, see
  <https://stackoverflow.com/help/licensing>; licences <https://creativecommons.org/licenses/by-sa/4.0/>,
  <https://creativecommons.org/licenses/by-sa/3.0/>, <https://creativecommons.org/licenses/by-sa/2.5/>. The saved pages
  come from the data set or repository named beside each: WCXB as above, or
  [gleitz/howdoi](https://github.com/gleitz/howdoi) (MIT).

The site shows `{thread}` a second time, as a thread of several
pages: `example_project/example/threads.py` puts its answers on pages of ten, leaves the question out of the later ones
and adds the links between them. These pages are an adaptation of that page, under the same licence.

`example_project/tools/build_site.py` chose the pages: by the smallest hash among those of each kind that are small,
hold their text and no private mail address, two or three of a domain at most. Pages of the side "test" come from
domains that training never sees. Where these have too few questions, others come from domains of the side "train":
training may have seen these very pages, and what the model does on them says little about pages it does not know.
"""


if __name__ == "__main__":
    main()
