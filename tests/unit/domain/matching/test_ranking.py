from __future__ import annotations

import random
import re
import time
import tracemalloc
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.matching.ranking import Bm25, fold, query_terms, rank
from recall_plugin.domain.text import folding

EVERY_CHARACTER = [chr(code) for code in range(0x30000) if not 0xD800 <= code <= 0xDFFF]
MIXED = st.text(
    alphabet=st.characters(codec="utf-8") | st.sampled_from("aeEüÜßłé\u0301\u0308\u0323\u064b\u3099か각’…，ﬁＡİ\n "),
    max_size=20,
)


def weights(query: str) -> dict[str, float]:
    return {term.text: term.weight for term in query_terms(query)}


def keys(query: str, *texts: str, limit: int = 10) -> list[int]:
    return [key for key, _ in rank(query, enumerate(texts), limit)]


# --- folding ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Zoë Brandt", "Zoe\u0308 Brandt"),
        ("Zoë", "zoe"),
        ("ZOË", "Ｚｏｅ"),
        ("Straße", "STRASSE"),
        ("ﬁle", "file"),
        ("Łódź", "lodz"),
        ("İSTANBUL", "istanbul"),
        ("don’t", "don't"),
        ("ｶﾞ", "ガ"),
        ("か\u3099", "が"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("МОСКВА", "москва"),
    ],
)
def test_variants_of_case_width_and_composition_fold_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_accents_outside_latin_tell_letters_apart() -> None:
    assert fold("й") != fold("и")
    assert fold("が") != fold("か")


@given(MIXED)
def test_folding_again_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(MIXED)
def test_composed_and_decomposed_texts_fold_alike(text: str) -> None:
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


@given(MIXED, MIXED)
def test_lines_stay_lines(one: str, other: str) -> None:
    assert fold(f"{one}\n{other}") == f"{fold(one)}\n{fold(other)}"


def test_the_quick_ways_of_folding_agree_with_the_slow_one_for_every_character() -> None:
    for character in EVERY_CHARACTER:
        assert fold(character) == folding._fold_foreign(character).lower()
        assert fold(f"e{character}E") == folding._fold_foreign(f"e{character}E").lower()


def test_the_quick_ways_of_folding_agree_with_the_slow_one_for_random_mixtures() -> None:
    chance = random.Random(20261128)
    marks = [chr(code) for code in (*range(0x300, 0x370), 0x338, 0x591, 0x64B, 0x93C, 0x1161, 0x11A8, 0x3099)]
    pools = (EVERY_CHARACTER, marks, "abcXYZeéüÄßłøç", "中文ガйё가")
    for _ in range(20_000):
        text = "".join(chance.choice(chance.choice(pools)) for _ in range(chance.randint(1, 8)))
        text = text.replace("\n", "")
        assert fold(text) == folding._fold_foreign(text).lower(), ascii(text)


# --- terms -----------------------------------------------------------------------------------------------------------


def test_question_words_weigh_little_and_are_never_dropped() -> None:
    found = weights("Which queue did we choose last week, exactly?")

    assert found["queue"] == found["choose"] == 1
    assert found["which"] == found["did"] == found["we"] == 0.1
    assert max(found["last"], found["week"], found["exactly"]) <= 0.3


def test_last_weighs_full_where_it_is_no_span_of_time() -> None:
    assert weights("last row")["last"] == 1


def test_an_identifier_is_looked_for_whole_and_in_its_parts() -> None:
    found = weights("open parser.py on fix/last-row")

    assert found["parser.py"] == found["fix/last-row"] == 1
    assert 0 < found["parser"] < 1
    assert 0 < found["row"] < 1


def test_a_run_without_spaces_is_looked_for_in_pairs() -> None:
    assert list(weights("部署窗口")) == ["部署", "署窗", "窗口"]
    assert list(weights("窗")) == ["窗"]
    assert list(weights("部署window")) == ["部署", "window"]
    assert weights("什么窗口")["什么"] < weights("什么窗口")["窗口"]


def test_question_words_of_another_language_weigh_little_where_it_is_spoken() -> None:
    german = weights("Welche Warteschlange haben wir letzte Woche gewählt?")

    assert german["welche"] == german["haben"] == german["wir"] == 0.1
    assert german["warteschlange"] == 1
    assert weights("die cast")["die"] == 1


@given(st.text(max_size=60))
def test_any_query_has_terms_of_sensible_weight(query: str) -> None:
    found = query_terms(query)

    assert len(found) <= 64
    assert len({term.text for term in found}) == len(found)
    assert all(0 < term.weight <= 1 and term.text and all(term.stems) for term in found)


# --- what matches ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("窗口", "部署窗口是周二"),
        ("Zoe", "Zoë Brandt called."),
        ("Zoë", "Zoe\u0308 Brandt called."),
        ("deploys", "The deployment is on Tuesday."),
        ("deployment", "We deployed it."),
        ("study", "She studied it."),
        ("studies", "Study it."),
        ("parse", "parsing took long"),
        ("parser", "It parses slowly."),
        ("running", "It ran for an hour."),
        ("plan", "We planned it."),
        ("planned", "The plan stands."),
        ("choose", "We chose Kestrel."),
        ("queue", "Three queues."),
        ("Caroline", "Caroline’s report"),
        ("parser.py", "see src/parser.py:12"),
        ("fix/last-row", "Committed on fix/last-row."),
        ("row", "Committed on fix/last-row."),
        ("очередь", "Сообщения в очереди."),
        ("배포", "배포는 화요일입니다."),
        ("배포는", "화요일 배포"),
        ("which did we", "Which one did we take?"),
        ("मंगलवार", "तैनाती मंगलवार को है।"),
        ("ประชุม", "การประชุมวันอังคาร"),
        ("C", "written in C"),
        ("2026", "in 2026"),
    ],
)
def test_a_query_finds_the_text(query: str, text: str) -> None:
    assert keys(query, "zzz", text) == [1]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("row", "arrow"),
        ("art", "start the party"),
        ("car", "care"),
        ("plan", "planted"),
        ("и", "й"),
        ("кот", "который"),
        ("窗口", "口窗"),
    ],
)
def test_a_query_does_not_find_another_word(query: str, text: str) -> None:
    assert keys(query, text) == []


