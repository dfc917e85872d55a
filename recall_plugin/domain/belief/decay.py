"""Decay: how much of a belief is left when it has not been confirmed for a while, and along a path."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime

HALF_LIFE_DAYS = 90.0
DECAY_FLOOR = 0.05
# The effective confidence under which a relation is not followed to its neighbours.
EXPANSION_FLOOR = 0.1

_SECONDS_A_DAY = 86400.0


def days_between(then: datetime, now: datetime) -> float:
    """The days from `then` to `now`, with fractions; 0 where `then` lies in the future. Both are aware instants."""
    return max(0.0, (now - then).total_seconds() / _SECONDS_A_DAY)


def remaining(days: float, half_life: float) -> float:
    """The share, 0 to 1, that is left after so many days; negative or NaN days count as 0.

    half_life: in days, above 0 and finite, else ValueError.
    """
    if not 0 < half_life < math.inf:
        raise ValueError(f"a half-life is a number of days above 0, not {half_life}")
    return 1.0 if not days > 0 else float(0.5 ** (days / half_life))


def temporal_decay(stored: float, days: float, half_life: float = HALF_LIFE_DAYS) -> float:
    """A stored confidence (0 to 1) after so many days: halved every half-life, down to the floor of 0.05.

    The floor limits what decay takes away; it never raises a value that was below it.
    """
    return max(stored * remaining(days, half_life), min(stored, DECAY_FLOOR))


def effective_confidence(
    mean: float,
    last_reinforced: datetime | None,
    valid_from: datetime | None,
    now: datetime,
    half_life: float = HALF_LIFE_DAYS,
) -> float:
    """A posterior mean as it counts now: decayed since the last reinforcement, else since the relation became valid.

    With neither date nothing decays, because nobody knows for how long.
    """
    since = last_reinforced or valid_from
    return temporal_decay(mean, days_between(since, now) if since else 0.0, half_life)


def path_confidence(edges: Iterable[float]) -> float:
    """The confidence of a chain of relations: the product of theirs; 1 for an empty chain."""
    return math.prod(edges, start=1.0)
