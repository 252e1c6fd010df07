"""Model files that are missing, truncated, changed or of another version are reported before the crawl starts."""

from __future__ import annotations

import json
import shutil
from itertools import cycle
from typing import TYPE_CHECKING, Any

import pytest
from crawling import URL, Answer, crawl

from scrapy_semtext.extractor import Extractor
from scrapy_semtext.integration.setting_values import SettingsError
from scrapy_semtext.models.storage import SHIPPED, BundleError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.slow

#: What `Extractor.load` reads; another labeler reads web2text.
NAMES = ("network", "vectors", "structure", "kinds", "pairs", "records", "sections")
WEIGHTS = [f"{name}.safetensors" for name in NAMES]
DESCRIPTIONS = ["bundle.json", *(f"{name}.json" for name in NAMES if name != "network")]
_EVERYTHING = {"sections": True, "records": True}


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def changed(path: Path) -> None:
    """Change one bit of a weight."""
    data = bytearray(path.read_bytes())
    data[-1000] ^= 1
    path.write_bytes(data)


def removed(path: Path) -> None:
    path.unlink()


def nested(path: Path) -> None:
    path.write_text("[" * 100_000, "utf-8")


def of_another_version(path: Path) -> None:
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"version": 99}), "utf-8")


def with_another_checksum(path: Path) -> None:
    about = json.loads(path.read_text("utf-8"))
    name = "fingerprint" if path.name == "vectors.json" else "sha256"
    about[name] = {"network.safetensors": "0" * 64} if path.name == "bundle.json" else "0" * 64
    path.write_text(json.dumps(about), "utf-8")


SETTINGS: dict[str, Any] = {
    "SEMTEXT_EXTRACTOR": Extractor,
    "SEMTEXT_DEVICE": "cpu",
    "SEMTEXT_OPTIONS": _EVERYTHING,
}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shutil.copytree(SHIPPED, tmp_path_factory.mktemp("model") / "bundle")


#: Each file with one of the faults after another, and each fault with the files of the network.
FAULTS_OF_WEIGHTS = (removed, emptied, cut_short, changed)
FAULTS_OF_DESCRIPTIONS = (*FAULTS_OF_WEIGHTS[:3], nested, of_another_version, with_another_checksum)
FAULTS = [
    *zip(cycle(FAULTS_OF_WEIGHTS), WEIGHTS, strict=False),
    *zip(cycle(FAULTS_OF_DESCRIPTIONS), DESCRIPTIONS, strict=False),
]
FAULTS += [(fault, WEIGHTS[0]) for fault in FAULTS_OF_WEIGHTS[1:]]
FAULTS += [(fault, DESCRIPTIONS[0]) for fault in FAULTS_OF_DESCRIPTIONS[1:]]


@pytest.mark.parametrize(("fault", "name"), FAULTS, ids=lambda each: getattr(each, "__name__", each))
def test_it_is_told_at_the_start(fault: Callable[[Path], None], name: str, bundle: Path) -> None:
    path = bundle / name
    try:
        fault(path)
        with pytest.raises(SettingsError, match="SEMTEXT_BUNDLE is ") as caught:
            crawl({URL: Answer()}, settings=SETTINGS | {"SEMTEXT_BUNDLE": str(bundle)})
        told = str(caught.value)
        assert str(bundle) in told
        assert "Install scrapy-semtext again" in told or "Upgrade scrapy-semtext" in told or "Give a folder" in told
    finally:
        shutil.copy(SHIPPED / name, path)


@pytest.mark.parametrize(
    "values",
    [
        {"network": "compact"},
        {"decision": "majority"},
        {"probability": []},
        {"temperature": -1},
        {"temperature": float("nan")},
    ],
    ids=str,
)
def test_a_value_that_cannot_be_is_told(values: dict[str, Any], tmp_path: Path) -> None:
    bundle = shutil.copytree(SHIPPED, tmp_path / "bundle")
    path = bundle / "bundle.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | values), "utf-8")
    with pytest.raises(BundleError, match=r"bundle\.json is broken"):
        Extractor.load(bundle, device="cpu")


def test_a_bundle_without_checksums_loads(tmp_path: Path) -> None:
    bundle = shutil.copytree(SHIPPED, tmp_path / "bundle")
    for name in DESCRIPTIONS:
        about = json.loads((bundle / name).read_text("utf-8"))
        about.pop("sha256", None)
        (bundle / name).write_text(json.dumps(about), "utf-8")
    (item,) = crawl({URL: Answer()}, settings=SETTINGS | {"SEMTEXT_BUNDLE": str(bundle)}).items
    assert item["url"] == URL