def test_a_word_among_a_thousand_longer_words_is_found() -> None:
    assert keys("art", "start party " * 1000 + "art") == [0]


# --- ranking ---------------------------------------------------------------------------------------------------------


def distractors(count: int) -> Iterator[tuple[int, str]]:
    """Documents full of the question's words, but about other things."""
    chance = random.Random(7)
    filler = tuple(
        re.findall(r"\w+", "which did we choose last week exactly the a who what when was it that how many often")
    )
    nouns = tuple(
        re.findall(r"\w+", "colour logo dentist restaurant insurance curtain bicycle password printer holiday")
    )
    for number in range(count):
        words = [chance.choice(filler) for _ in range(chance.randint(20, 60))]
        words.insert(chance.randrange(len(words)), chance.choice(nouns))
        yield number, f"Which {chance.choice(nouns)} did we choose last week, exactly? " + " ".join(words)


@pytest.mark.parametrize("place", [0, 250, 500])
def test_question_words_do_not_drown_the_answer(place: int) -> None:
    documents = list(distractors(500))
    documents.insert(place, (1000, "We chose Kestrel as the queue."))

    assert rank("Which queue did we choose last week, exactly?", documents, 3)[0][0] == 1000


def test_a_document_with_question_words_only_ranks_below_all_others() -> None:
    texts = ["which which did we did we", "nothing", "a queue among " + "many other words " * 50, "Which one did we?"]
    found = rank("Which queue did we?", enumerate(texts), 10)

    assert found[0][0] == 2
    assert {key for key, _ in found} == {0, 2, 3}
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_no_word_is_demanded() -> None:
    assert set(keys("kestrel unicorn", "kestrel", "unicorn", "horse")) == {0, 1}


def test_the_rarer_word_counts_more() -> None:
    assert keys("queue kestrel", "queue a b", "queue c d", "kestrel e f", "queue g h")[0] == 2


def test_the_shorter_of_two_documents_counts_more() -> None:
    assert keys("kestrel", "kestrel " + "and so on " * 30, "kestrel it is")[0] == 1


def test_words_side_by_side_count_more_than_words_apart() -> None:
    apart = "The table is set for supper, and all of us are waiting for the late evening tide."
    beside = "The tide table is set for supper, and all of us are waiting for the late evening."

    assert keys("tide table", apart, beside) == [1, 0]


def test_equals_come_in_the_order_of_their_keys() -> None:
    assert rank("kestrel", [("b", "kestrel"), ("a", "kestrel"), ("c", "kestrel")], 2) == rank(
        "kestrel", [("c", "kestrel"), ("b", "kestrel"), ("a", "kestrel")], 2
    )
    assert [key for key, _ in rank("kestrel", [("b", "kestrel"), ("a", "kestrel")], 2)] == ["a", "b"]


def test_nothing_is_found_by_an_empty_query_in_nothing_or_at_a_limit_of_zero() -> None:
    assert rank("", [(1, "text")], 5) == []
    assert rank("?!", [(1, "text?!")], 5) == []
    assert rank("text", [], 5) == []
    assert rank("text", [(1, "text")], 0) == []


@given(st.text(max_size=30), st.lists(MIXED, max_size=6), st.integers(0, 4))
def test_scores_are_positive_falling_and_within_the_limit(query: str, texts: list[str], limit: int) -> None:
    found = rank(query, enumerate(texts), limit)

    assert len(found) <= limit
    assert all(score > 0 for _, score in found)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


# --- pace and memory -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("English", "The export job reads every batch, and we choose the index that the ledger needs. "),
        ("typographic", "The export job’s log — as ever — says “done…” when it isn’t; see the ledger. "),
        ("German", "Wir prüfen täglich die Größe der Datensätze und wählen die nächste Warteschlange. "),
        ("Chinese", "部署窗口是周二，我们决定用数据库连接池，备份任务同时运行。"),
    ],
)
def test_ten_megabytes_are_searched_within_two_seconds(kind: str, line: str) -> None:
    document = line * (100_000 // len(line.encode()))
    start = time.process_time()

    rank(
        "Which queue did we choose last week, exactly?", ((number, f"{document}{number}") for number in range(100)), 10
    )

    assert time.process_time() - start < 2, kind


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10**6,
        "queuxqueu" * 110_000,
        "é" * 500_000,
        "e" + "\u0301" * 10**6,
        "aé" * 500_000,
        "artart " * 150_000,
        "。" * 10**6,
    ],
)
def test_a_megabyte_of_anything_is_searched_within_two_seconds(text: str) -> None:
    start = time.process_time()

    rank("queue art a aaaa é 。", [(1, text)], 5)
    query_terms(text)

    assert time.process_time() - start < 2


def test_memory_does_not_grow_with_documents_that_do_not_match() -> None:
    ranking: Bm25[int] = Bm25("which kestrel")
    tracemalloc.start()
    try:
        for number in range(20_000):
            ranking.add(number, f"which {number} and which other thing is this" if number % 2 else f"nothing {number}")
        current = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()

    assert current < 2_000_000
    assert len(ranking.best(5)) == 5
