"""Two relations of the same confidence are told apart in words, and their order is known."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from recall_plugin.domain.belief.decay import effective_confidence
from recall_plugin.domain.belief.evidence import Evidence
from recall_plugin.domain.belief.standing import describe_standing, standing_order

NOW = datetime(2026, 7, 24, 12, tzinfo=UTC)


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def described(
    evidence: Evidence,
    reinforced: datetime | None = None,
    checked: datetime | None = None,
    disputed_at: datetime | None = None,
) -> str:
    return describe_standing(
        evidence, last_reinforced=reinforced, last_checked=checked, now=NOW, disputed_at=disputed_at
    )


def test_two_meanings_of_0_30_are_told_apart_and_the_better_evidenced_comes_first() -> None:
    faded, speculative = Evidence(53, 7), Evidence.from_prior(0.3)
    faded_order = standing_order(faded, last_reinforced=ago(140), valid_from=ago(300), now=NOW)
    speculative_order = standing_order(speculative, last_reinforced=None, valid_from=NOW, now=NOW)

    assert round(effective_confidence(faded.mean, ago(140), None, NOW), 2) == 0.30
    assert described(faded, ago(140)) == "well evidenced, not confirmed for 140 days"
    assert described(speculative) == "never confirmed"
    assert sorted([speculative_order, faded_order]) == [faded_order, speculative_order]


def test_evidence_decides_between_relations_that_read_the_same() -> None:
    thin, thick = Evidence(3.04, 7), Evidence(30, 70)
    orders = [standing_order(one, last_reinforced=None, valid_from=None, now=NOW) for one in (thick, thin)]

    assert thin.mean > thick.mean
    assert orders == sorted(orders)


def test_a_surer_relation_comes_before_a_better_evidenced_one() -> None:
    thin, thick = Evidence(9, 1), Evidence(800, 200)
    orders = [standing_order(one, last_reinforced=None, valid_from=None, now=NOW) for one in (thin, thick)]

    assert orders == sorted(orders)


def test_of_equals_the_disputed_one_comes_last() -> None:
    disputed = standing_order(Evidence(90, 10), last_reinforced=None, valid_from=None, now=NOW, disputed=True)
    plain = standing_order(Evidence(9, 1), last_reinforced=None, valid_from=None, now=NOW)

    assert plain < disputed


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (-2, "confirmed today"),
        (0.9, "confirmed today"),
        (1.5, "confirmed 1 day ago"),
        (3, "confirmed 3 days ago"),
        (89.9, "confirmed 89 days ago"),
        (90, "not confirmed for 90 days"),
    ],
)
def test_the_last_confirmation_is_told_in_whole_days(days: float, words: str) -> None:
    assert described(Evidence(7, 4), ago(days)) == words


def test_the_later_of_reinforcement_and_check_is_the_last_confirmation() -> None:
    assert described(Evidence(7, 4), ago(100), ago(3)) == "confirmed 3 days ago"
    assert described(Evidence(7, 4), ago(3), ago(100)) == "confirmed 3 days ago"
    assert described(Evidence(7, 4), None, ago(3)) == "confirmed 3 days ago"


def test_a_dispute_stands_first_with_its_date_in_utc() -> None:
    late_in_the_evening = datetime(2026, 3, 5, 23, 30, tzinfo=timezone(-timedelta(hours=5)))

    assert (
        described(Evidence(6, 4.8), disputed_at=late_in_the_evening) == "disputed by you on 2026-03-06, never confirmed"
    )
    assert described(Evidence(26, 4.8), ago(3), disputed_at=ago(1)) == (
        "disputed by you on 2026-07-23, well evidenced, confirmed 3 days ago"
    )


def test_much_evidence_that_speaks_against_a_relation_is_not_called_good() -> None:
    assert described(Evidence(7, 53), ago(1)) == "more against it than for it, confirmed 1 day ago"


def test_a_relation_that_only_the_agent_repeated_says_so() -> None:
    assert described(Evidence(7, 4, 20)) == "never confirmed, repeated by the agent 20 times"
    assert described(Evidence(7, 4, 1), ago(3)) == "confirmed 3 days ago"


def test_a_shorter_half_life_calls_a_confirmation_old_sooner() -> None:
    words = describe_standing(Evidence(7, 4), last_reinforced=ago(31), last_checked=None, now=NOW, half_life=30)

    assert words == "not confirmed for 31 days"
