from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.episodes.passages import CUT, excerpt, grown
from recall_plugin.domain.text.sentences import sentence_spans

BEANS = (
    "Every morning before the harbour office opens I make two cups, one for me and one for whoever keeps the "
    "watch. I have tried most of what the shop at the pier sells, even the big tins. These days my usual blend is "
    "Kilimanjaro Reserve, ground a little coarse, because the old machine chokes on anything finer. On Sundays I "
    "take something lighter. The owner of the shop keeps a bag of it aside for me, and writes my name on it with "
    "a pencil, badly. When she was ill last winter her son sold it to a tourist, and I drank tea for a week. It "
    "was a long week, and the night watch complained. I do not want to repeat it, so now there is always a spare "
    "bag behind the tide tables of the current year."
)
PHRASE = "my usual blend is Kilimanjaro Reserve"
texts = st.lists(
    st.sampled_from(["Tide rises.", "gauge", "\n", "中文。", "x" * 50, "---", "Is it? Yes!", " "]), max_size=60
).map(" ".join)


def test_a_phrase_inside_a_paragraph_comes_back_in_its_whole_sentence() -> None:
    start = BEANS.index(PHRASE)
    assert 690 < len(BEANS) < 710
    assert 195 <= start < start + len(PHRASE) <= 235

    for limit in (200, 300, 400, 500):
        shown = excerpt(BEANS, start, start + len(PHRASE), limit)
        sentences = shown.removeprefix(f"{CUT} ").removesuffix(f" {CUT}")

        assert PHRASE in shown
        assert sentences in BEANS
        assert sentences.endswith(".")
        assert shown.endswith(f". {CUT}")
        assert shown.startswith(("Every morning", f"{CUT} I have", f"{CUT} These days"))


def test_a_text_that_fits_is_shown_whole_and_unmarked() -> None:
    assert excerpt(f" {BEANS}\n", 0, 5, 2000) == BEANS


@pytest.mark.parametrize("place", [0, 2_500_000, 4_999_000])
def test_in_a_sentence_of_five_megabytes_the_cut_falls_between_words(place: int) -> None:
    text = "word " * 1_000_000
    place = place // 5 * 5
    shown = excerpt(text, place, place + 9, 100)
    words = shown.replace(CUT, "").split()

    assert set(words) == {"word"}
    assert 10 < len(words) <= 20
    assert CUT in shown


def test_without_words_the_cut_falls_anywhere_and_is_marked() -> None:
    assert excerpt("x" * 1000, 500, 504, 20) == f"{CUT} {'x' * 20} {CUT}"


def test_what_is_asked_for_is_never_cut_where_it_fits() -> None:
    text = f"{'a' * 90} key value {'b' * 90}"

    assert "key value" in excerpt(text, 91, 100, 9)


@given(texts, st.integers(0, 400), st.integers(0, 60), st.integers(1, 200))
def test_an_excerpt_keeps_to_its_limit_and_holds_what_was_asked_for(
    text: str, start: int, size: int, limit: int
) -> None:
    start = min(start, len(text))
    end = min(start + size, len(text))
    shown = excerpt(text, start, end, limit)
    inner = shown.replace(CUT, "").strip()

    assert len(inner) <= limit
    assert inner in text
    assert text[start : min(end, start + limit)].strip() in inner


@given(texts, st.integers(1, 200))
def test_sentences_grow_to_what_keeps_within_the_limit_and_no_further(text: str, limit: int) -> None:
    spans = sentence_spans(text)
    for at in range(len(spans)):
        first, last = grown(spans, at, at, limit)
        length = spans[last][1] - spans[first][0]

        assert first <= at <= last
        assert length <= limit or first == last
        assert first == 0 or spans[last][1] - spans[first - 1][0] > limit
        assert last + 1 == len(spans) or spans[last + 1][1] - spans[first][0] > limit
