"""The readers of other packages."""

from __future__ import annotations

import pytest

from research.peers import PEERS


@pytest.mark.filterwarnings("ignore")  # of the peers' own
@pytest.mark.parametrize("name", sorted(PEERS))
def test_peers_read_a_page(name: str) -> None:
    if PEERS[name].version() is None:
        pytest.skip(f"{name} is not installed")
    sentence = "The kitchen was warm that morning, and nobody, not even the cat, wanted to leave it for the garden. "
    paragraphs = f"<p>{sentence * 4}</p>" * 3
    html = f"<html><body><nav><a href=/>Home</a></nav><article>{paragraphs}</article></body></html>"
    assert "nobody, not even the cat" in PEERS[name].load()(html, "https://example.com/kitchen")
