"""Names and texts in words."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scrapy_semtext.features import table
from scrapy_semtext.tree.tags import GROUPS
from scrapy_semtext.words import words as wording
from scrapy_semtext.words.characters import Characters, in_latin, letters_of, lower_tokens, one_line, word_counts
from scrapy_semtext.words.word_tables import TAG_WORDS, tag_words
from scrapy_semtext.words.words import (
    ENGLISH,
    attribute_words,
    language_tag,
    name_words,
    primary_language,
    stop_words,
    words_of_texts,
)


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def list_of(text: str) -> list[str]:
    return text.split()


def text_words(text: str, stop: frozenset[str]) -> list[str]:
    (found,) = words_of_texts([text], stop, 50)
    return list(found)


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # the paper's figure 2
        ("story-feed-item", "story feed item"),
        ("ScrollSpy_container", "scroll spy container"),
        ("story-70262407", "story"),
        ("Article_Column--main", "article column main"),
        ("w-100", "width"),
        # delimiters, camel case, digits
        ("articleBody", "article body"),
        ("XMLFeed", "xml feed"),
        ("block:user.menu/item", "block user menu item"),
        ("menu-item-object-category", "menu item object category"),
        ("badge32", "badge"),
        ("über-Uns", "über uns"),
        ("новости-блок", "новости блок"),
        # abbreviations and compounds
        ("btn-lg", "button large"),
        ("navBar-main_2", "navigation bar main"),
        ("site-hdr", "site header"),
        ("p-nav-inner", "p navigation inner"),
        ("sr-only", "screen reader only"),
        ("i18n", "internationalization"),
        ("maincontent", "main content"),
        ("h2", "secondary headline"),
        # utility classes
        ("md:w-1/2", "medium width"),
        ("lg:hover:-mt-[3px]", "large hover margin top"),
        ("mb-4", "margin bottom"),
        ("px16", "padding horizontal"),
        ("h-6", "height"),
        ("mx-auto", "margin horizontal"),
        ("text-2xl", "text extra large"),
        # what a machine made is dropped beside words
        ("css-1x2y3z", "css"),
        ("Button_label__Wd0uX", "button label"),
        ("NavLinks_logo__EqdkK", "navigation links logo"),
        ("elementor-element-2fb8f504", "elementor element"),
        # and kept where there is nothing else
        ("2fb8f504", "2fb8f504"),
        ("EqdkK", "eqdkk"),
        ("v2", "v2"),
        # ambiguous: left as they are
        ("sb", "sb"),
        ("p-body", "p body"),
    ],
)
def test_names_in_words(name: str, expected: str) -> None:
    assert name_words(name) == words(expected)


def test_a_name_reads_the_same_however_its_accents_are_encoded() -> None:
    assert name_words(unicodedata.normalize("NFD", "Über-Menü")) == ("über", "menü")


def test_a_name_as_long_as_a_page_is_cut() -> None:
    assert sum(map(len, name_words("ab-" * 300_000))) < 256
    assert len(name_words("x1y2" * 300_000)[0]) == 64


@pytest.mark.smoke
def test_words_of_an_element() -> None:
    found = attribute_words("the\tmainNav  btn main")
    assert found.every == words("the main navigation button main")
    assert found.telling == words("main navigation button main")
    assert found.first == found.every
    assert attribute_words("") == attribute_words(" \n") == ((), (), ())


# --- text ------------------------------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_text_loses_case_and_stop_words() -> None:
    text = "The US president signed the bill on Tuesday, and it's now law."
    assert text_words(text, ENGLISH) == list_of("us president signed bill tuesday now law")


@pytest.mark.parametrize("label", ["Home", "About us", "Next page", "Help", "Read more", "Related", "Click here"])
def test_labels_of_pages_are_no_stop_words(label: str) -> None:
    """Both English lists available from PyPI drop some of these."""
    assert " ".join(text_words(label, ENGLISH)) == label.lower()


def test_numbers_keep_their_shape_alone() -> None:
    assert text_words("7 replies, 2024-05-06, 12,345.67 1234567 mp3 10th", ENGLISH) == list_of(
        "0 replies 0000 00 00 00 000 00 0000 mp0 00th"
    )


def test_apostrophes() -> None:
    assert text_words("The company's don’t we’re O'Brien", ENGLISH) == list_of("company brien")
    assert text_words("Aujourd'hui l’homme qui n'est pas là", stop_words("fr")) == list_of("aujourd hui homme")
    assert text_words("п'ять", ENGLISH) == ["п'ять"]
    for quoted in ("'rock' 'n' roll''s''end'", "‘rock’ ‘n’ roll’’s’’end’"):
        assert text_words(quoted, ENGLISH) == list_of("rock n roll s end")


def test_scripts_without_spaces_are_cut_to_characters() -> None:
    assert text_words("我们的ABC公司,2024年", stop_words("zh")) == list_of("abc 公 司 0000 年")
    assert text_words("ラーメンが好き", stop_words("ja")) == list_of("ラ ー メ ン 好 き")
    assert text_words("ที่นี่", ENGLISH) == ["ที่", "นี่"]  # vowel signs and tones stay on their consonant
    assert text_words("한국어 위키", ENGLISH) == ["한국어", "위키"]


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        # marks of its own punctuation, digits of full width, and characters beyond the first 65,536
        ("zh", "韓國首爾，2012年：氣溫「零下」１０度！", "韓 國 首 爾 0000 年 氣 溫 零 00 度"),
        ("zh", "𠮷野家", "𠮷 野 家"),
        ("ja", "佐々木さん、カタカナ・ｶﾅ", "佐 々 木 さ ん カ タ カ ナ ｶ ﾅ"),
        # Korean is written with spaces; Han among it is not
        ("ko", "서울의 2024년 겨울은 춥다(韓國語)", "서울의 0000년 겨울은 춥다 韓 國 語"),
        ("th", "ข่าววันนี้ ๒๕๖๗", "ข่ า ว วั น นี้ 0000"),
        ("km", "ភាសាខ្មែរ", "ភា សា ខ្ មែ រ"),
        # Arabic is written with spaces, its points stand on letters, its question mark and comma divide
        ("ar", "اللُّغَةُ العربيّة، ٢٠٢٤؟", "اللُّغَةُ العربيّة 0000"),
        ("fa", "کتاب\u200cها، خانه", "کتاب\u200cها خانه"),
        ("he", "שָׁלוֹם ירושלים", "שָׁלוֹם ירושלים"),
    ],
)
def test_languages_of_other_scripts(lang: str, text: str, expected: str) -> None:
    assert text_words(text, stop_words(lang)) == list_of(unicodedata.normalize("NFC", expected))


def test_marks_do_not_cut_words() -> None:
    assert text_words("हिन्दी विकिपीडिया।", ENGLISH) == ["हिन्दी", "विकिपीडिया"]
    assert text_words("ދިވެހި ބަސް", ENGLISH) == ["ދިވެހި", "ބަސް"]
    assert text_words("བོད་སྐད་", ENGLISH) == ["བོད", "སྐད"]
    assert text_words("ܠܫܢܐ ܣܘܪܝܝܐ ܫܠܳܡܳܐ", ENGLISH) == ["ܠܫܢܐ", "ܣܘܪܝܝܐ", "ܫܠܳܡܳܐ"]
    assert text_words(unicodedata.normalize("NFD", "Café Zürich"), ENGLISH) == ["café", "zürich"]
    assert text_words("Donau\u00addampf\u00adschiff", ENGLISH) == ["donaudampfschiff"]
    assert text_words("İstanbul", ENGLISH) == ["istanbul"]


@pytest.mark.parametrize("stop", [ENGLISH, stop_words("de")])
@given(st.lists(st.text(st.sampled_from("aEz İIßς'’ʼ-_.09\t\n\u00a0éÉŸœ²日\u0301"), max_size=40)))
def test_text_of_the_code_page_is_split_as_any_other(stop: frozenset[str], texts: list[str]) -> None:
    found = []
    for latin in (in_latin, lambda _: None):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(wording, "in_latin", latin)
            wording._readers.clear()
            found.append([words_of_texts(texts, stop, limit) for limit in (1, 3, 50)])
    assert found[0] == found[1]


def test_only_the_first_words_are_read() -> None:
    text = "one, two; three. " * 400
    assert words_of_texts([text, "", text], frozenset(), 5)[::2] == [words("one two three one two")] * 2
    assert words_of_texts([text], frozenset(["two"]), 1_000) == [words("one three " * 400)]


# --- stop words ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["de", "de-AT", "de_CH", "DE", " de ", "de-Latn-DE-1996"])
def test_stop_words_of_the_page_language(lang: str) -> None:
    assert {"und", "nicht", "the"} <= stop_words(lang)


@pytest.mark.parametrize("lang", [None, "", "en", "en-GB", "x-klingon", "tlh", "???", "deutsch", "-", "d" * 10_000])
def test_english_without_a_known_language(lang: str | None) -> None:
    assert stop_words(lang) == ENGLISH


@pytest.mark.parametrize(
    ("lang", "word"),
    [("no", "ikke"), ("nn", "ikkje"), ("iw", "של"), ("zh-Hans-CN", "的"), ("el", "και"), ("tr", "şey"), ("hu", "ő")],
)
def test_lists_under_other_codes_and_repaired_lists(lang: str, word: str) -> None:
    assert word in stop_words(lang)


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("EN", "en"),
        ("en-us", "en-US"),
        ("zh_hant_tw", "zh-Hant-TW"),
        ("DE-ch-1996", "de-CH-1996"),
        ("sgn-be-fr", "sgn-BE-FR"),
        ("en-ca-X-CA", "en-CA-x-ca"),  # of RFC 5646, section 2.1.1
        ("x-Klingon", "x-klingon"),
    ],
)
def test_a_tag_in_the_case_of_bcp_47(tag: str, expected: str) -> None:
    assert language_tag(tag) == expected


@pytest.mark.parametrize(("tag", "expected"), [("pt-BR", "pt"), (" EN_us", "en"), ("de", "de"), ("", ""), (None, "")])
def test_first_part_of_a_tag(tag: str | None, expected: str) -> None:
    assert primary_language(tag) == expected


@pytest.mark.parametrize(
    ("text", "line"), [(None, ""), ("", ""), (" \n ", ""), (" a\xa0b\n\tc ", "a b c"), ("a\u200bb", "a\u200bb")]
)
def test_white_space_is_squeezed(text: str | None, line: str) -> None:
    assert one_line(text) == line


def test_letters_and_digits_in_lower_case() -> None:
    assert letters_of("Straße 12, «Été»!") == "strasse12été"
    assert letters_of("?!") == ""


def test_every_element_that_segmentation_knows_has_words() -> None:
    assert set(GROUPS) - set(TAG_WORDS) <= {"annotation", "annotation-xml"}  # MathML, cut like a custom element


ASCII = "".join(map(chr, range(128)))
TEXTS = (
    "",
    "It's 5 o'clock: snake_case, e-mail@host.example!",
    " ".join(f"a{sign}b" for sign in ASCII),  # every sign of ASCII between two letters
    "Ärger mit „Größe“, naïve café",
    " ".join(f"é{sign}É" for sign in bytes(range(256)).decode("cp1252", "ignore")),  # and every sign of that page
    "Is that so? Łódź",  # begins as text of the page does, and is not
    "日本語の文 with English",
)


@pytest.mark.parametrize("text", TEXTS)
def test_tokens_are_those_of_the_pattern(text: str) -> None:
    tokens = re.findall(r"\w+", text.lower())
    assert lower_tokens(text) == tokens
    assert word_counts([text]).tolist() == [len(tokens)]


ODD = (
    "",
    "x",
    "İstanbul'da İSTANBUL",
    "ſſſſ ΣΑΣ ὈΔΥΣΣΕΎΣ",
    "𝒜𝒷𝒸𝒹 😀😀😀😀 𐐀𐐁𐐂𐐃",
    "a\u0307bcd \x01\x1fwxyz",
    "٣٤٥٦_१२३४",
    "word " * 9000,
)


def _lower(text: str) -> str:
    """Return the lower case letter by letter: letters with longer lower case stay, and both small sigmas are one."""
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text).replace("ς", "σ")


def _shares(texts: list[str], about: str) -> tuple[list[float], list[float]]:
    content = "".join(character if character.isprintable() else " " for character in about)
    meta = etree.Element("meta", name="description", content=content)
    found = table.descriptions_of([[meta]], Characters(texts), np.array([0, len(texts)]))
    return found.share.tolist(), found.coverage.tolist()


@pytest.mark.parametrize("about", ["İstanbul'da Größe, word", "ὈΔΥΣΣΕΎΣ ſſſſ", "of no use"])
def test_blocks_are_compared_with_the_words_of_a_description(about: str) -> None:
    texts = [*TEXTS, *ODD]
    words = {token for token in re.findall(r"\w+", _lower(about)) if len(token) >= 4}
    tokens = [[token for token in re.findall(r"\w+", _lower(text[:1500])) if len(token) >= 4] for text in texts]
    both = [[token for token in found if token in words] for found in tokens]
    share, coverage = _shares(texts, about)
    assert share == [len(some) / max(len(found), 1) for some, found in zip(both, tokens, strict=True)]
    assert coverage == [len(set(some)) / max(len(words), 1) for some in both]


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        ("my-post", ("my", "post")),
        ("discourse-assets", ("discourse", "assets")),
        ("o:p", ("o", "p")),
        ("foreignobject", ("foreignobject",)),
        ("arguments", ("arguments",)),  # an unknown tag stays as it is
        ("h7", ("h7",)),
        ("-", ("-",)),
        ("", ()),
    ],
)
def test_other_names_are_cut_at_delimiters(tag: str, words: tuple[str, ...]) -> None:
    assert tag_words(tag) == words
