"""What is compiled for the nodes of a page gives what the Python gives that it stands in for."""

from __future__ import annotations

import random
import re
import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from gate.quality import read_sample

from scrapy_semtext import tree
from scrapy_semtext.compiled import answers as compiled_answers
from scrapy_semtext.compiled import nodes as compiled
from scrapy_semtext.compiled import posts as compiled_posts
from scrapy_semtext.compiled import signatures as compiled_signatures
from scrapy_semtext.questions import (
    authors,
    candidate_features,
    candidates,
    cues,
    faq,
    faq_features,
    faq_groups,
    marks,
    node_features,
    nodes,
    page_words,
    posts,
    runs,
    signatures,
)
from scrapy_semtext.questions.cues import has_date, plain, with_dates
from scrapy_semtext.questions.faq_run_in import Head
from scrapy_semtext.questions.faq_text import (
    _CONTROL,
    ANSWER_PREFIX,
    FAQ_WORDS,
    NO_ANSWER_PREFIX,
    NO_PREFIX,
    OPENS_AS_QUESTION,
    QUESTION_PREFIX,
    Cleaner,
    asks,
    may_be_marked,
)
from scrapy_semtext.questions.models import load_pair_models
from scrapy_semtext.questions.nodes import DATES, PageNodes
from scrapy_semtext.segment import search
from scrapy_semtext.structure.layout import Looks

if TYPE_CHECKING:
    from collections.abc import Callable

_COMPILED = (compiled, compiled_answers, compiled_posts, compiled_signatures)
needs_compiler = pytest.mark.skipif(None in _COMPILED, reason="not compiled")

_PATTERNS = [cues._DATE, cues._DATE_IN_WORDS, FAQ_WORDS, OPENS_AS_QUESTION, _CONTROL]
_PATTERNS += [authors._PROFILE, marks._SAYS_ACCEPTED, marks._SAYS_VOTES]

_ODD = ["", "?", "a" * 399 + "?", "a" * 400 + "?", 'Eh?)"\nno', "x?____", "x? . ", "x?...\n", "é?\n", "é" * 130, "#12."]
_ODD += [
    "# 1234567",
    " 12",
    "٣",
    "# ٣.",
    "\U0001f600?",
    "¿？",
    "a؟",
    "b\u037e",
    "…。！？",
    "\x1f?\x1c",
    "1.!?" * 200,
    "²",
]
_PARTS = [
    *cues.MONTHS.split("|"),
    *cues._UNITS.split("|"),
    *cues._DAYS.split("|"),
    *"0123456789" * 4,
    *" .:/-,\n#?" * 6,
]
_PARTS += [" ago", " de ", "年", "月", "前", "小时", "é", "ſ", "\u212a", "İ", "_", "？", "\U0001f600", "٣", "\x1f"]
_PARTS += [*"’–•\xa0" * 3, "|"]


def _texts(seed: int) -> list[str]:
    chance = random.Random(seed)  # noqa: S311
    parts = [each(part) for part in _PARTS for each in (str, str.upper, str.title)]
    return ["".join(chance.choices(parts, k=chance.randrange(9))) for _ in range(400)]


def _python(monkeypatch: pytest.MonkeyPatch, function: Callable[..., Any], *arguments: Any) -> Any:
    with monkeypatch.context() as patch:
        faqs = faq, faq_features, faq_groups
        for module in (nodes, candidates, *faqs, signatures, node_features, candidate_features, runs):
            patch.setattr(module, "compiled", None)
        return function(*arguments)


def _page(seed: int) -> PageNodes:
    chance = random.Random(seed)  # noqa: S311
    html = []
    for _ in range(chance.randrange(1, 60)):
        names = chance.choice(["", " class=q", " class=a1", " id='post-12' class='b a'", " class=7"])
        text = chance.choice(
            ["How so?", "Why\tnot?", "Like this. And that!", "3 May 2024", "#3", "Für wen?", "😀 was?"]
        )
        html.append(f"<{chance.choice(('div', 'p', 'ul', 'li', 'dt', 'b', 'h2', 'h3'))}{names}>{text}")
        html.append(chance.choice(["", "</p>", "</div></div>", "</ul>"]))
    root = tree.parse("".join(html))
    return PageNodes(root, search(root))


