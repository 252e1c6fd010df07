"""Choosing a labeler: by setting, by option, by request and on the command line."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest
from scrapy.settings import Settings

from scrapy_semtext.extractor import Extractor, Options, Source
from scrapy_semtext.features.table import describe
from scrapy_semtext.integration.service import load_reader
from scrapy_semtext.integration.setting_values import SettingsError
from scrapy_semtext.integration.settings import SemtextSettings, default_options, override_options
from scrapy_semtext.labelers.bundle import LABELERS, Labelers, training_of
from scrapy_semtext.labelers.structure_trees import averaged
from scrapy_semtext.labelers.textsweeper import TextSweeperLabeler
from scrapy_semtext.models.scores import probabilities_of
from scrapy_semtext.models.storage import BundleError
from scrapy_semtext.page import Page

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_semtext.labelers.bundle import LabelerName

PARAGRAPH = "<p>Take flour, water and salt, and wait for longer than anybody would think reasonable. It pays.</p>"
HTML = f"""<html><body><nav><a href="/">Home</a> <a href="/b">Bread</a></nav>
<main><h1>How to bake good bread</h1>{PARAGRAPH * 5}</main><footer>Imprint</footer></body></html>"""


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor.load(device="cpu", labeler="textsweeper")


def skip_without_torch(name: str) -> None:
    if name == "web2text":
        pytest.importorskip("torch")


@pytest.mark.parametrize("name", LABELERS)
def test_each_labeler_finds_the_article(name: LabelerName) -> None:
    skip_without_torch(name)
    page = Extractor.load(device="cpu", labeler=name).read(HTML)
    assert "Take flour" in page.main_text
    assert "Imprint" not in page.main_text
    assert all(0 <= block.probability <= 1 for block in page.blocks)
    assert page.page_kind is not None, "the kind is told whatever labels the blocks"


@pytest.mark.slow
def test_the_default_loads_neither_of_the_others() -> None:
    code = (
        "import sys; from scrapy_semtext import Extractor; Extractor.load(device='cpu');"
        "sys.exit(', '.join(name for name in sys.modules if 'web2text' in name or 'textsweeper' in name) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_on_the_cpu_all_but_one_need_no_torch() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"  # as if it were not installed
        "from scrapy_semtext import Extractor\n"
        "for name in ('semtext', 'cascade', 'network', 'trees', 'textsweeper'):\n"
        "    Extractor.load(device='cpu', labeler=name).read('<p>Text')"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("sure", [0.0, 1.1])
def test_the_cascade_runs_the_network_on_unsure_pages(sure: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_semtext.labelers.structure_trees.MIN_TREES_F1", sure)
    pages = [describe(HTML, None), describe("<p>", None)]
    cascade = Labelers(device="cpu").get("cascade").labeler
    average = cascade.average  # type: ignore[attr-defined]
    network = Mock(wraps=average.labeler.score)
    monkeypatch.setattr(average.labeler, "score", network)
    found = [scores.probabilities.tolist() for scores in cascade.score(pages)]
    assert [len(asked) for (asked,), _ in network.call_args_list] == [2 if sure else 0]
    if sure:
        assert found == [scores.probabilities.tolist() for scores in average.score(pages)]
    else:
        odds = average.trees.log_odds(pages)[0]
        expected = averaged(probabilities_of(odds), odds, pages[0].word_counts(), None, share=1.0)
        assert found[0] == probabilities_of(expected).tolist()


def test_web2text_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "scrapy_semtext.labelers.web2text", raising=False)
    with pytest.raises(
        BundleError, match=r"'web2text' .* torch is not installed: pip install 'scrapy-semtext\[torch\]'"
    ):
        Extractor.load(device="cpu", labeler="web2text")


def test_pages_of_one_batch_can_have_different_labelers(extractor: Extractor) -> None:
    skip_without_torch("web2text")
    options = [None, Options(labeler="web2text"), Options(), Options(labeler="textsweeper")]
    pages = extractor.read_many([Source(HTML, options=each) for each in options])
    assert all(isinstance(page, Page) for page in pages)
    alone = [extractor.read(HTML, options=each) for each in options]
    assert [*pages] == alone
    probabilities = [[block.probability for block in page.blocks] for page in alone]
    assert probabilities[0] == probabilities[2] == probabilities[3] != probabilities[1]
    other = extractor.annotate(HTML, options=Options(labeler="web2text")).page
    assert [block.probability for block in other.blocks] == probabilities[1]


def test_a_labeler_that_cannot_be_loaded_costs_only_the_pages_that_ask_for_it(tmp_path: Path) -> None:
    extractor = Extractor(TextSweeperLabeler(), "viterbi", others=Labelers(tmp_path))
    bad, good = extractor.read_many([Source(HTML, options=Options(labeler="web2text")), Source(HTML)])
    assert isinstance(bad, BundleError)
    assert isinstance(good, Page)


@pytest.mark.slow
@pytest.mark.parametrize("name", LABELERS)
def test_what_the_decisions_mean(name: LabelerName) -> None:
    """Viterbi is each labeler's own labeling; expected F1 applies the same choice to each labeler's probabilities."""
    skip_without_torch(name)
    html = HTML.replace("<footer>", f"<footer>{PARAGRAPH}")
    extractor = Extractor.load(device="cpu", labeler=name)
    (annotated,) = extractor.read_many([Source(html, options=Options(decision="viterbi"))])
    chosen = extractor.read(html, options=Options(decision="expected-f1"))
    assert isinstance(annotated, Page)
    kept = {block.probability for block in chosen.blocks if block.is_main}
    left = {block.probability for block in chosen.blocks if not block.is_main}
    assert not left or min(kept) >= max(left), "the most probable blocks are kept"
    default = extractor.read(html)
    assert default == (annotated if extractor.decision == "viterbi" else chosen)


def test_textsweeper_decides_in_its_own_way() -> None:
    assert Extractor.load(device="cpu", labeler="textsweeper").decision == "viterbi"


def settings_of(labeler: Any) -> SemtextSettings:
    return SemtextSettings.read(Settings({"SEMTEXT_OPTIONS": {"labeler": labeler}}))


def test_the_setting_names_the_labeler_of_a_crawl() -> None:
    settings = settings_of("textsweeper")
    reader = load_reader(settings, default_options(settings))
    assert isinstance(reader, Extractor)
    assert isinstance(reader.labeler, TextSweeperLabeler)


@pytest.mark.parametrize("value", ["webtotext", "", 3, ["web2text"]])
def test_other_values_of_the_setting_give_a_clear_error(value: Any) -> None:
    with pytest.raises(
        SettingsError,
        match=r"SEMTEXT_OPTIONS is .*: labeler is .*; it has to be one of semtext, cascade, network, trees",
    ):
        default_options(settings_of(value))


def test_a_request_can_ask_for_another() -> None:
    options = default_options(settings_of("web2text"))
    assert override_options(options, {"labeler": "textsweeper"}).labeler == "textsweeper"
    with pytest.raises(ValueError, match=r"labeler is 'x'; it has to be one of semtext, cascade, network, trees, web"):
        override_options(options, {"labeler": "x"})


def test_what_is_known_of_the_training() -> None:
    assert training_of("textsweeper") == {}
    web2text, semtext = (training_of(name)["split"] for name in ("web2text", "semtext"))
    assert web2text == web2text | semtext, "both keep the same domains out"
