"""A turn without an id is known by its place in the session."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.files.lineage import placed_anew

few_keys = st.lists(st.sampled_from([b"a", b"b", b"c"]), max_size=12)


@given(few_keys, few_keys)
def test_a_session_given_whole_again_adds_exactly_its_end(known: list[bytes], more: list[bytes]) -> None:
    assert placed_anew(known, known + more) == set(range(len(known), len(known) + len(more)))


@given(few_keys, st.integers(0, 12))
def test_an_earlier_state_of_a_session_adds_nothing(known: list[bytes], length: int) -> None:
    assert placed_anew(known, known[:length]) == set()


def test_the_same_words_at_another_place_are_another_turn() -> None:
    assert placed_anew([b"yes", b"x"], [b"yes", b"x", b"yes"]) == {2}


def test_after_a_compaction_only_the_summary_and_the_new_turns_are_kept() -> None:
    known = [b"a", b"b", b"c", b"d"]

    assert placed_anew(known, [b"summary", b"c", b"d", b"e"]) == {0, 3}


def test_nothing_in_common_is_all_new() -> None:
    assert placed_anew([b"a"], [b"b", b"c"]) == {0, 1}


@given(few_keys, few_keys)
def test_every_place_is_either_known_or_new(known: list[bytes], given_keys: list[bytes]) -> None:
    fresh = placed_anew(known, given_keys)

    assert fresh <= set(range(len(given_keys)))
    assert len(given_keys) - len(fresh) <= len(known)


def test_long_sessions_of_one_word_are_matched_in_linear_time() -> None:
    known = [b"yes"] * 50_000 + [b"no"]

    assert placed_anew(known, [b"summary"] + [b"yes"] * 50_000 + [b"no", b"new"]) == {0, 50_002}
