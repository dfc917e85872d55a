"""Standing: what a relation's confidence rests on, in words, and which of two equally believed ones comes first."""

from __future__ import annotations

from datetime import UTC, datetime

from recall_plugin.domain.belief.decay import HALF_LIFE_DAYS, days_between, effective_confidence
from recall_plugin.domain.belief.evidence import PRIOR_CONCENTRATION, Evidence
from recall_plugin.domain.wording import counted

# The observations weigh as much as the prior, or more.
WELL_EVIDENCED_FROM = 2 * PRIOR_CONCENTRATION


def describe_standing(
    evidence: Evidence,
    *,
    last_reinforced: datetime | None,
    last_checked: datetime | None,
    now: datetime,
    disputed_at: datetime | None = None,
    half_life: float = HALF_LIFE_DAYS,
) -> str:
    """Why a relation is believed as much as it is: `well evidenced, not confirmed for 140 days`, `never confirmed`.

    One to three parts, joined by commas: a standing dispute with its date in UTC (`disputed by you on 2026-03-06`); how
    the counts stand, from twice the prior concentration on (`well evidenced`, `more against it than for it`); and the
    last confirmation, which is the later of the last reinforcement and the last check by a person. Whole days are
    given: `confirmed 3 days ago`, and from one half-life on `not confirmed for 140 days`. What was never confirmed says
    so, and how often the agent repeated it.

    half_life: in days. An instant in the future counts as today.
    """
    parts = []
    if disputed_at is not None:
        parts.append(f"disputed by you on {disputed_at.astimezone(UTC).date().isoformat()}")
    if evidence.concentration >= WELL_EVIDENCED_FROM:
        parts.append("well evidenced" if evidence.alpha >= evidence.beta else "more against it than for it")
    confirmations = [instant for instant in (last_reinforced, last_checked) if instant is not None]
    if confirmations:
        parts.append(_confirmed(int(days_between(max(confirmations), now)), half_life))
    else:
        parts.append("never confirmed")
        if evidence.self_reinforcements:
            parts.append(f"repeated by the agent {counted(evidence.self_reinforcements, 'time')}")
    return ", ".join(parts)


def standing_order(
    evidence: Evidence,
    *,
    last_reinforced: datetime | None,
    valid_from: datetime | None,
    now: datetime,
    disputed: bool = False,
    half_life: float = HALF_LIFE_DAYS,
) -> tuple[float, bool, float, float]:
    """A key that sorts relations from the surest to the least sure.

    First by effective confidence as it is shown, in whole percent. Of those that read the same, what is not disputed
    comes first, then what rests on more evidence, then what is surer by a fraction of a percent.
    """
    effective = effective_confidence(evidence.mean, last_reinforced, valid_from, now, half_life)
    return -round(effective, 2), disputed, -evidence.concentration, -effective


def _confirmed(days: int, half_life: float) -> str:
    if days >= half_life:
        return f"not confirmed for {counted(days, 'day')}"
    return f"confirmed {counted(days, 'day')} ago" if days else "confirmed today"
