"""Turns in episodes: nothing lost, nothing doubled, within bounds, the classes apart where they can be."""

from __future__ import annotations

import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.conversation import Role, ToolActivity, Turn
from recall_plugin.domain.episodes.chunking import (
    FRAGMENT_TOKENS,
    MOST_TOKENS,
    TARGET_TOKENS,
    WHOLE_TURN_TOKENS,
    chunk,
)
from recall_plugin.domain.episodes.tokens import estimate
from recall_plugin.domain.episodes.values import Chunk, Span
from recall_plugin.domain.episodes.windows import CONTEXT_TOKENS, WINDOW_TOKENS

CLASSES = {Role.USER: Provenance.USER, Role.ASSISTANT: Provenance.SELF, Role.TOOL: Provenance.EXTERNAL}
SENTENCE = "The tide gauge at the pier loses its last row. "  # 13 tokens by the estimate

words = st.sampled_from(
    [*SENTENCE.split(), "x" * 700, "--- *** ---", "👍", "中文字" * 90, "\n", "\n- ", "<<", ">>", "e\u0301" * 300]
)
texts = (
    st.lists(words, max_size=40).map(" ".join) | st.text(max_size=40) | st.integers(1, 90).map(lambda n: SENTENCE * n)
)
conversations = st.lists(st.tuples(st.sampled_from(Role), texts), max_size=12)


def turn(role: Role, text: str, minute: int | None = None) -> Turn:
    said = None if minute is None else datetime(2026, 3, 6, 10, minute, tzinfo=UTC)
    return Turn("", role, text, said, ToolActivity("Bash") if role is Role.TOOL else None)


def turns_of(said: Sequence[tuple[Role, str]]) -> list[Turn]:
    return [turn(role, text, number % 60) for number, (role, text) in enumerate(said)]


def class_of(said: Turn) -> Provenance:
    return CLASSES[said.role]


def recalled(text: str) -> list[tuple[int, int]]:
    """Everything from "<<" to ">>" was recalled."""
    found, start = [], text.find("<<")
    while start >= 0:
        end = text.find(">>", start)
        found.append((start, end + 2 if end >= 0 else len(text)))
        start = text.find("<<", found[-1][1])
    return found


def nothing(text: str) -> list[tuple[int, int]]:
    return []


def chunks(turns: Sequence[Turn]) -> list[Chunk]:
    return list(chunk(turns, class_of, recalled))


def sentences(count: int) -> str:
    return (SENTENCE * count).strip()


def places(spans: Sequence[Span]) -> Counter[tuple[int, int]]:
    return Counter((span.turn, at) for span in spans for at in range(span.start, span.end))


def shown(turns: Sequence[Turn]) -> Iterator[tuple[int, int, str]]:
    """The characters that are neither blank nor recalled, with their places."""
    for number, said in enumerate(turns, 1):
        hidden = {at for start, end in recalled(said.text) for at in range(start, end)}
        for at, character in enumerate(said.text):
            if at not in hidden and not character.isspace():
                yield number, at, character


@given(conversations)
def test_every_letter_and_digit_is_in_exactly_one_span(said: list[tuple[Role, str]]) -> None:
    turns = turns_of(said)
    found = places([span for made in chunks(turns) for span in made.spans])
    expected = {(number, at) for number, at, character in shown(turns) if character.isalnum()}

    assert set(found.values()) <= {1}
    assert expected <= set(found)


@given(conversations)
def test_a_turn_that_is_taken_whole_loses_no_character(said: list[tuple[Role, str]]) -> None:
    turns = turns_of(said)
    found = places([span for made in chunks(turns) for span in made.spans])
    characters = list(shown(turns))
    whole = {
        number
        for number, made in enumerate(turns, 1)
        if 3 * len(made.text) < WHOLE_TURN_TOKENS
        and any(at_turn == number and character.isalnum() for at_turn, _, character in characters)
    }

    assert {(number, at) for number, at, _ in characters if number in whole} <= set(found)


@given(conversations)
def test_nothing_recalled_is_in_a_span_or_a_window(said: list[tuple[Role, str]]) -> None:
    turns = turns_of(said)
    made = chunks(turns)
    hidden = {
        (number, at)
        for number, source in enumerate(turns, 1)
        for start, end in recalled(source.text)
        for at in range(start, end)
    }

    assert hidden.isdisjoint(places([span for one in made for span in one.spans]))
    assert not any("<<" in window.text for one in made for window in one.windows)


