"""What a question names, a passage is filed under, in any script."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.graph.retrieval.terms import canonical, passage_terms, searched_terms, term_hash


@pytest.mark.parametrize(
    ("query", "passage"),
    [
        ("Which queue did we choose?", "We chose Kestrel."),
        ("deploys", "deployment"),
        ("studies", "She studied."),
        ("parser.py", "see src/parser.py"),
        ("the parser", "see src/parser.py"),
        ("init", "def __init__"),
        ("窗口", "部署窗口是周二"),
        ("窗", "部署窗口是周二"),
        ("ラーメン", "昨日のラーメン屋"),
        ("книга", "о книгами"),
        ("пользователей", "пользователь"),
        ("서버", "서버를 옮겼다"),
        ("Zoe", "Zoë Brandt"),
        ("ZOË", "zoe\u0308"),
        ("Kestrel's", "Kestrel"),
        ("k8s", "K8S"),
    ],
)
def test_a_query_finds_another_form(query: str, passage: str) -> None:
    assert searched_terms(query).keys() & passage_terms(passage).keys()


@pytest.mark.parametrize(("query", "passage"), [("queue", "question"), ("天気", "部署窗口"), ("книга", "собака")])
def test_a_query_does_not_find_another_word(query: str, passage: str) -> None:
    assert not searched_terms(query).keys() & passage_terms(passage).keys()


def test_question_words_weigh_less_than_what_is_asked_for() -> None:
    weights = searched_terms("Which queue did we choose last week, exactly?")

    content = {canonical("queue"), canonical("choose")}
    assert {term for term, weight in weights.items() if weight == 1} == content
    assert all(weight <= 0.3 for term, weight in weights.items() if term not in content)


def test_a_word_itself_weighs_more_than_its_beginning() -> None:
    weights = searched_terms("книгами")

    assert weights["книгами"] > weights["книг*"] > 0


def test_occurrences_are_counted() -> None:
    counts = passage_terms("queue, queues and the QUEUE")

    assert counts[canonical("queue")] == 3


@given(st.text())
def test_composed_and_decomposed_text_is_filed_alike(text: str) -> None:
    composed, decomposed = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)

    assert passage_terms(composed).keys() == passage_terms(decomposed).keys()


@given(st.text(alphabet=st.characters(), max_size=40))
def test_any_text_has_terms_that_can_be_hashed(text: str) -> None:
    for term, count in passage_terms(text).items():
        assert term
        assert count >= 1
        assert 0 <= term_hash(term) < 2**64
    for weight in searched_terms(text).values():
        assert 0 < weight <= 1


@given(st.from_regex(r"\A[a-zà-öø-ÿа-яё]{1,70}\Z"))
def test_a_word_finds_itself(word: str) -> None:
    assert searched_terms(word).keys() & passage_terms(f"so {word} it is").keys()


def test_a_hash_is_the_same_on_every_machine() -> None:
    assert term_hash("queu") == int.from_bytes(bytes.fromhex("24a522e5e0be3f0c"), "little")


def test_a_word_of_a_megabyte_is_filed_at_once() -> None:
    assert passage_terms("a" * 1_000_000) == {"a" * 1_000_000: 1}
