"""What is not confirmed fades, to a floor, and chains are as weak as the product of their links."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.belief.decay import (
    DECAY_FLOOR,
    EXPANSION_FLOOR,
    HALF_LIFE_DAYS,
    days_between,
    effective_confidence,
    path_confidence,
    temporal_decay,
)

VECTORS = json.loads((Path(__file__).parents[3] / "data" / "evidence.json").read_text())
NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)

confidences = st.floats(0, 1)
ages = st.floats(0, 1e9)


@pytest.mark.parametrize("case", VECTORS["decay"], ids=str)
def test_a_stored_confidence_decays_as_it_should(case: dict) -> None:
    assert temporal_decay(case["stored"], case["days"]) == pytest.approx(case["effective"], abs=1e-9)


@pytest.mark.parametrize("case", VECTORS["path"], ids=str)
def test_a_path_has_the_product_of_its_edges(case: dict) -> None:
    assert path_confidence(case["edges"]) == pytest.approx(case["confidence"], abs=1e-9)


def test_the_constants_are_the_agreed_ones() -> None:
    constants = VECTORS["constants"]

    assert constants["half_life_days"] == HALF_LIFE_DAYS
    assert constants["decay_floor"] == DECAY_FLOOR
    assert constants["expansion_floor"] == EXPANSION_FLOOR


@given(stored=confidences, days=ages, more=ages)
def test_decay_only_takes_away_and_never_below_the_floor(stored: float, days: float, more: float) -> None:
    sooner, later = temporal_decay(stored, days), temporal_decay(stored, days + more)

    assert stored >= sooner >= later >= min(stored, DECAY_FLOOR)


@given(stored=confidences, days=st.floats(max_value=0) | st.just(math.nan))
def test_days_that_are_none_take_nothing_away(stored: float, days: float) -> None:
    assert temporal_decay(stored, days) == stored


@pytest.mark.parametrize("half_life", [0.0, -1.0, math.nan, math.inf])
def test_a_half_life_that_is_none_is_refused(half_life: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        temporal_decay(0.9, 1, half_life)


def test_a_half_life_halves() -> None:
    assert temporal_decay(0.8, 30, half_life=30) == pytest.approx(0.4)


def test_days_count_between_zones_and_with_fractions() -> None:
    then = datetime(2026, 6, 30, 14, tzinfo=timezone(timedelta(hours=14)))

    assert days_between(then, NOW) == pytest.approx(1.5)


def test_the_future_is_no_days_away_and_decays_nothing() -> None:
    tomorrow = NOW + timedelta(days=1)

    assert days_between(tomorrow, NOW) == 0
    assert effective_confidence(0.9, tomorrow, None, NOW) == 0.9


def test_decay_counts_from_the_last_reinforcement_else_from_validity_else_not_at_all() -> None:
    recent, old = NOW - timedelta(days=90), NOW - timedelta(days=180)

    assert effective_confidence(0.8, recent, old, NOW) == pytest.approx(0.4)
    assert effective_confidence(0.8, None, old, NOW) == pytest.approx(0.2)
    assert effective_confidence(0.8, None, None, NOW) == 0.8
    assert effective_confidence(0.8, recent, old, NOW, half_life=45) == pytest.approx(0.2)


@given(edges=st.lists(confidences, max_size=8), another=confidences)
def test_a_longer_path_is_no_surer(edges: list[float], another: float) -> None:
    assert 0 <= path_confidence([*edges, another]) <= path_confidence(edges) <= 1
