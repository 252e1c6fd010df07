"""The size of chunks: in words, or in the tokens of a tokenizer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass, fields
from functools import lru_cache
from pkgutil import resolve_name
from typing import Any

Tokenizer = Callable[[str], Sized]

#: The default sizes of chunks, which are about equal, because 100 English words are about 130 tokens.
DEFAULT_WORDS = 200
DEFAULT_TOKENS = 256

# In scripts without spaces (Thai to Khmer, Japanese and Chinese) each character counts as a word.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED_SIGN = re.compile(f"[{_UNSPACED}]")
#: A word of a text.
WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """The size of chunks.

    A chunk has at most ``words`` words or, with ``tokenizer``, at most ``tokens`` tokens. ``tokenizer`` is a callable
    that takes a text and returns a sequence, or its import path ("package.module.callable" or
    "package.module:callable"). ``overlap``: each chunk begins with the last sentences of the previous one in the same
    section, up to this number of words or tokens, which count towards its size.
    """

    words: int | None = None
    tokens: int | None = None
    tokenizer: str | Tokenizer | None = None
    overlap: int = 0

    def __post_init__(self) -> None:
        """Raise ValueError for invalid values, and for a tokenizer that cannot be imported."""
        for name in ("words", "tokens", "overlap"):
            value, least = getattr(self, name), int(name != "overlap")
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
                raise ValueError(f"{name} is {value!r}; it has to be a whole number of at least {least}")
        if self.tokenizer is None and self.tokens is not None:
            raise ValueError("tokens needs a tokenizer; without one, chunks are measured in words")
        if self.tokenizer is not None and self.words is not None:
            raise ValueError("words and a tokenizer exclude each other; give the size in tokens")
        if self.overlap > self.size // 2:
            raise ValueError(f"overlap is {self.overlap}; it has to be at most half of the size, {self.size}")
        if self.tokenizer is not None:
            tokenizer_of(self.tokenizer)

    @classmethod
    def of(cls, value: Any) -> ChunkOptions | None:
        """Return the options for True (the defaults), a number of words or a dict; None for False and None.

        Raises ValueError for other values and for unknown keys.
        """
        if value is None or value is False:
            return None
        if isinstance(value, cls):
            return value
        if value is True:
            return cls()
        if isinstance(value, int):
            return cls(words=value)
        if not isinstance(value, Mapping):
            raise ValueError(f"chunks is {value!r}; it has to be True, False, a number of words or a dict")
        known = [each.name for each in fields(cls)]
        for key in value:
            if key not in known:
                raise ValueError(f"chunks has no key {key!r}; the keys are {', '.join(known)}")
        return cls(**value)

    @property
    def size(self) -> int:
        """The size that no chunk exceeds unless it cannot be split."""
        if self.tokenizer is None:
            return self.words or DEFAULT_WORDS
        return self.tokens or DEFAULT_TOKENS

    def measure(self) -> Callable[[str], int]:
        """Return the function that measures a text."""
        if self.tokenizer is None:
            return count_words
        tokenizer = tokenizer_of(self.tokenizer)
        return lambda text: len(tokenizer(text))


def count_words(text: str) -> int:
    """Return the number of words of a text."""
    if text.isascii() or _UNSPACED_SIGN.search(text) is None:  # faster
        return len(text.split())
    return len(WORD.findall(text))


def tokenizer_of(given: str | Tokenizer) -> Tokenizer:
    """Return a tokenizer, imported if given by its path; raise ValueError if it is not one."""
    tokenizer = _imported(given) if isinstance(given, str) else given
    if not callable(tokenizer):
        raise ValueError(f"tokenizer is {given!r}, which cannot be called; it has to take a text")
    return tokenizer


@lru_cache(maxsize=8)
def _imported(path: str) -> Any:
    try:
        return resolve_name(path)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"tokenizer is {path!r}, which cannot be imported: {error}") from error
