from __future__ import annotations

import pytest

from scrapy_semtext.models.config import NetworkConfig, sequences


@pytest.mark.parametrize(
    ("blocks", "longest", "expected"),
    [
        (0, 85, []),
        (3, None, [(0, 3)]),
        (85, 85, [(0, 85)]),
        (86, 85, [(0, 43), (43, 86)]),
        (256, 85, [(0, 64), (64, 128), (128, 192), (192, 256)]),
    ],
)
def test_long_pages_are_cut_as_evenly_as_can_be(
    blocks: int, longest: int | None, expected: list[tuple[int, int]]
) -> None:
    assert sequences(blocks, longest) == expected


def test_a_configuration_with_unknown_settings_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown network settings: depth"):
        NetworkConfig.from_dict({"name": "x", "depth": 3})
