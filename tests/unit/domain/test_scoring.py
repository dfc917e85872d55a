"""Use fades in a week, success is remembered, and three signals make one score."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.scoring import (
    HOTNESS_HALF_LIFE_DAYS,
    Outcome,
    ScoringWeights,
    blend,
    hotness,
    next_utility,
)

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "evidence.json").read_text())


@pytest.mark.parametrize("case", VECTORS["hotness"], ids=str)
def test_hotness_is_what_it_should_be(case: dict) -> None:
    assert hotness(case["access_count"], case["days"]) == pytest.approx(case["value"], abs=1e-9)


@pytest.mark.parametrize("case", VECTORS["utility"], ids=str)
def test_a_session_moves_utility_as_it_should(case: dict) -> None:
    moved = next_utility(case["current"], Outcome(case["outcome"]), used=case["used"])

    assert moved == pytest.approx(case["next"], abs=1e-9)


def test_the_constants_are_the_agreed_ones() -> None:
    constants = VECTORS["constants"]
    weights = ScoringWeights()

    assert constants["hotness_half_life_days"] == HOTNESS_HALF_LIFE_DAYS
    assert {outcome: outcome.reward for outcome in Outcome} == constants["utility"]["rewards"]
    assert {name: getattr(weights, name) for name in constants["scoring"]} == constants["scoring"]


@given(accesses=st.integers(-5, 10**12), days=st.floats(0, 1e6))
def test_hotness_lies_between_0_and_1_grows_with_use_and_fades(accesses: int, days: float) -> None:
    assert 0 <= hotness(accesses, days + 1) <= hotness(accesses, days) <= 1
    assert hotness(accesses, days) <= hotness(accesses + 1, days)


@given(current=st.floats(0, 1), outcome=st.sampled_from(Outcome), used=st.booleans())
def test_utility_stays_between_0_and_1(current: float, outcome: Outcome, used: bool) -> None:
    assert 0 <= next_utility(current, outcome, used=used) <= 1


@given(current=st.floats(0, 1))
def test_an_outcome_says_nothing_about_what_was_not_used(current: float) -> None:
    assert len({next_utility(current, outcome, used=False) for outcome in Outcome}) == 1


def test_fifty_successes_in_a_row_come_close_to_full_utility() -> None:
    utility = 0.5
    for _ in range(50):
        utility = next_utility(utility, Outcome.SUCCESS, used=True)

    assert 0.99 < utility < 1


def test_a_score_is_the_weighted_sum_of_its_signals() -> None:
    assert blend(0.8, 0.5, 0.4) == pytest.approx(0.45 * 0.8 + 0.30 * 0.5 + 0.25 * 0.4, abs=1e-12)
    assert blend(0.8, 0.5, 0.4, ScoringWeights(0, 2, 0)) == 1.0


@pytest.mark.parametrize("weight", [-0.1, math.nan, math.inf])
def test_a_scoring_weight_that_is_none_is_refused_and_named(weight: float) -> None:
    with pytest.raises(ValueError, match=f"the weight of hotness is a number of 0 or more, not {weight}"):
        ScoringWeights(hotness=weight)
