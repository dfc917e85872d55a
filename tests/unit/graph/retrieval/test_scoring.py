"""Scores do not depend on how many results are asked for, nor on the order in which passages were filed."""

from __future__ import annotations

import random
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.graph.retrieval.scoring import (
    CANDIDATES,
    DENSE_WEIGHT,
    FROM_NEXT,
    FROM_PREVIOUS,
    best_places,
    fused,
    rolled_up,
    with_neighbours,
)

# Few distinct values, so that ties are the rule.
VALUES = st.integers(0, 30).map(lambda tenths: tenths / 10)
SIZES = st.integers(1, CANDIDATES * 3)


def at_least_the_last(values: list[float]) -> set[int]:
    cut = sorted(values, reverse=True)[:CANDIDATES][-1]
    return {at for at, value in enumerate(values) if value >= cut}


def naive_fused(lexical: list[float], dense: list[float] | None) -> list[float]:
    candidates = {at for at in at_least_the_last(lexical) if lexical[at] > 0}
    if dense is not None:
        candidates |= at_least_the_last(dense)

    def scaled(values: list[float]) -> list[float]:
        chosen = [values[at] for at in candidates]
        if not chosen or len(set(chosen)) == 1:
            return [0.0] * len(values)
        return [(value - statistics.fmean(chosen)) / statistics.pstdev(chosen) for value in values]

    if dense is None:
        return scaled(lexical)
    return [one + DENSE_WEIGHT * other for one, other in zip(scaled(lexical), scaled(dense), strict=True)]


@given(SIZES, st.integers(1, 200), st.randoms(use_true_random=False), st.booleans())
def test_fused_scores_are_standard_deviations_of_the_candidates(
    size: int, steps: int, rng: random.Random, has_dense: bool
) -> None:
    # Few steps: many equals.
    lexical, dense = ([rng.randrange(steps) / steps for _ in range(size)] for _ in range(2))
    result = fused(np.array(lexical), np.array(dense) if has_dense else None)

    assert result.tolist() == pytest.approx(naive_fused(lexical, dense if has_dense else None), abs=1e-9)


@given(st.lists(st.tuples(VALUES, st.booleans()), min_size=1, max_size=30))
def test_a_neighbour_gives_its_share_and_takes_nothing(pairs: list[tuple[float, bool]]) -> None:
    scores = [value - 1.5 for value, _ in pairs]
    follows = [False] + [each for _, each in pairs[1:]]
    result = with_neighbours(np.array(scores), np.array(follows))

    for at, score in enumerate(scores):
        expected = score
        if follows[at]:
            expected += FROM_PREVIOUS * max(0.0, scores[at - 1])
        if at + 1 < len(scores) and follows[at + 1]:
            expected += FROM_NEXT * max(0.0, scores[at + 1])
        assert result[at] == pytest.approx(expected)


@given(st.lists(st.lists(VALUES, min_size=1, max_size=5), min_size=1, max_size=8))
def test_a_group_scores_as_its_best_and_a_tenth_of_the_second(groups: list[list[float]]) -> None:
    moved = [[value - 1.5 for value in group] for group in groups]
    starts = np.cumsum([0] + [len(group) for group in moved[:-1]])
    result = rolled_up(np.array([value for group in moved for value in group]), starts)

    for score, group in zip(result, moved, strict=True):
        best, *others = sorted(group, reverse=True)
        assert score == pytest.approx(best + 0.1 * max(0.0, *others[:1], 0.0))


@given(st.lists(VALUES, max_size=60), st.integers(-1, 70), st.integers(0, 70))
def test_a_shorter_answer_begins_a_longer_one(values: list[float], limit: int, more: int) -> None:
    ties = np.arange(len(values))[::-1].copy()
    expected = sorted(range(len(values)), key=lambda at: (-values[at], ties[at]))

    assert best_places(np.array(values), limit, (ties,)).tolist() == expected[: max(0, limit)]
    assert best_places(np.array(values), limit + more, (ties,)).tolist()[: max(0, limit)] == expected[: max(0, limit)]
