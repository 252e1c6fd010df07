"""Bundles are checked when they are loaded, before any page is read."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scrapy_semtext.labelers import bundle as bundle_module
from scrapy_semtext.labelers.bundle import load_labeler, read_manifest, usable_device
from scrapy_semtext.models.storage import SHIPPED, BundleError


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED, tmp_path / "bundle"))


def test_the_shipped_bundle_is_whole_and_small() -> None:
    assert load_labeler(device="cpu").vectors.dim == read_manifest().network.dim
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) < 25_000_000
    assert {file.suffix for file in SHIPPED.iterdir()} == {".json", ".safetensors", ".md"}


def test_a_folder_without_a_bundle(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"The bundle in .* cannot be read: .*bundle\.json"):
        load_labeler(tmp_path)


def test_a_device_that_is_not_there() -> None:
    with pytest.raises(BundleError, match="device 'warp' cannot be used"):
        load_labeler(device="warp")


def test_a_device_without_torch(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert usable_device("cpu") == "cpu"
    with pytest.raises(BundleError, match=r"device 'cuda' .* torch is not installed: pip install"):
        usable_device("cuda")
    monkeypatch.setattr(bundle_module, "_may_have_gpu", lambda: True)
    assert usable_device("auto") == "cpu"
    assert "There may be a GPU" in caplog.text


@pytest.mark.parametrize(
    ("driver", "available", "device"), [(True, True, "cuda"), (True, False, "cpu"), (False, True, "cpu")]
)
def test_a_gpu_is_taken_if_there_is_one(
    driver: bool, available: bool, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle_module, "_may_have_gpu", lambda: driver)
    pytest.importorskip("torch")
    monkeypatch.setattr("torch.cuda.is_available", lambda: available)
    assert usable_device("auto") == device


@pytest.mark.slow
def test_the_description_is_read_without_torch() -> None:
    code = (
        "import sys; from scrapy_semtext.labelers.bundle import read_manifest; read_manifest();"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def change(bundle: Path, **values: object) -> None:
    path = bundle / "bundle.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def test_other_features(bundle: Path) -> None:
    change(bundle, features=["shoe size"])
    with pytest.raises(BundleError, match="other block features"):
        load_labeler(bundle)


def test_settings_that_this_release_does_not_know(bundle: Path) -> None:
    change(bundle, network={"name": "x", "wings": 2})
    with pytest.raises(BundleError, match="unknown network settings: wings"):
        load_labeler(bundle)