@given(conversations)
def test_an_episode_is_what_its_spans_say(said: list[tuple[Role, str]]) -> None:
    turns = turns_of(said)
    made = chunks(turns)

    assert [one.index for one in made] == list(range(len(made)))
    for one in made:
        parts = [turns[span.turn - 1].text[span.start : span.end] for span in one.spans]
        assert one.text == "\n\n".join(parts)
        assert all(part == part.strip() != "" for part in parts)
        assert one.time == turns[one.spans[0].turn - 1].time
    ordered = [span for one in made for span in one.spans]
    assert all((a.turn, a.end) <= (b.turn, b.start) for a, b in pairwise(ordered))


@given(conversations)
def test_episodes_keep_to_their_bounds(said: list[tuple[Role, str]]) -> None:
    made = chunks(turns_of(said))

    assert all(estimate(one.text) <= MOST_TOKENS for one in made)
    assert all(2 * estimate(one.text) >= FRAGMENT_TOKENS for one in made[:-1])


@given(conversations)
def test_windows_keep_to_their_bounds_and_hold_every_word(said: list[tuple[Role, str]]) -> None:
    turns = turns_of(said)
    for made in chunks(turns):
        spans, windows = places(made.spans), places([window.span for window in made.windows])
        assert made.windows
        assert set(windows.values()) <= {1}
        assert set(windows) <= set(spans)
        assert not [p for p in set(spans) - set(windows) if turns[p[0] - 1].text[p[1]].isalnum()]
        for window in made.windows:
            own = turns[window.span.turn - 1].text[window.span.start : window.span.end]
            assert window.text.endswith(own)
            assert estimate(window.text) <= WINDOW_TOKENS
            assert any(character.isalnum() for character in own)


@given(conversations)
def test_the_first_turns_alone_give_the_same_episodes_but_the_last(said: list[tuple[Role, str]]) -> None:
    turns = turns_of(said)
    made = chunks(turns)

    for count in range(len(turns)):
        earlier = chunks(turns[:count])
        assert earlier[:-1] == made[: max(len(earlier) - 1, 0)]


@given(conversations)
def test_an_episode_has_the_class_of_its_turns_or_the_agents(said: list[tuple[Role, str]]) -> None:
    turns = turns_of(said)
    for made in chunks(turns):
        classes = {class_of(turns[span.turn - 1]) for span in made.spans}

        assert made.provenance is (classes.pop() if len(classes) == 1 else Provenance.SELF)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        # a short question goes with its answer; a prompt of some sentences stands apart
        ([("user", 1), ("assistant", 9)], [("self", [1, 2])]),
        ([("user", 6), ("assistant", 9)], [("user", [1]), ("self", [2])]),
        # an exchange is not torn: the next question begins the next episode once the first has half its target
        ([("user", 1), ("assistant", 25), ("user", 1), ("assistant", 25)], [("self", [1, 2]), ("self", [3, 4])]),
        ([("user", 1), ("assistant", 9), ("user", 1), ("assistant", 9)], [("self", [1, 2, 3, 4])]),
        # what can stand alone leaves a mixed episode
        ([("user", 1), ("assistant", 9), ("user", 9)], [("self", [1, 2]), ("user", [3])]),
        ([("assistant", 9), ("user", 1), ("assistant", 9)], [("self", [1]), ("self", [2, 3])]),
        # one class: up to the target, never above the most
        ([("assistant", 20)] * 4, [("self", [1, 2]), ("self", [3, 4])]),
        ([("assistant", 42), ("assistant", 6), ("assistant", 6)], [("self", [1]), ("self", [2, 3])]),
        ([("assistant", 40), ("assistant", 20)], [("self", [1]), ("self", [2])]),
        # a fragment at the end goes with what stands before it, where both fit
        ([("assistant", 20), ("user", 1)], [("self", [1, 2])]),
        ([("assistant", 44), ("user", 4)], [("self", [1, 2])]),
    ],
)
def test_turns_are_joined_by_these_rules(said: list[tuple[str, int]], expected: list[tuple[str, list[int]]]) -> None:
    made = chunks([turn(Role(role), sentences(count)) for role, count in said])

    assert [(one.provenance.value, [span.turn for span in one.spans]) for one in made] == expected


