"""Names that look the same are one, names that differ in anything visible are two."""

from __future__ import annotations

import sys
import time
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recall_plugin.domain.conversation import clean_text
from recall_plugin.domain.naming import NAME_CHARS, clean_name, name_key, suggestions

HARD = (
    "aÅåé\u0301\u0308\u0345ßſﬁΣς İıㄱᄀ가힣Ｚ＋²½´¨\u00ad\u200d\u200b\ufe0f\u034f\u1160\u3164\u00a0\u3000\x1b[\x85\t.#"
)
texts = st.text(max_size=20) | st.text(st.sampled_from(HARD), max_size=12)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Zo\u00eb Brandt", "Zoe\u0308 Brandt"),
        ("Zoë Brandt", "ZOË  BRANDT"),
        ("Zoë Brandt", " zoë\u00a0brandt\n"),
        ("Zoë Brandt", "Ｚｏë　Ｂｒａｎｄｔ"),
        ("C++", "ｃ＋＋"),
        ("Straße", "STRASSE"),
        ("ΟΔΟΣ", "οδος"),
        ("kestrel", "kes\u00adtrel\u200b"),
        ("ガ", "ｶﾞ"),
    ],
)
def test_names_that_differ_in_form_only_are_one(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ASR1603", "ASR1605"),
        ("Python 3.11", "Python 3.12"),
        ("C", "C++"),
        ("C++", "C#"),
        ("C/C++", "C C++"),
        (".NET", "NET"),
        ("Zoë", "Zoe"),
        ("re-sign", "resign"),
        ("Jordan Smith", "JordanSmith"),
        ("и", "й"),
        ("东京", "東京"),
    ],
)
def test_names_that_differ_in_anything_else_are_two(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


@given(text=texts)
def test_the_key_of_a_key_is_itself(text: str) -> None:
    key = name_key(text)

    assert name_key(key) == key


def test_the_key_of_every_character_is_settled() -> None:
    unsettled = []
    for code in [*range(0xD800), *range(0xE000, 0x20000), *range(0xE0000, 0xE0200), sys.maxunicode]:
        if 0x3400 <= code < 0xA000 or 0xAC04 <= code < 0xD700:  # ideographs and syllables, which never change
            continue
        key = name_key(f"a{chr(code)}b")
        if name_key(key) != key:
            unsettled.append(hex(code))

    assert unsettled == []


@given(text=texts)
def test_a_key_does_not_depend_on_the_unicode_form(text: str) -> None:
    text = clean_text(text)  # a full-width letter after an escape would become a part of it

    assert {name_key(unicodedata.normalize(form, text)) for form in ("NFC", "NFD", "NFKC", "NFKD")} == {name_key(text)}


@given(text=texts)
def test_a_key_does_not_depend_on_case_or_spacing(text: str) -> None:
    words = name_key(text)

    assert name_key(words.upper().lower()) == name_key(words.upper())
    assert name_key("\t" + words.replace(" ", " \u3000\n") + " ") == words


@pytest.mark.parametrize("text", ["", " \t\n", "\u200b", "\u00a0\ufeff", "\x00\x07"])
def test_a_blank_name_has_an_empty_key_and_is_refused(text: str) -> None:
    assert name_key(text) == ""
    with pytest.raises(ValueError, match="at least one visible character"):
        clean_name(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("  Zoe\u0308\n Brandt ", "Zo\u00eb Brandt"),
        ("\x1b[31mred\x1b[0m\x00 hat", "red hat"),
        ("\u202ednert\u202c\u200b", "dnert"),
        ("ＡＰＩ ①", "ＡＰＩ ①"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("\ud800x", "\ufffdx"),
    ],
)
def test_a_name_is_shown_on_one_line_without_what_cannot_be_seen(text: str, shown: str) -> None:
    assert clean_name(text) == shown


@given(text=texts)
def test_a_clean_name_stays_as_it_is_and_keeps_its_key(text: str) -> None:
    assume(name_key(text))
    name = clean_name(text)

    assert clean_name(name) == name
    assert name_key(name) == name_key(text)
    assert name.isprintable() or not text.isprintable()


def test_a_name_that_is_too_long_is_refused_with_its_length_and_its_beginning_only() -> None:
    longest = "x" * NAME_CHARS

    assert clean_name(f" {longest} ") == longest
    with pytest.raises(ValueError, match="at most 200 characters, and this one has 10000") as refused:
        clean_name("x" * 10_000)
    assert len(str(refused.value)) < 200


def test_a_misspelt_name_is_recognised_and_the_closest_comes_first() -> None:
    known = ["Castle", "kestrel 2", "Kestrel", "Queue", "billing gateway"]

    assert suggestions("Kestrl", known) == ["Kestrel", "kestrel 2"]
    assert suggestions("BILING-gateway", known) == ["billing gateway"]


def test_a_part_of_a_name_suggests_the_whole_and_a_word_of_it_more_than_a_syllable() -> None:
    known = ["apex", "a tapioca farm in the north", "the billing api of the shop"]

    assert suggestions("api", known) == ["the billing api of the shop", "a tapioca farm in the north"]
    assert suggestions("the billing api of the shop", ["api", "farm"]) == ["api"]


def test_what_is_like_nothing_suggests_nothing() -> None:
    assert suggestions("Kestrel", ["Queue", "部署", ""]) == []
    assert suggestions("", ["Queue"]) == []
    assert suggestions("Kestrel", []) == []


@given(wanted=texts, known=st.lists(texts, max_size=8), limit=st.integers(0, 4))
def test_suggestions_are_known_names_and_few_in_any_order_of_the_known(
    wanted: str, known: list[str], limit: int
) -> None:
    found = suggestions(wanted, known, limit)

    assert len(found) <= limit
    assert set(found) <= set(known)
    assert suggestions(wanted, reversed(known), limit) == found


def test_twenty_thousand_names_are_searched_in_a_second() -> None:
    known = [f"service {number % 97} of the {number} gateway" for number in range(20_000)]
    started = time.process_time()
    found = suggestions("servise 12 of the 12 gatewy" + " " * 1_000_000, known)

    assert time.process_time() - started < 1
    assert found[0] == "service 12 of the 12 gateway"