def _groups(page: PageNodes) -> list[list[Head]]:
    heads, groups = faq_groups.element_groups(page, Cleaner())
    return [[heads.head(place) for place in group] for group in groups]


def _readings_of(monkeypatch: pytest.MonkeyPatch, page: PageNodes, seed: int) -> list[Any]:
    """The readings of groups that are not of like heads, too."""
    chance = random.Random(seed)  # noqa: S311
    heads, groups = faq_groups.element_groups(page, Cleaner())
    groups = [*groups, *(group[::2] for group in groups)]
    for size in range(2, min(20, len(heads))):
        some = sorted(chance.sample(range(len(heads)), size), key=lambda place: (heads.first[place], place))
        groups.append(heads.disjoint(some))
    with monkeypatch.context() as patch:
        patch.setattr(faq, "element_groups", lambda *_: (heads, groups))
        return faq._element_readings(page, Cleaner())


def _lists(page: PageNodes, seed: int) -> list[faq.FaqCandidate]:
    """Lists of questions at any blocks, with any texts."""
    chance, found = random.Random(seed), []  # noqa: S311
    for _ in range(8):
        texts = chance.choices([text for text in _texts(seed) if text], k=120)
        ends = sorted(chance.choices(range(1, len(page.blocks) + 1), k=chance.randrange(2, 50)))
        starts = [chance.randrange(end) for end in ends]
        pairs = [
            faq.Pair(chance.choice(texts), chance.choice(texts), first, chance.randint(first, end), end)
            for first, end in zip(starts, ends, strict=True)
        ]
        heads = [Head(chance.randrange(len(page)), pair.first, pair.last, pair.question) for pair in pairs]
        found.append(faq.FaqCandidate(tuple(pairs), tuple(heads), "inside", chance.randrange(-1, 4)))
    return found


@pytest.mark.parametrize("seed", range(20))
def test_dates_of_many_texts_are_those_of_each(seed: int) -> None:
    texts = _texts(seed)
    assert with_dates(texts, 20) == [len(text) <= 20 and has_date(text) for text in texts]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("pattern", _PATTERNS)
def test_text_is_looked_through_as_without_regard_to_case(pattern: cues.AnyCase, seed: int) -> None:
    words = ["FAQ", "Q & A", "Häufig", "Show more", "”Close”", "Ça ", "Comment ", "Qué", "•", "– "]
    words += ["Best answer", "akzeptiert", "– 3 Likes", "J'aime", "/User/x", "gelöst", "un", "SOLVED", "Has-Solution"]
    chance = random.Random(seed)  # noqa: S311
    for text in [*words, *(chance.choice(words) + text + chance.choice(words) for text in _texts(seed))]:
        assert pattern.is_in(text) == (pattern._any.search(text) is not None)
        assert pattern.begins(text) == (pattern._any.match(text) is not None)
        assert pattern.is_all_of(text) == (pattern._any.fullmatch(text) is not None)


def test_signs_that_are_taken_out_are_in_no_word() -> None:
    signs = [sign for sign in map(chr, range(128, sys.maxunicode + 1)) if plain(sign).isascii()]
    assert {plain(sign) for sign in signs} == {"|"}
    assert not re.search(r"[\w\n]", "".join(signs))
    assert all(sign == sign.lower() == sign.upper() == sign.casefold() for sign in signs)
    for pattern in _PATTERNS:
        assert not {*pattern._any.pattern} & {*signs}
        assert r"\s" not in pattern._any.pattern


def test_no_texts_have_no_dates() -> None:
    assert with_dates([], 80) == []


@needs_compiler
@pytest.mark.parametrize("seed", range(10))
def test_blocks_count_as_in_python(seed: int) -> None:
    texts = [*_ODD, *_texts(seed)]
    chance = random.Random(seed)  # noqa: S311
    links = [chance.randrange(len(text) + 1) for text in texts]
    hidden, dated = ([chance.random() < 0.3 for _ in texts] for _ in range(2))
    sums = np.full((len(texts) + 1, 11), 7.0)
    compiled.sums_of_blocks(texts, links, hidden, dated, sums)
    assert sums[0].tolist() == [0] * 11
    assert np.array_equal(np.diff(sums, axis=0), nodes._counted(texts, links, hidden, dated))
    marked = [place for place, text in enumerate(texts) if may_be_marked(text)]
    assert compiled.asking(texts) == ([asks(text) for text in texts], marked)


