"""Templates of many sites: bounds, files, and the definition of a site."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from gate.quality import read_sample
from sites import BANNER, site_page, url_of

from scrapy_semtext import Extractor
from scrapy_semtext.site.template import SiteTemplates, site_of
from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import segment

if TYPE_CHECKING:
    from pathlib import Path


def revise(templates: SiteTemplates, html: str, url: str | None) -> list[str]:
    """Return the kept texts of those with more than five words."""
    blocks = segment(parse(html))
    keep = np.array([len(block.text.split()) > 5 for block in blocks])
    stays = templates.revised(url, blocks, keep, np.where(keep, 0.9, 0.1))
    return [block.text for block, stay in zip(blocks, stays, strict=True) if stay]


def learnt(pages: int = 4) -> SiteTemplates:
    templates = SiteTemplates()
    for number in range(pages):
        revise(templates, site_page(number), url_of(number))
    return templates


def test_what_a_site_shares_is_no_main_content_any_more() -> None:
    templates = learnt()
    assert BANNER not in revise(templates, site_page(9), url_of(9))
    assert BANNER in revise(templates, site_page(9), "http://elsewhere.test/")
    assert BANNER in revise(templates, site_page(9), None)
    assert templates.stats == {"pages": 6, "shared": 9, "removed": 3}


@pytest.mark.parametrize(
    ("url", "host", "domain"),
    [
        ("https://www.forum.example.co.uk/a?b", "forum.example.co.uk", "example.co.uk"),
        ("https://blog.alice.github.io/a", "blog.alice.github.io", "alice.github.io"),
        ("http://127.0.0.1:8000/", "127.0.0.1", "127.0.0.1"),
        ("http://localhost/", "localhost", "localhost"),
        ("http://[::1", "", ""),
        ("", "", ""),
        (None, "", ""),
    ],
)
def test_a_site_is_a_host_or_a_registered_domain(url: str | None, host: str, domain: str) -> None:
    assert site_of(url) == host
    assert site_of(url, "domain") == domain


def test_the_site_that_was_met_longest_ago_is_forgotten() -> None:
    templates = SiteTemplates(sites=2)
    for site in ("a", "b", "a", "c"):
        templates.of(f"http://{site}.test/")
    assert len(templates) == 2
    assert templates.stats["forgotten"] == 1
    a = templates.of("http://a.test/")
    assert a is templates.of("http://a.test/other")


def test_templates_are_kept_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "sites.npz"
    first = learnt()
    first.of("http://empty.test/")
    first.save(str(path))
    second = SiteTemplates()
    second.load(str(path))
    assert len(second) == 2
    for name in ("pages", "duplicates", "blocks", "places", "lengths"):
        assert getattr(second.of(url_of(1)), name) == getattr(first.of(url_of(1)), name)
    assert revise(second, site_page(9), url_of(9)) == revise(first, site_page(9), url_of(9))
    assert [file.name for file in tmp_path.iterdir()] == ["sites.npz"]


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x03\x04 broken", b"\x93NUMPY\x01\x00"])
def test_a_broken_file_changes_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "sites.npz"
    path.write_bytes(content)
    templates = learnt()
    with pytest.raises((ValueError, OSError)):
        templates.load(path)
    assert len(templates) == 1


def test_a_file_of_other_arrays_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sites.npz"
    np.savez(path, version=np.array([1], "<u4"), names=np.zeros(0, np.uint8))
    with pytest.raises(ValueError, match="holds no site templates"):
        SiteTemplates().load(path)
    np.savez(path, version=np.ones(1), names=np.zeros(1), blocks=np.zeros(1), sites=np.zeros(1))
    with pytest.raises(ValueError, match="holds no site templates"):
        SiteTemplates().load(path)
    np.savez(path, version=np.array([99], "<u4"))
    with pytest.raises(ValueError, match="version"):
        SiteTemplates().load(path)


@pytest.mark.slow
def test_real_pages_of_a_shop_teach_its_tables_of_languages() -> None:
    pages = [page for page in read_sample() if page.url and "store.steampowered.com/app" in page.url]
    extractor = Extractor.load(device="cpu")
    alone = [extractor.read(page.html, page.url) for page in pages]
    extractor.templates = templates = SiteTemplates()
    together = [extractor.read(page.html, page.url) for page in pages]
    languages = {"French", "German", "Portuguese - Brazil", "English"}

    def kept(page_number: int, read: list[object]) -> set[str]:
        return {block.text for block in read[page_number].blocks if block.is_main} & languages  # type: ignore[attr-defined]

    last = len(pages) - 1
    changed = [n for n in range(len(pages)) if kept(n, [*alone]) - kept(n, [*together])]
    assert changed
    assert min(changed) >= 2
    assert together[0] == alone[0]
    assert all(kept(n, [*together]) <= kept(n, [*alone]) for n in range(last + 1))
    assert templates.stats["removed"] > 0
