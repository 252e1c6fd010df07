"""Patterns of question lists in many languages, and the cleaning of their texts."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

from scrapy_semtext.qa.cues import AnyCase

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Latin, full-width, Arabic and Greek marks, and endings of Chinese, Japanese and Korean questions without a mark.
_QUESTION_MARKS = "?？؟\u037e吗嗎か까"
_ENDS_LINE = re.compile(r"[^\w\n]{0,3}$", re.MULTILINE)
#: A line that ends in a question mark, followed by closing signs or not.
ASKS = re.compile(rf"[{_QUESTION_MARKS}]{_ENDS_LINE.pattern}", re.MULTILINE)
#: What appears above a list of questions, or in the URL and title of its page.
FAQ_WORDS = AnyCase(
    r"\bf\.?a\.?q\.?s?\b|frequently|(?:common|popular|asked|top) questions|questions (?:and|&) answers"
    r"|\bq ?(?:&|and) ?a\b|questions? fréq|foire aux questions|vos questions|häufig|fragen|вопрос|часто зада|питання"
    r"|常见问题|常見問題|问答|問答|よくある|質問|자주 ?묻는|usein kysy|kysymy|vanliga frågor"
    r"|vanlige spørsmål|ofte stillede|preguntas|domande|perguntas"
    r"|dúvidas|veelgestelde|\bvragen\b|pytania|časté dotazy|gyakori|sıkça|ερωτήσεις|الأسئلة|שאלות",
    hints=(
        *("aq", "a.q", "frequently", "questions", "q&", "q &", "q and", "qand"),
        *"fragen usein kysymy ofte preguntas domande perguntas veelgestelde vragen pytania gyakori".split(),
    ),
)
_OPENERS = (
    "how|what|why|when|where|who|whose|which|can|could|do|does|did|is|are|was|should|will|would|may|must|have|has|am"
    "|wie|was|warum|wieso|wann|wo|wer|wem|welche[rsn]?|kann|können|muss|darf|gibt|ist|sind|werden|hat|habe"
    "|comment|pourquoi|quel(?:le)?s?|quand|où|qui|combien|que|qu|est|puis|peut|dois|faut"
    "|как|что|почему|зачем|когда|где|кто|какие|какой|какая|какое|можно|сколько|нужно|есть"
    "|mikä|mitä|miten|kuinka|miksi|milloin|missä|kuka|voiko|voinko|onko|saako|paljonko"
    "|cómo|qué|por|cuándo|dónde|quién|cuál(?:es)?|cuánt[oa]s?|puedo|es|come|cosa|perché|quando|dove|chi|quale|quali"
    "|posso|como|qual|quais|hoe|wat|waarom|wanneer|waar|welke|kan|jak|co|dlaczego|kiedy|gdzie|czy|hur|vad|varför"
)
#: A question, recognized by its first word.
OPENS_AS_QUESTION = AnyCase(
    rf"[^\w\n]{{0,9}}(?:\w?\d[\d.]{{0,9}}[^\w\n]{{1,9}})?(?:(?:{_OPENERS})\b|什么|怎么|怎样|如何|为什么|是否|可以|哪|どう|なぜ|何|هل|كيف|ما|متى|لماذا|أين)"
)
#: The prefix of a question: "Q:", "Q1.", "Question 3 -", "Frage:".
QUESTION_PREFIX = re.compile(
    r"\s*(?:(?:q(?:uestion)?|frage|вопрос|pregunta|domanda|pergunta|vraag|pytanie|kysymys|問|问|س|Ｑ)"
    r"\s*(?:\.\s*)?(?:#\d{0,3}\s*|\d{1,3}\s*)?[.:：)、-]+|(?-i:Q)\d{1,3}\b)\s*",
    re.IGNORECASE,
)
#: ASCII characters that no question prefix begins with.
NO_PREFIX = frozenset(chr(code) for code in range(33, 127)) - frozenset("qfpdvkQFPDVK")
_NUMBER = re.compile(r"\s*(?:[(#]?\d{1,3}\s*[.):、](?!\d)|\d{1,3}\s+[-–—]\s)\s*")
# A label on its own before a question or an answer: "1.2.", "Q:".
_LABEL = re.compile(r"\s*(?:[\[(]?[A-Za-z]{0,2}\d{1,3}(?:[.-]\d{1,3})*[.):\]]+|[A-Za-z][.:)])\s*")
# The number of a question, in a list where most questions have one: "1.1", "G1.", "[2]".
_SERIES = re.compile(r"\s*[\[(#]?[A-Za-z]{0,2}\d{1,3}(?:[.-]\d{1,3})*(?:[.):\]、]+(?:\s+|(?!\d))|\s+)")
#: The share from which "most" of a list has a property.
MOST = 0.6
#: The prefix of an answer: "A:", "Answer:", "Antwort:".
ANSWER_PREFIX = re.compile(
    r"\s*(?:(?:a|ans(?:wer)?|antwort|réponse|ответ|respuesta|risposta|resposta|antwoord|odpowiedź|vastaus|答|ج|Ａ)\s*(?:\.\s*)?"
    r"(?:\d{1,3}\s*)?[:：]|(?-i:A|Ans)\d{0,3}[.)]\s)\s*",
    re.IGNORECASE,
)
# Labels of controls around questions and after answers.
_CONTROL = AnyCase(
    r"\W*(?:(?:read|learn|see|show|view|find out) (?:more|less)|more|close|expand|collapse|toggle|open|back to top|top"
    r"|share|(?:expand|arrow|chevron|keyboard)_\w+|weiterlesen|mehr(?: erfahren| lesen)?|schließen|lire la suite"
    r"|en savoir plus|подробнее|читать далее|свернуть|lue lisää|leer más|leggi tutto|了解更多|查看更多)\W*",
)
# Characters that expand and collapse an answer, and bullets.
_SIGNS = " \t+−–—×✕✖▼▲▾▴▸►▶⌄˅›»•·>*"
_WORD = re.compile(r"\w")


def asks(text: str) -> bool:
    """Return whether a line of a text ends in a question mark. Searching for the mark first is much faster."""
    return text.endswith("?") or (has_question_mark(text) and ASKS.search(text) is not None)


def has_question_mark(text: str) -> bool:
    """Return whether a text has a question mark."""
    return "?" in text or (not text.isascii() and any(mark in text for mark in _QUESTION_MARKS[1:]))


def asking_texts(texts: Sequence[str]) -> list[bool]:
    """Return the result of `asks` for each of many texts, which are joined to be searched only once."""
    asking = [False] * len(texts)
    joined = "\n".join(texts)
    ends = [*accumulate([len(text) + 1 for text in texts])]
    for mark in _QUESTION_MARKS[: 1 if joined.isascii() else None]:
        at = joined.find(mark)
        while at >= 0:
            if _ENDS_LINE.match(joined, at + 1):
                asking[bisect_right(ends, at)] = True
            at = joined.find(mark, at + 1)
    return asking


def has_mark(text: str) -> bool:
    """Return whether `cues.QUESTION_MARK` is in a text, faster than a search with the pattern."""
    return "?" in text or (not text.isascii() and ("？" in text or "؟" in text))


def prefix_of(text: str) -> re.Match[str] | None:
    """Return the question prefix at the beginning of a text."""
    return None if text[:1] in NO_PREFIX else QUESTION_PREFIX.match(text)


class Cleaner:
    """Cleans the texts of one page, with a cache because many candidates share the same texts."""

    def __init__(self) -> None:
        #: Returns a question cleaned by `clean_question`, and its normalized form for comparisons.
        self.question = cache(_question_and_key)
        #: Returns an answer cleaned by `clean_answer`, from its lines and its question.
        self.answer = cache(clean_answer)


def _question_and_key(text: str) -> tuple[str, str]:
    question = clean_question(text)
    return question, question.casefold()


def without_series(questions: Sequence[str]) -> list[str]:
    """Remove the numbers from the questions of a list, if most questions have one."""
    found = [_SERIES.match(question) for question in questions]
    if len(found) - found.count(None) < max(2, MOST * len(found)):
        return list(questions)
    return [text[match.end() :] if match else text for text, match in zip(questions, found, strict=True)]


def clean_question(text: str) -> str:
    """Return a question on one line without its prefix, number and the label of the control that expands it."""
    lines = [line for line in text.splitlines() if _WORD.search(line) and not _CONTROL.is_all_of(line)]
    question = " ".join(" ".join(lines).split()).strip(_SIGNS)
    prefixes = [_NUMBER, QUESTION_PREFIX, _NUMBER]
    if ASKS.search(question):
        prefixes.append(ANSWER_PREFIX)  # some pages swap the two prefixes
    for prefix in prefixes:
        match = prefix.match(question)
        if match and match.end() < len(question):
            question = question[match.end() :]
    return question


def clean_answer(lines: Iterable[str], question: str) -> str:
    """Return an answer from its blocks, without its prefix, controls at either end and a repeated question.

    A block that occurs twice in an answer (a copy for another screen size) is used once.
    """
    kept: list[str] = []
    asked = question.casefold()
    seen = {asked}
    longest = max(asked.split(), key=len, default="")  # a repetition of the question contains all of its words
    for line in lines:
        key = line.casefold()
        if key in seen or (not kept and longest in key and _is_again(line, key, asked)):
            continue
        if len(line) > 30:
            seen.add(key)
        kept.append(line)
    while kept and _is_no_answer(kept[-1]):
        kept.pop()
    while kept and _is_no_answer(kept[0]):
        kept.pop(0)
    answer = "\n".join(kept).strip()
    match = (QUESTION_PREFIX if answer[:1] == "Q" else ANSWER_PREFIX).match(answer)
    return answer[match.end() :].strip() if match else answer


def _is_again(line: str, key: str, asked: str) -> bool:
    """Return whether a line (``key``: its case-folded form) repeats a question; ``asked`` is the cleaned question."""
    end = key.rstrip(_SIGNS)[-1:]
    if asked and end != asked[-1] and not end.isspace() and len(line.splitlines()) == 1:
        return False  # a single line is only compared as a whole
    return clean_question(line).casefold() == asked


def _is_no_answer(line: str) -> bool:
    return not _WORD.search(line) or (
        len(line) <= 40 and (_CONTROL.is_all_of(line) or _LABEL.fullmatch(line) is not None)
    )