@pytest.mark.parametrize("seed", range(5))
def test_dates_are_counted_where_they_are_asked_for(seed: int) -> None:
    page, same = _page(seed), _page(seed)
    places = random.Random(seed).sample(range(len(page.blocks)), len(page.blocks) // 2)  # noqa: S311
    within = np.diff(same.sums_within(places), axis=0)
    every = np.diff(page.sums, axis=0)
    assert np.array_equal(within[places], every[places])
    every[:, DATES] = within[:, DATES]
    assert np.array_equal(within, every)
    assert page.sums_within([]) is page.sums


@needs_compiler
def test_a_text_that_is_none_is_an_error() -> None:
    with pytest.raises(TypeError):
        compiled.asking([None])
    with pytest.raises(TypeError):
        compiled.sums_of_blocks([None], [0], [False], [False], np.zeros((2, 11)))


@needs_compiler
@pytest.mark.parametrize("seed", range(40))
def test_a_page_is_read_as_in_python(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    page, same = _page(seed), _page(seed)
    names = ("sums", "asking", "marked", "signatures", "near_signatures", "own_signatures", "ordinal_signatures")
    for name in (*names, "tag_paths", "tag_numbers"):
        assert np.array_equal(getattr(page, name), _python(monkeypatch, getattr, same, name)), name
    assert _groups(page) == _python(monkeypatch, _groups, same)
    readings = _readings_of(monkeypatch, page, seed)
    assert readings == _python(monkeypatch, _readings_of, monkeypatch, same, seed)
    lists = [*faq.faq_candidates(page), *_lists(page, seed)]
    described = faq_features.faq_features(page, lists, "FAQ", None)
    assert described == pytest.approx(
        _python(monkeypatch, faq_features.faq_features, same, lists, "FAQ", None), abs=1e-6
    )
    of_nodes = node_features.node_features(page)
    assert of_nodes == pytest.approx(_python(monkeypatch, node_features.node_features, same), abs=1e-6)
    scores = np.random.default_rng(seed).normal(-2, 3, len(page)).round(1)
    found = candidates.candidates(page, scores)
    assert found == _python(monkeypatch, candidates.candidates, same, scores)
    of_sets = candidate_features.candidate_features(page, scores, found)
    assert of_sets == pytest.approx(
        _python(monkeypatch, candidate_features.candidate_features, same, scores, found), abs=1e-6
    )


@needs_compiler
def test_posts_of_real_pages_are_proposed_as_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_pair_models().posts.node
    for sample in islice(read_sample(), 30):
        root = tree.parse(sample.html)
        blocks = search(root)
        page, same = PageNodes(root, blocks), PageNodes(root, blocks)
        scores = posts.node_scores(page, model)
        found = candidates.candidates(page, scores)
        assert found == _python(monkeypatch, candidates.candidates, same, scores)
        of_sets = candidate_features.candidate_features(page, scores, found)
        expected = _python(monkeypatch, candidate_features.candidate_features, same, scores, found)
        assert of_sets == pytest.approx(expected, abs=1e-6)


@needs_compiler
@pytest.mark.parametrize("known", [0, 1, 2, 7, 400])
def test_words_are_weighed_as_in_python(known: int) -> None:
    chance = random.Random(known)  # noqa: S311
    weights: dict[str, float] = {f"é{word}": chance.gauss(0, 2) for word in range(known)} | {"whole": 1}
    table = compiled.Weights(weights, page_words._CLIP, *page_words._BEST)
    for size in (0, 1, 3, known):
        words = frozenset(f"é{chance.randrange(2 * known + 1)}" for _ in range(size)) | {"whole", "x"}
        assert table.weighed(words) == pytest.approx(page_words.weighed(words, weights), abs=1e-12)
    assert table.weighed(frozenset(["nowhere"])) == page_words.weighed({"nowhere"}, weights) == [0, 0, 0]


@needs_compiler
def test_words_of_names_are_united_as_in_python() -> None:
    chance = random.Random(7)  # noqa: S311
    words = [f"{chance.choice('abc')}{number % 700}" for number in range(3_000)]
    for size in (0, 1, 5, 400):
        several = [tuple(chance.choices(words, k=chance.randrange(9))) for _ in range(size)]
        assert compiled.united(several) == frozenset().union(*several)


@needs_compiler
def test_a_page_without_nodes_has_no_signatures() -> None:
    none = np.zeros(0, dtype=np.int64)
    numbers = signatures.numbers_of(Looks([], none, []), none)
    assert numbers.shape == (4, 0)
    assert signatures.signatures_of(numbers, none).shape == (4, 0)


@needs_compiler
@pytest.mark.parametrize("seed", range(5))
def test_names_last_as_in_python(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    for size in (*range(12), 400):
        names = "".join(chance.choices(["a", "b", "ab", "-", "_", "1", "20", " ", "\t", "\x1c", "\n"], k=size))
        assert compiled_signatures.without_digits(names) in (signatures._without_digits(names), None)
        assert size == 400 or compiled_signatures.without_digits(names) is not None
    many = " ".join(one + other for one in "abcdefghi" for other in "abcdefghi")
    for names in ("é", "a" * 2_000, many):
        assert compiled_signatures.without_digits(names) is None


@needs_compiler
def test_deep_and_broad_pages_are_numbered_as_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    tags, names = (
        [f"x-{number // 2}" for number in range(1_000)],
        ("", "a b", "b a1", "n3x", "1 2", "é2 é", "a" * 2_000),
    )
    looks = Looks([(tags[number], names[number % 7]) for number in range(1_000)], np.arange(3_000) % 1_000, [])
    for parents in (list(range(-1, 2_999)), [-1] + [0] * 2_999):
        parent = np.array(parents, dtype=np.int64)
        numbers = signatures.numbers_of(looks, parent)
        assert np.array_equal(numbers, _python(monkeypatch, signatures.numbers_of, looks, parent))
        found = signatures.signatures_of(numbers, parent)
        assert np.array_equal(found, _python(monkeypatch, signatures.signatures_of, numbers, parent))


def test_no_mark_of_a_question_begins_with_a_sign_that_none_begins_with() -> None:
    for text in (
        "question 3: x",
        "frage: x",
        "pregunta: x",
        "domanda: x",
        "vraag: x",
        "kysymys: x",
        "q. x",
        "Q1 x",
        "问: x",
    ):
        assert QUESTION_PREFIX.match(text)
        assert text[0] not in NO_PREFIX
        assert text[0].upper() not in NO_PREFIX
    marks = [
        sign
        for sign in NO_PREFIX
        for rest in ("1. x", ": x", "uestion: x", " q: x")
        if QUESTION_PREFIX.match(sign + rest)
    ]
    assert not marks


def test_no_mark_of_an_answer_begins_with_a_sign_that_none_begins_with() -> None:
    marks = "a: x/Ans. 3: x/answer: x/Antwort: x/réponse: x/Ответ: x/respuesta: x/Odpowiedź: x/vastaus: x/A1) x/答：x"
    for text in marks.split("/"):
        assert ANSWER_PREFIX.match(text)
        assert text[0] not in NO_ANSWER_PREFIX
        assert text[0].upper() not in NO_ANSWER_PREFIX
    rests = ("1. x", ": x", "1: x", "nswer: x", " a: x", ") x")
    assert not [sign for sign in NO_ANSWER_PREFIX for rest in rests if ANSWER_PREFIX.match(sign + rest)]


_OVER_LISTS = "FAQ/f.a.q./fa.q/F.AQS/Frequently/popular questions/Questions & answers/Q and A/q&a/Q &A/qand a"
_OVER_LISTS += "/Vos questions/Common questions/Foire aux questions/Fragen/Usein kysytyt"
_OVER_LISTS += "/Kysymyksiä/Ofte stillede/Preguntas/Domande/Perguntas/Veelgestelde/Vragen/Pytania/Gyakori/Häufig"


@pytest.mark.parametrize("text", _OVER_LISTS.split("/"))
def test_words_over_a_list_of_questions_are_found(text: str) -> None:
    assert FAQ_WORDS.is_in(text)
    assert FAQ_WORDS.is_in(f"More: {text}!")


def test_words_of_labels_are_their_runs_of_letters() -> None:
    for seed in range(5):
        text = "\n".join([*_ODD, *_texts(seed), "don’t\u2028x_y\ud800z é1ß\u0301 \x85"]).lower()
        assert page_words._letters(text) == set(page_words._LETTERS.findall(text))
