"""Types of option values."""

from __future__ import annotations

import argparse


def positive(text: str) -> int:
    """An integer of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number
