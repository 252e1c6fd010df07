"""Types of option values."""

from __future__ import annotations

import argparse


def positive(text: str) -> int:
    """An integer of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def number_list(text: str) -> tuple[int, ...]:
    """Integers of at least 1, separated by commas; an empty text is an empty list."""
    try:
        numbers = tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers such as 1,4,16") from error
    if any(number < 1 for number in numbers):
        raise argparse.ArgumentTypeError("numbers must be at least 1")
    return numbers
