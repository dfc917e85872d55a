"""What holds, what is over and what is disputed."""

from __future__ import annotations

import pytest
from folding import LISTENS, LISTENS_NOW, NEW_PORT, believed, day, folded, judged, said
from hypothesis import given
from hypothesis import strategies as st

from recall_plugin.domain.belief.provenance import Provenance
from recall_plugin.domain.journal.events import Claim
from recall_plugin.domain.knowledge.relation import RelationKey

USER, AGENT = Provenance.USER, Provenance.SELF
SERVES = RelationKey("api", "SERVES", "22")


def moved(on: float, origin: str = "s-1", **more: bool) -> Claim:
    """The person said that the api listens on the new port, and no longer on the old one."""
    return said(origin, USER, target=NEW_PORT, on=on, replaces=LISTENS, **more)


def test_what_is_replaced_is_over_since_the_words_and_says_by_what() -> None:
    ledger = folded(said(on=1), moved(5))
    old, new = ledger.relations[LISTENS], ledger.relations[LISTENS_NOW]

    assert (old.valid_until, old.superseded_by) == (day(5), LISTENS_NOW)
    assert (new.valid_from, new.valid_until, new.superseded_by) == (day(5), None, None)
    assert old.evidence.mean == pytest.approx(0.6)
    assert ledger.changed.relations == {LISTENS, LISTENS_NOW}


def test_an_older_statement_never_closes_a_newer_one() -> None:
    assert believed(said(on=7), moved(5)).valid_until is None
    assert believed(said(on=1), said("doc", on=7), moved(5)).valid_until is None
    assert believed(said(on=1), said("s-0", AGENT, on=7), moved(5)).valid_until is None


def test_a_denial_is_no_newer_statement_that_it_holds() -> None:
    assert believed(said(on=1), said("doc", on=7, denied=True), moved(5)).valid_until == day(5)
    assert believed(said(on=7, denied=True), moved(5)).valid_until == day(5)


def test_a_statement_of_the_same_time_closes() -> None:
    assert believed(said(on=5), moved(5)).valid_until == day(5)


def test_a_later_statement_opens_it_again() -> None:
    for provenance in (USER, Provenance.EXTERNAL):
        relation = believed(said(on=1), moved(5), said("doc", provenance, on=6))

        assert (relation.valid_until, relation.superseded_by) == (None, None)


def test_an_origin_that_has_been_counted_opens_it_again_too() -> None:
    assert believed(said("doc", on=1), moved(5), said("doc", on=6)).valid_until is None


def test_the_agent_an_older_statement_and_a_denial_open_nothing() -> None:
    over = [said(on=1), moved(5)]
    for claim in (
        said("s-2", AGENT, on=6),
        said("doc", on=4),
        said("doc", on=5),
        said("doc", on=6, denied=True),
    ):
        assert believed(*over, claim).valid_until == day(5)


def test_what_opened_again_can_be_closed_again() -> None:
    relation = believed(said(on=1), moved(5), said("doc", on=6), moved(8))

    assert relation.valid_until == day(8)


def test_repeating_that_something_is_over_does_not_make_it_end_later() -> None:
    assert believed(said(on=1), moved(5), moved(9, "s-2")).valid_until == day(5)


def test_an_older_statement_that_is_learned_later_tells_that_it_ended_earlier() -> None:
    assert believed(said(on=1), moved(9, "s-2"), moved(5)).valid_until == day(5)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6), st.data())
def test_when_it_ended_does_not_depend_on_the_order_in_which_that_was_learned(
    days: list[int], data: st.DataObject
) -> None:
    first = said(on=4)
    one = believed(first, *[moved(on) for on in days])
    other = believed(first, *[moved(on) for on in data.draw(st.permutations(days))])

    assert one.valid_until == other.valid_until
    assert one.valid_until == min((day(on) for on in days if on >= 4), default=None)


def test_a_denial_replaces_nothing() -> None:
    assert believed(said(on=1), moved(5, denied=True)).valid_until is None


def test_a_relation_does_not_replace_itself() -> None:
    assert believed(said(on=1), said("doc", on=5, replaces=LISTENS)).valid_until is None


def test_what_replaces_the_unknown_is_applied_all_the_same() -> None:
    ledger = folded(said(on=1, replaces=SERVES))

    assert set(ledger.relations) == {LISTENS}


def test_moving_back_closes_the_new_and_opens_the_old() -> None:
    ledger = folded(said(on=1), moved(5), said("s-2", USER, on=8, replaces=LISTENS_NOW))
    old, new = ledger.relations[LISTENS], ledger.relations[LISTENS_NOW]

    assert (old.valid_until, old.superseded_by) == (None, None)
    assert (new.valid_until, new.superseded_by) == (day(8), LISTENS)


def test_wrong_is_a_standing_mark_that_no_evidence_lifts() -> None:
    relation = believed(said(on=1), judged("wrong", 3), *[said(f"doc{n}", on=5) for n in range(20)])

    assert relation.disputed
    assert relation.disputed_at == day(3)
    assert relation.last_checked is None


@pytest.mark.parametrize("verdict", ["confirmed", "lifted"])
def test_a_dispute_is_over_when_the_person_says_so(verdict: str) -> None:
    relation = believed(said(on=1), judged("wrong", 3), judged(verdict, 4))

    assert not relation.disputed
    assert relation.disputed_at is None


def test_only_a_confirmation_is_a_check_and_its_time_never_goes_back() -> None:
    assert believed(said(), judged("lifted", 4)).last_checked is None
    assert believed(said(), judged("confirmed", 4)).last_checked == day(4)
    assert believed(said(), judged("confirmed", 4), judged("confirmed", 2)).last_checked == day(4)
    assert believed(said(), judged("confirmed", 4), judged("wrong", 5)).last_checked == day(4)


def test_a_verdict_does_not_set_the_clock() -> None:
    assert believed(said(on=1), judged("confirmed", 4)).last_reinforced is None
