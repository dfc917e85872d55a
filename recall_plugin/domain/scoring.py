"""Scoring: how much use an entity sees, how much good it did, and how both join similarity in one rank."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from recall_plugin.domain.belief.decay import remaining

HOTNESS_HALF_LIFE_DAYS = 7.0
INITIAL_UTILITY = 0.5

_USED_RATE = 0.1
_UNUSED_RATE = 0.05
_UNUSED_REWARD = 0.3


class Outcome(StrEnum):
    """How a session turned out."""

    SUCCESS = "success"
    PARTIAL = "partial"
    FAILED = "failed"

    @property
    def reward(self) -> float:
        """What the outcome is worth to the entities that were used, 0 to 1."""
        return {Outcome.SUCCESS: 1.0, Outcome.PARTIAL: 0.5, Outcome.FAILED: 0.0}[self]


@dataclass(frozen=True, slots=True)
class ScoringWeights:
    """What each signal adds to a score. Each weight is finite and at least 0; ValueError otherwise."""

    semantic: float = 0.45
    hotness: float = 0.30
    utility: float = 0.25

    def __post_init__(self) -> None:
        for name in ("semantic", "hotness", "utility"):
            weight = getattr(self, name)
            if not (math.isfinite(weight) and weight >= 0):
                raise ValueError(f"the weight of {name} is a number of 0 or more, not {weight}")


_DEFAULT_WEIGHTS = ScoringWeights()


def hotness(access_count: int, days: float, half_life: float = HOTNESS_HALF_LIFE_DAYS) -> float:
    """How much an entity is in use, 0 to 1: the logistic function of ln(1 + accesses), halved every half-life.

    access_count: a negative one counts as 0. days: since the last access. half_life: in days, above 0, else ValueError.
    """
    accesses = max(access_count, 0)
    # The logistic function of ln(n), without the detour.
    return (accesses + 1) / (accesses + 2) * remaining(days, half_life)


def next_utility(current: float, outcome: Outcome, *, used: bool) -> float:
    """An entity's utility (0 to 1) after a session that retrieved it: a moving average of rewards.

    used: whether the session used it. An entity that was retrieved in vain moves slowly towards 0.3, whatever the
    outcome.
    """
    rate, reward = (_USED_RATE, outcome.reward) if used else (_UNUSED_RATE, _UNUSED_REWARD)
    return (1.0 - rate) * current + rate * reward


def blend(similarity: float, hotness: float, utility: float, weights: ScoringWeights = _DEFAULT_WEIGHTS) -> float:
    """The score that results are ranked by: the weighted sum. similarity: raw cosine, -1 to 1; the others 0 to 1."""
    return weights.semantic * similarity + weights.hotness * hotness + weights.utility * utility
