"""The words of the interfaces of generated sites, by language, in the table ``interfaces``."""

from __future__ import annotations

from random import Random

from scrapy_semtext.words.word_tables import paragraphs

_WORDS = {
    language: {key: tuple(words.split("|")) for key, _, words in (line.partition("=") for line in lines)}
    for language, *lines in paragraphs("interfaces")
}
#: The languages with words of their own.
LANGUAGES = tuple(_WORDS)


class Interface:
    """The words of a language; a key without words in it has those of English."""

    def __init__(self, language: str, rng: Random) -> None:
        self._words = {**_WORDS["en"], **_WORDS.get(language, {})}
        self._rng = rng
        self._kept: dict[str, str] = {}

    def all(self, key: str) -> tuple[str, ...]:
        """Return all the words of a key."""
        return self._words[key]

    def one(self, key: str) -> str:
        """Draw a word."""
        return self._rng.choice(self._words[key])

    def some(self, key: str, most: int, least: int = 1) -> list[str]:
        """Draw distinct words."""
        words = self._words[key]
        return self._rng.sample(words, min(len(words), self._rng.randint(least, most)))

    def kept(self, key: str) -> str:
        """Return the word that the site always uses, drawn on the first call."""
        if key not in self._kept:
            self._kept[key] = self.one(key)
        return self._kept[key]
