"""The account says of every session and archive how it is now."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta

import pytest
from event_strategies import instants, texts
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.journal.account import Account, Failure, Numbers
from recall_plugin.domain.journal.events import ArchiveNoted, SessionNoted

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)

changes = st.lists(st.tuples(st.booleans(), st.integers(0, 12)), max_size=40)
noted = st.one_of(
    st.builds(SessionNoted, texts, st.just("archived"), archive=st.none() | st.integers(1, 9)),
    st.builds(SessionNoted, texts, st.just("failed"), reason=texts),
    st.builds(ArchiveNoted, st.integers(1, 12), st.sampled_from(["ingested", "failed"]), reason=texts),
)
histories = st.lists(st.tuples(noted, instants), max_size=15)
anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts, st.just("2026-11-30T12:00:00Z")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
rows = st.lists(
    st.fixed_dictionaries({}, optional=dict.fromkeys(("session", "archive", "reason", "at", "times"), anything)),
    max_size=2,
)


def numbers(*members: int) -> Numbers:
    found = Numbers()
    for member in members:
        found = found.added(member)
    return found


def account_of(history: list[tuple[SessionNoted | ArchiveNoted, datetime]]) -> Account:
    account = Account()
    for event, at in history:
        account = account.noted(event, at)
    return account


def failed(session: str = "s-1", reason: str = "disk full") -> SessionNoted:
    return SessionNoted(session, "failed", reason=reason)


@given(changes)
def test_numbers_are_a_set(steps: list[tuple[bool, int]]) -> None:
    found, expected = Numbers(), set[int]()
    for adds, number in steps:
        found = found.added(number) if adds else found.removed(number)
        (expected.add if adds else expected.discard)(number)

        assert {one for one in range(-1, 14) if one in found} == expected
        assert len(found) == len(expected)


@given(changes)
def test_the_runs_of_a_set_ascend_and_never_touch(steps: list[tuple[bool, int]]) -> None:
    found = Numbers()
    for adds, number in steps:
        found = found.added(number) if adds else found.removed(number)

    assert all(first <= last for first, last in found.runs)
    assert all(last + 1 < after for (_, last), (after, _) in zip(found.runs, found.runs[1:], strict=False))


@given(st.sets(st.integers(0, 12)), st.data())
def test_the_same_set_is_equal_in_whatever_order_it_grew(members: set[int], data: st.DataObject) -> None:
    one, other = data.draw(st.permutations(sorted(members))), data.draw(st.permutations(sorted(members)))

    assert numbers(*one) == numbers(*other)


def test_a_session_that_failed_stands_there_with_the_latest_reason_and_how_often_in_a_row() -> None:
    account = account_of([(failed(reason="busy"), NOON), (failed(), LATER)])

    assert account.sessions == {"s-1": Failure("disk full", LATER, 2)}
    assert account.archived == 0


def test_success_clears_the_failures_of_its_session_only() -> None:
    account = account_of([(failed(), NOON), (failed("s-2"), NOON), (SessionNoted("s-1", "archived", archive=7), LATER)])

    assert account.sessions == {"s-2": Failure("disk full", NOON)}
    assert account.archived == 1


def test_a_failure_after_a_success_is_the_first_in_a_row() -> None:
    account = account_of([(failed(), NOON), (SessionNoted("s-1", "archived"), NOON), (failed(), LATER)])

    assert account.sessions["s-1"].times == 1


def test_a_session_in_which_nothing_was_new_made_no_archive() -> None:
    assert account_of([(SessionNoted("s-1", "archived"), NOON)]).archived == 0


def test_an_archive_is_ingested_after_it_failed_and_failed_after_it_was_ingested() -> None:
    bad, good = ArchiveNoted(3, "failed", reason="no model"), ArchiveNoted(3, "ingested")
    failing = account_of([(good, NOON), (bad, NOON), (bad, LATER)])
    mended = failing.noted(good, LATER)

    assert 3 not in failing.ingested
    assert failing.archives == {3: Failure("no model", LATER, 2)}
    assert 3 in mended.ingested
    assert mended.archives == {}


def test_an_archive_that_is_ingested_twice_counts_once() -> None:
    good = ArchiveNoted(3, "ingested")

    assert len(account_of([(good, NOON), (good, LATER)]).ingested) == 1


def test_what_waits_is_what_is_there_and_was_not_ingested() -> None:
    account = account_of([(ArchiveNoted(number, "ingested"), NOON) for number in (1, 2, 3, 9)])

    assert account.waiting([11, 3, 4, 1]) == [4, 11]
    assert account.waiting([]) == []
    assert account.noted(ArchiveNoted(3, "failed"), NOON).waiting([1, 3]) == [3]


def test_noting_leaves_the_account_before_as_it_was() -> None:
    before = account_of([(failed(), NOON), (ArchiveNoted(1, "failed"), NOON)])
    before.noted(SessionNoted("s-1", "archived", archive=1), LATER)
    before.noted(ArchiveNoted(1, "ingested"), LATER)

    assert before == account_of([(failed(), NOON), (ArchiveNoted(1, "failed"), NOON)])


@given(histories)
def test_an_account_comes_back_from_json_as_it_was(history: list[tuple[SessionNoted | ArchiveNoted, datetime]]) -> None:
    account = account_of(history)

    assert Account.of_plain(json.loads(json.dumps(account.to_plain()))) == account


@pytest.mark.parametrize(
    "broken",
    [
        {"archived": math.inf},
        {"archived": "3"},
        {"archived": True},
        {"ingested": [[5, 1]]},
        {"ingested": [[4, 9], [1, 2]]},
        {"ingested": [[1, 5], [5, 9]]},
        {"ingested": [[1, 5], [6, 9]]},
        {"ingested": [[1, 2, 3]]},
        {"ingested": [[1.5, 3]]},
        {"sessions": ["s-1"]},
        {"sessions": [{"session": "s-1", "reason": "", "at": "yesterday", "times": 1}]},
        {"archives": [{"archive": None, "reason": "", "at": "2026-11-30T12:00:00Z", "times": 1}]},
        {"archives": [{"archive": 1, "reason": "", "at": "2026-11-30T12:00:00Z", "times": math.nan}]},
        {"archives": None},
    ],
    ids=repr,
)
def test_what_is_no_account_is_refused(broken: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        Account.of_plain({**Account().to_plain(), **broken})


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "archived": st.integers() | anything,
            "ingested": st.lists(st.lists(st.integers(), max_size=3), max_size=3) | anything,
            "sessions": rows | anything,
            "archives": rows | anything,
        },
    )
    | anything
)
def test_whatever_is_read_for_an_account_is_one_or_is_refused(value: object) -> None:
    found: Account | None = None
    problem: Exception | None = None
    try:
        found = Account.of_plain(value)  # type: ignore[arg-type]
    except (KeyError, TypeError, ValueError) as error:
        problem = error

    assert problem is not None or Account.of_plain(found.to_plain()) == found