def test_a_long_turn_is_cut_at_the_ends_of_sentences_in_parts_of_about_one_size() -> None:
    made = chunks([turn(Role.ASSISTANT, sentences(100))])

    assert len(made) == -(-estimate(sentences(100)) // TARGET_TOKENS)
    assert all(one.text.endswith("row.") and one.text.startswith("The tide") for one in made)
    assert min(len(one.text) for one in made) > 0.8 * max(len(one.text) for one in made)


def test_a_turn_of_200_tokens_is_one_window_and_a_longer_one_several() -> None:
    for count, expected in ((15, 1), (16, 2), (40, 3)):
        (made,) = chunks([turn(Role.ASSISTANT, sentences(count))])

        assert len(made.windows) == expected
        assert all(window.text.endswith("row.") for window in made.windows)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("\n".join("x1 y2 z3 " * 9 + "end" for _ in range(20)), "end"),  # no sentence that fits: at a line's end
        (" ".join(["tide"] * 900), "tide"),  # no line: between words
        ("潮位計は桟橋にあり" * 200, ""),  # no word: anywhere
    ],
)
def test_a_long_sentence_is_cut_at_lines_then_words_then_anywhere(text: str, ends: str) -> None:
    windows = [window for made in chunks([turn(Role.ASSISTANT, text)]) for window in made.windows]

    assert len(windows) > 1
    assert all(window.text.endswith(ends) for window in windows)


@pytest.mark.parametrize("cluster", ["e\u0301", "नि", "👨\u200d👩\u200d👧", "👍🏽", "❤\ufe0f"])
def test_no_cut_falls_before_a_combining_mark(cluster: str) -> None:
    text = "a" + cluster * 3000 + "a"
    spans = [span for made in chunks([turn(Role.ASSISTANT, text)]) for span in made.spans]

    assert len(spans) > 1
    assert {text[span.start] for span in spans} <= {"a", cluster[0]}


def test_a_short_turn_brings_the_end_of_what_was_said_before() -> None:
    said = [
        (Role.ASSISTANT, sentences(30) + " Shall I fix the parser?"),
        (Role.TOOL, sentences(9)),
        (Role.USER, "Yes."),
    ]
    turns = turns_of(said)
    window = chunks(turns)[-1].windows[-1]

    context, _, own = window.text.rpartition("\n")
    assert own == "Yes."
    assert context.endswith("row. Shall I fix the parser?")
    assert context.startswith("The tide")
    assert CONTEXT_TOKENS / 2 < estimate(context) <= CONTEXT_TOKENS
    assert list(chunk(turns, class_of, nothing, context_tokens=0))[-1].windows[-1].text == "Yes."


def test_a_turn_that_says_enough_brings_no_context() -> None:
    made = chunks(turns_of([(Role.ASSISTANT, sentences(9)), (Role.USER, sentences(6))]))

    assert made[-1].windows[0].text == sentences(6)


def test_context_steps_over_recalled_text() -> None:
    made = chunks(turns_of([(Role.ASSISTANT, "Known. <<old words>> Shall I?"), (Role.USER, "Yes.")]))

    assert made[-1].windows[-1].text == "Shall I?\nYes."


def test_recalled_text_is_stepped_over() -> None:
    (made,) = chunks([turn(Role.TOOL, "before << old >> after")])

    assert made.text == "before\n\nafter"
    assert [window.text for window in made.windows] == ["before", "after"]


@pytest.mark.parametrize("text", ["", " \n\t", "---\n***", "👍", "<<all of it>>", "<<all of it>> ..."])
def test_what_holds_no_word_of_its_own_gives_nothing(text: str) -> None:
    assert chunks([turn(Role.USER, text)]) == []


def test_an_episode_without_any_time_has_none_and_else_the_first() -> None:
    untimed, timed = turn(Role.ASSISTANT, "One."), turn(Role.ASSISTANT, "Two.", 5)

    assert chunks([untimed])[0].time is None
    assert chunks([untimed, timed])[0].time == timed.time


@pytest.mark.parametrize(
    "unit",
    [
        SENTENCE,
        "a",
        "中",
        "👍",
        "e\u0301",
        "a" + "\u0301" * 5000,
        "-",
        "| a | 1.5 |\n",
        " \n",
        "2026-03-06 ERROR x9\n",
        "\u0903",
        ". ",
    ],
    ids=lambda unit: ascii(unit[:9]),
)
def test_half_a_megabyte_of_anything_is_chunked_in_linear_time(unit: str) -> None:
    text = (unit * (500_000 // len(unit) + 1))[:500_000]
    began = time.process_time()
    count = sum(1 for _ in chunk([turn(Role.TOOL, "x " + text)], class_of, nothing))

    assert count > 0
    assert time.process_time() - began < 3


def test_memory_is_bounded_by_the_longest_turn() -> None:
    def many() -> Iterator[Turn]:
        for number in range(20_000):
            yield turn(Role.ASSISTANT, f"{number} " + "tide " * 100 if number % 50 == 0 else "")

    tracemalloc.start()
    try:
        count = sum(1 for _ in chunk(many(), class_of, nothing))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert count > 50
    assert peak < 8_000_000
