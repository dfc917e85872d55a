"""An event is applied wholly or not at all, reads and changes what it touches and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from event_strategies import events as any_event
from folding import (
    API,
    BY_SESSION,
    KNOWN,
    LISTENS,
    LISTENS_NOW,
    NEW_PORT,
    OLD_PORT,
    apply_all,
    day,
    folded,
    judged,
    said,
    snapshot,
)
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.belief.evidence import Stance
from recall_plugin.domain.belief.provenance import Provenance, ProvenanceWeights
from recall_plugin.domain.journal.events import (
    SELF,
    ArchiveNoted,
    Asserted,
    EntityKept,
    Event,
    PolicySet,
    Printed,
    Retrieved,
    SessionNoted,
    Verdict,
)
from recall_plugin.domain.journal.fold import (
    Ledger,
    Numbered,
    PolicyChanged,
    Touched,
    Unapplicable,
    tally_key_of,
    touched,
)
from recall_plugin.domain.knowledge.entity import EntityType
from recall_plugin.domain.knowledge.relation import RelationKey, TallyKey

keys = st.sampled_from(["api", "22", "49222", "web"])
relation_keys = st.sampled_from([LISTENS, LISTENS_NOW, RelationKey("web", "LISTENS_ON", "22")])
days = st.integers(-9, 9)
times = days.map(day)
policies = st.sampled_from([PolicySet(), BY_SESSION, PolicySet(ProvenanceWeights.uniform(1.0))])
claims = st.builds(
    said,
    st.sampled_from(["doc", "s-1", "s-2"]),
    st.sampled_from(Provenance),
    on=days,
    target=st.sampled_from([OLD_PORT, NEW_PORT, replace(NEW_PORT, key="web")]),
    denied=st.booleans(),
    replaces=st.none() | relation_keys,
)
kept = st.builds(
    EntityKept,
    keys,
    st.sampled_from(["api", "API"]),
    st.sampled_from([EntityType.SERVICE, EntityType.CONCEPT]),
    st.just("person"),
    abstract=st.sampled_from(["", "a", "b"]),
)
shown = st.builds(Printed, st.just(""), st.just("query"), st.lists(keys).map(tuple), episodes=st.just(((1, 0),)))
rolled_up = st.builds(Retrieved, times, st.dictionaries(keys, st.integers(1, 3)), st.just(((1, 0, 2), (2, 0, 1))))
judgements = st.one_of(
    st.builds(Verdict, relation_keys, st.sampled_from(sorted(Verdict.VERDICTS)), times, st.just("person")),
    st.builds(Asserted, relation_keys, st.floats(0, 1), st.just("person")),
)
# The most of them are about the same few things; the others are about anything.
histories: st.SearchStrategy[list[Event]] = st.lists(
    st.one_of(claims, claims, kept, judgements, shown, rolled_up, policies, any_event), max_size=25
).map(lambda events: [*KNOWN, *events])


def outcome(ledger: Ledger, one: Numbered) -> str:
    """What applying said: nothing, or the problem."""
    try:
        ledger.apply(one)
    except (Unapplicable, PolicyChanged) as problem:
        return repr(problem)
    return ""


def numbered(events: list[Event], first: int = 1) -> list[Numbered]:
    return [Numbered(number, day(number / 24), event) for number, event in enumerate(events, first)]


def only(ledger: Ledger, keys: Touched) -> Ledger:
    """A ledger with the policy, the account, and what has these keys."""
    return Ledger(
        ledger.policy,
        ledger.account,
        {key: one for key, one in ledger.entities.items() if key in keys.entities},
        {key: one for key, one in ledger.relations.items() if key in keys.relations},
        {key: one for key, one in ledger.tallies.items() if key in keys.tallies},
        {key: one for key, one in ledger.episodes.items() if key in keys.episodes},
    )


@given(histories, policies, st.integers(1, 8))
def test_a_ledger_with_what_is_touched_comes_to_the_same_as_the_whole(
    history: list[Event], policy: PolicySet, size: int
) -> None:
    whole = Ledger(policy)
    everything = numbered(history)
    for start in range(0, len(everything), size):
        batch = everything[start : start + size]
        keys = touched([one.event for one in batch], policy)
        part = only(whole, keys)
        untouched = {table: set(getattr(whole, table)) for table in ("entities", "relations", "tallies", "episodes")}
        whole.changed, whole.claims = Touched(), []

        assert [outcome(part, one) for one in batch] == [outcome(whole, one) for one in batch]
        assert part == replace(only(whole, keys), changed=whole.changed, claims=whole.claims)
        for table, before in untouched.items():
            assert set(getattr(whole, table)) - before <= getattr(keys, table)


@given(histories, policies)
def test_nothing_has_changed_after_an_event_that_cannot_be_applied(history: list[Event], policy: PolicySet) -> None:
    ledger = Ledger(policy)
    for one in numbered(history):
        before = snapshot(ledger)
        problem = outcome(ledger, one)

        assert not problem or ledger == before


@given(histories, policies)
def test_what_is_not_named_as_changed_has_not_changed(history: list[Event], policy: PolicySet) -> None:
    ledger = Ledger(policy)
    for one in numbered(history):
        before = snapshot(ledger)
        ledger.changed = Touched()
        outcome(ledger, one)

        for table in ("entities", "relations", "tallies", "episodes"):
            now, then = getattr(ledger, table), getattr(before, table)
            assert {key for key in now if now[key] != then.get(key)} <= getattr(ledger.changed, table)
            assert set(then) <= set(now)


@given(histories, st.integers(0, 30))
def test_folding_on_comes_to_the_same_as_folding_at_once(history: list[Event], stop: int) -> None:
    at_once, in_two = Ledger(), Ledger()
    everything = numbered(history)
    for one in everything:
        outcome(at_once, one)
    for one in everything[:stop]:
        outcome(in_two, one)
    in_two = snapshot(in_two)
    for one in everything[stop:]:
        outcome(in_two, one)

    assert in_two == at_once


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (said(target=replace(OLD_PORT, key="23", name="port 23")), r"no entity 23 \(port 23\)"),
        (replace(said(), source=replace(API, key="web")), "no entity web"),
        (Asserted(LISTENS, 0.5, "person"), "no relation api LISTENS_ON 22"),
        (judged("wrong"), "no relation api LISTENS_ON 22"),
        (EntityKept("api", "api", EntityType.PROJECT, "person"), "entity api is a service, not a project"),
    ],
)
def test_an_event_about_what_is_not_there_says_what_is_missing_and_changes_nothing(event: Event, reason: str) -> None:
    ledger = folded(said(target=NEW_PORT))
    before = snapshot(ledger)

    with pytest.raises(Unapplicable, match=reason):
        apply_all(ledger, [event], 9)
    assert ledger == before


def test_a_number_that_is_missing_makes_no_difference() -> None:
    whole, gap = folded(said("first"), said("doc")), folded(said("first"))
    apply_all(gap, [said("doc")], 90)

    assert gap.relations == whole.relations


def test_an_origin_that_was_forgotten_leaves_what_a_memory_without_it_would_believe() -> None:
    everything = [said("gone", on=1), said("a", on=2), said("gone", on=3), said("b", on=4, denied=True)]
    without = folded(*[claim for claim in everything if claim.origin != "gone"]).relations[LISTENS]

    assert (without.evidence.alpha, without.evidence.beta) == pytest.approx((6, 5))
    assert (without.valid_from, without.origins, without.denials) == (day(2), 1, 1)


def test_another_policy_is_an_event_that_folds_everything_again() -> None:
    ledger = folded(said())
    before = snapshot(ledger)

    for policy in (BY_SESSION, PolicySet(ProvenanceWeights(2.0))):
        with pytest.raises(PolicyChanged):
            apply_all(ledger, [policy], 9)
    assert ledger == before


def test_the_policy_that_is_in_force_is_no_change() -> None:
    ledger = folded(said(), policy=BY_SESSION)
    before = snapshot(ledger)
    apply_all(ledger, [PolicySet(ProvenanceWeights(), "session")], 9)

    assert ledger == before


def test_a_claim_is_kept_with_its_number_and_one_that_cannot_be_applied_is_not() -> None:
    ledger = folded(said("first"), said("doc"))
    with pytest.raises(Unapplicable):
        apply_all(ledger, [replace(said(), source=replace(API, key="web"))], 9)

    assert [(one.number, one.event) for one in ledger.claims] == [(4, said("first")), (5, said("doc"))]


def test_the_account_follows() -> None:
    ledger = folded(
        SessionNoted("s-1", "archived", archive=1),
        SessionNoted("s-2", "failed", reason="full"),
        ArchiveNoted(1, "ingested"),
    )

    assert ledger.account.archived == 1
    assert ledger.account.sessions["s-2"].at == day(5 / 24)
    assert 1 in ledger.account.ingested
    assert ledger.changed == Touched()


def test_each_kind_of_event_touches_what_it_names() -> None:
    claim = said("doc", replaces=LISTENS_NOW)
    found = touched(
        [
            KNOWN[0],
            claim,
            judged("wrong"),
            Asserted(LISTENS, 0.5, "person"),
            Printed("", "query", ("p",), episodes=((1, 0),)),
            Retrieved(day(0), {"r": 2}, ((2, 0, 9),)),
            SessionNoted("s", "failed"),
            ArchiveNoted(1, "failed"),
            PolicySet(),
        ],
        PolicySet(),
    )

    assert found == Touched(
        {"api", "22", "p", "r"},
        {LISTENS, LISTENS_NOW},
        {TallyKey(LISTENS, Stance.SUPPORTS, "doc")},
        {(1, 0), (2, 0)},
    )
    assert touched([], PolicySet()) == Touched()


def test_the_agents_word_is_counted_under_one_origin_unless_the_policy_says_otherwise() -> None:
    own, users = said("s-1", Provenance.SELF), said("s-1", Provenance.USER)

    assert tally_key_of(own, PolicySet()).origin == SELF
    assert tally_key_of(own, BY_SESSION).origin == "s-1"
    assert tally_key_of(users, PolicySet()).origin == "s-1"
    assert tally_key_of(said(denied=True), PolicySet()).stance is Stance.CONTRADICTS
